// SPDX-License-Identifier: BSD-3-Clause
// Decoders that follow some of the particles: words of other blocks of steps are not decoded.
#include <gtest/gtest.h>

#include <cmath>

#include "lanes_support.hpp"
#include "matter.hpp"

namespace gpz::lanes::lanes_followed_test {
namespace {

using codec::empty_frame;
using codec::Frame;

// A decoder that follows the slots of one block of 1,024, and so one block of steps of two.
class SomeFollowed {
 public:
  static constexpr std::int64_t unknown = INT64_MIN;

  SomeFollowed(const Frame &first, std::uint32_t slot) {
    const std::size_t n = first[0].size();
    history.start(codec::columns(first), n, 3);
    std::vector<std::uint32_t> rows(n, codec::no_row);
    rows[slot] = 0;
    codec::Target target;
    target.rows = rows.data();
    target.is_partial = true;
    blocks = {target, n};
  }

  Frame decoded(const molecule::Bytes &bytes, const Edges &box) {
    Frame out = empty_frame(history.particles);
    for (auto &column : out) std::fill(column.begin(), column.end(), unknown);
    const codec::FollowedBlocks followed{blocks, has_all};
    decode(state, history, bytes.data(), bytes.size(), box.axes, 2, codec::output(out), &followed);
    return out;
  }
  void advance(const Frame &q, const Edges &box) {
    history.advance(codec::columns(q), box.axes, codec::kernels(), 1, blocks);
    has_all = false;
  }
  // Followed particles have these indices, and no others have any.
  void expect(const Frame &decoded, const Frame &q) const {
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < q[d].size(); ++i)
        ASSERT_EQ(decoded[d][i], blocks.has(i / 1024) ? q[d][i] : unknown) << i << ' ' << d;
  }

  codec::DifferenceState history;
  State state;
  codec::WantedBlocks blocks;
  bool has_all = true;
};

// Rigid molecules in two blocks of steps: those of lower slots are in the first one.
struct SpreadWaters {
  test::Waters waters{6200, 0, 1};
  Edges box;

