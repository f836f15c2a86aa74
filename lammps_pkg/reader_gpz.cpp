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

#include "reader_gpz.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <gpz/error.hpp>
#include <gpz/limits.hpp>
#include <gpz/positions.hpp>
#include <gpz/printable.hpp>
#include <iterator>
#include <map>

#include "comm.h"
#include "error.h"
#include "gpz_rerun_origin.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

const gpz::Field::Component *find(const gpz::FrameInfo &info, const std::string &name, bool *integer = nullptr) {
  for (const gpz::Field &field : info.fields)
    for (const gpz::Field::Component &component : field.components)
      if (component.name == name) {
        if (integer) *integer = field.type == gpz::ValueType::integer;
        return &component;
      }
  return nullptr;
}

// The column of positions: x, or else the first of xs, xu and xsu in the order of a text dump. The order is that of the
// other formats of LAMMPS. `flag` becomes what LAMMPS calls its scaling and wrapping.
std::string position_column(const gpz::FrameInfo &info, int axis, int &flag) {
  flag = Reader::NOSCALE_WRAP;
  const gpz::Field::Component *first = nullptr;
  for (const gpz::PositionForm form : gpz::all_forms) {
    const gpz::Field::Component *column = find(info, gpz::position_names(form)[axis]);
    if (!column || (first && first->column < column->column)) continue;
    first = column;
    flag = gpz::is_scaled(form)    ? gpz::is_wrapped(form) ? Reader::SCALE_WRAP : Reader::SCALE_NOWRAP
           : gpz::is_wrapped(form) ? Reader::NOSCALE_WRAP
                                   : Reader::NOSCALE_NOWRAP;
    if (form == gpz::PositionForm::wrapped) break;
  }
  return first ? first->name : gpz::position_names(gpz::PositionForm::wrapped)[axis];
}

// Atom types, also where a text dump would show their names.
std::string type_column(const gpz::FrameInfo &info) {
  for (const char *name : {"type", "element", "typelabel"})
    if (find(info, name)) return name;
  return "type";
}

}  // namespace

/* ----------------------------------------------------------------------
   as in the other readers, only one rank of those that share a file calls what follows, so errors are those of one rank
------------------------------------------------------------------------- */

ReaderGPZ::ReaderGPZ(LAMMPS *lammps) : Reader(lammps) {}

void ReaderGPZ::settings(int narg, char **arg) {
  if (narg > 0) error->one(FLERR, std::string("Reader gpz: unknown argument ") + arg[0] + " after format gpz");
}

[[noreturn]] void ReaderGPZ::fail(const std::string &problem) const { error->one(FLERR, "Reader gpz: " + problem); }

std::string ReaderGPZ::reason(const std::exception &e) const {
  const auto *known = dynamic_cast<const gpz::Error *>(&e);
  return (known && !known->file().empty() ? "" : path_ + ": ") + e.what();
}

std::string ReaderGPZ::at_frame() const { return path_ + ": timestep " + std::to_string(info_.timestep); }

void ReaderGPZ::open_file(const std::string &path) {
  close_file();
  path_ = path;
  try {
    file_ = std::make_unique<gpz::Reader>(path);
  } catch (const std::exception &e) {
    fail(reason(e));
  }
  next_ = 0;
  used_ = false;

  const gpz::FileScan &scan = file_->scan();
  const auto frames = std::to_string(scan.frames.size());
  if (scan.torn)
    error->warning(FLERR, "Reader gpz: " + path +
                              ": the last frame is incomplete, as the run that wrote it did not "
                              "end properly: it is left out, " +
                              frames + " frame(s) are complete");
  if (scan.damaged)
    error->warning(FLERR, "Reader gpz: " + path + ": a part of the file is damaged and its frames are left out, " +
                              frames + " frame(s) can be read");
  const std::string &units = scan.metadata.units;
  if (!units.empty() && units != update->unit_style)
    error->warning(FLERR, "Reader gpz: " + path + ": was written with units " + gpz::printable(units) +
                              ", but this simulation has units " + update->unit_style);
}

