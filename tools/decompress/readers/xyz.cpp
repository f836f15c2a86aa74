// SPDX-License-Identifier: BSD-3-Clause
// XYZ: number of particles, a comment, then name x y z. Extended XYZ: key=value pairs in the comment, of which
// Properties names the columns and Lattice is the box (readers/xyz_comment.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "gpz/tables.hpp"
#include "quantities.hpp"
#include "readers/box_check.hpp"
#include "readers/frame_source.hpp"
#include "readers/row_parser.hpp"
#include "readers/rows.hpp"
#include "readers/xyz_comment.hpp"

namespace gpz::tool {
namespace {

constexpr std::size_t most_numbers = 9;  // of a value that becomes observables
constexpr std::size_t longest_name = 200;

bool is_zero(const std::vector<double> &lattice, std::size_t edge) {
  return lattice[3 * edge] == 0 && lattice[3 * edge + 1] == 0 && lattice[3 * edge + 2] == 0;
}

// Three vectors and an origin in LAMMPS's simplest form.
Box box_of(const std::vector<double> &lattice, const std::array<double, 3> &origin) {
  Box box;
  bool restricted = lattice[1] == 0 && lattice[2] == 0 && lattice[5] == 0;
  for (std::size_t edge = 0; edge < 3; ++edge)
    restricted = restricted && (lattice[4 * edge] > 0 || is_zero(lattice, edge));
  if (!restricted) {
    box.kind = Box::Kind::general_triclinic;
    std::copy(lattice.begin(), lattice.end(), box.values.begin());
    std::copy(origin.begin(), origin.end(), box.values.begin() + 9);
    return box;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.values[2 * axis] = origin[axis];
    box.values[2 * axis + 1] = origin[axis] + lattice[4 * axis];
  }
  box.values[6] = lattice[3];
  box.values[7] = lattice[6];
  box.values[8] = lattice[7];
  const bool tilted = box.values[6] != 0 || box.values[7] != 0 || box.values[8] != 0;
  box.kind = tilted ? Box::Kind::triclinic : Box::Kind::orthogonal;
  return box;
}

// Edge vectors of lengths and angles, the first along x, the second in the plane of x and y.
std::vector<double> lattice_of(const std::array<double, 6> &cell) {
  const auto cosine = [&](std::size_t k) {
    constexpr double degrees = 57.295779513082320877;
    return cell[k] == 90 ? 0.0 : std::cos(cell[k] / degrees);
  };
  const double bc = cosine(3);
  const double ac = cosine(4);
  const double ab = cosine(5);
  const double sine = std::sqrt(1 - ab * ab);
  const double cy = (bc - ac * ab) / sine;
  return {cell[0],
          0,
          0,
          cell[1] * ab,
          cell[1] * sine,
          0,
          cell[2] * ac,
          cell[2] * cy,
          cell[2] * std::sqrt(std::max(0.0, 1 - ac * ac - cy * cy))};
}

class XyzSource final : public FrameSource {
 public:
  XyzSource(SourceInput input, const SourceOptions &options)
      : FrameSource(std::move(input)), threads_(options.threads), words_{WordNumbers(options.elements), WordNumbers()} {
    metadata_.elements = options.elements;
  }

  bool next(Frame &frame) override {
    frame.info = FrameInfo();
    std::string_view line;
    do {
      if (!input_->line(line)) {
        records_.clear();
        return false;
      }
    } while (line.find_first_not_of(" \t") == std::string_view::npos);
    std::int64_t particles = 0;
    if (!parse_number(next_word(line), particles) || particles < 0 || !next_word(line).empty())
      throw bad_line("expected the number of particles");
    if (!input_->line(line)) throw input_->ends_early(frame_name());

    frame.info.particles = static_cast<std::uint64_t>(particles);
    frame.info.timestep = static_cast<std::int64_t>(frames_);
    has_rows_ = particles > 0;
    records_.clear();
    const XyzComment comment = parse_extended_comment(line);
    const bool extended = is_extended(comment, line);
    if (extended)
      read_extended(comment, frame.info);
    else
      read_free(line, frame.info);
    std::vector<FileColumn> listed = columns(extended ? comment.find_of_frame("properties") : nullptr);
    if (listed != layout_.columns()) {
      const std::string problem = problem_of_columns(listed);
      if (!problem.empty()) throw bad_line("Properties: " + problem);
      layout_ = FrameLayout(std::move(listed));
    }
    if (metadata_.columns.empty()) metadata_.columns = layout_.names();
    layout_.apply(frame);
    read_rows(*input_, layout_, frame.info.particles, threads_, words_, frame_name(), frame);
    number_by_type(*input_, words_, frame, metadata_);
    ++frames_;
    return true;
  }

