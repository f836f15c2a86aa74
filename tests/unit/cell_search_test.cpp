// SPDX-License-Identifier: BSD-3-Clause
// Positions elsewhere than in the box of the file take as many bits as those in it, and difference chunks that are
// larger than independent ones are not written.
#include "gpz/trajectory/cell_search.hpp"

#include <array>
#include <cmath>

#include "container_support.hpp"
#include "difference_support.hpp"
#include "gpz/chunk.hpp"
#include "gpz/trajectory/difference_patience.hpp"

namespace gpz::test::cell_search_test {
namespace {

using codec::columns;
using Frame = codec::Frame;
using Type = ConstArray::Type;
using Vector = std::array<double, 3>;

constexpr std::size_t particles = 2000;
constexpr double edge = 20;
constexpr double bound = 0.001;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // From -1 to 1.
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state_)) / 9223372036854775808.0;
  }

 private:
  std::uint64_t state_;
};

// Particles that move a little from frame to frame, as fractions of the edges, not wrapped.
std::vector<std::vector<Vector>> motion(std::size_t frames, double step) {
  Random random(7);
  std::vector<Vector> at(particles), velocity(particles);
  for (Vector &x : at) x = {random.next(), random.next(), random.next()};
  for (Vector &v : velocity) v = {step * random.next(), step * random.next(), step * random.next()};
  std::vector<std::vector<Vector>> all;
  for (std::size_t f = 0; f < frames; ++f) {
    all.push_back(at);
    for (std::size_t i = 0; i < particles; ++i)
      for (std::size_t d = 0; d < 3; ++d) at[i][d] += velocity[i][d] + 0.05 * step * random.next();
  }
  return all;
}

Box box_of(const std::array<double, 3> &tilt) {
  Box box;
  box.kind = tilt == std::array<double, 3>{} ? Box::Kind::orthogonal : Box::Kind::triclinic;
  box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
  box.values = {0, edge, 0, edge, 0, edge, tilt[0], tilt[1], tilt[2]};
  return box;
}

// Coordinates whose fractions are from `low` on, one period wide, moved by `shift` times the edges.
std::vector<double> coordinates(const std::vector<Vector> &fractions, const Box &box, double low, double shift) {
  const auto &v = box.values;
  std::vector<double> out;
  for (Vector s : fractions) {
    for (double &value : s) value = value - std::floor(value - low) + shift;
    out.push_back(s[0] * edge + s[1] * v[6] + s[2] * v[7]);
    out.push_back(s[1] * edge + s[2] * v[8]);
    out.push_back(s[2] * edge);
  }
  return out;
}

// The bytes of a file of frames in the order of ids, which are read back.
std::size_t written(const std::vector<std::vector<double>> &frames, const Box &box, Effort effort,
                    unsigned interval = 100) {
  std::vector<std::int64_t> ids(particles);
  for (std::size_t i = 0; i < particles; ++i) ids[i] = static_cast<std::int64_t>(i) + 1;
  Bytes bytes;
  Writer writer(bytes, {});
  writer.set_effort(effort);
  writer.set_key_interval(interval);
  for (const std::vector<double> &x : frames) {
    FrameInfo info;
    info.particles = particles;
    info.box = box;
    std::vector<FieldInput> fields(2);
    fields[0].field.leading = true;
    fields[0].field.bound = bound;
    fields[0].field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
    for (std::size_t d = 0; d < 3; ++d) fields[0].components[d] = {x.data() + d, 24, Type::float64};
    fields[1].field.type = ValueType::integer;
    fields[1].field.components = {{"id", 3}};
    fields[1].components[0] = {ids.data(), 8, Type::int64};
    writer.write(info, fields);
  }
  writer.close();
  const Reader reader = reader_of(bytes);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const gpz::Frame frame = reader.read(f, ReadOptions{1, true});
    for (std::size_t i = 0; i < particles; ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        const double found = frame.find(std::string(1, "xyz"[d]))->floats[i];
        EXPECT_LE(std::fabs(found - frames[f][3 * i + d]), bound);
      }
  }
  return bytes.size();
}

std::vector<std::vector<double>> placed(const std::vector<std::vector<Vector>> &motion, const Box &box, double low,
                                        double shift) {
  std::vector<std::vector<double>> frames;
  frames.reserve(motion.size());
  for (const auto &fractions : motion) frames.push_back(coordinates(fractions, box, low, shift));
  return frames;
}

TEST(CellSearch, TheBoxMayBeElsewhere) {
  const auto moving = motion(8, 0.01);
  const Box box = box_of({});
  for (const Effort effort : {Effort::fast, Effort::standard}) {
    const auto usual = static_cast<double>(written(placed(moving, box, 0, 0), box, effort));
    for (const double shift : {-0.5, 0.1, 0.37, 0.5, 0.9, 3.0})
      EXPECT_LT(static_cast<double>(written(placed(moving, box, 0, shift), box, effort)), 1.06 * usual) << shift;
    // Centred at 0, as CHARMM and NAMD write it; and no box at all, whose period is seen in the jumps.
    EXPECT_LT(static_cast<double>(written(placed(moving, box, -0.5, 0), box, effort)), 1.06 * usual);
    EXPECT_LT(static_cast<double>(written(placed(moving, box, 0, 0), {}, effort)), 1.10 * usual);
  }
}

