// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/numbers/segment_encoder.hpp"

#include <cstring>
#include <string>

#include "gpz/codec/number_coder.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/numbers/kernels.hpp"
#include "gpz/cuda/numbers/symbol_table.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {

namespace {

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  check_handled(cudaGetDevice(&device), "current device");
  check_handled(cudaDeviceGetAttribute(&value, which, device), "device attribute");
  return value;
}

DeviceLimits find_limits() {
  return {static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount)),
          static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin))};
}

}  // namespace

std::size_t SegmentEncoder::encode(const DeviceNumbers &numbers, unsigned context_count, const std::uint8_t *contexts,
                                   std::size_t places, cudaStream_t stream) {
  if (places > most_places) throw Error(Status::invalid_argument, "places of contexts: " + std::to_string(places));
  numbers_ = numbers;
  std::vector<std::uint32_t> context_of(places);
  for (std::size_t p = 0; p < places; ++p)
    context_of[p] = contexts == nullptr ? static_cast<std::uint32_t>(p) : contexts[p];
  const DeviceLimits limits = find_limits();
  const codec::NumberSymbols symbols =
      codec::choose_symbols(count(limits, context_count, context_of, stream), context_count);
  const Arrays arrays = reserve_arrays();
  const std::vector<std::uint32_t> lengths = encode(limits, symbols, context_count, context_of, arrays, stream);
  head_.clear();
  codec::append_segment_tables(symbols.tables, lengths, head_);
  std::vector<std::uint64_t> offsets{0};
  offsets.reserve(lengths.size() + 1);
  for (const std::uint32_t length : lengths) offsets.push_back(offsets.back() + length);
  sent_.send(offsets.data(), offsets.size() * sizeof(offsets[0]), arrays.offsets, stream);
  return head_.size() + offsets.back();
}

std::vector<std::uint32_t> SegmentEncoder::count(const DeviceLimits &limits, unsigned contexts,
                                                 const std::vector<std::uint32_t> &context_of, cudaStream_t stream) {
  std::vector<std::uint16_t> first;
  first.reserve(context_of.size());
  for (const std::uint32_t c : context_of) first.push_back(static_cast<std::uint16_t>(c * core::number_tokens));
  static_assert(codec::max_number_contexts * core::number_tokens <= 1u << 16);
  TokenCount params{};
  params.numbers = numbers_;
  params.places = static_cast<std::uint32_t>(first.size());
  params.tokens = contexts * core::number_tokens;
  const std::uint16_t *first_token = nullptr;
  const auto cut = [&](Carver carver) {
    first_token = carver.take<std::uint16_t>(first.size());
    params.counts = carver.take<std::uint32_t>(params.tokens);
    return carver.used();
  };
  reserve(counts_, cut(Carver(nullptr)));
  cut(Carver(counts_.data()));
  params.first_token = first_token;
  send(first, first_token, stream);
  check(cudaMemsetAsync(params.counts, 0, params.tokens * sizeof(*params.counts), stream), "clearing");
  launch_count_tokens(params, limits, stream);
  return fetch(params.counts, params.tokens, stream);
}

std::vector<std::uint32_t> SegmentEncoder::encode(const DeviceLimits &limits, const codec::NumberSymbols &symbols,
                                                  unsigned contexts, const std::vector<std::uint32_t> &context_of,
                                                  const Arrays &arrays, cudaStream_t stream) {
  const SymbolTable table(symbols.of_token, contexts);
  // One copy for both lists.
  constexpr std::size_t words_of_symbol = sizeof(PackedSymbol) / sizeof(std::uint32_t);
  std::vector<std::uint32_t> lists(table.symbols.size() * words_of_symbol);
  if (!lists.empty()) std::memcpy(lists.data(), table.symbols.data(), lists.size() * sizeof(lists[0]));
  for (const std::uint32_t c : context_of) lists.push_back(table.first[c]);
  reserve(symbols_, lists.size() * sizeof(lists[0]));
  const auto *const on_device = static_cast<const std::uint32_t *>(symbols_.data());
  send(lists, on_device, stream);
  SegmentEncode params{};
  params.numbers = numbers_;
  params.symbols = static_cast<const PackedSymbol *>(symbols_.data());
  params.symbol_count = static_cast<std::uint32_t>(table.symbols.size());
  params.first_symbol = on_device + table.symbols.size() * words_of_symbol;
  params.places = static_cast<std::uint32_t>(context_of.size());
  params.coded = arrays.coded;
  params.lengths = arrays.lengths;
  launch_encode_numbers(params, limits, stream);
  return fetch(params.lengths, numbers_.segments, stream);
}

void SegmentEncoder::write(void *out, cudaStream_t stream) {
  sent_.send(head_.data(), head_.size(), out, stream);
  const Arrays arrays = reserve_arrays();
  launch_write_segments({numbers_, arrays.coded, arrays.offsets,
                         reinterpret_cast<std::uint64_t *>(static_cast<char *>(out) + head_.size())},
                        stream);
}

SegmentEncoder::Arrays SegmentEncoder::reserve_arrays() {
  Arrays arrays{};
  const auto cut = [&](Carver carver) {
    arrays.coded = carver.take<CodedSegment>(numbers_.segments);
    arrays.lengths = carver.take<std::uint32_t>(numbers_.segments);
    arrays.offsets = carver.take<std::uint64_t>(std::uint64_t{numbers_.segments} + 1);
    return carver.used();
  };
  reserve(segments_, cut(Carver(nullptr)));
  cut(Carver(segments_.data()));
  return arrays;
}

template <typename T>
void SegmentEncoder::send(const std::vector<T> &from, const T *to, cudaStream_t stream) {
  if (!from.empty()) sent_.send(from.data(), from.size() * sizeof(T), const_cast<T *>(to), stream);
}

template <typename T>
std::vector<T> SegmentEncoder::fetch(const T *from, std::size_t count, cudaStream_t stream) {
  const std::size_t size = count * sizeof(T);
  if (size > fetched_.capacity()) {
    fetched_.release();
    fetched_.allocate(size);
  }
  if (size != 0)
    check(cudaMemcpyAsync(fetched_.data(), from, size, cudaMemcpyDeviceToHost, stream), "copy from the device");
  check(cudaStreamSynchronize(stream), "encoding of numbers");
  const T *const got = static_cast<const T *>(fetched_.data());
  return std::vector<T>(got, got + count);
}

void SegmentEncoder::reserve(DeviceBuffer &buffer, std::size_t size) {
  if (grow(buffer, size)) ++allocations_;
}

void SegmentEncoder::release() {
  for (DeviceBuffer *buffer : {&counts_, &symbols_, &segments_}) buffer->release();
  fetched_.release();
  sent_.release();
}

std::size_t SegmentEncoder::device_bytes() const {
  return counts_.capacity() + symbols_.capacity() + segments_.capacity();
}

}  // namespace gpz::cuda
