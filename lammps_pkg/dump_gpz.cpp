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

#include "dump_gpz.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "domain.h"
#include "error.h"
#include "gpz_version.h"
#include "input.h"
#include "label_map.h"
#include "memory.h"
#include "modify.h"
#include "output.h"
#include "timer.h"
#include "update.h"
#include "variable.h"

using namespace LAMMPS_NS;

namespace {

// Used without dump_modify eb. Where a unit of length is natural, 0.0005 of an Angstrom: a tenth of what dump xtc does
// to positions, and far below thermal motion.
struct UnitSystem {
  const char *name, *length;
  double bound;  // in `length`
};
const UnitSystem unit_systems[] = {
    {"lj", "sigma", 5e-4}, {"real", "Angstrom", 5e-4}, {"metal", "Angstrom", 5e-4},    {"electron", "Bohr", 1e-3},
    {"si", "m", 5e-14},    {"cgs", "cm", 5e-12},       {"micro", "micrometers", 5e-8}, {"nano", "nm", 5e-5},
};

const UnitSystem &unit_system(const char *name) {
  for (const UnitSystem &system : unit_systems)
    if (strcmp(name, system.name) == 0) return system;
  return unit_systems[0];
}

// dump_modify keywords of other styles, which make no sense here, and what to do instead.
struct RefusedKeyword {
  const char *name, *advice;
};
const RefusedKeyword refused_keywords[] = {
    {"at", "frames are never overwritten; write to another file"},
    {"format", "set the precision with 'eb' and 'bound'; text is formatted by 'gpz decode'"},
    {"image", "list the columns ix iy iz"},
    {"label", "columns have their own names"},
    {"precision", "set it with 'eb' and 'bound'"},
    {"scale", "list the columns xs ys zs"},
    {"sfactor", "convert units after decoding"},
    {"tfactor", "convert units after decoding"},
    {"thermo", "thermo output is in the log"},
    {"types", "list the column typelabel"},
    {"unwrap", "list the columns xu yu zu, or use 'gpz decode --unwrap'"},
};

// LabelMap shows its labels to the dump styles of LAMMPS only.
struct Labels : LabelMap {
  static const std::vector<std::string> &of(const LabelMap &map) { return map.*(&Labels::typelabel); }
};

// For dump_modify pbc: copies take the place of the atoms' own arrays until the end of the scope, also if an error is
// thrown.
class KeepArrays {
 public:
  explicit KeepArrays(Atom *atom) : atom_(atom), x_(atom->x), v_(atom->v), image_(atom->image) {}
  ~KeepArrays() {
    atom_->x = x_;
    atom_->v = v_;
    atom_->image = image_;
  }
  KeepArrays(const KeepArrays &) = delete;
  KeepArrays &operator=(const KeepArrays &) = delete;

 private:
  Atom *atom_;
  double **x_, **v_;
  imageint *image_;
};

int instances = 0;

}  // namespace

/* ---------------------------------------------------------------------- */

DumpGPZ::DumpGPZ(LAMMPS *lammps, int narg, char **arg)
    : DumpCustom(lammps, narg, arg), output_(world), encoder_(comm->nthreads), chunks_(1) {
  command_ = "dump";
  for (int i = 0; i < narg; ++i) command_ += std::string(" ") + arg[i];

  columns_ = std::make_unique<GPZColumns>(column_list(), domain->dimension);
  bound_ = {PositionBound::DEFAULT, unit_system(update->unit_style).bound};

  // text is never buffered: lets Dump refuse dump_modify buffer yes
  buffer_allow = buffer_flag = 0;

  fix_id_ = "GPZ_SUMMARY_" + std::to_string(instances++);
  modify->add_fix(fix_id_ + " all GPZ/SUMMARY " + id);
}

DumpGPZ::~DumpGPZ() {
  if (output_.is_open()) close(false);
  end_of_run();
  if (modify && modify->get_fix_by_id(fix_id_)) modify->delete_fix(fix_id_);
}

