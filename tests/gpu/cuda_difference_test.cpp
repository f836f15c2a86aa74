// SPDX-License-Identifier: BSD-3-Clause
// Difference sections on the GPU: the bytes of the CPU, its states, and its values, whatever moves; damage is a status.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

#include "codec_support.hpp"
#include "gpu_support.hpp"
#include "gpz/core/difference_section.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cpu/difference_codec.hpp"
#include "gpz/cuda/difference/difference.hpp"

namespace gpz::test {
namespace {

using cuda::DeviceDifferenceState;
using Columns = std::array<std::vector<std::int64_t>, 3>;

cpu::IndexColumns columns(const Columns &q) { return {q[0].data(), q[1].data(), q[2].data()}; }

double gaussian(Random &random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return sum;
}

// How values lie in memory: the last three in another order, in the last two of which all rows of a block, or
// nearly all, are close together.
enum class Rows { separate, interleaved, selected, windows, some_windows };
constexpr std::uint64_t arrangements = 5;
bool is_interleaved(Rows rows) { return rows == Rows::interleaved || rows == Rows::windows; }

// Particles that rest, tremble, wander, fly, jump, vanish from the grid, and come through the edges of the box late.
class Motion {
 public:
  Motion(std::size_t n, int components, std::uint64_t seed) : components_(components), random_(seed) {
    for (int d = 0; d < components; ++d) {
      if (random_.below(3) == 0) continue;
      const std::int64_t period = random_.below(8) == 0 ? static_cast<std::int64_t>(8 + random_.below(40))
                                                        : static_cast<std::int64_t>(1000 + random_.below(60000));
      box_[static_cast<std::size_t>(d)] = {static_cast<std::int64_t>(random_.below(4000)) - 2000, period};
    }
    const double sigmas[] = {0, 0.4, 0.8, 1.5, 3, 60, 2500, 3e5};
    sigma_ = sigmas[random_.below(std::size(sigmas))];
    solid_ = random_.below(3) == 0;
    drift_ = random_.below(3) == 0 ? 500 : 0;
    rare_ = random_.below(2) == 0 ? 0 : 40 + random_.below(2000);
    mixed_ = random_.below(4) == 0;
    molecule_ = random_.below(2) == 0 ? 0 : 2 + random_.below(5);
    for (std::size_t k = 0; k < n * static_cast<std::size_t>(components); ++k) {
      const core::GridAxis &axis = box_[k % static_cast<std::size_t>(components)];
      position_.push_back(static_cast<double>(axis.lo) +
                          random_.uniform() * (axis.period != 0 ? double(axis.period) : 2e4));
      speed_.push_back(drift_ * gaussian(random_));
    }
  }

  const core::GridBox &box() const { return box_; }

  // x y z of each particle in grid units.
  std::vector<double> next() {
    std::vector<double> out;
    const bool tidy = random_.below(2) == 0;
    const auto width = static_cast<std::size_t>(components_);
    std::vector<double> steps(position_.size());
    for (std::size_t k = 0; k < position_.size(); ++k) {
      double &x = position_[k];
      double &step = steps[k];
      step = sigma_ * gaussian(random_) * (mixed_ && k % 7 == 0 ? 100 : 1);
      // Atoms of a molecule move together.
      if (molecule_ != 0 && k / width % molecule_ != 0) step = 0.9 * steps[k - width] + 0.3 * step;
      x += speed_[k] + (solid_ ? 0 : step);
      const core::GridAxis &axis = box_[k % static_cast<std::size_t>(components_)];
      const auto lo = static_cast<double>(axis.lo);
      const auto period = static_cast<double>(axis.period);
      if (period != 0 && tidy) x -= std::floor((x - lo) / period) * period;
      double seen = solid_ ? x + step : x;
      if (rare_ != 0 && random_.below(rare_) == 0) {
        const double odd[] = {std::numeric_limits<double>::quiet_NaN(),
                              HUGE_VAL,
                              1e300,
                              1e9 * (random_.uniform() - 0.5),
                              lo - 3,
                              lo + period + 2,
                              1e6,
                              -0.0};
        seen = odd[random_.below(std::size(odd))];
      }
      if (std::abs(x) > 5e8) x = lo;
      out.push_back(seen);
    }
    return out;
  }

