// SPDX-License-Identifier: BSD-3-Clause
// From a file in the page cache to positions in device memory: the positions as raw f64, and as a .gpz file.
//
//   gpu_reading [particles] [frames] [liquid|solid] [folder]      16000000 20 liquid /dev/shm
//
// Makes both files in the folder, and removes them. The motion is that of difference_gpu; the .gpz file has ids and
// types as well, and one key frame. The raw file is read as well as it can be: several threads, pieces of pinned memory
// that are copied to the device while others are read; the table has each number of threads and size of a piece.
// Raw bytes and steps have the second of two passes over the file; what gpz reads has the median of five, from the
// first frame to the last, after one that takes memory.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpu_motion.cuh"
#include "gpz/api/file.hpp"
#include "gpz/api/frame_file.hpp"
#include "gpz/chunk.hpp"
#include "gpz/codec/running_checksum.hpp"
#include "gpz/cuda/reader/landing.hpp"
#include "gpz/cuda/reader/read_ahead.hpp"
#include "gpz/cuda_reader.hpp"
#include "gpz/cuda_trajectory.hpp"
#include "gpz/cuda_trajectory_decoder.hpp"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"

namespace {

using namespace gpz::bench;  // NOLINT(google-build-using-namespace): what these programs share

constexpr double bound = 0.0005;
// Standard deviation of the motion, grid steps: as many bits as frames of an LJ liquid and of copper have, 31 and 16.
double sigma_of(bool solid) { return solid ? 9 : 300; }

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Calls f(t) in each of these threads; the first exception leaves.
void together(int threads, const std::function<void(int)> &f) {
  std::vector<std::thread> all;
  std::exception_ptr failure;
  std::mutex mutex;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      try {
        f(t);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        failure = std::current_exception();
      }
    });
  for (std::thread &thread : all) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// Over a file, seconds.
struct Passes {
  double first = 0;  // takes memory
  std::vector<double> others;
  std::vector<double> behind_key;  // of the others: behind their first frame

  static double median(std::vector<double> of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
  }
  double usual() const { return median(others); }
  double slowest() const { return *std::max_element(others.begin(), others.end()); }
};

// Calls pass(), which returns how long it took after the key frame.
Passes passes_of(const std::function<double()> &pass) {
  Passes passes;
  for (int k = 0; k < 6; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const double behind_key = pass();
    const double seconds = seconds_since(start);
    if (k == 0) {
      passes.first = seconds;
    } else {
      passes.others.push_back(seconds);
      passes.behind_key.push_back(behind_key);
    }
  }
  return passes;
}

