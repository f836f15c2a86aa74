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

#include "dump_gpz.h"

#include <gpz/version.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <gpz/error.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "fix_gpz_step.h"
#include "gpz_exit_code.h"
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
    : DumpCustom(lammps, narg, arg), backend_(lammps), share_(lammps), output_(world), bound_(update->unit_style) {
  command_ = "dump";
  for (int i = 0; i < narg; ++i) command_ += std::string(" ") + arg[i];

  columns_ = std::make_unique<GPZColumns>(column_list(), domain->dimension);

  // text is never buffered: lets Dump refuse dump_modify buffer yes
  buffer_allow = buffer_flag = 0;

  fix_id_ = "GPZ_STEP_" + std::to_string(instances++);
  modify->add_fix(fix_id_ + " all GPZ/STEP " + id);
}

DumpGPZ::~DumpGPZ() {
  int finalized = 0;  // if LAMMPS is a library, MPI may have ended before it
  MPI_Finalized(&finalized);
  if (!finalized) {
    if (output_.is_open()) close(false);
    end_of_run();
  }
  if (modify && modify->get_fix_by_id(fix_id_)) modify->delete_fix(fix_id_);
}

// As DumpCustom has read it; only the constructor can do so, because the names belong to the input script.
std::vector<GPZColumns::Column> DumpGPZ::column_list() const {
  using Kind = GPZColumns::Kind;
  std::vector<GPZColumns::Column> list;
  for (int n = 0; n < nfield; ++n) {
    const std::string name = earg[n];
    const auto pack = pack_choice[n];
    const bool array = pack == &DumpGPZ::pack_compute || pack == &DumpGPZ::pack_fix ||
                       pack == &DumpGPZ::pack_variable || pack == &DumpGPZ::pack_custom;
    if (vtype[n] == DOUBLE) {
      list.push_back({name, Kind::real, array});
    } else if (vtype[n] == INT || vtype[n] == BIGINT) {
      list.push_back({name, Kind::integer, array});
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

/* ---------------------------------------------------------------------- */

void DumpGPZ::init_style() {
  refuse_keywords();
  schedule_.restart();
  share_.restart();
  if (columns_->has(GPZColumns::Kind::type_label) && !(atom->labelmapflag && atom->lmap->is_complete(Atom::ATOM)))
    fail("column typelabel needs a label for every atom type");
  if (output_.is_open()) {
    int mine = output_.path() != current_path(), changed = 0;  // perhaps not on every rank
    MPI_Allreduce(&mine, &changed, 1, MPI_INT, MPI_MAX, world);
    if (changed) fail("nfile and fileper cannot change after the first run");
    output_.set_group(group());  // the ranks have not changed, but dump_modify nfile has freed their communicator
  }
  try {
    // a file of one frame is closed before LAMMPS goes on
    output_.set_async(async_ && !multifile && strcmp(id, "WRITE_DUMP") != 0);
  } catch (const GPZOutputError &e) {
    fail(e.what());
  }

  try {
    summary_.begin(GPZSummary::BEFORE);
    drain();  // earlier frames are in the backend's memory
    backend_.init();
  } catch (const gpz::Error &e) {
    error->one(FLERR, "Dump " + std::string(id) + " gpz: dump_modify device: " + e.what());
  }
  if (!backend_.compressor().set_order(order_))
    error->one(FLERR, "Dump " + std::string(id) + " gpz: dump_modify order id is possible with device cpu only");
  if (!backend_.compressor().set_effort(effort_, wanted_features()))
    error->one(FLERR, "Dump " + std::string(id) +
                          " gpz: of dump_modify effort, device cpu is needed for dense, and with order id for default");

  columns_->choose_sources(triclinic_general, device_atoms());
  DumpCustom::init_style();  // opens the file

  if (output_.is_open()) {
    set_effort();
    const gpz::Metadata now = metadata();
    if (now.elements != metadata_.elements || now.type_labels != metadata_.type_labels)
      fail("element names and type labels are in the file already and cannot change after the first run");
  }
  print_bound();
  early_ = false;
  if (lmp->kokkos && update->whichflag == 1 && place_in_output() >= 0)
    if (auto *const step = dynamic_cast<FixGPZStep *>(modify->get_fix_by_id(fix_id_)))
      step->take_place(why_not_early().empty() && reads_stored_arrays_only());
  print_device();
  if (comm->me == 0 && !output_.refusal().empty())
    utils::logmesg(lmp, fmt::format("Dump {} gpz: not written in the background: {}\n", id, output_.refusal()));
}

void DumpGPZ::print_bound() {
  if (bound_printed_ || !columns_->has_positions() || comm->me) return;
  utils::logmesg(lmp, fmt::format("Dump {} gpz: positions {}\n", id, bound_.text(update->unit_style, id)));
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
// Each of the two dumps would assume that the file is as it left it.
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
  schedule_.restart();
  try {
    output_.open(group(), path, metadata_, append_flag, problem);
  } catch (const GPZOutputError &e) {
    fail(e.what());
  }
  if (output_.dropped() > 0 && comm->me == 0)
    error->warning(
        FLERR, fmt::format("Dump {} gpz: {}: {} frame(s) that not all of the dump's files have were cut off: the run "
                           "that wrote them did not complete them",
                           id, filename, output_.dropped()));
  set_effort();
  if (multifile == 0) singlefile_opened = 1;
}

// The required features of a file of this effort.
std::uint32_t DumpGPZ::wanted_features() const {
  const std::vector<std::string> names = columns_->names();
  const bool has_ids = std::find(names.begin(), names.end(), "id") != names.end();
  return gpz::features_of(effort_, order_, has_ids);
}

// The effort is limited to what the header of the file allows, which was written when the file was new.
void DumpGPZ::set_effort() {
  backend_.compressor().set_effort(effort_, output_.features());
  if ((wanted_features() & ~output_.features()) == 0 || effort_limited_) return;
  effort_limited_ = true;
  if (comm->me == 0)
    error->warning(FLERR,
                   fmt::format("Dump {} gpz: {} was begun with a smaller effort, which is kept", id, output_.path()));
}

// Writes the index. A destructor cannot tell LAMMPS of an error (`can_throw` is false): all it does is print it and
// change the exit code.
void DumpGPZ::close(bool can_throw) {
  try {
    output_.close();
  } catch (const GPZOutputError &e) {
    if (can_throw) fail(e.what());
    gpz_end_with_failure();
    if (comm->me == 0) utils::logmesg(lmp, std::string("ERROR: Dump ") + id + " gpz: " + e.what() + "\n");
  }
}

gpz::Metadata DumpGPZ::metadata() const {
  gpz::Metadata facts;
  facts.generator = std::string("gpz " GPZ_VERSION_STRING ", LAMMPS ") + lmp->version;
  facts.units = update->unit_style;
  facts.atom_style = atom->atom_style;
  const std::size_t suffix = facts.atom_style.rfind("/kk");  // says where LAMMPS computes, not what atoms are
  if (suffix != std::string::npos) facts.atom_style.resize(suffix);
  facts.command = command_;
  facts.columns = columns_->names();
  if (elements_given_ || columns_->has(GPZColumns::Kind::element))
    facts.elements.assign(typenames + 1, typenames + 1 + ntypes);
  if (atom->labelmapflag) facts.type_labels = Labels::of(*atom->lmap);
  facts.timestep_size = update->dt;
  facts.features = wanted_features();
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
  const bool in_loop = update->whichflag && update->ntimestep != update->firststep;
  summary_.begin(in_loop ? GPZSummary::INSIDE : GPZSummary::BEFORE);
  columns_->choose_sources(triclinic_general, device_atoms());  // dump_modify pbc before "run pre no"
  copy_to_host();

  // before the tests, because it invokes computes and so lets Output plan their next invocation
  nme = count();
  if (delay_flag && update->ntimestep < delaystep) return;
  if (skipflag && input->variable->compute_equal(skipindex) != 0.0) return;

  if (multifile) openfile();
  write_frame();
  if (refreshflag) irefresh->refresh();
  if (multifile) close(true);
  if (!update->whichflag) drain();  // no end of a run follows that would notice an error
}

// Must DumpCustom choose the atoms? It also invokes computes and evaluates variables, and packs the atoms of its list.
bool DumpGPZ::chosen_by_custom() const {
  return idregion || nthresh || ncompute || nvariable || !columns_->packed().empty();
}

// Where KOKKOS has the atoms, if this frame takes them there: dump_modify pbc works on copies in host memory.
GPZDeviceAtoms *DumpGPZ::device_atoms() { return pbcflag ? nullptr : backend_.device_atoms(); }

int DumpGPZ::count() {
  rows_ = nullptr;
  if (GPZDeviceAtoms *resident = device_atoms()) {
    try {
      resident->sync(columns_->stored(), ncustom > 0);
      if (!chosen_by_custom() && igroup != 0) {
        const GPZDeviceAtoms::Rows rows = resident->select(groupbit);
        rows_ = rows.data;
        return static_cast<int>(rows.count);
      }
    } catch (const gpz::Error &e) {
      error->one(FLERR, "Dump " + std::string(id) + " gpz: cannot select atoms: " + e.what());
    }
  }
  if (!chosen_by_custom() && igroup == 0) return atom->nlocal;
  const int chosen = DumpCustom::count();
  if (chosen < atom->nlocal) rows_ = clist;
  return chosen;
}

void DumpGPZ::write_frame() {
  const bool skip = in_file_already();
  std::string problem;
  GPZChunk chunk;
  if (!skip) {
    set_bounds();

    const KeepArrays keep(atom);
    if (pbcflag) wrap();
    pack(nullptr);
    summary_.lap(GPZSummary::GATHER);
    chunk = make_chunk(problem);
  }

  try {
    const std::uint64_t bytes = output_.write(info_, std::move(chunk), problem, skip, summary_);
    if (skip) {
      summary_.skip_frame();
    } else {
      schedule_.written(info_);
      summary_.end_frame(bytes, static_cast<std::uint64_t>(nme), static_cast<std::size_t>(size_one), info_.fields);
    }
  } catch (const GPZOutputError &e) {
    schedule_.restart();  // LAMMPS may go on, as a library
    fail(e.what());
  }
}

// The chunk of this frame; of size 0 if another rank makes it, or if there is a problem.
GPZChunk DumpGPZ::make_chunk(std::string &problem) {
  const int buffer = output_.next_buffer(summary_);
  GPZAtoms *const on_device = device_atoms();
  if (!share_.keeps(!on_device)) schedule_.restart();
  describe_frame();  // the other ranks expect as many fields of this one, and what a key frame needs, whatever fails
  GPZRows atoms;
  try {
    columns_->bind(on_device ? *on_device : backend_.host_atoms(), find_arrays(), buf, atom->nlocal);
    describe_frame();  // with the types that the arrays have; takes no memory
    atoms = {columns_->fields(), static_cast<std::uint64_t>(atom->nlocal), static_cast<std::uint64_t>(nme), rows_};
  } catch (const std::exception &e) {
    problem = e.what();
  }
  summary_.lap(GPZSummary::COMPRESS);
  const bool key = info_.since_key == 0;
  share_.prepare(group(), key, static_cast<std::uint64_t>(nme), !on_device);
  const bool mine = share_.gather(atoms, problem);
  summary_.lap(GPZSummary::COMMUNICATE);
  GPZChunk chunk;
  try {
    if (mine)
      chunk = backend_.compressor().compress(std::move(atoms.fields), atoms.nrows, atoms.particles, atoms.rows,
                                             info_.box, key, buffer);
  } catch (const std::exception &e) {
    problem = e.what();
  }
  if (!problem.empty()) problem = output_.path() + ": cannot compress: " + problem;
  summary_.lap(GPZSummary::COMPRESS);
  return chunk;
}

// What is relative to the box refers to the first frame: of the file, if it is continued, otherwise of this dump. An
// error of scaled positions counts as the distance that it becomes in the box of this frame.
void DumpGPZ::set_bounds() {
  const gpz::Box now = box();
  if (first_edge_ == 0) first_edge_ = output_.first_edge();
  if (first_edge_ == 0) first_edge_ = longest_edge(now);
  const double bound = bound_.absolute(first_edge_);
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

// Where the values of a column are that has an array of its own: element i is local atom i. LAMMPS allocates arrays
// with several components as one piece.
gpz::ConstArray DumpGPZ::array_of(int column) const {
  const int which = field2index[column], part = argindex[column];
  const auto vector = [](const auto *values) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(values)>>;
    return gpz::ConstArray{values, sizeof(T), gpz_type_of<T>()};
  };
  const auto component = [&](const auto *const *rows) {
    using T = std::remove_cv_t<std::remove_pointer_t<std::remove_pointer_t<decltype(rows)>>>;
    const std::ptrdiff_t pitch = atom->nlocal > 1 ? rows[1] - rows[0] : part;
    return gpz::ConstArray{rows ? rows[0] + part - 1 : nullptr, pitch * static_cast<std::ptrdiff_t>(sizeof(T)),
                           gpz_type_of<T>()};
  };
  const auto pack = pack_choice[column];
  if (pack == &DumpGPZ::pack_compute)
    return part ? component(compute[which]->array_atom) : vector(compute[which]->vector_atom);
  if (pack == &DumpGPZ::pack_fix)
    return part ? component(this->fix[which]->array_atom) : vector(this->fix[which]->vector_atom);
  if (pack == &DumpGPZ::pack_variable) return vector(vbuf[which]);
  const int number = custom[which];
  if (vtype[column] == INT) return part ? component(atom->iarray[number]) : vector(atom->ivector[number]);
  return part ? component(atom->darray[number]) : vector(atom->dvector[number]);
}

std::vector<gpz::ConstArray> DumpGPZ::find_arrays() {
  std::vector<gpz::ConstArray> arrays;
  for (const int column : columns_->arrays()) {
    const gpz::ConstArray resident = custom_on_device(column);
    arrays.push_back(resident.data ? resident : array_of(column));
  }
  return arrays;
}

void DumpGPZ::describe_frame() {
  info_.timestep = update->ntimestep;
  info_.time = compute_time();
  info_.box = box();
  const std::vector<gpz::FieldInput> &inputs = columns_->fields();
  info_.fields.resize(inputs.size());
  for (std::size_t f = 0; f < inputs.size(); ++f) {
    info_.fields[f] = inputs[f].field;
    gpz::fill_step(info_.fields[f]);
  }
  info_.since_key = schedule_.next(info_.fields);
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

void DumpGPZ::drain() {
  try {
    output_.drain(summary_);
  } catch (const GPZOutputError &e) {
    fail(e.what());
  }
}

void DumpGPZ::poll() { output_.poll(); }

void DumpGPZ::end_of_run() {
  if (output_.is_open()) {
    summary_.begin(GPZSummary::AFTER);
    drain();
  }
  if (summary_.empty()) return;
  const double loop_seconds = update && update->whichflag && timer ? timer->get_wall(Timer::TOTAL) : 0.0;
  const std::string title = fmt::format("Dump {} gpz: {}", id, filename);
  const std::string text = summary_.report(world, title, share_.text(), columns_->fields(), loop_seconds);
  if (comm->me == 0) utils::logmesg(lmp, text);
  summary_ = {};
}

double DumpGPZ::memory_usage() {
  return DumpCustom::memory_usage() + columns_->memory_usage() + backend_.memory_usage() + share_.memory_usage();
}
