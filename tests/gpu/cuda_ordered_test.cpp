// SPDX-License-Identifier: BSD-3-Clause
// Sections in the order of ids on the GPU: the values of the CPU, whatever predicts them; damage is a status.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "codec_support.hpp"
#include "gpu_support.hpp"
#include "gpz/codec/ordered_codec.hpp"
#include "gpz/core/ordered_section.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/ordered/ordered.hpp"

namespace gpz::test {
namespace {

using Column = std::vector<std::int64_t>;
using Columns = std::array<Column, 3>;

enum class IdKind { none, dense, gaps, strides, far_apart, unsorted, kinds };
enum class Layout { separate, interleaved, single, kinds };

// Ids of particles, as parts of systems have them.
Column make_ids(IdKind kind, std::size_t n, Random &random) {
  Column ids(n);
  std::int64_t next = static_cast<std::int64_t>(random.below(1000)) - 300;
  for (std::int64_t &id : ids) {
    id = next++;
    if (kind == IdKind::gaps && random.below(5) == 0) next += static_cast<std::int64_t>(random.below(20));
    if (kind == IdKind::strides) next += 2;
    if (kind == IdKind::far_apart && random.below(9) == 0) next += std::int64_t{1} << (20 + random.below(35));
  }
  if (kind == IdKind::unsorted)
    for (std::size_t i = 1; i < n; ++i) std::swap(ids[i], ids[random.below(i + 1)]);
  return ids;
}

// Places of particles that follow from their ids more or less: rows of a crystal, molecules, a path, anything.
struct Places {
  core::GridBox box{};
  Columns q;

  // Narrow: indices of encoders on a GPU, below 2^30 in magnitude.
  Places(const Column &ids, int components, bool narrow, Random &random) {
    const std::uint64_t kind = random.below(6);
    const auto row = static_cast<std::int64_t>(5 + random.below(60));
    const auto cell = static_cast<std::int64_t>(1 + random.below(5));
    const std::int64_t spacing = std::int64_t{1} << (1 + random.below(16));
    const std::uint64_t noise = 1 + random.below(static_cast<std::uint64_t>(spacing));
    const std::uint64_t odd = random.below(2) == 0 ? 0 : 30 + random.below(900);
    const bool far = random.below(5) == 0;
    const std::int64_t reach = std::int64_t{1} << (narrow ? 8 + random.below(20)
                                                   : far  ? 40 + random.below(15)
                                                          : 8 + random.below(24));
    for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
      core::GridAxis &axis = box[d];
      if (random.below(3) != 0)
        axis = {static_cast<std::int64_t>(random.below(4000)) - 2000,
                random.below(6) == 0 ? reach + 8 : static_cast<std::int64_t>(8 + random.below(200000))};
      std::int64_t last = 0;
      for (const std::int64_t id : ids) {
        std::int64_t x = 0;
        const auto shaken = static_cast<std::int64_t>(random.below(2 * noise)) - static_cast<std::int64_t>(noise);
        if (kind == 0)
          x = (d == 0   ? id / cell % row
               : d == 1 ? id / cell / row % row
                        : id / cell / row / row) *
                  spacing +
              id % cell * spacing / 2 + shaken;
        else if (kind == 1)
          x = last +
              (id % 3 == 0 ? static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(reach))) : shaken);
        else if (kind == 2)
          x = last + shaken;
        else if (kind == 3)
          x = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(reach)));
        else if (kind == 4)
          x = 7;
        else
          x = id;
        last = x;
        if (axis.period != 0) {
          x = axis.lo + ((x - axis.lo) % axis.period + axis.period) % axis.period;
          // Through an edge a while ago, or beyond it by far.
          if (random.below(20) == 0 && x < axis.lo + axis.period / 8) x += axis.period;
        }
        if (odd != 0 && random.below(odd) == 0) {
          const std::int64_t values[] = {x + (axis.period != 0 ? 3 * axis.period : 1 << 20),
                                         axis.lo - 1,
                                         axis.lo + axis.period,
                                         reach,
                                         -reach,
                                         std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min()};
          x = values[random.below(std::size(values) - (narrow ? 2 : 0))];
        }
        if (narrow && (x >= cuda::device_index_end || x <= -cuda::device_index_end)) x = 0;
        q[d].push_back(x);
      }
    }
  }
};

// So that it is known that there were some.
struct Seen {
  int runs = 0;
  int lags = 0;
  int long_lags = 0;
  int swapped = 0;
};

