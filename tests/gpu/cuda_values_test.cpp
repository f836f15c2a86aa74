// SPDX-License-Identifier: BSD-3-Clause
// The bound of values that a GPU has encoded, decoded by the GPU and by the CPU: 10^9 of them near the edges of grid
// cells, every float there is, and trajectories. Compared without rounding, by code that knows nothing of the codec.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "../values/edge_choice.hpp"
#include "../values/motion.hpp"
#include "codec_support.hpp"
#include "gpu_support.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/cuda_trajectory.hpp"
#include "value_arrays.hpp"

namespace gpz::test {
namespace {

using values::Choice;
using values::EdgeField;
using values::Tally;

// A float field on the device, values of a particle next to each other, and room for what is decoded of it.
class DeviceField {
 public:
  DeviceField(const std::string &name, ValueType type, int components, double bound, double step, std::uint64_t n)
      : components_(components),
        size_(type == ValueType::float32 ? 4 : 8),
        n_(n),
        given_(n * size_ * static_cast<unsigned>(components)),
        decoded_(given_.size()) {
    input.field.type = type;
    input.field.bound = bound;
    input.field.step = step;
    fill_step(input.field);
    output.field = input.field;
    const auto stride = static_cast<std::ptrdiff_t>(size_) * components;
    const auto stored = type == ValueType::float32 ? ConstArray::Type::float32 : ConstArray::Type::float64;
    for (int d = 0; d < components; ++d) {
      input.field.components.push_back({name + std::to_string(d), 0});
      const std::size_t offset = size_ * static_cast<unsigned>(d);
      input.components[static_cast<std::size_t>(d)] = {given_.as<char>() + offset, stride, stored};
      output.components[d] = {decoded_.as<char>() + offset, stride, stored};
    }
    output.field.components = input.field.components;
  }

  template <typename T>
  T *given() const {
    return given_.as<T>();
  }
  std::uint64_t values() const { return n_ * static_cast<unsigned>(components_); }

  void compare(const std::int32_t *ids, std::uint32_t *seen, ValueReport *report) const {
    const double bound = input.field.bound;
    if (size_ == 4)
      check(compare_values(given_.as<float>(), decoded_.as<float>(), ids, n_, components_, bound, seen, report));
    else
      check(compare_values(given_.as<double>(), decoded_.as<double>(), ids, n_, components_, bound, seen, report));
  }

  // Whether the CPU decoded the values that the GPU decoded, bit for bit (as doubles, in which a signalling NaN is
  // quiet).
  bool is_decoded_as(const Frame &frame, std::size_t first_column) const {
    const std::vector<std::uint8_t> bytes = decoded_.bytes();
    for (int d = 0; d < components_; ++d) {
      const std::vector<double> &column = frame.columns[first_column + static_cast<std::size_t>(d)].floats;
      for (std::uint64_t i = 0; i < n_; ++i) {
        const std::uint8_t *at =
            bytes.data() + (i * static_cast<unsigned>(components_) + static_cast<unsigned>(d)) * size_;
        double value = 0;
        if (size_ == 4) {
          float single = 0;
          std::memcpy(&single, at, sizeof single);
          value = static_cast<double>(single);
        } else {
          std::memcpy(&value, at, sizeof value);
        }
        if (std::memcmp(&value, &column[i], sizeof value) != 0) return false;
      }
    }
    return true;
  }

  FieldInput input;
  cuda::FieldOutput output;

