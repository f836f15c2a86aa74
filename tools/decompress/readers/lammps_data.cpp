// SPDX-License-Identifier: BSD-3-Clause
#include "readers/lammps_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

#include "gpz/units.hpp"
#include "readers/byte_input.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

using Integers = std::vector<std::int64_t>;
using Floats = std::vector<double>;
using Texts = std::vector<std::string>;
using RowWords = std::vector<std::string_view>;

// What lines of atoms begin with in each atom style.
const std::map<std::string, Texts> &styles() {
  static const std::map<std::string, Texts> known = [] {
    std::map<std::string, Texts> all;
    for (const char *const style : {"atomic", "body", "dpd", "edpd", "ellipsoid", "hybrid", "mdpd", "peri", "rheo",
                                    "rheo/thermal", "smd", "sph", "spin", "tdpd"})
      all[style] = {"id", "type"};
    for (const char *const style : {"angle", "bond", "line", "molecular", "tri"}) all[style] = {"id", "mol", "type"};
    for (const char *const style : {"charge", "dipole", "electron", "wavepacket"}) all[style] = {"id", "type", "q"};
    for (const char *const style : {"amoeba", "dielectric", "full"}) all[style] = {"id", "mol", "type", "q"};
    all["bpm/sphere"] = {"id", "mol", "type", "diameter"};
    all["sphere"] = {"id", "type", "diameter"};
    all["template"] = {"id", "mol", "", "", "type"};  // of the molecule, and of the atom in it
    return all;
  }();
  return known;
}

// write_data adds to the style which accelerated variant it was.
std::string without_suffix(const std::string &style) {
  const std::size_t slash = style.rfind('/');
  for (const char *const suffix : {"gpu", "intel", "kk", "omp", "opt"})
    if (slash != std::string::npos && style.substr(slash + 1) == suffix) return style.substr(0, slash);
  return style;
}

struct DataSection {
  const char *section;
  const char *table;
  std::size_t atoms;
};
constexpr std::array<DataSection, 4> data_sections = {
    {{"Bonds", "bonds", 2}, {"Angles", "angles", 3}, {"Dihedrals", "dihedrals", 4}, {"Impropers", "impropers", 4}}};

// The line without its comment, and the comment; both without blanks around.
std::pair<std::string, std::string> split(std::string_view line) {
  const auto trimmed = [](std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return std::string();
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
  };
  const std::size_t hash = line.find('#');
  if (hash == std::string_view::npos) return {trimmed(line), ""};
  return {trimmed(line.substr(0, hash)), trimmed(line.substr(hash + 1))};
}

