// SPDX-License-Identifier: BSD-3-Clause
#include "readers/lammps_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "gpz/units.hpp"
#include "readers/byte_input.hpp"
#include "readers/log_settings.hpp"
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

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool is_energy(const std::string &heading) {
  return std::find(std::begin(thermo_energies), std::end(thermo_energies), heading) != std::end(thermo_energies);
}

class Log {
 public:
  // `norm`: whether its energies are divided by the number of atoms.
  void take_heading(const std::vector<std::string> &words, bool norm) {
    runs_.push_back({norm, runs_.empty() ? unknown : runs_.back().atoms});
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
    auto &[run, row] = rows_[static_cast<std::int64_t>(numbers[0])];
    run = runs_.size() - 1;
    row.clear();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      row.resize(std::max(row.size(), places_[k] + 1), unknown);
      row[places_[k]] = numbers[k];
    }
  }

  // The line that ends with "with 4000 atoms".
  void take_end(std::string_view line) {
    std::string_view word = next_word(line);
    while (!word.empty() && word != "with") word = next_word(line);
    double atoms = 0;
    if (parse_number(next_word(line), atoms) && next_word(line) == "atoms") runs_.back().atoms = atoms;
  }

  bool has_rows() const { return !rows_.empty(); }

  LoggedThermo thermo() const {
    std::vector<std::int64_t> timesteps;
    std::vector<double> atoms;
    std::vector<std::vector<double>> columns(names_.size());
    const auto is_per_atom = [](const Run &run) { return run.norm; };
    const bool all_per_atom = std::all_of(runs_.begin(), runs_.end(), is_per_atom);
    for (const auto &[timestep, of_run] : rows_) {
      const Run &run = runs_[of_run.first];
      const std::vector<double> &row = of_run.second;
      timesteps.push_back(timestep);
      atoms.push_back(run.atoms);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        columns[c].push_back(c < row.size() ? row[c] : unknown);
        if (run.norm && !all_per_atom && is_energy(names_[c])) columns[c].back() *= run.atoms;
      }
    }
    Table table{"thermo", {{"timestep", "", timesteps}}};
    for (std::size_t c = 1; c < columns.size(); ++c)
      table.columns.push_back(
          {names_[c], all_per_atom && is_energy(names_[c]) ? unit_per_atom("") : std::string(), columns[c]});
    return {std::move(table), std::move(atoms)};
  }

 private:
  std::vector<std::string> names_;   // of all runs; the first one is Step
  std::vector<std::size_t> places_;  // of the columns of this run among these
  struct Run {
    bool norm;
    double atoms;  // those of the run before, until its end says how many there are
  };
  std::vector<Run> runs_;
  std::map<std::int64_t, std::pair<std::size_t, std::vector<double>>> rows_;  // with the number of their run
};

}  // namespace

Table LoggedThermo::with_count() const {
  Table table = table_;
  table.columns.push_back({observed_atoms, "", atoms_});
  return table;
}

bool LoggedThermo::needs_count(std::int64_t timestep, std::uint64_t particles) const {
  if (table_.column(observed_atoms) != nullptr) return false;
  const auto &timesteps = std::get<std::vector<std::int64_t>>(table_.columns[0].values);
  const auto row = std::lower_bound(timesteps.begin(), timesteps.end(), timestep);
  if (row == timesteps.end() || *row != timestep) return false;
  const double atoms = atoms_[static_cast<std::size_t>(row - timesteps.begin())];
  return !std::isnan(atoms) && atoms != static_cast<double>(particles);
}

LoggedThermo read_lammps_log(const std::string &path, const std::string &units) {
  ByteInput input(path);
  Log log;
  LogSettings settings;
  bool in_run = false;
  for (std::string_view line; input.line(line);) {
    std::string_view rest = line;
    if (next_word(rest) == "Step" && !next_word(rest).empty()) {
      // Also within a run: one that was killed has no end, and another may follow in the same log.
      log.take_heading(words_of(line), settings.norm().value_or(norm_of_units(units)));
      in_run = true;
    } else if (in_run && line.substr(0, 9) == "Loop time") {
      log.take_end(line);
      in_run = false;
    } else if (const auto numbers = in_run ? numbers_of(line) : std::nullopt; numbers && !numbers->empty()) {
      log.take_row(*numbers);
    } else {
      settings.take(line);
    }
  }
  if (!log.has_rows())
    throw Failure(ExitCode::corrupt, input.name(),
                  "no rows below a line that begins with Step: thermodynamic output of thermo_modify line one");
  return log.thermo();
}

}  // namespace gpz::tool
