// SPDX-License-Identifier: BSD-3-Clause
// Frames to text files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/tables.hpp"
#include "ordered_output.hpp"
#include "output_file.hpp"
#include "type_names.hpp"
#include "writers/row_text.hpp"

namespace gpz::tool {

struct TextOptions {
  std::string input;                 // for messages
  std::string sort;                  // column to sort particles by; empty: the order of the file
  bool sort_required = true;         // false: frames without the column keep their order
  bool hide_ids = false;             // numbers of rows, by which they are sorted
  std::vector<std::string> columns;  // those that are printed, in this order; empty: all, in the order of the file
  bool unwrap = false;
  bool exact = false;
  bool with_time = false;
  bool with_units = false;
  std::string units;
  TypeNames names;                // words (word.hpp)
  bool every_type_named = false;  // an atom type without an element name is an error
  int threads = 1;
};

class FrameWriter {
 public:
  FrameWriter(OutputFile &out, TextOptions options);
  virtual ~FrameWriter() = default;
  FrameWriter(const FrameWriter &) = delete;
  FrameWriter &operator=(const FrameWriter &) = delete;

  // Which fields a frame needs to have decoded.
  std::vector<bool> wanted(const FrameInfo &info) const;

  // Whether the format has a place for numbers of the whole frame.
  virtual bool prints_observables() const { return false; }

  // Takes the frame apart into jobs for the threads; returns while they work. Throws Failure.
  void write(Frame frame, const std::vector<Observable> &observables = {});
  // Waits until everything is written.
  void finish() { output_.finish(); }

 protected:
  // Whether the format prints columns of any kind; otherwise only those that it needs.
  virtual bool prints_all() const = 0;
  // Whether the format cannot do without the column, if it is there.
  virtual bool needs(const std::string &) const { return false; }
  // Changes the values to those that are printed.
  virtual void prepare(Frame &) const {}
  virtual std::string header(const Frame &frame, const std::vector<Observable> &observables) = 0;
  virtual std::vector<ColumnText> columns(const Frame &frame) const = 0;

  const TextOptions &options() const { return options_; }
  // Throws Failure (usage) if every type shall have an element name, and a value of the column has none.
  void check_elements(const Frame &frame, const Frame::Column &column) const;

 private:
  std::vector<std::string> columns_kept(const Frame &frame) const;

  TextOptions options_;
  OrderedOutput output_;
};

// LAMMPS text dump, as `dump custom` writes it.
std::unique_ptr<FrameWriter> make_lammps_writer(OutputFile &out, TextOptions options);
// Name, x, y, z in Cartesian coordinates. The extended form has the box and all columns.
std::unique_ptr<FrameWriter> make_xyz_writer(OutputFile &out, TextOptions options, bool extended);

}  // namespace gpz::tool
