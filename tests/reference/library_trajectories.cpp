// SPDX-License-Identifier: BSD-3-Clause
#include "library_trajectories.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace {

using gpz::ConstArray;
using gpz::ValueType;

// What happens in a trajectory.
struct Events {
  std::string name;
  unsigned key_interval = 100;
  int particles = 300;
  int frames = 8;
  int chunks = 1;
  int dimension = 3;
  double bound = 0.001;
  double velocity_bound = 0.01;
  double speed = 0.3;      // of particles, distance units a frame
  bool triclinic = false;  // boxes are followed through their edges only if they are not
  bool leave = false;
  bool arrive = false;
  bool shuffle = false;
  bool rest = false;         // particles do not move in every third frame
  bool special = false;      // NaN, infinities and values that no grid holds
  bool box_changes = false;  // it grows; in one frame there is none
  bool types_change = false;
  bool images = true;
  bool late_wraps = false;  // particles come back into the box in every third frame only
  bool integers_jump = false;
};

struct Particle {
  std::int64_t id, type, jump;
  std::array<double, 3> position, velocity;
  std::array<std::int64_t, 3> image{};
  double exact;
};

class Simulation {
 public:
  explicit Simulation(const Events &events) : events_(events), random_(events.name.size() + events.particles) {
    for (int i = 0; i < events.particles; ++i) add();
  }

  gpz::Box box() const {
    gpz::Box box;
    box.dimension = static_cast<std::uint8_t>(events_.dimension);
    if (events_.box_changes && frame_ == 5) return box;
    box.kind = events_.triclinic ? gpz::Box::Kind::triclinic : gpz::Box::Kind::orthogonal;
    box.boundary = {'p', 'p', 'p', 'p', 's', 's'};
    box.values = {low, low + edge(), low, low + edge(), -99, 99};
    if (events_.triclinic) box.values[6] = 0.5;
    return box;
  }

  const std::vector<Particle> &particles() const { return particles_; }
  double edge() const { return events_.box_changes ? 10 + 0.05 * frame_ : 10; }

  void step() {
    ++frame_;
    if (events_.leave) {
      const auto leaves = [&](const Particle &) { return uniform() < (frame_ == 4 ? 0.6 : 0.03); };
      particles_.erase(std::remove_if(particles_.begin(), particles_.end(), leaves), particles_.end());
    }
    for (Particle &particle : particles_) move(particle);
    if (events_.arrive) {
      for (int i = 0; i < 9; ++i) add();
    }
    if (events_.shuffle) std::shuffle(particles_.begin(), particles_.end(), random_);
  }

  static constexpr double low = -3;

 private:
  double uniform() { return std::uniform_real_distribution<double>()(random_); }

  void add() {
    Particle particle{next_id_, 1 + next_id_ % 3, 0, {}, {}, {}, uniform()};
    next_id_ += 7;
    for (int d = 0; d < events_.dimension; ++d) {
      particle.position[d] = low + edge() * uniform();
      particle.velocity[d] = events_.speed * (2 * uniform() - 1);
    }
    particles_.push_back(particle);
  }

  void move(Particle &particle) {
    if (events_.types_change && uniform() < 0.02) particle.type = 1 + particle.type % 3;
    if (events_.integers_jump) particle.jump = static_cast<std::int64_t>(random_());
    if (events_.rest && frame_ % 3 == 0) return;
    particle.exact += 1e-6 * uniform();
    for (int d = 0; d < events_.dimension; ++d) {
      particle.velocity[d] += 0.1 * events_.speed * (2 * uniform() - 1);
      double &x = particle.position[d];
      x += particle.velocity[d];
      if (d == 2 || (events_.late_wraps && frame_ % 3 != 0)) continue;
      const double turns = std::floor((x - low) / edge());
      x -= turns * edge();
      particle.image[d] += static_cast<std::int64_t>(turns);
    }
    if (events_.special && uniform() < 0.02) {
      const double values[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e30, -0.0, 4e14, 1e-40};
      particle.position[2] = values[random_() % 7];
    } else if (!(std::abs(particle.position[2]) < 1000)) {
      particle.position[2] = uniform();
    }
  }