class RemovedFile {
 public:
  explicit RemovedFile(std::string path) : path_(std::move(path)) {}
  ~RemovedFile() { ::unlink(path_.c_str()); }
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

__global__ void number(std::int32_t *id, std::int32_t *type, U64 n) {
  const U64 i = static_cast<U64>(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  id[i] = static_cast<std::int32_t>(i + 1);
  type[i] = 1 + static_cast<std::int32_t>(mixed(i) % 3);
}

struct Pinned {
  explicit Pinned(std::size_t size) { buffer.allocate(size, 0); }
  std::uint8_t *get() const { return static_cast<std::uint8_t *>(buffer.data()); }
  gpz::cuda::PinnedBuffer buffer;
};

// Both files; returns the bytes of all chunks of the .gpz file.
void make_files(U64 n, int frames, bool solid, const std::string &raw, const std::string &compressed) {
  const double step = gpz::grid_step(bound);
  const Memory positions(n * 24);
  const Memory ids(n * 4);
  const Memory types(n * 4);
  const Coordinates coordinates = placed(positions.as<double>(), n, false, step);
  number<<<grid_for(n), threads>>>(ids.as<std::int32_t>(), types.as<std::int32_t>(), n);
  const std::vector<gpz::FieldInput> fields = {positions_of(coordinates, bound),
                                               integers("id", 0, ids.as<std::int32_t>()),
                                               integers("type", 1, types.as<std::int32_t>())};
  gpz::FrameInfo info;
  info.particles = n;
  info.box = box_of(coordinates);
  for (const gpz::FieldInput &field : fields) info.fields.push_back(field.field);

  gpz::cuda::TrajectoryCodec codec;
  gpz::Writer writer(compressed, {});
  writer.set_key_interval(static_cast<unsigned>(frames));
  const Pinned host(n * 24);
  const int descriptor = ::open(raw.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (descriptor < 0) throw std::runtime_error("cannot make " + raw);
  for (int f = 0; f < frames; ++f) {
    move<<<grid_for(n), threads>>>(coordinates, n, static_cast<U64>(f), sigma_of(solid) * step, solid);
    check(cudaMemcpy(host.get(), positions.as<void>(), n * 24, cudaMemcpyDeviceToHost), "positions");
    constexpr int writers = 8;
    together(writers, [&](int t) {
      const U64 from = n * 24 / writers * static_cast<U64>(t);
      const U64 to = t + 1 == writers ? n * 24 : n * 24 / writers * static_cast<U64>(t + 1);
      for (U64 at = from; at < to;) {
        const ssize_t put = ::pwrite(descriptor, host.get() + at, std::min<U64>(to - at, 1 << 26),
                                     static_cast<off_t>(static_cast<U64>(f) * n * 24 + at));
        if (put <= 0) throw std::runtime_error("cannot write " + raw);
        at += static_cast<U64>(put);
      }
    });
    const gpz::cuda::DeviceChunk &chunk = codec.encode(fields, n, nullptr, info.box, f == 0);
    gpz::EncodedChunk out;
    out.particles = n;
    out.bytes.resize(chunk.size);
    out.largest_error = chunk.largest_error;
    check(cudaMemcpy(out.bytes.data(), chunk.data, chunk.size, cudaMemcpyDeviceToHost), "chunk");
    out.checksum = gpz::chunk_checksum(out.bytes.data(), out.bytes.size());
    info.since_key = static_cast<std::uint16_t>(f);
    info.timestep = f;
    writer.write(info, {out});
  }
  ::close(descriptor);
  writer.close();
}

// GB/s of bytes read and written on the device, and of bytes from pinned memory to the device.
void print_copies() {
  constexpr std::size_t size = std::size_t{1} << 30;
  const Memory a(size);
  const Memory b(size);
  const Pinned host(size);
  std::memset(host.get(), 1, size);
  const auto speed = [&](auto copy) {
    double best = 0;
    for (int k = 0; k < 5; ++k) {
      const auto start = std::chrono::steady_clock::now();
      copy();
      check(cudaDeviceSynchronize(), "copy");
      best = std::max(best, static_cast<double>(size) / seconds_since(start) / 1e9);
    }
    return best;
  };
  const double device =
      2 * speed([&] { check(cudaMemcpyAsync(b.as<void>(), a.as<void>(), size, cudaMemcpyDeviceToDevice), "copy"); });
  const double bus =
      speed([&] { check(cudaMemcpyAsync(b.as<void>(), host.get(), size, cudaMemcpyHostToDevice), "copy"); });
  std::printf("copies: on the device %.0f GB/s (read + written), host to device %.1f GB/s\n", device, bus);
  // One thread, over memory and over its cache.
  gpz::codec::RunningChecksum checksum;
  for (const std::size_t hashed : {size, std::size_t{1} << 20}) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < size; at += hashed) checksum.add(host.get(), hashed);
    std::printf("checksum, one thread, %zu MiB: %.1f GB/s\n", hashed >> 20,
                static_cast<double>(size) / seconds_since(start) / 1e9);
  }
}

// One pass over a file, in pieces and as it is; with `copy`, to the device. Seconds.
double read_file(const std::string &path, U64 bytes, U64 frame, int readers, std::size_t piece, bool copy) {
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  if (descriptor < 0) throw std::runtime_error("cannot open " + path);
  constexpr std::size_t depth = 3;
  const Memory device(2 * frame);
  std::vector<std::unique_ptr<Pinned>> buffers;
  for (std::size_t k = 0; k < depth * static_cast<std::size_t>(readers); ++k)
    buffers.push_back(std::make_unique<Pinned>(piece));
  double seconds = 0;
  for (int pass = 0; pass < 2; ++pass) {
    std::atomic<U64> next{0};
    const auto start = std::chrono::steady_clock::now();
    together(readers, [&](int t) {
      gpz::cuda::OwnStream stream;
      std::vector<gpz::cuda::Event> events(depth);
      for (std::size_t turn = 0;; turn = (turn + 1) % depth) {
        const U64 at = next.fetch_add(piece);
        if (at >= bytes) break;
        const U64 size = std::min<U64>(piece, bytes - at);
        std::uint8_t *const to = buffers[static_cast<std::size_t>(t) * depth + turn]->get();
        events[turn].wait();
        for (U64 done = 0; done < size;) {
          const ssize_t got = ::pread(descriptor, to + done, size - done, static_cast<off_t>(at + done));
          if (got <= 0) throw std::runtime_error("cannot read " + path);
          done += static_cast<U64>(got);
        }
        if (!copy) continue;
        // Two frames in turn.
        check(cudaMemcpyAsync(device.as<std::uint8_t>() + at % (2 * frame - piece), to, size, cudaMemcpyHostToDevice,
                              stream.get()),
              "copy");
        events[turn].record(stream.get());
      }
      check(cudaStreamSynchronize(stream.get()), "copy");
    });
    seconds = seconds_since(start);
  }
  ::close(descriptor);
  return seconds;
}

// The bytes of the .gpz file: to the device and checked, not decoded.
Passes bring_bytes(const std::string &path, int readers, std::size_t copy) {
  const gpz::api::FrameFile file(std::make_unique<gpz::api::File>(path, gpz::api::File::Mode::read));
  gpz::cuda::ReadAhead::Settings settings;
  settings.threads = readers;
  settings.frames = 12;
  settings.bytes = gpz::cuda::ReaderOptions().ahead;
  settings.piece = std::min(settings.piece, copy);
  settings.load = copy / settings.piece;
  std::uint64_t longest = 0;
  for (const gpz::IndexEntry &frame : file.scan().frames) longest = std::max(longest, frame.length);
  gpz::cuda::Landing landing(0, settings, longest);
  gpz::cuda::ReadAhead ahead(file, landing, settings);
  gpz::cuda::OwnStream stream;
  return passes_of([&] {
    for (std::size_t i = 0; i < file.scan().frames.size(); ++i) {
      ahead.aim(i, file.scan().frames.size());
      landing.follow(ahead.take(i).slot, stream.get());
      check(cudaStreamSynchronize(stream.get()), "copy");
      ahead.check(i);
      ahead.give_back(i);
    }
    return 0.0;
  });
}

// Frames of one chunk whose bytes are on the device already.
Passes decode_alone(const std::string &path, U64 n) {
  const gpz::Reader file(path);
  const Memory positions(n * 24);
  std::vector<std::vector<std::uint8_t>> host;
  std::vector<std::unique_ptr<Memory>> device;
  for (std::size_t i = 0; i < file.frames(); ++i) {
    host.push_back(file.chunk(i, 0));
    device.push_back(std::make_unique<Memory>(host.back().size()));
    check(cudaMemcpy(device.back()->as<void>(), host.back().data(), host.back().size(), cudaMemcpyHostToDevice),
          "chunk");
  }
  std::vector<gpz::cuda::FieldOutput> outputs;
  for (const gpz::Field &field : file.info(0).fields) outputs.push_back({field, {}});
  for (std::size_t d = 0; d < 3; ++d)
    outputs[0].components[d] = {positions.as<double>() + d, 24, gpz::ConstArray::Type::float64};
  gpz::cuda::TrajectoryDecoder decoder;
  decoder.follow({true, false, false});
  return passes_of([&] {
    for (std::size_t i = 0; i < host.size(); ++i) {
      decoder.queue(device[i]->as<void>(), host[i].data(), host[i].size(), n, outputs);
      decoder.finish();
    }
    return 0.0;
  });
}

// gpz::cuda::Reader.
Passes read_compressed(const std::string &path, U64 n, int readers, std::uint64_t ahead, gpz::cuda::OutputOrder order) {
  gpz::cuda::ReaderOptions options;
  options.threads = readers;
  options.ahead = ahead;
  gpz::cuda::Reader reader(path, 0, options);
  const Memory positions(n * 24);
  std::vector<gpz::ColumnOutput> columns;
  for (std::size_t d = 0; d < 3; ++d)
    columns.push_back(
        {std::string(1, static_cast<char>('x' + d)), {positions.as<double>() + d, 24, gpz::ConstArray::Type::float64}});
  return passes_of([&] {
    auto behind_key = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < reader.frames(); ++i) {
      const gpz::cuda::FrameRead read = reader.read(i, columns, n, order);
      if (!read.decoded_on_device) throw std::runtime_error("decoded on the CPU: " + read.reason);
      if (i == 0) behind_key = std::chrono::steady_clock::now();
    }
    return seconds_since(behind_key);
  });
}

