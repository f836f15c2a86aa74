// SPDX-License-Identifier: BSD-3-Clause
#include "particle_in_cell.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cloud_in_cell.hpp"
#include "parallel.hpp"

namespace gpz::bench::data {
namespace {

constexpr std::size_t box_edge = 32;
constexpr std::size_t cells_of_box = box_edge * box_edge * box_edge;
constexpr std::size_t rows_together = 64;  // of the mesh, for one thread

std::size_t boxes(std::size_t cells) { return (cells + box_edge - 1) / box_edge; }

// The nodes below and above a place along an axis, around the period.
struct Between {
  std::size_t low, high;
  float above;  // the share of the node above

  Between(const Cloud &cloud, std::size_t cells)
      : low(cloud.cell), high(low + 1 == cells ? 0 : low + 1), above(cloud.next) {}
  float share_of(std::size_t end) const { return end == 0 ? 1 - above : above; }
};

// The eight nodes around a place: node(i, j, k), each 0 (low) or 1 (high).
class Corners {
 public:
  Corners(const std::array<float, 3> &place, const std::array<std::size_t, 3> &cells)
      : x(Cloud(place[0]), cells[0]), y(Cloud(place[1]), cells[1]), z(Cloud(place[2]), cells[2]) {
    const std::size_t layer = cells[0] * cells[1];
    rows_ = {y.low * cells[0] + z.low * layer, y.high * cells[0] + z.low * layer, y.low * cells[0] + z.high * layer,
             y.high * cells[0] + z.high * layer};
  }
  std::size_t node(std::size_t i, std::size_t j, std::size_t k) const {
    return rows_[2 * k + j] + (i == 0 ? x.low : x.high);
  }

  Between x, y, z;

 private:
  std::array<std::size_t, 4> rows_{};
};

std::int32_t share_of_charge(std::int32_t charge, float share) {
  return static_cast<std::int32_t>(static_cast<float>(charge) * share);
}

// Halves of halves of halves: what one corner does not get the other does, so that no charge is lost.
void deposit_one(const Electron &electron, const Corners &corners, std::vector<std::int32_t> &density) {
  const std::int32_t high_z = share_of_charge(electron.charge, corners.z.above);
  for (const std::size_t k : {0U, 1U}) {
    const std::int32_t layer = k == 1 ? high_z : electron.charge - high_z;
    const std::int32_t high_y = share_of_charge(layer, corners.y.above);
    for (const std::size_t j : {0U, 1U}) {
      const std::int32_t row = j == 1 ? high_y : layer - high_y;
      const std::int32_t high_x = share_of_charge(row, corners.x.above);
      density[corners.node(0, j, k)] += row - high_x;
      density[corners.node(1, j, k)] += high_x;
    }
  }
}

}  // namespace

ParticleInCell::ParticleInCell(const std::array<std::size_t, 3> &cells, unsigned threads)
    : cells_(cells), threads_(threads), fft_(cells[0], cells[1], cells[2], threads), counts_(threads) {
  electron_density_.resize(node_count());
  ion_density_.resize(node_count());
  acceleration_.resize(node_count());
  potential_.resize(fft_.size());
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t k = 0; k < cells[d]; ++k) {
      const double sine = std::sin(M_PI * static_cast<double>(k) / static_cast<double>(cells[d]));
      waves_[d].push_back(static_cast<float>(-4 * sine * sine));
    }
}

// Calls work(begin, end, part) for as many parts of 0 .. count as there are threads.
template <class Work>
void ParticleInCell::in_parts(std::size_t count, const Work &work) {
  in_pieces(threads_, threads_, 1,
            [&](std::size_t part, std::size_t) { work(count * part / threads_, count * (part + 1) / threads_, part); });
}

void ParticleInCell::place_ions() {
  deposit();
  ion_density_ = electron_density_;
}

void ParticleInCell::deposit() {
  in_parts(electrons_.size(), [&](std::size_t begin, std::size_t end, std::size_t part) {
    std::vector<std::int32_t> &density = counts_[part];
    density.assign(node_count(), 0);
    for (std::size_t i = begin; i < end; ++i) deposit_one(electrons_[i], Corners(electrons_[i].place, cells_), density);
  });
  add_shares();
}