// LAMMPS does not name a file that lacks the timestep, so this does, before LAMMPS's error.
void ReaderGPZ::close_file() {
  if (file_ && !used_ && comm->me == 0) {
    const auto &frames = file_->scan().frames;
    utils::logmesg(lmp, "Reader gpz: " + path_ + ": none of its " + std::to_string(frames.size()) + " frames was read" +
                            (frames.empty() ? ""
                                            : ": timesteps " + std::to_string(frames.front().timestep) + " to " +
                                                  std::to_string(frames.back().timestep)) +
                            "\n");
  }
  file_.reset();
}

// The timestep of the next frame. Returns 1 if there is none.
int ReaderGPZ::read_time(bigint &timestep) {
  const auto &frames = file_->scan().frames;
  if (next_ >= frames.size()) return 1;
  timestep = frames[next_].timestep;
  return 0;
}

void ReaderGPZ::skip() { ++next_; }

/* ----------------------------------------------------------------------
   returns the number of atoms. Sets box (as in a text dump: a triclinic one by the box around it and its tilt factors),
   boxinfo (is there a box?), triclinic. With fieldinfo, finds the column of each field; xflag, yflag, zflag: is it
   scaled, is it wrapped
------------------------------------------------------------------------- */

bigint ReaderGPZ::read_header(double box[3][3], int &boxinfo, int &triclinic, int fieldinfo, int nfield, int *fieldtype,
                              char **fieldlabel, int scaleflag, int wrapflag, int &fieldflag, int &xflag, int &yflag,
                              int &zflag) {
  current_ = next_++;
  used_ = true;
  decoded_ = false;
  row_ = 0;
  try {
    info_ = file_->info(current_);
  } catch (const std::exception &e) {
    fail(reason(e));
  }

  using Kind = gpz::Box::Kind;
  if (info_.box.kind == Kind::general_triclinic)
    fail(at_frame() +
         ": has a general triclinic box, which rerun and read_dump cannot read: write the file without "
         "dump_modify triclinic/general");
  boxinfo = info_.box.kind != Kind::none;
  triclinic = info_.box.kind == Kind::triclinic;
  const auto bounds = info_.box.bounding();
  for (int i = 0; i < 3; ++i) {
    box[i][0] = bounds[2 * i];
    box[i][1] = bounds[2 * i + 1];
    box[i][2] = info_.box.values[6 + i];
  }

  if (fieldinfo) {
    int flags[3] = {UNSET, UNSET, UNSET};
    choose_columns(nfield, fieldtype, fieldlabel, 2 * scaleflag + wrapflag + 1, flags);
    xflag = flags[0];
    yflag = flags[1];
    zflag = flags[2];
    fieldflag = 0;  // what is missing is an error of decode(), which names it
    scaled_ = std::any_of(flags, flags + 3, [](int flag) { return flag == SCALE_WRAP || flag == SCALE_NOWRAP; });
  }
  if (scaled_ && !boxinfo) fail(at_frame() + ": has scaled positions, but no box");
  tell_origin();
  return static_cast<bigint>(info_.particles);
}

// given: of positions whose label the user has given.
void ReaderGPZ::choose_columns(int nfield, const int *fieldtype, char **fieldlabel, int given, int *flags) {
  // in the order of Reader's enumeration
  static const char *const usual[] = {"id", "type", "x",  "y",  "z",  "vx", "vy", "vz",
                                      "q",  "ix",   "iy", "iz", "fx", "fy", "fz"};
  names_.clear();
  position_columns_.clear();
  for (int i = 0; i < nfield; ++i) {
    const int type = fieldtype[i];
    const bool position = type == X || type == Y || type == Z;
    if (fieldlabel[i]) {
      names_.emplace_back(fieldlabel[i]);
      if (position) flags[type - X] = given;
    } else if (type < 0 || type >= static_cast<int>(std::size(usual))) {
      fail(path_ + ": this version of LAMMPS asks for a field that is unknown here: give its column with label");
    } else if (position) {
      names_.push_back(position_column(info_, type - X, flags[type - X]));
    } else {
      names_.push_back(type == TYPE ? type_column(info_) : usual[type]);
    }
    if (position) position_columns_.push_back(names_.back());
  }
}

