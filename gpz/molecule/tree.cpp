// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/molecule/tree.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "gpz/codec/kind_history.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::molecule {

using format::corrupt;

namespace {

constexpr std::uint32_t nobody = UINT32_MAX;

// Children of a particle so far, as slots.
struct Children {
  std::uint32_t first = nobody;
  std::uint32_t second = nobody;
  std::uint32_t last = nobody;
  std::uint32_t before_last = nobody;

  void add(std::uint32_t slot) {
    if (first == nobody)
      first = slot;
    else if (second == nobody)
      second = slot;
    before_last = last;
    last = slot;
  }
};

// Lag to a particle; 0 if there is none or it is too far.
std::uint8_t lag_to(std::uint32_t slot, std::uint32_t from) {
  return slot == nobody || from - slot > Tree::longest_lag ? std::uint8_t{0} : static_cast<std::uint8_t>(from - slot);
}

}  // namespace

void Tree::link(const format::Column<std::uint8_t> &lags) {
  links_.assign(lags.size(), {});
  // A parent is at most longest_lag slots before its particle, and its own parent as many again: older entries are
  // overwritten.
  std::array<Children, 2 * (longest_lag + 1)> recent;
  const auto children = [&](std::uint32_t slot) -> Children & { return recent[slot % recent.size()]; };
  for (std::uint32_t i = 0; i < lags.size(); ++i) {
    Links &links = links_[i];
    children(i) = {};
    links.parent = lags[i];
    if (links.parent == 0) continue;
    const std::uint32_t parent = i - links.parent;
    const Links &of_parent = links_[parent];
    Children &of_same_parent = children(parent);
    const std::uint8_t last = lag_to(of_same_parent.last, i);
    const auto beside = [&](std::uint32_t slot, Reference &reference, std::uint8_t &lag) {
      lag = lag_to(slot, i);
      if (lag != 0) reference = Reference::beside;
      return lag != 0;
    };
    if (of_parent.parent == 0) {
      if (beside(of_same_parent.last, links.along, links.along_lag))
        beside(of_same_parent.before_last, links.across, links.across_lag);
    } else {
      links.along = Reference::above;
      const std::uint32_t above = parent - of_parent.parent;
      if (last != 0) {
        beside(of_same_parent.last, links.across, links.across_lag);
      } else if (links_[above].parent != 0) {
        links.across = Reference::above;
      } else {
        const Children &of_above = children(above);
        links.across_lag = lag_to(of_above.first != parent ? of_above.first : of_above.second, i);
        if (links.across_lag != 0) links.across = Reference::beyond;
      }
    }
    of_same_parent.add(i);
  }
}

void Tree::append(std::vector<std::uint8_t> &bytes, int threads) const {
  format::ByteWriter writer(bytes);
  const std::size_t begin = bytes.size();
  // Frequent lags get small kinds, which take few bits.
  std::vector<std::size_t> count(longest_lag + 1);
  for (const Links &links : links_) ++count[links.parent];
  std::vector<std::uint8_t> lags;
  for (std::size_t lag = 1; lag < count.size(); ++lag)
    if (count[lag] != 0) lags.push_back(static_cast<std::uint8_t>(lag));
  std::stable_sort(lags.begin(), lags.end(), [&](std::uint8_t a, std::uint8_t b) { return count[a] > count[b]; });
  std::vector<std::uint8_t> kind_of(longest_lag + 1);
  writer.u8(static_cast<std::uint8_t>(lags.size()));
  for (std::size_t k = 0; k < lags.size(); ++k) {
    writer.u8(lags[k]);
    kind_of[lags[k]] = static_cast<std::uint8_t>(k + 1);
  }
  codec::NumberEncoder numbers(codec::KindHistory::contexts);
  numbers.reserve(links_.size());
  codec::KindHistory history;
  for (const Links &links : links_) {
    const std::uint8_t kind = kind_of[links.parent];
    numbers.put(history.context(), history.number_of(kind));
    history.add(kind);
  }
  std::vector<std::uint8_t> stream;
  numbers.finish(stream, threads);
  bytes.resize(begin + format::round_up_8(bytes.size() - begin));
  writer.u64(stream.size());
  bytes.insert(bytes.end(), stream.begin(), stream.end());
}

std::size_t Tree::read(const std::uint8_t *bytes, std::size_t size, std::size_t n, format::Column<std::uint8_t> &lags) {
  format::ByteReader in(bytes, size);
  const std::uint8_t kinds = in.u8();
  if (kinds > max_lags) corrupt("number of lags of molecules", 0);
  std::vector<std::uint8_t> lag_of(kinds + std::size_t{1});
  for (std::size_t k = 1; k <= kinds; ++k) {
    lag_of[k] = in.u8();
    if (lag_of[k] == 0) corrupt("lag of molecules", in.position() - 1);
  }
  while (in.position() % 8 != 0)
    if (in.u8() != 0) corrupt("padding of a table of molecules", in.position() - 1);
  const std::uint64_t length = in.u64();
  const std::size_t start = in.position();
  if (length > in.left() || length % 8 != 0) corrupt("length of a table of molecules", start);
  codec::NumberDecoder numbers(in.take(static_cast<std::size_t>(length)), static_cast<std::size_t>(length),
                               codec::KindHistory::contexts);
  lags.assign(n, 0);
  codec::KindHistory history;
  codec::NumberCursor cursor = numbers.cursor();
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t kind = history.kind_of(cursor.get(history.context()));
    if (kind > kinds || lag_of[kind] > i) corrupt("parent of a particle", start);
    lags[i] = lag_of[kind];
    history.add(static_cast<std::uint8_t>(kind));
  }
  numbers.go_to(cursor);
  numbers.end();
  return in.position();
}

}  // namespace gpz::molecule