 private:
  int components_;
  Random random_;
  core::GridBox box_{};
  double sigma_;
  bool solid_;  // trembles about its place
  double drift_;
  std::uint64_t rare_;
  bool mixed_;
  std::size_t molecule_;  // atoms; 0: each one moves alone
  std::vector<double> position_;
  std::vector<double> speed_;
};

// Values of T in device memory in some arrangement.
template <typename T>
class Uploaded {
 public:
  Uploaded(const std::vector<T> &xyz, int components, Rows rows, Random &random) {
    const auto width = static_cast<std::size_t>(components);
    const std::size_t n = xyz.size() / width;
    std::vector<std::uint32_t> row(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    if (rows == Rows::selected)
      for (std::size_t i = n; i > 1; --i) std::swap(row[i - 1], row[random.below(i)]);
    const bool windows = rows == Rows::windows || rows == Rows::some_windows;
    if (windows)
      for (std::size_t i = n; i-- > 0;) std::swap(row[i], row[i / 1024 * 1024 + random.below(i % 1024 + 1)]);
    if (rows == Rows::some_windows)
      for (std::size_t i = 0; i + 1024 < n; i += 3 * 1024) std::swap(row[i], row[i + 1024]);
    std::vector<T> placed(xyz.size());
    const bool together = is_interleaved(rows);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t d = 0; d < width; ++d)
        placed[together ? row[i] * width + d : d * n + row[i]] = xyz[i * width + d];
    data_ = std::make_unique<DeviceMemory>(placed.data(), placed.size() * sizeof(T));
    rows_ = std::make_unique<DeviceMemory>(row.data(), row.size() * sizeof(std::uint32_t));
    for (std::size_t d = 0; d < width; ++d)
      values.component[d] = {data_->as<T>() + (together ? d : d * n),
                             static_cast<std::ptrdiff_t>(sizeof(T) * (together ? width : 1)), array_type<T>()};
    if (rows != Rows::separate && rows != Rows::interleaved) values.rows = rows_->as<std::uint32_t>();
    if (windows) {
      const std::size_t blocks = (n + 1023) / 1024;
      first_ = std::make_unique<DeviceMemory>(blocks * 4);
      slots_ = std::make_unique<DeviceMemory>((n + n % 2) * 2);
      cuda::find_windows(values.rows, n, first_->as<std::uint32_t>(), slots_->as<std::uint16_t>(), nullptr);
      check(cudaDeviceSynchronize());
      values.windows = {first_->as<std::uint32_t>(), slots_->as<std::uint16_t>()};
    }
  }

  cuda::DeviceValues values;

 private:
  std::unique_ptr<DeviceMemory> data_;
  std::unique_ptr<DeviceMemory> rows_;
  std::unique_ptr<DeviceMemory> first_;
  std::unique_ptr<DeviceMemory> slots_;
};

class Device {
 public:
  Device(std::size_t capacity, int components, bool plain)
      : memory(cuda::difference_state_size(capacity, components, plain)),
        state(cuda::place_difference_state(memory.get(), capacity, components, plain)) {}

