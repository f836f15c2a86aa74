// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <set>

#include "gpz/c/c_api.hpp"
#include "gpz/c/structures.hpp"
#include "gpz/chunk.hpp"

// Numbers are the same in C and C++.
static_assert(GPZ_OK == static_cast<int>(gpz::Status::ok) &&
              GPZ_INVALID_ARGUMENT == static_cast<int>(gpz::Status::invalid_argument) &&
              GPZ_IO_ERROR == static_cast<int>(gpz::Status::io_error) &&
              GPZ_NOT_GPZ == static_cast<int>(gpz::Status::not_gpz) &&
              GPZ_UNSUPPORTED_VERSION == static_cast<int>(gpz::Status::unsupported_version) &&
              GPZ_CORRUPT == static_cast<int>(gpz::Status::corrupt) &&
              GPZ_TRUNCATED == static_cast<int>(gpz::Status::truncated) &&
              GPZ_OUT_OF_MEMORY == static_cast<int>(gpz::Status::out_of_memory) &&
              GPZ_NOT_FOUND == static_cast<int>(gpz::Status::not_found) &&
              GPZ_LIMIT_EXCEEDED == static_cast<int>(gpz::Status::limit_exceeded) &&
              GPZ_INTERNAL == static_cast<int>(gpz::Status::internal) &&
              GPZ_UNSUPPORTED == static_cast<int>(gpz::Status::unsupported));
static_assert(GPZ_CHUNK_BLOCK == static_cast<int>(gpz::ChunkKind::block) &&
              GPZ_CHUNK_DIFFERENCE == static_cast<int>(gpz::ChunkKind::difference) &&
              GPZ_CHUNK_ORDERED == static_cast<int>(gpz::ChunkKind::ordered) &&
              GPZ_CHUNK_CELLS == static_cast<int>(gpz::ChunkKind::cells) &&
              GPZ_CHUNK_SEQUENCE == static_cast<int>(gpz::ChunkKind::sequence));
static_assert(GPZ_NUMBER == static_cast<int>(gpz::Display::number) &&
              GPZ_ELEMENT == static_cast<int>(gpz::Display::element) &&
              GPZ_TYPE_LABEL == static_cast<int>(gpz::Display::type_label));
static_assert(GPZ_BOX_NONE == static_cast<int>(gpz::Box::Kind::none) &&
              GPZ_BOX_ORTHOGONAL == static_cast<int>(gpz::Box::Kind::orthogonal) &&
              GPZ_BOX_TRICLINIC == static_cast<int>(gpz::Box::Kind::triclinic) &&
              GPZ_BOX_GENERAL == static_cast<int>(gpz::Box::Kind::general_triclinic));
static_assert(GPZ_ORDER_PLACE == static_cast<int>(gpz::Order::place) &&
              GPZ_ORDER_ID == static_cast<int>(gpz::Order::id) &&
              GPZ_ORDER_MEMORY == static_cast<int>(gpz::Order::memory) &&
              GPZ_ORDER_AUTO == static_cast<int>(gpz::Order::automatic));
static_assert(GPZ_EFFORT_FAST == static_cast<int>(gpz::Effort::fast) &&
              GPZ_EFFORT_STANDARD == static_cast<int>(gpz::Effort::standard) &&
              GPZ_EFFORT_DENSE == static_cast<int>(gpz::Effort::dense));
// tests/golden/test_coverage.py compares GPZ_FEATURE_ with gpz::feature.

// Structures must end without padding (structures.hpp).
template <class T, class Last>
constexpr bool ends_with(std::size_t offset) {
  return offset + sizeof(Last) == sizeof(T);
}
static_assert(ends_with<gpz_field, uint32_t>(offsetof(gpz_field, reserved2)) &&
              ends_with<gpz_output, uint32_t>(offsetof(gpz_output, reserved)) &&
              ends_with<gpz_frame, uint16_t>(offsetof(gpz_frame, since_key)) &&
              ends_with<gpz_metadata, double>(offsetof(gpz_metadata, reference_grid)) &&
              ends_with<gpz_scan, uint32_t>(offsetof(gpz_scan, reserved)) &&
              ends_with<gpz_read_options, uint32_t>(offsetof(gpz_read_options, reserved)) &&
              ends_with<gpz_column_info, double>(offsetof(gpz_column_info, step)));

