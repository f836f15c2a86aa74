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

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <gpz/error.hpp>
#include <gpz/units.hpp>
#include <stdexcept>
#include <utility>

#include "atom.h"
#include "atom_masks.h"
#include "comm.h"
#include "compute.h"
#include "domain.h"
#include "fix.h"
#include "fix_gpz_step.h"
#include "gpz_box.h"
#include "gpz_metadata.h"
#include "gpz_wrapped.h"
#include "input.h"
#include "label_map.h"
#include "modify.h"
#include "output.h"
#include "timer.h"
#include "update.h"
#include "variable.h"

using namespace LAMMPS_NS;

namespace {

int instances = 0;

// MPI_User_function: adds gpz::SpeciesVelocities.
void add_velocities(void *from, void *to, int *count, MPI_Datatype *) {
  for (int n = 0; n < *count; ++n)
    for (int d = 0; d < 3; ++d)
      static_cast<gpz::SpeciesVelocities *>(to)[n][d].add(static_cast<gpz::SpeciesVelocities *>(from)[n][d]);
}

}  // namespace

/* ---------------------------------------------------------------------- */

DumpGPZ::DumpGPZ(LAMMPS *lammps, int narg, char **arg)
    : GPZSource(lammps, narg, arg),
      settings_(update->unit_style),
      backend_(lammps),
      frames_(lammps, *this, backend_),
      output_(world),
      repeated_(log(), output_),
      direct_(lammps, this),
      context_(lammps, log()) {
  command_ = "dump";
  for (int i = 0; i < narg; ++i) command_ += std::string(" ") + arg[i];

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

int DumpGPZ::modify_param(int narg, char **arg) {
  const std::string keyword = arg[0];
  int used = 0;
  try {
    used = settings_.read(narg, arg, lmp, gpz_columns());
  } catch (const std::invalid_argument &e) {
    log().fail(e.what());
  }
  if (!used) return GPZSource::modify_param(narg, arg);
  if (keyword == "eb") {
    said_bound_.clear();
    bound_checked_ = false;
  }
  if (keyword == "key") frames_.set_key_interval(settings_.key);
  if (keyword == "share") frames_.set_share(settings_.share);
  if (keyword == "direct") direct_.set_wanted(settings_.direct);
  return used;
}

// Settings that Dump::modify_params stores without asking the style.
void DumpGPZ::refuse_keywords() const {
  const bool colname =
      std::any_of(keyword_user.begin(), keyword_user.end(), [](const std::string &s) { return !s.empty(); });
  if (sort_flag) log().fail("dump_modify sort is not possible: sort when decoding, with 'gpz decode --sort id'");
  if (balance_flag) log().fail("dump_modify balance is not possible: every rank writes its own atoms");
  if (!write_header_flag) log().fail("dump_modify header no is not possible: a file without its header cannot be read");
  if (format_line_user) log().fail("dump_modify format is not possible: set the precision with 'eb' and 'bound'");
  if (colname) log().fail("dump_modify colname is not possible: readers know the columns by their names");
  if (binary)
    log().fail(std::string("the file name ") + filename +
               " stands for a binary dump of style custom: choose a name like traj.gpz");
  if (compressed)
    log().fail(std::string("the file name ") + filename +
               " stands for compression by another program, but the file is compressed already: choose a name like "
               "traj.gpz");
}

// Errors of GPZOutput have the same text on all ranks.
void DumpGPZ::stop_if_it_fails(const std::function<void()> &use_output) const {
  try {
    use_output();
  } catch (const GPZOutputError &e) {
    log().fail(e.what());
  }
}

/* ----------------------------------------------------------------------
   the beginning of a run
------------------------------------------------------------------------- */

void DumpGPZ::init_style() {
  refuse_keywords();
  frames_.restart();
  if (gpz_columns().has(GPZColumns::Kind::type_label) && !(atom->labelmapflag && atom->lmap->is_complete(Atom::ATOM)))
    log().fail("column typelabel needs a label for every atom type");
  init_backend();
  init_output();

  choose_sources(backend_.kokkos_atoms());
  DumpCustom::init_style();  // opens the file

  if (output_.is_open()) {
    set_effort();
    const gpz::Metadata now = metadata();
    if (now.elements != metadata_.elements || now.type_labels != metadata_.type_labels)
      log().fail("element names and type labels are in the file already and cannot change after the first run");
  }
  say_bound();
  init_context();
  init_direct();
  log().say_if_new(device_text(), said_device_);
  if (!output_.refusal().empty()) log().say("not written in the background: " + output_.refusal());
}

void DumpGPZ::say_bound() {
  // A rerun has its bounds at its frames.
  if (gpz_columns().has_positions() && !GPZRerunOrigin::active(lmp))
    log().say_if_new("positions " + settings_.eb.text(update->unit_style, id), said_bound_);
}

void DumpGPZ::init_output() {
  if (output_.is_open()) {
    int mine = output_.path() != current_path(), changed = 0;  // perhaps not on every rank
    MPI_Allreduce(&mine, &changed, 1, MPI_INT, MPI_MAX, world);
    if (changed) log().fail("nfile and fileper cannot change after the first run");
    output_.set_group(group());  // the ranks have not changed, but dump_modify nfile has freed their communicator
  }
  // A file of one frame is closed before LAMMPS goes on.
  using Async = GPZOutput::Async;
  const bool at_once = multifile || strcmp(id, "WRITE_DUMP") == 0;
  int mine = static_cast<int>(at_once ? Async::no
                                      : settings_.async_on(backend_.kokkos_atoms() != nullptr, backend_.is_on_gpu()));
  int all = mine;  // hosts may differ in GPUs
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, world);
  stop_if_it_fails([&] { output_.set_async(static_cast<Async>(all)); });
}