// As DumpCustom has read it; only the constructor can do so, because the names belong to the input script.
std::vector<GPZColumns::Column> DumpGPZ::column_list() const {
  using Kind = GPZColumns::Kind;
  std::vector<GPZColumns::Column> list;
  for (int n = 0; n < nfield; ++n) {
    const std::string name = earg[n];
    if (vtype[n] == DOUBLE) {
      list.push_back({name, Kind::real});
    } else if (vtype[n] == INT || vtype[n] == BIGINT) {
      list.push_back({name, Kind::integer});
    } else if (name == "element") {
      list.push_back({name, Kind::element});
    } else if (name == "typelabel") {
      list.push_back({name, Kind::type_label});
    } else {
      fail("column " + name + " is text, which it cannot hold");
    }
  }
  return list;
}

[[noreturn]] void DumpGPZ::fail(const std::string &problem) const {
  error->all(FLERR, "Dump " + std::string(id) + " gpz: " + problem);
}

/* ----------------------------------------------------------------------
   dump_modify
------------------------------------------------------------------------- */

int DumpGPZ::modify_param(int narg, char **arg) {
  if (strcmp(arg[0], "eb") == 0) return modify_eb(narg, arg);
  if (strcmp(arg[0], "bound") == 0) return modify_bound(narg, arg);
  if (strcmp(arg[0], "format") == 0 && narg > 1 && strcmp(arg[1], "none") == 0) return 2;
  for (const RefusedKeyword &keyword : refused_keywords)
    if (strcmp(arg[0], keyword.name) == 0)
      fail(std::string("dump_modify ") + keyword.name + " is not possible: " + keyword.advice);

  const int used = DumpCustom::modify_param(narg, arg);
  if (used && strcmp(arg[0], "element") == 0) elements_given_ = true;
  return used;
}

// eb V, eb abs V, eb rel V
int DumpGPZ::modify_eb(int narg, char **arg) {
  PositionBound bound{PositionBound::ABSOLUTE, 0.0};
  int used = 1;
  if (narg > 1 && strcmp(arg[1], "rel") == 0) {
    bound.kind = PositionBound::RELATIVE;
    ++used;
  } else if (narg > 1 && strcmp(arg[1], "abs") == 0) {
    ++used;
  }
  if (narg <= used) utils::missing_cmd_args(FLERR, "dump_modify eb", error);
  bound.value = utils::numeric(FLERR, arg[used], false, lmp);
  if (!(bound.value > 0.0) || !std::isfinite(bound.value))
    fail(std::string("dump_modify eb must be a number > 0, not ") + arg[used]);
  bound_ = bound;
  bound_printed_ = false;
  return used + 1;
}

// bound COLUMN V, bound COLUMN lossless
int DumpGPZ::modify_bound(int narg, char **arg) {
  if (narg < 3) utils::missing_cmd_args(FLERR, "dump_modify bound", error);
  double bound = 0.0;
  if (strcmp(arg[2], "lossless") != 0) {
    bound = utils::numeric(FLERR, arg[2], false, lmp);
    if (!(bound >= 0.0) || !std::isfinite(bound))
      fail(std::string("dump_modify bound ") + arg[1] + " must be a number >= 0, not " + arg[2]);
  }
  try {
    columns_->set_own_bound(arg[1], bound);
  } catch (const std::invalid_argument &e) {
    fail(std::string("dump_modify bound ") + arg[1] + ": " + e.what());
  }
  return 3;
}

/* ----------------------------------------------------------------------
   settings that Dump::modify_params stores without asking the style
------------------------------------------------------------------------- */

