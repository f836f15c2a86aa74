// SPDX-License-Identifier: BSD-3-Clause
// Cell chunks of crystals: found, smaller than without a lattice, and whole, whatever is wrong with the crystal.
#include "cell_support.hpp"
#include "gpz/codec/cell_tree.hpp"
#include "gpz/crystal/site_set.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/rows.hpp"

namespace gpz::test::cell_lattice_test {
namespace {

using Point = std::array<double, 3>;

struct Structure {
  std::string name;
  Point edges;  // of an orthogonal cell
  std::vector<Point> basis;
  int components = 3;
};

const std::vector<Structure> &structures() {
  static const std::vector<Structure> all{
      {"simple cubic", {1, 1, 1}, {{0, 0, 0}}},
      {"bcc", {1.2, 1.2, 1.2}, {{0, 0, 0}, {.5, .5, .5}}},
      {"fcc", {1.6, 1.6, 1.6}, {{0, 0, 0}, {.5, .5, 0}, {.5, 0, .5}, {0, .5, .5}}},
      {"hcp", {1, 1.7320508, 1.6329932}, {{0, 0, 0}, {.5, .5, 0}, {0, 1. / 3, .5}, {.5, 5. / 6, .5}}},
      {"diamond",
       {2.3, 2.3, 2.3},
       {{0, 0, 0},
        {.5, .5, 0},
        {.5, 0, .5},
        {0, .5, .5},
        {.25, .25, .25},
        {.75, .75, .25},
        {.75, .25, .75},
        {.25, .75, .75}}},
      {"square", {1, 1, 1}, {{0, 0, 0}}, 2},
      {"hexagonal", {1, 1.7320508, 1}, {{0, 0, 0}, {.5, .5, 0}}, 2},
  };
  return all;
}

double normal(Random &random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum - 6;
}

// `cells` in each direction, in a periodic box that begins at `low`; `motion` in units of the distance.
template <typename T>
Cloud<T> crystal(const Structure &structure, int cells, double motion, double low, Random &random,
                 bool wrapped = true) {
  Cloud<T> cloud;
  cloud.components = structure.components;
  cloud.box.kind = Box::Kind::orthogonal;
  cloud.box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
  for (std::size_t d = 0; d < 3; ++d) {
    cloud.box.values[2 * d] = low;
    cloud.box.values[2 * d + 1] = low + structure.edges[d] * cells;
  }
  for (int k = 0; k < (structure.components == 3 ? cells : 1); ++k)
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i)
        for (const Point &site : structure.basis) {
          const int cell[3] = {i, j, k};
          Point x;
          for (std::size_t d = 0; d < 3; ++d) {
            x[d] = low + (cell[d] + site[d]) * structure.edges[d] + motion * normal(random);
            const double length = structure.edges[d] * cells;
            if (wrapped) x[d] -= std::floor((x[d] - low) / length) * length;
          }
          cloud.add(x);
        }
  cloud.shuffle(random);
  return cloud;
}

template <typename T>
bool uses_lattice(const Cloud<T> &cloud, const EncodedChunk &chunk) {
  expect_whole(cloud, chunk);
  return chunk.bytes[24] == 7;  // behind the lengths of two sections
}

// Bits a particle of the places, without a lattice.
template <typename T>
double halved_bits(const Cloud<T> &cloud) {
  Cloud<T> open = cloud;
  trajectory::Indices indices;
  double error = 0;
  trajectory::Rows rows(cloud.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
  std::vector<FieldInput> fields = open.inputs();
  format::prepare_fields(fields, cloud.size());
  indices.load(fields[0], rows, nullptr, trajectory::ExactIndex::known, 1, error);
  std::vector<std::uint32_t> order;
  Bytes bytes;
  codec::encode_cells(indices.columns(static_cast<std::size_t>(cloud.components)), cloud.size(), cloud.components,
                      order, bytes);
  return static_cast<double>(bytes.size()) * 8 / static_cast<double>(cloud.size());
}

template <typename T>
double place_bits(const Cloud<T> &cloud, const EncodedChunk &chunk) {
  return static_cast<double>(format::load_little<std::uint64_t>(chunk.bytes.data() + 8)) * 8 /
         static_cast<double>(cloud.size());
}

TEST(CrystalCells, StructuresAreFound) {
  Random random(1);
  for (const Structure &structure : structures())
    for (const bool wrapped : {true, false})
      for (const double motion : {0.01, 0.04}) {
        const int cells = structure.components == 2 ? 40 : structure.basis.size() > 4 ? 8 : 12;
        const auto cloud = crystal<double>(structure, cells, motion, -3.3, random, wrapped);
        const EncodedChunk chunk = cell_chunk(cloud);
        EXPECT_TRUE(uses_lattice(cloud, chunk)) << structure.name << ' ' << motion << ' ' << wrapped;
        // Independent normal deviations, to 0.002, and the description of the lattice.
        const double least = structure.components * std::log2(motion * std::sqrt(2 * M_PI * std::exp(1.0)) / 0.002);
        EXPECT_LT(place_bits(cloud, chunk), least + 0.3 + 8000.0 / static_cast<double>(cloud.size())) << structure.name;
        EXPECT_GT(halved_bits(cloud), least + 1) << structure.name;
      }
}

TEST(CrystalCells, FloatsOpenBoxesAndParts) {
  Random random(2);
  for (const Structure &structure : structures()) {
    const int cells = structure.components == 2 ? 40 : structure.basis.size() > 4 ? 8 : 12;
    const auto floats = crystal<float>(structure, cells, 0.03, 0, random);
    EXPECT_TRUE(uses_lattice(floats, cell_chunk(floats))) << structure.name;
    auto open = crystal<double>(structure, cells, 0.03, 5, random, false);
    open.box.boundary = {'f', 'f', 's', 's', 'm', 'm'};
    EXPECT_TRUE(uses_lattice(open, cell_chunk(open))) << structure.name;
    // The particles of one rank.
    Cloud<double> part = crystal<double>(structure, 2 * cells, 0.03, 5, random);
    Cloud<double> rank;
    rank.components = part.components;
    rank.box = part.box;
    for (std::size_t i = 0; i < part.size(); ++i) {
      Point x{};
      bool inside = true;
      for (std::size_t d = 0; d < static_cast<std::size_t>(part.components); ++d) {
        x[d] = part.positions[i * static_cast<std::size_t>(part.components) + d];
        inside = inside && x[d] < 5.123 + structure.edges[d] * cells;
      }
      if (inside) rank.add(x);
    }
    const EncodedChunk chunk = cell_chunk(rank);
    expect_whole(rank, chunk);
    EXPECT_LT(place_bits(rank, chunk), halved_bits(rank)) << structure.name;
  }
}

TEST(CrystalCells, Turned) {
  Random random(3);
  const auto whole = crystal<double>(structures()[2], 20, 0.03, 0, random);
  Cloud<double> turned;
  turned.box.boundary = {'f', 'f', 'f', 'f', 'f', 'f'};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double *const p = &whole.positions[3 * i];
    const Point q{0.8 * p[0] - 0.6 * p[1], 0.6 * p[0] + 0.8 * p[1], p[2]};
    const Point r{q[0], 0.96 * q[1] - 0.28 * q[2], 0.28 * q[1] + 0.96 * q[2]};
    if (std::fabs(r[0] - 4) < 7 && std::fabs(r[1] - 8) < 7 && std::fabs(r[2] - 20) < 7) turned.add(r);
  }
  ASSERT_GT(turned.size(), 1000u);
  EXPECT_TRUE(uses_lattice(turned, cell_chunk(turned)));
}

TEST(CrystalCells, Defects) {
  Random random(4);
  for (const Structure &structure : structures()) {
    auto cloud = crystal<double>(structure, structure.components == 2 ? 40 : 10, 0.03, 0, random);
    Cloud<double> defective;
    defective.components = cloud.components;
    defective.box = cloud.box;
    const auto components = static_cast<std::size_t>(cloud.components);
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      Point x{};
      for (std::size_t d = 0; d < components; ++d) x[d] = cloud.positions[i * components + d];
      const std::uint64_t fate = random.below(100);
      if (fate == 0) continue;  // a vacancy
      defective.add(x);
      if (fate == 1) defective.add({x[0] + 0.3, x[1] + 0.2, x[2]});
      if (fate == 2) defective.add(x);
      if (fate == 3) defective.positions[defective.positions.size() - 1] += 0.4;
    }
    // A little outside, as LAMMPS leaves them, and what the grid cannot hold.
    for (std::size_t i = 0; i < 20; ++i)
      defective.positions[(defective.size() - 1 - i) * components] =
          cloud.box.values[1] + 0.01 * static_cast<double>(i);
    defective.positions[3] = std::nan("");
    const EncodedChunk chunk = cell_chunk(defective);
    expect_whole(defective, chunk);
    EXPECT_LE(place_bits(defective, chunk), halved_bits(defective) + 1) << structure.name;
  }
}

