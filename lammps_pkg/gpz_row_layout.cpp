// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "gpz_row_layout.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

using namespace LAMMPS_NS;
using gpz::ConstArray;

namespace {

template <std::size_t size>
void copy_component(const ConstArray &from, const GPZRows &atoms, char *to, std::size_t stride, std::size_t begin,
                    std::size_t end) {
  const auto *data = static_cast<const char *>(from.data);
  for (std::size_t i = begin; i < end; ++i) {
    const auto row = static_cast<std::ptrdiff_t>(atoms.rows ? static_cast<std::size_t>(atoms.rows[i]) : i);
    std::memcpy(to + i * stride, data + row * from.stride, size);
  }
}

// Rows whose copies stay in the cache while one component after the other is copied.
constexpr std::size_t rows_at_once = 512;

}  // namespace

GPZRowLayout::GPZRowLayout(const std::vector<gpz::FieldInput> &fields) {
  std::size_t wide = 0, narrow = 0;
  for (const gpz::FieldInput &field : fields) {
    for (std::size_t d = 0; d < field.field.components.size(); ++d) {
      const std::size_t size = gpz::element_size(field.components[d].type);
      std::size_t &end = size == 8 ? wide : narrow;
      columns_.push_back({end, size});
      end += size;
    }
  }
  for (Column &column : columns_)
    if (column.size < 8) column.offset += wide;
  words_ = (wide + narrow + 7) / 8;
}

void GPZRowLayout::copy_range(const GPZRows &atoms, Word *to, std::size_t begin, std::size_t end) const {
  const std::size_t stride = words_ * sizeof(Word);
  for (std::size_t from = begin; from < end; from += rows_at_once) {
    const std::size_t until = std::min(from + rows_at_once, end);
    auto column = columns_.begin();
    for (const gpz::FieldInput &field : atoms.fields) {
      for (std::size_t d = 0; d < field.field.components.size(); ++d, ++column) {
        char *target = reinterpret_cast<char *>(to) + column->offset;
        if (column->size == 8)
          copy_component<8>(field.components[d], atoms, target, stride, from, until);
        else
          copy_component<4>(field.components[d], atoms, target, stride, from, until);
      }
    }
  }
}

void GPZRowLayout::copy(const GPZRows &atoms, Word *to, int threads) const {
  constexpr std::size_t worth_a_thread = 1 << 18;  // rows
  const auto rows = static_cast<std::size_t>(atoms.particles);
  const std::size_t parts =
      std::max<std::size_t>(1, std::min(rows / worth_a_thread, static_cast<std::size_t>(std::max(threads, 1))));
  std::vector<std::thread> helpers;
  std::size_t begin = 0;
  for (std::size_t n = 1; n < parts; ++n) {
    const std::size_t end = rows * n / parts;
    try {
      helpers.emplace_back([&atoms, this, to, begin, end] { copy_range(atoms, to, begin, end); });
    } catch (const std::exception &) {
      break;  // this thread copies the rest
    }
    begin = end;
  }
  copy_range(atoms, to, begin, rows);
  for (std::thread &helper : helpers) helper.join();
}

void GPZRowLayout::refer(std::vector<gpz::FieldInput> &fields, const Word *copy) const {
  auto column = columns_.begin();
  for (gpz::FieldInput &field : fields) {
    for (std::size_t d = 0; d < field.field.components.size(); ++d, ++column) {
      field.components[d].data = reinterpret_cast<const char *>(copy) + column->offset;
      field.components[d].stride = static_cast<std::ptrdiff_t>(words_ * sizeof(Word));
    }
  }
}
