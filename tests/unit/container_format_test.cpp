// SPDX-License-Identifier: BSD-3-Clause
// The bytes of headers and records (docs/format.md, sections 1 to 3 and 11).
#include <cerrno>
#include <cmath>
#include <limits>

#include "container_support.hpp"
#include "gpz/format/metadata.hpp"

namespace gpz::test::container_format_test {
namespace {

Bytes from_hex(const std::string &text) {
  Bytes bytes;
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits += c;
    if (digits.size() == 2) {
      bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16)));
      digits.clear();
    }
  }
  return bytes;
}

std::string zeros(int count) {
  std::string text;
  while (count-- > 0) text += "00 ";
  return text;
}

Metadata lj() {
  Metadata metadata;
  metadata.units = "lj";
  return metadata;
}

// Two fields that use every part of a field entry.
FrameInfo golden_info() {
  FrameInfo info;
  info.particles = 2;
  info.timestep = -3;
  info.time = 0.5;
  info.box.kind = Box::Kind::orthogonal;
  info.box.boundary = {'p', 'p', 'f', 's', '\0', 'm'};
  info.box.values = {0, 10, 0, 20, 0, 30};
  Field position;
  position.leading = true;
  position.bound = 0.25;
  position.step = 0.5;
  position.largest_error = 0.125;
  position.components = {{"x", 2}};
  Field type;
  type.type = ValueType::integer;
  type.display = Display::element;
  type.components = {{"type", 1}};
  info.fields = {position, type};
  return info;
}

const std::string marker = "F5 9A 47 50 5A C3 52 0A ";
const std::string end_marker = "0A 52 C3 5A 50 47 9A F5 ";

// Written from the tables of the specification by hand; the checksums come from the reference program of XXH3.
TEST(Golden, FileHeader) {
  EXPECT_EQ(file_header(lj()), from_hex("89 47 50 5A 0D 0A 1A 0A "                    // magic
                                        "01 00 00 00 00 00 00 00 00 00 00 00 "        // version 1.0, features
                                        "0E 00 00 00 "                                // length of the metadata
                                        "7B 22 75 6E 69 74 73 22 3A 22 6C 6A 22 7D "  // {"units":"lj"}
                                        "00 00 "                                      // padding
                                        "61 40 58 F4 52 F7 47 02"));                  // XXH3
}

TEST(Golden, FrameRecord) {
  const FrameRecord record = frame_record(golden_info(), {{2, 8, 0x1122334455667788}});
  const std::string length = "30 01 00 00 00 00 00 00 ";
  const std::string checksum = "09 6C 5E 2C 7D C3 D6 AA ";
  const std::string prefix = marker + "01 00 00 00 F0 00 00 00 " + length +        // type, H, R
                             "02 00 00 00 00 00 00 00 FD FF FF FF FF FF FF FF " +  // particles, timestep
                             "00 00 00 00 00 00 E0 3F " +                          // time
                             "03 01 70 70 66 73 00 6D " +                          // dimension, kind, boundary
                             zeros(8) + "00 00 00 00 00 00 24 40 " +               // xlo xhi
                             zeros(8) + "00 00 00 00 00 00 34 40 " +               // ylo yhi
                             zeros(8) + "00 00 00 00 00 00 3E 40 " + zeros(48) +   // zlo zhi, the rest
                             "02 00 00 00 01 00 00 00 " +                          // fields, reserved, chunks
                             "03 01 01 01 00 00 00 00 " +                          // f64, D, leading, codec
                             "00 00 00 00 00 00 D0 3F 00 00 00 00 00 00 E0 3F " +  // bound, step
                             "00 00 00 00 00 00 C0 3F 02 00 01 78 " +              // error, column, "x"
                             "01 01 02 01 00 00 00 00 " + zeros(24) +              // integer, D, element, codec
                             "01 00 04 74 79 70 65 " +                             // column, "type"
                             "02 00 00 00 00 00 00 00 08 00 00 00 00 00 00 00 " +  // particles, length of the chunk
                             "88 77 66 55 44 33 22 11 " + zeros(5) + checksum;     // its XXH3, padding
  EXPECT_EQ(record.prefix, from_hex(prefix));
  EXPECT_EQ(record.trailer, from_hex(length + checksum + end_marker));
  EXPECT_EQ(record.length, 0x130u);
}

