// SPDX-License-Identifier: BSD-3-Clause
// The Fourier transform of the programs that make data, against a direct sum.
#include "fft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <stdexcept>
#include <vector>

#include "random.hpp"

namespace fft_test {
namespace {

using gpz::bench::data::Fft;

struct Mesh {
  std::size_t nx, ny, nz;
  std::size_t at(std::size_t x, std::size_t y, std::size_t z) const { return (z * ny + y) * (nx + 2) + x; }
};

std::vector<float> noise(const Mesh &mesh, std::size_t size) {
  gpz::bench::data::Random random(7);
  std::vector<float> values(size);
  for (std::size_t z = 0; z < mesh.nz; ++z)
    for (std::size_t y = 0; y < mesh.ny; ++y)
      for (std::size_t x = 0; x < mesh.nx; ++x) values[mesh.at(x, y, z)] = static_cast<float>(random.uniform(-1, 1));
  return values;
}

std::complex<double> direct(const Mesh &mesh, const std::vector<float> &values, std::size_t kx, std::size_t ky,
                            std::size_t kz) {
  const auto part = [](std::size_t k, std::size_t x, std::size_t n) {
    return static_cast<double>(k * x % n) / static_cast<double>(n);
  };
  std::complex<double> sum;
  for (std::size_t z = 0; z < mesh.nz; ++z)
    for (std::size_t y = 0; y < mesh.ny; ++y)
      for (std::size_t x = 0; x < mesh.nx; ++x)
        sum += static_cast<double>(values[mesh.at(x, y, z)]) *
               std::polar(1.0, -2 * M_PI * (part(kx, x, mesh.nx) + part(ky, y, mesh.ny) + part(kz, z, mesh.nz)));
  return sum;
}

class BenchFft : public testing::TestWithParam<Mesh> {};

TEST_P(BenchFft, IsTheDirectSum) {
  const Mesh mesh = GetParam();
  const Fft fft(mesh.nx, mesh.ny, mesh.nz, 2);
  const std::vector<float> before = noise(mesh, fft.size());
  std::vector<float> waves = before;
  fft.forward(waves.data());
  for (std::size_t kz = 0; kz < mesh.nz; ++kz)
    for (std::size_t ky = 0; ky < mesh.ny; ++ky)
      for (std::size_t kx = 0; kx <= mesh.nx / 2; ++kx) {
        const std::complex<double> expected = direct(mesh, before, kx, ky, kz);
        EXPECT_NEAR(waves[mesh.at(2 * kx, ky, kz)], expected.real(), 1e-4) << kx << " " << ky << " " << kz;
        EXPECT_NEAR(waves[mesh.at(2 * kx + 1, ky, kz)], expected.imag(), 1e-4) << kx << " " << ky << " " << kz;
      }
}

TEST_P(BenchFft, GoesBackWithAnyNumberOfThreads) {
  const Mesh mesh = GetParam();
  const Fft fft(mesh.nx, mesh.ny, mesh.nz, 1);
  const Fft fft3(mesh.nx, mesh.ny, mesh.nz, 3);
  const std::vector<float> before = noise(mesh, fft.size());
  std::vector<float> after = before;
  fft.forward(after.data());
  fft.backward(after.data());
  std::vector<float> after3 = before;
  fft3.forward(after3.data());
  fft3.backward(after3.data());
  const auto points = static_cast<float>(mesh.nx * mesh.ny * mesh.nz);
  for (std::size_t z = 0; z < mesh.nz; ++z)
    for (std::size_t y = 0; y < mesh.ny; ++y)
      for (std::size_t x = 0; x < mesh.nx; ++x) {
        EXPECT_NEAR(after[mesh.at(x, y, z)] / points, before[mesh.at(x, y, z)], 1e-6);
        EXPECT_EQ(after[mesh.at(x, y, z)], after3[mesh.at(x, y, z)]);
      }
}

INSTANTIATE_TEST_SUITE_P(Edges, BenchFft,
                         testing::Values(Mesh{16, 16, 16}, Mesh{32, 8, 4}, Mesh{4, 32, 1}, Mesh{2, 2, 64},
                                         Mesh{64, 1, 1}));

TEST(BenchFftEdges, AreChecked) {
  EXPECT_THROW(Fft(12, 4, 4, 1), std::invalid_argument);
  EXPECT_THROW(Fft(1, 4, 4, 1), std::invalid_argument);
  EXPECT_THROW(Fft(4, 0, 4, 1), std::invalid_argument);
}

}  // namespace
}  // namespace fft_test
