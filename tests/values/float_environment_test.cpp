// SPDX-License-Identifier: BSD-3-Clause
// Programs may round in another direction, flush subnormal numbers to zero (whoever links with -ffast-math does), or be
// ended by invalid operations. The library gives the same bytes and the same values then, and leaves the state as it
// was.
#include <gtest/gtest.h>

#include <cfenv>
#include <cstring>
#include <numeric>

#if defined(__x86_64__)
#include <pmmintrin.h>
#include <xmmintrin.h>
#endif

#include "edge_values.hpp"
#include "gpz/error.hpp"
#include "motion.hpp"
#include "value_file.hpp"

namespace gpz::values::float_environment_test {
namespace {

struct Environment {
  const char *name;
  int rounding;
  bool flush;
  bool traps;
};

std::vector<Environment> environments() {
  std::vector<Environment> all = {{"upward", FE_UPWARD, false, false},
                                  {"downward", FE_DOWNWARD, false, false},
                                  {"toward zero", FE_TOWARDZERO, false, false}};
#if defined(__x86_64__)
  all.push_back({"flush to zero", FE_TONEAREST, true, false});
  all.push_back({"flush to zero, upward", FE_UPWARD, true, false});
  all.push_back({"traps", FE_TONEAREST, false, true});
#endif
  return all;
}

// Sets the environment until it goes out of scope; it has to be as it was set then.
class Scope {
 public:
  explicit Scope(const Environment &environment) : rounding_(environment.rounding) {
    std::fegetenv(&before_);
    std::fesetround(environment.rounding);
#if defined(__x86_64__)
    if (environment.flush) _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    if (environment.traps) feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    state_ = _mm_getcsr();
#endif
  }
  ~Scope() {
    EXPECT_EQ(std::fegetround(), rounding_);
#if defined(__x86_64__)
    constexpr unsigned exceptions = 0x3F;  // what has occurred so far
    EXPECT_EQ(_mm_getcsr() & ~exceptions, state_ & ~exceptions);
#endif
    std::fesetenv(&before_);
  }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

 private:
  int rounding_;
  std::fenv_t before_{};
  unsigned state_ = 0;
};

FrameValues edge_frame(double bound) {
  FrameValues out;
  out.particles = 3000;
  std::vector<double> x(3 * out.particles);
  std::vector<float> v(out.particles);
  std::vector<std::int64_t> id(out.particles);
  std::iota(id.begin(), id.end(), 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = edge_value<double>(1, i, grid_step(bound), 20);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = edge_value<float>(2, i, grid_step(bound, ValueType::float32), 20);
  out.fields = {field_of({"x", "y", "z"}, x, bound), field_of({"v"}, v, bound), field_of({"id"}, id),
                field_of({"q"}, std::vector<double>(x.begin(), x.begin() + 3000))};
  out.fields[0].field.leading = true;
  return out;
}

std::vector<FrameValues> frames_of(double bound) {
  if (bound != 0) return {edge_frame(bound)};
  std::vector<FrameValues> frames;
  MovingParticles<double> moving(Motion::odd, 1200, 1);
  frames.reserve(5);
  for (int i = 0; i < 5; ++i) frames.push_back(moving.next());
  return frames;
}

bool same_bits(const Frame &a, const Frame &b) {
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const auto &x = a.columns[c];
    const auto &y = b.columns[c];
    if (x.integers != y.integers || x.floats.size() != y.floats.size() ||
        (!x.floats.empty() && std::memcmp(x.floats.data(), y.floats.data(), x.floats.size() * sizeof(double)) != 0))
      return false;
  }
  return a.columns.size() == b.columns.size();
}

// Bounds among subnormal numbers, of float and of double, too. 0: a trajectory.
TEST(FloatEnvironment, OfTheProgramDoesNotMatter) {
  for (const double bound : {0.001, 1e-30, 1e-40, 1e-310, 0.0})
    for (const Order order : {Order::place, Order::id})
      for (const int threads : {1, 3}) {
        const std::vector<FrameValues> frames = frames_of(bound);
        const FileOptions options{order, 5, threads};
        FileInMemory usual(options);
        for (const FrameValues &frame : frames) usual.write(frame);
        usual.close();
        for (const Environment &environment : environments()) {
          SCOPED_TRACE(std::string(environment.name) + ", bound " + std::to_string(bound));
          FileInMemory file(options);
          std::vector<Frame> decoded;
          std::vector<float> narrow(frames[0].particles);
          {
            const Scope scope(environment);
            for (const FrameValues &frame : frames) file.write(frame);
            file.close();
            for (std::size_t i = 0; i < frames.size(); ++i) decoded.push_back(usual.reader().read(i, threads));
            usual.reader().read_columns(0, {{"x", {narrow.data(), 4, ConstArray::Type::float32}}}, narrow.size(),
                                        {threads, true});
          }
          EXPECT_EQ(file.digest(), usual.digest());
          for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same_bits(decoded[i], usual.reader().read(i)));
          std::vector<float> expected(narrow.size());
          usual.reader().read_columns(0, {{"x", {expected.data(), 4, ConstArray::Type::float32}}}, expected.size(),
                                      {threads, true});
          EXPECT_EQ(std::memcmp(narrow.data(), expected.data(), 4 * narrow.size()), 0);
        }
      }
}

TEST(FloatEnvironment, IsAsItWasAfterAnError) {
  for (const Environment &environment : environments()) {
    FrameValues frame = edge_frame(0.1);
    FileInMemory file({});
    frame.fields[0].field.bound = -1;
    const Scope scope(environment);
    EXPECT_THROW(file.write(frame), Error);
  }
}

TEST(FloatEnvironment, OfChunksAndSteps) {
  const FrameValues frame = edge_frame(1e-310);
  std::vector<FieldInput> fields;
  for (const FieldValues &field : frame.fields) fields.push_back(field.input());
  const auto encode = [&] {
    EncodedChunk chunk;
    ChunkEncoder().encode(fields, frame.particles, nullptr, chunk);
    return chunk;
  };
  const auto decode = [&](const EncodedChunk &chunk) {
    Frame out;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      out.info.fields.push_back(fields[f].field);
      fill_step(out.info.fields.back());
      for (std::size_t d = 0; d < fields[f].field.components.size(); ++d) out.columns.push_back({f, d, {}, {}});
    }
    decode_chunk(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, out);
    return out;
  };
  const EncodedChunk expected = encode();
  const Frame decoded = decode(expected);
  const double range = value_range(fields[0], frame.particles);
  ASSERT_GT(range, 0);
  for (const Environment &environment : environments()) {
    SCOPED_TRACE(environment.name);
    EncodedChunk chunk;
    Frame again;
    double step = 0, single_step = 0, same_range = 0;
    {
      const Scope scope(environment);
      chunk = encode();
      again = decode(expected);
      step = grid_step(1e-310);
      single_step = grid_step(1.0 / 3.0, ValueType::float32);
      same_range = value_range(fields[0], frame.particles);
    }
    EXPECT_EQ(chunk.bytes, expected.bytes);
    EXPECT_EQ(chunk.largest_error, expected.largest_error);
    EXPECT_TRUE(same_bits(again, decoded));
    EXPECT_EQ(step, grid_step(1e-310));
    EXPECT_EQ(single_step, grid_step(1.0 / 3.0, ValueType::float32));
    EXPECT_EQ(same_range, range);
  }
}

}  // namespace
}  // namespace gpz::values::float_environment_test