TEST(Golden, IndexRecord) {
  const std::string checksum = "05 09 DE BA 4C F0 1E 2B ";
  EXPECT_EQ(index_record({{48, 0x130, -3, 0.5, 2}}),
            from_hex(marker + "02 00 00 00 30 00 00 00 68 00 00 00 00 00 00 00 " +  // type, H, R
                     "01 00 00 00 00 00 00 00 " +                                   // count
                     "30 00 00 00 00 00 00 00 30 01 00 00 00 00 00 00 " +           // offset, length
                     "FD FF FF FF FF FF FF FF 00 00 00 00 00 00 E0 3F " +           // timestep, time
                     "02 00 00 00 00 00 00 00 " + checksum +                        // particles
                     "68 00 00 00 00 00 00 00 " + checksum + end_marker));
}

format::FrameHead parse_back(const FrameRecord &record) {
  const auto start = format::parse_record_start(record.prefix.data());
  if (!start) throw Error(Status::internal, "no record start");
  EXPECT_TRUE(format::head_holds(record.prefix.data(), *start));
  EXPECT_TRUE(format::checksum_in_trailer(record.trailer.data(), *start) ==
              format::head_checksum(record.prefix.data(), *start));
  return format::parse_frame_head(record.prefix.data() + format::record_start_size, start->head_length,
                                  start->body_length());
}

TEST(FrameRecord, ComesBack) {
  FrameInfo info = golden_info();
  info.timestep = std::numeric_limits<std::int64_t>::min();
  info.time = std::numeric_limits<double>::quiet_NaN();
  info.box.dimension = 2;
  info.box.kind = Box::Kind::general_triclinic;
  for (std::size_t i = 0; i < 12; ++i) info.box.values[i] = 1.5 * static_cast<double>(i) - 3;
  info.fields[0].components = {{std::string(255, 'n'), 65535}, {"\xC3\xA9", 0}, {std::string("a\0b", 3), 7}};
  info.fields[1].display = Display::type_label;
  info.particles = 6;
  const std::vector<ChunkEntry> chunks = {{2, 16, 1}, {0, 0, 2}, {4, 8, ~std::uint64_t{0}}};

  const format::FrameHead head = parse_back(frame_record(info, chunks));
  EXPECT_EQ(head.info.particles, info.particles);
  EXPECT_EQ(head.info.timestep, info.timestep);
  EXPECT_TRUE(std::isnan(head.info.time));
  EXPECT_EQ(head.info.box.dimension, 2);
  EXPECT_EQ(head.info.box.kind, info.box.kind);
  EXPECT_EQ(head.info.box.values, info.box.values);
  ASSERT_EQ(head.info.fields.size(), 2u);
  EXPECT_TRUE(head.info.fields[0].leading);
  EXPECT_EQ(head.info.fields[0].bound, 0.25);
  EXPECT_EQ(head.info.fields[0].step, 0.5);
  EXPECT_EQ(head.info.fields[0].largest_error, 0.125);
  EXPECT_FALSE(head.info.fields[1].leading);
  EXPECT_EQ(head.info.fields[1].display, Display::type_label);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(head.info.fields[0].components[c].name, info.fields[0].components[c].name);
    EXPECT_EQ(head.info.fields[0].components[c].column, info.fields[0].components[c].column);
  }
  ASSERT_EQ(head.chunks.size(), 3u);
  EXPECT_EQ(head.chunks[2].particles, 4u);
  EXPECT_EQ(head.chunks[2].length, 8u);
  EXPECT_EQ(head.chunks[2].checksum, ~std::uint64_t{0});
}

TEST(FrameRecord, WithoutFieldsOrChunks) {
  FrameInfo info;
  const format::FrameHead head = parse_back(frame_record(info, {}));
  EXPECT_TRUE(head.info.fields.empty());
  EXPECT_TRUE(head.chunks.empty());
}