// Whatever the bound is, and where the grid is coarser than the crystal.
TEST(CrystalCells, AnyBound) {
  Random random(5);
  auto cloud = crystal<double>(structures()[2], 10, 0.03, -4, random);
  for (const double bound : {1e-9, 1e-6, 0.0001, 0.02, 0.1, 0.3, 1.0, 4.0, 8.0, 20.0}) {
    cloud.bound = bound;
    const EncodedChunk chunk = cell_chunk(cloud);
    expect_whole(cloud, chunk);
    EXPECT_LE(place_bits(cloud, chunk), halved_bits(cloud) + 0.5) << bound;
  }
}

// Where neighbours are two to five grid steps apart, only values tell of sites. Independent normal deviations of 0.03,
// rounded to steps of 0.2 to 0.6, take less than a bit a component; a lattice takes its description.
TEST(CrystalCells, CoarseGrids) {
  Random random(8);
  for (const Structure &structure : structures())
    for (const bool periodic : {true, false})
      for (const double bound : {0.1, 0.2, 0.3}) {
        const int cells = structure.components == 2 ? 80 : structure.basis.size() > 4 ? 12 : 16;
        auto cloud = crystal<double>(structure, cells, 0.03, -0.7, random, periodic);
        if (!periodic) cloud.box.boundary = {'f', 'f', 'f', 'f', 'f', 'f'};
        cloud.bound = bound;
        const EncodedChunk chunk = cell_chunk(cloud);
        EXPECT_TRUE(uses_lattice(cloud, chunk)) << structure.name << ' ' << periodic << ' ' << bound;
        const double bits = place_bits(cloud, chunk);
        EXPECT_LT(bits, structure.components + 8000.0 / static_cast<double>(cloud.size())) << structure.name << bound;
        EXPECT_LT(bits, 0.9 * halved_bits(cloud)) << structure.name << ' ' << periodic << ' ' << bound;
      }
}