  bool is_xyz() const override { return true; }
  std::vector<StoredRecord> records() const override { return records_; }
  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const std::string &text : notes_) notes.push_back(input_->name() + ": " + text);
    if (!left_out_.empty())
      notes.push_back(fmt::format("{}: left out, as it is no number: {}", input_->name(), fmt::join(left_out_, ", ")));
    return notes;
  }

 private:
  std::string frame_name() const { return fmt::format("frame {}", frames_); }

  // An unreadable line may just be cut off.
  Failure bad_line(const std::string &reason) const {
    return input_->line_is_cut() ? input_->ends_early(frame_name()) : input_->bad_line(reason);
  }

  void leave_out(std::string what) {
    constexpr std::size_t most = 40;  // of different names in one note
    if (left_out_.size() < most && std::find(left_out_.begin(), left_out_.end(), what) == left_out_.end())
      left_out_.push_back(std::move(what));
  }
  void note(std::string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
  }

  void read_extended(const XyzComment &comment, FrameInfo &info) {
    if (!comment.problem.empty()) throw bad_line(comment.problem);
    std::map<std::pair<bool, std::string_view>, const XyzEntry *> first;
    for (const XyzEntry &entry : comment.entries) {
      const std::pair<bool, std::string_view> name(entry.of_frame, entry.of_frame ? entry.folded : entry.key);
      const XyzEntry &other = *first.emplace(name, &entry).first->second;
      if (other.text != entry.text || other.words != entry.words)
        throw bad_line(fmt::format("{} occurs twice, with different values: leave one of them out", entry.key));
    }
    // Beside a step, a timestep is the time between two.
    const XyzEntry *step = comment.find("step");
    if (step == nullptr) step = comment.find("timestep");
    if (step != nullptr && !parse_single(*step, info.timestep)) step = nullptr;
    const XyzEntry *time = comment.find("time");
    if (time != nullptr && !parse_single(*time, info.time)) time = nullptr;
    if (const XyzEntry *lattice = comment.find_of_frame("lattice")) read_lattice(comment, *lattice, info.box);
    read_boundary(comment, info.box);
    const std::array<char, 6> &boundary = info.box.boundary;
    if (info.box.kind == Box::Kind::none && std::find(boundary.begin(), boundary.end(), 'p') != boundary.end())
      note("pbc is left out: there is no Lattice");
    take_observables(comment, {step, time}, info.timestep);
  }

  void read_free(std::string_view line, FrameInfo &info) {
    const FreeComment comment = read_free_comment(line);
    if (comment.step) info.timestep = *comment.step;
    if (comment.time) info.time = *comment.time;
    if (!comment.cell) return;
    info.box = box_of(lattice_of(*comment.cell), {});
    info.box.boundary.fill('p');
    // Angles that no three vectors have.
    if (!box_problem(info.box).empty()) info.box = Box();
  }

  template <typename Number>
  static bool parse_single(const XyzEntry &entry, Number &number) {
    return !entry.bare && entry.words.size() == 1 && parse_number(std::string_view(entry.words[0]), number);
  }

