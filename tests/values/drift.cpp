// SPDX-License-Identifier: BSD-3-Clause
#include "drift.hpp"

#include "edge_values.hpp"

namespace gpz::values {
namespace {

struct Kind {
  Motion motion;
  const char *name;
  const char *expected;
  Effort effort = default_effort;
};
constexpr Kind kinds[] = {
    {Motion::still, "still", "no bits"},        {Motion::straight, "straight", "velocity"},
    {Motion::crystal, "crystal", "mean place"}, {Motion::walk, "walk", "last place"},
    {Motion::chains, "chains", "molecules"},    {Motion::chains, "chains, effort fast", "neighbours", Effort::fast},
    {Motion::calm, "calm", "triples"},          {Motion::odd, "odd", "exact values"},
    {Motion::exchange, "exchange", "arrivals"},
};

template <typename T>
Drift drift(const Kind &kind, Order order, unsigned key_interval, std::size_t frames, std::size_t particles) {
  Drift out;
  out.name = std::string(kind.name) + (sizeof(T) == 4 ? ", f32" : ", f64") + (order == Order::id ? ", order id" : "");
  // Only the order of ids looks for neighbours, and for molecules.
  out.expected = kind.motion == Motion::chains && order == Order::place ? "last place" : kind.expected;
  if (key_interval == 1) out.name += ", key frames";
  FileOptions options;
  options.order = order;
  options.key_interval = key_interval;
  options.effort = kind.effort;
  FileInMemory file(options);
  {
    MovingParticles<T> moving(kind.motion, particles, 1);
    for (std::size_t i = 0; i < frames; ++i) file.write(moving.next());
  }
  file.close();
  out.outcome.digest = file.digest();

  MovingParticles<T> moving(kind.motion, particles, 1);
  for (std::size_t i = 0; i < frames; ++i) {
    const FrameValues given = moving.next();
    out.outcome.tally += file.compare_frame(i, given, out.name + ", frame " + std::to_string(i));
    const FrameInfo info = file.reader().info(i);
    const double error = info.fields[0].largest_error / info.fields[0].bound;
    if (i == 0) out.first = error;
    out.last = error;
    for (const std::string &found : predictions_of(file.reader().chunk(i, 0), given.particles, given.fields.size(), 3))
      ++out.frames_with[found];
  }
  return out;
}

}  // namespace

std::vector<Drift> try_drift(std::size_t frames, std::size_t particles) {
  std::vector<Drift> all;
  for (const Kind &kind : kinds)
    for (const Order order : {Order::place, Order::id}) {
      all.push_back(drift<float>(kind, order, static_cast<unsigned>(frames), frames, particles));
      all.push_back(drift<double>(kind, order, static_cast<unsigned>(frames), frames, particles));
    }
  const Kind chains{Motion::chains, "chains", "order of ids"};
  all.push_back(drift<float>(chains, Order::id, 1, frames, particles));
  all.push_back(drift<double>(chains, Order::id, 1, frames, particles));
  return all;
}

}  // namespace gpz::values
