// SPDX-License-Identifier: BSD-3-Clause
// The inputs of the fuzz targets, given to the decoders on the GPU: what the CPU refuses is a status there too, sound
// chunks have the same values. Made for compute-sanitizer as well: memory has no room to spare.
//
// GPZ_FUZZ_INPUTS: folders, separated by colons, in which every file is an input, at any depth. Without it those of the
// repository and of its build folder, seen from its root.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "../fuzz/gpz_file.hpp"
#include "decoder_outputs.hpp"
#include "gpu_support.hpp"
#include "gpz/codec/difference_codec.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/format/leaving_slots.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::test {
namespace {

constexpr std::uint64_t most_particles = 1 << 15;

struct Input {
  std::string name;
  bool is_sound = false;  // a golden file
  fuzz::File file;
};

std::vector<Input> inputs() {
  const char *const given = std::getenv("GPZ_FUZZ_INPUTS");
  std::istringstream folders(given != nullptr ? given : "tests/golden/files:build/tests/fuzz/corpus");
  std::vector<Input> found;
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(stream), {}};
      found.push_back(
          {entry.path().string(), entry.path().extension() == ".gpz", fuzz::take_apart(bytes.data(), bytes.size())});
    }
  }
  return found;
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

// ---- block chunks

// One chunk: on the CPU, then on the GPU.
class BlockChunk {
 public:
  BlockChunk(const fuzz::Chunk &chunk, const std::vector<Field> &fields) : chunk_(chunk), fields_(fields) {}

  bool decodes_on_cpu() {
    frame_.info.fields = fields_;
    for (std::size_t f = 0; f < fields_.size(); ++f)
      for (std::size_t c = 0; c < fields_[f].components.size(); ++c) frame_.columns.push_back({f, c, {}, {}});
    return status_of([&] { decode_chunk(chunk_.bytes.data(), chunk_.bytes.size(), chunk_.particles, frame_); }) ==
           Status::ok;
  }

  Status decode_on_gpu(cuda::Codec &codec) {
    std::vector<cuda::FieldOutput> outputs;
    for (const Field &field : fields_) {
      outputs.push_back({field, {}});
      const bool is_integer = field.type == ValueType::integer;
      for (std::size_t c = 0; c < field.components.size(); ++c) {
        memory_.push_back(std::make_unique<DeviceMemory>(chunk_.particles * 8));
        outputs.back().components[c] = {memory_.back()->get(), 8,
                                        is_integer ? ConstArray::Type::int64 : ConstArray::Type::float64};
      }
    }
    return status_of(
        [&] { codec.decode_from_host(chunk_.bytes.data(), chunk_.bytes.size(), chunk_.particles, outputs); });
  }

  // Of the values of CPU and GPU.
  std::size_t differences() const {
    std::size_t count = 0;
    for (std::size_t c = 0; c < frame_.columns.size(); ++c) {
      const Frame::Column &column = frame_.columns[c];
      const std::vector<std::uint8_t> bytes = memory_[c]->bytes(chunk_.particles * 8);
      for (std::size_t i = 0; i < chunk_.particles; ++i) {
        double value;
        std::memcpy(&value, &bytes[i * 8], 8);
        const bool equal = column.integers.empty() ? same(value, column.floats[i])
                                                   : std::memcmp(&value, &column.integers[i], sizeof value) == 0;
        count += equal ? 0 : 1;
      }
    }
    return count;
  }

 private:
  const fuzz::Chunk &chunk_;
  const std::vector<Field> &fields_;
  Frame frame_;
  std::vector<std::unique_ptr<DeviceMemory>> memory_;
};

class CudaCorpus : public GpuTest {};

