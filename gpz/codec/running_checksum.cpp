// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/running_checksum.hpp"

#include "gpz/format/checksum.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::codec {

struct RunningChecksum::State {
  XXH3_state_t state;
};

RunningChecksum::RunningChecksum() : RunningChecksum(kernels().checksum) {}
RunningChecksum::RunningChecksum(const ChecksumKernels &kernels)
    : kernels_(&kernels), state_(std::make_unique<State>()) {
  restart();
}
RunningChecksum::~RunningChecksum() = default;
RunningChecksum::RunningChecksum(RunningChecksum &&) noexcept = default;
RunningChecksum &RunningChecksum::operator=(RunningChecksum &&) noexcept = default;

void RunningChecksum::restart() { XXH3_64bits_reset(&state_->state); }
void RunningChecksum::add(const void *bytes, std::size_t size) { kernels_->add(&state_->state, bytes, size); }
void RunningChecksum::sum(const void *bytes, std::size_t blocks, std::uint64_t *sums) const {
  kernels_->sum(bytes, blocks, sums);
}
void RunningChecksum::add_sums(const std::uint64_t *sums, std::size_t blocks) {
  kernels_->add_sums(&state_->state, sums, blocks);
}
std::uint64_t RunningChecksum::value() const { return XXH3_64bits_digest(&state_->state); }

}  // namespace gpz::codec
