// SPDX-License-Identifier: BSD-3-Clause
#include "library_ordered.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace {

using gpz::ConstArray;
using gpz::ValueType;

struct Particle {
  std::int64_t id, type;
  std::array<double, 3> position, velocity;
  std::array<std::int64_t, 3> image{};
  double charge;  // never changes
  double energy;  // always does
};

enum class Structure { crystal, chains, gas };

struct Sample {
  std::string name;
  Structure structure = Structure::chains;
  int particles = 1500;
  unsigned key_interval = 1;
  int frames = 2;
  int chunks = 1;
  int dimension = 3;
  double bound = 0.001;
  bool periodic = true;
  gpz::Effort effort = gpz::Effort::fast;
  double beyond = 0;  // how far particles stick out of the box, distance units
  std::function<void(std::vector<Particle> &, std::mt19937_64 &)> change = [](auto &, auto &) {};
};

constexpr double edge = 12;
constexpr double low = -3;

class Source {
 public:
  explicit Source(const Sample &sample) : sample_(sample), random_(sample.name.size()) {
    for (int i = 0; i < sample.particles; ++i) add(i);
    sample.change(particles_, random_);
  }

  const std::vector<Particle> &particles() const { return particles_; }

  gpz::Box box() const {
    gpz::Box box;
    box.dimension = static_cast<std::uint8_t>(sample_.dimension);
    box.kind = gpz::Box::Kind::orthogonal;
    box.boundary = {'p', 'p', 'p', 'p', 'f', 'f'};
    if (!sample_.periodic) box.boundary.fill('s');
    box.values = {low, low + edge, low, low + edge, -99, 99};
    return box;
  }

  void step() {
    for (Particle &particle : particles_) {
      for (int d = 0; d < sample_.dimension; ++d) particle.position[d] += 0.05 * particle.velocity[d];
      particle.energy = uniform();
      bring_back(particle);
    }
  }

 private:
  double uniform(double from = 0, double to = 1) { return std::uniform_real_distribution<double>(from, to)(random_); }

  void add(int i) {
    Particle particle{i + 1, 1 + i % 3, {}, {}, {}, 0.1 * (i % 4), uniform()};
    for (double &v : particle.velocity) v = uniform(-0.5, 0.5);
    const std::array<int, 3> cell{i % 12, i / 12 % 12, i / 144};
    for (int d = 0; d < sample_.dimension; ++d) {
      double &x = particle.position[d];
      if (sample_.structure == Structure::crystal)
        x = low + cell[d] + uniform(-0.03, 0.03);
      else if (sample_.structure == Structure::chains && i % 10 != 0)
        x = particles_.back().position[d] + uniform(-0.2, 0.2);
      else
        x = uniform(low, low + edge);
    }
    bring_back(particle);
    particles_.push_back(particle);
  }

  void bring_back(Particle &particle) {
    for (int d = 0; d < 2 && sample_.periodic; ++d) {
      double &x = particle.position[d];
      if (!(std::abs(x) < 1000) || (x >= low - sample_.beyond && x < low + edge + sample_.beyond)) continue;
      const double turns = std::floor((x - low) / edge);
      x -= turns * edge;
      particle.image[d] += static_cast<std::int64_t>(turns);
    }
  }

  Sample sample_;
  std::mt19937_64 random_;
  std::vector<Particle> particles_;
};

// Columns of some particles, and the fields that point to them.
template <class Float>
class Columns {
 public:
  std::vector<gpz::FieldInput> fields;