TEST_F(CudaCorpus, ChunksAreDecodedOrRefusedAsOnTheCpu) {
  cuda::Codec codec;
  std::size_t decoded = 0, refused = 0, unsupported = 0, sound = 0;
  for (Input &input : inputs()) {
    for (const fuzz::Frame *frame : input.file.frames()) {
      const std::vector<Field> &fields = frame->info.fields;
      if (fields.size() > cuda::max_fields) continue;
      for (const fuzz::Chunk &chunk : frame->chunks) {
        if (chunk.particles > most_particles) continue;
        BlockChunk block(chunk, fields);
        const bool on_cpu = block.decodes_on_cpu();
        const Status on_gpu = block.decode_on_gpu(codec);
        if (on_gpu == Status::unsupported) {
          ++unsupported;
          continue;
        }
        EXPECT_EQ(on_gpu, on_cpu ? Status::ok : Status::corrupt) << input.name;
        decoded += on_gpu == Status::ok ? 1 : 0;
        refused += on_gpu == Status::ok ? 0 : 1;
        // Values of keys beyond the largest of their block are unspecified, so only those of sound files are compared.
        if (!input.is_sound || !on_cpu || on_gpu != Status::ok) continue;
        EXPECT_EQ(block.differences(), 0u) << input.name;
        ++sound;
      }
    }
  }
  EXPECT_GT(sound, 0u) << "no golden files: GPZ_FUZZ_INPUTS names no folder with .gpz files";
  std::printf("chunks: %zu decoded, %zu of golden files compared, %zu refused, %zu for the CPU only\n", decoded, sound,
              refused, unsupported);
  expect_healthy();
}

// ---- difference sections

// A predicted section of a difference chunk, without what comes before the coded integers.
struct Section {
  const Field *field;
  std::size_t particles;
  core::GridBox box;
  std::vector<std::uint8_t> bytes;

  int components() const { return static_cast<int>(field->components.size()); }
  bool is_plain() const { return field->type == ValueType::integer; }
  bool uses_neighbours() const { return !bytes.empty() && bytes[0] == 2; }
};

// The sections of a difference chunk that builds on one of `reference` particles, as far as they can be read.
std::vector<Section> sections_of(const fuzz::Chunk &chunk, const std::vector<Field> &fields, std::uint64_t reference) {
  std::vector<Section> sections;
  format::OpenedChunk head;
  const auto parts = fuzz::split(chunk.bytes, fields.size());
  if (!parts || chunk_kind(chunk.bytes.data(), chunk.bytes.size()) != ChunkKind::difference) return {};
  if (status_of([&] {
        head = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields.size());
        format::read_leaving_slots(head, reference, chunk.particles, chunk.bytes.data() + head.slots.offset);
      }) != Status::ok)
    return {};
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Field &field = fields[f];
    if (field.type != ValueType::integer && field.step == 0) continue;  // its indices are too wide for the GPU
    Section section{&field, static_cast<std::size_t>(chunk.particles - head.arriving), {}, {}};
    const std::vector<std::uint8_t> &bytes = parts->sections[f];
    static_cast<void>(status_of([&] {
      const format::FieldCoding coding = format::read_field_coding(bytes.data(), bytes.size(), ChunkKind::difference,
                                                                   format::class_of(field), field.components.size());
      if (coding.kind != format::predicted_values || bytes.size() == format::field_coding_size) return;
      format::Column<format::ExactValue> exact;
      const std::size_t at =
          format::field_coding_size + format::read_section_head(format::rule_of(coding.kind).head,
                                                                bytes.data() + format::field_coding_size,
                                                                bytes.size() - format::field_coding_size, field,
                                                                section.particles, section.box, exact);
      section.bytes.assign(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end());
      if (section.particles != 0 && cuda::can_follow(section.box)) sections.push_back(section);
    }));
  }
  return sections;
}

// Particles that have moved for a few frames.
codec::DifferenceState history_of(const Section &section) {
  codec::DifferenceState state;
  std::array<std::vector<std::int64_t>, core::max_components> q;
  const auto columns = [&] { return codec::IndexColumns{q[0].data(), q[1].data(), q[2].data()}; };
  const auto move = [&](std::int64_t frame) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(section.components()); ++d) {
      q[d].resize(section.particles);
      for (std::size_t i = 0; i < section.particles; ++i)
        q[d][i] = section.box[d].lo + static_cast<std::int64_t>(i * 7 % 97) + frame * static_cast<std::int64_t>(i % 5);
    }
  };
  move(0);
  state.start(columns(), section.particles, section.components(), section.is_plain());
  for (std::int64_t frame = 1; frame < 6; ++frame) {
    move(frame);
    state.advance(columns(), section.box);
  }
  return state;
}

