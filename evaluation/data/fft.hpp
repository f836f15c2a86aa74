// SPDX-License-Identifier: BSD-3-Clause
// Fourier transform of a periodic mesh of real numbers, in place and in threads.
#pragma once

#include <cstddef>
#include <vector>

namespace gpz::bench::data {

// A mesh of nx x ny x nz values, each edge a power of two, nx at least 2, the others 1 if there are fewer dimensions.
// In memory x is fastest, and a row of x takes row() = nx + 2 floats: the last two are free in real space. In wave
// space the row holds kx = 0 .. nx/2 as pairs (real part, imaginary part). Index i of y is ky = i up to ny/2, and i -
// ny above; index i of z is kz in the same manner.
class Fft {
 public:
  // Throws std::invalid_argument for other edges.
  Fft(std::size_t nx, std::size_t ny, std::size_t nz, unsigned threads);

  std::size_t row() const { return nx_ + 2; }
  std::size_t size() const { return row() * ny_ * nz_; }  // floats of a mesh

  // f(k) = sum of f(x) exp(-i k x), without a factor.
  void forward(float *mesh) const;
  // f(x) = sum of f(k) exp(i k x) over all waves, also without one: backward(forward(f)) is nx ny nz times f.
  void backward(float *mesh) const;

 private:
  void rows(float *mesh, bool forward) const;
  // Transforms all lines along y (or z): `lines` planes that begin `plane` floats after one another, in which the
  // elements of a line are `step` floats apart.
  void columns(float *mesh, std::size_t length, std::size_t step, std::size_t lines, std::size_t plane,
               bool forward) const;

  std::size_t nx_, ny_, nz_;
  unsigned threads_;
  std::vector<float> cosines_;  // cos and sin of 2 pi k / longest, k below longest
  std::vector<float> sines_;
  std::size_t longest_;
};

}  // namespace gpz::bench::data
