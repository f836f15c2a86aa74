// SPDX-License-Identifier: BSD-3-Clause
// The unit styles of LAMMPS and the bounds that go with them.
#include "gpz/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "container_support.hpp"
#include "gpz/gpz.h"

namespace gpz::test {
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
}  // namespace gpz::test
