// SPDX-License-Identifier: BSD-3-Clause
#include "library_modelled.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"
#include "matter.hpp"

namespace {

using gpz::test::Matter;

// What is written of some matter.
struct Events {
  std::string name;
  std::function<std::unique_ptr<Matter>()> matter;
  std::function<void(Matter &)> move;
  int frames = 5;
  gpz::Order order = gpz::Order::place;
  std::uint32_t features = gpz::feature::known;  // that the file may name
  double bound = 0.001;
  double velocity_bound = 0.01;
  unsigned key_interval = 100;
  bool velocities = true;
  bool exchange = false;  // some particles are away for some frames
  bool open = false;      // nothing says that the box is periodic
  bool special = false;   // values that no grid holds, and particles that jump far
  double late = 0;        // how far particles may be outside the box before they are brought back
};

template <class Float>
struct Columns {
  std::vector<Float> position, velocity;
  std::vector<std::int64_t> id;
  std::vector<gpz::FieldInput> fields;

  Columns(const Events &events, const Matter &matter, int frame) {
    for (std::size_t i = 0; i < matter.position.size(); ++i) {
      const std::size_t away = (i * 2654435761u + static_cast<std::size_t>(frame / 2) * 40503) >> 4;
      if (events.exchange && away % 12 == 0) continue;
      id.push_back(static_cast<std::int64_t>(i) + 1);
      const gpz::test::Vector inside = matter.inside(i);
      for (std::size_t d = 0; d < matter.dimension; ++d) {
        double x = events.open ? matter.position[i][d] : inside[d];
        if (x < events.late && i % 2 == 0) x += matter.edges[d];
        if (x > matter.edges[d] - events.late && i % 3 == 0) x -= matter.edges[d];
        if (events.special && (i + static_cast<std::size_t>(frame)) % 307 == 0)
          x = std::array<double, 4>{std::nan(""), HUGE_VAL, 1e9, -3e7}[(i + d) % 4];
        position.push_back(static_cast<Float>(x));
        velocity.push_back(static_cast<Float>(matter.velocity[i][d]));
      }
    }
    const int dimension = static_cast<int>(matter.dimension);
    fields.push_back(gpz::test::field("x", position, dimension, events.bound, true));
    fields.push_back(gpz::test::field("id", id, 1, 0, false));
    fields[1].field.components[0].name = "id";
    for (std::size_t d = 0; d < matter.dimension; ++d) fields[0].field.components[d].name = std::string(1, "xyz"[d]);
    if (events.velocities) fields.push_back(gpz::test::field("v", velocity, dimension, events.velocity_bound, false));
  }
  Columns(const Columns &) = delete;
  Columns &operator=(const Columns &) = delete;
};

template <class Float>
void write(const std::string &path, const Events &events) {
  // A file that is continued keeps the features of its header.
  gpz::Metadata metadata;
  metadata.features = gpz::features_of(gpz::Effort::dense, events.order, true) & events.features;
  gpz::Writer(path, metadata).close();
  gpz::Writer writer(path, metadata, gpz::Writer::Mode::append);
  writer.set_key_interval(events.key_interval);
  writer.set_order(events.order);
  writer.set_effort(gpz::Effort::dense);
  const std::unique_ptr<Matter> matter = events.matter();
  for (int frame = 0; frame < events.frames; ++frame) {
    if (frame > 0) events.move(*matter);
    const Columns<Float> columns(events, *matter, frame);
    gpz::FrameInfo info;
    info.timestep = 10 * frame;
    info.particles = columns.id.size();
    if (!events.open) info.box = matter->box();
    writer.write(info, columns.fields);
  }
  writer.close();
}

Events particles(const char *name, std::size_t cells, double density, double temperature, int steps,
                 bool flat = false) {
  Events events;
  events.name = name;
  events.matter = [=] {
    auto matter = std::make_unique<gpz::test::LennardJones>(cells, density, temperature, cells, flat);
    matter->run(40);
    return matter;
  };
  events.move = [=](Matter &matter) { static_cast<gpz::test::LennardJones &>(matter).run(steps); };
  return events;
}
Events liquid(const char *name) { return particles(name, 5, 0.8, 1.0, 8); }
Events crystal(const char *name) { return particles(name, 5, 1.05, 0.1, 60); }

Events waters(const char *name, std::size_t others) {
  Events events;
  events.name = name;
  events.matter = [=] { return std::make_unique<gpz::test::Waters>(150, others, others + 1); };
  events.move = [](Matter &matter) { static_cast<gpz::test::Waters &>(matter).move(); };
  events.order = gpz::Order::id;
  events.features &= ~gpz::feature::steps;  // otherwise molecules are coded in steps
  events.bound = 0.005;
  return events;
}

std::vector<Events> trajectories() {
  std::vector<Events> all;
  const auto add = [&](Events events, const std::function<void(Events &)> &set = {}) {
    if (set) set(events);
    all.push_back(events);
  };
  const auto by_id = [](Events &e) { e.order = gpz::Order::id; };
  add(liquid("liquid"));
  add(liquid("liquid-id"), by_id);
  add(liquid("liquid-id-exchange"), [](Events &e) { e.exchange = true, e.order = gpz::Order::id, e.frames = 7; });
  add(particles("liquid-exchange", 5, 0.8, 1.0, 6),
      [](Events &e) { e.exchange = true, e.frames = 6, e.bound = 0.0003; });
  add(liquid("liquid-open"), [](Events &e) { e.open = true; });
  add(liquid("liquid-late"), [](Events &e) { e.late = 0.3; });
  add(liquid("liquid-coarse"), [](Events &e) { e.bound = 0.02; });
  add(liquid("liquid-keys"), [](Events &e) { e.key_interval = 4, e.frames = 8; });
  add(crystal("crystal"), [](Events &e) { e.frames = 7; });
  add(crystal("crystal-id"), by_id);
  add(crystal("crystal-exchange"), [](Events &e) { e.exchange = true, e.order = gpz::Order::id, e.frames = 7; });
  add(crystal("crystal-special"), [](Events &e) { e.special = true, e.late = 0.1; });
  add(particles("flat", 20, 0.8, 0.6, 6, true));
  add(particles("flat-exchange", 20, 0.8, 0.6, 6, true), [](Events &e) { e.exchange = true; });
  add(waters("waters", 0));
  add(waters("waters-others", 2));
  add(waters("waters-exchange", 0), [](Events &e) { e.exchange = true, e.frames = 7; });
  add(waters("waters-open", 1), [](Events &e) { e.open = true; });
  add(waters("waters-special", 1), [](Events &e) { e.special = true, e.late = 0.4; });
  return all;
}

}  // namespace

void write_modelled(const std::string &folder) {
  for (const Events &events : trajectories()) {
    write<double>(folder + "/f64-" + events.name + ".gpz", events);
    if (events.exchange) write<float>(folder + "/f32-" + events.name + ".gpz", events);
  }
}
