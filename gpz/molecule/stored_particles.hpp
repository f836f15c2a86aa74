// SPDX-License-Identifier: BSD-3-Clause
// Exceptions of a section of molecules: particles whose indices are stored directly (docs/format.md, section 9c).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpz/format/budget.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/molecule/cell.hpp"

namespace gpz::molecule {

// In ascending order of slots.
class StoredParticles {
 public:
  static constexpr std::size_t size_of_one = 4 * sizeof(std::uint64_t);  // bytes in a section

  StoredParticles() = default;
  // Reads all exceptions from `in`. Throws corrupt.
  StoredParticles(format::ByteReader &in, std::size_t particles) {
    const std::uint64_t count = in.u64();
    if (count > in.left() / size_of_one) format::corrupt("number of exceptions", in.position());
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t slot = in.u64();
      if (slot >= particles || (!slots_.empty() && slot <= slots_.back()))
        format::corrupt("slot of an exception", in.position());
      slots_.push_back(static_cast<std::uint32_t>(slot));
      Way place;
      for (std::int64_t &x : place) x = in.i64();
      places_.push_back(place);
    }
  }

  // Finds exceptions from some slot on. Call with ascending slots.
  class Cursor {
   public:
    Cursor(const StoredParticles &all, std::size_t first)
        : all_(all),
          next_(static_cast<std::size_t>(std::lower_bound(all.slots_.begin(), all.slots_.end(), first) -
                                         all.slots_.begin())) {}
    // Null if the particle is no exception.
    const Way *at(std::size_t slot) {
      while (next_ < all_.slots_.size() && all_.slots_[next_] < slot) ++next_;
      return next_ < all_.slots_.size() && all_.slots_[next_] == slot ? &all_.places_[next_] : nullptr;
    }

   private:
    const StoredParticles &all_;
    std::size_t next_;
  };

  std::size_t size() const { return slots_.size(); }
  void add(std::size_t slot, const Way &place) {
    slots_.push_back(static_cast<std::uint32_t>(slot));
    places_.push_back(place);
  }
  // Adds exceptions of later slots.
  void add(const StoredParticles &behind) {
    slots_.insert(slots_.end(), behind.slots_.begin(), behind.slots_.end());
    places_.insert(places_.end(), behind.places_.begin(), behind.places_.end());
  }
  void append(format::ByteWriter &out) const {
    out.u64(slots_.size());
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      out.u64(slots_[k]);
      for (const std::int64_t x : places_[k]) out.i64(x);
    }
  }

 private:
  format::Column<std::uint32_t> slots_;
  format::Column<Way> places_;
};

}  // namespace gpz::molecule
