// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: calls of the C API in any order, with any arguments that the documentation does not forbid. The input is
// the length of the list of calls (2 bytes), the list, and a .gpz file.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "gpz/gpz.h"
#include "gpz_file.hpp"
#include "memory_file.hpp"
#include "mutator.hpp"
#include "program.hpp"
#include "support.hpp"

namespace {

using gpz::fuzz::Program;
using gpz::fuzz::require;

constexpr std::size_t most_calls = 48;
constexpr std::size_t slots = 2;
constexpr std::size_t most_rows = 1024;
constexpr std::size_t length_size = sizeof(std::uint16_t);

// A structure in memory of the caller's, who may have one of another version: shorter or longer.
template <typename T>
class Structure {
 public:
  Structure(const T &value, Program &program) {
    constexpr std::size_t extra = 16;
    bytes_.reset(new std::uint8_t[sizeof(T) + extra]());
    std::memcpy(bytes_.get(), &value, sizeof(T));
    std::size_t size = sizeof(T);
    // A version begins and ends between members.
    if (program.choice(16) == 15) size = program.choice(sizeof(T) + extra + 1) / 8 * 8;
    if (program.choice(32) == 31) bytes_[program.choice(sizeof(T) + extra)] = program.number<std::uint8_t>();
    std::memcpy(bytes_.get(), &size, sizeof size);
  }
  T *get() { return reinterpret_cast<T *>(bytes_.get()); }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
};

// A number of an enumeration that has `count`, or another one. As bytes: C++ has no enumeration with such a number.
template <typename Enumeration>
void put_some(Enumeration &member, Program &program, int count) {
  const int some = static_cast<int>(program.choice(16));
  const int value = some == 15 ? program.number<std::int32_t>() : some % count;
  static_assert(sizeof value == sizeof member);
  std::memcpy(&member, &value, sizeof value);
}

const char *some_names(Program &program) {
  constexpr const char *names[] = {"x y z", "id", "x",       "vx vy vz", "type",     "q",
                                   "",      " ",  "x y z w", "x x",      "xs ys zs", "ix iy iz"};
  return program.choice(16) == 15 ? nullptr : program.one_of(names);
}

// Frames may claim any number of particles, and the C API knows no limits yet.
bool claims_many(const std::uint8_t *image, std::size_t size) {
  gpz::fuzz::File file = gpz::fuzz::take_apart(image, size);
  const auto frames = file.frames();
  return std::any_of(frames.begin(), frames.end(),
                     [](const gpz::fuzz::Frame *frame) { return frame->info.particles > gpz::fuzz::most_particles; });
}

class Session {
 public:
  Session(Program program, const std::uint8_t *image, std::size_t size)
      : program_(program), image_(image), size_(size), hostile_(claims_many(image, size)) {}
  ~Session() {
    for (std::size_t i = 0; i < slots; ++i) {
      gpz_reader_close(readers_[i]);
      gpz_stream_close(streams_[i]);
      gpz_writer_close(writers_[i]);
    }
    for (void *image : made_) gpz_free(image);
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  void run() {
    for (std::size_t i = 0; i < most_calls && program_.left() != 0; ++i) call(program_.choice(41));
  }

 private:
  static void check(gpz_status status) {
    require(status >= GPZ_OK && status <= GPZ_UNSUPPORTED && status != GPZ_INTERNAL, "a status that cannot be");
    require(status == GPZ_OK || *gpz_last_error() != '\0', "an error without a reason");
    require(*gpz_status_text(status) != '\0', "a status without a text");
  }

  std::size_t slot() { return program_.choice(slots); }
  // Small mostly, so that there is such a frame, column or chunk.
  std::size_t number() { return program_.choice(8) == 7 ? program_.number<std::uint64_t>() : program_.choice(6); }

  void open_reader() {
    gpz_reader *&reader = readers_[slot()];
    gpz_reader_close(reader);
    reader = nullptr;
    const bool is_made = !made_.empty() && program_.flag();
    if (!is_made && hostile_) return;
    check(gpz_reader_open_memory(is_made ? made_.back() : image_, is_made ? made_sizes_.back() : size_, 1, &reader));
  }

  void open_stream() {
    gpz_stream *&stream = streams_[slot()];
    gpz_stream_close(stream);
    stream = nullptr;
    if (hostile_) return;
    file_.fill(image_, size_);
    check(gpz_stream_open(file_.descriptor(), program_.choice(8) == 7 ? nullptr : "stream", 1, &stream));
  }

  void open_writer() {
    gpz_writer *&writer = writers_[slot()];
    check(gpz_writer_close(writer));
    gpz_metadata metadata = gpz_new_metadata();
    const char *const columns[] = {"x", "y\n", "\xff"};
    if (program_.flag()) {
      metadata.units = "lj";
      metadata.columns = columns;
      metadata.column_count = program_.choice(4);
      metadata.timestep_size = program_.number<double>();
    }
    Structure<gpz_metadata> given(metadata, program_);
    // The bytes of pointers are the caller's affair.
    std::memcpy(reinterpret_cast<char *>(given.get()) + sizeof(std::size_t),
                reinterpret_cast<char *>(&metadata) + sizeof(std::size_t), sizeof metadata - sizeof(std::size_t));
    check(gpz_writer_open_memory(program_.flag() ? given.get() : nullptr, 1, &writer));
  }

  void close_memory() {
    gpz_writer *&writer = writers_[slot()];
    void *image = nullptr;
    std::size_t size = 0;
    const gpz_status status = gpz_writer_close_memory(writer, &image, &size);
    check(status);
    require((status == GPZ_OK) == (image != nullptr), "an image without a status");
    writer = nullptr;
    if (image == nullptr) return;
    made_.push_back(image);
    made_sizes_.push_back(size);
  }

  // Rows for an array of `rows` elements of up to 24 bytes.
  std::uint8_t *memory(std::size_t rows) {
    buffers_.emplace_back(new std::uint8_t[rows * 24 + 1]());
    std::uint8_t *const bytes = buffers_.back().get();
    for (std::size_t i = 0; i < rows * 24; ++i) bytes[i] = static_cast<std::uint8_t>(i % 24 < 6 ? i / 24 * (i % 5) : 0);
    return bytes;
  }

  gpz_type some_type() {
    constexpr gpz_type types[] = {GPZ_FLOAT64, GPZ_FLOAT32, GPZ_INT32, GPZ_INT64};
    return program_.one_of(types);
  }

  gpz_field some_field(std::size_t rows) {
    const gpz_type type = some_type();
    const char *const names = some_names(program_);
    gpz_field field =
        program_.choice(4) == 3 ? gpz_column(names, type, memory(rows)) : gpz_interleaved(names, type, memory(rows));
    if (gpz_count_names(names) > 3) field.stride = 8;  // as many as the memory has
    if (program_.choice(16) == 15) put_some(field.type, program_, 5);
    put_some(field.bound_kind, program_, 3);
    constexpr double bounds[] = {0, 0.5, 1e-3, 0, 1e-30, -1};
    field.bound = program_.choice(8) == 7 ? program_.number<double>() : program_.one_of(bounds);
    if (program_.choice(8) == 7) put_some(field.display, program_, 5);
    return field;
  }

  gpz_frame some_frame(std::size_t rows) {
    gpz_frame frame = gpz_new_frame(rows, program_.number<std::uint8_t>());
    put_some(frame.box_kind, program_, 4);
    if (program_.flag()) frame.box[1] = frame.box[3] = frame.box[5] = 10;
    if (program_.choice(8) == 7) frame.dimension = program_.number<std::int8_t>();
    if (program_.choice(8) == 7) frame.box[program_.choice(12)] = program_.number<double>();
    if (program_.flag()) std::memset(frame.boundary, 'p', sizeof frame.boundary);
    return frame;
  }

  void write(bool compress) {
    const std::size_t rows = program_.choice(4) == 3 ? most_rows : program_.choice(64);
    std::array<gpz_field, 3> fields{};
    std::size_t count = program_.choice(4);
    for (gpz_field &field : fields) field = some_field(rows);
    if (program_.choice(16) == 15) {  // elements of another size would be elsewhere
      fields[0].struct_size = program_.choice(200);
      count = std::min<std::size_t>(count, 1);
    }
    const gpz_frame frame = some_frame(rows);
    if (compress) {
      void *image = nullptr;
      std::size_t size = 0;
      const gpz_status status = gpz_compress(&frame, fields.data(), count, 1, &image, &size);
      check(status);
      require((status == GPZ_OK) == (image != nullptr), "an image without a status");
      if (image == nullptr) return;
      made_.push_back(image);
      made_sizes_.push_back(size);
    } else {
      check(gpz_writer_write(writers_[slot()], &frame, fields.data(), count));
    }
  }

  // Outputs with room for `rows` rows each.
  std::vector<gpz_output> some_outputs(std::size_t rows) {
    std::vector<gpz_output> outputs(program_.choice(4));
    for (gpz_output &output : outputs) {
      const gpz_type type = some_type();
      const char *const names = some_names(program_);
      std::uint8_t *const bytes = memory(rows) + (program_.choice(16) == 15 ? 1 : 0);
      output = program_.flag() ? gpz_into_interleaved(names, type, bytes) : gpz_into_column(names, type, bytes);
      if (gpz_count_names(names) > 3) output.stride = 8;
      if (program_.choice(16) == 15) put_some(output.type, program_, 5);
      if (program_.choice(16) == 15) output.data[program_.choice(3)] = nullptr;
    }
    if (!outputs.empty() && program_.choice(32) == 31) {  // elements of another size would be elsewhere
      outputs.resize(1);
      outputs[0].struct_size = program_.choice(sizeof(gpz_output) + 1);
    }
    return outputs;
  }

  void read(bool from_stream) {
    const std::size_t rows = program_.choice(4) == 3 ? 2 * most_rows : program_.choice(64);
    const std::vector<gpz_output> outputs = some_outputs(rows);
    const unsigned flags =
        program_.choice(8) == 7 ? program_.number<std::uint32_t>() : static_cast<unsigned>(program_.choice(2));
    check(from_stream ? gpz_stream_read(streams_[slot()], outputs.data(), outputs.size(), rows, flags)
                      : gpz_reader_read(readers_[slot()], number(), outputs.data(), outputs.size(), rows, flags));
  }

  void next_of_stream() {
    int found = 0;
    Structure<gpz_frame> frame(gpz_new_frame(0, 0), program_);
    check(gpz_stream_next(streams_[slot()], program_.flag() ? frame.get() : nullptr, &found));
  }

  void read_chunk() {
    const gpz_reader *const reader = readers_[slot()];
    const std::size_t frame = number();
    const std::size_t chunk = number();
    std::uint64_t particles = 0;
    std::size_t size = 0;
    const gpz_status status = gpz_reader_chunk(reader, frame, chunk, &particles, &size);
    check(status);
    if (status != GPZ_OK) return;
    require(
        size <= std::max(size_, made_sizes_.empty() ? 0 : *std::max_element(made_sizes_.begin(), made_sizes_.end())),
        "a chunk is longer than its file");
    const std::size_t capacity = size - (program_.choice(8) == 7 ? size / 2 : 0);
    const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[capacity]);
    check(gpz_reader_read_chunk(reader, frame, chunk, bytes.get(), capacity));
    gpz_chunk_kind kind{};
    check(gpz_reader_chunk_kind(reader, frame, chunk, &kind));
    check(gpz_chunk_kind_of(bytes.get(), capacity, &kind));
  }