void DumpGPZ::refuse_keywords() const {
  const bool colname =
      std::any_of(keyword_user.begin(), keyword_user.end(), [](const std::string &s) { return !s.empty(); });
  if (sort_flag) fail("dump_modify sort is not possible: sort when decoding, with 'gpz decode --sort id'");
  if (balance_flag) fail("dump_modify balance is not possible: every rank writes its own atoms");
  if (!write_header_flag) fail("dump_modify header no is not possible: a file without its header cannot be read");
  if (format_line_user) fail("dump_modify format is not possible: set the precision with 'eb' and 'bound'");
  if (colname) fail("dump_modify colname is not possible: readers know the columns by their names");
  if (binary)
    fail(std::string("the file name ") + filename +
         " stands for a binary dump of style custom: choose a name like traj.gpz");
  if (compressed)
    fail(std::string("the file name ") + filename +
         " stands for compression by another program, but the file is compressed already: choose a name like traj.gpz");
}

/* ---------------------------------------------------------------------- */

void DumpGPZ::init_style() {
  refuse_keywords();
  if (columns_->has(GPZColumns::Kind::type_label) && !(atom->labelmapflag && atom->lmap->is_complete(Atom::ATOM)))
    fail("column typelabel needs a label for every atom type");
  columns_->choose_sources(triclinic_general);

  DumpCustom::init_style();  // opens the file

  if (output_.is_open()) {
    if (output_.path() != current_path()) fail("nfile and fileper cannot change after the first run");
    const gpz::Metadata now = metadata();
    if (now.elements != metadata_.elements || now.type_labels != metadata_.type_labels)
      fail("element names and type labels are in the file already and cannot change after the first run");
  }
  print_bound();
}

void DumpGPZ::print_bound() {
  if (bound_printed_ || !columns_->has_positions() || comm->me) return;
  const UnitSystem &units = unit_system(update->unit_style);
  std::string text = fmt::format("Dump {} gpz: positions within {:.8g} ", id, bound_.value);
  if (bound_.kind == PositionBound::RELATIVE)
    text += "of the longest box edge at the first frame";
  else
    text += units.length;
  if (bound_.kind == PositionBound::DEFAULT)
    text += fmt::format(" (default for units {}; dump_modify {} eb changes it)", update->unit_style, id);
  utils::logmesg(lmp, text + "\n");
  bound_printed_ = true;
}

/* ----------------------------------------------------------------------
   files
------------------------------------------------------------------------- */

MPI_Comm DumpGPZ::group() const { return multiproc ? clustercomm : world; }

std::string DumpGPZ::current_path() {
  const char *name = multiproc ? multiname : filename;
  return multifile ? utils::star_subst(name, update->ntimestep, padflag) : name;
}

// Why this dump must not write to the file: another one does, or did last (with one file a step, none stays open).
// Both would think that the file is as they left it.
std::string DumpGPZ::in_use(const std::string &path) const {
  for (const Dump *dump : output->get_dump_list()) {
    const auto *other = dynamic_cast<const DumpGPZ *>(dump);
    if (!other || other == this || other->output_.path().empty()) continue;
    std::error_code missing;  // a file that does not exist is not in use
    if (std::filesystem::equivalent(path, other->output_.path(), missing))
      return path + ": is being written by dump " + other->id;
  }
  return {};
}

void DumpGPZ::openfile() {
  if (singlefile_opened) return;

  const std::string path = current_path(), problem = in_use(path);
  if (multifile && maxfiles > 0 && problem.empty()) {
    if (numfiles < maxfiles) {
      nameslist[numfiles++] = utils::strdup(path);
    } else {
      if (filewriter) (void)remove(nameslist[fileidx]);
      delete[] nameslist[fileidx];
      nameslist[fileidx] = utils::strdup(path);
      fileidx = (fileidx + 1) % maxfiles;
    }
  }

  metadata_ = metadata();
  append_mode_ = UNDECIDED;
  try {
    output_.open(group(), path, metadata_, append_flag, problem);
  } catch (const GPZOutputError &e) {
    fail(e.what());
  }
  if (multifile == 0) singlefile_opened = 1;
}

// Writes the index. Without it the file is complete as well, so that at the end of LAMMPS a warning will do.
void DumpGPZ::close(bool fatal) {
  try {
    output_.close();
  } catch (const GPZOutputError &e) {
    if (fatal) fail(e.what());
    if (comm->me == 0) error->warning(FLERR, std::string("Dump ") + id + " gpz: " + e.what());
  }
}

