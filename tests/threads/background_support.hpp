// SPDX-License-Identifier: BSD-3-Clause
// What tests of frames behind a simulation share: a group of ranks, each of which can make the chunks of all, and the
// file that a single thread makes of them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstring>

#include "gpz_background.h"
#include "tests/unit/trajectory_support.hpp"

namespace gpz::test {

using LAMMPS_NS::GPZBackground;
using LAMMPS_NS::GPZChunk;
using LAMMPS_NS::GPZRecords;

constexpr int frame_count = 12;

// What rank `rank` has in frame `f`: every rank can make the chunks of all.
inline EncodedChunk chunk_of(int rank, int f, FrameInfo &info) {
  Gas gas(400 + 100 * static_cast<std::size_t>(rank),
          100 * static_cast<std::uint64_t>(rank) + static_cast<std::uint64_t>(f) + 1);
  const Snapshot snapshot = gas.snapshot();
  const std::vector<FieldInput> fields = snapshot.inputs();
  info = snapshot.info;
  info.timestep = f;
  info.fields.clear();
  for (const FieldInput &field : fields) {
    info.fields.push_back(field.field);
    fill_step(info.fields.back());
  }
  return encode(fields, snapshot.info.particles);
}

struct Group {
  MPI_Comm comm;
  int me = 0, size = 1;
  explicit Group(MPI_Comm of) : comm(of) {
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
  }

  // The chunks of all ranks, and the head of their frame.
  std::vector<EncodedChunk> chunks(int f, FrameInfo &info) const {
    std::vector<EncodedChunk> all;
    info = {};
    FrameInfo part;
    for (int rank = 0; rank < size; ++rank) {
      all.push_back(chunk_of(rank, f, part));
      part.particles += info.particles;
      for (std::size_t q = 0; q < part.fields.size(); ++q)
        part.fields[q].largest_error =
            std::max(info.fields.empty() ? 0 : info.fields[q].largest_error, all.back().largest_error[q]);
      info = part;
    }
    return all;
  }
};

// What stands in front of frame `f`: nothing, one record or two.
inline GPZRecords records_of(int f) {
  std::vector<StoredRecord> list;
  for (int n = 0; n < f % 3; ++n)
    list.push_back({0x80000011u + static_cast<std::uint32_t>(n), Bytes(16, static_cast<std::uint8_t>(f)), Bytes(40)});
  return GPZRecords(list);
}

// The bytes of a chunk in one of the buffers that the caller fills again and again.
class Buffers {
 public:
  GPZChunk fill(int buffer, const EncodedChunk &from) {
    Bytes &bytes = buffers_.at(static_cast<std::size_t>(buffer));
    bytes = from.bytes;
    GPZChunk chunk;
    chunk.particles = from.particles;
    chunk.size = bytes.size();
    chunk.largest_error = from.largest_error;
    chunk.bytes = [&bytes] { return bytes.data(); };
    return chunk;
  }

 private:
  std::array<Bytes, GPZBackground::nbuffers> buffers_;
};

inline std::vector<ChunkEntry> entries_of(const std::vector<EncodedChunk> &chunks, bool with_checksums = false) {
  std::vector<ChunkEntry> entries;
  entries.reserve(chunks.size());
  for (const EncodedChunk &chunk : chunks)
    entries.push_back({chunk.particles, chunk.bytes.size(), with_checksums ? chunk.checksum : 0});
  return entries;
}

// The file of these frames of all ranks of the group, written by one thread.
inline Bytes expected_file(const Group &group, int frames) {
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  for (int f = 0; f < frames; ++f) {
    FrameInfo info;
    const std::vector<EncodedChunk> chunks = group.chunks(f, info);
    const GPZRecords records = records_of(f);
    for (const StoredRecord &record : records.list()) writer.write(record);
    writer.write(info, chunks);
  }
  return bytes;
}

// Of all ranks, or of one.
class GroupTest : public testing::TestWithParam<bool> {
 protected:
  const Group group_{GetParam() ? MPI_COMM_WORLD : MPI_COMM_SELF};
  const Bytes header_ = file_header(small_metadata());
  TemporaryFile file_;
  std::string path_ = shared_path();

  // Collective: the file of the first rank.
  std::string shared_path() const {
    std::array<char, 1024> name{};
    std::strncpy(name.data(), file_.path().c_str(), name.size() - 1);
    if (group_.me == 0) file_.set(header_);
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, group_.comm);
    return name.data();
  }
};

}  // namespace gpz::test