  // The reader has the selection in later calls.
  void select() {
    std::vector<std::int64_t> ids(program_.choice(4));
    for (std::int64_t &id : ids) id = static_cast<std::int64_t>(program_.choice(64));
    check(gpz_reader_select_ids(readers_[slot()], ids.empty() ? nullptr : ids.data(), ids.size()));
  }

  void one_column() {
    const std::size_t rows = program_.choice(4) == 3 ? 2 * most_rows : program_.choice(64);
    std::vector<double> floats(rows);
    std::vector<std::int64_t> integers(rows);
    check(gpz_reader_read_double(readers_[slot()], number(), some_names(program_), floats.data(), rows));
    check(gpz_reader_read_int64(readers_[slot()], number(), some_names(program_), integers.data(), rows));
  }

  // Each call has its own structure of the caller's, perhaps of another version.
  void describe(std::size_t what) {
    gpz_reader *const reader = readers_[slot()];
    gpz_stream *const stream = streams_[slot()];
    std::size_t count = 0;
    Structure<gpz_metadata> metadata(gpz_new_metadata(), program_);
    Structure<gpz_scan> scan(gpz_new_scan(), program_);
    Structure<gpz_frame> frame(gpz_new_frame(0, 0), program_);
    Structure<gpz_column_info> column(gpz_new_column_info(), program_);
    switch (what) {
      case 0:
        check(gpz_reader_metadata(reader, metadata.get()));
        break;
      case 1:
        check(gpz_reader_scan(reader, scan.get()));
        break;
      case 2:
        check(gpz_reader_frame(reader, number(), frame.get()));
        break;
      case 3:
        check(gpz_reader_column_count(reader, number(), &count));
        break;
      case 4:
        check(gpz_reader_column(reader, number(), number(), column.get()));
        break;
      case 5:
        check(gpz_stream_metadata(stream, metadata.get()));
        break;
      case 6:
        check(gpz_stream_column_count(stream, &count));
        break;
      case 7:
        check(gpz_stream_column(stream, number(), column.get()));
        break;
      case 8:
        check(gpz_reader_chunk_count(reader, number(), &count));
        break;
      default:
        check(gpz_reader_verify(reader, number()));
    }
  }