  Events events_;
  std::mt19937_64 random_;
  std::vector<Particle> particles_;
  std::int64_t next_id_ = 5;
  int frame_ = 0;
};

// Columns of some particles, and the fields that point to them.
template <class Float>
struct Columns {
  std::vector<std::vector<Float>> floats;
  std::vector<std::vector<std::int64_t>> integers;
  std::vector<gpz::FieldInput> fields;

  Columns(const Events &events, const std::vector<Particle> &particles) {
    floats.reserve(7);
    integers.reserve(6);
    const auto axes = [&](std::size_t count, auto value, double bound, const std::vector<std::string> &names) {
      gpz::FieldInput &input = begin(sizeof(Float) == 4 ? ValueType::float32 : ValueType::float64, bound);
      for (std::size_t d = 0; d < count; ++d) {
        floats.emplace_back();
        for (const Particle &particle : particles) floats.back().push_back(static_cast<Float>(value(particle, d)));
        input.components[d] = {floats.back().data(), sizeof(Float),
                               sizeof(Float) == 4 ? ConstArray::Type::float32 : ConstArray::Type::float64};
        input.field.components.push_back({names[d], next_column_++});
      }
    };
    const auto integer = [&](const std::vector<std::string> &names, auto value) {
      gpz::FieldInput &input = begin(ValueType::integer, 0);
      for (std::size_t d = 0; d < names.size(); ++d) {
        integers.emplace_back();
        for (const Particle &particle : particles) integers.back().push_back(value(particle, d));
        input.components[d] = {integers.back().data(), sizeof(std::int64_t), ConstArray::Type::int64};
        input.field.components.push_back({names[d], next_column_++});
      }
    };
    const auto dimension = static_cast<std::size_t>(events.dimension);
    axes(dimension, [](const Particle &p, std::size_t d) { return p.position[d]; }, events.bound, {"x", "y", "z"});
    fields[0].field.leading = true;
    integer({"id"}, [](const Particle &p, std::size_t) { return p.id; });
    integer({"type"}, [](const Particle &p, std::size_t) { return p.type; });
    if (events.images) {
      integer({"ix", "iy"}, [](const Particle &p, std::size_t d) { return p.image[d]; });
    }
    integer({"jump"}, [](const Particle &p, std::size_t) { return p.jump; });
    axes(dimension, [](const Particle &p, std::size_t d) { return p.velocity[d]; }, events.velocity_bound,
         {"vx", "vy", "vz"});
    axes(1, [](const Particle &p, std::size_t) { return p.exact; }, 0, {"exact"});
  }
  Columns(const Columns &) = delete;
  Columns &operator=(const Columns &) = delete;

 private:
  gpz::FieldInput &begin(ValueType type, double bound) {
    fields.emplace_back();
    fields.back().field.type = type;
    fields.back().field.bound = bound;
    return fields.back();
  }

  std::uint16_t next_column_ = 0;
};

// The particles of a rank: a slab of the box. Of several, the last has none in every third frame.
std::vector<Particle> slab(const Simulation &simulation, int chunk, int chunks, int frame) {
  std::vector<Particle> result;
  const int slabs = chunks > 1 && frame % 3 == 2 ? chunks - 1 : chunks;
  for (const Particle &particle : simulation.particles()) {
    const int owner = static_cast<int>((particle.position[0] - Simulation::low) / simulation.edge() * slabs);
    if (std::clamp(owner, 0, slabs - 1) == chunk) result.push_back(particle);
  }
  return result;
}