class Section {
 public:
  explicit Section(std::uint64_t seed, bool narrow = false) : random(seed) {
    const std::size_t sizes[] = {1, 2, 31, 33, 1000, 1023, 1024, 1025, 2048, 5000, 30000};
    n = random.below(2) == 0 ? sizes[random.below(std::size(sizes))] : 1 + random.below(7000);
    components = 1 + static_cast<int>(random.below(3));
    kind = static_cast<IdKind>(random.below(static_cast<std::uint64_t>(IdKind::kinds)));
    if (narrow && kind == IdKind::far_apart) kind = IdKind::gaps;
    ids = make_ids(kind, n, random);
    const bool of_ids = components == 1 && random.below(2) == 0;
    Places places(ids, components, narrow, random);
    if (of_ids) {
      places.q[0] = ids;
      places.box = {};
    }
    q = places.q;
    shape = {n, components, kind == IdKind::none ? nullptr : ids.data(), places.box};
    codec::encode_ordered(shape, {q[0].data(), q[1].data(), q[2].data()}, bytes);
    types = static_cast<int>(random.below(3));
    layout = static_cast<Layout>(random.below(static_cast<std::uint64_t>(Layout::kinds)));
  }

  void note(Seen &seen) const {
    const bool runs = bytes[0] == core::ordered_runs_kind;
    const std::uint8_t *header = bytes.data() + (runs ? core::ordered_runs_header : 0);
    seen.runs += runs ? 1 : 0;
    seen.lags += header[2] > 1 ? 1 : 0;
    seen.long_lags += (header[4] | header[5]) != 0 ? 1 : 0;
    seen.swapped += header[1] != 0 ? 1 : 0;
  }

  // What the device makes of these bytes against what the CPU does.
  void compare(const std::vector<std::uint8_t> &section, bool is_whole) {
    Columns expected;
    codec::IndexOutput out{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
      expected[d].resize(n);
      out[d] = expected[d].data();
    }
    bool good = true;
    try {
      codec::decode_ordered(shape, section.data(), section.size(), out);
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::corrupt);
      good = false;
    }
    ASSERT_TRUE(good || !is_whole);
    if (types == 0)
      compare_values<std::int64_t>(section, good, expected);
    else if (types == 1)
      compare_values<float>(section, good, expected);
    else
      compare_values<double>(section, good, expected);
  }

  Random random;
  std::size_t n = 0;
  int components = 0;
  IdKind kind = IdKind::none;
  Column ids;
  Columns q;
  codec::OrderedShape shape;
  std::vector<std::uint8_t> bytes;
  int types = 0;
  Layout layout = Layout::separate;

 private:
  template <typename T>
  void compare_values(const std::vector<std::uint8_t> &section, bool good, const Columns &expected) {
    constexpr double step = 0.001;
    const auto width = static_cast<std::size_t>(components);
    const DeviceMemory values(n * width * sizeof(T));
    cuda::FieldOutput output;
    output.field.type = std::is_integral_v<T> ? ValueType::integer
                        : sizeof(T) == 4      ? ValueType::float32
                                              : ValueType::float64;
    output.field.step = std::is_integral_v<T> ? 0 : step;
    output.field.components.resize(width);
    const bool together = layout == Layout::interleaved;
    const std::size_t wanted = layout == Layout::single ? width - 1 : 0;
    for (std::size_t d = wanted; d < width; ++d)
      output.components[d] = {values.as<T>() + (together ? d : d * n),
                              static_cast<std::ptrdiff_t>(sizeof(T) * (together ? width : 1)), array_type<T>()};
    const DeviceMemory there(section.data(), section.size());
    const DeviceMemory ids_there(ids.data(), n * 8);
    const DeviceMemory workspace(cuda::decode_ordered_workspace(n, components));
    const Pinned<std::uint32_t> status;
    *status = 77;
    const OwnStream stream;
    cuda::decode_ordered(
        n, shape.ids == nullptr ? nullptr : ids_there.as<std::int64_t>(),
        {{shape.box, workspace.get(), workspace.size(), stream.get()}, there.get(), section.size(), status.get()},
        output);
    check(cudaStreamSynchronize(stream.get()));
    ASSERT_EQ(*status, good ? 0 : cuda::section_damaged);
    if (!good) return;
    const auto bytes_there = values.bytes();
    std::size_t wrong = 0;
    for (std::size_t d = wanted; d < width; ++d)
      for (std::size_t i = 0; i < n; ++i) {
        T got;
        std::memcpy(&got, &bytes_there[(together ? i * width + d : d * n + i) * sizeof(T)], sizeof(T));
        T want;
        if constexpr (std::is_integral_v<T>)
          want = expected[d][i];
        else
          want = core::grid_value<T>(static_cast<double>(expected[d][i]), step);
        wrong += std::memcmp(&got, &want, sizeof(T)) != 0 ? 1 : 0;
      }
    EXPECT_EQ(wrong, 0u);
  }
};

