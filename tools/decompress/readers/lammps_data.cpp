// SPDX-License-Identifier: BSD-3-Clause
#include "readers/lammps_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "counted.hpp"
#include "exit_code.hpp"
#include "gpz/printable.hpp"
#include "gpz/units.hpp"
#include "readers/byte_input.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

using Integers = std::vector<std::int64_t>;
using Floats = std::vector<double>;
using Texts = std::vector<std::string>;
using RowWords = std::vector<std::string_view>;

struct Style {
  Texts columns;          // that lines of atoms begin with, as far as they are read
  std::size_t words = 0;  // of a line without image flags; 0: not the same in all files
};

const std::map<std::string, Style> &styles() {
  static const std::map<std::string, Style> known = [] {
    const Texts plain{"id", "type"}, molecular{"id", "mol", "type"}, charged{"id", "type", "q"},
        full{"id", "mol", "type", "q"};
    return std::map<std::string, Style>{
        {"atomic", {plain, 5}},
        {"body", {plain, 7}},
        {"dpd", {plain, 6}},
        {"edpd", {plain, 7}},
        {"ellipsoid", {plain, 7}},
        {"hybrid", {plain, 0}},
        {"mdpd", {plain, 6}},
        {"oxdna", {plain, 5}},
        {"peri", {plain, 7}},
        {"rheo", {plain, 7}},
        {"rheo/thermal", {plain, 8}},
        {"smd", {{"id", "type", "mol"}, 13}},
        {"sph", {plain, 8}},
        {"spin", {plain, 9}},
        {"tdpd", {plain, 0}},
        {"angle", {molecular, 6}},
        {"bond", {molecular, 6}},
        {"line", {molecular, 8}},
        {"molecular", {molecular, 6}},
        {"tri", {molecular, 8}},
        {"charge", {charged, 6}},
        {"dipole", {charged, 9}},
        {"electron", {charged, 8}},
        {"wavepacket", {charged, 11}},
        {"amoeba", {full, 7}},
        {"dielectric", {full, 15}},
        {"full", {full, 7}},
        {"bpm/sphere", {{"id", "mol", "type", "diameter"}, 8}},
        {"sphere", {{"id", "type", "diameter"}, 7}},
        {"template", {{"id", "mol", "", "", "type"}, 8}},  // of the molecule, and of the atom in it
    };
  }();
  return known;
}

// Names of lines in the header that say how many of something there are.
bool is_count(const std::string &name) {
  static const std::set<std::string> known{"atoms",      "bonds",       "angles",         "dihedrals",     "impropers",
                                           "ellipsoids", "lines",       "triangles",      "bodies",        "atom types",
                                           "bond types", "angle types", "dihedral types", "improper types"};
  return known.count(name) != 0;
}

// How many numbers other lines of the header have, by their names: the box, and room for more. 0: not known.
std::size_t numbers_of_header(const std::string &name) {
  static const std::map<std::string, std::size_t> known{{"xlo xhi", 2},
                                                        {"ylo yhi", 2},
                                                        {"zlo zhi", 2},
                                                        {"xy xz yz", 3},
                                                        {"avec", 3},
                                                        {"bvec", 3},
                                                        {"cvec", 3},
                                                        {"abc origin", 3},
                                                        {"extra bond per atom", 1},
                                                        {"extra angle per atom", 1},
                                                        {"extra dihedral per atom", 1},
                                                        {"extra improper per atom", 1},
                                                        {"extra special per atom", 1}};
  const auto found = known.find(name);
  return found == known.end() ? 0 : found->second;
}