  Columns(const Sample &sample, std::vector<Particle> particles) : particles_(std::move(particles)) {
    const auto dimension = static_cast<std::size_t>(sample.dimension);
    const auto real = sizeof(Float) == 4 ? ValueType::float32 : ValueType::float64;
    add<Float>(real, sample.bound, {"x", "y", "z"}, dimension, [](auto &p, auto d) { return p.position[d]; });
    fields[0].field.leading = true;
    add<std::int64_t>(ValueType::integer, 0, {"type"}, 1, [](auto &p, auto) { return p.type; });
    add<std::int64_t>(ValueType::integer, 0, {"id"}, 1, [](auto &p, auto) { return p.id; });
    add<std::int64_t>(ValueType::integer, 0, {"ix", "iy"}, 2, [](auto &p, auto d) { return p.image[d]; });
    add<Float>(real, 0.01, {"vx", "vy", "vz"}, dimension, [](auto &p, auto d) { return p.velocity[d]; });
    add<Float>(real, 0, {"q"}, 1, [](auto &p, auto) { return p.charge; });
    add<Float>(real, 0, {"energy"}, 1, [](auto &p, auto) { return p.energy; });
  }
  Columns(const Columns &) = delete;
  Columns &operator=(const Columns &) = delete;

 private:
  template <class T, class Value>
  void add(ValueType type, double bound, const std::vector<std::string> &names, std::size_t components, Value value) {
    gpz::FieldInput input;
    input.field.type = type;
    input.field.bound = bound;
    for (std::size_t d = 0; d < components; ++d) {
      auto &column = columns<T>().emplace_back();
      for (const Particle &particle : particles_) column.push_back(static_cast<T>(value(particle, d)));
      constexpr auto array = std::is_integral_v<T> ? ConstArray::Type::int64
                             : sizeof(T) == 4      ? ConstArray::Type::float32
                                                   : ConstArray::Type::float64;
      input.components[d] = {column.data(), sizeof(T), array};
      input.field.components.push_back({names[d], next_column_++});
    }
    fields.push_back(input);
  }
  template <class T>
  std::vector<std::vector<T>> &columns() {
    if constexpr (std::is_integral_v<T>)
      return integers_;
    else
      return floats_;
  }

  std::vector<Particle> particles_;
  std::vector<std::vector<Float>> floats_;  // moved, not copied, when they grow: the fields point to what they hold
  std::vector<std::vector<std::int64_t>> integers_;
  std::uint16_t next_column_ = 0;
};

// The particles of a rank: a slab of the box.
std::vector<Particle> slab(const std::vector<Particle> &all, int chunk, int chunks) {
  if (chunks == 1) return all;  // wherever they are
  std::vector<Particle> result;
  for (const Particle &particle : all) {
    const int owner = static_cast<int>((particle.position[0] - low) / edge * chunks);
    if (std::clamp(owner, 0, chunks - 1) == chunk) result.push_back(particle);
  }
  return result;
}

template <class Float>
void write_sample(const std::string &path, const Sample &sample) {
  gpz::Metadata metadata;
  metadata.features = gpz::features_of(sample.effort, gpz::Order::id, true);
  gpz::Writer writer(path, metadata);
  std::vector<gpz::TrajectoryEncoder> encoders(static_cast<std::size_t>(sample.chunks));
  for (auto &encoder : encoders) {
    encoder.set_order(gpz::Order::id);
    encoder.set_effort(sample.effort);
  }
  Source source(sample);
  for (int frame = 0; frame < sample.frames; ++frame, source.step()) {
    gpz::FrameInfo info;
    info.timestep = 10 * frame;
    info.particles = source.particles().size();
    info.box = source.box();
    info.since_key = static_cast<std::uint16_t>(static_cast<unsigned>(frame) % sample.key_interval);
    std::vector<gpz::EncodedChunk> chunks(encoders.size());
    for (int chunk = 0; chunk < sample.chunks; ++chunk) {
      const std::vector<Particle> particles = slab(source.particles(), chunk, sample.chunks);
      const Columns<Float> columns(sample, particles);
      const auto c = static_cast<std::size_t>(chunk);
      encoders[c].encode(columns.fields, particles.size(), nullptr, info.box, info.since_key == 0, chunks[c]);
      if (chunk > 0) continue;
      for (const gpz::FieldInput &input : columns.fields) info.fields.push_back(input.field);
    }
    writer.write(info, chunks);
  }
  writer.close();
}

