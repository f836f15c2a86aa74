// SPDX-License-Identifier: BSD-3-Clause
// Shared by the container tests: a small file, files on disk that vanish, and damage with and without true checksums.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "gpz/api/scan.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"

namespace gpz::test {

class TemporaryFile {
 public:
  TemporaryFile() {
    static int count = 0;
    path_ = testing::TempDir() + "gpz_container_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".gpz";
    std::remove(path_.c_str());
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &path() const { return path_; }
  Bytes bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(in), {});
  }
  void set(const Bytes &bytes) const {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }

 private:
  std::string path_;
};

inline Status status_of(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    EXPECT_FALSE(std::string(error.what()).empty());
    return error.status();
  }
  return Status::ok;
}

// Particles with positions, ids and a lossless f32 column; frame f has 5 + f of them at timestep 100 * f.
struct Particles {
  std::vector<double> x;
  std::vector<std::int32_t> id;
  std::vector<float> q;
  std::vector<FieldInput> fields;
  FrameInfo info;

  explicit Particles(int f) {
    const int count = 5 + f;
    for (int i = 0; i < count; ++i) {
      for (int d = 0; d < 3; ++d) x.push_back(0.37 * ((i * 7 + d * 3 + f) % 11) + 0.01 * d);
      id.push_back(count - i);
      q.push_back(0.1f * static_cast<float>(i - f));
    }
    info.particles = static_cast<std::uint64_t>(count);
    info.timestep = 100 * f;
    info.time = 0.5 * f;
    info.box.kind = Box::Kind::orthogonal;
    info.box.boundary = {'p', 'p', 'f', 's', 'm', 'p'};
    info.box.values = {0, 10, -1, 11, -2, 12};

    fields.resize(3);
    fields[0].field.leading = true;
    fields[0].field.bound = 0.001;
    fields[0].field.components = {{"x", 1}, {"y", 2}, {"z", 3}};
    for (int d = 0; d < 3; ++d)
      fields[0].components[d] = {x.empty() ? nullptr : x.data() + d, 24, ConstArray::Type::float64};
    fields[1].field.type = ValueType::integer;
    fields[1].field.components = {{"id", 0}};
    fields[1].components[0] = {id.data(), 4, ConstArray::Type::int32};
    fields[2].field.type = ValueType::float32;
    fields[2].field.components = {{"q", 4}};
    fields[2].components[0] = {q.data(), 4, ConstArray::Type::float32};
  }
  Particles(const Particles &) = delete;
  Particles &operator=(const Particles &) = delete;
};

inline Metadata small_metadata() {
  Metadata metadata;
  metadata.generator = "test";
  metadata.units = "lj";
  metadata.columns = {"id", "x", "y", "z", "q"};
  return metadata;
}

// For tests of frames and files, not of codings: key frames of block chunks, difference chunks where they are asked
// for.
inline void set_plain(Writer &writer) {
  writer.set_key_interval(1);
  writer.set_order(Order::place);
  writer.set_effort(Effort::fast);
}
inline void set_plain(TrajectoryEncoder &encoder) {
  encoder.set_order(Order::place);
  encoder.set_effort(Effort::fast);
}

inline Bytes small_file(int frames = 3, bool with_index = true) {
  const TemporaryFile file;
  {
    Writer writer(file.path(), small_metadata());
    set_plain(writer);
    for (int f = 0; f < frames; ++f) {
      const Particles particles(f);
      writer.write(particles.info, particles.fields);
    }
    if (with_index) writer.close();
  }
  return file.bytes();
}

inline FileScan scan_bytes(const Bytes &bytes, bool use_index = true) {
  return api::scan(api::MemorySource(bytes.data(), bytes.size(), "memory"), use_index);
}

inline Reader reader_of(const Bytes &bytes) { return Reader(bytes.data(), bytes.size()); }

inline std::vector<Frame> read_all(const Bytes &bytes) {
  const Reader reader = reader_of(bytes);
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < reader.frames(); ++i) frames.push_back(reader.read(i));
  return frames;
}

