// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the golden files need of the library: files of frames that data.py describes, frame arrays that
// array_data.py describes, and what is in them.
//
//   golden_codec encode SOURCE.json FILE THREADS [INSTRUCTION-SET]   writes a file; prints the instruction set that was
//   used golden_codec decode FILE [stream]   prints one JSON object for the file and one for each frame, a line each;
//   the line
//                                       of a frame is followed by the bytes of its columns. From a stream without
//                                       tables and observables
//   golden_codec encode-array SOURCE.json FILE THREADS [INSTRUCTION-SET]   the same of a frame array
//   golden_codec decode-array FILE      prints one line with a JSON object, and behind it the bytes of the array
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../unit/limit_instruction_set.hpp"
#include "gpz/error.hpp"
#include "gpz/format/chunk_kinds.hpp"
#include "gpz/format/codings.hpp"
#include "gpz/frame_array.hpp"
#include "gpz/kernels/kernels.hpp"
#include "gpz/reader.hpp"
#include "gpz/tables.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace {

using nlohmann::json;

gpz::ValueType type_named(const std::string &name) {
  if (name == "i64") return gpz::ValueType::integer;
  return name == "f32" ? gpz::ValueType::float32 : gpz::ValueType::float64;
}

std::size_t size_of(gpz::ValueType type) { return type == gpz::ValueType::float32 ? 4 : 8; }

gpz::ConstArray::Type array_type(gpz::ValueType type) {
  switch (type) {
    case gpz::ValueType::integer:
      return gpz::ConstArray::Type::int64;
    case gpz::ValueType::float32:
      return gpz::ConstArray::Type::float32;
    default:
      return gpz::ConstArray::Type::float64;
  }
}

// Of values of this size, as a file holds them.
std::vector<std::uint8_t> bytes_of_bits(const json &values, std::size_t size) {
  std::vector<std::uint8_t> bytes;
  for (const json &value : values) {
    const auto bits = value.get<std::uint64_t>();
    const auto *start = reinterpret_cast<const std::uint8_t *>(&bits);  // little-endian machines only
    bytes.insert(bytes.end(), start, start + size);
  }
  return bytes;
}

// The fields of a frame, and their values, which the fields point to.
struct Columns {
  std::vector<std::vector<std::uint8_t>> bytes;  // moved, not copied, when there are more
  std::vector<gpz::FieldInput> fields;

  explicit Columns(const json &described) {
    std::uint16_t column = 0;
    for (const json &field : described) {
      gpz::FieldInput &input = fields.emplace_back();
      input.field.type = type_named(field["type"]);
      input.field.display = static_cast<gpz::Display>(field["display"].get<int>());
      input.field.leading = field["leading"];
      input.field.bound = field["bound"];
      input.field.step = field["step"];
      const std::size_t size = size_of(input.field.type);
      for (std::size_t d = 0; d < field["names"].size(); ++d) {
        input.field.components.push_back({field["names"][d], column++});
        std::vector<std::uint8_t> &values = bytes.emplace_back(bytes_of_bits(field["bits"][d], size));
        input.components[d] = {values.data(), static_cast<std::ptrdiff_t>(size), array_type(input.field.type)};
      }
    }
  }

  // Of rows `start` and following.
  std::vector<gpz::FieldInput> from(std::size_t start) const {
    std::vector<gpz::FieldInput> result = fields;
    for (gpz::FieldInput &input : result)
      for (gpz::ConstArray &array : input.components)
        if (array.data) array.data = static_cast<const std::uint8_t *>(array.data) + start * size_of(input.field.type);
    return result;
  }
};

gpz::Box box_of(const json &described) {
  gpz::Box box;
  box.kind = static_cast<gpz::Box::Kind>(described["kind"].get<int>());
  box.dimension = described["dimension"];
  const std::string boundary = described["boundary"];
  for (std::size_t i = 0; i < boundary.size(); ++i) box.boundary[i] = boundary[i];
  box.values = described["values"].get<std::array<double, 12>>();
  return box;
}

gpz::FrameInfo info_of(const json &frame) {
  gpz::FrameInfo info;
  info.particles = frame["particles"];
  info.timestep = frame["timestep"];
  if (!frame["time"].is_null()) info.time = frame["time"];
  info.box = box_of(frame["box"]);
  return info;
}