// The words with one blank between them.
std::string joined(std::string_view words) {
  std::string text;
  for (std::string_view word = next_word(words); !word.empty(); word = next_word(words))
    text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

// The types of some rows: integers, or labels.
struct Types {
  Texts words;

  TableColumn::Values values() const {
    Integers numbers;
    for (const std::string &word : words) {
      std::int64_t number = 0;
      if (!parse_number(word, number)) return words;
      numbers.push_back(number);
    }
    return numbers;
  }
};

// Rows in the order of `less(a, b)`.
template <typename Less>
std::vector<std::size_t> order_of(std::size_t rows, const Less &less) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

TableColumn::Values reordered(const TableColumn::Values &values, const std::vector<std::size_t> &order) {
  return std::visit(
      [&](const auto &from) -> TableColumn::Values {
        auto to = from;
        for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
        return to;
      },
      values);
}

class DataFile {
 public:
  DataFile(const std::string &path, std::string style, std::string units)
      : input_(path), style_(std::move(style)), units_(std::move(units)) {}

  std::vector<Table> read() {
    std::string_view line;
    if (!input_.line(line)) throw input_.ends_early("in front of its first line");
    take_units(std::string(line));
    while (next_section()) {
      if (section_ == "Atoms") {
        read_atoms();
      } else if (section_ == "Masses") {
        read_masses();
      } else if (section_ == "Atom Type Labels") {
        read_labels();
      } else if (const auto *const kind = std::find_if(data_sections.begin(), data_sections.end(),
                                                       [&](const DataSection &k) { return section_ == k.section; });
                 kind != data_sections.end()) {
        read_topology(*kind);
      }
    }
    if (counts_.count("atoms") == 0)
      throw Failure(ExitCode::corrupt, input_.name(), "no LAMMPS data file: no line says how many atoms there are");
    add_types();
    return std::move(tables_);
  }

 private:
  // The first line of files by write_data ends with `units = real`.
  void take_units(const std::string &title) {
    constexpr const char *start = "units = ";
    const std::size_t at = title.rfind(start);
    if (!units_.empty() || at == std::string::npos) return;
    units_ = split(std::string_view(title).substr(at + std::char_traits<char>::length(start))).first;
  }

  // Goes on to the next line with a name of a section. Lines of the header give counts; the rest is passed.
  bool next_section() {
    for (std::string_view line; input_.line(line);) {
      const auto [text, comment] = split(line);
      if (text.empty()) continue;
      std::string_view rest = text;
      const std::string_view first = next_word(rest);
      std::int64_t number = 0;
      if (parse_number(first, number)) {
        if (!in_section_) counts_[joined(rest)] = number;
        continue;
      }
      double real = 0;
      if (parse_number(first, real) || (in_section_ && !after_blank_line(text))) continue;
      section_ = text;
      comment_ = comment;
      in_section_ = true;
      return true;
    }
    return false;
  }
  // A section begins with a capital letter and is followed by a blank line: rows may begin with a word, too.
  bool after_blank_line(const std::string &text) {
    const std::string_view next = input_.peek_line();
    return text[0] >= 'A' && text[0] <= 'Z' && split(next).first.empty();
  }

  // Calls take(words) for each row of the section, of which there are as many as the header says.
  template <typename Take>
  void for_rows(const std::string &what, std::size_t least_words, const Take &take) {
    const auto count = counts_.find(what);
    if (count == counts_.end()) throw input_.bad_line(fmt::format("no line in front says how many {} there are", what));
    std::string_view line;
    for (std::int64_t row = 0; row < count->second;) {
      if (!input_.line(line)) throw input_.ends_early(fmt::format("within the section {}", section_));
      const std::string text = split(line).first;
      if (text.empty()) {
        if (row == 0) continue;
        throw input_.bad_line(
            fmt::format("the section {} has fewer rows than the {} {} of the header", section_, count->second, what));
      }
      std::string_view rest = text;
      RowWords words;
      for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) words.push_back(word);
      if (words.size() < least_words) throw input_.bad_line(fmt::format("a row of {} with too few words", section_));
      take(words);
      ++row;
    }
  }

  std::int64_t integer(std::string_view word) const {
    std::int64_t number = 0;
    if (!parse_number(word, number)) throw input_.bad_line(fmt::format("'{}' is no integer", word));
    return number;
  }
  double real(std::string_view word) const {
    double number = 0;
    if (!parse_number(word, number)) throw input_.bad_line(fmt::format("'{}' is no number", word));
    return number;
  }

  void read_masses() {
    for_rows("atom types", 2, [&](const RowWords &words) {
      mass_types_.words.emplace_back(words[0]);
      masses_.push_back(real(words[1]));
    });
  }

  void read_labels() {
    for_rows("atom types", 2, [&](const RowWords &words) {
      const std::int64_t type = integer(words[0]);
      if (type < 1 || type > counts_["atom types"]) throw input_.bad_line("an atom type that there is not");
      labels_[type] = std::string(words[1]);
    });
  }

  // The number of an atom type, which may be a label.
  std::int64_t type_number(std::string_view word) const {
    for (const auto &[type, label] : labels_)
      if (label == word) return type;
    const std::int64_t type = integer(word);
    const auto most = counts_.find("atom types");
    if (type < 1 || most == counts_.end() || type > most->second)
      throw input_.bad_line(
          fmt::format("{} is none of the atom types of the header; is it the right atom style?", type));
    return type;
  }

  const Texts &columns_of_style() const {
    const std::string name =
        without_suffix(style_.empty() ? comment_.substr(0, comment_.find_first_of(" \t")) : style_);
    const auto style = styles().find(name);
    if (style != styles().end()) return style->second;
    throw Failure(ExitCode::usage, input_.name(),
                  name.empty() || style_.empty()
                      ? std::string("the line 'Atoms' does not name the atom style; give it, e.g. --atom-style full")
                      : fmt::format("atom style '{}' is not known", name));
  }

  void read_atoms() {
    const Texts &columns = columns_of_style();
    std::map<std::string, Integers> integers;
    std::map<std::string, Floats> floats;
    for_rows("atoms", columns.size() + 3, [&](const RowWords &words) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].empty()) continue;
        if (columns[c] == "q")
          floats["q"].push_back(real(words[c]));
        else if (columns[c] == "diameter")
          floats["radius"].push_back(real(words[c]) / 2);
        else
          integers[columns[c]].push_back(columns[c] == "type" ? type_number(words[c]) : integer(words[c]));
      }
    });
    const Integers &ids = integers["id"];
    const std::vector<std::size_t> order =
        order_of(ids.size(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
    Table atoms{"atoms", {}};
    for (const char *const name : {"id", "type", "mol"})
      if (integers.count(name) != 0) atoms.columns.push_back({name, "", reordered(integers[name], order)});
    for (const auto &[name, values] : floats)
      atoms.columns.push_back({name, name == "q" ? quantity_units(units_).charge : quantity_units(units_).length,
                               reordered(values, order)});
    const auto &sorted = std::get<Integers>(atoms.columns.front().values);
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw Failure(ExitCode::corrupt, input_.name(), fmt::format("two atoms have id {}", *twice));
    tables_.push_back(std::move(atoms));
  }

  void read_topology(const DataSection &kind) {
    Types types;
    std::vector<Integers> atoms(kind.atoms);
    for_rows(kind.table, 2 + kind.atoms, [&](const RowWords &words) {
      types.words.emplace_back(words[1]);
      for (std::size_t k = 0; k < kind.atoms; ++k) atoms[k].push_back(integer(words[2 + k]));
    });
    const std::vector<std::size_t> order = order_of(types.words.size(), [&](std::size_t a, std::size_t b) {
      for (const Integers &column : atoms)
        if (column[a] != column[b]) return column[a] < column[b];
      return false;
    });
    Table table{kind.table, {{"type", "", reordered(types.values(), order)}}};
    for (std::size_t k = 0; k < kind.atoms; ++k)
      table.columns.push_back({fmt::format("atom{}", k + 1), "", reordered(atoms[k], order)});
    tables_.push_back(std::move(table));
  }

  void add_types() {
    if (masses_.empty() && labels_.empty()) return;
    Integers types;
    if (masses_.empty())
      for (const auto &label : labels_) types.push_back(label.first);
    for (const std::string &word : mass_types_.words) types.push_back(type_number(word));
    Table table{"types", {{"type", "", types}}};
    if (!masses_.empty()) table.columns.push_back({"mass", quantity_units(units_).mass, masses_});
    if (!labels_.empty()) {
      Texts labels;
      for (const std::int64_t type : types) labels.push_back(labels_.count(type) != 0 ? labels_.at(type) : "");
      table.columns.push_back({"label", "", labels});
    }
    tables_.push_back(std::move(table));
  }

  ByteInput input_;
  std::string style_;
  std::string units_;
  std::map<std::string, std::int64_t> counts_;  // of the header, by what is counted: `atoms`, `atom types`
  bool in_section_ = false;
  std::string section_;  // name of the section that was found last
  std::string comment_;  // behind it
  Types mass_types_;
  Floats masses_;
  std::map<std::int64_t, std::string> labels_;  // of atom types
  std::vector<Table> tables_;
};

}  // namespace

std::vector<Table> read_lammps_data(const std::string &path, const std::string &atom_style, const std::string &units) {
  return DataFile(path, atom_style, units).read();
}

}  // namespace gpz::tool
