// SPDX-License-Identifier: BSD-3-Clause
#include "writers/lammps_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "commands.hpp"
#include "exit_code.hpp"
#include "positions.hpp"
#include "writers/row_text.hpp"

namespace gpz::tool {
namespace {

using Integers = std::vector<std::int64_t>;
using Floats = std::vector<double>;
using Texts = std::vector<std::string>;

struct TopologyKind {
  const char *table;
  const char *section;
  const char *one;
  std::size_t atoms;
};
constexpr std::array<TopologyKind, 4> topology_kinds = {{{"bonds", "Bonds", "bond", 2},
                                                         {"angles", "Angles", "angle", 3},
                                                         {"dihedrals", "Dihedrals", "dihedral", 4},
                                                         {"impropers", "Impropers", "improper", 4}}};

// Rows of text that are written before they fill the memory.
constexpr std::size_t rows_of_block = 65536;

class DataWriter {
 public:
  DataWriter(OutputFile &out, Frame &frame, const std::vector<Table> &tables, const Metadata &metadata,
             const std::string &input)
      : out_(out), frame_(frame), tables_(tables), metadata_(metadata), input_(input) {}

  Texts write() {
    to_cartesian(frame_, input_);
    rows_ = static_cast<std::size_t>(frame_.info.particles);
    ids_ = integers_of_frame("id");
    types_ = integers_of_frame("type");
    if (ids_ == nullptr) refuse("the frame has no ids");
    for (std::size_t i = 0; i < rows_; ++i) row_of_id_.emplace((*ids_)[i], i);
    find_columns();
    for (const TopologyKind &kind : topology_kinds) topology_.push_back(find_topology(kind));
    write_head();
    write_masses();
    write_atoms();
    write_velocities();
    for (std::size_t k = 0; k < topology_kinds.size(); ++k) write_topology(topology_kinds[k], topology_[k]);
    return notes_;
  }

 private:
  struct Topology {
    Integers types;
    std::vector<Integers> atoms;
    Texts labels;  // of types 1, 2, ..., if types have names
    std::int64_t most_type = 0;
  };

  [[noreturn]] void refuse(const std::string &cause) const { throw Failure(ExitCode::usage, input_, cause); }

  const Table *table(const std::string &name) const {
    const auto at =
        std::find_if(tables_.begin(), tables_.end(), [&](const Table &table) { return table.name == name; });
    return at == tables_.end() ? nullptr : &*at;
  }
  template <typename Values>
  static const Values *values_of(const Table *table, const std::string &name) {
    const TableColumn *const column = table == nullptr ? nullptr : table->column(name);
    return column == nullptr ? nullptr : std::get_if<Values>(&column->values);
  }
  const Integers *integers_of_frame(const std::string &name) const {
    const Frame::Column *const column = frame_.find(name);
    return column == nullptr || column->integers.size() != rows_ ? nullptr : &column->integers;
  }

  // Those of the frame, or those of the table of atoms; empty if there are none. Atoms that the table lacks have 0.
  template <typename Values>
  Values column(const std::string &name, Values Frame::Column::*of_frame) {
    const Frame::Column *const column = frame_.find(name);
    if (column != nullptr && (column->*of_frame).size() == rows_) return column->*of_frame;
    const Table *const atoms = table("atoms");
    const auto *const ids = values_of<Integers>(atoms, "id");
    const auto *const values = values_of<Values>(atoms, name);
    if (ids == nullptr || values == nullptr) return {};
    Values found(rows_);
    std::size_t known = 0;
    for (std::size_t row = 0; row < ids->size(); ++row) {
      const auto at = row_of_id_.find((*ids)[row]);
      if (at == row_of_id_.end()) continue;
      found[at->second] = (*values)[row];
      ++known;
    }
    if (known < rows_) notes_.push_back(fmt::format("{} of {} atoms have no {}: it is 0", rows_ - known, rows_, name));
    return found;
  }

