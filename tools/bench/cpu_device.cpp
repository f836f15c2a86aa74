// SPDX-License-Identifier: BSD-3-Clause
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <cstring>
#include <thread>

#include "bench/device.hpp"
#include "bench/machine.hpp"
#include "gpz/chunk.hpp"

namespace gpz::bench {
namespace {

// Calls work(first, end) on equal parts of [0, bytes) in several threads.
template <typename Work>
void in_parts(int threads, std::size_t bytes, const Work &work) {
  const auto parts = static_cast<std::size_t>(threads);
  const auto part = [&work, parts, bytes](std::size_t t) {
    work(bytes / parts * t, t + 1 == parts ? bytes : bytes / parts * (t + 1));
  };
  std::vector<std::thread> others;
  try {
    for (std::size_t t = 1; t < parts; ++t) others.emplace_back(part, t);
  } catch (...) {
    // The system has no more threads: this one does the rest.
  }
  const std::size_t started = others.size();
  part(0);
  for (std::size_t t = started + 1; t < parts; ++t) part(t);
  for (std::thread &other : others) other.join();
}

class Cpu final : public Device {
 public:
  explicit Cpu(int threads) : threads_(threads) {
#ifdef M_MMAP_THRESHOLD  // glibc
    // Otherwise the library keeps freed memory or not, depending on what was freed before, and with it the time of the
    // runs that allocate.
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  }

  std::string name() const override { return "cpu"; }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"name", cpu_name()},
            {"cores", std::to_string(std::max(1U, std::thread::hardware_concurrency()))},
            {"threads", std::to_string(threads_)}};
  }

  CopySpeed copy_speed(std::uint64_t bytes, const Repeats &repeats) override {
    // Not a vector: each thread is to touch its own part first.
    const std::unique_ptr<char[]> from(new char[bytes]);
    const std::unique_ptr<char[]> to(new char[bytes]);
    in_parts(threads_, bytes, [&](std::size_t first, std::size_t end) {
      std::memset(from.get() + first, 1, end - first);
      std::memset(to.get() + first, 2, end - first);
    });
    const Timing timing = measure(repeats, [&] {
      in_parts(threads_, bytes, [&](std::size_t first, std::size_t end) {
        std::memcpy(to.get() + first, from.get() + first, end - first);
      });
      // Nobody reads the copy; the compiler must not know.
      asm volatile("" : : "r"(to.get()) : "memory");
      return 0;
    });
    return {bytes, threads_, timing};
  }

  Outcome run(const Snapshot &snapshot, double bound, const Repeats &repeats) override {
    const std::vector<FieldInput> fields = fields_of(snapshot, bound, pointers_of(snapshot));
    const std::size_t particles = snapshot.particles();
    Outcome outcome;
    ChunkEncoder encoder(threads_);
    EncodedChunk chunk;
    encoder.encode(fields, particles, nullptr, chunk);
    Frame frame = frame_for(fields);
    const auto decode = [&](Frame &to) {
      for (auto &column : to.columns) {
        column.floats.clear();
        column.integers.clear();
      }
      decode_chunk(chunk.bytes.data(), chunk.bytes.size(), particles, to, {}, threads_);
    };
    decode(frame);
    if (repeats.runs > 0) {
      outcome.compress.warm = measure(repeats, [&] {
        encoder.encode(fields, particles, nullptr, chunk);
        return 0;
      });
      outcome.compress.allocating = measure(repeats, [&] {
        auto fresh = std::make_unique<std::pair<ChunkEncoder, EncodedChunk>>(threads_, EncodedChunk());
        fresh->first.encode(fields, particles, nullptr, fresh->second);
        return fresh;
      });
      outcome.decompress.warm = measure(repeats, [&] {
        decode(frame);
        return 0;
      });
      outcome.decompress.allocating = measure(repeats, [&] {
        auto fresh = std::make_unique<Frame>(frame_for(fields));
        decode(*fresh);
        return fresh;
      });
      for (Speeds *speeds : {&outcome.compress, &outcome.decompress}) {
        speeds->end_to_end = speeds->allocating;
        speeds->transfers = false;
      }
    }
    outcome.reported_error = chunk.largest_error[0];
    outcome.chunk = std::move(chunk.bytes);
    outcome.decoded = snapshot_of(frame, snapshot);
    return outcome;
  }

 private:
  int threads_;
};

}  // namespace

std::unique_ptr<Device> make_cpu(int threads) { return std::make_unique<Cpu>(threads); }

}  // namespace gpz::bench