void ParticleInCell::add_shares() {
  in_pieces(threads_, node_count(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    std::fill(electron_density_.begin() + static_cast<std::ptrdiff_t>(begin),
              electron_density_.begin() + static_cast<std::ptrdiff_t>(end), 0);
    for (const std::vector<std::int32_t> &density : counts_)
      for (std::size_t node = begin; node < end; ++node) electron_density_[node] += density[node];
  });
}

// The potential solves Laplace(potential) = electrons - ions; its gradient is the acceleration of an electron, in units
// in which the plasma frequency of density 1 is 1.
void ParticleInCell::solve() {
  const auto [nx, ny, nz] = cells_;
  const std::size_t row = fft_.row();
  in_pieces(threads_, ny * nz, rows_together, [&, nx = nx](std::size_t begin, std::size_t end) {
    for (std::size_t line = begin; line < end; ++line)
      for (std::size_t x = 0; x < nx; ++x) {
        const std::size_t node = line * nx + x;
        potential_[line * row + x] = static_cast<float>(electron_density_[node] - ion_density_[node]) / unit_charge;
      }
  });
  fft_.forward(potential_.data());
  const float scale = 1 / static_cast<float>(node_count());
  in_pieces(threads_, ny * nz, rows_together, [&, nx = nx, ny = ny](std::size_t begin, std::size_t end) {
    for (std::size_t line = begin; line < end; ++line)
      for (std::size_t x = 0; x <= nx / 2; ++x) {
        const float laplacian = waves_[0][x] + waves_[1][line % ny] + waves_[2][line / ny];
        const float factor = laplacian < 0 ? scale / laplacian : 0;  // the mean of the potential means nothing
        potential_[line * row + 2 * x] *= factor;
        potential_[line * row + 2 * x + 1] *= factor;
      }
  });
  fft_.backward(potential_.data());
  in_pieces(threads_, ny * nz, rows_together, [&, nx = nx, ny = ny, nz = nz](std::size_t begin, std::size_t end) {
    for (std::size_t line = begin; line < end; ++line) {
      const std::size_t y = line % ny;
      const std::size_t z = line / ny;
      const auto line_at = [&, ny = ny, nz = nz](std::size_t j, std::size_t k) {
        return &potential_[((j & (ny - 1)) + ny * (k & (nz - 1))) * row];
      };
      const float *const here = line_at(y, z);
      const float *const left = line_at(y - 1, z);
      const float *const right = line_at(y + 1, z);
      const float *const below = line_at(y, z - 1);
      const float *const above = line_at(y, z + 1);
      for (std::size_t x = 0; x < nx; ++x)
        acceleration_[line * nx + x] = {(here[(x + 1) & (nx - 1)] - here[(x - 1) & (nx - 1)]) / 2,
                                        (right[x] - left[x]) / 2, (above[x] - below[x]) / 2, 0};
    }
  });
}

void ParticleInCell::step(double time) {
  solve();
  const auto dt = static_cast<float>(time);
  in_parts(electrons_.size(), [&](std::size_t begin, std::size_t end, std::size_t part) {
    std::vector<std::int32_t> &density = counts_[part];
    density.assign(node_count(), 0);
    for (std::size_t i = begin; i < end; ++i) {
      Electron &electron = electrons_[i];
      const Corners corners(electron.place, cells_);
      std::array<float, 3> acceleration{};
      for (const std::size_t k : {0U, 1U})
        for (const std::size_t j : {0U, 1U})
          for (const std::size_t l : {0U, 1U}) {
            const float share = corners.x.share_of(l) * corners.y.share_of(j) * corners.z.share_of(k);
            const Field &field = acceleration_[corners.node(l, j, k)];
            acceleration[0] += share * field.x;
            acceleration[1] += share * field.y;
            acceleration[2] += share * field.z;
          }
      for (std::size_t d = 0; d < 3; ++d) {
        electron.velocity[d] += dt * electron.mobility * acceleration[d];
        electron.place[d] = wrapped(electron.place[d] + dt * electron.velocity[d], static_cast<float>(cells_[d]));
      }
      deposit_one(electron, Corners(electron.place, cells_), density);
    }
  });
  add_shares();
}

