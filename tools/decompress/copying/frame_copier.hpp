// SPDX-License-Identifier: BSD-3-Clause
// Frames of files to one file: copied where that is possible, and otherwise decoded and encoded again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "copying/whole_output.hpp"
#include "gpz/reader.hpp"

namespace gpz::tool {

// Difference frames build on the frame before: they are copied after a copy of that frame. A key frame can always be
// copied. One of which no difference frame follows is encoded again instead, where it can be a difference frame itself
// or others can build on it.
class FrameCopier {
 public:
  // How a frame is changed when it is copied.
  struct Change {
    virtual ~Change() = default;
    // Returns false if that takes decoding.
    virtual bool of_stored(StoredFrame &frame) const = 0;
    virtual std::vector<bool> wanted(const FrameInfo &info) const = 0;  // the fields to decode
    virtual void of_decoded(Frame &frame) const = 0;
  };

  // `change`, if there is one, has to outlive the copier.
  FrameCopier(WholeOutput &out, int threads, const Change *change = nullptr)
      : out_(out), threads_(threads), change_(change) {}

  // Writes frame i, which frame `next` of the same file follows; the number of frames there: none does. If it throws
  // that the frame is corrupt, nothing was written.
  void put(const Reader &reader, std::size_t i, std::size_t next);

 private:
  enum class Last { none, copied, encoded };

  bool can_copy(const Reader &reader, std::size_t i, std::size_t next) const;

  WholeOutput &out_;
  int threads_;
  const Change *change_;
  Last last_ = Last::none;
  std::uint64_t checksum_ = 0;  // of the head of the last frame, if that was copied
};

}  // namespace gpz::tool
