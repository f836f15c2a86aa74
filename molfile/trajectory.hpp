// SPDX-License-Identifier: BSD-3-Clause
// A .gpz file as molfile plugins show trajectories: the same atoms in every frame, in the order of ids, as float32.
#pragma once

#include <gpz/gpz.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "box.hpp"
#include "tables.hpp"

namespace gpz::molfile {

// What went wrong, in words that name the file.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Trajectory {
 public:
  // Throws Failure: the file cannot be read, has no frame, or not the same number of atoms in every frame.
  explicit Trajectory(const std::string &path);

  int atoms() const { return atoms_; }
  std::size_t frames() const { return timesteps_.size(); }
  bool has_velocities() const { return has_velocities_; }
  std::uint64_t bytes() const { return bytes_; }  // of the file
  // What the file cannot show here as it is, for the user; each is a sentence that names the file.
  const std::vector<std::string> &warnings() const { return warnings_; }

  // Integers and floats of the first frame, in the order of ids, or else of the table of atoms; empty if there is no
  // such column.
  std::vector<std::int64_t> integers(const std::string &name);
  std::vector<double> floats(const std::string &name);
  // Atom types; empty without a column of types, elements or type labels.
  std::vector<std::int64_t> types();
  // Masses of atoms: the column or those of their types.
  std::vector<double> masses();
  const Tables &tables() const { return tables_; }
  // Names of atom types (0: that of type 1): elements, and type labels. Empty if the file has none.
  std::vector<std::string> elements() const;
  std::vector<std::string> type_labels() const;

  // Reads x y z of every atom. `velocities` may be nullptr; without columns of velocities they become 0. Returns the
  // frame's box. Throws Failure: damaged, or other atoms or columns than the first frame.
  Cell read(std::size_t frame, float *positions, float *velocities);
  // In the file's units of time; the timestep if neither the file nor the frame says how long one is.
  double time(std::size_t frame) const;
  // The file's unit of time where it has femtoseconds; 1 for others, whose times are taken for picoseconds.
  double picoseconds() const;

 private:
  struct Close {
    void operator()(gpz_reader *reader) const { gpz_reader_close(reader); }
  };

  std::string path_;
  std::unique_ptr<gpz_reader, Close> reader_;
  gpz_metadata metadata_ = gpz_new_metadata();
  std::uint64_t bytes_ = 0;
  int atoms_ = 0;
  std::vector<std::int64_t> timesteps_;
  std::vector<double> times_;
  std::vector<gpz_column_info> columns_;  // of the first frame
  std::vector<std::string> warnings_;
  std::string positions_;         // names of the columns, "x y z" or "x y"
  std::array<bool, 3> scaled_{};  // whether they are fractions of the box
  bool any_scaled_ = false;
  bool has_velocities_ = false;
  bool has_ids_ = false;
  std::vector<std::int64_t> ids_;    // of the first frame
  std::vector<std::int64_t> found_;  // of the frame that is read
  std::vector<double> fractions_;    // positions of which some are scaled
  Tables tables_;                    // of the first frame

  void require(gpz_status status) const;
  const gpz_column_info *find(const std::string &name) const;
  bool has_floats(const std::string &name) const;
  void choose_positions(int dimension);
  void check_atoms(const std::vector<std::uint64_t> &particles);
  void read_outputs(std::size_t frame, const std::vector<gpz_output> &outputs);
};

}  // namespace gpz::molfile