gpz::Metadata DumpGPZ::metadata() const {
  gpz::Metadata facts;
  facts.generator = std::string("gpz " GPZ_VERSION ", LAMMPS ") + lmp->version;
  facts.units = update->unit_style;
  facts.atom_style = atom->atom_style;
  facts.command = command_;
  facts.columns = columns_->names();
  if (elements_given_ || columns_->has(GPZColumns::Kind::element))
    facts.elements.assign(typenames + 1, typenames + 1 + ntypes);
  if (atom->labelmapflag) facts.type_labels = Labels::of(*atom->lmap);
  facts.timestep_size = update->dt;
  return facts;
}

/* ----------------------------------------------------------------------
   a run that was restarted repeats steps up to the last one of the file: they are not written, even if the file lacks
   them because it was written in other intervals, so that its steps ascend
------------------------------------------------------------------------- */

bool DumpGPZ::in_file_already() {
  const bigint step = update->ntimestep;
  if (!append_flag || output_.first_step() > output_.last_step()) return false;
  if (multifile) return step >= output_.first_step() && step <= output_.last_step();
  if (append_mode_ == UNDECIDED) {
    append_mode_ = step > output_.first_step() ? SKIP_OLD : ADD_ALL;
    if (append_mode_ == ADD_ALL && comm->me == 0)
      error->warning(
          FLERR,
          fmt::format(
              "Dump {} gpz: {} starts with step {}, and this run continues with step {}: all frames are added, so "
              "that steps may occur twice",
              id, output_.path(), output_.first_step(), step));
  }
  return append_mode_ == SKIP_OLD && step <= output_.last_step();
}

/* ---------------------------------------------------------------------- */

void DumpGPZ::write() {
  if (!header_choice) fail("Must not use 'run pre no' after creating a new dump");
  summary_.begin_frame(update->whichflag && update->ntimestep != update->firststep);

  // before the tests, because it invokes computes and so lets Output plan their next invocation
  nme = count();
  if (delay_flag && update->ntimestep < delaystep) return;
  if (skipflag && input->variable->compute_equal(skipindex) != 0.0) return;

  if (multifile) openfile();
  write_frame();
  if (refreshflag) irefresh->refresh();
  if (multifile) close(true);
}

void DumpGPZ::write_frame() {
  const bool skip = in_file_already();
  std::string problem;
  if (!skip) {
    set_bounds();

    const KeepArrays keep(atom);
    if (pbcflag) wrap();
    pack(nullptr);
    columns_->bind(atom, buf);
    summary_.lap(GPZSummary::GATHER);
    try {
      describe_frame();
      encoder_.encode(columns_->fields(), static_cast<std::size_t>(nme), nchoose < atom->nlocal ? clist : nullptr,
                      chunks_[0]);
    } catch (const std::exception &e) {
      problem = output_.path() + ": cannot compress: " + e.what();
    }
    summary_.lap(GPZSummary::COMPRESS);
  }

  try {
    const std::uint64_t bytes = output_.write(info_, chunks_, problem, skip, summary_);
    if (skip)
      summary_.skip_frame();
    else
      summary_.end_frame(bytes, static_cast<std::uint64_t>(nme), static_cast<std::size_t>(size_one), info_.fields);
  } catch (const GPZOutputError &e) {
    fail(e.what());
  }
}

// What is relative to the box refers to the first frame: of the file, if it is continued, otherwise of this dump. An
// error of scaled positions counts as the distance that it becomes in the box of this frame.
void DumpGPZ::set_bounds() {
  const gpz::Box now = box();
  if (first_edge_ == 0) first_edge_ = output_.first_edge();
  if (first_edge_ == 0) first_edge_ = longest_edge(now);
  const double bound = bound_.kind == PositionBound::RELATIVE ? bound_.value * first_edge_ : bound_.value;
  columns_->set_bounds(bound, bound / now.largest_edge_sum());
}