// Reports the accuracy of the frame's positions, for dumps that write them again.
void ReaderGPZ::tell_origin() {
  GPZRerunOrigin *const rerun = GPZRerunOrigin::active(lmp);
  if (!rerun) return;
  GPZRerunOrigin::Frame frame{path_, 0, 0, scaled_, info_.box};
  for (const gpz::Field &field : info_.fields) {
    for (const auto &component : field.components) {
      if (std::find(position_columns_.begin(), position_columns_.end(), component.name) == position_columns_.end())
        continue;
      frame.bound = std::max(frame.bound, field.bound);
      frame.largest_error = std::max(frame.largest_error, field.largest_error);
    }
  }
  rerun->read(this, frame);
}

/* ---------------------------------------------------------------------- */

// All columns of a frame are decoded at once, in the order of IDs: where atoms are created, their new IDs ascend as the
// old ones do.
void ReaderGPZ::decode() {
  std::vector<std::string> distinct;
  refs_.clear();
  std::vector<bool> integer;
  for (const std::string &name : names_) {
    const auto known = std::find(distinct.begin(), distinct.end(), name);
    const auto column = static_cast<std::size_t>(known - distinct.begin());
    if (known == distinct.end()) {
      bool is_integer = false;
      if (!find(info_, name, &is_integer)) {
        std::map<unsigned, std::string> others;  // in the order of a text dump
        for (const gpz::Field &field : info_.fields)
          for (const auto &component : field.components)
            others[component.column] = " " + gpz::printable(component.name);
        std::string problem = at_frame() + ": has no column " + name + ", only";
        for (const auto &other : others) problem += other.second;
        fail(problem);
      }
      distinct.push_back(name);
      integer.push_back(is_integer);
    }
    refs_.push_back({column, integer[column]});
  }
  columns_ = distinct.size();

  constexpr std::size_t size = sizeof(double);
  if (info_.particles > gpz::default_memory_limit() / (columns_ * size))
    fail(at_frame() + ": " + std::to_string(info_.particles) + " atoms are more than fit into memory");
  try {
    values_.resize(info_.particles * columns_);
    std::vector<gpz::ColumnOutput> outputs;
    for (std::size_t c = 0; c < columns_; ++c) {
      using Type = gpz::ConstArray::Type;
      const gpz::Array array{values_.data() + c, static_cast<std::ptrdiff_t>(columns_ * size),
                             integer[c] ? Type::int64 : Type::float64};
      outputs.push_back({distinct[c], array});
    }
    gpz::ReadOptions options;
    bool ids = false;
    options.sort_by_id = find(info_, "id", &ids) && ids;
    file_->read_columns(current_, outputs, info_.particles, options);
  } catch (const std::exception &e) {
    fail(reason(e) + ", at timestep " + std::to_string(info_.timestep));
  }
  decoded_ = true;
}

// The next n atoms, called until there are none.
void ReaderGPZ::read_atoms(int n, int nfield, double **fields) {
  if (!decoded_) decode();
  for (int i = 0; i < n; ++i, ++row_) {
    const double *values = &values_[row_ * columns_];
    for (int field = 0; field < nfield; ++field) {
      const ColumnRef ref = refs_[field];
      if (ref.integer) {
        std::int64_t integer;
        std::memcpy(&integer, values + ref.column, sizeof integer);
        fields[i][field] = static_cast<double>(integer);
      } else {
        fields[i][field] = values[ref.column];
      }
    }
  }
}