  SpreadWaters() {
    // Apart from each other, so that all molecules are found.
    constexpr std::size_t side = 19;
    for (std::size_t i = 0; i < waters.position.size(); i += 3) {
      const test::Vector oxygen = waters.position[i];
      const std::size_t site[] = {i / 3 % side, i / 3 / side % side, i / 3 / side / side};
      for (std::size_t k = i; k < i + 3; ++k)
        for (std::size_t d = 0; d < 3; ++d)
          waters.position[k][d] += static_cast<double>(site[d]) * waters.edges[d] / side - oxygen[d];
    }
    for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(waters.edges[d] / step)};
  }
  // Every thousandth particle is an edge away from where it should be.
  Frame frame() const {
    Frame q = empty_frame(waters.position.size());
    for (std::size_t i = 0; i < q[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d)
        q[d][i] = core::wrap(std::llround(waters.inside(i)[d] / step), box.axes[d]) +
                  (i % 1000 == 1 && d == 0 ? box.axes[d].period : 0);
    return q;
  }
  Frame next() {
    waters.move();
    return frame();
  }

 private:
  static constexpr double step = 0.002;
};

TEST(LanesFollowed, WordsOfOtherBlocksAreNotDecoded) {
  SpreadWaters waters;
  const Edges &box = waters.box;
  const Frame first = waters.frame();
  Followed all(first);
  SomeFollowed low(first, 5), high(first, 18000);
  for (int f = 1; f < 7; ++f) {
    SCOPED_TRACE(f);
    const Frame q = waters.next();
    const molecule::Bytes bytes = all.next(q, box);
    ASSERT_FALSE(bytes.empty());
    if (f > 1) {
      // Words of the second block, then of the first.
      for (const std::size_t at : {bytes.size() - 1000, bytes.size() / 4}) {
        molecule::Bytes damaged = bytes;
        for (std::size_t k = 0; k < 64; ++k) damaged[at + k] ^= 0xFF;
        SomeFollowed copy = at < bytes.size() / 2 ? high : low, other = at < bytes.size() / 2 ? low : high;
        copy.expect(copy.decoded(damaged, box), q);
        EXPECT_THROW(other.decoded(damaged, box), Error) << at;
        EXPECT_TRUE(other.state.empty());
      }
    }
    for (SomeFollowed *some : {&low, &high}) {
      const Frame decoded = some->decoded(bytes, box);
      some->expect(decoded, q);
      some->advance(decoded, box);
    }
  }
  // A frame in another coding: rows are made of all indices of a block, of which some are not known.
  const Frame skipped = waters.next();
  all.skip(skipped, box);
  high.advance(skipped, box);
  const molecule::Bytes bytes = all.next(waters.next(), box);
  EXPECT_THROW(high.decoded(bytes, box), codec::AllSlotsNeeded);
  EXPECT_TRUE(high.state.empty());
}

TEST(LanesFollowed, ParticlesWithoutBonds) {
  const double bond = 300, size = molecule::size_of(20000, bond);
  const Edges box = molecule::box_of(0, molecule::cube(size));
  Moving particles(chain(1), 20000, bond, size, 7);
  const Frame first = particles.in(box);
  Followed all(first);
  all.use_bonds = false;
  SomeFollowed low(first, 5), high(first, 18000);
  for (int f = 1; f < 5; ++f) {
    SCOPED_TRACE(f);
    particles.move(20);
    const Frame q = particles.in(box);
    const molecule::Bytes bytes = all.next(q, box);
    ASSERT_FALSE(all.theirs.have_bonds());
    // Words of the second block.
    molecule::Bytes damaged = bytes;
    for (std::size_t k = 0; k < 64; ++k) damaged[bytes.size() - 1000 + k] ^= 0xFF;
    SomeFollowed copy = low, other = high;
    copy.expect(copy.decoded(damaged, box), q);
    EXPECT_THROW(other.decoded(damaged, box), Error);
    for (SomeFollowed *const some : {&low, &high}) {
      const Frame decoded = some->decoded(bytes, box);
      some->expect(decoded, q);
      some->advance(decoded, box);
    }
  }
}

// All particles of a key frame are decoded, and followed ones from there on: with its plan, and with another one, as
// where bonds have any angle, which hardly changes from frame to frame.
template <typename Next>
void expect_after_key(const Edges &box, const Frame &first, bool is_other, const Next &next) {
  Followed all(first);
  const Bytes key = key_of(all, first, box);
  ASSERT_FALSE(key.empty());
  std::vector<Frame> frames;
  for (int f = 1; f < 4; ++f) frames.push_back(next());
  for (const std::uint32_t slot : {5U, 18000U}) {
    SomeFollowed some(first, slot);
    Frame out = empty_frame(first[0].size());
    decode_key(some.state, first[0].size(), key.data(), key.size(), box.axes, 2, codec::output(out));
    EXPECT_TRUE(out == first);
    Followed encoder = all;
    for (const Frame &q : frames) {
      const Bytes bytes = encoder.next(q, box);
      ASSERT_FALSE(bytes.empty());
      EXPECT_EQ((bytes[0] & head::molecules) != 0, is_other && &q == frames.data());
      const Frame decoded = some.decoded(bytes, box);
      some.expect(decoded, q);
      some.advance(decoded, box);
    }
  }
}

TEST(LanesFollowed, AfterAKeyFrame) {
  SpreadWaters waters;
  expect_after_key(waters.box, waters.frame(), true, [&] { return waters.next(); });
  const double bond = 300, size = molecule::size_of(20000, bond);
  const Edges box = molecule::box_of(0, molecule::cube(size));
  for (const bool is_other : {false, true}) {
    Moving molecules(is_other ? chain(20) : chain(2), is_other ? 1000 : 10000, bond, size, 3);
    expect_after_key(box, molecules.in(box), is_other, [&] {
      molecules.move(1);
      return molecules.in(box);
    });
  }
}

}  // namespace
}  // namespace gpz::lanes::lanes_followed_test
