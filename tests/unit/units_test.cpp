// SPDX-License-Identifier: BSD-3-Clause
// The unit styles of LAMMPS and the bounds that go with them.
#include "gpz/units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "container_support.hpp"
#include "gpz/gpz.h"

namespace gpz::test::units_test {
namespace {

TEST(Units, AreThoseOfLammpsAndNoOthers) {
  std::set<std::string> names;
  for (const UnitStyle &style : unit_styles()) {
    EXPECT_STREQ(unit_style(style.name).length, style.length);
    names.insert(style.name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"lj", "real", "metal", "si", "cgs", "electron", "micro", "nano"}));
  for (const char *const unknown : {"", "Metal", "angstrom"})
    EXPECT_EQ(status_of([&] { unit_style(unknown); }), Status::invalid_argument) << unknown;
}

// One length in all units except lj, and Bohr, for which the bound is rounded.
TEST(Units, HaveOneBoundForPositions) {
  const std::pair<const char *, double> metres[] = {{"real", 1e-10}, {"metal", 1e-10}, {"si", 1.0},
                                                    {"cgs", 1e-2},   {"micro", 1e-6},  {"nano", 1e-9}};
  for (const auto &[name, metre] : metres) EXPECT_NEAR(unit_style(name).position_bound * metre, 5e-14, 1e-20) << name;
  EXPECT_NEAR(unit_style("electron").position_bound * 5.29177e-11, 5e-14, 5e-15);
}

// In styles whose units follow from each other, and of constants that other sources give.
TEST(Units, AreCoherentInSI) {
  for (const char *const name : {"si", "cgs", "micro", "nano"}) {
    const UnitsInSI &unit = unit_style(name).in_si;
    const double speed = unit.length / unit.time;
    EXPECT_NEAR(unit.energy / (unit.mass * speed * speed), 1, 1e-12) << name;
    EXPECT_NEAR(unit.pressure / (unit.energy / (unit.length * unit.length * unit.length)), 1, 1e-12) << name;
  }
  const UnitsInSI &electron = unit_style("electron").in_si, &real = unit_style("real").in_si;
  // Hartree = e^2 / (4 pi eps0 Bohr), with the exact e and the measured eps0.
  const double pi = std::acos(-1.0);
  const double coulomb = si::electron_charge * si::electron_charge / (4 * pi * 8.8541878128e-12);
  EXPECT_NEAR(electron.energy / (coulomb / electron.length), 1, 1e-9);
  EXPECT_NEAR(real.energy / si::electronvolt, 0.0433641, 1e-7);
  EXPECT_NEAR(si::dalton * si::avogadro, 1e-3, 1e-12);
  const UnitsInSI &lj = unit_style("lj").in_si;
  for (const double none : {lj.mass, lj.length, lj.time, lj.energy, lj.pressure, lj.charge}) EXPECT_EQ(none, 0);
}

TEST(Units, UsualBoundsAreAThousandthRoundedDown) {
  EXPECT_DOUBLE_EQ(usual_bound(1.0), 1e-3);
  EXPECT_DOUBLE_EQ(usual_bound(1.99), 1e-3);
  EXPECT_DOUBLE_EQ(usual_bound(0.03), 2e-5);
  EXPECT_DOUBLE_EQ(usual_bound(7000.0), 5.0);
  for (double rms = 1e-12; rms < 1e12; rms *= 1.37) {
    EXPECT_LE(usual_bound(rms), rms / 1000 * (1 + 1e-12)) << rms;
    EXPECT_GE(usual_bound(rms), rms / 2500 * (1 - 1e-12)) << rms;
  }
  for (const double none : {0.0, -1.0, std::nan(""), HUGE_VAL}) EXPECT_EQ(usual_bound(none), 0.0);
}

TEST(Units, ThermalBoundsHaveTwoDigits) {
  EXPECT_EQ(thermal_bound(1.0), 1e-3);
  EXPECT_EQ(thermal_bound(1.2345), 1.2e-3);
  EXPECT_EQ(thermal_bound(0.00394), 3.9e-6);
  EXPECT_EQ(thermal_bound(9999.0), 9.9);
  for (double speed = 1e-9; speed < 1e9; speed *= 1.7) {
    EXPECT_LE(thermal_bound(speed), speed / 1000) << speed;
    EXPECT_GE(thermal_bound(speed), speed / 1100) << speed;
  }
  for (const double none : {0.0, -1.0, std::nan(""), HUGE_VAL}) EXPECT_EQ(thermal_bound(none), 0.0);
}

// Two species at one temperature, 16 times as heavy and light, that drift. Fields of float32 and float64, and integers
// of 32 bits.
class ThermalBounds : public ::testing::Test {
 protected:
  ThermalBounds() {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (int i = 0; i < particles; ++i) {
      const bool heavy = i % 3 == 0;
      types.push_back(heavy ? 1 : 2);
      masses.push_back(heavy ? 16.0 : 1.0);
      for (std::vector<double> *const v : {&vx, &vy}) v->push_back(drift + normal(random) / std::sqrt(masses.back()));
      vz.push_back(static_cast<float>(drift + normal(random) / std::sqrt(masses.back())));
    }
  }

