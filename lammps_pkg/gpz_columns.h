// SPDX-License-Identifier: GPL-2.0-only
/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_GPZ_COLUMNS_H
#define LMP_GPZ_COLUMNS_H

#include <cstdint>
#include <gpz/frame.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpz_atoms.h"

namespace LAMMPS_NS {

// The columns of a dump as the fields of a frame: which one is the position, where each one's values are in memory,
// and what error bound it has.
class GPZColumns {
 public:
  enum class Kind { real, integer, element, type_label };
  struct Column {
    std::string name;
    Kind kind;
    bool array = false;  // of a compute, fix, variable or custom property, which has an array of its own
  };

  // Properties of the positions before they are quantized.
  struct Before {
    double bound = 0;          // they are within this of the original ones; 0: they are the original ones
    double largest_error = 0;  // of this frame
    double largest_value = 0;  // no value is larger in magnitude
  };

  GPZColumns(const std::vector<Column> &columns, int dimension);

  std::vector<std::string> names() const;
  bool has(Kind kind) const;
  bool has_positions() const;
  // Positions as fractions of the box edges.
  bool has_fractions() const;

  // Own error bound (0: lossless) of every float column that `pattern` matches ('*': any characters). Positions have
  // the bound of set_bounds and are left out. Throws std::invalid_argument if that leaves nothing.
  void set_own_bound(const std::string &pattern, double bound);
  // Velocities that `pattern` matches get the bound of give_thermal_bound. Throws as set_own_bound, and if the pattern
  // matches other columns.
  void set_thermal_bound(const std::string &pattern);
  bool needs_thermal_bound() const;
  void give_thermal_bound(double bound);
  // Gives the float columns whose bound was not set that of the column with their name in another frame, if there is
  // one. Not positions.
  void take_own_bounds(const gpz::FrameInfo &frame);
  // The bound of the positions in a frame, in distance units; nothing if there are none.
  static std::optional<double> position_bound(const gpz::FrameInfo &frame);
  // Absolute bounds of positions in distance units and of scaled positions in fractions of the box edges.
  void set_bounds(double position, double scaled);
  // No position of the next frames is larger in magnitude, distance units. Rounding of KOKKOS's single precision then
  // takes none out of the bound.
  void set_largest_position(double largest) { largest_position_ = largest; }
  // Lets these bounds hold for the original positions. Returns whether they leave room for that.
  bool set_before(const Before &position, const Before &scaled);

  // Decides what is read where LAMMPS has it. In a general triclinic box, vectors must be rotated, so they are packed.
  // `unwrapped`: the atoms of bind() have unwrapped positions.
  void choose_sources(bool general_triclinic, bool unwrapped);
  // The columns that DumpCustom must pack into its buffer, each value at the row of its atom.
  const std::vector<int> &packed() const { return packed_; }
  // The columns that have arrays of their own.
  const std::vector<int> &arrays() const { return arrays_; }
  // Properties that the other columns show, in any order.
  std::vector<GPZProperty> stored() const;
  // The property that a column shows, if it is one of those; nullptr if not.
  const GPZProperty *property(int column) const;
  // Lets the fields point to the data of this step: row i is local atom i. `arrays` is parallel to arrays().
  void bind(GPZAtoms &atoms, const std::vector<gpz::ConstArray> &arrays, const double *buffer, int nlocal);

  const std::vector<gpz::FieldInput> &fields() const { return fields_; }
  double memory_usage() const;

 private:
  enum class Bound { none, own, position, scaled };
  enum class Source { atom, array, buffer, integer_buffer };
  struct ColumnRef {
    std::size_t field, component;
  };

  std::vector<Column> columns_;
  std::vector<ColumnRef> refs_;                      // per column
  std::vector<Source> source_;                       // per column
  std::vector<std::vector<std::int64_t>> integers_;  // per column, where its source is integer_buffer
  std::vector<int> packed_, arrays_;
  std::vector<gpz::FieldInput> fields_;
  std::vector<Bound> bound_;       // per field
  std::vector<bool> bound_given_;  // per field: by set_own_bound
  std::vector<bool> thermal_;      // per field: the bound is still to be given
  Before before_position_, before_scaled_;
  double largest_position_ = 0;

  std::vector<int> find_position(int dimension) const;
  void add_field(const std::vector<int> &columns, bool leading);
  bool set_steps();
};

}  // namespace LAMMPS_NS

#endif