std::string name_of(const Section &section) {
  return std::to_string(section.n) + " particles, " + std::to_string(section.components) + " components, ids " +
         std::to_string(static_cast<int>(section.kind)) + ", types " + std::to_string(section.types) + ", layout " +
         std::to_string(static_cast<int>(section.layout));
}

class CudaOrdered : public GpuTest {};

// The predictor in the header of a section that is not one of runs.
core::OrderedPredictor predictor_of(const Section &section) {
  core::OrderedPredictor predictor;
  predictor.swapped = section.bytes[1];
  for (std::size_t k = 0; k < 2; ++k)
    predictor.lag[k] = section.bytes[2 + 2 * k] | static_cast<std::uint32_t>(section.bytes[3 + 2 * k]) << 8;
  const auto width = static_cast<std::size_t>(section.components);
  const std::uint8_t *numbers = &section.bytes[core::ordered_widths_end(section.components)];
  for (std::size_t k = 0; k < 2; ++k) std::memcpy(predictor.offset[k], numbers + k * width * 8, width * 8);
  return predictor;
}

template <typename T>
void expect_bytes(const Section &section, bool selected, Random &random) {
  const auto width = static_cast<std::size_t>(section.components);
  std::vector<std::uint32_t> rows(section.n);
  for (std::size_t i = 0; i < section.n; ++i) rows[i] = static_cast<std::uint32_t>(i);
  if (selected)
    for (std::size_t i = section.n; i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
  std::vector<T> values(section.n * width);
  for (std::size_t d = 0; d < width; ++d)
    for (std::size_t i = 0; i < section.n; ++i) values[rows[i] * width + d] = static_cast<T>(section.q[d][i]);
  const DeviceMemory there(values.data(), values.size() * sizeof(T));
  const DeviceMemory rows_there(rows.data(), rows.size() * 4);
  const DeviceMemory ids_there(section.ids.data(), section.n * 8);
  cuda::DeviceValues input;
  for (std::size_t d = 0; d < width; ++d)
    input.component[d] = {there.as<T>() + d, static_cast<std::ptrdiff_t>(width * sizeof(T)), array_type<T>()};
  if (selected) input.rows = rows_there.as<std::uint32_t>();
  input.grid = {1, 1, 0.5};
  const std::size_t capacity = cuda::ordered_bound(section.n, section.components);
  ASSERT_LE(section.bytes.size(), capacity);
  const DeviceMemory out(capacity);
  const DeviceMemory workspace(cuda::encode_ordered_workspace(section.n, capacity));
  const Pinned<cuda::DifferenceResult> result;
  const OwnStream stream;
  cuda::SectionEncoding call{{section.shape.box, workspace.get(), workspace.size(), stream.get()}};
  call.out = out.get();
  call.capacity = capacity;
  call.result = result.get();
  cuda::encode_ordered(section.n, section.shape.ids == nullptr ? nullptr : ids_there.as<std::int64_t>(), input,
                       section.components, predictor_of(section), call);
  check(cudaStreamSynchronize(stream.get()));
  ASSERT_EQ(result->wide, 0u);
  ASSERT_EQ(result->invalid, 0u);
  ASSERT_EQ(result->fits, 1u);
  EXPECT_EQ(result->largest_error, 0);
  ASSERT_EQ(result->bytes, section.bytes.size());
  EXPECT_EQ(out.bytes(section.bytes.size()), section.bytes);
}

TEST_F(CudaOrdered, BytesOfTheCpu) {
  Seen seen;
  for (std::uint64_t seed = 3000; seed < 3500 && !testing::Test::HasFailure(); ++seed) {
    Section section(seed, true);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + name_of(section));
    if (section.bytes[0] == core::ordered_runs_kind) continue;
    section.note(seen);
    Random random(seed);
    const bool selected = random.below(2) == 0;
    if (section.types == 0)
      expect_bytes<std::int64_t>(section, selected, random);
    else
      expect_bytes<double>(section, selected, random);
  }
  EXPECT_GT(seen.lags, 50);
  EXPECT_GT(seen.long_lags, 20);
  EXPECT_GT(seen.swapped, 5);
  expect_healthy();
}