  // Numbers of extended XYZ that belong to the whole frame, such as energy=-1.5 or stress="1 2 3 4 5 6 7 8 9": of
  // several numbers each by itself, as name[1], name[2], ... What else there is, is left out.
  void take_observables(const XyzComment &comment, const std::array<const XyzEntry *, 2> &used, std::int64_t timestep) {
    std::vector<Observable> observables;
    std::set<std::string> names;
    for (const XyzEntry &entry : comment.entries) {
      if (entry.of_frame || std::find(used.begin(), used.end(), &entry) != used.end()) continue;
      const std::vector<double> numbers = numbers_of(entry);
      if (numbers.empty() || numbers.size() > most_numbers || entry.key.empty() || entry.key.size() > longest_name) {
        leave_out(numbers.size() > most_numbers ? fmt::format("{} ({} numbers)", entry.key, numbers.size())
                                                : entry.key);
        continue;
      }
      const std::string unit = unit_in_extended_xyz(entry.key, numbers.size());
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const bool matrix = entry.shape[0] > 0 && unit.empty();
        std::string name = entry.key;
        if (matrix)
          name += fmt::format("[{},{}]", k / entry.shape[1] + 1, k % entry.shape[1] + 1);
        else if (numbers.size() > 1)
          name += fmt::format("[{}]", k + 1);
        if (names.insert(name).second)
          observables.push_back({std::move(name), unit, numbers[k]});
        else if (&entry == comment.find(entry.folded))
          throw bad_line(fmt::format("{} occurs twice: leave one of them out", name));
      }
    }
    if (observables.empty()) return;
    const bool same =
        std::equal(observables.begin(), observables.end(), named_.begin(), named_.end(),
                   [](const Observable &a, const Observable &b) { return a.name == b.name && a.unit == b.unit; });
    if (!same) {
      records_.push_back(tables_record({observables_table(observables)}));
      named_ = observables;
    }
    records_.push_back(observables_record(timestep, observables));
  }

  void read_lattice(const XyzComment &comment, const XyzEntry &entry, Box &box) const {
    const std::vector<double> lattice = numbers_of(entry);
    if (lattice.size() != 9) throw bad_line("Lattice is not 9 numbers");
    // The form that some programs write for molecules in free space.
    if (std::all_of(lattice.begin(), lattice.end(), [](double value) { return value == 0; })) return;
    std::array<double, 3> origin{};
    if (const XyzEntry *at = comment.find_of_frame("origin")) {
      const std::vector<double> numbers = numbers_of(*at);
      std::copy(numbers.begin(), numbers.end(), origin.begin());
    }
    box = box_of(lattice, origin);
    // A lattice is periodic along its vectors, unless pbc says otherwise.
    for (std::size_t edge = 0; edge < 3; ++edge)
      box.boundary[2 * edge] = box.boundary[2 * edge + 1] = is_zero(lattice, edge) ? 'f' : 'p';
  }

  void read_boundary(const XyzComment &comment, Box &box) const {
    if (const XyzEntry *pbc = comment.find_of_frame("pbc")) {
      if (pbc->words.size() != 3 && (pbc->words.size() != 1 || pbc->bare)) throw bad_line("pbc is not 3 flags");
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string &word = pbc->words[pbc->words.size() == 1 ? 0 : axis];
        std::optional<bool> periodic = logical_of(word);
        if (word == "0" || word == "1") periodic = word == "1";
        if (!periodic) throw bad_line(fmt::format("pbc: '{}' is neither T nor F", word));
        box.boundary[2 * axis] = box.boundary[2 * axis + 1] = *periodic ? 'p' : 'f';
      }
    }
    const std::string problem = box_problem(box);
    if (!problem.empty())
      throw bad_line(
          fmt::format("{}: {}. Give the Lattice of a box, or vectors of zeros in directions that are F in pbc",
                      frame_name(), problem));
  }

  // Particles are named by elements, or by numbers of types (what LAMMPS writes if it knows no elements): the first
  // particle of the file tells. Names next to a column of types are those of the types. `before`: the number of columns
  // before the name.
  FileColumn species(std::size_t before) {
    if (!named_by_number_ && has_rows_) {
      std::string_view row = input_->peek_line();
      for (std::size_t c = 0; c < before; ++c) next_word(row);
      std::int64_t number = 0;
      named_by_number_ = parse_number(next_word(row), number);
    }
    return named_by_number_.value_or(false) && !has_types_
               ? FileColumn{"type", ValueType::integer, Display::number}
               : FileColumn{"element", ValueType::integer, Display::element};
  }

  // Plain XYZ: a name and three coordinates. What some programs write after them has no names.
  std::vector<FileColumn> plain_columns() {
    has_types_ = false;
    std::vector<FileColumn> columns;
    columns.reserve(4);
    columns.push_back(species(0));
    for (const char *axis : {"x", "y", "z"}) columns.push_back({axis, ValueType::float64, Display::number});
    if (!has_rows_) return columns;
    std::string_view row = input_->peek_line();
    std::size_t words = 0;
    std::vector<std::string> kept;
    std::vector<std::string> texts;
    for (std::string_view word = next_word(row); !word.empty(); word = next_word(row)) {
      if (++words <= columns.size() && words <= 4) continue;
      FileColumn column{fmt::format("column{}", words), ValueType::float64, Display::number};
      double number = 0;
      column.left_out = !parse_number(word, number);
      (column.left_out ? texts : kept).push_back(column.name);
      columns.push_back(std::move(column));
    }
    constexpr const char *advice =
        "in the comment, Properties=species:S:1:pos:R:3:charge:R:1:vel:R:3 or the like gives names to columns";
    if (!kept.empty()) note(fmt::format("columns without names are called {}: {}", fmt::join(kept, ", "), advice));
    if (!texts.empty()) note(fmt::format("columns of text are left out: {}", fmt::join(texts, ", ")));
    return columns;
  }

  std::vector<FileColumn> columns(const XyzEntry *properties) {
    if (properties == nullptr) return plain_columns();
    std::vector<std::string> parts(1);
    for (const char c : properties->text)
      if (c == ':')
        parts.emplace_back();
      else
        parts.back() += c;
    if (parts.size() % 3 != 0) throw bad_line("Properties is no list of name:type:count");
    has_types_ = false;
    for (std::size_t i = 0; i < parts.size(); i += 3) has_types_ = has_types_ || parts[i] == "type";
    std::vector<FileColumn> columns;
    for (std::size_t i = 0; i < parts.size(); i += 3) add_property(parts[i], parts[i + 1], parts[i + 2], columns);
    return columns;
  }

  void add_property(const std::string &name, const std::string &type, const std::string &count,
                    std::vector<FileColumn> &columns) {
    std::int64_t components = 0;
    constexpr std::int64_t most_components = 1024;
    if (!parse_number(std::string_view(count), components) || components < 1 || components > most_components)
      throw bad_line(fmt::format("Properties: '{}' is no number of columns", count));
    if (name == "species" && type == "S" && components == 1) {
      columns.push_back(species(columns.size()));
      return;
    }
    if (name.empty() || (type != "R" && type != "I" && type != "L" && type != "S"))
      throw bad_line(fmt::format("Properties: {} has values of type {}; R, I, L and S are known", name, type));
    if (type == "S") leave_out(fmt::format("column {}", name));
    if (columns.size() + static_cast<std::size_t>(components) > most_columns)
      throw bad_line(fmt::format("Properties: more than {} columns", most_columns));
    for (std::int64_t c = 0; c < components; ++c) {
      FileColumn column;
      column.name = column_of(name, static_cast<std::size_t>(c), static_cast<std::size_t>(components));
      column.type = type == "R" ? ValueType::float64 : ValueType::integer;
      column.logical = type == "L";
      column.left_out = type == "S";
      columns.push_back(std::move(column));
    }
  }

  int threads_;
  Words words_;
  std::optional<bool> named_by_number_;
  bool has_rows_ = false;   // these two: the frame that is read
  bool has_types_ = false;  // a column called type
  FrameLayout layout_;      // of the frame before
  std::uint64_t frames_ = 0;
  std::vector<StoredRecord> records_;  // in front of the frame that is read
  std::vector<Observable> named_;      // the last ones whose names and units were written
  std::vector<std::string> left_out_;  // names
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<FrameSource> make_xyz_source(SourceInput input, const SourceOptions &options) {
  return std::make_unique<XyzSource>(std::move(input), options);
}

}  // namespace gpz::tool