TEST(CellSearch, OfTiltedBoxes) {
  const auto moving = motion(8, 0.01);
  const Box box = box_of({6, -3, 8});
  const auto usual = static_cast<double>(written(placed(moving, box, 0, 0), box, Effort::fast));
  for (const double shift : {-0.5, 0.3, 0.5, 0.8})
    EXPECT_LT(static_cast<double>(written(placed(moving, box, 0, shift), box, Effort::fast)), 1.06 * usual) << shift;
}

TEST(CellSearch, UnwrappedPositionsAreFollowedThroughTheBox) {
  const auto moving = motion(8, 0.01);
  const Box box = box_of({});
  std::vector<std::vector<double>> open;
  for (const auto &fractions : moving) {
    std::vector<double> x;
    for (const Vector &s : fractions)
      for (const double value : s) x.push_back(edge * value);
    open.push_back(x);
  }
  const auto usual = static_cast<double>(written(open, {}, Effort::fast));
  EXPECT_LT(static_cast<double>(written(open, box, Effort::fast)), 1.04 * usual);
}

// Programs bring particles back now and then: in between, none goes through an edge.
TEST(CellSearch, EdgesThatWereFoundStay) {
  const auto moving = motion(3, 0.01);
  std::vector<Frame> frames;
  for (const std::vector<double> &x : placed(moving, box_of({}), 0, 0)) {
    Frame q;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < particles; ++i) q[d].push_back(std::llround(x[3 * i + d] / bound));
    frames.push_back(q);
  }
  Frame still = frames[2];
  for (auto &x : still[0]) x += 1;
  Field field;
  field.type = ValueType::float64;
  field.step = bound;
  field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
  trajectory::CellSearch search;
  search.set_thorough(true);
  const Frame *last = frames.data();
  for (const Frame *now : {&frames[1], &frames[2], &still}) {
    const codec::IndexColumns before = columns(*last);
    const core::GridBox axes = search.find({}, field, columns(*now), &before, particles).axes;
    for (const core::GridAxis &axis : axes) EXPECT_NEAR(static_cast<double>(axis.period), edge / bound, 100);
    last = now;
  }
}

// Frames that have nothing to do with each other.
// Tilted cells are those of three components.
TEST(CellSearch, TwoComponentsOfATiltedCellThatNoBoxNames) {
  const auto moving = motion(6, 0.01);
  Field field;
  field.type = ValueType::float64;
  field.step = bound;
  field.components = {{"x", 0}, {"y", 1}};
  trajectory::CellSearch search;
  search.set_thorough(true);
  std::array<std::vector<std::int64_t>, 2> before;
  for (const std::vector<double> &x : placed(moving, box_of({5, 0, 0}), 0, 0)) {
    std::array<std::vector<std::int64_t>, 2> q;
    for (std::size_t d = 0; d < q.size(); ++d)
      for (std::size_t i = 0; i < particles; ++i) q[d].push_back(std::llround(x[3 * i + d] / bound));
    const codec::IndexColumns now{q[0].data(), q[1].data(), nullptr};
    const codec::IndexColumns last{before[0].data(), before[1].data(), nullptr};
    EXPECT_FALSE(search.find({}, field, now, before[0].empty() ? nullptr : &last, particles).tilted);
    before = q;
  }
}

TEST(DifferencePatience, FramesFarApartAreIndependent) {
  std::vector<std::vector<double>> frames;
  for (std::size_t f = 0; f < 12; ++f) {
    Random random(100 + f);
    std::vector<double> x(3 * particles);
    for (double &value : x) value = edge / 2 * (1 + random.next());
    frames.push_back(x);
  }
  const Box box = box_of({});
  for (const Effort effort : {Effort::fast, Effort::standard}) {
    const auto alone = static_cast<double>(written(frames, box, effort, 1));
    EXPECT_LT(static_cast<double>(written(frames, box, effort)), 1.03 * alone);
  }
}

TEST(DifferencePatience, WaitsForTheHistoryOnce) {
  trajectory::DifferencePatience patience;
  EXPECT_TRUE(patience.tolerates(1200, 1000));
  patience.encoded(true, false);
  EXPECT_TRUE(patience.tolerates(1090, 1000));  // half of the excess is gone
  patience.encoded(true, false);
  EXPECT_FALSE(patience.tolerates(1010, 1000));
  patience.encoded(true, true);
  EXPECT_FALSE(patience.waits());
  // A coding that has lost is not tolerated again.
  EXPECT_FALSE(patience.tolerates(1010, 1000));
  patience.encoded(true, true);
  EXPECT_TRUE(patience.waits());
  EXPECT_TRUE(patience.waits());
  EXPECT_FALSE(patience.waits());
  patience.encoded(false, false);
  EXPECT_TRUE(patience.tolerates(1200, 1000));
}

TEST(DifferencePatience, WaitsSixteenFramesAtMost) {
  trajectory::DifferencePatience patience;
  unsigned waited = 0;
  for (int loss = 0; loss < 100; ++loss) {
    patience.encoded(true, true);
    for (waited = 0; patience.waits();) ++waited;
    EXPECT_LE(waited, 16U);
  }
  EXPECT_EQ(waited, 16U);
}

TEST(DifferencePatience, EndsWhereNothingShrinks) {
  trajectory::DifferencePatience patience;
  EXPECT_TRUE(patience.tolerates(1100, 1000));
  patience.encoded(true, false);
  EXPECT_FALSE(patience.tolerates(1090, 1000));
  EXPECT_FALSE(trajectory::DifferencePatience().tolerates(1250, 1000));
}

}  // namespace
}  // namespace gpz::test::cell_search_test