TEST(FrameRecord, RefusesWhatAReaderWouldRefuse) {
  const std::vector<ChunkEntry> chunk = {{2, 8, 0}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::function<void(FrameInfo &)>> faults = {
      [](FrameInfo &i) { i.box.dimension = 4; },
      [](FrameInfo &i) { i.box.kind = static_cast<Box::Kind>(4); },
      [](FrameInfo &i) { i.box.boundary[3] = 'x'; },
      [](FrameInfo &i) { i.box.values[6] = 1; },  // a tilt of an orthogonal box
      [](FrameInfo &i) { i.fields[0].type = static_cast<ValueType>(4); },
      [](FrameInfo &i) { i.fields[0].bound = -1; },
      [=](FrameInfo &i) { i.fields[0].bound = nan; },
      [=](FrameInfo &i) { i.fields[0].bound = inf; },
      [](FrameInfo &i) { i.fields[0].step = 0; },
      [=](FrameInfo &i) { i.fields[0].step = nan; },
      [](FrameInfo &i) { i.fields[0].largest_error = 0.3; },
      [=](FrameInfo &i) { i.fields[0].largest_error = nan; },
      [](FrameInfo &i) { i.fields[0].display = Display::element; },
      [](FrameInfo &i) { i.fields[0].components.clear(); },
      [](FrameInfo &i) {
        i.fields[0].components.resize(4, {"y", 0});
      },
      [](FrameInfo &i) { i.fields[0].components[0].name.clear(); },
      [](FrameInfo &i) { i.fields[0].components[0].name.assign(256, 'n'); },
      [](FrameInfo &i) { i.fields[1].bound = i.fields[1].step = 1; },
      [](FrameInfo &i) { i.fields[1].leading = true; },
      [](FrameInfo &i) { i.fields[1].display = static_cast<Display>(6); },
      [](FrameInfo &i) { i.particles = 3; },
      [](FrameInfo &i) { i.particles = 1; },
  };
  for (std::size_t f = 0; f < faults.size(); ++f) {
    FrameInfo info = golden_info();
    faults[f](info);
    EXPECT_EQ(status_of([&] { frame_record(info, chunk); }), Status::invalid_argument) << "fault " << f;
  }
  EXPECT_EQ(status_of([&] { frame_record(golden_info(), {{2, 12, 0}}); }), Status::invalid_argument);
  const std::uint64_t huge = std::uint64_t{1} << 62;
  EXPECT_EQ(status_of([&] { frame_record(golden_info(), {{2, huge, 0}, {0, huge, 0}}); }), Status::limit_exceeded);
  // Particles and lengths whose sums are right only modulo 2^64.
  const std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(status_of([&] {
              frame_record(golden_info(), {{half, 8, 0}, {half + 2, 8, 0}});
            }),
            Status::invalid_argument);
  EXPECT_EQ(status_of([&] { frame_record(golden_info(), {{1, half, 0}, {1, half + 8, 0}}); }), Status::limit_exceeded);
  FrameInfo many = golden_info();
  many.fields.resize(65536, many.fields[1]);
  EXPECT_EQ(status_of([&] { frame_record(many, chunk); }), Status::limit_exceeded);
}

// The faults of the test before, as bytes of a head at the offsets of the specification.
TEST(FrameRecord, ReaderRefusesFaultsInTheHead) {
  const Bytes prefix = frame_record(golden_info(), {{2, 8, 0}}).prefix;
  const Bytes head(prefix.begin() + 24, prefix.end() - 8);
  const std::size_t field = 136;
  const auto status = [&](std::size_t position, std::uint8_t value) {
    Bytes changed = head;
    changed[position] = value;
    return status_of([&] { format::parse_frame_head(changed.data(), changed.size(), 8); });
  };
  EXPECT_EQ(status(0, 2), Status::ok);  // as it was
  const std::pair<std::size_t, std::uint8_t> faults[] = {
      {0, 3},                // particles: not those of the chunks
      {24, 1},               // dimension
      {25, 9},               // kind of box
      {26, 'q'},             // boundary
      {87, 0x40},            // xy of an orthogonal box
      {130, 1},              // frames since the key frame: no such codec in a difference frame
      {132, 2},              // number of chunks
      {135, 0xFF},           // the same
      {128, 1},              // number of fields
      {field, 0},            // value type
      {field + 1, 0},        // components
      {field + 1, 200},      // the same
      {field + 2, 9},        // unknown flag
      {field + 2, 3},        // an atom type that is no integer
      {field + 4, 1},        // reserved
      {field + 15, 0xBF},    // bound < 0
      {field + 23, 0xBF},    // step < 0
      {field + 31, 0x7F},    // largest error > bound
      {field + 34, 0},       // length of a name
      {field + 34, 255},     // the same
      {head.size() - 1, 1},  // padding
  };
  for (const auto &[position, value] : faults) {
    EXPECT_EQ(status(position, value), Status::corrupt) << "byte " << position << " = " << int{value};
  }
  EXPECT_EQ(status(field + 3, 2), Status::corrupt);  // codec: that of difference frames
  for (const int codec : {0, 3, 255})
    EXPECT_EQ(status(field + 3, static_cast<std::uint8_t>(codec)), Status::unsupported_version);
  for (std::size_t size = 0; size < head.size(); size += 8) {
    EXPECT_EQ(status_of([&] { format::parse_frame_head(head.data(), size, 8); }), Status::corrupt) << size;
  }
  EXPECT_EQ(status_of([&] { format::parse_frame_head(head.data(), head.size(), 16); }), Status::corrupt);
}

Metadata parse_json(const std::string &json) {
  return format::metadata_from_json(reinterpret_cast<const std::uint8_t *>(json.data()), json.size());
}

TEST(MetadataJson, ComesBack) {
  Metadata metadata;
  metadata.generator = "LAMMPS \"quoted\"\n";
  metadata.units = "metal";
  metadata.atom_style = "full";
  metadata.command = "dump 1 all gpz 10 \xC3\xA9.gpz id";
  metadata.columns = {"id", "x"};
  metadata.elements = {"C", "", "H"};
  metadata.type_labels = {"c1", "h1"};
  metadata.timestep_size = 0.1;
  const Metadata back = parse_json(format::metadata_to_json(metadata));
  EXPECT_EQ(back.generator, metadata.generator);
  EXPECT_EQ(back.units, metadata.units);
  EXPECT_EQ(back.atom_style, metadata.atom_style);
  EXPECT_EQ(back.command, metadata.command);
  EXPECT_EQ(back.columns, metadata.columns);
  EXPECT_EQ(back.elements, metadata.elements);
  EXPECT_EQ(back.type_labels, metadata.type_labels);
  EXPECT_EQ(back.timestep_size, metadata.timestep_size);
  EXPECT_EQ(format::metadata_to_json({}), "{}");
}

TEST(MetadataJson, BytesThatAreNoTextDoNotStopAWriter) {
  Metadata metadata;
  metadata.command = "caf\xE9 \xFF";
  EXPECT_EQ(parse_json(format::metadata_to_json(metadata)).command, "caf\xEF\xBF\xBD \xEF\xBF\xBD");
}

TEST(MetadataJson, RefusesWhatIsNoObjectOfKnownTypes) {
  for (const char *json : {"", "[]", "3", "{", "{}{}", "{\"units\":\"\xFF\"}", "{\"units\":5}", "{\"columns\":\"x\"}",
                           "{\"columns\":[1]}", "{\"timestep_size\":\"1\"}", "{\"timestep_size\":1e999}", "nul"}) {
    EXPECT_EQ(status_of([&] { parse_json(json); }), Status::corrupt) << json;
  }
  EXPECT_EQ(status_of([] { parse_json(std::string(1000000, '[')); }), Status::corrupt);
  EXPECT_EQ(parse_json("{\"future\":[{\"a\":null}],\"units\":\"si\"}").units, "si");
}

TEST(MetadataJson, RefusesWhatIsNestedTooDeep) {
  const auto nested = [](std::size_t levels) {
    return "{\"future\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + ",\"units\":\"si\"}";
  };
  EXPECT_EQ(parse_json(nested(64)).units, "si");
  EXPECT_EQ(status_of([&] { parse_json(nested(65)); }), Status::corrupt);
  EXPECT_EQ(status_of([&] { parse_json(nested(1000000)); }), Status::corrupt);
  std::string objects = "{\"units\":\"si\"";
  for (int i = 0; i < 100000; ++i) objects += ",\"a\":{\"b\":1";
  EXPECT_EQ(status_of([&] { parse_json(objects); }), Status::corrupt);
}

TEST(MetadataJson, TheLastOfEqualKeysCounts) {
  EXPECT_EQ(parse_json("{\"units\":3,\"units\":\"lj\"}").units, "lj");
  EXPECT_EQ(parse_json("{\"columns\":[\"a\",[\"b\"]],\"columns\":[\"c\"]}").columns, std::vector<std::string>{"c"});
  EXPECT_EQ(status_of([] { parse_json("{\"units\":\"lj\",\"units\":{\"units\":\"lj\"}}"); }), Status::corrupt);
}

// Keys of other objects, and lists in lists, are not those of the page.
TEST(MetadataJson, TakesKeysOfTheObjectOnly) {
  EXPECT_EQ(parse_json("{\"a\":{\"units\":3,\"columns\":1},\"units\":\"lj\",\"b\":[[\"x\"],{\"units\":\"si\"}]}").units,
            "lj");
  EXPECT_EQ(status_of([] { parse_json("{\"columns\":[{\"a\":\"x\"}]}"); }), Status::corrupt);
  EXPECT_EQ(status_of([] { parse_json("{\"columns\":{\"a\":\"x\"}}"); }), Status::corrupt);
  EXPECT_EQ(status_of([] { parse_json("[{\"units\":\"lj\"}]"); }), Status::corrupt);
}

TEST(FileHeader, VersionsAndFeatures) {
  const auto scan_with = [](std::size_t position, std::uint8_t value) {
    Bytes bytes = small_file(1);
    bytes[position] = value;
    mend_file_header(bytes);
    const Status by_scan = status_of([&] { EXPECT_EQ(scan_bytes(bytes).frames.size(), 1u); });
    const Streamed by_stream = stream(bytes);
    EXPECT_EQ(by_stream.status, by_scan);
    return by_scan;
  };
  EXPECT_EQ(scan_with(8, 2), Status::unsupported_version);
  EXPECT_EQ(scan_with(9, 1), Status::unsupported_version);
  EXPECT_EQ(scan_with(8, 0), Status::corrupt);
  EXPECT_EQ(scan_with(10, 9), Status::ok);  // minor version
  for (unsigned bit = 0; bit < 8; ++bit)    // required features; that of frame arrays is one that files cannot have
    EXPECT_EQ(scan_with(12, static_cast<std::uint8_t>(1u << bit)),
              (feature::known >> bit & 1) != 0 ? Status::ok : Status::unsupported_version);
  EXPECT_EQ(scan_with(15, 0x80), Status::unsupported_version);
  EXPECT_EQ(scan_with(16, 0xFF), Status::ok);              // optional features
  EXPECT_EQ(scan_with(23, 0xFF), Status::limit_exceeded);  // length of the metadata
}

TEST(FileHeader, MetadataLimit) {
  Metadata metadata;
  metadata.command.assign((std::size_t{1} << 24) + 1, 'c');
  EXPECT_EQ(status_of([&] { file_header(metadata); }), Status::limit_exceeded);
}

TEST(ScanFile, SaysWhatIsNoGpzFile) {
  const auto status = [](const std::string &text) {
    return status_of([&] { scan_bytes(Bytes(text.begin(), text.end())); });
  };
  EXPECT_EQ(status("ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n"), Status::not_gpz);
  EXPECT_EQ(status("x"), Status::not_gpz);
  EXPECT_EQ(status(""), Status::truncated);
  EXPECT_EQ(status("\x89GPZ"), Status::truncated);
  const TemporaryFile text;
  text.set({'x'});
  EXPECT_EQ(status_of([&] { scan_file(text.path()); }), Status::not_gpz);
  try {
    scan_file("/nonexistent/file.gpz");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), Status::io_error);
    EXPECT_EQ(error.system_error(), ENOENT);
    EXPECT_EQ(error.file(), "/nonexistent/file.gpz");
    EXPECT_STREQ(error.what(), "/nonexistent/file.gpz: cannot open: No such file or directory");
  }
  EXPECT_EQ(status_of([] { scan_file(testing::TempDir()); }), Status::io_error);
}

