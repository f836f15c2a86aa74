// SPDX-License-Identifier: BSD-3-Clause
// Trajectories in foreign formats, and .gpz files to be encoded again, frame after frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/frame.hpp"
#include "gpz/limits.hpp"
#include "readers/byte_input.hpp"

namespace gpz::tool {

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // False at the end of the file. The positions are the leading field, every other column is a field of its own; no
  // field has a bound. A .gpz file has fields and bounds of its own. Throws Failure: corrupt or truncated with the
  // position in the file, io.
  virtual bool next(Frame &frame) = 0;

  // The values of the frame that next() has found, which has none itself then; nullptr: they are in the frame. For
  // SourceOptions::keep_bits.
  virtual const std::vector<FieldInput> *typed_fields() const { return nullptr; }

  // The metadata known from the frames so far; columns are those of the first frame.
  const Metadata &metadata() const { return metadata_; }
  // Whether it is a .gpz file, whose fields may have bounds.
  virtual bool is_gpz() const { return false; }
  // Whether it is one whose rows have no ids, and their order is that of memory.
  virtual bool is_in_order_of_memory() const { return false; }
  // Whether it is XYZ: lengths are in Angstrom, and rows are particles.
  virtual bool is_xyz() const { return false; }
  // Whether the last line of a text has no end: perhaps a part of it is missing.
  bool last_line_is_cut() const { return input_ != nullptr && input_->line_is_cut(); }
  // For messages.
  virtual const std::string &name() const { return input_->name(); }
  // The records in front of the frame that next() has returned: those of a .gpz file, or tables and observables of
  // another one. Behind the last one, once it has returned false.
  virtual std::vector<StoredRecord> records() const { return {}; }
  // A note for the user about parts of the frames so far that are not in the result.
  virtual std::vector<std::string> notes() const { return {}; }
  // Size of the file, and position of the reader in it, bytes. The size of a pipe is 0.
  virtual std::uint64_t size() const { return input_->file_size(); }
  virtual std::uint64_t position() const { return input_->position(); }

 protected:
  FrameSource() = default;
  explicit FrameSource(std::unique_ptr<ByteInput> input) : input_(std::move(input)) {}

  std::unique_ptr<ByteInput> input_;
  Metadata metadata_;
};

enum class RawLayout { array_of_structures, structure_of_arrays };  // x y z x y z ..., or all x, all y, all z

struct SourceOptions {
  std::string format;                 // lammps, lammps-binary, xyz, raw, gpz; empty: found out from the first bytes
  std::vector<std::string> elements;  // of atom types 1, 2, ...
  ValueType raw_type = ValueType::float32;
  RawLayout raw_layout = RawLayout::array_of_structures;
  int raw_dimensions = 3;
  bool keep_bits = false;  // these three: .gpz only. Values come in their own types, where that is possible
  int threads = 1;
  Limits limits;
};

// Throws Failure (io; corrupt for a file of no known format).
std::unique_ptr<FrameSource> open_source(const std::string &path, const SourceOptions &options);

using SourceInput = std::unique_ptr<ByteInput>;
std::unique_ptr<FrameSource> make_lammps_text_source(SourceInput input, const SourceOptions &options);
std::unique_ptr<FrameSource> make_lammps_binary_source(SourceInput input, const SourceOptions &options);
std::unique_ptr<FrameSource> make_xyz_source(SourceInput input, const SourceOptions &options);
std::unique_ptr<FrameSource> make_raw_source(SourceInput input, const SourceOptions &options);
std::unique_ptr<FrameSource> make_gpz_source(const std::string &path, const SourceOptions &options);

}  // namespace gpz::tool
