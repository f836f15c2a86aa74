// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>

#include "check.hpp"
#include "device.hpp"
#include "layout.hpp"

namespace evaluation {

namespace {

using Clock = std::chrono::steady_clock;

// Seconds that `work` takes until the device is done.
template <typename Work>
double seconds(const Work &work) {
  const auto start = Clock::now();
  work();
  finish("kernels");
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What `once` returns, several times. The first call may load kernels, and is not counted.
template <typename Once>
std::vector<double> repeated(const Settings &settings, const Once &once) {
  once();
  std::vector<double> times;
  double sum = 0;
  for (int k = 0; k < settings.runs && (k < 2 || sum < settings.patience); ++k) {
    times.push_back(once());
    sum += times.back();
  }
  return times;
}

// Device memory of one program on one job, outside of the clock.
class Bench {
 public:
  Bench(Program &program, const Job &job, const Data &data)
      : program_(program),
        job_(job),
        values_(job.values() * sizeof(float)),
        input_(padded(job)),
        output_(padded(job)),
        out_(program.room(job)) {
    check(cudaMemcpy(values_.as(), data.values(), values_.size(), cudaMemcpyHostToDevice), "input");
  }

  // A call with memory of its own. Its bytes are kept for decompress().
  double compress_fresh() {
    restore_input();
    std::unique_ptr<Compressor> compressor;
    Bytes bytes;
    const double made = seconds([&] {
      compressor = program_.compressor(job_);
      bytes = compressor->compress(input_.as<float>(), out_.as<std::uint8_t>());
    });
    keep(bytes);
    return made + seconds([&] { compressor.reset(); });
  }

  std::vector<double> compress_warm(const Settings &settings) {
    const std::unique_ptr<Compressor> compressor = program_.keeping_compressor(job_);
    return repeated(settings, [&] {
      restore_input();
      return seconds([&] { compressor->compress(input_.as<float>(), out_.as<std::uint8_t>()); });
    });
  }

  double decompress_fresh() {
    clear_output();
    return seconds([&] {
      const std::unique_ptr<Decompressor> decompressor = program_.decompressor(job_);
      decompressor->decompress(kept(), output_.as<float>());
    });
  }

  std::vector<double> decompress_warm(const Settings &settings) {
    const std::unique_ptr<Decompressor> decompressor = program_.keeping_decompressor(job_);
    return repeated(settings, [&] {
      clear_output();
      return seconds([&] { decompressor->decompress(kept(), output_.as<float>()); });
    });
  }

  std::size_t bytes() const { return size_; }

  std::vector<float> decoded() const {
    std::vector<float> host(job_.values());
    check(cudaMemcpy(host.data(), output_.as(), host.size() * sizeof(float), cudaMemcpyDeviceToHost), "output");
    return host;
  }

  Order order() { return program_.order(job_, values_.as<float>(), output_.as<float>()); }

 private:
  static std::size_t padded(const Job &job) {
    return static_cast<std::size_t>(std::max(job.components, 3)) * job.particles * sizeof(float);
  }
  // Some programs write to their input.
  void restore_input() {
    check(cudaMemcpy(input_.as(), values_.as(), values_.size(), cudaMemcpyDeviceToDevice), "input");
    finish("input");
  }
  // NaN everywhere, so that nothing which was decoded earlier is taken for the result.
  void clear_output() {
    check(cudaMemset(output_.as(), 0xFF, output_.size()), "output");
    finish("output");
  }
  void keep(const Bytes &bytes) {
    if (stored_.size() < bytes.size) {
      stored_ = Memory();
      stored_ = Memory(bytes.size + bytes.size / 8);
    }
    check(cudaMemcpy(stored_.as(), bytes.data, bytes.size, cudaMemcpyDeviceToDevice), "compressed bytes");
    finish("compressed bytes");
    size_ = bytes.size;
  }
  Bytes kept() const { return {stored_.as<std::uint8_t>(), size_}; }

  Program &program_;
  Job job_;
  Memory values_;
  Memory input_;
  Memory output_;
  Memory out_;
  Memory stored_;
  std::size_t size_ = 0;
};

// A program may fail with one layout and not with the other.
struct Trial {
  double size = std::numeric_limits<double>::infinity();
  std::exception_ptr failure;
};

Trial trial(Program &program, Layout layout, const Job &job, const Data &data) {
  Trial result;
  try {
    const std::unique_ptr<Program> arrays = with_layout(program, layout);
    Bench bench(*arrays, job, data);
    bench.compress_fresh();
    result.size = static_cast<double>(bench.bytes());
  } catch (const std::exception &) {
    if (!usable()) throw;
    result.failure = std::current_exception();
  }
  return result;
}

// One array is what most programs are faster with, so the other has to be smaller by more than what its own alignment
// and the start of each array cost.
Layout better_layout(Program &program, const Job &job, const Data &data) {
  const Trial joined = trial(program, Layout::joined, job, data);
  const Trial separate = trial(program, Layout::separate, job, data);
  if (joined.failure && separate.failure) std::rethrow_exception(joined.failure);
  return separate.size < 0.998 * joined.size ? Layout::separate : Layout::joined;
}

// The first calls of a process: they load kernels, and take all memory from the driver. A program for arrays gets one
// array; if it fails with it, it has no such times.
void first_calls(Program &program, const Job &job, const Data &data, Measurement &result) {
  try {
    std::unique_ptr<Program> arrays;
    if (program.is_for_arrays()) arrays = with_layout(program, Layout::joined);
    Bench bench(arrays ? *arrays : program, job, data);
    const double compress = bench.compress_fresh();
    result.decompress.first = bench.decompress_fresh();
    result.compress.first = compress;
  } catch (const std::exception &) {
    if (!usable()) throw;
  }
}

Errors errors_of(const Data &data, const std::vector<float> &decoded, const Order &order, double bound,
                 unsigned threads) {
  const float *const original = data.values();
  switch (order.kind) {
    case Order::Kind::known:
      return errors_by_origin(original, decoded.data(), order.origin, data.particles(), data.components(), threads);
    case Order::Kind::in_blocks:
      return errors_in_blocks(original, decoded.data(), data.particles(), data.components(), order.block, bound,
                              threads);
    case Order::Kind::kept:
      break;
  }
  return errors_in_order(original, decoded.data(), data.particles(), data.components(), threads);
}

}  // namespace

Measurement measure(Program &program, const Data &data, double longest_edge, double relative_bound,
                    const Settings &settings) {
  const Job job{data.particles(), data.components(), relative_bound * longest_edge, relative_bound};
  Measurement result;
  if (settings.first_calls) first_calls(program, job, data, result);
  result.layout = "particles";
  std::unique_ptr<Program> arrays;
  if (program.is_for_arrays()) {
    const Layout layout = better_layout(program, job, data);
    result.layout = layout == Layout::joined ? "joined" : "separate";
    arrays = with_layout(program, layout);
  }
  Program &timed = arrays ? *arrays : program;

  Bench bench(timed, job, data);
  result.compress.fresh = repeated(settings, [&] { return bench.compress_fresh(); });
  result.bytes = bench.bytes();
  if (timed.keeps_memory()) {
    result.compress.warm = bench.compress_warm(settings);
    result.decompress.warm = bench.decompress_warm(settings);
  }
  result.decompress.fresh = repeated(settings, [&] { return bench.decompress_fresh(); });

  const std::vector<float> decoded = bench.decoded();
  const Order order = bench.order();
  const Errors errors = errors_of(data, decoded, order, job.bound, settings.threads);
  result.error_over_bound = errors.largest / job.bound;
  result.psnr = psnr(errors, longest_edge);
  result.lost = errors.lost;
  if (!settings.decoded.empty()) {
    write_values(settings.decoded, decoded);
    if (order.kind == Order::Kind::known) write_values(settings.decoded + ".order", order.origin);
  }
  return result;
}

}  // namespace evaluation
