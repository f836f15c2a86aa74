// SPDX-License-Identifier: BSD-3-Clause
// Makes inputs of Codec::encode from data on a GPU: a list of rows from one flag word per particle, a column from a bit
// field of packed integers, unwrapped coordinates. Built with GPZ_CUDA=ON only.
#pragma once

#include <cstdint>
#include <memory>

#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// A bit field of an integer: ((value >> shift) & mask) - zero.
struct BitField {
  int shift = 0;
  std::uint32_t mask = ~std::uint32_t{0};
  std::int32_t zero = 0;
};

// Adds multiples of the edges of a periodic box to a coordinate: ((x + edges[0] * n[0]) + edges[1] * n[1]) + edges[2] *
// n[2] in double precision, each operation rounded. n[a] is the bit field images[a] of a packed integer.
struct Unwrapping {
  BitField images[3];
  double edges[3] = {};  // units of the coordinate
};

// Belongs to one device, with the rules and errors of Codec. After out_of_memory everything that it returned is
// invalid. Work that reads a list or a column must be finished before the next call that replaces it, or run in the
// same stream.
class GPZ_API Gather {
 public:
  explicit Gather(int device = 0);
  ~Gather();
  Gather(Gather &&) noexcept;
  Gather &operator=(Gather &&) noexcept;

  struct Rows {
    const int *data = nullptr;  // device memory, ascending
    std::uint64_t count = 0;
  };
  // Lists the rows i < `rows` for which flags[i] & bits is not 0; `flags` is in device memory. Throws limit_exceeded if
  // `rows` is 2^31 or more. The list is valid until the next select() or release(). Returns when it is complete.
  Rows select(const int *flags, std::uint64_t rows, int bits, Stream stream = nullptr);

  // Makes an int32 column from `bits` of packed[0 .. rows), integers of 32 or 64 bits in device memory; `rows` as
  // above. The result is column number `column`, 0 <= column < max_columns, valid until the next call with this number,
  // or release(). The work is queued on `stream`.
  static constexpr int max_columns = 3;
  ConstArray unpack(const ConstArray &packed, std::uint64_t rows, const BitField &bits, int column,
                    Stream stream = nullptr);

  // Makes a float64 column of the coordinates x[0 .. rows), floating-point numbers in device memory, unwrapped by
  // packed[0 .. rows) as in Unwrapping. Column numbers and lifetimes are as in unpack(), but separate: columns of
  // unpack() stay valid.
  ConstArray unwrap(const ConstArray &x, const ConstArray &packed, std::uint64_t rows, const Unwrapping &how,
                    int column, Stream stream = nullptr);

  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
