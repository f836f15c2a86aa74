// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/host/block_calls.hpp"

#include <string>

#include "gpz/cuda/common/arguments.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/error.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {

std::vector<FieldInput> prepared_inputs(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                                        int device) {
  check_inputs(fields, particles);
  std::vector<FieldInput> prepared = fields;
  format::prepare_fields(prepared, particles);
  if (particles != 0) check_reachable(prepared, rows, device);
  forget_last_error();
  return prepared;
}

std::vector<FieldOutput> prepared_outputs(const std::vector<FieldOutput> &fields, std::uint64_t particles, int device) {
  check_outputs(fields, particles);
  if (particles != 0)
    for (const FieldOutput &output : fields)
      for (std::size_t d = 0; d < output.field.components.size(); ++d)
        if (output.components[d].data != nullptr)
          require_reachable(output.components[d].data, device, "field " + output.field.components[d].name);
  forget_last_error();
  return with_steps(fields);
}

void check_chunk(const void *chunk, std::size_t size, int device) {
  check_memory(chunk, size, chunk_alignment, "the chunk");
  if (chunk != nullptr) require_reachable(chunk, device, "the chunk");
}

void require_fits(const CompressResult &result) {
  if (result.fits == 0) throw Error(Status::internal, "a chunk is larger than its bound");
}

std::vector<double> largest_errors(const CompressResult &result, std::size_t fields) {
  return {result.largest_error, result.largest_error + fields};
}

void require_decoded(std::uint32_t damaged) {
  if (damaged == chunk_unsupported)
    throw Error(Status::unsupported,
                "difference chunks, ordered chunks, and chunks with blocks of other than 1,024 particles are decoded "
                "on the CPU only");
  if (damaged != 0) throw Error(Status::corrupt, "the bytes of a chunk contradict the format");
}

}  // namespace gpz::cuda