TEST(ErrorText, HasFilePositionAndCause) {
  EXPECT_STREQ(Error(Status::corrupt, "cause", "file", 7).what(), "file: byte 7: cause");
  EXPECT_STREQ(Error(Status::corrupt, "cause", "file").what(), "file: cause");
  EXPECT_STREQ(Error(Status::corrupt, "cause").what(), "cause");
  EXPECT_STREQ(to_string(Status::limit_exceeded), "limit exceeded");
  EXPECT_STREQ(to_string(static_cast<Status>(99)), "unknown status");
}

TEST(Box, Edges) {
  Box box;
  EXPECT_EQ(box.edges(), (std::array<double, 3>{0, 0, 0}));
  box.kind = Box::Kind::orthogonal;
  box.values = {1, 3, 0, 3, -2, 2};
  EXPECT_EQ(box.edges(), (std::array<double, 3>{2, 3, 4}));
  box.kind = Box::Kind::triclinic;
  box.values = {0, 2, 0, 4, 0, 2, 3, 1, 2};
  EXPECT_EQ(box.edges(), (std::array<double, 3>{2, 5, 3}));
  box.kind = Box::Kind::general_triclinic;
  box.values = {3, 4, 0, 0, 0, 1, 2, 3, 6, 9, 9, 9};
  EXPECT_EQ(box.edges(), (std::array<double, 3>{5, 1, 7}));
  // The squares of these have no double.
  box.values = {3e200, 0, 4e200, 0, 1e-170, 0, 0, 0, 7e300};
  EXPECT_DOUBLE_EQ(box.edges()[0], 5e200);
  EXPECT_EQ(box.edges()[1], 1e-170);
  EXPECT_EQ(box.edges()[2], 7e300);
}

}  // namespace
}  // namespace gpz::test::container_format_test
