// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of trajectories: a gas whose true values are known in every frame, files of it, and a comparison
// that finds particles by a number of their own, whatever their ids are.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codec_support.hpp"
#include "container_support.hpp"
#include "gpz/trajectory.hpp"

namespace gpz::test {

// One field of a frame with the values it was given: components of a particle next to each other.
struct Quantity {
  Field field;
  std::vector<double> real;
  std::vector<float> single;
  std::vector<std::int64_t> integer;

  FieldInput input() const {
    FieldInput out;
    out.field = field;
    const std::size_t count = field.components.size();
    const auto point = [&](const auto &values, ConstArray::Type type) {
      for (std::size_t d = 0; d < count; ++d)
        out.components[d] = {values.empty() ? nullptr : values.data() + d,
                             static_cast<std::ptrdiff_t>(sizeof(values[0]) * count), type};
    };
    if (field.type == ValueType::integer) point(integer, ConstArray::Type::int64);
    if (field.type == ValueType::float32) point(single, ConstArray::Type::float32);
    if (field.type == ValueType::float64) point(real, ConstArray::Type::float64);
    return out;
  }
  void add(double value) {
    if (field.type == ValueType::float32)
      single.push_back(static_cast<float>(value));
    else
      real.push_back(value);
  }
};

struct Snapshot {
  FrameInfo info;
  std::vector<Quantity> quantities;

  std::vector<FieldInput> inputs() const {
    std::vector<FieldInput> out;
    for (const Quantity &quantity : quantities) out.push_back(quantity.input());
    return out;
  }
  Quantity &named(const std::string &name) {
    for (Quantity &quantity : quantities)
      if (quantity.field.components[0].name == name) return quantity;
    throw std::out_of_range(name);
  }
  const std::vector<std::int64_t> &integers(const std::string &name) const {
    return const_cast<Snapshot *>(this)->named(name).integer;
  }
};

struct Style {
  ValueType type = ValueType::float64;
  std::size_t dimension = 3;
  double bound = 0.001;  // 0: lossless
  bool scaled = false;
  bool images = true;
  bool velocities = true;
  bool tags = true;
};

// Particles that fly and are pushed a little, in a periodic box.
class Gas {
 public:
  struct Particle {
    std::int64_t tag;
    std::int64_t id;
    double position[3];  // in units of the edges, not brought back
    double speed[3];
  };
  std::vector<Particle> particles;
  Box box;
  Random random;

  explicit Gas(std::size_t n, std::uint64_t seed = 1) : random(seed) {
    box.kind = Box::Kind::orthogonal;
    box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
    box.values = {-1, 9, 0, 12, 2, 10};
    add(n);
  }

  void add(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      Particle p{++tags_, tags_, {}, {}};
      for (int d = 0; d < 3; ++d) {
        p.position[d] = random.uniform();
        p.speed[d] = random.uniform(-0.01, 0.01);
      }
      particles.push_back(p);
    }
  }
  void move() {
    ++frame_;
    for (Particle &p : particles)
      for (int d = 0; d < 3; ++d) {
        p.speed[d] += random.uniform(-0.001, 0.001);
        p.position[d] += p.speed[d];
      }
  }
  void shuffle() {
    for (std::size_t i = particles.size(); i > 1; --i) std::swap(particles[i - 1], particles[random.below(i)]);
  }
  // Each one leaves with this probability.
  void thin(double probability) {
    particles.erase(std::remove_if(particles.begin(), particles.end(),
                                   [&](const Particle &) { return random.uniform() < probability; }),
                    particles.end());
  }

  Snapshot snapshot(const Style &style = {}) const {
    Snapshot out;
    out.info.particles = particles.size();
    out.info.timestep = 100 * frame_;
    out.info.time = 0.1 * static_cast<double>(frame_);
    out.info.box = box;
    Quantity position = quantity(style.type, style.dimension, {"x", "y", "z"}, style.bound);
    position.field.leading = true;
    if (style.scaled)
      for (auto &component : position.field.components) component.name += 's';
    Quantity id = quantity(ValueType::integer, 1, {"id"}, 0);
    Quantity tag = quantity(ValueType::integer, 1, {"tag"}, 0);
    Quantity image = quantity(ValueType::integer, style.dimension, {"ix", "iy", "iz"}, 0);
    Quantity velocity = quantity(ValueType::float32, 3, {"vx", "vy", "vz"}, 0.0005);
    Quantity charge = quantity(ValueType::float64, 1, {"q"}, 0);
    const auto &b = box.values;
    for (const Particle &p : particles) {
      double inside[3];
      double flag[3];
      for (int d = 0; d < 3; ++d) {
        flag[d] = std::floor(p.position[d]);
        inside[d] = p.position[d] - flag[d];
      }
      const double x[3] = {b[0] + (b[1] - b[0]) * inside[0] + b[6] * inside[1] + b[7] * inside[2],
                           b[2] + (b[3] - b[2]) * inside[1] + b[8] * inside[2], b[4] + (b[5] - b[4]) * inside[2]};
      for (std::size_t d = 0; d < style.dimension; ++d) {
        position.add(style.scaled ? inside[d] : x[d]);
        image.integer.push_back(static_cast<std::int64_t>(flag[d]));
      }
      for (const double v : p.speed) velocity.add(v);
      id.integer.push_back(p.id);
      tag.integer.push_back(p.tag);
      charge.add(p.tag % 2 == 0 ? 0.5 : -0.1);
    }
    out.quantities = {position, id};
    if (style.tags) out.quantities.push_back(tag);
    if (style.images) out.quantities.push_back(image);
    if (style.velocities) {
      out.quantities.push_back(velocity);
      out.quantities.push_back(charge);
    }
    std::uint16_t column = 0;
    for (Quantity &q : out.quantities)
      for (auto &component : q.field.components) component.column = column++;
    return out;
  }