std::uint32_t ParticleInCell::box_of(const Electron &electron) const {
  std::size_t box = 0;
  for (const std::size_t d : {2U, 1U, 0U})
    box = box * boxes(cells_[d]) + static_cast<std::size_t>(electron.place[d]) / box_edge;
  return static_cast<std::uint32_t>(box);
}

std::uint32_t ParticleInCell::cell_key(const Electron &electron) const {
  std::size_t key = box_of(electron);
  for (const std::size_t d : {2U, 1U, 0U})
    key = key * box_edge + static_cast<std::size_t>(electron.place[d]) % box_edge;
  return static_cast<std::uint32_t>(key);
}

// Turns the numbers of electrons of each key and part into the places where the first of them go.
void ParticleInCell::begin_of_keys(std::size_t keys) {
  constexpr std::size_t together = 1 << 14;
  std::vector<std::int32_t> before((keys + together - 1) / together + 1);
  in_pieces(threads_, keys, together, [&](std::size_t begin, std::size_t end) {
    std::int32_t sum = 0;
    for (const std::vector<std::int32_t> &count : counts_)
      for (std::size_t key = begin; key < end; ++key) sum += count[key];
    before[begin / together + 1] = sum;
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  in_pieces(threads_, keys, together, [&](std::size_t begin, std::size_t end) {
    std::int32_t next = before[begin / together];
    for (std::size_t key = begin; key < end; ++key)
      for (std::vector<std::int32_t> &count : counts_) next += std::exchange(count[key], next);
  });
}

// Stable: electrons of one key stay in their order. key(electron, its index) is below `keys`.
template <class Key>
void ParticleInCell::counting_sort(std::size_t keys, const Key &key) {
  in_parts(electrons_.size(), [&](std::size_t begin, std::size_t end, std::size_t part) {
    std::vector<std::int32_t> &count = counts_[part];
    count.assign(keys, 0);
    for (std::size_t i = begin; i < end; ++i) ++count[key(electrons_[i], i)];
  });
  begin_of_keys(keys);
  sorted_.resize(electrons_.size());
  in_parts(electrons_.size(), [&](std::size_t begin, std::size_t end, std::size_t part) {
    std::vector<std::int32_t> &next = counts_[part];
    for (std::size_t i = begin; i < end; ++i)
      sorted_[static_cast<std::size_t>(next[key(electrons_[i], i)]++)] = electrons_[i];
  });
  electrons_.swap(sorted_);
}

void ParticleInCell::sort_by_cell() {
  const std::size_t box_count = boxes(cells_[0]) * boxes(cells_[1]) * boxes(cells_[2]);
  counting_sort(box_count * cells_of_box, [&](const Electron &electron, std::size_t) { return cell_key(electron); });
  // Where the next electron of the last cell would go.
  box_ends_.resize(box_count);
  for (std::size_t box = 0; box < box_count; ++box)
    box_ends_[box] = static_cast<std::size_t>(counts_.back()[(box + 1) * cells_of_box - 1]);
}

void ParticleInCell::redistribute() {
  counting_sort(2 * box_ends_.size(), [&](const Electron &electron, std::size_t i) {
    const std::uint32_t box = box_of(electron);
    const bool stayed = i < box_ends_[box] && (box == 0 || i >= box_ends_[box - 1]);
    return 2 * box + (stayed ? 0 : 1);
  });
}

std::int64_t ParticleInCell::deposited_charge() const {
  return std::accumulate(electron_density_.begin(), electron_density_.end(), std::int64_t{0});
}

double ParticleInCell::field_energy() const {
  double sum = 0;
  for (const Field &field : acceleration_)
    sum += static_cast<double>(field.x * field.x + field.y * field.y + field.z * field.z);
  return sum / 2;
}

}  // namespace gpz::bench::data