gpz::Metadata metadata_of(const json &described) {
  gpz::Metadata metadata;
  metadata.generator = described.value("generator", "");
  metadata.units = described.value("units", "");
  metadata.atom_style = described.value("atom_style", "");
  metadata.command = described.value("command", "");
  metadata.columns = described.value("columns", std::vector<std::string>{});
  metadata.elements = described.value("elements", std::vector<std::string>{});
  metadata.type_labels = described.value("type_labels", std::vector<std::string>{});
  metadata.timestep_size = described.value("timestep_size", 0.0);
  return metadata;
}

bool has_ids(const json &described) {
  for (const json &frame : described["frames"])
    for (const json &field : frame["fields"])
      if (field["names"][0] == "id") return true;
  return false;
}

// Frames of several chunks: each chunk has an encoder of its own, as MPI ranks have.
void write_chunks(gpz::Writer &writer, std::vector<gpz::TrajectoryEncoder> &encoders, gpz::FrameInfo info,
                  const Columns &columns, const std::vector<std::size_t> &sizes) {
  std::vector<gpz::EncodedChunk> chunks(sizes.size());
  std::size_t start = 0;
  for (std::size_t c = 0; c < sizes.size(); start += sizes[c++])
    encoders[c].encode(columns.from(start), sizes[c], nullptr, info.box, info.since_key == 0, chunks[c]);
  for (const gpz::FieldInput &input : columns.fields) info.fields.push_back(input.field);
  writer.write(info, chunks);
}

