// What a program has on a GPU in another form than Codec::encode takes it: a list of the particles that belong to a
// group, columns out of packed integers. Built with GPZ_CUDA=ON only.
#pragma once

#include <cstdint>
#include <memory>

#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// Some bits of an integer as a number: (value >> shift & mask) - zero.
struct BitField {
  int shift = 0;
  std::uint32_t mask = ~std::uint32_t{0};
  std::int32_t zero = 0;
};

// Bound to one device, with the rules and errors of Codec: after out_of_memory nothing it returned is valid any more.
// What reads a list or a column has to be done before its memory is written again, or in the same stream before.
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
  // The rows i, 0 <= i < rows, with a bit of `bits` in flags[i] (device memory); rows < 2^31 or limit_exceeded. Valid
  // until the next select() or release(). Returns when it is done.
  Rows select(const int *flags, std::uint64_t rows, int bits, Stream stream = nullptr);

  // An int32 column of bits of packed[0 .. rows), which is in device memory, int32 or int64; rows as above. Valid until
  // the next call with the same `column` (0 <= column < max_columns), or release(). Queued on `stream`.
  static constexpr int max_columns = 3;
  ConstArray unpack(const ConstArray &packed, std::uint64_t rows, const BitField &bits, int column,
                    Stream stream = nullptr);

  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
