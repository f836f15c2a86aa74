// SPDX-License-Identifier: BSD-3-Clause
#include "universe.hpp"

#include <cmath>

namespace gpz::bench::data {
namespace {

// Simpson's rule.
template <typename F>
double integral(double from, double to, const F &f) {
  constexpr int pieces = 2000;
  const double step = (to - from) / pieces;
  double sum = f(from) + f(to);
  for (int i = 1; i < pieces; ++i) sum += f(from + i * step) * (i % 2 == 1 ? 4 : 2);
  return sum * step / 3;
}

double cubed(double x) { return x * x * x; }

// Of da / (a H)^3. It begins as a^(3/2), for which the rule would need small steps: hence over the root of a.
double growth_integral(const Universe &universe, double a) {
  return integral(0, std::sqrt(a), [&](double root) {
    const double at = root * root;
    return at == 0 ? 0 : 2 * root / cubed(at * universe.rate(at));
  });
}

}  // namespace

double Universe::rate(double a) const { return std::sqrt(matter / cubed(a) + 1 - matter); }

double Universe::growth(double a) const {
  return rate(a) * growth_integral(*this, a) / (rate(1) * growth_integral(*this, 1));
}

double Universe::growth_rate(double a) const {
  const double rate_slope = -1.5 * matter / (cubed(a) * rate(a) * rate(a));  // d ln H / d ln a
  return rate_slope + a / (cubed(a * rate(a)) * growth_integral(*this, a));
}

double Universe::drift(double from, double to) const {
  return integral(from, to, [&](double a) { return 1 / (cubed(a) * rate(a)); });
}

double Universe::kick(double from, double to) const {
  return integral(from, to, [&](double a) { return 1 / (a * a * rate(a)); });
}

PowerSpectrum::PowerSpectrum(const Universe &universe) : universe_(universe) {
  const double variance = integral(std::log(1e-4), std::log(1e2), [&](double log_k) {
    const double k = std::exp(log_k);
    const double x = 8 * k;
    const double ball = x < 0.01 ? 1 - x * x / 10 : 3 * (std::sin(x) - x * std::cos(x)) / cubed(x);
    return cubed(k) * unscaled(k) * ball * ball / (2 * M_PI * M_PI);
  });
  scale_ = universe.sigma8 * universe.sigma8 / variance;
}

double PowerSpectrum::operator()(double k) const { return scale_ * unscaled(k); }

double PowerSpectrum::unscaled(double k) const {
  const double h = universe_.h;
  const double matter = universe_.matter * h * h;
  const double baryons = universe_.baryons * h * h;
  const double fraction = baryons / matter;
  const double theta = 2.7255 / 2.7;
  const double horizon = 44.5 * std::log(9.83 / matter) / std::sqrt(1 + 10 * std::pow(baryons, 0.75));  // Mpc
  const double alpha =
      1 - 0.328 * std::log(431 * matter) * fraction + 0.38 * std::log(22.3 * matter) * fraction * fraction;
  const double shape = universe_.matter * h * (alpha + (1 - alpha) / (1 + std::pow(0.43 * k * h * horizon, 4)));
  const double q = k * theta * theta / shape;
  const double l = std::log(2 * M_E + 1.8 * q);
  const double c = 14.2 + 731 / (1 + 62.5 * q);
  const double transfer = l / (l + c * q * q);
  return std::pow(k, universe_.tilt) * transfer * transfer;
}

}  // namespace gpz::bench::data
