// SPDX-License-Identifier: BSD-3-Clause
// Advice about float columns that are stored exactly: they may take most of a file. dump gpz, gpz encode and gpz
// convert give it when a file is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

// Whether the values of a field are floats, but no positions, and have no bound.
GPZ_API bool is_lossless(const Field &field);

class GPZ_API LosslessAdvice {
 public:
  // The finite values of a column in a frame.
  struct Squares {
    double sum = 0, count = 0;
    void add(double value);
  };

  // Frames of which values count: 0, 1, 2, 4, 8, ... Forces and velocities may be zero in the first one. Returns the
  // index among these; nothing for other frames.
  static std::optional<std::size_t> sample(std::uint64_t frame);
  // `sample`: as sample() returns it. One call for each column and sample.
  void add(const std::string &column, std::size_t sample, const Squares &squares);

  // The option of a program that gives columns a bound: "--bound fx=0.1 --bound fy=0.1 --bound fz=0.1". `bound`: a
  // number, or "thermal".
  using Option = std::function<std::string(const std::vector<std::string> &columns, const std::string &bound)>;
  // Whether the advice may be worth a line for a file of this size. If not, there is no need to read how large its
  // columns are.
  bool may_advise(double of_file) const;
  // A line with the columns, their share of the file, and the bounds that are usual: the thermal one for velocities
  // with three components, otherwise usual_bound() of the largest root mean square of the samples, of all components of
  // forces together.
  // Empty if the columns take at most a quarter of the file, or so few bytes that there is little to win.
  // `bytes`: of the columns. `start`: what stands before options.
  std::string text(double bytes, double of_file, const std::string &start, const Option &option) const;

 private:
  struct Column {
    std::string name;
    std::vector<Squares> samples;
  };
  std::vector<Column> columns_;
};

}  // namespace gpz