// Sections of LAMMPS, those that are not read among them.
bool is_section(const std::string &name) {
  static const std::set<std::string> known = [] {
    std::set<std::string> all{"Atoms",  "Velocities", "Masses", "Ellipsoids", "Lines",    "Triangles",
                              "Bodies", "Bonds",      "Angles", "Dihedrals",  "Impropers"};
    for (const char *const kind : {"Atom", "Bond", "Angle", "Dihedral", "Improper"})
      all.insert(fmt::format("{} Type Labels", kind));
    for (const char *const kind :
         {"Pair", "PairIJ", "Bond", "Angle", "Dihedral", "Improper", "BondBond", "BondAngle", "UreyBradley",
          "MiddleBondTorsion", "EndBondTorsion", "AngleTorsion", "AngleAngleTorsion", "BondBond13", "AngleAngle"})
      all.insert(fmt::format("{} Coeffs", kind));
    return all;
  }();
  return known.count(name) != 0;
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
  static constexpr auto unlimited = static_cast<std::size_t>(-1);

 public:
  DataFile(const std::string &path, std::string style, std::string units)
      : input_(path), style_(std::move(style)), units_(std::move(units)) {}

  std::vector<Table> read() {
    input_.skip_byte_order_mark();
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
    require_section("Atoms", "atoms");
    for (const DataSection &kind : data_sections) require_section(kind.section, kind.table);
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

  void require_section(const std::string &section, const std::string &what) const {
    const auto count = counts_.find(what);
    if (count == counts_.end() || count->second == 0 || sections_.count(section) != 0) return;
    throw Failure(ExitCode::corrupt, input_.name(),
                  fmt::format("the header says {} {}, and there is no section {}", count->second, what, section));
  }

  // Goes on to the next line with a name of a section. Rows of sections that are not read are passed.
  bool next_section() {
    for (std::string_view line; input_.line(line);) {
      const auto [text, comment] = split(line);
      if (text.empty()) continue;
      if (sections_.empty() && take_header(text)) continue;
      if (!begins_section(text)) {
        if (is_read_)  // all rows of the section are taken
          throw input_.bad_line(fmt::format("'{}' after the rows of the section {}, of which the header has {}", text,
                                            section_, counts_[counted_]));
        continue;
      }
      if (!sections_.insert(text).second) throw input_.bad_line(fmt::format("a second section {}", text));
      if (!is_section(text))
        print_note(printable(fmt::format("{}: the section {} is not known, and left out", input_.name(), text)));
      section_ = text;
      comment_ = comment;
      is_read_ = false;
      return true;
    }
    return false;
  }

  // A line of the header: numbers, and what they are.
  bool take_header(const std::string &text) {
    std::string_view rest = text;
    double number = 0;
    if (!parse_number(next_word(rest), number)) return false;
    const double first = number;
    std::string_view name = rest;
    std::size_t numbers = 1;
    for (; parse_number(next_word(rest), number); ++numbers) name = rest;
    const std::string what = joined(name);
    const std::size_t expected = is_count(what) ? 1 : numbers_of_header(what);
    if (expected != 0 && numbers != expected)
      throw input_.bad_line(fmt::format("'{}': {} where {} expected", text, counted(numbers, "number"),
                                        expected == 1 ? "1 is" : fmt::format("{} are", expected)));
    if (is_count(what)) {
      if (!is_integer(first) || first < 0) throw input_.bad_line(fmt::format("'{}' is no number of {}", text, what));
      const auto [known, is_new] = counts_.emplace(what, static_cast<std::int64_t>(first));
      if (!is_new && static_cast<double>(known->second) != first)
        throw input_.bad_line(fmt::format("'{}', and a line in front says {}", text, known->second));
    } else if (expected == 0) {
      print_note(printable(fmt::format("{}: '{}' in the header is not known, and left out", input_.name(), text)));
    }
    return true;
  }

  // A section begins with a capital letter and is followed by a blank line: rows may begin with a word, too.
  bool begins_section(const std::string &text) {
    const bool is_followed = split(input_.peek_line()).first.empty();
    if (is_section(text)) {
      if (!is_followed) throw input_.bad_line(fmt::format("the section {} needs a blank line after its name", text));
      return true;
    }
    const RowWords words = words_of(text);
    double number = 0;
    const bool has_numbers =
        std::any_of(words.begin(), words.end(), [&](std::string_view word) { return parse_number(word, number); });
    if (text[0] >= 'A' && text[0] <= 'Z' && is_followed && !has_numbers) return true;
    if (sections_.empty()) throw input_.bad_line(fmt::format("'{}' is no line of the header and no section", text));
    return false;
  }

  // Calls take(words) for each row of the section, of which there are as many as the header says, with the first of
  // `sizes` words or the second; unlimited: with more than the first, too.
  template <typename Take>
  void for_rows(const std::string &what, std::pair<std::size_t, std::size_t> sizes, const Take &take) {
    const auto count = counts_.find(what);
    if (count == counts_.end()) throw input_.bad_line(fmt::format("no line in front says how many {} there are", what));
    counted_ = what;
    is_read_ = true;
    std::string_view line;
    for (std::int64_t row = 0; row < count->second;) {
      if (!input_.line(line)) throw input_.ends_early(fmt::format("within the section {}", section_));
      const std::string text = split(line).first;
      if (text.empty()) {
        if (row == 0) continue;
        throw input_.bad_line(
            fmt::format("the section {} has fewer rows than the {} {} of the header", section_, count->second, what));
      }
      const RowWords words = words_of(text);
      const bool fits = sizes.second == unlimited ? words.size() >= sizes.first
                                                  : words.size() == sizes.first || words.size() == sizes.second;
      if (!fits) throw wrong_row(words.size(), sizes);
      take(words);
      ++row;
    }
  }

  Failure wrong_row(std::size_t words, std::pair<std::size_t, std::size_t> sizes) const {
    const std::string expected = sizes.first == sizes.second ? fmt::format("{}", sizes.first)
                                 : sizes.second == unlimited ? fmt::format("at least {}", sizes.first)
                                                             : fmt::format("{} or {}", sizes.first, sizes.second);
    return input_.bad_line(fmt::format("a row of {} with {} words where {} are expected{}", section_, words, expected,
                                       section_ == "Atoms" ? "; is it the right atom style?" : ""));
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
    for_rows("atom types", {2, 2}, [&](const RowWords &words) {
      mass_types_.words.emplace_back(words[0]);
      masses_.push_back(real(words[1]));
    });
  }

  void read_labels() {
    for_rows("atom types", {2, 2}, [&](const RowWords &words) {
      const std::int64_t type = integer(words[0]);
      if (type < 1 || type > counts_["atom types"]) throw input_.bad_line("an atom type that there is not");
      const std::string label(words[1]);
      if (!labels_.emplace(type, label).second || !type_of_label_.emplace(label, type).second)
        throw input_.bad_line(
            fmt::format("a second label of type {}, or a second type with the label {}", type, label));
    });
  }

  // The number of an atom type, which may be a label.
  std::int64_t type_number(std::string_view word) const {
    const auto labelled = type_of_label_.find(word);
    if (labelled != type_of_label_.end()) return labelled->second;
    const std::int64_t type = integer(word);
    const auto most = counts_.find("atom types");
    if (type < 1 || most == counts_.end() || type > most->second)
      throw input_.bad_line(
          fmt::format("{} is none of the atom types of the header; is it the right atom style?", type));
    return type;
  }

  const Style &style_of_atoms() const {
    const std::string name =
        without_suffix(style_.empty() ? comment_.substr(0, comment_.find_first_of(" \t")) : style_);
    const auto style = styles().find(name);
    if (style != styles().end()) return style->second;
    if (!style_.empty())
      throw Failure(ExitCode::usage, input_.name(), fmt::format("atom style '{}' is not known", name));
    throw Failure(
        ExitCode::usage, input_.name(),
        fmt::format("the line 'Atoms' does not name {}; give it, e.g. --atom-style full",
                    name.empty() ? "the atom style" : fmt::format("an atom style that is known: '{}'", name)));
  }

  void read_atoms() {
    const Style &style = style_of_atoms();
    const Texts &columns = style.columns;
    std::map<std::string, Integers> integers;
    std::map<std::string, Floats> floats;
    constexpr std::size_t point = 3;  // words of a position, and of image flags
    const std::pair<std::size_t, std::size_t> sizes =
        style.words == 0 ? std::pair(columns.size() + point, unlimited) : std::pair(style.words, style.words + point);
    for_rows("atoms", sizes, [&](const RowWords &words) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].empty()) continue;
        if (columns[c] == "q")
          floats["q"].push_back(real(words[c]));
        else if (columns[c] == "diameter")
          floats["radius"].push_back(real(words[c]) / 2);
        else
          integers[columns[c]].push_back(columns[c] == "type" ? type_number(words[c]) : integer(words[c]));
      }
      if (style.words != 0)  // numbers that are not read
        std::for_each(words.begin() + static_cast<std::ptrdiff_t>(columns.size()), words.end(),
                      [&](std::string_view word) { real(word); });
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
    for_rows(kind.table, {2 + kind.atoms, 2 + kind.atoms}, [&](const RowWords &words) {
      integer(words[0]);  // which is not read
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
  std::set<std::string> sections_;              // that were found
  std::string section_;                         // name of the one that was found last
  std::string comment_;                         // after it
  bool is_read_ = false;                        // whether its rows were taken
  std::string counted_;                         // in the header: what its rows are
  Types mass_types_;
  Floats masses_;
  std::map<std::int64_t, std::string> labels_;  // of atom types
  std::map<std::string, std::int64_t, std::less<>> type_of_label_;
  std::vector<Table> tables_;
};

}  // namespace

std::vector<Table> read_lammps_data(const std::string &path, const std::string &atom_style, const std::string &units) {
  return DataFile(path, atom_style, units).read();
}

void require_ids(const std::string &path, const std::vector<Table> &tables, const std::vector<std::int64_t> &ids) {
  const auto atoms =
      std::find_if(tables.begin(), tables.end(), [](const Table &table) { return table.name == "atoms"; });
  if (atoms == tables.end()) return;
  const auto &in_data = std::get<Integers>(atoms->column("id")->values);
  for (const std::int64_t id : ids)
    if (!std::binary_search(in_data.begin(), in_data.end(), id))
      throw Failure(ExitCode::different, path, fmt::format("has no atom with id {}, which is in the first frame", id));
}

}  // namespace gpz::tool