// Bit for bit.
inline bool same(const Frame &a, const Frame &b) {
  const FrameInfo &p = a.info;
  const FrameInfo &q = b.info;
  if (p.particles != q.particles || p.timestep != q.timestep || std::memcmp(&p.time, &q.time, sizeof p.time) != 0 ||
      p.box.kind != q.box.kind || p.box.dimension != q.box.dimension || p.box.boundary != q.box.boundary ||
      std::memcmp(p.box.values.data(), q.box.values.data(), sizeof p.box.values) != 0 ||
      p.fields.size() != q.fields.size() || a.columns.size() != b.columns.size()) {
    return false;
  }
  for (std::size_t f = 0; f < p.fields.size(); ++f) {
    if (p.fields[f].type != q.fields[f].type || p.fields[f].bound != q.fields[f].bound ||
        p.fields[f].largest_error != q.fields[f].largest_error || p.fields[f].display != q.fields[f].display) {
      return false;
    }
  }
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const auto &u = a.columns[c];
    const auto &v = b.columns[c];
    if (a.name(u) != b.name(v) || u.integers != v.integers || u.floats.size() != v.floats.size()) return false;
    if (!u.floats.empty() && std::memcmp(u.floats.data(), v.floats.data(), u.floats.size() * sizeof(double)) != 0) {
      return false;
    }
  }
  return true;
}

// The result of a StreamReader that reads these bytes from a pipe: the frames, and the status it ended with.
struct Streamed {
  std::vector<Frame> frames;
  Status status = Status::ok;
};

inline Streamed stream(const Bytes &bytes) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  const auto feed = [&] {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t put = write(ends[1], bytes.data() + done, bytes.size() - done);
      if (put <= 0) break;
      done += static_cast<std::size_t>(put);
    }
    close(ends[1]);
  };
  std::thread feeder;
  if (bytes.size() > 4096) {
    feeder = std::thread(feed);
  } else {
    feed();  // an empty pipe holds that much
  }
  Streamed result;
  result.status = status_of([&] {
    StreamReader reader(ends[0], "pipe");
    for (Frame frame; reader.next(frame);) result.frames.push_back(frame);
  });
  // Take the rest, so that the feeder never writes to a closed pipe.
  char rest[4096];
  while (read(ends[0], rest, sizeof rest) > 0) {
  }
  if (feeder.joinable()) feeder.join();
  close(ends[0]);
  return result;
}

inline void put_u64(Bytes &bytes, std::size_t position, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[position + i] = static_cast<std::uint8_t>(value >> (8 * i));
}
inline void put_u32(Bytes &bytes, std::size_t position, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes[position + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// Makes the checksums of the record at `position` true again: head and trailer, from the lengths that it has now. Does
// nothing where these lead out of the file.
inline void mend_record(Bytes &bytes, std::size_t position) {
  const std::uint64_t head = format::load_little<std::uint32_t>(bytes.data() + position + 12);
  const std::uint64_t length = format::load_little<std::uint64_t>(bytes.data() + position + 16);
  if (head > bytes.size() - position - 32) return;
  const std::uint64_t checksum = format::xxh3(bytes.data() + position, static_cast<std::size_t>(24 + head));
  put_u64(bytes, position + 24 + static_cast<std::size_t>(head), checksum);
  if (length > bytes.size() - position || length < 24) return;
  put_u64(bytes, position + static_cast<std::size_t>(length) - 24, length);
  put_u64(bytes, position + static_cast<std::size_t>(length) - 16, checksum);
}

inline void mend_file_header(Bytes &bytes) {
  const std::uint64_t end =
      format::round_up_8(24 + std::uint64_t{format::load_little<std::uint32_t>(bytes.data() + 20)});
  if (end > bytes.size() - 8) return;
  put_u64(bytes, static_cast<std::size_t>(end), format::xxh3(bytes.data(), static_cast<std::size_t>(end)));
}

// A whole record with true lengths and checksums.
inline Bytes make_record(std::uint32_t type, const Bytes &head, const Bytes &body) {
  Bytes record(24 + head.size() + 8 + body.size() + 24);
  std::copy_n(format::record_marker, 8, record.begin());
  std::reverse_copy(format::record_marker, format::record_marker + 8, record.end() - 8);
  put_u32(record, 8, type);
  put_u32(record, 12, static_cast<std::uint32_t>(head.size()));
  put_u64(record, 16, record.size());
  std::copy(head.begin(), head.end(), record.begin() + 24);
  std::copy(body.begin(), body.end(), record.begin() + 32 + static_cast<std::ptrdiff_t>(head.size()));
  mend_record(record, 0);
  return record;
}

inline Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes &part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace gpz::test