  void index() {
    const gpz_reader *const reader = readers_[slot()];
    const std::size_t capacity = program_.choice(8);
    std::vector<std::int64_t> timesteps(capacity);
    std::vector<double> times(capacity);
    check(gpz_reader_index(reader, program_.flag() ? timesteps.data() : nullptr,
                           program_.flag() ? times.data() : nullptr, nullptr, capacity));
    gpz_reader_frames(reader);
  }

  void call(std::size_t number_of_call) {
    if (number_of_call < 4) return open_reader();
    if (number_of_call < 6) return open_stream();
    if (number_of_call < 8) return open_writer();
    if (number_of_call < 12) return write(false);
    if (number_of_call < 13) return write(true);
    if (number_of_call < 15) return close_memory();
    if (number_of_call < 19) return read(false);
    if (number_of_call < 21) return read(true);
    if (number_of_call < 23) return next_of_stream();
    if (number_of_call < 25) return read_chunk();
    if (number_of_call < 26) return one_column();
    if (number_of_call < 36) return describe(number_of_call - 26);
    if (number_of_call < 37) return index();
    gpz_writer *const writer = writers_[slot()];
    if (number_of_call == 37) check(gpz_writer_set_key_interval(writer, program_.number<std::uint16_t>() % 9));
    if (number_of_call == 38) {
      const std::size_t choice = program_.choice(6);
      check(gpz_writer_set_order(writer, choice % 2 == 1 ? GPZ_ORDER_ID : GPZ_ORDER_PLACE));
      check(gpz_writer_set_effort(writer, static_cast<gpz_effort>(choice / 2)));
    }
    if (number_of_call == 39) {
      check(gpz_writer_sync(writer));
      gpz_writer_frames(writer);
      gpz_writer_size(writer);
    }
    if (number_of_call == 40) select();
  }