namespace gpz::c {

std::vector<std::string> words_of(const char *names) {
  constexpr const char *blanks = " \t\n\v\f\r";
  std::vector<std::string> words;
  for (const char *at = names == nullptr ? "" : names + std::strspn(names, blanks); *at != '\0';) {
    const std::size_t length = std::strcspn(at, blanks);
    words.emplace_back(at, length);
    at += length + std::strspn(at + length, blanks);
  }
  return words;
}

namespace {

std::string text(const char *string) { return string == nullptr ? std::string() : std::string(string); }

std::vector<std::string> texts(const char *const *strings, std::size_t count, const char *cause) {
  require(strings != nullptr || count == 0, cause);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(text(strings[i]));
  return result;
}

// Throws invalid_argument with the name of the field.
void require_of(const gpz_field &field, bool condition, const char *cause) {
  if (!condition) throw Error(Status::invalid_argument, "field \"" + text(field.names) + "\": " + std::string(cause));
}
void require_of(const gpz_field &field, bool condition, const char *cause, const std::string &given) {
  if (!condition) require_of(field, false, (cause + (", not " + given)).c_str());
}
void require_of(const gpz_field &field, bool condition, const char *cause, int given) {
  if (!condition) require_of(field, false, cause, std::to_string(given));
}

std::string text_of(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::general).ptr};
}

Display display_of(const gpz_field &field) {
  const int display = number(field.display);
  require_of(field, display == GPZ_NUMBER || display == GPZ_ELEMENT || display == GPZ_TYPE_LABEL,
             "display is GPZ_NUMBER (0), GPZ_ELEMENT (2) or GPZ_TYPE_LABEL (4)", display);
  require_of(field, display == GPZ_NUMBER || value_type(field.type) == ValueType::integer,
             "display is for integers only");
  return static_cast<Display>(display);
}

}  // namespace

ConstArray::Type array_type(const gpz_type &type) {
  switch (number(type)) {
    case GPZ_INT32:
      return ConstArray::Type::int32;
    case GPZ_INT64:
      return ConstArray::Type::int64;
    case GPZ_FLOAT32:
      return ConstArray::Type::float32;
    case GPZ_FLOAT64:
      return ConstArray::Type::float64;
    default:
      throw Error(Status::invalid_argument,
                  "type is GPZ_INT32 (1), GPZ_INT64 (2), GPZ_FLOAT32 (3) or GPZ_FLOAT64 (4), not " +
                      std::to_string(number(type)));
  }
}

ValueType value_type(const gpz_type &type) {
  switch (array_type(type)) {
    case ConstArray::Type::float32:
      return ValueType::float32;
    case ConstArray::Type::float64:
      return ValueType::float64;
    case ConstArray::Type::int32:
    case ConstArray::Type::int64:
      break;
  }
  return ValueType::integer;
}

std::vector<gpz_field> taken_fields(const gpz_field *fields, std::size_t count) {
  return taken(fields, count, "gpz_field");
}

namespace {

bool is_bound(double x) { return x >= 0 && x <= std::numeric_limits<double>::max(); }

Origin origin_of(const gpz_field &field) {
  const bool is_given =
      field.origin_bound != 0 || field.origin_step != 0 || field.origin_error != 0 || field.origin_rounding != 0;
  require_of(field, field.reserved2 == 0, "reserved2 is not 0");
  if (!is_given) return {};
  require_of(field,
             is_bound(field.origin_bound) && is_bound(field.origin_step) && is_bound(field.origin_error) &&
                 is_bound(field.origin_rounding),
             "a member of its origin is not a finite number of at least 0");
  const ValueType type = value_type(field.type);
  require_of(field, type != ValueType::integer, "integers have no error, and no origin");
  const int origin = number(field.origin_type);
  require_of(field, origin == GPZ_FLOAT32 || origin == GPZ_FLOAT64, "origin_type is GPZ_FLOAT32 (3) or GPZ_FLOAT64 (4)",
             origin);
  return {field.origin_bound, field.origin_step, field.origin_error, field.origin_rounding,
          value_type(field.origin_type)};
}

}  // namespace