TEST_F(CudaOrdered, ValuesOfTheCpu) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 600 && !testing::Test::HasFailure(); ++seed) {
    Section section(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + name_of(section));
    section.note(seen);
    section.compare(section.bytes, true);
  }
  EXPECT_GT(seen.runs, 8);
  EXPECT_GT(seen.lags, 50);
  EXPECT_GT(seen.long_lags, 20);
  EXPECT_GT(seen.swapped, 5);
  expect_healthy();
}

TEST_F(CudaOrdered, DamageIsAStatusOrTheValuesOfTheCpu) {
  for (std::uint64_t seed = 1000; seed < 1060 && !testing::Test::HasFailure(); ++seed) {
    Section section(seed);
    for (int round = 0; round < 40; ++round) {
      auto damaged = section.bytes;
      const std::size_t range = round % 2 == 0 ? std::min<std::size_t>(96, damaged.size()) : damaged.size();
      for (std::uint64_t k = section.random.below(4); k < 4; ++k)
        damaged[section.random.below(range)] ^= static_cast<std::uint8_t>(1u << section.random.below(8));
      if (round % 16 == 15) damaged.resize(section.random.below(damaged.size() / 8) * 8);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round) + ", " + name_of(section));
      section.compare(damaged, false);
    }
  }
  expect_healthy();
}

// Lags and orders that no encoder of ours would choose, over values that do not follow them.
TEST_F(CudaOrdered, AnyLags) {
  for (std::uint64_t seed = 2000; seed < 2100 && !testing::Test::HasFailure(); ++seed) {
    Section section(seed);
    auto other = section.bytes;
    std::uint8_t *header = other.data() + (other[0] == core::ordered_runs_kind ? core::ordered_runs_header : 0);
    const int components = other[0] == core::ordered_runs_kind ? core::run_components : section.components;
    for (int k = 0; k < 4; ++k) {
      const std::uint64_t lags[] = {0, 1, 2, 3, 4, 5, 31, 32, 33, 64, 500, 1023};
      header[1] = static_cast<std::uint8_t>(section.random.below(1u << components));
      for (int lag = 0; lag < 2; ++lag) {
        const auto chosen = lags[section.random.below(std::size(lags))];
        header[2 + 2 * lag] = static_cast<std::uint8_t>(chosen);
        header[3 + 2 * lag] = static_cast<std::uint8_t>(chosen >> 8);
      }
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + name_of(section));
      section.compare(other, false);
    }
  }
  expect_healthy();
}

TEST_F(CudaOrdered, NoParticles) {
  cuda::FieldOutput output;
  output.field.type = ValueType::integer;
  output.field.components.resize(1);
  const DeviceMemory workspace(cuda::decode_ordered_workspace(0, 1));
  const DeviceMemory section(64);
  const Pinned<std::uint32_t> status;
  for (const std::size_t size : {std::size_t{0}, std::size_t{64}}) {
    cuda::decode_ordered(0, nullptr,
                         {{{}, workspace.get(), workspace.size(), nullptr}, section.get(), size, status.get()}, output);
    check(cudaDeviceSynchronize());
    EXPECT_EQ(*status, size == 0 ? 0 : cuda::section_damaged);
  }
}

TEST_F(CudaOrdered, WrongArguments) {
  cuda::FieldOutput output;
  output.field.type = ValueType::float64;
  output.field.components.resize(1);
  const DeviceMemory values(80);
  output.components[0] = {values.get(), 8, ConstArray::Type::float64};
  const DeviceMemory workspace(cuda::decode_ordered_workspace(10, 1));
  const Pinned<std::uint32_t> status;
  const auto decode = [&](std::size_t room) {
    cuda::decode_ordered(10, nullptr, {{{}, workspace.get(), room, nullptr}, values.get(), 80, status.get()}, output);
  };
  EXPECT_EQ(status_of([&] { decode(workspace.size()); }), Status::invalid_argument);  // no grid
  output.field.step = 1;
  EXPECT_EQ(status_of([&] { decode(workspace.size() - 1); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { decode(workspace.size()); }), Status::ok);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
