// SPDX-License-Identifier: BSD-3-Clause
#include "readers/lammps_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "counted.hpp"
#include "exit_code.hpp"
#include "gpz/printable.hpp"
#include "readers/byte_input.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

// Numbers of a row; nothing if a word is none, as in warnings between rows.
std::optional<std::vector<double>> numbers_of(std::string_view line) {
  std::vector<double> numbers;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    double number = 0;
    if (!parse_number(word, number)) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

class Log {
 public:
  explicit Log(const std::string &path) : input_(path) { input_.skip_byte_order_mark(); }

  Table read() {
    constexpr std::string_view end_of_setup = "Per MPI rank memory allocation";
    bool in_run = false;
    bool before_heading = false;
    for (std::string_view line; input_.line(line);) {
      ++line_number_;
      const std::vector<std::string_view> words = words_of(line);
      if (words.empty()) continue;
      // Also within a run: one that was killed has no end, and another may follow in the same log.
      const bool begins = words.size() > 1 && words[0] == "Step";
      const auto step = std::find(words.begin(), words.end(), "Step");
      if (begins || (before_heading && step != words.end() && words.size() > 1 && words[0][0] != '-')) {
        take_heading(words, static_cast<std::size_t>(step - words.begin()));
        in_run = true;
      } else if (before_heading) {
        note(
            "line {}: the output of a run is left out: it has no column Step, or is of thermo_modify line multi or "
            "yaml",
            line_number_);
      } else if (line.substr(0, 9) == "Loop time") {
        in_run = false;
      } else if (in_run) {
        if (const auto numbers = numbers_of(line)) take_row(*numbers);
      }
      before_heading = line.substr(0, end_of_setup.size()) == end_of_setup;
    }
    if (rows_.empty())
      throw Failure(ExitCode::corrupt, input_.name(),
                    "no rows below a line that begins with Step: thermodynamic output of thermo_modify line one");
    if (left_out_rows_ > 0)
      note("line {}: a row has another number of columns than the line with their names; {} left out", first_left_out_,
           counted(left_out_rows_, "such row"));
    return table();
  }

 private:
  struct Row {
    std::uint64_t line;
    std::vector<double> values;
  };

  template <typename... Values>
  void note(fmt::format_string<Values...> text, Values &&...values) const {
    print_note(printable(fmt::format("{}: {}", input_.name(), fmt::format(text, std::forward<Values>(values)...))));
  }

  void take_heading(const std::vector<std::string_view> &words, std::size_t step) {
    places_.clear();
    step_ = step;
    for (const std::string_view word : words) {
      std::size_t place = 0;
      while (place < names_.size() && names_[place] != word) ++place;
      if (place == names_.size()) names_.emplace_back(word);
      if (std::find(places_.begin(), places_.end(), place) != places_.end())
        note("line {}: two columns {}: the last one counts", line_number_, word);
      places_.push_back(place);
    }
  }

  void take_row(const std::vector<double> &numbers) {
    if (numbers.size() != places_.size() || !is_integer(numbers[step_])) {
      if (left_out_rows_++ == 0) first_left_out_ = line_number_;
      return;
    }
    const auto timestep = static_cast<std::int64_t>(numbers[step_]);
    if (!rows_.empty() && timestep < rows_.rbegin()->first) go_back(timestep);
    Row row{line_number_, std::vector<double>(names_.size(), std::numeric_limits<double>::quiet_NaN())};
    for (std::size_t k = 0; k < numbers.size(); ++k) row.values[places_[k]] = numbers[k];
    rows_.insert_or_assign(timestep, std::move(row));
  }

  // After reset_timestep, or a restart from an earlier step, the steps from here on are those of this run.
  void go_back(std::int64_t timestep) {
    const auto first = rows_.lower_bound(timestep);
    const auto size = static_cast<std::uint64_t>(std::distance(first, rows_.end()));
    note("line {}: the steps go back from {} to {}: {} of earlier runs left out, the first in line {}", line_number_,
         rows_.rbegin()->first, timestep, counted(size, "row"), first->second.line);
    rows_.erase(first, rows_.end());
  }

  Table table() const {
    Table table{"thermo", {}};
    std::vector<std::int64_t> timesteps;
    for (const auto &row : rows_) timesteps.push_back(row.first);
    table.columns.push_back({"timestep", "", timesteps});
    for (std::size_t c = 0; c < names_.size(); ++c) {
      std::vector<double> values;
      for (const auto &row : rows_)
        values.push_back(c < row.second.values.size() ? row.second.values[c]
                                                      : std::numeric_limits<double>::quiet_NaN());
      const bool has_values =
          !std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
      if (names_[c] != "Step" && has_values) table.columns.push_back({names_[c], "", std::move(values)});
    }
    return table;
  }

  ByteInput input_;
  std::uint64_t line_number_ = 0;
  std::vector<std::string> names_;   // of the columns of all runs
  std::vector<std::size_t> places_;  // of the columns of this run among these
  std::size_t step_ = 0;             // which of them is the timestep
  std::map<std::int64_t, Row> rows_;
  std::uint64_t left_out_rows_ = 0;
  std::uint64_t first_left_out_ = 0;  // line of the first one
};

}  // namespace

Table read_lammps_log(const std::string &path) { return Log(path).read(); }

}  // namespace gpz::tool
