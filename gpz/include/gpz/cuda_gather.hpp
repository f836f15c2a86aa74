// SPDX-License-Identifier: BSD-3-Clause
// Makes inputs of Codec::encode from what a program has on a GPU: a list of rows from flags of each particle, a column
// from some bits of packed integers, unwrapped coordinates. Built with GPZ_CUDA=ON only.
#pragma once

#include <cstdint>
#include <memory>

#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// Some bits of an integer as a number: ((value >> shift) & mask) - zero.
struct BitField {
  int shift = 0;
  std::uint32_t mask = ~std::uint32_t{0};
  std::int32_t zero = 0;
};

// Adds the edges of a periodic box to a coordinate: ((x + edges[0] * n[0]) + edges[1] * n[1]) + edges[2] * n[2] in
// double precision, each operation rounded, n[a] being what images[a] takes from an integer.
struct Unwrapping {
  BitField images[3];
  double edges[3] = {};  // units of the coordinate
};

// Belongs to one device, with the rules and errors of Codec. After out_of_memory nothing that it returned is valid any
// more. Work that reads a list or a column has to be finished before the next call that replaces it, or be in the same
// stream.
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
  // above. The column is number `column`, 0 <= column < max_columns: valid until the next call with this number, or
  // release(). The work is queued on `stream`.
  static constexpr int max_columns = 3;
  ConstArray unpack(const ConstArray &packed, std::uint64_t rows, const BitField &bits, int column,
                    Stream stream = nullptr);

  // Makes a float64 column of the coordinates x[0 .. rows), floating-point numbers in device memory, unwrapped by
  // packed[0 .. rows) as above. Columns have numbers, and are valid, as those of unpack(), of which they do not take
  // the place.
  ConstArray unwrap(const ConstArray &x, const ConstArray &packed, std::uint64_t rows, const Unwrapping &how,
                    int column, Stream stream = nullptr);

  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