 private:
  int components_;
  std::size_t size_;
  std::uint64_t n_;
  DeviceMemory given_;
  DeviceMemory decoded_;
};

struct Sums {
  std::uint64_t values = 0;
  std::uint64_t exact = 0;
  std::uint64_t on_cpu = 0;  // decoded by the CPU too
};

class CudaValues : public GpuTest {
 protected:
  // Encodes the fields, float ones and behind them the ids if there are any, decodes them, compares.
  void there_and_back(const std::vector<DeviceField *> &floats, const std::int32_t *ids, std::uint64_t n,
                      bool on_cpu_too, const std::string &what) {
    std::vector<FieldInput> inputs;
    std::vector<cuda::FieldOutput> outputs;
    for (const DeviceField *field : floats) {
      inputs.push_back(field->input);
      outputs.push_back(field->output);
    }
    const DeviceMemory decoded_ids(n * 4);
    const DeviceMemory seen((n + 31) / 32 * 4);
    if (ids != nullptr) {
      Field id;
      id.type = ValueType::integer;
      id.components = {{"id", 0}};
      inputs.push_back({id, {{{ids, 4, ConstArray::Type::int32}}}});
      outputs.push_back({id, {{decoded_ids.get(), 4, ConstArray::Type::int32}}});
    }
    const cuda::DeviceChunk &chunk = codec->encode(inputs, n, nullptr);
    codec->decode(chunk.data, chunk.size, n, outputs);
    for (std::size_t f = 0; f < floats.size(); ++f) {
      const DeviceField &field = *floats[f];
      const DeviceMemory on_device(sizeof(ValueReport));
      check(cudaMemset(on_device.get(), 0, on_device.size()));
      check(cudaMemset(seen.get(), 0, seen.size()));
      field.compare(ids == nullptr ? nullptr : decoded_ids.as<std::int32_t>(),
                    ids == nullptr ? nullptr : seen.as<std::uint32_t>(), on_device.as<ValueReport>());
      ValueReport report{};
      std::memcpy(&report, on_device.bytes(sizeof report).data(), sizeof report);
      EXPECT_EQ(report.misses, 0U) << what << ", field " << f << ", value " << report.first_miss << ", bound "
                                   << field.input.field.bound << ", step " << field.input.field.step;
      EXPECT_EQ(report.unknown, 0U) << what;
      EXPECT_LE(chunk.largest_error[f], field.input.field.bound) << what;
      sums.values += field.values();
      sums.exact += report.exact;
    }
    if (!on_cpu_too) return;
    EncodedChunk bytes;
    bytes.particles = n;
    bytes.bytes.resize(chunk.size);
    codec->copy_chunk(bytes.bytes.data(), bytes.bytes.size());
    const Frame frame = decode(inputs, bytes, 0);
    std::size_t column = 0;
    for (const DeviceField *field : floats) {
      EXPECT_TRUE(field->is_decoded_as(frame, column)) << what << ": CPU and GPU decode other values";
      column += field->input.field.components.size();
      sums.on_cpu += field->values();
    }
  }

  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) codec = std::make_unique<cuda::Codec>(0);
  }
  void TearDown() override {
    if (sums.values != 0)
      std::printf("%llu values, %llu of them exact, %llu of them decoded by the CPU too\n",
                  static_cast<unsigned long long>(sums.values), static_cast<unsigned long long>(sums.exact),
                  static_cast<unsigned long long>(sums.on_cpu));
  }

  std::unique_ptr<cuda::Codec> codec;
  Sums sums;
};

std::unique_ptr<DeviceField> edge_field(const std::string &name, Choice &choice, std::uint64_t n) {
  const ValueType type = choice.below(2) == 0 ? ValueType::float32 : ValueType::float64;
  const EdgeField chosen = values::choose_edge_field(choice, type);
  auto field = std::make_unique<DeviceField>(name, type, chosen.components, chosen.bound, chosen.step, n);
  check(type == ValueType::float32
            ? make_edge_values(field->given<float>(), field->values(), chosen.seed, chosen.used_step, chosen.bits)
            : make_edge_values(field->given<double>(), field->values(), chosen.seed, chosen.used_step, chosen.bits));
  return field;
}

TEST_F(CudaValues, NearTheEdgesOfGridCells) {
  constexpr std::uint64_t wanted = 1'000'000'000;
  constexpr std::uint64_t n = (std::uint64_t{1} << 21) + 77;
  const DeviceMemory ids(n * 4);
  check(make_numbers(ids.as<std::int32_t>(), n));
  for (std::uint64_t number = 0; sums.values < wanted && !HasFailure(); ++number) {
    Choice choice(number);
    const auto x = edge_field("x", choice, n);
    const auto v = edge_field("v", choice, n);
    x->input.field.leading = x->output.field.leading = choice.below(4) != 0;
    there_and_back({x.get(), v.get()}, ids.as<std::int32_t>(), n, number % 16 == 0, "file " + std::to_string(number));
  }
}