void DumpGPZ::init_backend() {
  try {
    summary_.begin(GPZSummary::BEFORE);
    drain();  // earlier frames are in the backend's memory
    const auto &fields = gpz_columns().fields();
    const bool has_bounded_positions = gpz_columns().has_positions() && !settings_.eb.is_exact();
    const bool suit_gpu =
        has_bounded_positions && !triclinic_general && std::all_of(fields.begin(), fields.end(), [](const auto &field) {
          return field.field.leading || field.field.type == gpz::ValueType::integer;
        });
    const GPZSettings::Frames frames{has_column("id"), backend_.finds_kokkos_atoms(), suit_gpu};
    backend_.init(settings_.device, settings_.only_on_cpu(frames), settings_.shares_with_gpu(frames),
                  settings_.threads);
  } catch (const gpz::Error &e) {
    log().fail_alone(std::string("dump_modify device: ") + e.what());
  }
  backend_.compressor().set({order(), effort(), wanted_features()});
  if (effort() == gpz::Effort::dense && !has_column("id"))
    log().say_if_new("without column id, effort dense stores each frame as a set of atoms", said_sets_);
}

void DumpGPZ::init_direct() {
  direct_.restart();
  if (lmp->kokkos && update->whichflag == 1 && direct_.in_output())
    if (auto *const step = dynamic_cast<FixGPZStep *>(modify->get_fix_by_id(fix_id_)))
      step->move_in_lists(direct_.obstacle().empty() && !context_.has_observables() &&
                          reads_stored_arrays_only(direct_.step_variable()));
}

// Output lets computes know at which step the next frame is due, and that their values are of an earlier step, but not
// for frames at multiples of simulation time.
void DumpGPZ::init_context() {
  const int mine = direct_.dump_index();
  at_times_ = mine >= 0 && output->mode_dump[mine];
  // A file may have some of the atoms: of a group or region, within thresholds, or of some ranks.
  const bool is_part = igroup != 0 || idregion || nthresh || nclusterprocs != comm->nprocs;
  context_.init(settings_, mine >= 0 && !at_times_ ? output->every_dump[mine] : 0, is_part, igroup,
                gpz_columns().names());
  if (at_times_ && context_.has_observables()) modify->addstep_compute_all(update->ntimestep + 1);
}

void DumpGPZ::poll() {
  output_.poll();
  if (at_times_ && context_.has_observables()) modify->addstep_compute_all(update->ntimestep + 1);
}

GPZHostNeeds DumpGPZ::needs() const {
  GPZHostNeeds needs = host_needs(direct_.step_variable());
  context_.add_needs(needs);
  return needs;
}

