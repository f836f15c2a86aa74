// SPDX-License-Identifier: BSD-3-Clause
// Rows of atoms that several threads copy.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gpz_row_layout.h"

namespace gpz::test {
namespace {

using LAMMPS_NS::GPZRowLayout;
using LAMMPS_NS::GPZRows;

TEST(RowLayout, ThreadsCopyWhatOneCopies) {
  constexpr std::size_t arrays = 2'000'000, particles = 1'000'000;
  std::vector<double> x(3 * arrays);
  std::vector<std::int32_t> id(arrays);
  std::vector<int> rows(particles);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 * static_cast<double>(i);
  for (std::size_t i = 0; i < arrays; ++i) id[i] = static_cast<std::int32_t>(i + 7);
  for (std::size_t i = 0; i < particles; ++i) rows[i] = static_cast<int>(2 * i + 1);

  GPZRows atoms;
  FieldInput ids, positions;
  ids.field.components.resize(1);
  ids.components[0] = {id.data(), sizeof(id[0]), ConstArray::Type::int32};
  positions.field.components.resize(3);
  for (std::size_t d = 0; d < 3; ++d) {
    positions.components[d] = {x.data() + d, 3 * sizeof(x[0]), ConstArray::Type::float64};
  }
  atoms.fields = {ids, positions};
  atoms.nrows = arrays;
  atoms.particles = particles;
  atoms.rows = rows.data();

  const GPZRowLayout layout(atoms.fields);
  ASSERT_EQ(layout.words(), 4U);
  std::vector<GPZRowLayout::Word> one(4 * particles), three(4 * particles);
  layout.copy(atoms, one.data());
  layout.copy(atoms, three.data(), 3);
  EXPECT_EQ(one, three);
  layout.refer(atoms.fields, three.data());
  for (const std::size_t i : {std::size_t{0}, particles / 2, particles - 1}) {
    const auto *const at = static_cast<const char *>(atoms.fields[1].components[2].data) +
                           static_cast<std::ptrdiff_t>(i) * atoms.fields[1].components[2].stride;
    EXPECT_EQ(*reinterpret_cast<const double *>(at), x[3 * (2 * i + 1) + 2]);
    const auto *const number = static_cast<const char *>(atoms.fields[0].components[0].data) +
                               static_cast<std::ptrdiff_t>(i) * atoms.fields[0].components[0].stride;
    EXPECT_EQ(*reinterpret_cast<const std::int32_t *>(number), id[2 * i + 1]);
  }
}

}  // namespace
}  // namespace gpz::test
