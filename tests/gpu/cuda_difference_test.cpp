// SPDX-License-Identifier: BSD-3-Clause
// Difference sections on the GPU: the bytes of the CPU, its states, and its values, whatever moves.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "cuda_difference_support.hpp"
#include "gpz/core/difference_section.hpp"

namespace gpz::test {
namespace {

struct Case {
  std::size_t n;
  int components;
  std::uint64_t seed;
  Rows rows;
  bool neighbours = false;  // encoded by the CPU, with the prediction from neighbours
};

// So that it is known that there were some: a head of more than two bits is one of triples.
int sections_with_triples = 0;
int sections_with_neighbours = 0;

template <typename T>
class Parity {
 public:
  explicit Parity(const Case &c)
      : case_(c),
        random_(c.seed),
        encoder_(c.n, c.components, plain),
        decoder_(c.n, c.components, plain),
        capacity_(cuda::difference_bound(c.n, c.components)),
        out_(capacity_),
        wide_(4),
        places_(c.n * 3 * 8),
        crossings_(c.n * 3),
        keys_(c.n * 3 * 8) {
    if (!plain) {
      const double bound = 0.001 * (1 + random_.uniform());
      const double step = core::step_for_bound(bound, sizeof(T) == 4 ? core::Value::float32 : core::Value::float64);
      grid_ = {step, 1 / step, bound};
    }
    check(cudaMemset(wide_.get(), 0, 4));
  }

  void run(int frames) {
    Motion motion(case_.n, case_.components, case_.seed);
    box_ = plain ? core::GridBox{} : motion.box();
    start(values_of(motion.next()));
    for (int s = 0; s < frames && !testing::Test::HasFailure(); ++s) frame(values_of(motion.next()));
    std::uint32_t wide = 1;
    check(cudaMemcpy(&wide, wide_.get(), 4, cudaMemcpyDeviceToHost));
    EXPECT_EQ(wide, 0u);
  }

 private:
  static constexpr bool plain = std::is_integral_v<T>;

  std::vector<T> values_of(const std::vector<double> &units) const {
    std::vector<T> out;
    for (const double x : units) {
      if constexpr (plain)
        out.push_back(static_cast<T>(std::abs(x) < 5e8 ? x : 7));
      else
        out.push_back(static_cast<T>(x * grid_.step));
    }
    return out;
  }

  void start(const std::vector<T> &xyz) {
    std::set<std::uint64_t> invalid;
    const Columns q = host_indices(xyz, case_.components, grid_, nullptr, invalid);
    host_.start(columns(q), case_.n, case_.components, plain);
    if (plain) start_keys(q);
    Uploaded<T> uploaded(xyz, case_.components, case_.rows, random_);
    uploaded.values.grid = grid_;
    for (Device *device : {&encoder_, &decoder_})
      cuda::start_difference(device->state, uploaded.values, case_.n, wide_.template as<std::uint32_t>(),
                             stream_.get());
    check(cudaStreamSynchronize(stream_.get()));
    expect_same(encoder_.state, host_);
  }

  void frame(const std::vector<T> &xyz) {
    std::set<std::uint64_t> invalid;
    const Columns q = host_indices(xyz, case_.components, grid_, &host_, invalid);
    std::vector<std::uint8_t> expected;
    codec::encode_difference(host_, columns(q), box_, expected, codec::kernels(), case_.neighbours);
    const std::vector<std::uint8_t> crossed = crossings_of(q);
    host_.advance(columns(q), box_);
    ASSERT_LE(expected.size(), capacity_);
    if (!case_.neighbours) encode(xyz, expected, crossed, invalid);
    if (case_.neighbours) {
      check(cudaMemcpyAsync(out_.get(), expected.data(), expected.size(), cudaMemcpyHostToDevice, stream_.get()));
      if (expected[0] == core::neighbour_predictor) ++sections_with_neighbours;
    }
    if (!testing::Test::HasFatalFailure()) decode(expected.size(), expected[0], q, crossed);
  }