  void find_columns() {
    molecules_ = column("mol", &Frame::Column::integers);
    charges_ = column("q", &Frame::Column::floats);
    if (types_ == nullptr) {
      table_types_ = column("type", &Frame::Column::integers);
      if (table_types_.empty()) refuse("neither the frame nor a table has the types of atoms");
      types_ = &table_types_;
    }
    const bool has_bonds = std::any_of(topology_kinds.begin(), topology_kinds.end(),
                                       [&](const TopologyKind &kind) { return table(kind.table) != nullptr; });
    if (has_bonds && molecules_.empty()) molecules_.resize(rows_);
    static const Texts same = {"atomic", "charge", "full", "molecular", "angle", "bond"};
    style_ = !molecules_.empty() ? (charges_.empty() ? "molecular" : "full") : charges_.empty() ? "atomic" : "charge";
    if (!metadata_.atom_style.empty() && std::find(same.begin(), same.end(), metadata_.atom_style) == same.end())
      notes_.push_back(
          fmt::format("atoms are of style {}, those of the run were of style {}", style_, metadata_.atom_style));
  }

  Topology find_topology(const TopologyKind &kind) const {
    Topology found;
    const Table *const from = table(kind.table);
    if (from == nullptr) return found;
    std::vector<const Integers *> atoms;
    for (std::size_t k = 0; k < kind.atoms; ++k) {
      atoms.push_back(values_of<Integers>(from, fmt::format("atom{}", k + 1)));
      if (atoms.back() == nullptr) refuse(fmt::format("the table {} lacks a column of atoms", kind.table));
    }
    const auto *const numbers = values_of<Integers>(from, "type");
    const auto *const names = values_of<Texts>(from, "type");
    found.atoms.resize(kind.atoms);
    std::unordered_map<std::string, std::int64_t> number_of;
    for (std::size_t row = 0; row < from->rows(); ++row) {
      std::int64_t type = numbers != nullptr ? (*numbers)[row] : 1;
      if (names != nullptr) {
        const auto [at, is_new] = number_of.emplace((*names)[row], static_cast<std::int64_t>(number_of.size()) + 1);
        if (is_new) found.labels.push_back((*names)[row]);
        type = at->second;
      }
      found.most_type = std::max(found.most_type, checked(type));
      if (!std::all_of(atoms.begin(), atoms.end(),
                       [&](const Integers *column) { return row_of_id_.count((*column)[row]) != 0; }))
        continue;
      found.types.push_back(type);
      for (std::size_t k = 0; k < kind.atoms; ++k) found.atoms[k].push_back((*atoms[k])[row]);
    }
    return found;
  }

  void write_head() {
    const Box &box = frame_.info.box;
    if (box.kind == Box::Kind::none) refuse("the frame has no box");
    if (box.kind == Box::Kind::general_triclinic)
      refuse("the box is general triclinic: read_data has no such boxes in all versions of LAMMPS");
    // `units = ` as in files by write_data.
    std::string text = fmt::format("LAMMPS data file by {}, timestep = {}", program_version, frame_.info.timestep);
    if (!metadata_.units.empty()) text += fmt::format(", units = {}", printable(metadata_.units));
    text += fmt::format("\n\n{} atoms\n", rows_);
    for (const std::int64_t type : *types_) most_type_ = std::max(most_type_, checked(type));
    if (const auto *const known = values_of<Integers>(table("types"), "type"))
      for (const std::int64_t type : *known) most_type_ = std::max(most_type_, checked(type));
    text += fmt::format("{} atom types\n", most_type_);
    for (std::size_t k = 0; k < topology_kinds.size(); ++k) {
      if (table(topology_kinds[k].table) == nullptr) continue;
      text += fmt::format("{} {}\n{} {} types\n", topology_[k].types.size(), topology_kinds[k].table,
                          topology_[k].most_type, topology_kinds[k].one);
    }
    const auto &v = box.values;
    text += fmt::format("\n{} {} xlo xhi\n{} {} ylo yhi\n{} {} zlo zhi\n", v[0], v[1], v[2], v[3], v[4], v[5]);
    if (box.kind == Box::Kind::triclinic) text += fmt::format("{} {} {} xy xz yz\n", v[6], v[7], v[8]);
    for (std::size_t k = 0; k < topology_kinds.size(); ++k) {
      if (topology_[k].labels.empty()) continue;
      std::string name = topology_kinds[k].one;
      name[0] = static_cast<char>(name[0] - 'a' + 'A');
      text += fmt::format("\n{} Type Labels\n\n", name);
      for (std::size_t t = 0; t < topology_[k].labels.size(); ++t)
        text += fmt::format("{} {}\n", t + 1, printable(topology_[k].labels[t]));
    }
    out_.write(text);
  }