void run(U64 n, int frames, bool solid, const std::string &folder) {
  const RemovedFile raw(folder + "/gpu_reading_" + std::to_string(::getpid()) + ".raw");
  const RemovedFile compressed(folder + "/gpu_reading_" + std::to_string(::getpid()) + ".gpz");
  print_copies();
  const auto start = std::chrono::steady_clock::now();
  make_files(n, frames, solid, raw.path(), compressed.path());
  const double atoms = static_cast<double>(n) * frames;
  const gpz::FileScan scan = gpz::scan_file(compressed.path());
  double key_bits = 8.0 * static_cast<double>(scan.frames[0].length) / static_cast<double>(n);
  double bits = 8.0 * static_cast<double>(scan.file_size) / atoms;
  std::printf("%llu particles, %d frames, %s, in %s: %.2f bits a particle and frame (key frame %.2f); made in %.1f s\n",
              static_cast<unsigned long long>(n), frames, solid ? "solid" : "liquid", folder.c_str(), bits, key_bits,
              seconds_since(start));
  const U64 raw_bytes = n * 24 * static_cast<U64>(frames);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  double best = 0;
  std::printf("raw f64                     threads  piece   G atoms/s    GB/s   without copies GB/s\n");
  for (const int readers : {4, 8, 16}) {
    if (readers > cores) continue;
    for (const std::size_t mib : {1u, 4u}) {
      const double seconds = read_file(raw.path(), raw_bytes, n * 24, readers, mib << 20, true);
      best = std::max(best, atoms / seconds);
      std::printf("                            %7d  %2zu MiB  %10.3f  %6.1f", readers, mib, atoms / seconds / 1e9,
                  static_cast<double>(raw_bytes) / seconds / 1e9);
      if (mib == 4)
        std::printf("  %6.1f", static_cast<double>(raw_bytes) /
                                   read_file(raw.path(), raw_bytes, n * 24, readers, mib << 20, false) / 1e9);
      std::printf("\n");
    }
  }
  const U64 gpz_bytes = scan.file_size;
  const auto gb = [&](double seconds) { return static_cast<double>(gpz_bytes) / seconds / 1e9; };
  std::printf(
      "steps, GB/s of the .gpz file   threads  piece KiB    pread   and copied   and checked (as Reader does)\n");
  for (const int readers : {4, 8, 12, 16})
    for (const std::size_t kib : {1024u, 2048u})
      if (readers <= cores)
        std::printf("%38d %10zu %8.1f %12.1f %12.1f\n", readers, kib,
                    gb(read_file(compressed.path(), gpz_bytes, n * 8, readers, kib << 10, false)),
                    gb(read_file(compressed.path(), gpz_bytes, n * 8, readers, kib << 10, true)),
                    gb(bring_bytes(compressed.path(), readers, kib << 10).usual()));
  const double decoding = decode_alone(compressed.path(), n).usual();
  std::printf("decoding alone: %.2f G atoms/s, %.1f GB/s of the file\n", atoms / decoding / 1e9, gb(decoding));

  std::printf(
      "gpz::cuda::Reader          threads  MiB ahead  G atoms/s  slowest   x raw  behind key frame  first pass s\n");
  const auto read = [&](int readers, std::uint64_t mib, gpz::cuda::OutputOrder order) {
    if (readers > cores) return;
    const Passes passes = read_compressed(compressed.path(), n, readers, mib << 20, order);
    std::printf("%-26s %7d %10llu %10.3f %8.3f %7.2f %21.3f %13.2f\n",
                order == gpz::cuda::OutputOrder::id ? "order of ids" : "stored order", readers,
                static_cast<unsigned long long>(mib), atoms / passes.usual() / 1e9, atoms / passes.slowest() / 1e9,
                atoms / passes.usual() / best,
                (atoms - static_cast<double>(n)) / Passes::median(passes.behind_key) / 1e9, passes.first);
  };
  const int most = std::min(cores, 16);
  for (const int readers : {4, 8, 10, 14, most}) read(readers, 512, gpz::cuda::OutputOrder::stored);
  for (const std::uint64_t mib : {128u, 256u, 512u}) read(std::min(most, 12), mib, gpz::cuda::OutputOrder::stored);
  for (const int readers : {4, 8, 12, most}) read(readers, 512, gpz::cuda::OutputOrder::id);
}

}  // namespace

int main(int argc, char **argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    run(argc > 1 ? std::stoull(argv[1]) : 16000000, argc > 2 ? std::stoi(argv[2]) : 20,
        argc > 3 && std::strcmp(argv[3], "solid") == 0, argc > 4 ? argv[4] : "/dev/shm");
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu_reading: %s\n", error.what());
    return 1;
  }
}