  DeviceMemory memory;
  DeviceDifferenceState state;
};

void expect_same(const DeviceDifferenceState &device, const cpu::DifferenceState &host) {
  ASSERT_EQ(device.particles, host.particles);
  ASSERT_EQ(device.frames, host.frames);
  const std::size_t n = host.particles;
  const auto downloaded = [n](const std::int32_t *from) {
    format::Column<std::int32_t> out(n);
    if (n != 0) check(cudaMemcpy(out.data(), from, n * 4, cudaMemcpyDeviceToHost));
    return out;
  };
  for (std::size_t d = 0; d < static_cast<std::size_t>(host.components); ++d) {
    const auto last = downloaded(device.last[d]);
    EXPECT_TRUE(std::equal(last.begin(), last.end(), host.axes[d].last.begin())) << "last " << d;
    if (host.plain) continue;
    EXPECT_EQ(downloaded(device.deviation[d]), host.axes[d].deviation) << "deviation " << d;
    EXPECT_EQ(downloaded(device.velocity[d]), host.axes[d].velocity) << "velocity " << d;
    EXPECT_EQ(downloaded(device.previous[d]), host.axes[d].previous) << "previous " << d;
  }
}

// What the host finds of the same values: indices, and the places of what the grid cannot hold.
template <typename T>
Columns host_indices(const std::vector<T> &xyz, int components, const core::Grid &grid,
                     const cpu::DifferenceState *state, std::set<std::uint64_t> &invalid) {
  Columns q;
  const auto width = static_cast<std::size_t>(components);
  for (std::size_t k = 0; k < xyz.size(); ++k) {
    const std::size_t d = k % width;
    if constexpr (std::is_integral_v<T>) {
      q[d].push_back(xyz[k]);
    } else {
      const auto found = core::quantize(xyz[k], grid);
      q[d].push_back(found.valid ? found.index : state == nullptr ? 0 : state->axes[d].last[k / width]);
      if (!found.valid) invalid.insert(k / width | std::uint64_t{d} << 32);
    }
  }
  return q;
}

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
    cpu::encode_difference(host_, columns(q), box_, expected, cpu::kernels(), case_.neighbours);
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
    cuda::encode_difference(encoder_.state, uploaded.values, box_, {places_.as<std::uint64_t>(), case_.n * 3},
                            workspace.get(), workspace.size(), out_.get(), capacity_, result_.get(), stream_.get(),
                            besides);
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
    if constexpr (plain) {
      cuda::decode_key_differences(keys(), case_.n, out_.get(), size, box_, workspace.get(), workspace.size(),
                                   status_.get(), stream_.get(), cleared_crossings());
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
      cuda::decode_difference(decoder_.state, out_.get(), size, box_, output, workspace.get(), workspace.size(),
                              status_.get(), stream_.get(), cleared_crossings(), prediction);
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
  cpu::DifferenceState host_;
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

class CudaDifference : public GpuTest {};

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

// Every slot of a block is there once, with its row. Returns how many rows are outside of the window; 1,024 if there is
// none.
std::size_t expect_window(const std::vector<std::uint32_t> &row, std::uint32_t first,
                          const std::vector<std::uint16_t> &slot) {
  if (first == cuda::no_window) return 1024;
  std::size_t elsewhere = 0;
  std::vector<bool> seen(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool outside = (slot[i] & cuda::row_elsewhere) != 0;
    const std::size_t s = slot[i] & ~static_cast<unsigned>(cuda::row_elsewhere);
    EXPECT_LT(s, row.size());
    if (s >= row.size()) return elsewhere;
    EXPECT_FALSE(seen[s]);
    seen[s] = true;
    elsewhere += outside ? 1 : 0;
    if (!outside) {
      EXPECT_EQ(row[s], first + i);
    }
  }
  return elsewhere;
}

std::size_t rows_outside(const std::vector<std::uint32_t> &row) {
  const DeviceMemory there(row.data(), row.size() * 4);
  const DeviceMemory first(4);
  const DeviceMemory slots((row.size() + row.size() % 2) * 2);
  cuda::find_windows(there.as<std::uint32_t>(), row.size(), first.as<std::uint32_t>(), slots.as<std::uint16_t>(),
                     nullptr);
  std::uint32_t begin = 0;
  std::vector<std::uint16_t> slot(row.size());
  check(cudaMemcpy(&begin, first.get(), 4, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(slot.data(), slots.get(), row.size() * 2, cudaMemcpyDeviceToHost));
  return expect_window(row, begin, slot);
}

TEST_F(CudaDifference, WindowsOfRows) {
  EXPECT_EQ(rows_outside({4, 5, 5, 7}), 1u);  // one that is there twice
  EXPECT_EQ(rows_outside({0, 1, 2, 3}), 0u);
  EXPECT_EQ(rows_outside({9}), 0u);
  EXPECT_EQ(rows_outside({3, 2, 2000000000, 1}), 1u);
  EXPECT_EQ(rows_outside({0, 5000, 10000, 15000, 20000}), 1024u);
  Random random(7);
  for (const std::size_t n : {1u, 2u, 31u, 700u, 1024u})
    for (const std::uint32_t begin : {0u, 1u, 500u, 1023u, 1024u, 2000000000u}) {
      SCOPED_TRACE(std::to_string(n) + " rows from " + std::to_string(begin));
      std::vector<std::uint32_t> row(n);
      std::iota(row.begin(), row.end(), begin);
      for (std::size_t i = n; i > 1; --i) std::swap(row[i - 1], row[random.below(i)]);
      EXPECT_EQ(rows_outside(row), 0u);
      const std::size_t others = random.below(n / 8 + 1);
      for (std::size_t k = 0; k < others; ++k) row[k] = static_cast<std::uint32_t>(1000000000 + random.below(1000000));
      EXPECT_EQ(rows_outside(row), others);
    }
}

TEST_F(CudaDifference, ACancelledFrameChangesNothing) {
  const std::size_t n = 3000;
  Random random(4);
  Motion motion(n, 3, 12);
  const core::Grid grid{1, 1, 0.5};
  std::set<std::uint64_t> invalid;
  const DeviceMemory flags(8);
  check(cudaMemset(flags.get(), 0, 8));
  auto *cancelled = flags.as<std::uint32_t>() + 1;
  cuda::BesidesEncoding besides;
  besides.cancelled = cancelled;
  Device device(n, 3, false);
  cpu::DifferenceState host;
  const DeviceMemory out(cuda::difference_bound(n, 3));
  const Pinned<cuda::DifferenceResult> result;
  for (int s = 0; s < 5; ++s) {
    const auto xyz = motion.next();
    Uploaded<double> up(xyz, 3, Rows::interleaved, random);
    up.values.grid = grid;
    const Columns q = host_indices(xyz, 3, grid, s == 0 ? nullptr : &host, invalid);
    if (s == 0) {
      host.start(columns(q), n, 3);
      cuda::start_difference(device.state, up.values, n, flags.as<std::uint32_t>(), nullptr);
      continue;
    }
    const DeviceMemory workspace(cuda::encode_difference_workspace(device.state, out.size()));
    for (const std::uint32_t cancel : {1u, 0u}) {
      check(cudaMemcpy(cancelled, &cancel, 4, cudaMemcpyHostToDevice));
      cuda::encode_difference(device.state, up.values, motion.box(), {}, workspace.get(), workspace.size(), out.get(),
                              out.size(), result.get(), nullptr, besides);
      check(cudaDeviceSynchronize());
      EXPECT_EQ(result->fits, 1u - cancel);
      if (cancel != 0) {
        cuda::undo_frame(device.state);
        expect_same(device.state, host);
      }
    }
    std::vector<std::uint8_t> expected;
    cpu::encode_difference(host, columns(q), motion.box(), expected);
    EXPECT_EQ(out.bytes(expected.size()), expected);
    host.advance(columns(q), motion.box());
    expect_same(device.state, host);
  }
}

TEST_F(CudaDifference, OtherParticles) {
  const std::size_t n = 3000;
  const std::size_t capacity = 4000;
  Random random(4);
  Motion motion(n, 3, 12);
  const core::Grid grid{1, 1, 0.5};
  std::set<std::uint64_t> invalid;
  const DeviceMemory wide(4);
  check(cudaMemset(wide.get(), 0, 4));
  Device device(capacity, 3, false);
  cpu::DifferenceState host;
  const auto uploaded = [&](const std::vector<double> &xyz) {
    auto up = std::make_unique<Uploaded<double>>(xyz, 3, Rows::interleaved, random);
    up->values.grid = grid;
    return up;
  };
  auto xyz = motion.next();
  host.start(columns(host_indices(xyz, 3, grid, nullptr, invalid)), n, 3);
  cuda::start_difference(device.state, uploaded(xyz)->values, n, wide.as<std::uint32_t>(), nullptr);
  const DeviceMemory out(cuda::difference_bound(capacity, 3));
  const Pinned<cuda::DifferenceResult> result;
  for (int s = 0; s < 3; ++s) {
    xyz = motion.next();
    const DeviceMemory workspace(cuda::encode_difference_workspace(device.state, out.size()));
    cuda::encode_difference(device.state, uploaded(xyz)->values, motion.box(), {}, workspace.get(), workspace.size(),
                            out.get(), out.size(), result.get(), nullptr);
    check(cudaDeviceSynchronize());
    host.advance(columns(host_indices(xyz, 3, grid, &host, invalid)), motion.box());
  }
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < n; ++i)
    if (random.below(5) != 0) kept.push_back(i);
  std::vector<double> late(3 * 700);
  for (double &x : late) x = std::floor(random.uniform() * 10000);
  const DeviceMemory kept_there(kept.data(), kept.size() * 4);
  const auto added = uploaded(late);
  cuda::replace_difference(device.state, kept_there.as<std::uint32_t>(), kept.size(), added->values, 700,
                           wide.as<std::uint32_t>(), nullptr);
  check(cudaDeviceSynchronize());
  host.keep(kept.data(), kept.size());
  host.add(columns(host_indices(late, 3, grid, nullptr, invalid)), 700);
  expect_same(device.state, host);
  EXPECT_EQ(status_of([&] {
              cuda::replace_difference(device.state, kept_there.as<std::uint32_t>(), kept.size(), added->values, 4000,
                                       wide.as<std::uint32_t>(), nullptr);
            }),
            Status::invalid_argument);
  cuda::replace_difference(device.state, nullptr, 0, {}, 0, wide.as<std::uint32_t>(), nullptr);
  EXPECT_EQ(device.state.particles, 0u);
  const DeviceMemory workspace(cuda::encode_difference_workspace(device.state, out.size()));
  cuda::encode_difference(device.state, added->values, {}, {}, workspace.get(), workspace.size(), out.get(), out.size(),
                          result.get(), nullptr);
  check(cudaDeviceSynchronize());
  EXPECT_EQ(result->bytes, 0u);
  EXPECT_EQ(result->fits, 1u);
  expect_healthy();
}

TEST_F(CudaDifference, WhatDoesNotFitIsReported) {
  Random random(1);
  const core::Grid grid{1, 1, 0.5};
  std::vector<double> xyz(3 * 2000, 5);
  Device device(2000, 3, false);
  const DeviceMemory wide(4);
  check(cudaMemset(wide.get(), 0, 4));
  const DeviceMemory out(cuda::difference_bound(2000, 3));
  const Pinned<cuda::DifferenceResult> result;
  const auto encoded = [&](std::size_t capacity, const core::GridBox &box = {}) {
    Uploaded<double> up(xyz, 3, Rows::separate, random);
    up.values.grid = grid;
    const DeviceMemory workspace(cuda::encode_difference_workspace(device.state, capacity));
    cuda::encode_difference(device.state, up.values, box, {}, workspace.get(), workspace.size(), out.get(), capacity,
                            result.get(), nullptr);
    check(cudaDeviceSynchronize());
  };
  {
    Uploaded<double> up(xyz, 3, Rows::separate, random);
    up.values.grid = grid;
    cuda::start_difference(device.state, up.values, 2000, wide.as<std::uint32_t>(), nullptr);
    check(cudaDeviceSynchronize());
  }
  xyz[77] = std::numeric_limits<double>::quiet_NaN();  // no list to put it into
  encoded(out.size());
  EXPECT_EQ(result->wide, 0u);
  EXPECT_EQ(result->invalid, 1u);
  for (double &x : xyz) x = random.uniform() * 1e6;
  encoded(64);
  EXPECT_EQ(result->fits, 0u);
  EXPECT_GT(result->bytes, 2000u * 3 * 2);
  EXPECT_EQ(out.bytes(64 + 64).at(100), out.bytes(128).at(100));
  xyz[5] = 1.5e9;
  encoded(out.size());
  EXPECT_NE(result->wide, 0u);
  core::GridBox box{};
  box[1] = {0, std::int64_t{1} << 40};
  EXPECT_FALSE(cuda::can_follow(box));
  EXPECT_EQ(status_of([&] { encoded(out.size(), box); }), Status::invalid_argument);
  expect_healthy();
}

// Flips bits of a section, and cuts it.
void damage_sections(std::uint64_t seed, bool neighbours) {
  const std::size_t n = 2100;
  Random random(seed);
  Motion motion(n, 3, seed);
  const core::Grid grid{1, 1, 0.5};
  std::set<std::uint64_t> invalid;
  cpu::DifferenceState host;
  auto xyz = motion.next();
  host.start(columns(host_indices(xyz, 3, grid, nullptr, invalid)), n, 3);
  for (int s = 0; s < 3; ++s) {
    xyz = motion.next();
    host.advance(columns(host_indices(xyz, 3, grid, &host, invalid)), motion.box());
  }
  xyz = motion.next();
  std::vector<std::uint8_t> bytes;
  cpu::encode_difference(host, columns(host_indices(xyz, 3, grid, &host, invalid)), motion.box(), bytes, cpu::kernels(),
                         neighbours);
  if (neighbours && bytes[0] == core::neighbour_predictor) ++sections_with_neighbours;

  Device device(n, 3, false);
  const DeviceMemory values(n * 24);
  cuda::FieldOutput output;
  output.field.type = ValueType::float64;
  output.field.step = 1;
  output.field.components.resize(3);
  for (std::size_t d = 0; d < 3; ++d) output.components[d] = {values.as<double>() + d, 24, ConstArray::Type::float64};
  const Pinned<std::uint32_t> status;
  for (int round = 0; round < 400; ++round) {
    auto damaged = bytes;
    const std::size_t range = round % 2 == 0 ? std::min<std::size_t>(64, bytes.size()) : bytes.size();
    for (std::uint64_t k = random.below(4); round != 0 && k < 4; ++k)
      damaged[random.below(range)] ^= static_cast<std::uint8_t>(1u << random.below(8));
    if (round % 16 == 15) damaged.resize(random.below(bytes.size() / 8) * 8);
    DeviceDifferenceState &state = device.state;
    state.particles = n;
    state.frames = host.frames;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::vector<std::int32_t> last(host.axes[d].last.begin(), host.axes[d].last.end());
      check(cudaMemcpy(state.last[d], last.data(), n * 4, cudaMemcpyHostToDevice));
      check(cudaMemcpy(state.deviation[d], host.axes[d].deviation.data(), n * 4, cudaMemcpyHostToDevice));
      check(cudaMemcpy(state.velocity[d], host.axes[d].velocity.data(), n * 4, cudaMemcpyHostToDevice));
      check(cudaMemcpy(state.previous[d], host.axes[d].previous.data(), n * 4, cudaMemcpyHostToDevice));
    }
    const DeviceMemory section(damaged.data(), damaged.size());
    const DeviceMemory workspace(cuda::decode_difference_workspace(state));
    const std::uint8_t prediction = !damaged.empty() && damaged[0] == core::neighbour_predictor
                                        ? core::neighbour_predictor
                                        : core::temporal_predictor;
    cuda::decode_difference(state, section.get(), damaged.size(), motion.box(), output, workspace.get(),
                            workspace.size(), status.get(), nullptr, {}, prediction);
    check(cudaDeviceSynchronize());
    Columns q;
    for (auto &axis : q) axis.resize(n);
    bool good = true;
    try {
      cpu::decode_difference(host, damaged.data(), damaged.size(), motion.box(),
                             {q[0].data(), q[1].data(), q[2].data()});
    } catch (const Error &) {
      good = false;
    }
    std::int64_t largest = 0;
    for (const auto &axis : q)
      for (const std::int64_t x : axis) largest = std::max(largest, x == INT64_MIN ? INT64_MAX : std::abs(x));
    if (round == 0) {
      ASSERT_TRUE(good);
      ASSERT_EQ(*status, 0u);
    }
    if (!good) {
      EXPECT_NE(*status, 0u) << round;
      continue;
    }
    EXPECT_EQ(*status, largest < cuda::device_index_end ? 0u : cuda::section_wide) << round;
    if (*status != 0) continue;
    const auto got = values.bytes();
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 3 * n; ++k) {
      double x;
      std::memcpy(&x, &got[k * 8], 8);
      wrong += x != static_cast<double>(q[k % 3][k / 3]) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u) << round;
  }
}

TEST_F(CudaDifference, DamageIsAStatusOrTheValuesOfTheCpu) {
  for (const std::uint64_t seed : {3u, 5u, 9u, 14u}) damage_sections(seed, false);
  sections_with_neighbours = 0;
  for (std::uint64_t seed = 20; seed < 30; ++seed) damage_sections(seed, true);
  EXPECT_GE(sections_with_neighbours, 3);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