  // LAMMPS has types as int.
  std::int64_t checked(std::int64_t type) const {
    if (type < 1 || type > INT32_MAX) refuse(fmt::format("LAMMPS has no type {}", type));
    return type;
  }

  void write_masses() {
    const auto *const types = values_of<Integers>(table("types"), "type");
    const auto *const masses = values_of<Floats>(table("types"), "mass");
    std::map<std::int64_t, double> of_type;
    if (types != nullptr && masses != nullptr)
      for (std::size_t row = 0; row < types->size(); ++row)
        if ((*masses)[row] > 0) of_type[(*types)[row]] = (*masses)[row];
    if (of_type.size() != static_cast<std::size_t>(most_type_)) {
      notes_.emplace_back("not all masses are known: the input script has to set them");
      return;
    }
    std::string text = "\nMasses\n\n";
    for (const auto &[type, mass] : of_type) text += fmt::format("{} {}\n", type, mass);
    out_.write(text);
  }

  static ColumnText of(const Integers &values) {
    ColumnText column;
    column.kind = ColumnText::Kind::integer;
    column.integers = values.data();
    return column;
  }
  static ColumnText of(const Floats &values) {
    ColumnText column;
    column.kind = ColumnText::Kind::shortest_float64;
    column.floats = values.data();
    return column;
  }

  void write_rows(const std::string &title, const std::vector<ColumnText> &columns, std::size_t rows) {
    if (rows == 0) return;
    out_.write(fmt::format("\n{}\n\n", title));
    for (std::size_t first = 0; first < rows; first += rows_of_block) {
      std::string text;
      append_rows(text, columns, {}, first, std::min(rows, first + rows_of_block));
      out_.write(text);
    }
  }

  void write_atoms() {
    std::vector<ColumnText> columns{of(*ids_)};
    if (!molecules_.empty()) columns.push_back(of(molecules_));
    columns.push_back(of(*types_));
    if (!charges_.empty()) columns.push_back(of(charges_));
    const auto positions = find_positions(frame_);
    if (!positions) refuse("the frame has no positions");
    for (const std::optional<std::size_t> &column : positions->columns)
      columns.push_back(column ? of(frame_.columns[*column].floats) : constant_column("0"));
    const std::array<const Integers *, 3> images = {integers_of_frame("ix"), integers_of_frame("iy"),
                                                    integers_of_frame("iz")};
    if (positions->all(PositionForm::wrapped) &&
        std::all_of(images.begin(), images.end(), [](auto *p) { return p != nullptr; }))
      for (const Integers *const image : images) columns.push_back(of(*image));
    write_rows(fmt::format("Atoms # {}", style_), columns, rows_);
  }

  void write_velocities() {
    std::vector<ColumnText> columns{of(*ids_)};
    for (const char *const name : {"vx", "vy", "vz"}) {
      const Frame::Column *const column = frame_.find(name);
      if (column == nullptr || column->floats.size() != rows_) {
        notes_.emplace_back("the frame has no velocities: the input script has to create them");
        return;
      }
      columns.push_back(of(column->floats));
    }
    write_rows("Velocities", columns, rows_);
  }

  void write_topology(const TopologyKind &kind, const Topology &topology) {
    Integers numbers(topology.types.size());
    for (std::size_t row = 0; row < numbers.size(); ++row) numbers[row] = static_cast<std::int64_t>(row) + 1;
    std::vector<ColumnText> columns{of(numbers), of(topology.types)};
    for (const Integers &atoms : topology.atoms) columns.push_back(of(atoms));
    write_rows(kind.section, columns, numbers.size());
  }

  OutputFile &out_;
  Frame &frame_;
  const std::vector<Table> &tables_;
  const Metadata &metadata_;
  const std::string &input_;
  std::size_t rows_ = 0;
  const Integers *ids_ = nullptr;
  const Integers *types_ = nullptr;
  std::unordered_map<std::int64_t, std::size_t> row_of_id_;
  Integers molecules_, table_types_;
  Floats charges_;
  std::string style_;
  std::int64_t most_type_ = 1;
  std::vector<Topology> topology_;  // of each of `topology_kinds`
  Texts notes_;
};

}  // namespace

std::vector<std::string> write_lammps_data(OutputFile &out, Frame frame, const std::vector<Table> &tables,
                                           const Metadata &metadata, const std::string &input) {
  return DataWriter(out, frame, tables, metadata, input).write();
}

}  // namespace gpz::tool
