// SPDX-License-Identifier: BSD-3-Clause
#include "readers/lammps_log.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "readers/byte_input.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) words.emplace_back(word);
  return words;
}

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
  void take_heading(const std::vector<std::string> &words) {
    places_.clear();
    for (const std::string &word : words) {
      std::size_t place = 0;
      while (place < names_.size() && names_[place] != word) ++place;
      if (place == names_.size()) names_.push_back(word);
      places_.push_back(place);
    }
  }

  void take_row(const std::vector<double> &numbers) {
    if (numbers.size() != places_.size() || !is_integer(numbers[0])) return;
    std::vector<double> &row = rows_[static_cast<std::int64_t>(numbers[0])];
    row.clear();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      row.resize(std::max(row.size(), places_[k] + 1), std::numeric_limits<double>::quiet_NaN());
      row[places_[k]] = numbers[k];
    }
  }

  bool has_rows() const { return !rows_.empty(); }

  Table table() const {
    std::vector<std::int64_t> timesteps;
    std::vector<std::vector<double>> columns(names_.size());
    for (const auto &[timestep, row] : rows_) {
      timesteps.push_back(timestep);
      for (std::size_t c = 0; c < columns.size(); ++c)
        columns[c].push_back(c < row.size() ? row[c] : std::numeric_limits<double>::quiet_NaN());
    }
    Table table{"thermo", {{"timestep", "", timesteps}}};
    for (std::size_t c = 1; c < columns.size(); ++c) table.columns.push_back({names_[c], "", columns[c]});
    return table;
  }

 private:
  std::vector<std::string> names_;   // of all runs; the first one is Step
  std::vector<std::size_t> places_;  // of the columns of this run among these
  std::map<std::int64_t, std::vector<double>> rows_;
};

}  // namespace

Table read_lammps_log(const std::string &path) {
  ByteInput input(path);
  Log log;
  bool in_run = false;
  for (std::string_view line; input.line(line);) {
    std::string_view rest = line;
    if (next_word(rest) == "Step" && !next_word(rest).empty()) {
      // Also within a run: one that was killed has no end, and another may follow in the same log.
      log.take_heading(words_of(line));
      in_run = true;
    } else if (!in_run) {
      continue;
    } else if (line.substr(0, 9) == "Loop time") {
      in_run = false;
    } else if (const auto numbers = numbers_of(line); numbers && !numbers->empty()) {
      log.take_row(*numbers);
    }
  }
  if (!log.has_rows())
    throw Failure(ExitCode::corrupt, input.name(),
                  "no rows below a line that begins with Step: thermodynamic output of thermo_modify line one");
  return log.table();
}

}  // namespace gpz::tool