TEST_F(CudaValues, EveryFloat) {
  constexpr std::uint64_t n = std::uint64_t{1} << 26;
  const DeviceMemory ids(n * 4);
  check(make_numbers(ids.as<std::int32_t>(), n));
  for (const double bound : {0.001, 1e-30, 1e20})
    for (std::uint64_t first = 0; first >> 32 == 0 && !HasFailure(); first += n) {
      DeviceField x("x", ValueType::float32, 1, bound, 0, n);
      check(make_floats(x.given<float>(), n, static_cast<std::uint32_t>(first)));
      x.input.field.leading = x.output.field.leading = first / n % 2 == 1;
      there_and_back({&x}, x.input.field.leading ? ids.as<std::int32_t>() : nullptr, n, first / n % 16 == 15,
                     "floats from bits " + std::to_string(first));
    }
}

// Host values of a frame in device memory.
class DeviceFrame {
 public:
  explicit DeviceFrame(const values::FrameValues &frame) {
    for (const values::FieldValues &field : frame.fields) {
      FieldInput input = field.input();
      std::visit(
          [&](const auto &all) {
            arrays_.push_back(std::make_unique<DeviceMemory>(all.data(), all.size() * sizeof(all[0])));
            for (std::size_t d = 0; d < field.field.components.size(); ++d)
              input.components[d].data = arrays_.back()->template as<char>() + d * sizeof(all[0]);
          },
          field.values);
      inputs.push_back(input);
    }
  }
  std::vector<FieldInput> inputs;

 private:
  std::vector<std::unique_ptr<DeviceMemory>> arrays_;
};

// Without the integers from their whole range, for which a GPU makes independent chunks (docs/limitations.md).
values::FrameValues without_wide_integers(values::FrameValues frame) {
  auto &fields = frame.fields;
  fields.erase(std::remove_if(fields.begin(), fields.end(),
                              [](const auto &field) { return field.field.components[0].name == "any"; }),
               fields.end());
  return frame;
}

// Encoded on the GPU, 1,000 frames with one key frame, read by the CPU.
template <typename T>
void expect_no_drift(values::Motion motion, std::size_t &differences) {
  constexpr std::size_t frames = 1000, particles = 2000;
  values::FileOptions options;
  options.key_interval = frames;
  options.threads = 4;
  values::FileInMemory file(options);
  cuda::TrajectoryCodec codec(0);
  values::MovingParticles<T> moving(motion, particles, 2);
  for (std::size_t i = 0; i < frames; ++i) {
    const values::FrameValues frame = without_wide_integers(moving.next());
    const DeviceFrame on_device(frame);
    const cuda::DeviceChunk &chunk = codec.encode(on_device.inputs, frame.particles, nullptr, frame.box, i == 0);
    EncodedChunk copy{chunk.particles, 0, std::vector<std::uint8_t>(chunk.size), chunk.largest_error};
    check(cudaMemcpy(copy.bytes.data(), chunk.data, chunk.size, cudaMemcpyDeviceToHost));
    copy.checksum = chunk_checksum(copy.bytes.data(), copy.bytes.size());
    differences += chunk.kind == ChunkKind::difference;
    file.write(frame, copy);
  }
  file.close();
  values::MovingParticles<T> again(motion, particles, 2);
  Tally tally;
  for (std::size_t i = 0; i < frames; ++i)
    tally += file.compare_frame(i, without_wide_integers(again.next()), "frame " + std::to_string(i));
  EXPECT_EQ(tally.misses, 0U) << "motion " << static_cast<int>(motion) << ": " << tally.first_miss;
  std::printf("motion %d: %llu values, %llu integers\n", static_cast<int>(motion),
              static_cast<unsigned long long>(tally.values), static_cast<unsigned long long>(tally.integers));
}

TEST_F(CudaValues, DoNotDrift) {
  using values::Motion;
  for (const Motion motion :
       {Motion::still, Motion::straight, Motion::crystal, Motion::walk, Motion::calm, Motion::odd, Motion::exchange}) {
    std::size_t differences = 0;
    expect_no_drift<float>(motion, differences);
    expect_no_drift<double>(motion, differences);
    // A GPU makes independent chunks where values are exact, and where velocities are 2^30 cells and more.
    if (motion != Motion::odd) {
      EXPECT_GT(differences, 1000U);
    }
  }
}

}  // namespace
}  // namespace gpz::test
