// SPDX-License-Identifier: BSD-3-Clause
// The kind of a chunk can be seen, and what a function cannot decode is not called corrupt.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "chunk_kinds.hpp"
#include "container_support.hpp"
#include "gpz/error.hpp"
#include "gpz/gpz.h"

namespace gpz::test::chunk_kind_test {
namespace {

TEST(ChunkKind, NumbersAreThoseOfTheFile) {
  EXPECT_EQ(static_cast<std::uint32_t>(ChunkKind::block), 0u);
  EXPECT_EQ(static_cast<std::uint32_t>(ChunkKind::difference), 1u);
  EXPECT_EQ(static_cast<std::uint32_t>(ChunkKind::ordered), 2u);
  EXPECT_EQ(static_cast<std::uint32_t>(ChunkKind::cells), 3u);
  EXPECT_EQ(static_cast<std::uint32_t>(ChunkKind::sequence), 4u);
  EXPECT_EQ(GPZ_CHUNK_BLOCK, 0);
  EXPECT_EQ(GPZ_CHUNK_DIFFERENCE, 1);
  EXPECT_EQ(GPZ_CHUNK_ORDERED, 2);
  EXPECT_EQ(GPZ_CHUNK_CELLS, 3);
  EXPECT_EQ(GPZ_CHUNK_SEQUENCE, 4);
}

TEST(ChunkKind, IsThatOfTheSecondWord) {
  ChunkKinds kinds;
  for (const ChunkKind kind : {ChunkKind::block, ChunkKind::difference, ChunkKind::ordered}) {
    const std::vector<std::uint8_t> bytes = kinds.chunk(kind).bytes;  // throws unless chunk_kind() says so
    EXPECT_EQ(bytes[4], static_cast<std::uint8_t>(kind));
    gpz_chunk_kind seen = GPZ_CHUNK_BLOCK;
    EXPECT_EQ(gpz_chunk_kind_of(bytes.data(), bytes.size(), &seen), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(static_cast<int>(seen), static_cast<int>(kind));
  }
}

TEST(ChunkKind, OfBytesThatAreNoChunkIsAnError) {
  std::vector<std::uint8_t> bytes = ChunkKinds().chunk(ChunkKind::block).bytes;
  gpz_chunk_kind kind = GPZ_CHUNK_BLOCK;
  EXPECT_EQ(status_of([&] { chunk_kind(bytes.data(), 7); }), Status::truncated);
  EXPECT_EQ(gpz_chunk_kind_of(bytes.data(), 7, &kind), GPZ_TRUNCATED);
  EXPECT_EQ(gpz_chunk_kind_of(nullptr, 8, &kind), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_chunk_kind_of(bytes.data(), 8, nullptr), GPZ_INVALID_ARGUMENT);
  bytes[4] = 5;
  EXPECT_EQ(status_of([&] { chunk_kind(bytes.data(), bytes.size()); }), Status::corrupt);
  EXPECT_EQ(gpz_chunk_kind_of(bytes.data(), bytes.size(), &kind), GPZ_CORRUPT);
}

TEST(ChunkKind, DifferencesByThemselvesAreUnsupported) {
  ChunkKinds kinds;
  const auto decoded = [&](const EncodedChunk &chunk) {
    Frame frame = frame_for(kinds.fields());
    const Status status =
        status_of([&] { decode_chunk(chunk.bytes.data(), chunk.bytes.size(), ChunkKinds::particles, frame); });
    for (const auto &column : frame.columns)
      EXPECT_EQ(column.floats.size() + column.integers.size(), status == Status::ok ? ChunkKinds::particles : 0);
    return status;
  };
  EXPECT_EQ(decoded(kinds.chunk(ChunkKind::block)), Status::ok);
  EXPECT_EQ(decoded(kinds.chunk(ChunkKind::ordered)), Status::ok);
  EXPECT_EQ(decoded(kinds.chunk(ChunkKind::difference)), Status::unsupported);
  EncodedChunk damaged = kinds.chunk(ChunkKind::block);
  damaged.bytes[4] = 4;
  EXPECT_EQ(decoded(damaged), Status::corrupt);
}

// Only a difference frame may have one.
TEST(ChunkKind, DifferencesInAKeyFrameAreCorrupt) {
  ChunkKinds kinds;
  const EncodedChunk chunk = kinds.chunk(ChunkKind::difference);
  FrameInfo info = frame_for(kinds.fields()).info;
  info.particles = ChunkKinds::particles;
  const TemporaryFile file;
  Writer writer(file.path(), {});
  writer.write(info, {chunk});
  writer.close();
  EXPECT_EQ(status_of([&] { Reader(file.path()).read(0); }), Status::corrupt);
  const int descriptor = open(file.path().c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  StreamReader stream(descriptor, "stream");
  Frame frame;
  EXPECT_EQ(status_of([&] { stream.next(frame); }), Status::corrupt);
  close(descriptor);
}

}  // namespace
}  // namespace gpz::test::chunk_kind_test