// That state in device memory.
class DeviceState {
 public:
  explicit DeviceState(const codec::DifferenceState &host)
      : memory_(cuda::difference_state_size(host.particles, host.components, host.plain)),
        state_(cuda::place_difference_state(memory_.get(), host.particles, host.components, host.plain)) {
    state_.particles = host.particles;
    state_.frames = host.frames;
    for (std::size_t d = 0; d < static_cast<std::size_t>(host.components); ++d) {
      const codec::DifferenceState::Axis &axis = host.axes[d];
      upload(state_.last[d], std::vector<std::int32_t>(axis.last.begin(), axis.last.end()));
      if (host.plain) continue;
      upload(state_.deviation[d], axis.deviation);
      upload(state_.velocity[d], axis.velocity);
      upload(state_.previous[d], axis.previous);
    }
  }
  cuda::DeviceDifferenceState &get() { return state_; }

 private:
  template <typename Numbers>
  static void upload(std::int32_t *to, const Numbers &from) {
    check(cudaMemcpy(to, from.data(), from.size() * sizeof(std::int32_t), cudaMemcpyHostToDevice));
  }

  DeviceMemory memory_;
  cuda::DeviceDifferenceState state_;
};

struct OnCpu {
  bool is_sound = false;
  bool is_wide = false;               // for the GPU
  std::vector<std::uint64_t> values;  // bits, component by component
};

OnCpu decode_on_cpu(const Section &section, const codec::DifferenceState &state) {
  OnCpu result;
  std::array<std::vector<std::int64_t>, core::max_components> q;
  for (auto &column : q) column.resize(section.particles);
  result.is_sound = status_of([&] {
                      codec::decode_difference(state, section.bytes.data(), section.bytes.size(), section.box,
                                               {q[0].data(), q[1].data(), q[2].data()});
                    }) == Status::ok;
  for (std::size_t d = 0; d < static_cast<std::size_t>(section.components()); ++d)
    for (const std::int64_t index : q[d]) {
      if (index >= cuda::device_index_end || index <= -cuda::device_index_end) result.is_wide = true;
      double value = static_cast<double>(index) * section.field->step;
      if (section.field->type == ValueType::float32) value = static_cast<double>(static_cast<float>(value));
      std::uint64_t bits = static_cast<std::uint64_t>(index);
      if (!section.is_plain()) std::memcpy(&bits, &value, sizeof bits);
      result.values.push_back(bits);
    }
  return result;
}

TEST_F(CudaCorpus, DifferenceSectionsAreDecodedOrRefusedAsOnTheCpu) {
  std::size_t decoded = 0, refused = 0, sound = 0;
  const Pinned<std::uint32_t> status;
  const auto check_section = [&](const Input &input, const Section &section) {
    const codec::DifferenceState host = history_of(section);
    const OnCpu expected = decode_on_cpu(section, host);

    const std::size_t n = section.particles;
    const DeviceMemory values(static_cast<std::size_t>(section.components()) * n * 8);
    const DeviceMemory bytes(section.bytes.data(), section.bytes.size());
    const DeviceMemory workspace(cuda::decode_difference_workspace(n));
    const cuda::SectionDecoding call{
        {section.box, workspace.get(), workspace.size(), nullptr}, bytes.get(), section.bytes.size(), status.get()};
    if (section.is_plain()) {
      cuda::DeviceKeys keys;
      keys.components = section.components();
      for (std::size_t d = 0; d < static_cast<std::size_t>(section.components()); ++d) {
        keys.last[d] = values.as<std::int64_t>() + d * n;
        check(cudaMemcpy(keys.last[d], host.axes[d].last.data(), n * 8, cudaMemcpyHostToDevice));
      }
      cuda::decode_key_differences(keys, n, call);
    } else {
      DeviceState device(host);
      cuda::FieldOutput output;
      output.field = *section.field;
      for (std::size_t d = 0; d < static_cast<std::size_t>(section.components()); ++d)
        output.components[d] = {values.as<double>() + d * n, 8, ConstArray::Type::float64};
      cuda::decode_difference(device.get(), call, output, {},
                              section.uses_neighbours() ? core::neighbour_predictor : core::temporal_predictor);
      check(cudaDeviceSynchronize());
    }
    check(cudaDeviceSynchronize());
    if (!expected.is_sound) {
      EXPECT_NE(*status, 0u) << input.name;
      ++refused;
      return;
    }
    // What is wide may be unspecified: residuals beyond those of the format.
    if (input.is_sound) {
      EXPECT_EQ(*status, expected.is_wide && !section.is_plain() ? cuda::section_wide : 0u) << input.name;
    }
    if (*status != 0) return;
    ++decoded;
    if (!input.is_sound) return;
    const auto got = values.bytes(expected.values.size() * 8);
    EXPECT_EQ(std::memcmp(got.data(), expected.values.data(), got.size()), 0) << input.name;
    ++sound;
  };
  for (Input &input : inputs()) {
    const auto frames = input.file.frames();
    for (std::size_t i = 1; i < frames.size(); ++i)
      for (std::size_t k = 0; k < std::min(frames[i]->chunks.size(), frames[i - 1]->chunks.size()); ++k) {
        const fuzz::Chunk &chunk = frames[i]->chunks[k];
        const std::uint64_t reference = frames[i - 1]->chunks[k].particles;
        if (std::max(chunk.particles, reference) > most_particles) continue;
        for (const Section &section : sections_of(chunk, frames[i]->info.fields, reference))
          check_section(input, section);
      }
  }
  EXPECT_GT(sound, 0u) << "no golden files: GPZ_FUZZ_INPUTS names no folder with .gpz files";
  std::printf("sections: %zu decoded, %zu of golden files compared, %zu refused\n", decoded, sound, refused);
  expect_healthy();
}