 private:
  static Quantity quantity(ValueType type, std::size_t dimension, const std::vector<const char *> &names,
                           double bound) {
    Quantity out;
    out.field.type = type;
    out.field.bound = bound;
    for (std::size_t d = 0; d < dimension; ++d) out.field.components.push_back({names[d], 0});
    return out;
  }

  std::int64_t tags_ = 0;
  std::int64_t frame_ = 0;
};

template <typename Change>
std::vector<Snapshot> trajectory(Gas &gas, int frames, const Style &style, const Change &change) {
  std::vector<Snapshot> out;
  for (int f = 0; f < frames; ++f) {
    if (f > 0) gas.move();
    change(f);
    out.push_back(gas.snapshot(style));
  }
  return out;
}
inline std::vector<Snapshot> trajectory(std::size_t n, int frames, const Style &style = {}) {
  Gas gas(n, n + 7);
  return trajectory(gas, frames, style, [&](int) { gas.shuffle(); });
}

inline void write_all(Writer &writer, const std::vector<Snapshot> &snapshots) {
  for (const Snapshot &snapshot : snapshots) writer.write(snapshot.info, snapshot.inputs());
}
inline Bytes file_of(const std::vector<Snapshot> &snapshots, unsigned key_interval, int threads = 1,
                     bool with_index = true, Order order = Order::place) {
  const TemporaryFile file;
  Writer writer(file.path(), small_metadata(), Writer::Mode::create, threads);
  writer.set_key_interval(key_interval);
  writer.set_order(order);
  writer.set_effort(Effort::fast);
  write_all(writer, snapshots);
  if (with_index) writer.close();
  return file.bytes();
}

// Particles leave and arrive; in 3 frames of 4 they have another order in memory.
inline Bytes chained_file(int frames, unsigned interval, bool with_index = true, std::size_t particles = 150) {
  Gas gas(particles);
  return file_of(trajectory(gas, frames, {},
                            [&](int f) {
                              if (f % 4 != 0) gas.shuffle();
                              gas.thin(0.02);
                              gas.add(3);
                            }),
                 interval, 1, with_index);
}

// Row of each particle of the snapshot in the frame; fewer than there are particles if one is missing.
inline std::vector<std::size_t> rows_in(const Snapshot &truth, const Frame &frame, const std::string &by) {
  std::unordered_map<std::int64_t, std::size_t> row;
  const Frame::Column *column = frame.find(by);
  for (std::size_t i = 0; column != nullptr && i < column->integers.size(); ++i) row[column->integers[i]] = i;
  std::vector<std::size_t> out;
  for (const std::int64_t number : truth.integers(by)) {
    const auto found = row.find(number);
    if (found == row.end()) return {};
    out.push_back(found->second);
  }
  return out;
}

template <typename T>
bool holds(T given, double decoded, double bound) {
  const T value = static_cast<T>(decoded);
  return bound == 0 ? std::memcmp(&given, &value, sizeof given) == 0 : within(given, decoded, bound);
}

// Every value within its bound of the true one, integers and lossless values bit for bit.
inline void expect_true(const Snapshot &truth, const Frame &frame, const std::string &by = "tag") {
  ASSERT_EQ(frame.info.particles, truth.info.particles);
  EXPECT_EQ(frame.info.timestep, truth.info.timestep);
  ASSERT_EQ(frame.info.fields.size(), truth.quantities.size());
  const std::size_t n = truth.info.particles;
  const std::vector<std::size_t> rows = rows_in(truth, frame, by);
  ASSERT_EQ(rows.size(), n) << "particles are missing";
  for (const Frame::Column &column : frame.columns) {
    const Quantity &q = truth.quantities[column.field];
    const std::size_t count = q.field.components.size();
    std::size_t wrong = 0;
    double largest = 0;
    ASSERT_EQ(column.integers.size() + column.floats.size(), n) << frame.name(column);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * count + column.component;
      bool right = false;
      if (q.field.type == ValueType::integer) {
        right = column.integers[rows[i]] == q.integer[at];
      } else {
        const double value = column.floats[rows[i]];
        const double given = q.field.type == ValueType::float32 ? static_cast<double>(q.single[at]) : q.real[at];
        right = q.field.type == ValueType::float32 ? holds(q.single[at], value, q.field.bound)
                                                   : holds(q.real[at], value, q.field.bound);
        if (std::isfinite(given)) largest = std::max(largest, std::fabs(value - given));
      }
      wrong += right ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0u) << "of " << n << " values of " << frame.name(column) << ", frame " << truth.info.timestep;
    EXPECT_LE(largest, frame.info.fields[column.field].largest_error * (1 + 1e-6)) << frame.name(column);
  }
}

inline void expect_round_trip(const std::vector<Snapshot> &snapshots, unsigned key_interval,
                              const std::string &by = "tag") {
  for (const Order order : {Order::place, Order::id}) {
    const Bytes bytes = file_of(snapshots, key_interval, 1, true, order);
    const Reader reader = reader_of(bytes);
    ASSERT_EQ(reader.frames(), snapshots.size());
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
      SCOPED_TRACE("frame " + std::to_string(i) + ", order " + std::to_string(static_cast<int>(order)));
      expect_true(snapshots[i], reader.read(i), by);
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace gpz::test