std::vector<FieldInput> unbounded_inputs(const std::vector<gpz_field> &fields, std::uint64_t particles) {
  std::vector<FieldInput> inputs;
  std::set<std::string> known;
  std::size_t column = 0;
  for (const gpz_field &from : fields) {
    const std::vector<std::string> names = words_of(from.names);
    require_of(from, !names.empty() && names.size() <= 3, "names: 1 to 3 names with blanks between them",
               std::to_string(names.size()));
    require_of(from, from.reserved == 0, "reserved is not 0");
    FieldInput input;
    input.field.type = value_type(from.type);
    input.field.display = display_of(from);
    input.field.leading = inputs.empty() && input.field.type != ValueType::integer;
    input.field.origin = origin_of(from);
    for (std::size_t c = 0; c < names.size(); ++c) {
      require_of(from, from.data[c] != nullptr || particles == 0, "data is a null pointer");
      require_of(from, from.stride != 0 || particles <= 1, "stride is 0");
      require(column <= 0xFFFF, "more than 65,536 columns");
      require_of(from, known.insert(names[c]).second, ("there are two columns of the name " + names[c]).c_str());
      input.field.components.push_back({names[c], static_cast<std::uint16_t>(column++)});
      input.components[c] = {from.data[c], from.stride, array_type(from.type)};
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

double given_bound(const gpz_field &field) {
  const int kind = number(field.bound_kind);
  require_of(field, kind == GPZ_LOSSLESS || kind == GPZ_ABSOLUTE || kind == GPZ_RELATIVE || kind == GPZ_AS_STORED,
             "bound_kind is GPZ_LOSSLESS (0), GPZ_ABSOLUTE (1), GPZ_RELATIVE (2) or GPZ_AS_STORED (3)", kind);
  require_of(
      field, kind == GPZ_AS_STORED || field.bound != 0 || field.origin_bound != 0 || field.origin_rounding == 0,
      "its values were rounded since they were read, so that they are not exact: bound_kind is GPZ_AS_STORED, or "
      "GPZ_ABSOLUTE with a bound");
  if (kind == GPZ_LOSSLESS || kind == GPZ_AS_STORED) {
    require_of(field, field.bound == 0,
               "it has a bound, and bound_kind is GPZ_LOSSLESS or GPZ_AS_STORED: set GPZ_ABSOLUTE or GPZ_RELATIVE");
    require_of(field, kind == GPZ_LOSSLESS || field.origin_bound > 0 || field.origin_rounding > 0,
               "bound_kind is GPZ_AS_STORED, and there is no origin with a bound: use gpz_set_origin");
    return kind == GPZ_AS_STORED ? field.origin_bound : 0;
  }
  require_of(field, is_bound(field.bound), "bound is a finite number of at least 0", text_of(field.bound));
  require_of(field, field.bound == 0 || value_type(field.type) != ValueType::integer,
             "integers are exact, and their bound is 0", text_of(field.bound));
  require_of(field, kind != GPZ_RELATIVE || field.bound < 1, "with GPZ_RELATIVE, bound is a fraction below 1",
             text_of(field.bound));
  return field.bound;
}

FrameInfo frame_info(const gpz_frame *given) {
  const gpz_frame frame = taken(given, "gpz_frame");
  const int kind = number(frame.box_kind);
  require(frame.dimension == 2 || frame.dimension == 3, "dimension of a frame is 2 or 3", frame.dimension);
  require(kind >= GPZ_BOX_NONE && kind <= GPZ_BOX_GENERAL, "box_kind of a frame is a gpz_box_kind from 0 to 3", kind);
  FrameInfo info;
  info.particles = frame.particles;
  info.timestep = frame.timestep;
  info.time = frame.time;
  info.box.dimension = static_cast<std::uint8_t>(frame.dimension);
  info.box.kind = static_cast<Box::Kind>(kind);
  std::copy(std::begin(frame.boundary), std::end(frame.boundary), info.box.boundary.begin());
  std::copy(std::begin(frame.box), std::end(frame.box), info.box.values.begin());
  return info;
}

Metadata metadata_of(const gpz_metadata *given) {
  Metadata to;
  if (given == nullptr) return to;
  const gpz_metadata from = taken(given, "gpz_metadata");
  to.generator = text(from.generator);
  to.units = text(from.units);
  to.atom_style = text(from.atom_style);
  to.command = text(from.command);
  to.columns = texts(from.columns, from.column_count, "columns is a null pointer");
  to.elements = texts(from.elements, from.element_count, "elements is a null pointer");
  to.type_labels = texts(from.type_labels, from.type_label_count, "type_labels is a null pointer");
  to.timestep_size = from.timestep_size;
  require(from.reserved == 0, "reserved of gpz_metadata is not 0");
  to.features = from.features;
  to.reference = text(from.reference);
  to.reference_grid = from.reference_grid;
  return to;
}

ReadChoice read_choice(const gpz_read_options *given) {
  const gpz_read_options options = taken(given, "gpz_read_options");
  check_threads(options.threads);
  require(options.reserved == 0, "reserved of gpz_read_options is not 0");
  ReadChoice choice;
  choice.threads = options.threads;
  choice.limits.memory = options.max_memory;
  return choice;
}

void check_threads(int threads) { require(threads >= 0, "threads is a number from 0 (all cores) up", threads); }

}  // namespace gpz::c
