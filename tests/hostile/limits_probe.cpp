// SPDX-License-Identifier: BSD-3-Clause
// limits_probe LIMIT EVERY FILE...: reads each file in every EVERYth way, in turn, within a limit of so many bytes.
// Prints a line for each: file, way, status of the first frame that is not read (0: all are), the most memory in use at
// once in bytes, the bytes that were read.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "counted_memory.hpp"
#include "gpz/error.hpp"
#include "gpz/gpz.h"
#include "gpz/reader.hpp"

namespace {

using gpz::Error;
using gpz::Limits;
using gpz::Reader;
using gpz::Status;

// Calls read(i) for each frame; returns the first status that is not ok.
Status each(const Reader &reader, const std::function<void(std::size_t)> &read) {
  Status first = Status::ok;
  for (std::size_t i = 0; i < reader.frames(); ++i) {
    try {
      read(i);
    } catch (const Error &error) {
      if (first == Status::ok) first = error.status();
    }
  }
  return first;
}

Status frames(const std::string &path, const Limits &limits) {
  const Reader reader(path, limits);
  return each(reader, [&](std::size_t i) { reader.read(i); });
}

// One field of each frame, another one each time.
Status in_turn(const std::string &path, const Limits &limits) {
  const Reader reader(path, limits);
  return each(reader, [&](std::size_t i) {
    const std::size_t fields = reader.info(i).fields.size();
    if (fields == 0) return;
    std::vector<bool> wanted(fields);
    wanted[i % fields] = true;
    reader.read(i, 1, wanted);
  });
}

Status verified(const std::string &path, const Limits &limits) {
  const Reader reader(path, limits);
  return each(reader, [&](std::size_t i) { reader.verify(i); });
}

Status sorted(const std::string &path, const Limits &limits) {
  const Reader reader(path, limits);
  return each(reader, [&](std::size_t i) { reader.read(i, gpz::ReadOptions{1, true}); });
}

// The first column of each frame, into memory of the caller, which does not count.
Status columns(const std::string &path, const Limits &limits) {
  const Reader reader(path, limits);
  return each(reader, [&](std::size_t i) {
    const gpz::FrameInfo info = reader.info(i);
    if (info.fields.empty() || info.particles > 100000000) return;
    const bool integer = info.fields[0].type == gpz::ValueType::integer;
    const std::unique_ptr<void, decltype(&std::free)> values(std::malloc(info.particles * 8 + 1), std::free);
    if (values == nullptr) throw std::bad_alloc();
    const gpz::Array array{values.get(), 8, integer ? gpz::ConstArray::Type::int64 : gpz::ConstArray::Type::float64};
    reader.read_columns(i, {{info.fields[0].components[0].name, array}}, info.particles);
  });
}

// The tables and the observables of each frame, and the tables of the whole file.
Status tables(const std::string &path, const Limits &limits) {
  const Reader reader(path, limits);
  const Status first = each(reader, [&](std::size_t i) {
    reader.tables(i);
    reader.observables(i);
  });
  reader.tables(reader.frames());
  return first;
}

Status stream(const std::string &path, const Limits &limits) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const std::unique_ptr<const int, void (*)(const int *)> closed(&descriptor, [](const int *d) { ::close(*d); });
  gpz::StreamReader reader(descriptor, path, limits);
  gpz::Frame frame;
  while (reader.next(frame)) {
  }
  return Status::ok;
}

Status c_reader(const std::string &path, const Limits &limits) {
  gpz_read_options options = gpz_new_read_options();
  options.max_memory = limits.memory;
  gpz_reader *reader = nullptr;
  gpz_status first = gpz_reader_open_with(path.c_str(), &options, &reader);
  for (std::size_t i = 0; reader != nullptr && i < gpz_reader_frames(reader); ++i) {
    const gpz_status status = gpz_reader_verify(reader, i);
    if (first == GPZ_OK) first = status;
  }
  gpz_reader_close(reader);
  return static_cast<Status>(first);
}

Status c_stream(const std::string &path, const Limits &limits) {
  gpz_read_options options = gpz_new_read_options();
  options.max_memory = limits.memory;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  gpz_stream *stream = nullptr;
  gpz_status status = gpz_stream_open_with(descriptor, path.c_str(), &options, &stream);
  for (int found = 1; status == GPZ_OK && found != 0;) status = gpz_stream_next(stream, nullptr, &found);
  gpz_stream_close(stream);
  ::close(descriptor);
  return static_cast<Status>(status);
}

Status status_of(const std::function<Status()> &read) {
  try {
    return read();
  } catch (const Error &error) {
    return error.status();
  }
}

// By this process, so far.
std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t number = 0;
  while (io >> name >> number)
    if (name == "rchar:") return number;
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  Limits limits;
  limits.memory = std::strtoull(argv[1], nullptr, 10);
  const int every = std::atoi(argv[2]);  // each file in one of so many ways
  if (every < 1) return 2;
  int turn = 0;
  const struct {
    const char *name;
    Status (*read)(const std::string &, const Limits &);
  } ways[] = {{"frames", frames}, {"turn", in_turn},  {"verify", verified}, {"sorted", sorted},    {"columns", columns},
              {"tables", tables}, {"stream", stream}, {"c", c_reader},      {"c-stream", c_stream}};
  for (int i = 3; i < argc; ++i, turn = i - 3)
    for (const auto &way : ways) {
      if (turn++ % every != 0) continue;
      const std::int64_t before = gpz::test::in_use;
      gpz::test::most_use = before;
      const std::uint64_t read_before = bytes_read();
      const Status status = status_of([&] { return way.read(argv[i], limits); });
      std::printf("%s %s %d %lld %llu\n", argv[i], way.name, static_cast<int>(status),
                  static_cast<long long>(gpz::test::most_use - before),
                  static_cast<unsigned long long>(bytes_read() - read_before));
    }
  return 0;
}
