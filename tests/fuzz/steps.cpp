// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: sections of steps. Frames of molecules that the input describes come back from key frames and from
// differences, with and without bonds, whatever sections are dropped between them; sections that the input changes give
// indices or an error.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "gpz/lanes/section.hpp"
#include "program.hpp"
#include "support.hpp"

namespace {

using gpz::Status;
using gpz::fuzz::Program;
using gpz::fuzz::require;
using gpz::fuzz::status_of;
namespace codec = gpz::codec;
namespace lanes = gpz::lanes;

constexpr std::size_t most_frames = 12;
constexpr double bonds[] = {1, 7, 300, 4e5};

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed | 1) {}
  // From -1 to 1.
  double next() {
    bits_ = bits_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(bits_ >> 11) / 4503599627370496.0 - 1;
  }

 private:
  std::uint64_t bits_;
};

struct Frame {
  std::array<std::vector<std::int64_t>, 3> q;

  explicit Frame(std::size_t particles) {
    for (auto &axis : q) axis.resize(particles);
  }
  std::size_t particles() const { return q[0].size(); }
  codec::IndexColumns columns() const { return {q[0].data(), q[1].data(), q[2].data()}; }
  codec::IndexOutput output() { return {q[0].data(), q[1].data(), q[2].data()}; }
};

// Molecules of one pattern: for each particle, how many particles before it the one is that it is bound to.
class Molecules {
 public:
  explicit Molecules(Program &program)
      : random_(program.number<std::uint32_t>()), bond_(program.one_of(bonds)), lags_(1 + program.choice(30)) {
    for (std::size_t k = 1; k < lags_.size(); ++k) lags_[k] = program.choice(std::min<std::size_t>(k, 5) + 1);
    const std::size_t count = 1 + program.choice(60);
    size_ = bond_ * std::cbrt(8.0 * static_cast<double>(count * lags_.size()));
    place_.resize(count * lags_.size());
    for (auto &of : place_)
      for (double &x : of) x = random_.next() * size_ / 2;
    move(1);
    const std::size_t kind = program.choice(4);
    const auto part = [&](double x) { return std::llround(x * size_); };
    if (kind == 1)
      for (auto &axis : edges.axes) axis = {part(-0.5), part(1)};
    if (kind == 2) edges.axes[1] = {part(-0.5), part(1)};
    if (kind != 3) return;
    edges.tilted.emplace();
    for (auto &axis : edges.tilted->axes) axis = {part(-0.5), part(1)};
    edges.tilted->tilts = {part(0.4), part(-0.3), part(0.2)};
    edges.axes[2] = edges.tilted->axes[2];
  }

  // Roots and bond vectors change by up to this part of a bond.
  void move(double part) {
    const std::vector<std::array<double, 3>> before = place_;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const std::size_t lag = lags_[i % lags_.size()];
      std::array<double, 3> way{};
      double squared = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        way[d] = part * bond_ * random_.next() + (lag == 0 ? 0 : before[i][d] - before[i - lag][d]);
        squared += way[d] * way[d];
      }
      const double scale = lag == 0 ? 1 : bond_ / std::max(std::sqrt(squared), 1e-9);
      for (std::size_t d = 0; d < 3; ++d)
        place_[i][d] = (lag == 0 ? before[i][d] : place_[i - lag][d]) + scale * way[d];
    }
  }

  // Some particles are an edge, or farther, from where they should be.
  Frame frame(std::uint8_t jumps) {
    Frame frame(place_.size());
    for (std::size_t i = 0; i < place_.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        const bool jumps_here = jumps != 0 && (i * 3 + d) % (256U - jumps) == 0;
        double x = place_[i][d];
        if (edges.axes[d].period != 0) x -= size_ * std::floor(x / size_ + 0.5);
        if (jumps_here) x += size_ * std::exp2(40 * std::max(random_.next(), 0.0));
        frame.q[d][i] = std::llround(x);
      }
    return frame;
  }

  lanes::Edges edges;

 private:
  Random random_;
  double bond_, size_ = 0;
  std::vector<std::size_t> lags_;
  std::vector<std::array<double, 3>> place_;
};

// An encoder and a decoder.
class Sides {
 public:
  Sides(const Frame &first, const lanes::Edges &edges) : edges_(edges) { start(first); }

