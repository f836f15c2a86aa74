// SPDX-License-Identifier: BSD-3-Clause
#include "library_cells.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace {

using gpz::ConstArray;
using gpz::ValueType;

enum class Structure { gas, clusters, points, fcc, diamond, square };

struct Sample {
  std::string name;
  Structure structure = Structure::gas;
  int particles = 700;  // crystals have about so many
  int dimension = 3;
  double bound = 0.001;
  bool periodic = true;
  bool special = false;  // values that the grid cannot hold
  bool faulty = false;   // crystals with vacancies, interstitials and particles a little outside
};

using Point = std::array<double, 3>;
constexpr double low = -3;

class Source {
 public:
  explicit Source(const Sample &sample) : sample_(sample), random_(sample.name.size()) {
    switch (sample.structure) {
      case Structure::gas:
        for (int i = 0; i < sample.particles; ++i) add({anywhere(), anywhere(), anywhere()});
        break;
      case Structure::clusters:
        for (Point middle{}; static_cast<int>(points_.size()) < sample.particles;) {
          if (points_.size() % 40 == 0) middle = {anywhere(), anywhere(), anywhere()};
          add({middle[0] + near(), middle[1] + near(), middle[2]});
        }
        break;
      case Structure::points:
        for (int i = 0; i < sample.particles; ++i) add({1, 2, i % 100 == 0 ? 3.0 : -5.0});
        break;
      case Structure::fcc:
        crystal({{0, 0, 0}, {.5, .5, 0}, {.5, 0, .5}, {0, .5, .5}}, 1.6);
        break;
      case Structure::diamond:
        crystal({{0, 0, 0},
                 {.5, .5, 0},
                 {.5, 0, .5},
                 {0, .5, .5},
                 {.25, .25, .25},
                 {.75, .75, .25},
                 {.75, .25, .75},
                 {.25, .75, .75}},
                2.4);
        break;
      case Structure::square:
        crystal({{0, 0, 0}}, 1);
        break;
    }
  }

  const std::vector<Point> &points() const { return points_; }
  double length() const { return length_; }

 private:
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  double anywhere() { return uniform(low, low + length_); }
  double near() { return uniform(-0.02, 0.02); }
  void add(const Point &x) { points_.push_back(x); }

  void crystal(const std::vector<Point> &basis, double edge) {
    const double cells_of = static_cast<double>(sample_.particles) / static_cast<double>(basis.size());
    const int cells = static_cast<int>(std::ceil(std::pow(cells_of, 1.0 / sample_.dimension)));
    length_ = cells * edge;
    for (int k = 0; k < (sample_.dimension == 3 ? cells : 1); ++k)
      for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i)
          for (const Point &site : basis)
            add_near({low + (i + site[0]) * edge, low + (j + site[1]) * edge, low + (k + site[2]) * edge});
  }
  void add_near(Point x) {
    const double fate = sample_.faulty ? uniform(0, 1) : 1;
    if (fate < 0.02) return;
    for (double &value : x) {
      value += uniform(-0.08, 0.08);
      if (value < low && fate > 0.1) value += length_;
    }
    add(x);
    if (fate < 0.04) add({x[0] + 0.3, x[1], x[2]});
    if (fate < 0.03) add(x);
  }

  Sample sample_;
  std::mt19937_64 random_;
  std::vector<Point> points_;
  double length_ = 14;
};

template <class Float>
void write_sample(const std::string &path, const Sample &sample) {
  const Source source(sample);
  const std::size_t n = source.points().size();
  const auto dimension = static_cast<std::size_t>(sample.dimension);
  std::vector<Float> places;
  std::vector<Float> speeds;
  std::vector<std::int64_t> types;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < dimension; ++d) places.push_back(static_cast<Float>(source.points()[i][d]));
    speeds.push_back(static_cast<Float>(0.1 * static_cast<double>(i % 17)));
    types.push_back(static_cast<std::int64_t>(i % 3));
  }
  using Limits = std::numeric_limits<Float>;
  const std::array<Float, 4> specials{Limits::quiet_NaN(), -Limits::infinity(), Limits::max(), Limits::lowest()};
  for (std::size_t i = 0; sample.special && i < 12; ++i) places[i * i * 7] = specials[i % specials.size()];

  const auto real = sizeof(Float) == 4 ? ValueType::float32 : ValueType::float64;
  const auto array = sizeof(Float) == 4 ? ConstArray::Type::float32 : ConstArray::Type::float64;
  std::vector<gpz::FieldInput> fields(3);
  fields[0].field.type = fields[1].field.type = real;
  fields[0].field.bound = sample.bound;
  fields[0].field.leading = true;
  const char *const names[] = {"x", "y", "z"};
  for (std::size_t d = 0; d < dimension; ++d) {
    fields[0].field.components.push_back({names[d], static_cast<std::uint16_t>(d)});
    fields[0].components[d] = {places.data() + d, static_cast<std::ptrdiff_t>(sizeof(Float) * dimension), array};
  }
  fields[1].field.bound = 0.01;
  fields[1].field.components.push_back({"vx", 3});
  fields[1].components[0] = {speeds.data(), sizeof(Float), array};
  fields[2].field.type = ValueType::integer;
  fields[2].field.components.push_back({"type", 4});
  fields[2].components[0] = {types.data(), sizeof(std::int64_t), ConstArray::Type::int64};

  gpz::Writer writer(path, {});
  writer.set_order(gpz::Order::place);  // without ids
  writer.set_effort(gpz::Effort::dense);
  gpz::FrameInfo info;
  info.particles = n;
  info.box.dimension = sample.dimension == 2 ? 2 : 3;
  info.box.kind = gpz::Box::Kind::orthogonal;
  info.box.boundary.fill(sample.periodic ? 'p' : 's');
  for (std::size_t d = 0; d < 3; ++d) {
    info.box.values[2 * d] = low;
    info.box.values[2 * d + 1] = low + source.length();
  }
  for (int frame = 0; frame < 2; ++frame) {
    writer.write(info, fields);
    info.timestep += 10;
  }
  writer.close();
}

}  // namespace

void write_cells(const std::string &folder) {
  const std::vector<Sample> samples{
      {"gas"},
      {"gas-coarse", Structure::gas, 1500, 3, 0.4},
      {"gas-fine", Structure::gas, 300, 3, 1e-12},
      {"gas-special", Structure::gas, 700, 3, 0.001, true, true},
      {"gas-2d", Structure::gas, 500, 2, 0.01},
      {"gas-1d", Structure::gas, 500, 1, 0.01},
      {"clusters", Structure::clusters},
      {"points", Structure::points, 500},
      {"fcc", Structure::fcc, 800},
      {"fcc-coarse", Structure::fcc, 800, 3, 0.03},
      {"fcc-faulty", Structure::fcc, 800, 3, 0.001, true, true, true},
      {"fcc-open", Structure::fcc, 800, 3, 0.001, false, false, true},
      {"diamond", Structure::diamond, 1000},
      {"square", Structure::square, 900, 2},
  };
  for (const Sample &sample : samples) {
    write_sample<double>(folder + "/f64-" + sample.name + ".gpz", sample);
    if (sample.bound > 1e-9) write_sample<float>(folder + "/f32-" + sample.name + ".gpz", sample);
  }
}