  // In the plain way: a mean, then squares about it.
  double speed_of_heavy() const {
    double squares = 0;
    double count = 0;
    for (int d = 0; d < 3; ++d) {
      std::vector<double> of;
      for (int i = 0; i < particles; i += 3) of.push_back(d == 0 ? vx[i] : d == 1 ? vy[i] : vz[i]);
      double mean = 0;
      for (const double v : of) mean += v / static_cast<double>(of.size());
      for (const double v : of) squares += (v - mean) * (v - mean);
      count += static_cast<double>(of.size()) - 1;
    }
    return std::sqrt(squares / count);
  }

  std::vector<gpz_field> velocities() const {
    return {gpz_column("vx", GPZ_FLOAT64, vx.data()), gpz_column("vy", GPZ_FLOAT64, vy.data()),
            gpz_column("vz", GPZ_FLOAT32, vz.data())};
  }
  std::vector<gpz_field> velocities_and(const gpz_field &species) const {
    std::vector<gpz_field> fields = velocities();
    fields.push_back(species);
    return fields;
  }

  // 0 and the message in `message` where it is refused.
  double bound(const std::vector<gpz_field> &fields, std::string &message, int count = particles) const {
    double found = 7;
    const gpz_status status = gpz_thermal_bound(fields.data(), fields.size(), static_cast<std::size_t>(count), &found);
    message = status == GPZ_OK ? "" : gpz_last_error();
    EXPECT_TRUE(status == GPZ_OK || (status == GPZ_INVALID_ARGUMENT && found == 0)) << status << " " << found;
    return found;
  }
  void expect_refused(const std::vector<gpz_field> &fields, const char *says, int count = particles) const {
    std::string message;
    EXPECT_EQ(bound(fields, message, count), 0);
    EXPECT_NE(message.find(says), std::string::npos) << message;
  }

