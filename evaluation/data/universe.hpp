// SPDX-License-Identifier: BSD-3-Clause
// A flat universe of matter and a cosmological constant. Times are in units of 1/H0, lengths in Mpc/h; a = 1/(1 + z).
#pragma once

namespace gpz::bench::data {

struct Universe {
  double matter = 0.31;  // Omega of all matter today; the cosmological constant has the rest
  double baryons = 0.049;
  double h = 0.677;
  double tilt = 0.967;
  double sigma8 = 0.81;  // rms overdensity today, by linear theory, in spheres of radius 8 Mpc/h

  double rate(double a) const;  // H / H0
  // Growth of small perturbations, 1 today, and d ln(growth) / d ln a.
  double growth(double a) const;
  double growth_rate(double a) const;
  // Integrals of dt/a^2 and of dt/a from one a to another: what a leapfrog multiplies momenta and forces by.
  double drift(double from, double to) const;
  double kick(double from, double to) const;
};

// Power spectrum of small perturbations today, (Mpc/h)^3, of waves k in h/Mpc: Eisenstein and Hu (1998), the form
// without acoustic oscillations.
class PowerSpectrum {
 public:
  explicit PowerSpectrum(const Universe &universe);
  double operator()(double k) const;

 private:
  double unscaled(double k) const;

  Universe universe_;
  double scale_ = 1;
};

}  // namespace gpz::bench::data