// Domain's own functions are named because KOKKOS overrides them with ones that change the live atoms on the device.
void DumpGPZ::wrap() {
  const int nlocal = atom->nlocal;
  if (nlocal > maxpbc) pbc_allocate();
  if (nlocal) {
    const std::size_t n = static_cast<std::size_t>(nlocal);
    memcpy(&xpbc[0][0], &atom->x[0][0], 3 * n * sizeof(double));
    memcpy(&vpbc[0][0], &atom->v[0][0], 3 * n * sizeof(double));
    memcpy(imagepbc, atom->image, n * sizeof(imageint));
  }
  atom->x = xpbc;
  atom->v = vpbc;
  atom->image = imagepbc;
  if (domain->triclinic) domain->Domain::x2lamda(nlocal);
  domain->Domain::pbc();
  if (domain->triclinic) domain->Domain::lamda2x(nlocal);
}

/* ----------------------------------------------------------------------
   fill buf with the columns that are not read in place: row i is local atom i, as it is for those that are
------------------------------------------------------------------------- */

void DumpGPZ::pack(tagint *) {
  const std::vector<int> &packed = columns_->packed();
  if (packed.empty()) return;

  const std::int64_t size = static_cast<std::int64_t>(atom->nlocal) * size_one;
  if (size > MAXSMALLINT) error->one(FLERR, "Too much per-proc info for dump");
  if (size > maxbuf) {
    maxbuf = static_cast<int>(size);
    memory->destroy(buf);
    memory->create(buf, maxbuf, "dump:buf");
  }
  for (const int n : packed) (this->*pack_choice[n])(n);

  // DumpCustom packs the chosen atoms without gaps; clist ascends, so from the end no value is overwritten before it is
  // moved
  for (int i = nchoose - 1; i >= 0 && clist[i] != i; --i)
    for (const int n : packed) buf[clist[i] * size_one + n] = buf[i * size_one + n];
}

void DumpGPZ::describe_frame() {
  info_.timestep = update->ntimestep;
  info_.time = compute_time();
  info_.box = box();
  info_.fields.clear();
  for (const gpz::FieldInput &column : columns_->fields()) {
    info_.fields.push_back(column.field);
    if (column.field.bound > 0) info_.fields.back().step = gpz::grid_step(column.field.bound, column.field.type);
  }
}

gpz::Box DumpGPZ::box() const {
  gpz::Box box;
  box.dimension = static_cast<std::uint8_t>(domain->dimension);
  for (int side = 0; side < 6; ++side) box.boundary[side] = "pfsm"[domain->boundary[side / 2][side % 2]];
  const double *lo = domain->boxlo, *hi = domain->boxhi;
  if (triclinic_general) {
    const double *a = domain->avec, *b = domain->bvec, *c = domain->cvec;
    box.kind = gpz::Box::Kind::general_triclinic;
    box.values = {a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], lo[0], lo[1], lo[2]};
  } else {
    box.kind = domain->triclinic ? gpz::Box::Kind::triclinic : gpz::Box::Kind::orthogonal;
    box.values = {lo[0], hi[0], lo[1], hi[1], lo[2], hi[2], 0, 0, 0, 0, 0, 0};
    if (domain->triclinic) {
      box.values[6] = domain->xy;
      box.values[7] = domain->xz;
      box.values[8] = domain->yz;
    }
  }
  return box;
}

/* ---------------------------------------------------------------------- */

void DumpGPZ::end_of_run() {
  if (summary_.empty()) return;
  const double loop_seconds = update && update->whichflag && timer ? timer->get_wall(Timer::TOTAL) : 0.0;
  const std::string title = fmt::format("Dump {} gpz: {}", id, filename);
  const std::string text = summary_.report(world, title, columns_->fields(), loop_seconds);
  if (comm->me == 0) utils::logmesg(lmp, text);
  summary_ = {};
}

double DumpGPZ::memory_usage() {
  return DumpCustom::memory_usage() + columns_->memory_usage() + static_cast<double>(chunks_[0].bytes.capacity());
}
