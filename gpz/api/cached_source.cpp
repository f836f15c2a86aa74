// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cached_source.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "gpz/api/block_table.hpp"
#include "gpz/api/forks.hpp"
#include "gpz/error.hpp"

namespace gpz {

struct CachedSource::State {
  using Piece = Source::Piece;
  using Block = api::Block;
  using BlockPointer = api::BlockPointer;
  using Lock = std::unique_lock<std::mutex>;
  using Blocks = std::map<std::uint64_t, BlockPointer>;

  std::shared_ptr<Source> source;
  CacheOptions options;
  unsigned long generation = api::fork_generation();
  std::mutex mutex;
  std::condition_variable progress;
  api::BlockTable table;
  Counts counts;

  State(std::shared_ptr<Source> from, const CacheOptions &given) : source(std::move(from)), options(given) {
    if (source == nullptr) throw Error(Status::invalid_argument, "the source is a null pointer");
    if (options.block < 512) throw Error(Status::invalid_argument, "blocks of a CachedSource have 512 bytes at least");
  }

  std::uint64_t first_block(const Piece &piece) const { return piece.position / options.block; }
  std::uint64_t last_block(const Piece &piece) const { return (piece.position + piece.size - 1) / options.block; }
  std::size_t size_of(std::uint64_t number) const {
    return static_cast<std::size_t>(std::min(options.block, source->size() - number * options.block));
  }
  bool is_forked() const { return api::fork_generation() != generation; }

  void require_inside(const Piece &piece) const {
    const std::uint64_t end = source->size();
    if (piece.position > end || piece.size > end - piece.position)
      throw Error(Status::truncated, "the file ends too early", source->name(), end);
  }

  // Locks that another thread held when the process was forked stay locked, so a child process does not use them.
  void read_directly(const std::vector<Piece> &pieces) {
    if (!is_forked()) {
      const Lock lock(mutex);
      count(pieces);
    }
    source->read_pieces(pieces);
  }

  void count(const std::vector<Piece> &pieces) {
    ++counts.requests;
    counts.ranges += pieces.size();
    for (const Piece &piece : pieces) counts.bytes += piece.size;
  }

  // Adds the blocks of these pieces that are not there, and blocks between them if they are few. Returns the new ones.
  Blocks add_missing(const std::vector<Piece> &pieces) {
    Blocks missing;
    try {
      const auto add = [&](std::uint64_t number) {
        auto block = std::make_shared<Block>();
        block->bytes.reset(new std::uint8_t[size_of(number)]);
        missing.emplace(number, block);
        table.add(number, block);
      };
      for (const Piece &piece : pieces) {
        for (std::uint64_t number = first_block(piece); number <= last_block(piece); ++number) {
          if (table.find(number) != nullptr) continue;
          if (!missing.empty()) {
            const std::uint64_t before = missing.rbegin()->first + 1;
            bool is_near = before < number && number - before <= options.gap / options.block;
            for (std::uint64_t between = before; is_near && between < number; ++between) is_near = !table.has(between);
            for (std::uint64_t between = before; is_near && between < number; ++between) add(between);
          }
          add(number);
        }
      }
    } catch (...) {
      finish(missing, Block::State::failed);
      throw;
    }
    return missing;
  }

  void finish(const Blocks &blocks, Block::State state) {
    for (const auto &[number, block] : blocks) {
      block->state = state;
      if (state == Block::State::failed) table.remove(number, block);
    }
    progress.notify_all();
  }

  // Reads new blocks. Called without the lock.
  void fetch(const Blocks &blocks) {
    if (blocks.empty()) return;
    try {
      std::vector<Piece> runs;
      std::uint64_t next = 0, total = 0;
      for (const auto &entry : blocks) {
        const std::size_t size = size_of(entry.first);
        if (runs.empty() || entry.first != next)
          runs.push_back({entry.first * options.block, nullptr, size});
        else
          runs.back().size += size;
        next = entry.first + 1;
        total += size;
      }
      const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[static_cast<std::size_t>(total)]);
      std::uint8_t *at = bytes.get();
      for (Piece &run : runs) {
        run.data = at;
        at += run.size;
      }
      {
        const Lock lock(mutex);
        count(runs);
      }
      source->read_pieces(runs);
      const std::uint8_t *from = bytes.get();
      for (const auto &[number, block] : blocks) {
        const std::size_t size = size_of(number);
        std::memcpy(block->bytes.get(), from, size);
        from += size;
      }
    } catch (...) {
      const Lock lock(mutex);
      finish(blocks, Block::State::failed);
      throw;
    }
    const Lock lock(mutex);
    finish(blocks, Block::State::ready);
    table.keep(static_cast<std::size_t>(options.memory / options.block));
  }