  static constexpr int particles = 600;
  static constexpr double drift = 1e3;
  std::vector<int> types;
  std::vector<double> masses, vx, vy;
  std::vector<float> vz;
};

TEST_F(ThermalBounds, AreThoseOfTheSlowestSpeciesWhateverNamesIt) {
  const double expected = thermal_bound(speed_of_heavy());
  EXPECT_NEAR(expected, 0.25e-3, 0.03e-3);
  std::vector<std::int64_t> wide(types.begin(), types.end());
  std::vector<float> narrow(masses.begin(), masses.end());
  for (const gpz_field &species :
       {gpz_column("type", GPZ_INT32, types.data()), gpz_column("typelabel", GPZ_INT64, wide.data()),
        gpz_column("element", GPZ_INT32, types.data()), gpz_column("mass", GPZ_FLOAT64, masses.data()),
        gpz_column("mass", GPZ_FLOAT32, narrow.data())}) {
    std::string message;
    EXPECT_EQ(bound(velocities_and(species), message), expected) << species.names << message;
  }
}

TEST_F(ThermalBounds, LeaveOutWhatSaysNothing) {
  const double expected = thermal_bound(speed_of_heavy());
  // A frozen wall, a species of one particle, and values that are not finite.
  for (int i = 0; i < 50; ++i) {
    types.push_back(3);
    vx.push_back(0.1);
    vy.push_back(0.1);
    vz.push_back(0.1F);
  }
  types.push_back(4);
  vx.push_back(1e-9);
  vy.push_back(0);
  vz.push_back(0);
  types.push_back(1);
  vx.push_back(std::nan(""));
  vy.push_back(HUGE_VAL);
  vz.push_back(-HUGE_VALF);
  std::string message;
  const auto fields = velocities_and(gpz_column("type", GPZ_INT32, types.data()));
  EXPECT_EQ(bound(fields, message, particles + 52), expected) << message;
  // The type counts before the mass, which here is different for each particle.
  for (std::size_t i = 0; i < masses.size(); ++i) masses[i] = static_cast<double>(i);
  auto with_mass = fields;
  with_mass.push_back(gpz_column("mass", GPZ_FLOAT64, masses.data()));
  EXPECT_EQ(bound(with_mass, message), expected) << message;
}

// As the ranks of a simulation do, some of which have no particles of a species.
TEST_F(ThermalBounds, AreThoseOfMergedParts) {
  std::vector<SpeciesVelocities> whole(2), merged(2);
  std::array<std::vector<SpeciesVelocities>, 3> parts;
  parts.fill(std::vector<SpeciesVelocities>(2));
  for (int i = 0; i < particles; ++i) {
    const auto species = static_cast<std::size_t>(types[i] - 1);
    const double of[] = {vx[i], vy[i], vz[i]};
    for (std::size_t d = 0; d < 3; ++d)
      for (std::vector<SpeciesVelocities> *const to : {&whole, &parts[i % 2]}) (*to)[species][d].add(of[d]);
  }
  for (const std::vector<SpeciesVelocities> &part : parts)
    for (std::size_t s = 0; s < merged.size(); ++s)
      for (std::size_t d = 0; d < 3; ++d) merged[s][d].add(part[s][d]);
  for (std::size_t s = 0; s < merged.size(); ++s) EXPECT_NEAR(merged[s][0].squares / whole[s][0].squares, 1, 1e-9);
  EXPECT_EQ(thermal_bound(merged), thermal_bound(speed_of_heavy()));
  EXPECT_EQ(thermal_bound(whole), thermal_bound(speed_of_heavy()));
}

TEST_F(ThermalBounds, HaveNoPartOfAComponentThatIsConstant) {
  std::fill(vz.begin(), vz.end(), 0.0F);
  double squares = 0;
  double count = 0;
  for (const std::vector<double> &v : {vx, vy}) {
    double mean = 0;
    for (int i = 0; i < particles; i += 3) mean += v[i] / (particles / 3);
    for (int i = 0; i < particles; i += 3) squares += (v[i] - mean) * (v[i] - mean);
    count += particles / 3 - 1;
  }
  std::string message;
  EXPECT_EQ(bound(velocities_and(gpz_column("type", GPZ_INT32, types.data())), message),
            thermal_bound(std::sqrt(squares / count)));
}

TEST_F(ThermalBounds, AreRefusedWithWhatIsMissing) {
  const gpz_field type = gpz_column("type", GPZ_INT32, types.data());
  expect_refused({type}, "no float column is vx, vy or vz");
  expect_refused({type, gpz_column("vx", GPZ_INT32, types.data())}, "no float column is vx, vy or vz");
  expect_refused(velocities(), "no column is type, typelabel, element or mass");
  expect_refused(velocities_and(type), "no two particles of one species (column type) differ in velocity", 1);
  expect_refused(velocities_and(type), "differ in velocity", 0);
  // All alike: rounding of a mean of 0.1 is no speed.
  for (double &v : vx) v = 0.1;
  expect_refused({type, gpz_column("vx", GPZ_FLOAT64, vx.data())}, "no two particles of one species");
  std::vector<double> each(70000);
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<double>(i);
  expect_refused({gpz_column("mass", GPZ_FLOAT64, each.data()), gpz_column("vx", GPZ_FLOAT64, each.data())},
                 "column mass has more than 65536 values", 70000);
  EXPECT_EQ(gpz_thermal_bound(&type, 1, particles, nullptr), GPZ_INVALID_ARGUMENT);
}

TEST(Units, HaveTheirBoundInC) {
  for (const UnitStyle &style : unit_styles()) {
    double bound = 0;
    EXPECT_EQ(gpz_default_position_bound(style.name, &bound), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(bound, style.position_bound) << style.name;
  }
  for (const char *const unknown : {"", "Metal", static_cast<const char *>(nullptr)}) {
    double bound = 1;
    EXPECT_EQ(gpz_default_position_bound(unknown, &bound), GPZ_INVALID_ARGUMENT);
    EXPECT_EQ(bound, 0);
  }
  EXPECT_NE(std::string(gpz_last_error()), "");
  EXPECT_EQ(gpz_default_position_bound("metal", nullptr), GPZ_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace gpz::test::units_test
