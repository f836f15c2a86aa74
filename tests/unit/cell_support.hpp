// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of cell chunks: particles without ids, and a comparison that knows them by their values.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "codec_support.hpp"
#include "container_support.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/trajectory/independent_writer.hpp"

namespace gpz::test {

// Places of particles, one after the other, and a number for each.
template <typename T>
struct Cloud {
  int components = 3;
  double bound = 0.001;
  std::vector<T> positions;
  std::vector<std::int64_t> tags;
  Box box;

  std::size_t size() const { return tags.size(); }
  void add(const std::array<double, 3> &position) {
    for (int d = 0; d < components; ++d) positions.push_back(static_cast<T>(position[static_cast<std::size_t>(d)]));
    tags.push_back(static_cast<std::int64_t>(tags.size()));
  }
  void shuffle(Random &random) {
    for (std::size_t i = size(); i > 1; --i) {
      const std::size_t j = random.below(i);
      for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d)
        std::swap(positions[(i - 1) * static_cast<std::size_t>(components) + d],
                  positions[j * static_cast<std::size_t>(components) + d]);
      std::swap(tags[i - 1], tags[j]);
    }
  }
  std::vector<FieldInput> inputs() const {
    std::vector<FieldInput> out{field("p", positions, components, bound, true), field("tag", tags, 1, 0, false)};
    const char *const names[] = {"x", "y", "z"};
    for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) out[0].field.components[d].name = names[d];
    return out;
  }
};

template <typename T>
EncodedChunk chunk_of_kind(ChunkKind kind, const Cloud<T> &cloud, const std::vector<int> &rows = {}) {
  std::vector<FieldInput> fields = cloud.inputs();
  format::prepare_fields(fields, cloud.size());
  EncodedChunk chunk;
  trajectory::EncoderTools tools(1);
  trajectory::encode_independent(kind, fields, rows.empty() ? cloud.size() : rows.size(),
                                 rows.empty() ? nullptr : rows.data(), cloud.box, 0, tools, chunk);
  chunk.checksum = chunk_checksum(chunk.bytes.data(), chunk.bytes.size());
  return chunk;
}

template <typename T>
EncodedChunk cell_chunk(const Cloud<T> &cloud, const std::vector<int> &rows = {}) {
  return chunk_of_kind(ChunkKind::cells, cloud, rows);
}

// Every particle comes back once, with its tag, and each value is the one of the grid that is nearest, or the value
// itself.
template <typename T>
void expect_whole(const Cloud<T> &cloud, const EncodedChunk &chunk) {
  const std::vector<FieldInput> fields = cloud.inputs();
  const Frame frame = decode(fields, chunk);
  const auto components = static_cast<std::size_t>(cloud.components);
  const std::vector<std::int64_t> &tags = frame.columns[components].integers;
  ASSERT_EQ(tags.size(), cloud.size());
  std::vector<std::int64_t> sorted = tags;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<std::int64_t>(i));
  // In the order of the cloud, whose tags may have been shuffled.
  std::vector<std::size_t> row_of(cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) row_of[static_cast<std::size_t>(cloud.tags[i])] = i;
  const double step = frame.info.fields[0].step;
  double largest = 0;
  for (std::size_t i = 0; i < tags.size(); ++i)
    for (std::size_t d = 0; d < components; ++d) {
      const T given = cloud.positions[row_of[static_cast<std::size_t>(tags[i])] * components + d];
      const double decoded = frame.columns[d].floats[i];
      ASSERT_TRUE(within(given, decoded, cloud.bound)) << given << ' ' << decoded;
      if (!std::isfinite(given)) continue;
      const auto nearest = static_cast<T>(std::nearbyint(static_cast<double>(given) / step) * step);
      ASSERT_TRUE(decoded == static_cast<double>(nearest) || decoded == static_cast<double>(given));
      largest = std::max(largest, std::fabs(static_cast<double>(given) - decoded));
    }
  EXPECT_LE(largest, chunk.largest_error[0] * (1 + 1e-6));
  EXPECT_LE(chunk.largest_error[0], cloud.bound);
}

}  // namespace gpz::test