  Program program_;
  const std::uint8_t *image_;
  std::size_t size_;
  bool hostile_;
  gpz::fuzz::MemoryFile file_;
  std::array<gpz_reader *, slots> readers_{};
  std::array<gpz_stream *, slots> streams_{};
  std::array<gpz_writer *, slots> writers_{};
  std::vector<void *> made_;
  std::vector<std::size_t> made_sizes_;
  std::vector<std::unique_ptr<std::uint8_t[]>> buffers_;
};

// The bytes of the list of calls.
std::size_t calls_size(const std::uint8_t *input, std::size_t size) {
  return std::min<std::size_t>(Program(input, size).number<std::uint16_t>(), size - length_size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *input, std::size_t size) {
  if (size < length_size) return 0;
  const std::size_t calls = calls_size(input, size);
  const std::uint8_t *const image = input + length_size + calls;
  Session(Program(input + length_size, calls), image, size - length_size - calls).run();
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t capacity,
                                               unsigned seed) {
  gpz::fuzz::Random random(seed);
  if (size < length_size) return gpz::fuzz::mutate_bytes(data, size, capacity);
  const std::size_t calls = calls_size(data, size);
  const std::size_t before = length_size + calls;
  if (random() % 3 == 0)
    return before + gpz::fuzz::mutate_file(data + before, size - before, capacity - before, random);

  std::vector<std::uint8_t> list(data + length_size, data + before);
  list.resize(std::min<std::size_t>(calls + 64, 1024));
  list.resize(gpz::fuzz::mutate_bytes(list.data(), std::min(calls, list.size()), list.size()));
  const std::size_t file = size - before;
  if (length_size + list.size() + file > capacity) return size;
  std::memmove(data + length_size + list.size(), data + before, file);
  const auto length = static_cast<std::uint16_t>(list.size());
  std::memcpy(data, &length, sizeof length);
  if (!list.empty()) std::memcpy(data + length_size, list.data(), list.size());
  return length_size + list.size() + file;
}
