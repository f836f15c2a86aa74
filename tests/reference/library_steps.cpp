// SPDX-License-Identifier: BSD-3-Clause
#include "library_steps.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "codec_support.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace {

using Vector = std::array<double, 3>;

struct Events {
  std::string name;
  std::size_t particles = 1000;
  int frames = 6;
  double spring = 0;   // of each particle to its site, which makes a solid
  double kick = 0.05;  // distance units a frame, each frame
  double mixture = 1;  // how much faster the last particles are than the first ones
  double bound = 0.0005;
  unsigned key_interval = 100;
  Vector tilts{};         // xy, xz, yz
  bool open = false;      // one axis is not periodic
  bool exchange = false;  // some particles are away for some frames
  bool rest = false;      // no particle moves in every fourth frame
  bool far = false;       // a particle is far away for a frame
};

// Particles that move as they did, but for kicks and springs.
class Particles {
 public:
  explicit Particles(const Events &events) : events_(events), random_(events.name.size() + events.particles) {
    edges_.fill(std::cbrt(static_cast<double>(events.particles)) + 4);
    for (std::size_t i = 0; i < events.particles; ++i) {
      Vector site{}, velocity{};
      for (std::size_t d = 0; d < 3; ++d) site[d] = edges_[d] * random_.uniform();
      for (double &v : velocity) v = 0.05 * speed_of(i) * random_.uniform(-1, 1);
      site_.push_back(site);
      velocity_.push_back(velocity);
    }
    position_ = site_;
  }

  void move() {
    for (std::size_t i = 0; i < position_.size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        velocity_[i][d] += events_.kick * speed_of(i) * random_.uniform(-1, 1);
        velocity_[i][d] -= events_.spring * (position_[i][d] - site_[i][d]);
        position_[i][d] += velocity_[i][d];
      }
    }
  }

  // The image in the box.
  Vector inside(std::size_t i) const {
    const auto &[xy, xz, yz] = events_.tilts;
    const std::array<Vector, 3> edges{{{edges_[0], 0, 0}, {xy, edges_[1], 0}, {xz, yz, edges_[2]}}};
    Vector x = position_[i];
    for (std::size_t d = events_.open ? 2 : 3; d-- > 0;) {
      const double z = x[2] / edges_[2], y = (x[1] - yz * z) / edges_[1];
      const Vector low{xy * y + xz * z, yz * z, 0};
      const double turns = std::floor((x[d] - low[d]) / edges_[d]);
      for (std::size_t k = 0; k < 3; ++k) x[k] -= turns * edges[d][k];
    }
    return x;
  }

  gpz::Box box() const {
    gpz::Box box;
    const bool is_tilted = events_.tilts != Vector{};
    box.kind = is_tilted ? gpz::Box::Kind::triclinic : gpz::Box::Kind::orthogonal;
    box.dimension = 3;
    box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
    if (events_.open) box.boundary[4] = box.boundary[5] = 's';
    for (std::size_t d = 0; d < 3; ++d) {
      box.values[2 * d + 1] = edges_[d];
      box.values[6 + d] = events_.tilts[d];
    }
    return box;
  }

 private:
  double speed_of(std::size_t i) const {
    return std::pow(events_.mixture, static_cast<double>(i) / static_cast<double>(events_.particles));
  }

  Events events_;
  gpz::test::Random random_;
  Vector edges_{};
  std::vector<Vector> site_, position_, velocity_;
};

template <class Float>
void write(const std::string &path, const Events &events) {
  gpz::Metadata metadata;
  metadata.features = gpz::features_of(gpz::Effort::standard, gpz::Order::id, true);
  gpz::Writer(path, metadata).close();
  gpz::Writer writer(path, metadata, gpz::Writer::Mode::append);
  writer.set_key_interval(events.key_interval);
  writer.set_order(gpz::Order::id);
  writer.set_effort(gpz::Effort::standard);
  Particles particles(events);
  for (int frame = 0; frame < events.frames; ++frame) {
    if (frame > 0 && !(events.rest && frame % 4 == 3)) particles.move();
    std::vector<Float> position;
    std::vector<std::int64_t> id;
    for (std::size_t i = 0; i < events.particles; ++i) {
      if (events.exchange && (i + static_cast<std::size_t>(frame / 3)) % 41 == 0) continue;
      id.push_back(static_cast<std::int64_t>(i) + 1);
      const bool is_far = events.far && frame == 3 && i == events.particles / 2;
      for (const double x : particles.inside(i)) position.push_back(static_cast<Float>(x + (is_far ? 2e5 : 0)));
    }
    gpz::FrameInfo info;
    info.timestep = 10 * frame;
    info.particles = id.size();
    info.box = particles.box();
    std::vector<gpz::FieldInput> fields{gpz::test::field("x", position, 3, events.bound, true),
                                        gpz::test::field("id", id, 1, 0, false)};
    fields[1].field.components[0].name = "id";
    for (std::size_t d = 0; d < 3; ++d) fields[0].field.components[d].name = std::string(1, "xyz"[d]);
    writer.write(info, fields);
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
  add("liquid", [](Events &e) { e.frames = 24, e.key_interval = 20; });
  add("mixture", [](Events &e) { e.mixture = 5000; });
  add("solid", [](Events &e) { e.spring = 0.4, e.frames = 12; });
  add("open", [](Events &e) { e.open = true; });
  add("tilted", [](Events &e) { e.tilts = {2, -1.5, 3}, e.kick = 0.2; });
  add("exchange", [](Events &e) { e.exchange = true, e.frames = 22; });
  add("exchange-keys", [](Events &e) { e.exchange = true, e.frames = 11, e.key_interval = 5, e.spring = 0.1; });
  add("rest", [](Events &e) { e.rest = true, e.frames = 10; });
  add("far", [](Events &e) { e.far = true; });
  add("coarse", [](Events &e) { e.bound = 0.05; });
  add("fine", [](Events &e) { e.bound = 1e-9; });
  return all;
}

}  // namespace

void write_steps(const std::string &folder) {
  for (const Events &events : trajectories()) {
    write<double>(folder + "/f64-" + events.name + ".gpz", events);
    write<float>(folder + "/f32-" + events.name + ".gpz", events);
  }
}
