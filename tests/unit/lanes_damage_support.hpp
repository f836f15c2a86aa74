// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of damaged sections of steps: sections with what comes before them, and their parts.
#pragma once

#include <gtest/gtest.h>

#include "gpz/lanes/stream.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes {

// A section with the history before it.
struct Case {
  codec::DifferenceState history;
  State state;
  Edges edges;
  Bytes bytes;
  bool is_key = false;  // then the history is that of the frame itself

  bool is_refused(const Bytes &changed) const {
    const test::Copy copy(changed);
    codec::Frame out = codec::empty_frame(history.particles);
    State scratch = state;
    try {
      if (is_key)
        decode_key(scratch, history.particles, copy.data.get(), copy.size, edges.axes, 1, codec::output(out));
      else
        decode(scratch, history, copy.data.get(), copy.size, edges.axes, 1, codec::output(out));
    } catch (const Error &error) {
      EXPECT_TRUE(error.status() == Status::corrupt || error.status() == Status::limit_exceeded);
      EXPECT_TRUE(scratch.empty());
      return true;
    }
    EXPECT_FALSE(scratch.empty());
    // The state is good enough to go on with.
    Followed following(out);
    if (!is_key) {
      following.state = history;
      following.skip(out, edges);
    }
    Bytes again;
    static_cast<void>(encode(scratch, following.state, codec::columns(out), edges, again));
    return false;
  }
};

// The parts of a section.
struct Parts {
  std::uint64_t flags = 0;
  Bytes box, molecules, constants, tables, templates, images;
  std::vector<std::vector<std::uint16_t>> words;

  // `blocks`: how many there are.
  Parts(const Bytes &bytes, std::size_t blocks, bool is_key) {
    format::ByteReader in(bytes.data(), bytes.size());
    const auto take = [&](std::size_t count) {
      const std::uint8_t *const from = in.take(count);
      return Bytes(from, from + count);
    };
    const auto stream = [&] {
      const std::uint64_t length = format::ByteReader(bytes.data() + in.position(), in.left()).u64();
      return take(8 + static_cast<std::size_t>(length));
    };
    flags = in.u64();
    if ((flags & head::tilted) != 0) box = take(72);
    if ((flags & head::molecules) != 0) molecules = stream();
    if ((flags & head::constants) != 0) constants = stream();
    if ((flags & head::tables) != 0) tables = stream();
    if (is_key) templates = stream();
    images = take(8);
    if (images != Bytes(8)) {
      const Bytes more = stream();
      images.insert(images.end(), more.begin(), more.end());
    }
    words.resize(blocks);
    for (auto &of : words) of.resize(in.u32());
    for (auto &of : words)
      for (std::uint16_t &word : of) word = in.u16();
  }
  Bytes whole() const {
    Bytes bytes;
    format::ByteWriter out(bytes);
    out.u64(flags);
    for (const Bytes *part : {&box, &molecules, &constants, &tables, &templates, &images})
      bytes.insert(bytes.end(), part->begin(), part->end());
    for (const auto &of : words) out.u32(static_cast<std::uint32_t>(of.size()));
    for (const auto &of : words)
      for (const std::uint16_t word : of) out.u16(word);
    out.pad_to_8();
    return bytes;
  }
};

}  // namespace gpz::lanes