  void key(const Frame &frame, Program changes) {
    std::vector<std::uint8_t> bytes;
    auto update = lanes::encode_key(ours_, frame.particles(), frame.columns(), edges_, bytes);
    start(frame);
    theirs_.restart();
    if (!update) return require(bytes.empty(), "bytes without a section");
    ours_.commit(std::move(*update));
    decode(frame, bytes, changes, [&](lanes::State &state, const std::uint8_t *from, std::size_t size, Frame &out) {
      lanes::decode_key(state, frame.particles(), from, size, edges_.axes, 1, out.output());
    });
  }
  // A section that is not kept.
  void drop(const Frame &frame, bool use_bonds) {
    std::vector<std::uint8_t> bytes;
    static_cast<void>(lanes::encode(ours_, history_, frame.columns(), edges_, bytes, {1, false, use_bonds}));
  }
  void next(const Frame &frame, bool use_bonds, Program changes) {
    std::vector<std::uint8_t> bytes;
    const bool is_first = ours_.empty();
    auto update = lanes::encode(ours_, history_, frame.columns(), edges_, bytes, {1, false, use_bonds});
    if (update) {
      if (is_first && !use_bonds) require(!lanes::have_bonds(ours_, *update), "bonds that were not allowed");
      ours_.commit(std::move(*update));
      decode(frame, bytes, changes, [&](lanes::State &state, const std::uint8_t *from, std::size_t size, Frame &out) {
        lanes::decode(state, history_, from, size, edges_.axes, 1, out.output());
      });
    }
    skip(frame);
  }
  // Molecules are found anew.
  void restart() {
    ours_.restart();
    theirs_.restart();
  }
  void skip(const Frame &frame) { history_.advance(frame.columns(), edges_.axes); }
  // A writer that continues a file knows what a reader does.
  void exchange() { ours_ = theirs_; }

 private:
  void start(const Frame &frame) { history_.start(frame.columns(), frame.particles(), 3); }

  // First what the input makes of the section, by a copy of the state.
  template <typename Decode>
  void decode(const Frame &frame, std::vector<std::uint8_t> bytes, Program changes, const Decode &decode) {
    Frame out(frame.particles());
    const auto status = [&](lanes::State &state) {
      const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
      std::memcpy(exact.get(), bytes.data(), bytes.size());
      return status_of([&] { decode(state, exact.get(), bytes.size(), out); });
    };
    if (changes.left() != 0) {
      const std::vector<std::uint8_t> whole = bytes;
      while (changes.left() != 0)
        bytes[changes.number<std::uint16_t>() % bytes.size()] ^= changes.number<std::uint8_t>();
      lanes::State copy = theirs_;
      const Status found = status(copy);
      require(found == Status::ok || found == Status::corrupt || found == Status::limit_exceeded,
              "damage that is called something else");
      require(copy.empty() == (found != Status::ok), "a state after an error");
      bytes = whole;
    }
    require(status(theirs_) == Status::ok, "a section is refused");
    require(out.q == frame.q, "other indices come back");
  }

  const lanes::Edges &edges_;
  codec::DifferenceState history_;
  lanes::State ours_, theirs_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  Program program(bytes, size);
  Molecules molecules(program);
  Sides sides(molecules.frame(0), molecules.edges);
  for (std::size_t f = 0; f < most_frames && program.left() != 0; ++f) {
    const auto decisions = program.number<std::uint8_t>();
    const unsigned what = decisions % 8;
    const bool use_bonds = (decisions & 8) == 0;
    if ((decisions & 16) != 0) sides.restart();
    // From a 2^12th of a bond to 2^3 of them.
    molecules.move(std::exp2(static_cast<double>(program.choice(16)) - 12));
    const Frame frame = molecules.frame(program.flag() ? program.number<std::uint8_t>() : std::uint8_t{0});
    const Program changes = program.part(3 * program.choice(4));
    if (what == 7) sides.exchange();
    if (what == 6) sides.drop(frame, use_bonds);
    if (what == 5)
      sides.skip(frame);
    else if (what == 4 || f == 0)
      sides.key(frame, changes);
    else
      sides.next(frame, use_bonds, changes);
    if (what == 3) sides.drop(molecules.frame(0), use_bonds);
  }
  return 0;
}
