// SPDX-License-Identifier: BSD-3-Clause
// `lanes` lines are transformed together: they lie side by side in a small buffer, so that every operation is one of
// vectors and the lines of a cache are read whole.
#include "fft.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "parallel.hpp"

namespace gpz::bench::data {
namespace {

constexpr std::size_t lanes = 16;

bool is_power_of_two(std::size_t n) { return n > 0 && (n & (n - 1)) == 0; }

// One number of each line.
struct Lane {
  float re[lanes];
  float im[lanes];
};

// Lines of `length` complex numbers, brought into the order of reversed bits while they are loaded, and the transform
// (decimation in time, radix 2).
class Lines {
 public:
  explicit Lines(std::size_t length) : values_(length), reversed_(length) {
    for (std::size_t i = 1; i < length; ++i) reversed_[i] = reversed_[i / 2] / 2 + (i % 2) * length / 2;
  }

  std::size_t size() const { return values_.size(); }
  Lane &before(std::size_t i) { return values_[reversed_[i]]; }
  Lane &operator[](std::size_t i) { return values_[i]; }

  // `cosines`, `sines`: of 2 pi k / (stride * length) for k = 0, 1, ...
  void transform(const float *cosines, const float *sines, std::size_t stride, bool forward) {
    const std::size_t n = values_.size();
    for (std::size_t half = 1; half < n; half *= 2) {
      const std::size_t step = n / (2 * half) * stride;
      for (std::size_t k = 0; k < half; ++k) {
        const float c = cosines[k * step];
        const float s = forward ? -sines[k * step] : sines[k * step];
        for (std::size_t i = k; i < n; i += 2 * half) butterfly(values_[i], values_[i + half], c, s);
      }
    }
  }

 private:
  static void butterfly(Lane &a, Lane &b, float c, float s) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const float re = b.re[l] * c - b.im[l] * s;
      const float im = b.re[l] * s + b.im[l] * c;
      b.re[l] = a.re[l] - re;
      b.im[l] = a.im[l] - im;
      a.re[l] += re;
      a.im[l] += im;
    }
  }

  std::vector<Lane> values_;
  std::vector<std::size_t> reversed_;
};

}  // namespace

Fft::Fft(std::size_t nx, std::size_t ny, std::size_t nz, unsigned threads)
    : nx_(nx), ny_(ny), nz_(nz), threads_(threads), longest_(std::max({nx, ny, nz})) {
  if (nx < 2 || !is_power_of_two(nx) || !is_power_of_two(ny) || !is_power_of_two(nz))
    throw std::invalid_argument("the edges of a mesh have to be powers of two");
  for (std::size_t k = 0; k < longest_; ++k) {
    const double angle = 2 * M_PI * static_cast<double>(k) / static_cast<double>(longest_);
    cosines_.push_back(static_cast<float>(std::cos(angle)));
    sines_.push_back(static_cast<float>(std::sin(angle)));
  }
}

void Fft::forward(float *mesh) const {
  rows(mesh, true);
  columns(mesh, ny_, row(), nz_, row() * ny_, true);
  columns(mesh, nz_, row() * ny_, ny_, row(), true);
}

void Fft::backward(float *mesh) const {
  columns(mesh, nz_, row() * ny_, ny_, row(), false);
  columns(mesh, ny_, row(), nz_, row() * ny_, false);
  rows(mesh, false);
}

// A row of n real numbers is transformed as one of n/2 complex ones, z = (even) + i (odd). With Z its transform, the
// even and odd numbers have the transforms E = (Z(k) + Z*(n/2-k)) / 2 and O = (Z(k) - Z*(n/2-k)) / 2i, and the row has
// E + exp(-2 pi i k / n) O.
void Fft::rows(float *mesh, bool forward) const {
  const std::size_t half = nx_ / 2;
  const std::size_t count = ny_ * nz_;
  const std::size_t unit = longest_ / nx_;  // an angle of 2 pi / nx in the tables
  in_pieces(threads_, count, 16 * lanes, [&](std::size_t begin, std::size_t end) {
    Lines lines(half);
    for (std::size_t first = begin; first < end; first += lanes) {
      const std::size_t used = std::min(lanes, end - first);
      for (std::size_t l = 0; l < used; ++l) {
        const float *from = mesh + (first + l) * row();
        for (std::size_t k = 0; k < half; ++k) {
          Lane &to = lines.before(k);
          if (forward) {
            to.re[l] = from[2 * k];
            to.im[l] = from[2 * k + 1];
          } else {  // Z = E + i O of the wave, times two
            const float *other = from + 2 * (half - k);
            const float c = cosines_[k * unit];
            const float s = sines_[k * unit];
            const float re = from[2 * k] - other[0];
            const float im = from[2 * k + 1] + other[1];
            to.re[l] = from[2 * k] + other[0] - (re * s + im * c);
            to.im[l] = from[2 * k + 1] - other[1] + (re * c - im * s);
          }
        }
      }
      lines.transform(cosines_.data(), sines_.data(), 2 * unit, forward);
      for (std::size_t l = 0; l < used; ++l) {
        float *to = mesh + (first + l) * row();
        for (std::size_t k = 0; k < half + (forward ? 1 : 0); ++k) {
          const Lane &value = lines[k % half];
          if (!forward) {
            to[2 * k] = value.re[l];
            to[2 * k + 1] = value.im[l];
            continue;
          }
          const Lane &other = lines[(half - k) % half];
          const float c = k == half ? -1.0f : cosines_[k * unit];
          const float s = k == half ? 0.0f : -sines_[k * unit];
          const float odd_re = (value.im[l] + other.im[l]) / 2;
          const float odd_im = (other.re[l] - value.re[l]) / 2;
          to[2 * k] = (value.re[l] + other.re[l]) / 2 + odd_re * c - odd_im * s;
          to[2 * k + 1] = (value.im[l] - other.im[l]) / 2 + odd_re * s + odd_im * c;
        }
      }
    }
  });
}

void Fft::columns(float *mesh, std::size_t length, std::size_t step, std::size_t lines_count, std::size_t plane,
                  bool forward) const {
  if (length == 1) return;
  const std::size_t waves = nx_ / 2 + 1;
  in_pieces(threads_, lines_count, 1, [&](std::size_t begin, std::size_t end) {
    Lines lines(length);
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t first = 0; first < waves; first += lanes) {
        const std::size_t used = std::min(lanes, waves - first);
        float *corner = mesh + p * plane + 2 * first;
        for (std::size_t i = 0; i < length; ++i) {
          Lane &to = lines.before(i);
          for (std::size_t l = 0; l < used; ++l) {
            to.re[l] = corner[i * step + 2 * l];
            to.im[l] = corner[i * step + 2 * l + 1];
          }
        }
        lines.transform(cosines_.data(), sines_.data(), longest_ / length, forward);
        for (std::size_t i = 0; i < length; ++i) {
          const Lane &from = lines[i];
          for (std::size_t l = 0; l < used; ++l) {
            corner[i * step + 2 * l] = from.re[l];
            corner[i * step + 2 * l + 1] = from.im[l];
          }
        }
      }
    }
  });
}

}  // namespace gpz::bench::data