// Every three particles: O and, bound to it, H H. Some are not there.
void bind(std::vector<Particle> &particles, std::mt19937_64 &random) {
  std::uniform_real_distribution<double> component(-1, 1);
  for (std::size_t i = 0; i + 2 < particles.size(); i += 3) {
    std::array<double, 3> a{};
    std::array<double, 3> b{};
    double aa = 0;
    double ab = 0;
    double bb = 0;
    for (double &x : a) x = component(random);
    for (double &x : b) x = component(random);
    for (std::size_t d = 0; d < 3; ++d) aa += a[d] * a[d], ab += a[d] * b[d];
    for (std::size_t d = 0; d < 3; ++d) b[d] -= ab / aa * a[d];
    for (const double x : b) bb += x * x;
    for (std::size_t d = 0; d < 3; ++d) {
      const double middle = particles[i].position[d] + 0.58588 * a[d] / std::sqrt(aa);
      particles[i + 1].position[d] = middle + 0.75695 * b[d] / std::sqrt(bb);
      particles[i + 2].position[d] = middle - 0.75695 * b[d] / std::sqrt(bb);
    }
  }
  const auto gone = [&](const Particle &) { return random() % 40 == 0; };
  particles.erase(std::remove_if(particles.begin(), particles.end(), gone), particles.end());
}