// As a crystal lies in memory when it has just been made: every so manieth particle is in a few of its planes only.
TEST(CrystalCells, RowByRow) {
  Random random(9);
  for (const double low : {0.0, -0.1, 0.4, 0.81})
    for (const double bound : {0.001, 0.0077}) {
      auto cloud = crystal<double>(structures()[2], 20, 0.03, low, random);
      std::vector<std::size_t> row(cloud.size());  // of the particle with this tag, which counts sites
      for (std::size_t i = 0; i < row.size(); ++i) row[static_cast<std::size_t>(cloud.tags[i])] = i;
      auto sorted = cloud;
      for (std::size_t i = 0; i < row.size(); ++i) {
        std::copy_n(cloud.positions.begin() + static_cast<std::ptrdiff_t>(3 * row[i]), 3,
                    sorted.positions.begin() + static_cast<std::ptrdiff_t>(3 * i));
        sorted.tags[i] = cloud.tags[row[i]];
      }
      sorted.box.values = {0, 32, 0, 32, 0, 32};
      for (double &x : sorted.positions) x -= std::floor(x / 32) * 32;
      sorted.bound = bound;
      EXPECT_TRUE(uses_lattice(sorted, cell_chunk(sorted))) << low << ' ' << bound;
    }
}

TEST(CrystalCells, NoCrystal) {
  Random random(6);
  Cloud<double> cloud;
  for (int i = 0; i < 5000; ++i) cloud.add({random.uniform(), random.uniform(), random.uniform()});
  EXPECT_FALSE(uses_lattice(cloud, cell_chunk(cloud)));
}

// Damaged bytes are values or an error.
TEST(CrystalCells, Damage) {
  Random random(7);
  const auto cloud = crystal<double>(structures()[2], 6, 0.03, 0, random);
  const EncodedChunk chunk = cell_chunk(cloud);
  ASSERT_TRUE(uses_lattice(cloud, chunk));
  const std::size_t section = 24;
  const auto length = static_cast<std::size_t>(format::load_little<std::uint64_t>(chunk.bytes.data() + 8));
  std::size_t refused = 0;
  const auto read = [&](const Bytes &bytes) {
    Frame frame = frame_for(cloud.inputs());
    const Status status = status_of([&] { decode_chunk(bytes.data(), bytes.size(), chunk.particles, frame); });
    EXPECT_TRUE(status == Status::ok || status == Status::corrupt) << static_cast<int>(status);
    refused += status == Status::ok ? 0 : 1;
  };
  for (std::size_t at = section; at < section + length; ++at)
    for (const std::uint64_t change : {1 + random.below(255), std::uint64_t{1} << random.below(8)}) {
      Bytes damaged = chunk.bytes;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ change);
      read(damaged);
    }
  EXPECT_GT(refused, 200u);
  for (int round = 0; round < 3000; ++round) {
    Bytes damaged = chunk.bytes;
    for (std::uint64_t k = 0; k < 1 + random.below(8); ++k)
      damaged[section + random.below(420)] =
          static_cast<std::uint8_t>(random.below(2) == 0 ? random.below(3) * 255 : random.bits());
    read(damaged);
  }
}

}  // namespace
}  // namespace gpz::test::cell_lattice_test
