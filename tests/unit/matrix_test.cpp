// SPDX-License-Identifier: BSD-3-Clause
// The tables of docs/matrix.md about C++ and C on a CPU: every cell is tried.
#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <map>

#include "gpz/reader.hpp"
#include "matrix_page.hpp"
#include "matrix_support.hpp"

namespace gpz::test::matrix_test {
namespace {

constexpr const char *kind_words[] = {"block", "difference", "ordered", "cells", "sequence"};

template <class Words>
auto meaning(const Words &words, const std::string &word) {
  for (const auto &[name, value] : words)
    if (name == word) return value;
  throw std::runtime_error("docs/matrix.md: an unknown word: " + word);
}

// Marks the kinds of a file's chunks, and reads all frames. `keeps_rows`: the order does, of particles without ids.
void look_at(const Samples &samples, const Bytes &file, bool keeps_rows, TableRow &kinds) {
  const Reader reader = reader_of(file);
  ASSERT_EQ(reader.frames(), samples.frames.size());
  for (std::size_t f = 0; f < reader.frames(); ++f) {
    kinds[static_cast<std::size_t>(reader.chunk_kind(f, 0))] = "yes";
    const Frame frame = reader.read(f);
    EXPECT_TRUE(samples.are_x(f, frame.columns[0].floats)) << samples.name << ", frame " << f;
    EXPECT_TRUE(!keeps_rows || samples.are_rows(f, frame)) << samples.name << ", frame " << f;
  }
}

TEST(Matrix, OrdersAndEffortsOfCppAndC) {
  const std::vector<Samples> all = matrix_samples();
  std::vector<TableRow> table = matrix_table("Orders and efforts");
  EXPECT_EQ(table[0], (TableRow{"order", "effort", "block", "difference", "ordered", "cells", "sequence"}));
  std::map<std::pair<std::string, std::string>, int> seen;
  for (std::size_t r = 1; r < table.size(); ++r) {
    const TableRow &row = table[r];
    ++seen[{row.at(0), row.at(1)}];
    const Order order = meaning(order_words(), row[0]);
    const Effort effort = meaning(effort_words(), row[1]);
    TableRow kinds(5, "no");
    for (const Samples &samples : all) {
      const Bytes file = samples.write(order, effort);
      look_at(samples, file, order != Order::place && samples.id.empty(), kinds);
      EXPECT_TRUE(samples.write_in_c(order, effort) == file) << samples.name << " " << row[0] << " " << row[1];
    }
    EXPECT_EQ(kinds, TableRow(row.begin() + 2, row.end())) << row[0] << " " << row[1];
  }
  EXPECT_EQ(seen.size(), 12u);
  EXPECT_EQ(table.size(), 13u);
}

// A file, and the frame of it that the column of the table is about.
struct Subject {
  const Samples *samples;
  Bytes file;
  std::size_t frame;
};

class Decoders : public testing::Test {
 protected:
  // Tries a decoder, which returns the x of a frame, on each kind, and compares with the row of the page.
  void expect_row(const std::string &name, const std::function<std::vector<double>(const Subject &)> &decode) {
    EXPECT_EQ(matrix_table("Decoders").at(0),
              (TableRow{"decoder", "block", "difference", "ordered", "cells", "sequence"}));
    TableRow row;
    for (const Subject &subject : subjects_) {
      std::string cell = "yes";
      try {
        EXPECT_TRUE(subject.samples->are_x(subject.frame, decode(subject))) << name << " " << row.size();
      } catch (const Error &error) {
        cell = error.status() == Status::unsupported ? "unsupported" : error.what();
      }
      row.push_back(cell);
    }
    EXPECT_EQ(row, matrix_row("Decoders", name));
  }

  void SetUp() override {
    add(0, Order::place, Effort::fast, 0, ChunkKind::block);
    add(0, Order::place, Effort::fast, 1, ChunkKind::difference);
    add(0, Order::id, Effort::fast, 0, ChunkKind::ordered);
    add(3, Order::place, Effort::dense, 0, ChunkKind::cells);
    add(2, Order::memory, Effort::fast, 0, ChunkKind::sequence);
  }

 private:
  void add(std::size_t s, Order order, Effort effort, std::size_t frame, ChunkKind kind) {
    subjects_.push_back({&all_[s], all_[s].write(order, effort), frame});
    EXPECT_EQ(reader_of(subjects_.back().file).chunk_kind(frame, 0), kind) << kind_words[static_cast<int>(kind)];
  }

  std::vector<Samples> all_ = matrix_samples();
  std::vector<Subject> subjects_;
};

// The status of a C function as an exception.
void need(gpz_status status) {
  if (status != GPZ_OK) throw Error(static_cast<Status>(status), gpz_last_error());
}

TEST_F(Decoders, Reader) {
  expect_row("gpz::Reader", [](const Subject &s) { return reader_of(s.file).read(s.frame).columns[0].floats; });
}

TEST_F(Decoders, StreamReader) {
  expect_row("gpz::StreamReader", [](const Subject &s) {
    const TemporaryFile file;
    file.set(s.file);
    const int descriptor = open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    StreamReader reader(descriptor, "file");
    Frame frame;
    for (std::size_t f = 0; f <= s.frame; ++f) EXPECT_TRUE(reader.next(frame));
    close(descriptor);
    return frame.columns[0].floats;
  });
}

TEST_F(Decoders, DecodeChunk) {
  expect_row("gpz::decode_chunk", [](const Subject &s) {
    const class Reader reader = reader_of(s.file);
    const Bytes chunk = reader.chunk(s.frame, 0);
    Frame frame;
    frame.info = reader.info(s.frame);
    for (std::size_t f = 0; f < frame.info.fields.size(); ++f)
      for (std::size_t d = 0; d < frame.info.fields[f].components.size(); ++d) {
        frame.columns.emplace_back();
        frame.columns.back().field = f;
        frame.columns.back().component = d;
      }
    decode_chunk(chunk.data(), chunk.size(), frame.info.particles, frame);
    return frame.columns[0].floats;
  });
}

TEST_F(Decoders, CReader) {
  expect_row("gpz_reader_read", [](const Subject &s) {
    gpz_reader *reader = nullptr;
    need(gpz_reader_open_memory(s.file.data(), s.file.size(), 1, &reader));
    std::vector<double> x(s.samples->particles());
    const gpz_status status = gpz_reader_read_double(reader, s.frame, "x", x.data(), x.size());
    gpz_reader_close(reader);
    need(status);
    return x;
  });
}

TEST_F(Decoders, CStream) {
  expect_row("gpz_stream_read", [](const Subject &s) {
    const TemporaryFile file;
    file.set(s.file);
    const int descriptor = open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    gpz_stream *stream = nullptr;
    need(gpz_stream_open(descriptor, "file", 1, &stream));
    gpz_frame info = gpz_new_frame(0, 0);
    int found = 0;
    for (std::size_t f = 0; f <= s.frame; ++f) EXPECT_EQ(gpz_stream_next(stream, &info, &found), GPZ_OK);
    std::vector<double> x(s.samples->particles());
    const gpz_output output = gpz_into_column("x", GPZ_FLOAT64, x.data());
    const gpz_status status = gpz_stream_read(stream, &output, 1, x.size(), 0);
    gpz_stream_close(stream);
    close(descriptor);
    need(status);
    return x;
  });
}

}  // namespace
}  // namespace gpz::test::matrix_test