std::vector<Sample> samples() {
  std::vector<Sample> all;
  const auto add = [&](const char *name, auto set) {
    Sample sample;
    sample.name = name;
    set(sample);
    all.push_back(sample);
  };
  const auto shuffle = [](std::vector<Particle> &p, std::mt19937_64 &random) {
    std::shuffle(p.begin(), p.end(), random);
  };
  add("crystal", [](Sample &s) { s.structure = Structure::crystal, s.particles = 2100; });
  add("crystal-beyond", [&](Sample &s) {
    s.structure = Structure::crystal, s.particles = 1728, s.beyond = 0.5, s.key_interval = 3, s.frames = 8;
    s.change = shuffle;
  });
  add("chains", [&](Sample &s) { s.change = shuffle, s.particles = 2500, s.frames = 4; });
  add("chains-beyond", [&](Sample &s) { s.beyond = 0.4, s.key_interval = 3, s.frames = 5, s.change = shuffle; });
  add("gaps", [](Sample &s) {
    s.particles = 3000, s.key_interval = 3, s.frames = 4;
    s.change = [](std::vector<Particle> &p, auto &random) {
      const auto gone = [&](const Particle &) { return random() % 4 == 0; };
      p.erase(std::remove_if(p.begin(), p.end(), gone), p.end());
    };
  });
  add("gaps-of-chains", [](Sample &s) {
    s.particles = 4000;
    s.change = [](std::vector<Particle> &p, auto &) {
      const auto gone = [](const Particle &a) { return a.id / 10 * 10 % 70 < 30; };
      p.erase(std::remove_if(p.begin(), p.end(), gone), p.end());
    };
  });
  add("molecules", [](Sample &s) {  // go together, so that neighbours say where a particle goes
    s.beyond = 0.4, s.key_interval = 4, s.frames = 3;
    s.change = [](std::vector<Particle> &p, auto &) {
      for (std::size_t i = 0; i < p.size(); ++i) p[i].velocity = p[i - i % 3].velocity;
    };
  });
  add("open", [](Sample &s) { s.periodic = false, s.key_interval = 3, s.frames = 4; });
  add("two-dimensions", [](Sample &s) { s.dimension = 2, s.structure = Structure::crystal, s.particles = 144; });
  add("gas", [](Sample &s) { s.structure = Structure::gas; });
  add("doubled", [&](Sample &s) {
    s.particles = 2100;
    s.change = [](std::vector<Particle> &p, auto &random) {
      for (std::size_t i = 0; i < 1000; ++i) p[i].id = static_cast<std::int64_t>(random() % 300);
    };
  });
  add("one-id", [](Sample &s) {
    s.change = [](std::vector<Particle> &p, auto &) {
      for (Particle &a : p) a.id = -7;
    };
  });
  add("far-ids", [](Sample &s) {
    s.change = [](std::vector<Particle> &p, auto &) {
      for (Particle &a : p) a.id += a.id < 500 ? std::numeric_limits<std::int64_t>::min() : a.id < 900 ? -800 : 0;
      for (std::size_t i = 0; i < 300; ++i) p[p.size() - 1 - i].id = std::numeric_limits<std::int64_t>::max() - i;
    };
  });
  add("special", [](Sample &s) {
    s.beyond = 0.4, s.key_interval = 3, s.frames = 5;
    s.change = [](std::vector<Particle> &p, auto &random) {
      const double values[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e30, -0.0, 1e9, 1e-40, 4e14};
      for (std::size_t k = 0; k < 60; ++k) p[random() % p.size()].position[2] = values[k % 8];
      for (std::size_t k = 0; k < 10; ++k) p[random() % p.size()].velocity[k % 2] = values[k % 8];
    };
  });
  add("types-without-order", [](Sample &s) {
    s.change = [](std::vector<Particle> &p, auto &random) {
      for (Particle &a : p) a.type = static_cast<std::int64_t>(random() % (a.id > 900 ? 1u << 31 : 3));
      p[700].image[1] = std::int64_t{1} << 40;
    };
  });
  add("coarse", [](Sample &s) { s.bound = 0.4, s.beyond = 0.3; });
  add("coarser-than-the-box", [](Sample &s) { s.bound = 5; });
  add("fine", [](Sample &s) { s.bound = 1e-12; });
  add("lossless", [](Sample &s) { s.bound = 0, s.key_interval = 3, s.frames = 4; });
  add("one", [](Sample &s) { s.particles = 1; });
  add("two", [](Sample &s) { s.particles = 2; });
  add("few", [](Sample &s) { s.particles = 70, s.beyond = 0.4; });
  add("small", [](Sample &s) {
    s.structure = Structure::crystal, s.particles = 300, s.beyond = 0.5;
    s.change = [](std::vector<Particle> &p, auto &) {
      p.erase(p.begin() + 80, p.begin() + 93);
      p[60].position[2] = 1e30;
      p[71].position[1] = 1e9;
    };
  });
  const auto molecules = [](Sample &s) {
    s.effort = gpz::Effort::standard, s.structure = Structure::gas, s.particles = 2400, s.change = bind;
  };
  add("bonds", [&](Sample &s) { molecules(s), s.beyond = 0.3; });
  add("bonds-fine", [&](Sample &s) { molecules(s), s.bound = 1e-6, s.periodic = false; });
  add("bonds-coarse", [&](Sample &s) {
    molecules(s), s.bound = 0.05;
    s.change = [](std::vector<Particle> &p, auto &random) {
      bind(p, random);
      p[700].position[1] = 1e9;
      p[701].position[0] = std::nan("");
    };
  });
  add("bonds-in-segments", [&](Sample &s) { molecules(s), s.particles = 17000, s.frames = 1, s.beyond = 0.3; });
  add("modelled-crystal", [](Sample &s) {
    s.effort = gpz::Effort::standard, s.structure = Structure::crystal, s.particles = 1728, s.beyond = 0.5;
  });
  add("chunks", [&](Sample &s) { s.particles = 4000, s.chunks = 3, s.key_interval = 3, s.frames = 5; });
  return all;
}

}  // namespace

void write_ordered(const std::string &folder) {
  for (const Sample &sample : samples()) {
    write_sample<double>(folder + "/f64-" + sample.name + ".gpz", sample);
    write_sample<float>(folder + "/f32-" + sample.name + ".gpz", sample);
  }
}