template <class Float>
void write_trajectory(const std::string &path, const Events &events) {
  gpz::Writer writer(path, {});
  if (events.chunks == 1) writer.set_key_interval(events.key_interval);
  std::vector<gpz::TrajectoryEncoder> encoders(static_cast<std::size_t>(events.chunks));
  Simulation simulation(events);
  for (int frame = 0; frame < events.frames; ++frame, simulation.step()) {
    gpz::FrameInfo info;
    info.timestep = 10 * frame;
    info.particles = simulation.particles().size();
    info.box = simulation.box();
    if (events.chunks == 1) {
      writer.write(info, Columns<Float>(events, simulation.particles()).fields);
      continue;
    }
    info.since_key = static_cast<std::uint16_t>(static_cast<unsigned>(frame) % events.key_interval);
    std::vector<gpz::EncodedChunk> chunks(encoders.size());
    for (int chunk = 0; chunk < events.chunks; ++chunk) {
      const std::vector<Particle> particles = slab(simulation, chunk, events.chunks, frame);
      const Columns<Float> columns(events, particles);
      encoders[chunk].encode(columns.fields, particles.size(), nullptr, info.box, info.since_key == 0, chunks[chunk]);
      if (chunk > 0) continue;
      for (const gpz::FieldInput &input : columns.fields) info.fields.push_back(input.field);
    }
    writer.write(info, chunks);
  }
  writer.close();
}

std::vector<Events> trajectories() {
  std::vector<Events> all;
  const auto add = [&](const char *name, auto set) {
    Events events;
    events.name = name;
    set(events);
    all.push_back(events);
  };
  add("key-1", [](Events &e) { e.key_interval = 1; });
  add("key-2", [](Events &e) { e.key_interval = 2; });
  add("key-5", [](Events &e) { e.key_interval = 5, e.shuffle = true, e.frames = 12; });
  add("blocks", [](Events &e) { e.particles = 2100, e.frames = 6, e.speed = 0.02; });
  add("long", [](Events &e) { e.particles = 60, e.frames = 40; });
  add("fast", [](Events &e) { e.speed = 4; });
  add("slow", [](Events &e) { e.speed = 1e-4; });
  add("rest", [](Events &e) { e.rest = true, e.types_change = true; });
  add("leave", [](Events &e) { e.leave = true; });
  add("exchange", [](Events &e) { e.leave = e.arrive = e.shuffle = true, e.frames = 12; });
  add("arrive-from-none", [](Events &e) { e.particles = 0, e.arrive = true; });
  add("leave-all", [](Events &e) { e.particles = 3, e.leave = true, e.frames = 12; });
  add("types", [](Events &e) { e.types_change = e.integers_jump = true; });
  add("special", [](Events &e) { e.special = e.leave = e.arrive = true; });
  add("two-dimensions", [](Events &e) { e.dimension = 2; });
  add("box", [](Events &e) { e.box_changes = true; });
  add("triclinic", [](Events &e) { e.triclinic = true; });
  add("no-images", [](Events &e) { e.images = false; });
  add("late-wraps", [](Events &e) { e.late_wraps = true, e.frames = 12; });
  add("late-wraps-special", [](Events &e) { e.late_wraps = e.special = e.leave = true, e.speed = 2, e.frames = 12; });
  add("small", [](Events &e) {
    e.late_wraps = e.special = e.leave = e.arrive = e.types_change = true;
    e.particles = 120, e.speed = 0.02, e.bound = 0.005;
  });
  add("coarse", [](Events &e) { e.bound = 2, e.velocity_bound = 3; });
  add("fine", [](Events &e) { e.bound = 1e-13, e.velocity_bound = 1e-14; });
  add("lossless", [](Events &e) { e.bound = e.velocity_bound = 0, e.arrive = true; });
  add("lossless-velocities", [](Events &e) { e.velocity_bound = 0; });
  add("chunks", [](Events &e) { e.chunks = 3, e.key_interval = 10, e.frames = 12; });
  add("chunks-exchange", [](Events &e) {
    e.chunks = 4, e.key_interval = 5, e.frames = 12, e.leave = e.arrive = e.shuffle = e.special = true, e.speed = 2;
  });
  return all;
}

}  // namespace

void write_trajectories(const std::string &folder) {
  for (const Events &events : trajectories()) {
    write_trajectory<double>(folder + "/f64-" + events.name + ".gpz", events);
    write_trajectory<float>(folder + "/f32-" + events.name + ".gpz", events);
  }
}