std::string DumpGPZ::device_text() const {
  std::string text = backend_.text();
  if (!direct_.in_output() || !backend_.kokkos_atoms()) return text;
  const std::string obstacle = direct_.obstacle();
  if (!obstacle.empty()) return text + ", at the time of other output, because " + obstacle;
  const std::string read = needs().text();
  text += ", before KOKKOS copies them for other output";
  return read.empty() ? text : text + ", except " + read;
}

/* ----------------------------------------------------------------------
   files
------------------------------------------------------------------------- */

std::string DumpGPZ::current_path() const {
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

// dump_modify maxfiles: the file takes the place of the oldest one.
void DumpGPZ::replace_oldest(const std::string &path) {
  if (numfiles < maxfiles) {
    nameslist[numfiles++] = utils::strdup(path);
  } else {
    if (filewriter) (void)remove(nameslist[fileidx]);
    delete[] nameslist[fileidx];
    nameslist[fileidx] = utils::strdup(path);
    fileidx = (fileidx + 1) % maxfiles;
  }
}

void DumpGPZ::openfile() {
  if (singlefile_opened) return;

  const std::string path = current_path(), problem = in_use(path);
  if (multifile && maxfiles > 0 && problem.empty()) replace_oldest(path);

  metadata_ = metadata();
  repeated_.restart();
  frames_.begin_interval();
  context_.begin_file();
  const GPZAppend continued = append();
  stop_if_it_fails([&] { output_.open(group(), path, metadata_, append_flag ? &continued : nullptr, problem); });
  if (output_.dropped() > 0)
    log().warn(
        fmt::format("{}: {} frame(s) that not all of the dump's files have were cut off: the run that wrote them did "
                    "not complete them",
                    filename, output_.dropped()));
  set_effort();
  if (multifile == 0)
    singlefile_opened = 1;
  else
    say_bound();  // may be that of the file
}

// The required features of a file of this effort.
std::uint32_t DumpGPZ::wanted_features() const { return gpz::features_of(effort(), order(), has_column("id")); }

// The effort is limited to what the header of the file allows, which was written when the file was new.
void DumpGPZ::set_effort() {
  backend_.compressor().set({order(), effort(), output_.features()});
  const std::uint32_t of_effort = gpz::features_of(effort(), order(), has_column("id"));
  if ((of_effort & ~output_.features()) == 0 || effort_limited_ || !settings_.effort) return;
  effort_limited_ = true;
  log().warn(output_.path() + " was begun with a smaller effort, which is kept");
}

gpz::Metadata DumpGPZ::metadata() const {
  gpz::Metadata facts = gpz_metadata(lmp);
  facts.command = command_;
  facts.columns = gpz_columns().names();
  facts.elements = elements();
  facts.features = wanted_features();
  if (const auto *const rerun = GPZRerunOrigin::active(lmp)) rerun->describe(facts);
  return facts;
}

// The properties that a continued file must match: given by the user, or known to the simulation.
GPZAppend DumpGPZ::append() {
  GPZAppend append;
  append.given = metadata_;
  if (!elements_given()) append.given.elements.clear();
  for (const Fix *any : modify->get_fix_list())
    if (utils::strmatch(any->style, "^dt/reset")) append.given.timestep_size = 0;  // it is another one at each step
  append.next = [this](const gpz::FrameInfo &last, double first_edge) {
    gpz_columns().take_own_bounds(last);
    if (const auto bound = GPZColumns::position_bound(last)) settings_.eb.take(*bound);
    gpz::FrameInfo next;
    next.box = box();
    set_bounds(settings_.eb.absolute(first_edge > 0 ? first_edge : gpz_longest_edge(next.box)));
    for (const gpz::FieldInput &column : gpz_columns().fields()) next.fields.push_back(column.field);
    return next;
  };
  return append;
}

// Writes the index. A destructor cannot tell LAMMPS of an error (`can_throw` is false).
void DumpGPZ::close(bool can_throw) {
  try {
    output_.close();
  } catch (const GPZOutputError &e) {
    if (can_throw) log().fail(e.what());
    log().fail_in_destructor(e.what());
  }
}

/* ----------------------------------------------------------------------
   a frame
------------------------------------------------------------------------- */

void DumpGPZ::write() {
  if (!header_choice) log().fail("Must not use 'run pre no' after creating a new dump");
  const bool in_loop = update->whichflag && update->ntimestep != update->firststep;
  summary_.begin(in_loop ? GPZSummary::INSIDE : GPZSummary::BEFORE);
  choose_sources(backend_.kokkos_atoms());  // dump_modify pbc before "run pre no"
  copy_to_host();

  // before the tests, because it invokes computes and so lets Output plan their next invocation
  if (at_times_ && context_.has_observables()) modify->clearstep_compute();
  nme = count();
  context_.evaluate();
  if (delay_flag && update->ntimestep < delaystep) return;
  if (skipflag && input->variable->compute_equal(skipindex) != 0.0) return;

  if (multifile) openfile();
  write_frame();
  if (refreshflag) irefresh->refresh();
  if (multifile) close(true);
  if (!update->whichflag) drain();  // no end of a run follows that would notice an error
}

// Host memory gets what is read there.
void DumpGPZ::copy_to_host() {
  direct_.report_copies(summary_);
  if (!direct_.is_early()) return;
  const GPZHostNeeds read = needs();
  if (read.mask() == 0) return;
  summary_.copied(backend_.kokkos_atoms()->sync_host(read.mask()), read.text());
  summary_.lap(GPZSummary::COPY);
}

// An error of scaled positions counts as the distance that it becomes in the box of this frame.
void DumpGPZ::set_bounds(double bound) { gpz_columns().set_bounds(bound, bound / box().largest_edge_sum()); }

// Fractions have another bound in each box, of which the log has the first.
void DumpGPZ::say_bound_beside(const GPZPositionOrigin &origin) {
  const std::string source = fmt::format("{:.6g} of {}", origin.bound, origin.path);
  if (origin.bound == 0)
    log().say_if_new("positions " + settings_.eb.text(update->unit_style, id), said_bound_);
  else if (source != said_bound_)
    log().say("positions " + settings_.eb.text_beside(origin, first_edge_, update->unit_style));
  if (origin.bound > 0) said_bound_ = source;
}

// In a rerun, bounds hold for the positions that its files were made of. Returns that of distances.
double DumpGPZ::set_bounds_of_frame() {
  const GPZRerunOrigin *const rerun = gpz_columns().has_positions() ? GPZRerunOrigin::active(lmp) : nullptr;
  // KOKKOS may have the atoms of the set-up on the GPU only.
  if (rerun && backend_.kokkos_atoms()) backend_.kokkos_atoms()->sync_host(X_MASK | IMAGE_MASK);
  const auto origin = rerun ? rerun->positions(triclinic_general, gpz_columns().has_fractions()) : GPZPositionOrigin();
  const GPZPositionBound &eb = settings_.eb;
  const double bound = eb.beside(origin, first_edge_);
  set_bounds(bound);
  gpz_columns().set_largest_position(gpz_largest_coordinate(*domain));
  if (!gpz_columns().set_before(origin.distance, origin.fraction))
    log().fail(eb.problem_beside(origin, first_edge_, update->unit_style, id));
  if (rerun) say_bound_beside(origin);
  return bound;
}

// At the first frame.
void DumpGPZ::warn_of_large_bound(double bound) {
  if (bound_checked_ || !gpz_columns().has_positions()) return;
  bound_checked_ = true;
  const gpz::Box now = box();
  if (bound < 0.5 * gpz_longest_edge(now)) return;
  const auto edges = now.edges();
  log().warn(
      fmt::format("positions within {:.8g} in a box of {:.8g} x {:.8g} x {:.8g}: the bound is at least half of the "
                  "longest box edge, so that positions say almost nothing; dump_modify {} eb sets a smaller one",
                  bound, edges[0], edges[1], edges[2], id));
}

// Thermal bound of the atoms of the frame on all ranks, by type.
double DumpGPZ::thermal_bound() {
  if (backend_.kokkos_atoms()) backend_.kokkos_atoms()->sync_host(V_MASK | TYPE_MASK | MASK_MASK);
  const bool shows[] = {has_column("vx"), has_column("vy"), has_column("vz")};
  std::vector<gpz::SpeciesVelocities> mine(atom->ntypes), all(atom->ntypes);
  for (const int i : chosen_atoms())
    for (int d = 0; d < 3; ++d)
      if (shows[d]) mine[atom->type[i] - 1][d].add(atom->v[i][d]);

  MPI_Datatype numbers;
  MPI_Op add;
  MPI_Type_contiguous(sizeof(gpz::SpeciesVelocities) / sizeof(double), MPI_DOUBLE, &numbers);
  MPI_Type_commit(&numbers);
  MPI_Op_create(add_velocities, 1, &add);
  MPI_Allreduce(mine.data(), all.data(), atom->ntypes, numbers, add, world);
  MPI_Op_free(&add);
  MPI_Type_free(&numbers);
  return gpz::thermal_bound(all);
}

// At the first frame.
void DumpGPZ::set_thermal_bound() {
  if (!gpz_columns().needs_thermal_bound()) return;
  const double bound = thermal_bound();
  if (bound == 0.0)
    log().fail(
        "dump_modify bound thermal: no two atoms of one type differ in velocity at the first frame, so there is no "
        "thermal speed; give a number");
  gpz_columns().give_thermal_bound(bound);
  log().say(fmt::format("velocities within {:g}, {}, rounded down; change with dump_modify {} bound", bound,
                        gpz::thermal_bound_text, id));
}

// Makes the records in front of the frame. `problem`: why this rank has none.
GPZRecords DumpGPZ::make_records(std::string &problem) {
  try {
    return context_.records(group());
  } catch (const std::exception &e) {
    problem = e.what();
    return {};
  }
}

void DumpGPZ::write_frame() {
  const bool skip = append_flag && repeated_.has(update->ntimestep, multifile);
  std::string problem;
  GPZChunk chunk;
  if (!skip) {
    // Bounds relative to the box refer to the first frame of the file if it is continued, otherwise to the first frame
    // of this dump.
    if (first_edge_ == 0) first_edge_ = output_.first_edge();
    if (first_edge_ == 0) first_edge_ = gpz_longest_edge(box());
    set_thermal_bound();
    warn_of_large_bound(set_bounds_of_frame());
    const auto atoms_are_wrapped = wrapped();
    pack(nullptr);
    std::string problem_of_records;
    const GPZRecords records = make_records(problem_of_records);
    summary_.lap(GPZSummary::GATHER);
    chunk = frames_.make(group(), output_.next_buffer(summary_), output_.compresses_behind(), summary_, problem);
    chunk.records = records;
    if (problem.empty()) problem = problem_of_records;
    if (!problem.empty()) problem = output_.path() + ": cannot compress: " + problem;
  }

  try {
    output_.write(frames_.head(), std::move(chunk), problem, skip, summary_);
    if (skip) {
      summary_.skip_frame();
    } else {
      frames_.written();
      summary_.end_frame(particles(), static_cast<std::size_t>(size_one));
    }
    count_placed();
  } catch (const GPZOutputError &e) {
    frames_.begin_interval();  // LAMMPS may go on, as a library
    log().fail(e.what());
  }
}

/* ----------------------------------------------------------------------
   the end of a run
------------------------------------------------------------------------- */

void DumpGPZ::drain() {
  stop_if_it_fails([&] { output_.drain(summary_); });
  count_placed();
}

void DumpGPZ::count_placed() {
  for (const GPZOutput::Placed &frame : output_.take_placed()) summary_.placed(frame.bytes, frame.fields);
}

void DumpGPZ::end_of_run() {
  if (output_.is_open()) {
    summary_.begin(GPZSummary::AFTER);
    drain();
    summary_.set_mode(output_.in_background(), output_.compresses_behind());
  }
  if (summary_.empty()) return;
  const double loop_seconds = update && update->whichflag && timer ? timer->get_wall(Timer::TOTAL) : 0.0;
  std::string text =
      summary_.report(world, log().with_name(filename), frames_.text(), gpz_columns().fields(), loop_seconds);
  text += frames_.lossless().report(world, gpz_columns().fields(), id);
  if (comm->me == 0) utils::logmesg(lmp, text);
  summary_ = {};
}

double DumpGPZ::memory_usage() {
  return DumpCustom::memory_usage() + gpz_columns().memory_usage() + backend_.memory_usage() + frames_.memory_usage();
}
