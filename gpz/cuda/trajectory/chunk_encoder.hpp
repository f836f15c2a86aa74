// SPDX-License-Identifier: BSD-3-Clause
// Encodes a frame as a difference chunk, or as an ordered one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/trajectory/frame_call.hpp"
#include "gpz/cuda/trajectory/frame_report.hpp"
#include "gpz/cuda/trajectory/history.hpp"
#include "gpz/cuda/trajectory/last_frame.hpp"
#include "gpz/cuda/trajectory/match.hpp"
#include "gpz/cuda/trajectory/ordered_encoder.hpp"
#include "gpz/cuda/trajectory/output.hpp"
#include "gpz/cuda/trajectory/section_encoder.hpp"
#include "gpz/cuda/trajectory/step_encoder.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/difference_rules.hpp"

namespace gpz::cuda {

// Keeps what the next frame is compared with. Uses the device that is current in each call.
class ChunkEncoder {
 public:
  explicit ChunkEncoder(Codec &codec) : codec_(codec) {}

  // Makes a stream, and allocates pinned memory, which give_back() frees.
  void make() {
    report_.make();
    ordered_.make();
    beside_ = std::make_unique<Beside>();
  }
  void give_back() {
    report_.give_back();
    ordered_.give_back();
    beside_.reset();
  }

  // Starts the history with the codec's chunk, which has these fields. Throws out_of_memory.
  void start(const FrameCall &call, const std::vector<Field> &fields, std::size_t id);
  // Encodes the frame as an ordered chunk, and starts the history with it. Before, calls axes_of(rows of the particles
  // in the order of ids, in device memory), which returns the axes of the section of positions. Returns false, and has
  // no history, if that returns nothing, ids repeat, or the sections cannot hold the values. Throws out_of_memory.
  using AxesOf = std::function<std::optional<core::GridBox>(const std::uint32_t *rows)>;
  bool encode_ordered(const FrameCall &call, const AxesOf &axes_of);
  // The same with positions in steps, for particles that are bound like this.
  bool encode_ordered(const FrameCall &call, const std::shared_ptr<lanes::Plan> &molecules, int threads);
  // Positions in difference frames, as a CPU found them to be the smallest in an earlier key interval.
  struct Positions {
    format::FieldCodingKind coding = format::predicted_values;  // or steps
    std::shared_ptr<lanes::Plan> molecules;                     // nullptr: no bonds
    std::uint64_t sections_with_motion = 0;                     // as for StepEncoder::start()
  };
  // Call after encode_ordered(): positions are encoded like this up to the next independent chunk, and nothing else may
  // change.
  void follow(const Positions &positions, int threads);
  // Coding of the positions in the next difference frames, whose particles, in the order of ids, are in these rows:
  // predicted_values, or steps without bonds; nothing: another one. With `stays`, later frames have this one as well.
  struct Advice {
    std::optional<format::FieldCodingKind> coding;
    bool stays = false;
  };
  using Adviser = std::function<Advice(const FrameCall &call, const std::uint32_t *rows)>;
  // Asks for the coding in each frame as long as all particles stay. If particles leave or arrive, positions are
  // predicted from then on.
  void ask(Adviser adviser, int threads) {
    adviser_ = std::move(adviser);
    threads_ = threads;
    sections_.set_plain_fields_fixed(true);
  }
  bool started() const { return history_.started(); }
  void forget();
  // As forget(). Also frees the device memory.
  void release();

  enum class Outcome : std::uint8_t {
    encoded,
    impossible,  // not for this frame: few particles stay, or a section cannot hold the values
    wide,        // an index does not fit: the history is useless
  };
  // Encodes the next frame, which the history must be able to follow.
  Outcome encode(const FrameCall &call);
  // The encoded chunk, valid until the next call; its size; and its size if frames were independent.
  DeviceChunk chunk(std::uint64_t particles) const {
    return {out_.data(), out_.size(), particles, largest_error_, kind_};
  }
  std::size_t size() const { return out_.size(); }
  // Particles of the last chunk that were in the frame before.
  std::uint64_t staying() const { return matched_.staying(); }
  std::uint64_t independent_size(std::uint64_t particles) const { return sizes_.scaled(sizes_.all, particles); }

  // After an exception: waits for work on the second stream.
  void settle() const;

  std::size_t device_bytes() const;
  std::uint64_t allocations() const;

 private:
  void reserve_scratch(const FrameCall &call, std::uint64_t before);
  bool start_ordered(const FrameCall &call, const AxesOf &axes_of, const OrderedEncoder::Molecules *molecules);

  // Sets the coding of positions. Returns false if there is none.
  bool take_advice(const FrameCall &call);
  void use(format::FieldCodingKind coding);

  enum class Match : std::uint8_t { found, few, wide };
  Match match(const FrameCall &call);
  // True if the particles are in the rows of the last frame; waits. Otherwise match() is necessary.
  bool match_repeated(const FrameCall &call);
  // Encodes a frame whose particles are in the rows of the last one. All work is queued as if they were, and has no
  // effect if they are not. Waits once.
  enum class Repeated : std::uint8_t { encoded, impossible, wide, moved };
  Repeated encode_repeated(const FrameCall &call);
  // Encodes a frame whose particles are matched. Returns false if that is impossible.
  bool encode_matched(const FrameCall &call);

  std::size_t sections_room(const FrameCall &call, std::uint64_t particles) const;
  // Returns the part of the head that is known.
  std::vector<std::uint8_t> start_chunk(const FrameCall &call);
  void queue_sections(const FrameCall &call, const std::uint32_t *cancelled, std::vector<bool> compared);
  bool compare_besides(const FrameCall &call, std::size_t f, BesidesEncoding &besides, std::size_t &comparisons) const;
  void remember(const FrameCall &call, bool repeated, cudaStream_t stream);
  bool end_chunk(const FrameCall &call, std::vector<std::uint8_t> &head);
  void encode_arrivals(const FrameCall &call, std::vector<std::uint8_t> &head);

  Codec &codec_;
  FrameReport report_;
  DeviceHistory history_;
  StepEncoder steps_;  // empty unless positions are encoded in steps
  OrderedEncoder ordered_;
  Adviser adviser_;
  int threads_ = 1;
  ChunkKind kind_ = ChunkKind::difference;
  std::size_t id_ = 0;
  format::KeySizes sizes_;
  FrameMatch matched_;
  LastFrame last_;  // used if `matched_` may be repeated
  ChunkOutput out_;
  DeviceBuffer scratch_;
  std::uint64_t scratch_before_ = 0;  // particles for which `scratch_` is large enough
  std::uint64_t scratch_particles_ = 0;
  std::uint64_t allocations_ = 0;
  SectionEncoder sections_{codec_, history_, matched_, report_, out_, scratch_};

  // A second stream, with events for its start and its end.
  struct Beside {
    OwnStream stream;
    Event begin, end;
  };
  std::unique_ptr<Beside> beside_;
  // Lets the second stream begin after the work of this one.
  cudaStream_t begin_beside(cudaStream_t stream);

  std::vector<double> largest_error_;  // of the frame
};

}  // namespace gpz::cuda