// ---- trajectories

// The chunks that have one index in the frames of a file, to both decoders.
struct Trajectory {
  trajectory::ChunkReader cpu;
  cuda::TrajectoryDecoder gpu;
  bool cpu_fails = false;  // until an independent chunk
  bool gpu_fails = false;

  Status on_cpu(const fuzz::Chunk &chunk, const std::vector<Field> &fields) {
    const Status status = status_of([&] {
      const auto opened = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields.size());
      cpu.next(opened, chunk.particles, fields, {}, 1);
    });
    cpu_fails = status != Status::ok;
    return status;
  }
  Status on_gpu(const fuzz::Chunk &chunk, const DecoderOutputs &outputs, cuda::OutputOrder order) {
    const Status status = status_of([&] {
      gpu.decode_from_host(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, outputs.outputs(), order);
    });
    gpu_fails = status != Status::ok;
    return status;
  }
};

TEST_F(CudaCorpus, TrajectoriesAreDecodedOrRefusedAsOnTheCpu) {
  std::size_t decoded = 0, compared = 0, refused = 0, unsupported = 0;
  Random random(1);
  for (Input &input : inputs()) {
    std::vector<std::unique_ptr<Trajectory>> chunks;
    for (const fuzz::Frame *frame : input.file.frames()) {
      const std::vector<Field> &fields = frame->info.fields;
      const bool has_ids = has_identity(fields);
      if (fields.size() > cuda::max_fields) break;
      while (chunks.size() < frame->chunks.size()) chunks.push_back(std::make_unique<Trajectory>());
      for (std::size_t k = 0; k < frame->chunks.size(); ++k) {
        const fuzz::Chunk &chunk = frame->chunks[k];
        if (chunk.particles > most_particles) continue;
        Trajectory &both = *chunks[k];
        const bool is_difference = status_of([&] {
                                     if (chunk_kind(chunk.bytes.data(), chunk.bytes.size()) != ChunkKind::difference)
                                       throw Error(Status::unsupported, "");
                                   }) == Status::ok;
        if (is_difference && (both.cpu_fails || both.gpu_fails)) continue;
        const auto order = has_ids && random.below(2) == 0 ? cuda::OutputOrder::id : cuda::OutputOrder::stored;
        DecoderOutputs outputs(fields, chunk.particles, random);
        const Status on_cpu = both.on_cpu(chunk, fields);
        const Status on_gpu = both.on_gpu(chunk, outputs, order);
        if (on_gpu == Status::unsupported || on_gpu == Status::invalid_argument) {
          ++unsupported;
          continue;
        }
        EXPECT_EQ(on_gpu == Status::ok, on_cpu == Status::ok) << input.name << " chunk " << k;
        decoded += on_gpu == Status::ok ? 1 : 0;
        refused += on_gpu == Status::ok ? 0 : 1;
        if (!input.is_sound || on_cpu != Status::ok || on_gpu != Status::ok) continue;
        write_sorted(both.cpu, fields, order, outputs);
        outputs.expect_equal(input.name);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0u) << "no golden files: GPZ_FUZZ_INPUTS names no folder with .gpz files";
  std::printf("frames: %zu decoded, %zu of golden files compared, %zu refused, %zu for the CPU only\n", decoded,
              compared, refused, unsupported);
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
