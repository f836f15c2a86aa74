// SPDX-License-Identifier: BSD-3-Clause
#include "readers/log_settings.hpp"

#include <algorithm>
#include <vector>

#include "gpz/units.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

bool is_unit_style(std::string_view name) {
  const std::vector<UnitStyle> &styles = unit_styles();
  return std::any_of(styles.begin(), styles.end(), [&](const UnitStyle &style) { return name == style.name; });
}

// A logical value as LAMMPS has it; nothing for others, such as a variable whose value the next line of the log has.
std::optional<bool> logical(std::string_view word) {
  if (word == "yes" || word == "on" || word == "true") return true;
  if (word == "no" || word == "off" || word == "false") return false;
  return std::nullopt;
}

}  // namespace

void LogSettings::take(std::string_view line) {
  line = line.substr(0, line.find('#'));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  const bool goes_on = !line.empty() && line.back() == '&';
  if (goes_on) line.remove_suffix(1);
  continued_ += line;
  if (goes_on) return;
  take_command(continued_);
  continued_.clear();
}

void LogSettings::take_command(std::string_view command) {
  const std::string_view name = next_word(command);
  if (name == "units") {
    const std::string_view style = next_word(command);
    if (is_unit_style(style)) units_ = style;
  } else if (name == "Unit") {  // "  Unit style    : lj", on the screen in front of each run
    if (next_word(command) != "style" || next_word(command) != ":") return;
    const std::string_view style = next_word(command);
    if (is_unit_style(style)) units_ = style;
  } else if (name == "clear") {
    units_ = "lj";
    chosen_.reset();
  } else if (name == "thermo_style") {
    chosen_.reset();  // LAMMPS forgets thermo_modify
  } else if (name == "thermo_modify") {
    for (std::string_view word = next_word(command); !word.empty(); word = next_word(command))
      if (word == "norm") {
        const std::optional<bool> value = logical(next_word(command));
        if (value) chosen_ = value;
      }
  }
}

std::optional<bool> LogSettings::norm() const {
  if (chosen_ || units_.empty()) return chosen_;
  return norm_of_units(units_);
}

}  // namespace gpz::tool