  // On the device: these bytes.
  void encode(const std::vector<T> &xyz, const std::vector<std::uint8_t> &expected,
              const std::vector<std::uint8_t> &crossed, const std::set<std::uint64_t> &invalid) {
    Uploaded<T> uploaded(xyz, case_.components, case_.rows, random_);
    uploaded.values.grid = grid_;
    const DeviceMemory workspace(cuda::encode_difference_workspace(encoder_.state, capacity_));
    cuda::BesidesEncoding besides;
    besides.crossings = cleared_crossings();
    cuda::encode_difference(
        encoder_.state, uploaded.values,
        {{box_, workspace.get(), workspace.size(), stream_.get()}, out_.get(), capacity_, result_.get()},
        {places_.as<std::uint64_t>(), case_.n * 3}, besides);
    check(cudaStreamSynchronize(stream_.get()));
    EXPECT_EQ(crossings_.bytes(), crossed);
    EXPECT_EQ(result_->largest_error, largest_error(xyz));
    ASSERT_EQ(result_->wide, 0u);
    ASSERT_EQ(result_->bytes, expected.size());
    ASSERT_EQ(result_->fits, 1u);
    ASSERT_EQ(out_.bytes(expected.size()), expected);
    if (case_.components == 3 && expected[4 + 3] > 2) ++sections_with_triples;
    ASSERT_EQ(result_->invalid, invalid.size());
    std::vector<std::uint64_t> places(invalid.size());
    if (!places.empty()) check(cudaMemcpy(places.data(), places_.get(), places.size() * 8, cudaMemcpyDeviceToHost));
    EXPECT_EQ(std::set<std::uint64_t>(places.begin(), places.end()), invalid);
    expect_same(encoder_.state, host_);
  }

  // As cleared_crossings() has them in device memory.
  std::vector<std::uint8_t> crossings_of(const Columns &q) const {
    std::vector<std::uint8_t> out(case_.n * 3);
    for (std::size_t d = 0; d < static_cast<std::size_t>(case_.components); ++d)
      for (std::size_t i = 0; i < case_.n; ++i)
        out[d * case_.n + i] = static_cast<std::uint8_t>(core::crossing(q[d][i], host_.axes[d].last[i], box_[d]));
    return out;
  }

  cuda::DeviceCrossings cleared_crossings() {
    check(cudaMemsetAsync(crossings_.get(), 0, crossings_.size(), stream_.get()));
    auto *axis = crossings_.template as<std::int8_t>();
    return {axis, axis + case_.n, axis + 2 * case_.n};
  }

  double largest_error(const std::vector<T> &xyz) const {
    double largest = 0;
    if constexpr (!plain)
      for (const T x : xyz) {
        const auto found = core::quantize(x, grid_);
        if (found.valid) largest = std::max(largest, static_cast<double>(found.error));
      }
    return largest;
  }

  void decode(std::size_t size, [[maybe_unused]] std::uint8_t prediction, const Columns &q,
              const std::vector<std::uint8_t> &crossed) {
    const DeviceMemory workspace(cuda::decode_difference_workspace(case_.n));
    const cuda::SectionDecoding call{
        {box_, workspace.get(), workspace.size(), stream_.get()}, out_.get(), size, status_.get()};
    if constexpr (plain) {
      cuda::decode_key_differences(keys(), case_.n, call, cleared_crossings());
      expect_decoded(crossed);
      expect_keys(q);
    } else {
      const auto width = static_cast<std::size_t>(case_.components);
      const DeviceMemory values(case_.n * width * sizeof(T));
      cuda::FieldOutput output;
      output.field.type = sizeof(T) == 4 ? ValueType::float32 : ValueType::float64;
      output.field.step = grid_.step;
      output.field.components.resize(width);
      const bool together = is_interleaved(case_.rows);
      for (std::size_t d = 0; d < width; ++d)
        output.components[d] = {values.as<T>() + (together ? d : d * case_.n),
                                static_cast<std::ptrdiff_t>(sizeof(T) * (together ? width : 1)), array_type<T>()};
      cuda::decode_difference(decoder_.state, call, output, cleared_crossings(), prediction);
      expect_decoded(crossed);
      expect_same(decoder_.state, host_);
      const auto bytes = values.bytes();
      std::size_t wrong = 0;
      for (std::size_t d = 0; d < width; ++d)
        for (std::size_t i = 0; i < case_.n; ++i) {
          const T want = core::grid_value<T>(static_cast<double>(q[d][i]), grid_.step);
          wrong += std::memcmp(&bytes[(together ? i * width + d : d * case_.n + i) * sizeof(T)], &want, sizeof(T)) != 0;
        }
      EXPECT_EQ(wrong, 0u);
    }
  }
  void expect_decoded(const std::vector<std::uint8_t> &crossed) {
    check(cudaStreamSynchronize(stream_.get()));
    EXPECT_EQ(*status_, 0u);
    EXPECT_EQ(crossings_.bytes(), crossed);
  }

