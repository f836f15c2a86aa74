#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "gpz/c/c_api.hpp"
#include "gpz/chunk.hpp"

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
              GPZ_CHUNK_ORDERED == static_cast<int>(gpz::ChunkKind::ordered));

namespace {

std::vector<std::string> split(const char *names) {
  std::istringstream stream(names == nullptr ? std::string() : std::string(names));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

namespace gpz::c {

ConstArray::Type array_type(gpz_type type) {
  switch (type) {
    case GPZ_INT32:
      return ConstArray::Type::int32;
    case GPZ_INT64:
      return ConstArray::Type::int64;
    case GPZ_FLOAT32:
      return ConstArray::Type::float32;
    case GPZ_FLOAT64:
      return ConstArray::Type::float64;
  }
  throw Error(Status::invalid_argument, "unknown type of a field");
}

ValueType value_type(gpz_type type) {
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

std::vector<FieldInput> unbounded_inputs(const gpz_field *fields, std::size_t count, std::uint64_t particles) {
  require(fields != nullptr || count == 0, "fields is a null pointer");
  std::vector<FieldInput> inputs;
  std::set<std::string> known;
  std::size_t column = 0;
  for (std::size_t f = 0; f < count; ++f) {
    const gpz_field &from = fields[f];
    const std::vector<std::string> names = split(from.names);
    require(!names.empty() && names.size() <= 3, "a field has 1 to 3 names");
    FieldInput input;
    input.field.type = value_type(from.type);
    input.field.leading = f == 0 && input.field.type != ValueType::integer;
    for (std::size_t c = 0; c < names.size(); ++c) {
      require(from.data[c] != nullptr || particles == 0, "data of a field is a null pointer");
      require(from.stride != 0 || particles <= 1, "the stride of a field is 0");
      require(column <= 0xFFFF, "more than 65,536 columns");
      require(known.insert(names[c]).second, "two columns have the same name");
      input.field.components.push_back({names[c], static_cast<std::uint16_t>(column++)});
      input.components[c] = {from.data[c], from.stride, array_type(from.type)};
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

double given_bound(const gpz_field &field) {
  if (field.bound_kind == GPZ_LOSSLESS) return 0;
  require(field.bound_kind == GPZ_ABSOLUTE || field.bound_kind == GPZ_RELATIVE, "unknown kind of bound");
  require(value_type(field.type) != ValueType::integer, "integers have no bound");
  require(field.bound > 0 && field.bound <= std::numeric_limits<double>::max(), "a bound is not positive and finite");
  return field.bound;
}

FrameInfo frame_info(const gpz_frame &frame) {
  require(frame.dimension == 2 || frame.dimension == 3, "the dimension is not 2 or 3");
  require(frame.box_kind >= GPZ_BOX_NONE && frame.box_kind <= GPZ_BOX_GENERAL, "unknown kind of box");
  FrameInfo info;
  info.particles = frame.particles;
  info.timestep = frame.timestep;
  info.time = frame.time;
  info.box.dimension = static_cast<std::uint8_t>(frame.dimension);
  info.box.kind = static_cast<Box::Kind>(frame.box_kind);
  std::copy(std::begin(frame.boundary), std::end(frame.boundary), info.box.boundary.begin());
  std::copy(std::begin(frame.box), std::end(frame.box), info.box.values.begin());
  return info;
}

}  // namespace gpz::c