  void copy(const Piece &piece, const Blocks &blocks) const {
    auto *to = static_cast<std::uint8_t *>(piece.data);
    const std::uint64_t end = piece.position + piece.size;
    for (std::uint64_t position = piece.position; position < end;) {
      const std::uint64_t number = position / options.block, start = number * options.block;
      const auto size = static_cast<std::size_t>(std::min(end, start + size_of(number)) - position);
      std::memcpy(to, blocks.at(number)->bytes.get() + (position - start), size);
      to += size;
      position += size;
    }
  }

  // Whether all blocks could be read by the threads that added them. If not, this thread reads them and gets the error.
  bool take(const std::vector<Piece> &pieces) {
    Blocks needed, missing;
    {
      const Lock lock(mutex);
      missing = add_missing(pieces);
      try {
        for (const Piece &piece : pieces)
          for (std::uint64_t number = first_block(piece); number <= last_block(piece); ++number)
            needed.emplace(number, table.find(number));
      } catch (...) {
        finish(missing, Block::State::failed);
        throw;
      }
    }
    fetch(missing);
    {
      Lock lock(mutex);
      for (const auto &entry : needed) {
        const Block &block = *entry.second;
        progress.wait(lock, [&] { return block.state != Block::State::reading; });
        if (block.state == Block::State::failed) return false;
      }
    }
    for (const Piece &piece : pieces) copy(piece, needed);
    return true;
  }

  // Bytes of the blocks that these pieces lie in, and of the blocks between them that are read as well.
  std::uint64_t bytes_with_blocks(const std::vector<Piece> &pieces) const {
    std::uint64_t blocks = 0, next = first_block(pieces.front());
    for (const Piece &piece : pieces) {
      const std::uint64_t first = first_block(piece), behind = last_block(piece) + 1;
      const bool is_near = first > next && first - next <= options.gap / options.block;
      if (behind > next) blocks += behind - (is_near ? next : std::max(first, next));
      next = std::max(next, behind);
    }
    return blocks * options.block;
  }

  void read(std::vector<Piece> pieces) {
    for (const Piece &piece : pieces) require_inside(piece);
    pieces.erase(std::remove_if(pieces.begin(), pieces.end(), [](const Piece &piece) { return piece.size == 0; }),
                 pieces.end());
    if (pieces.empty()) return;
    // While blocks are read, their bytes are in memory twice.
    if (is_forked() || bytes_with_blocks(pieces) > options.memory / 2) {
      read_directly(pieces);
      return;
    }
    while (!take(pieces)) {
    }
  }
};

CachedSource::CachedSource(std::shared_ptr<Source> source, const CacheOptions &options)
    : state_(std::make_unique<State>(std::move(source), options)) {}

CachedSource::~CachedSource() = default;

const std::string &CachedSource::name() const { return state_->source->name(); }

std::uint64_t CachedSource::size() const { return state_->source->size(); }

void CachedSource::read_at(std::uint64_t position, void *data, std::size_t size) const {
  state_->read({{position, data, size}});
}

void CachedSource::read_pieces(const std::vector<Piece> &pieces) const { state_->read(pieces); }

void CachedSource::allow_replacement() { state_->source->allow_replacement(); }

void CachedSource::forget() {
  const State::Lock lock(state_->mutex);
  state_->table.keep(0);
}

CachedSource::Counts CachedSource::counts() const {
  const State::Lock lock(state_->mutex);
  return state_->counts;
}

}  // namespace gpz