double double_of(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::string bytes_of_hex(const std::string &hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string hex_of(const std::string &bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += digits[static_cast<unsigned char>(byte) >> 4];
    hex += digits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

gpz::TableColumn column_of(const json &described) {
  gpz::TableColumn column{described["name"], described["unit"], {}};
  const json &values = described["values"];
  if (described["type"] == "i64") {
    std::vector<std::int64_t> integers;
    for (const json &value : values) integers.push_back(static_cast<std::int64_t>(value.get<std::uint64_t>()));
    column.values = integers;
  } else if (described["type"] == "f64") {
    std::vector<double> floats;
    for (const json &value : values) floats.push_back(double_of(value));
    column.values = floats;
  } else {
    std::vector<std::string> texts;
    for (const json &value : values) texts.push_back(bytes_of_hex(value));
    column.values = texts;
  }
  return column;
}

// A record for each list of tables.
void write_tables(gpz::Writer &writer, const json &records) {
  for (const json &record : records) {
    std::vector<gpz::Table> tables;
    for (const json &described : record) {
      gpz::Table &table = tables.emplace_back();
      table.name = described["name"];
      for (const json &column : described["columns"]) table.columns.push_back(column_of(column));
    }
    writer.write(tables);
  }
}

std::vector<gpz::Observable> observables_of(const json &described) {
  std::vector<gpz::Observable> observables;
  for (const json &one : described) observables.push_back({one[0], one[1], double_of(one[2])});
  return observables;
}

gpz::Effort effort_named(const std::string &name) {
  return name == "dense" ? gpz::Effort::dense : name == "default" ? gpz::Effort::standard : gpz::Effort::fast;
}

json read_json(const std::string &path) {
  std::ifstream stream(path);
  return json::parse(stream);
}

void encode(const std::string &source, const std::string &path, int threads) {
  const json described = read_json(source);
  const unsigned key_interval = described["key_interval"];
  const auto order = described["order"] == "id"       ? gpz::Order::id
                     : described["order"] == "memory" ? gpz::Order::memory
                                                      : gpz::Order::place;
  const gpz::Effort effort = effort_named(described["effort"]);
  const std::size_t chunks = described["chunks"];

  // A file that is continued keeps the features of its header: those that there were when the golden file was made.
  const std::uint32_t features = described["features"];
  gpz::Metadata metadata = metadata_of(described["metadata"]);
  metadata.features = gpz::features_of(effort, order, has_ids(described)) & features;
  gpz::Writer(path, metadata).close();
  gpz::Writer writer(path, metadata, gpz::Writer::Mode::append, threads);
  std::vector<gpz::TrajectoryEncoder> encoders;
  for (std::size_t c = 0; c < chunks; ++c) {
    encoders.emplace_back(threads).set_order(order);
    encoders.back().set_effort(effort, metadata.features);
  }
  if (chunks == 1) writer.set_key_interval(key_interval);
  writer.set_order(order);
  writer.set_effort(effort);
  unsigned number = 0;
  for (const json &frame : described["frames"]) {
    write_tables(writer, frame["tables"]);
    if (!frame["observables"].empty()) writer.write(frame["timestep"], observables_of(frame["observables"]));
    gpz::FrameInfo info = info_of(frame);
    const Columns columns(frame["fields"]);
    if (chunks == 1) {
      writer.write(info, columns.fields);
    } else {
      info.since_key = static_cast<std::uint16_t>(number++ % key_interval);
      write_chunks(writer, encoders, info, columns, frame["sizes"]);
    }
  }
  write_tables(writer, described["tables"]);
  writer.close();
  std::printf("%s\n", gpz::codec::kernels().name);
}

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

template <class Values>
std::vector<std::uint64_t> all_bits(const Values &values) {
  std::vector<std::uint64_t> bits;
  bits.reserve(values.size());
  for (const double value : values) bits.push_back(bits_of(value));
  return bits;
}

// A frame with the keys of describe_frame of decoders.py. Floating-point numbers as their bits.
json describe(const gpz::FrameInfo &info) {
  json fields = json::array();
  for (const gpz::Field &field : info.fields) {
    json names = json::array(), columns = json::array();
    for (const gpz::Field::Component &component : field.components) {
      names.push_back(component.name);
      columns.push_back(component.column);
    }
    fields.push_back({{"type", static_cast<int>(field.type)},
                      {"flags", static_cast<int>(field.display) | (field.leading ? 1 : 0)},
                      {"bound", bits_of(field.bound)},
                      {"step", bits_of(field.step)},
                      {"largest_error", bits_of(field.largest_error)},
                      {"names", names},
                      {"columns", columns}});
  }
  std::string boundary;
  for (const char c : info.box.boundary) boundary += c ? c : '?';
  return {{"particles", info.particles},
          {"timestep", info.timestep},
          {"time", bits_of(info.time)},
          {"dimension", info.box.dimension},
          {"box_kind", static_cast<int>(info.box.kind)},
          {"boundary", boundary},
          {"box", all_bits(info.box.values)},
          {"since_key", info.since_key},
          {"fields", fields}};
}

template <typename T>
void print(const std::vector<T> &values) {
  if (!values.empty()) std::fwrite(values.data(), sizeof(T), values.size(), stdout);
}

void print_columns(const gpz::Frame &frame) {
  for (const gpz::Frame::Column &column : frame.columns) {
    if (frame.info.fields[column.field].type == gpz::ValueType::float32) {
      print(std::vector<float>(column.floats.begin(), column.floats.end()));
    } else {
      print(column.floats);
      print(column.integers);
    }
  }
}

// The bytes that a digest covers: numbers as 64 bits; of each text its length as u32, and its bytes.
std::string data_of(const gpz::TableColumn &column) {
  std::string data;
  if (const auto *const texts = std::get_if<std::vector<std::string>>(&column.values)) {
    for (const std::string &text : *texts) {
      const auto length = static_cast<std::uint32_t>(text.size());
      data.append(reinterpret_cast<const char *>(&length), sizeof length) += text;
    }
  } else if (const auto *const floats = std::get_if<std::vector<double>>(&column.values)) {
    for (const double value : *floats) data.append(reinterpret_cast<const char *>(&value), sizeof value);
  } else {
    for (const std::int64_t value : std::get<std::vector<std::int64_t>>(column.values))
      data.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  return data;
}

json describe(const std::vector<gpz::Table> &tables) {
  constexpr const char *types[] = {"i64", "f64", "text"};
  json result = json::array();
  for (const gpz::Table &table : tables) {
    json columns = json::array();
    for (const gpz::TableColumn &column : table.columns)
      columns.push_back({{"name", column.name},
                         {"type", types[column.values.index()]},
                         {"unit", column.unit},
                         {"data", hex_of(data_of(column))}});
    result.push_back({{"name", table.name}, {"rows", table.rows()}, {"columns", columns}});
  }
  return result;
}

json describe(const std::vector<gpz::Observable> &observables) {
  json result = json::array();
  for (const gpz::Observable &one : observables) result.push_back({one.name, one.unit, bits_of(one.value)});
  return result;
}

void print_frame(const gpz::Frame &frame, const std::vector<gpz::Table> &tables = {},
                 const std::vector<gpz::Observable> &observables = {}) {
  json described = describe(frame.info);
  described["tables"] = describe(tables);
  described["observables"] = describe(observables);
  std::printf("%s\n", described.dump().c_str());
  print_columns(frame);
}

json describe(const gpz::Metadata &metadata) {
  return {{"generator", metadata.generator},     {"units", metadata.units},
          {"atom_style", metadata.atom_style},   {"command", metadata.command},
          {"columns", metadata.columns},         {"elements", metadata.elements},
          {"type_labels", metadata.type_labels}, {"timestep_size", metadata.timestep_size}};
}

void decode_stream(const std::string &path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  gpz::StreamReader reader(descriptor, path);
  std::printf("%s\n", json{{"metadata", describe(reader.metadata())}}.dump().c_str());
  for (gpz::Frame frame; reader.next(frame);) print_frame(frame);
  ::close(descriptor);
}

void decode(const std::string &path) {
  const gpz::Reader reader(path);
  const gpz::FileScan &scan = reader.scan();
  const json head{{"metadata", describe(scan.metadata)},
                  {"has_index", scan.has_index},
                  {"torn", scan.torn},
                  {"tables", describe(reader.tables(reader.frames()))}};
  std::printf("%s\n", head.dump().c_str());
  for (std::size_t i = 0; i < reader.frames(); ++i)
    print_frame(reader.read(i), reader.tables(i), reader.observables(i));
}

void encode_array(const std::string &source, const std::string &path, int threads) {
  const json described = read_json(source);
  gpz::FrameArrayShape shape;
  shape.type = type_named(described["type"]);
  shape.frames = described["frames"];
  shape.particles = described["particles"];
  shape.components = described["components"];
  gpz::FrameArrayOptions options;
  options.bound = described["bound"];
  options.effort = effort_named(described["effort"]);
  options.key_interval = described["key_interval"];
  options.threads = threads;
  for (const json &box : described["boxes"]) options.boxes.push_back(box_of(box));
  const std::vector<std::uint8_t> values = bytes_of_bits(described["bits"], size_of(shape.type));
  const gpz::Bytes bytes = gpz::compress_frames(values.data(), shape, options);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::printf("%s\n", gpz::codec::kernels().name);
}

void decode_array(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  const gpz::FrameArrayInfo info = gpz::frame_array_info(bytes.data(), bytes.size());
  std::vector<std::uint8_t> values(info.shape.bytes());
  gpz::decompress_frames(bytes.data(), bytes.size(), 0, info.shape.frames, values.data(), values.size());
  const json described{{"type", static_cast<int>(info.shape.type)},
                       {"frames", info.shape.frames},
                       {"particles", info.shape.particles},
                       {"components", info.shape.components},
                       {"bound", bits_of(info.bound)}};
  std::printf("%s\n", described.dump().c_str());
  print(values);
}

// The tables that encoders and decoders go by: features by name, those of chunk kinds and codings, and which fields
// chunks of a kind may have in a coding.
void print_tables() {
  namespace feature = gpz::feature;
  namespace format = gpz::format;
  using gpz::ChunkKind;
  json features;
  for (const auto &[bit, name] : feature::names) features[name] = bit;
  json kinds = json::array();
  for (std::uint32_t k = 0; k < format::chunk_kinds; ++k)
    kinds.push_back(format::rule_of(static_cast<ChunkKind>(k)).feature);
  constexpr std::pair<format::FieldClass, const char *> classes[] = {
      {format::sort_keys, "integers"}, {format::integers, "integers"}, {format::lossless, "lossless floats"},
      {format::positions, "grid"},     {format::values, "grid"},       {format::identity, "the ids"}};
  json sections = json::array();
  for (std::uint32_t k = 0; k < format::chunk_kinds; ++k)
    for (std::uint8_t n = 1; n <= format::coding_count; ++n)
      for (const auto &[field, name] : classes)
        if (format::allows_coding(static_cast<ChunkKind>(k), n, field))
          sections.push_back({k, n, name, format::rule_of(static_cast<format::FieldCodingKind>(n)).feature});
  std::printf("%s\n", json{{"features", features}, {"kinds", kinds}, {"sections", sections}}.dump().c_str());
}

}  // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if ((arguments.size() == 4 || arguments.size() == 5) &&
        (arguments[0] == "encode" || arguments[0] == "encode-array")) {
      if (arguments.size() == 5) gpz::test::limit_instruction_set(arguments[4]);
      (arguments[0] == "encode" ? encode : encode_array)(arguments[1], arguments[2], std::stoi(arguments[3]));
    } else if (arguments.size() == 2 && arguments[0] == "decode-array") {
      decode_array(arguments[1]);
    } else if (arguments.size() == 2 && arguments[0] == "decode") {
      decode(arguments[1]);
    } else if (arguments.size() == 3 && arguments[0] == "decode" && arguments[2] == "stream") {
      decode_stream(arguments[1]);
    } else if (arguments.size() == 1 && arguments[0] == "tables") {
      print_tables();
    } else {
      return 2;
    }
  } catch (const gpz::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