  // One array after the other.
  cuda::DeviceKeys keys() const {
    cuda::DeviceKeys keys;
    keys.components = case_.components;
    for (std::size_t d = 0; d < static_cast<std::size_t>(case_.components); ++d)
      keys.last[d] = keys_.template as<std::int64_t>() + d * case_.n;
    return keys;
  }
  void start_keys(const Columns &q) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(case_.components); ++d)
      check(cudaMemcpy(keys().last[d], q[d].data(), case_.n * 8, cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  void expect_keys(const Columns &q) {
    std::vector<std::int64_t> got(case_.n);
    for (std::size_t d = 0; d < static_cast<std::size_t>(case_.components); ++d) {
      check(cudaMemcpy(got.data(), keys().last[d], case_.n * 8, cudaMemcpyDeviceToHost));
      EXPECT_TRUE(std::equal(got.begin(), got.end(), q[d].begin())) << "component " << d;
    }
  }

  Case case_;
  Random random_;
  core::Grid grid_{};
  core::GridBox box_{};
  codec::DifferenceState host_;
  Device encoder_;
  Device decoder_;
  std::size_t capacity_;
  DeviceMemory out_;
  DeviceMemory wide_;
  DeviceMemory places_;
  DeviceMemory crossings_;
  DeviceMemory keys_;  // of a plain state that is decoded
  OwnStream stream_;
  Pinned<cuda::DifferenceResult> result_;
  Pinned<std::uint32_t> status_;
};

template <typename T>
void check_seeds(std::uint64_t count, bool neighbours = false) {
  const std::size_t sizes[] = {1, 31, 33, 1000, 1023, 1024, 1025, 2048, 5000};
  for (std::uint64_t seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
    Random random(seed * 77 + 5);
    const std::size_t n = random.below(2) == 0 ? sizes[random.below(std::size(sizes))] : 1 + random.below(5000);
    const Case c{n, 1 + static_cast<int>(random.below(3)), seed, static_cast<Rows>(random.below(arrangements)),
                 neighbours};
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(n) + " particles, " +
                 std::to_string(c.components) + " components, arrangement " + std::to_string(static_cast<int>(c.rows)));
    Parity<T>(c).run(6);
  }
}

TEST_F(CudaDifference, DoublesAsOnTheCpu) {
  sections_with_triples = 0;
  check_seeds<double>(200);
  EXPECT_GT(sections_with_triples, 20);
}
TEST_F(CudaDifference, FloatsAsOnTheCpu) { check_seeds<float>(120); }
TEST_F(CudaDifference, NeighboursOfTheCpu) {
  sections_with_neighbours = 0;
  check_seeds<double>(200, true);
  check_seeds<float>(60, true);
  EXPECT_GT(sections_with_neighbours, 200);
}
TEST_F(CudaDifference, IntegersAsOnTheCpu) {
  check_seeds<std::int32_t>(30);
  check_seeds<std::int64_t>(30);
}
TEST_F(CudaDifference, ManyParticles) {
  for (const Rows rows : {Rows::separate, Rows::interleaved, Rows::selected, Rows::windows, Rows::some_windows})
    for (const bool neighbours : {false, true}) Parity<double>({200000, 3, 3, rows, neighbours}).run(5);
}

}  // namespace
}  // namespace gpz::test
