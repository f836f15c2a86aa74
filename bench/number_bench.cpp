// SPDX-License-Identifier: BSD-3-Clause
// Size and speed of number streams (docs/decisions/0022), for numbers of known distributions.
//
//   number_bench [--numbers N] [--contexts K] [--octaves O] [--sigma S ...] [--shape NAME ...] [--repeats R]
//
// Residuals, whose expected places are no integers, have the given standard deviation in context 0, and O octaves more
// from there to the last context. Sizes are compared with the mean of -log2 of the probability of each number. Speeds
// are processor time, the best of R, for numbers of 8 bytes: encoding with the choice of tables; decoding with contexts
// that are known, and with contexts that depend on the number before.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <stdexcept>

#include "command_parser.hpp"
#include "gpz/codec/number_coder.hpp"

namespace {

struct Options {
  std::size_t numbers = 96000;
  unsigned contexts = 24;
  double octaves = 5.75;
  std::vector<double> sigmas{0.1, 0.3, 1, 3, 10, 100, 1000, 10000, 1e6};
  std::vector<std::string> shapes{"normal", "exponential", "uniform", "mixed"};
  int repeats = 9;
};

using Engine = std::mt19937_64;

// A distribution of residuals with standard deviation 1: below(x) is the probability of smaller ones.
struct Shape {
  double (*draw)(Engine &);
  double (*below)(double);
};

double normal_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double exponential_below(double x) {
  const double tail = std::exp(-std::fabs(x) * std::sqrt(2.0)) / 2;
  return x < 0 ? tail : 1 - tail;
}
double uniform_below(double x) { return std::min(1.0, std::max(0.0, 0.5 + x / std::sqrt(12.0))); }
// Three quarters of the residuals are normal, the others as well, but 16 times as wide.
constexpr double narrow = 0.1224;

double draw_normal(Engine &engine) { return std::normal_distribution<double>()(engine); }
double draw_exponential(Engine &engine) {
  const double size = std::exponential_distribution<double>(std::sqrt(2.0))(engine);
  return engine() % 2 == 0 ? size : -size;
}
double draw_uniform(Engine &engine) {
  return std::uniform_real_distribution<double>(-std::sqrt(3.0), std::sqrt(3.0))(engine);
}
double draw_mixed(Engine &engine) { return draw_normal(engine) * narrow * (engine() % 4 == 0 ? 16 : 1); }
double mixed_below(double x) { return 0.75 * normal_below(x / narrow) + 0.25 * normal_below(x / (16 * narrow)); }

Shape shape_named(const std::string &name) {
  if (name == "normal") return {draw_normal, normal_below};
  if (name == "exponential") return {draw_exponential, exponential_below};
  if (name == "uniform") return {draw_uniform, uniform_below};
  if (name == "mixed") return {draw_mixed, mixed_below};
  throw std::runtime_error("unknown shape " + name);
}

// What a number has to do with the context of the next one.
unsigned next_context(unsigned context, std::uint32_t u, unsigned contexts) {
  const unsigned next = context + 1 + (u & 3);
  return next < contexts ? next : (next - contexts) % contexts;
}

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Work>
double best_seconds(int repeats, const Work &work) {
  double best = 1e30;
  for (int r = 0; r < repeats; ++r) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

void measure(const Options &options, const std::string &name, double sigma) {
  const Shape shape = shape_named(name);
  const std::size_t n = options.numbers;
  Engine engine(1);
  std::vector<std::uint32_t> number(n);
  std::vector<std::uint8_t> context(n);
  double ideal = 0;
  unsigned c = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double width = sigma * std::exp2(options.octaves * c / std::max(1U, options.contexts - 1));
    // Integers are numbered from the nearest to the expected place on: number u is u / 2 to (u + 1) / 2 away from it.
    const double u = std::floor(2 * std::fabs(width * shape.draw(engine)));
    number[i] = static_cast<std::uint32_t>(std::min(u, 4e9));
    context[i] = static_cast<std::uint8_t>(c);
    const double least = u / 2 / width;
    const double most = (u + 1) / 2 / width;
    ideal -= std::log2(std::max(1e-300, 2 * (shape.below(-least) - shape.below(-most))));
    c = next_context(c, number[i], options.contexts);
  }

  std::vector<std::uint8_t> bytes;
  const double encode = best_seconds(options.repeats, [&] {
    bytes.clear();
    gpz::codec::NumberEncoder encoder(options.contexts);
    encoder.reserve(n);
    for (std::size_t i = 0; i < n; ++i) encoder.put(context[i], number[i]);
    encoder.finish(bytes);
  });
  std::vector<std::uint32_t> out(n);
  const double known = best_seconds(options.repeats, [&] {
    gpz::codec::NumberDecoder decoder(bytes.data(), bytes.size(), options.contexts);
    for (std::size_t i = 0; i < n; ++i) out[i] = decoder.get(context[i]);
    decoder.end();
  });
  if (out != number) throw std::runtime_error("numbers do not come back");
  const double chained = best_seconds(options.repeats, [&] {
    gpz::codec::NumberDecoder decoder(bytes.data(), bytes.size(), options.contexts);
    unsigned at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = decoder.get(at);
      at = next_context(at, out[i], options.contexts);
    }
    decoder.end();
  });
  if (out != number) throw std::runtime_error("numbers do not come back");
  const double count = static_cast<double>(n);
  const double bits = 8 * static_cast<double>(bytes.size());
  const auto speed = [&](double seconds) { return 8 * count / seconds / 1e6; };
  fmt::print("{:12} {:9g} {:9.4f} {:9.4f} {:+8.4f} {:+7.2f} % {:7.0f} {:7.0f} {:7.0f}\n", name, sigma, ideal / count,
             bits / count, (bits - ideal) / count, 100 * (bits - ideal) / ideal, speed(encode), speed(known),
             speed(chained));
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  gpz::tool::CommandParser parser("Size and speed of number streams");
  gpz::tool::Command program = parser.program();
  program.option("--numbers", options.numbers, "Numbers").positive();
  program.option("--contexts", options.contexts, "Contexts").range(1U, gpz::codec::max_number_contexts);
  program.option("--octaves", options.octaves, "Octaves from the first context to the last");
  program.option("--sigma", options.sigmas, "Standard deviations of the first context").positive();
  program.option("--shape", options.shapes, "normal, exponential, uniform, mixed");
  program.option("--repeats", options.repeats, "Repeats of each measurement").positive();
  if (const auto status = gpz::tool::parse_or_report(parser, argc, argv)) return *status;
  try {
    fmt::print("{} numbers in {} contexts\n", options.numbers, options.contexts);
    fmt::print("{:12} {:>9} {:>9} {:>9} {:>8} {:>9} {:>7} {:>7} {:>7}\n", "shape", "sigma", "ideal", "stored", "loss",
               "", "encode", "known", "chained");
    for (const std::string &shape : options.shapes)
      for (const double sigma : options.sigmas) measure(options, shape, sigma);
    return 0;
  } catch (const std::exception &error) {
    fmt::print(stderr, "number_bench: {}\n", error.what());
    return 1;
  }
}
