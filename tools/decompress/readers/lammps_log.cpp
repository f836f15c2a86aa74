// SPDX-License-Identifier: BSD-3-Clause
#include "readers/lammps_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "counted.hpp"
#include "exit_code.hpp"
#include "gpz/printable.hpp"
#include "gpz/units.hpp"
#include "readers/byte_input.hpp"
#include "readers/log_settings.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

// Numbers of a row; nothing if a word is none, as in warnings between rows.
std::optional<std::vector<double>> numbers_of(const std::vector<std::string_view> &words) {
  std::vector<double> numbers(words.size());
  for (std::size_t k = 0; k < words.size(); ++k)
    if (!parse_number(words[k], numbers[k])) return std::nullopt;
  return numbers;
}

// 1 GiB.
constexpr std::size_t most_logged_values = std::size_t{1} << 27;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool is_energy(std::string_view heading) {
  return std::find(std::begin(thermo_energies), std::end(thermo_energies), heading) != std::end(thermo_energies);
}

class Log {
 public:
  // `units`: where no command in the log names them.
  Log(const std::string &path, std::string units) : input_(path), units_(std::move(units)) {
    input_.skip_byte_order_mark();
  }

  LoggedThermo read() {
    constexpr std::string_view end_of_setup = "Per MPI rank memory allocation";
    bool in_run = false;
    bool before_heading = false;
    for (std::string_view line; input_.line(line);) {
      ++line_number_;
      const std::vector<std::string_view> words = words_of(line);
      if (words.empty()) {
        settings_.take(line);
        continue;
      }
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
        in_run = false;
      } else if (line.substr(0, 9) == "Loop time") {
        if (in_run) take_end(words);
        in_run = false;
      } else if (const auto numbers = in_run ? numbers_of(words) : std::nullopt) {
        take_row(*numbers);
      } else {
        settings_.take(line);
      }
      before_heading = line.substr(0, end_of_setup.size()) == end_of_setup;
    }
    if (rows_.empty())
      throw Failure(ExitCode::corrupt, input_.name(),
                    "no rows below a line that begins with Step: thermodynamic output of thermo_modify line one");
    if (left_out_rows_ > 0)
      note("line {}: a row has another number of columns than the line with their names; {} left out", first_left_out_,
           counted(left_out_rows_, "such row"));
    return thermo();
  }

 private:
  struct Run {
    bool norm;                         // whether energies are divided by the number of atoms
    double atoms;                      // those of the run before, until its end says how many there are
    std::vector<std::size_t> indices;  // of its columns among those of all runs
  };

  struct Row {
    std::uint64_t line;
    std::size_t run;
    std::vector<double> values;  // in the order of the run's columns
  };

  template <typename... Values>
  void note(fmt::format_string<Values...> text, Values &&...values) const {
    print_note(printable(fmt::format("{}: {}", input_.name(), fmt::format(text, std::forward<Values>(values)...))));
  }

  void take_heading(const std::vector<std::string_view> &words, std::size_t step) {
    const std::optional<bool> norm = settings_.norm();
    if (!norm && units_.empty()) note_unknown_norm(words);
    note_other_units();
    runs_.push_back({norm.value_or(norm_of_units(units_)), runs_.empty() ? unknown : runs_.back().atoms, {}});
    std::set<std::size_t> of_run;
    step_ = step;
    for (const std::string_view word : words) {
      const auto [known, is_new] = index_of_name_.emplace(word, names_.size());
      if (is_new) names_.emplace_back(word);
      if (!of_run.insert(known->second).second)
        note("line {}: two columns {}: the last one counts", line_number_, word);
      runs_.back().indices.push_back(known->second);
    }
  }

  // Once.
  void note_unknown_norm(const std::vector<std::string_view> &headings) {
    if (noted_norm_ || std::none_of(headings.begin(), headings.end(), is_energy)) return;
    noted_norm_ = true;
    note(
        "line {}: neither the log nor the file names units: energies are taken as those of all atoms. If they are per "
        "atom, as in lj units, put a line 'units lj' in front of the log",
        line_number_);
  }

  // Once.
  void note_other_units() {
    const std::string &of_run = settings_.units();
    if (noted_units_ || of_run.empty() || units_.empty() || of_run == units_) return;
    noted_units_ = true;
    note("line {}: a run in units {}, and the file is in units {}: its numbers are taken as they are", line_number_,
         of_run, units_);
  }

  void take_row(const std::vector<double> &numbers) {
    if (numbers.size() != runs_.back().indices.size() || !is_integer(numbers[step_])) {
      if (left_out_rows_++ == 0) first_left_out_ = line_number_;
      return;
    }
    const auto timestep = static_cast<std::int64_t>(numbers[step_]);
    if (!rows_.empty() && timestep < rows_.rbegin()->first) go_back(timestep);
    rows_.insert_or_assign(timestep, Row{line_number_, runs_.size() - 1, numbers});
  }

  // After reset_timestep, or a restart from an earlier step, the steps from here on are those of this run.
  void go_back(std::int64_t timestep) {
    const auto first = rows_.lower_bound(timestep);
    const auto size = static_cast<std::uint64_t>(std::distance(first, rows_.end()));
    note("line {}: the steps go back from {} to {}: {} of earlier runs left out, the first in line {}", line_number_,
         rows_.rbegin()->first, timestep, counted(size, "row"), first->second.line);
    rows_.erase(first, rows_.end());
  }

  // The line that ends with "with 4000 atoms".
  void take_end(const std::vector<std::string_view> &words) {
    const auto with = std::find(words.begin(), words.end(), "with");
    double atoms = 0;
    if (words.end() - with > 2 && parse_number(with[1], atoms) && with[2] == "atoms") runs_.back().atoms = atoms;
  }

  // Notes rows whose energies are per atom, in a log where nothing says by which number they were divided.
  void note_lost_energies() const {
    if (std::none_of(names_.begin(), names_.end(), is_energy)) return;
    std::uint64_t rows = 0;
    std::uint64_t first = 0;
    for (const auto &[timestep, row] : rows_)
      if (runs_[row.run].norm && std::isnan(runs_[row.run].atoms) && rows++ == 0) first = row.line;
    if (rows > 0)
      note(
          "line {}: energies per atom of a run without a number of atoms, next to runs with energies of all atoms; "
          "those of {} left out",
          first, counted(rows, "row"));
  }

  // The values of all runs, NaN where a run has not the column.
  std::vector<std::vector<double>> columns_of_rows() const {
    if (rows_.size() * names_.size() > most_logged_values)
      throw Failure(ExitCode::limit, input_.name(),
                    fmt::format("{} rows of {} columns in all; at most {} values are read", rows_.size(), names_.size(),
                                most_logged_values));
    std::vector<std::vector<double>> columns(names_.size(), std::vector<double>(rows_.size(), unknown));
    std::size_t index = 0;
    for (const auto &[timestep, row] : rows_) {
      const std::vector<std::size_t> &indices = runs_[row.run].indices;
      for (std::size_t k = 0; k < indices.size(); ++k) columns[indices[k]][index] = row.values[k];
      ++index;
    }
    return columns;
  }

  LoggedThermo thermo() const {
    std::vector<std::int64_t> timesteps;
    std::vector<double> atoms;
    bool all_per_atom = true;
    for (const auto &[timestep, row] : rows_) {
      timesteps.push_back(timestep);
      atoms.push_back(runs_[row.run].atoms);
      all_per_atom = all_per_atom && runs_[row.run].norm;
    }
    if (!all_per_atom) note_lost_energies();
    Table table{"thermo", {{"timestep", "", std::move(timesteps)}}};
    std::vector<std::vector<double>> columns = columns_of_rows();
    for (std::size_t c = 0; c < names_.size(); ++c) {
      const bool energy = is_energy(names_[c]);
      std::vector<double> &values = columns[c];
      std::size_t index = 0;
      for (const auto &[timestep, row] : rows_) {
        const Run &run = runs_[row.run];
        if (energy && run.norm && !all_per_atom) values[index] *= run.atoms;
        ++index;
      }
      const bool has_values =
          !std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
      if (names_[c] != "Step" && has_values)
        table.columns.push_back({names_[c], energy && all_per_atom ? unit_per_atom("") : "", std::move(values)});
    }
    return {std::move(table), std::move(atoms)};
  }

  ByteInput input_;
  std::string units_;
  LogSettings settings_;
  std::uint64_t line_number_ = 0;
  std::vector<std::string> names_;  // of the columns of all runs
  std::map<std::string, std::size_t, std::less<>> index_of_name_;
  bool noted_norm_ = false;
  bool noted_units_ = false;
  std::size_t step_ = 0;  // which of them is the timestep
  std::vector<Run> runs_;
  std::map<std::int64_t, Row> rows_;
  std::uint64_t left_out_rows_ = 0;
  std::uint64_t first_left_out_ = 0;  // line of the first one
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

LoggedThermo read_lammps_log(const std::string &path, const std::string &units) { return Log(path, units).read(); }

}  // namespace gpz::tool
