// SPDX-License-Identifier: BSD-3-Clause
#include "lossless_advice.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "bounds.hpp"
#include "exit_code.hpp"
#include "gpz/error.hpp"
#include "gpz/reader.hpp"
#include "gpz/units.hpp"
#include "size_shares.hpp"

namespace gpz::tool {
namespace {

constexpr double worth_naming = 0.25;          // of the file
constexpr double smallest_gain = 64 * 1024.0;  // bytes of the columns

bool is_lossless(const Field &field) {
  return !takes_position_bound(field) && field.type != ValueType::integer && field.bound == 0;
}

// The root mean square of the finite values; 0 without any.
double root_mean_square(const std::vector<double> &values) {
  double squares = 0;
  double count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    squares += value * value;
    count += 1;
  }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

}  // namespace

void LosslessAdvice::look_at(const Frame &frame, std::uint64_t number) {
  if ((number & (number - 1)) != 0) return;  // a few are enough: 0, 1, 2, 4, 8, ...
  for (const Frame::Column &column : frame.columns) {
    if (!is_lossless(frame.info.fields[column.field])) continue;
    double &rms = rms_[frame.name(column)];
    rms = std::max(rms, root_mean_square(column.floats));
  }
}

std::string LosslessAdvice::text(const std::string &path, const Limits &limits) const {
  struct stat status {};
  if (rms_.empty() || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<double>(status.st_size) < smallest_gain)
    return {};
  double bytes = 0;
  try {
    for_field_sizes(Reader(path, limits), [&](const Field &field, double size) {
      if (is_lossless(field)) bytes += size;
    });
  } catch (const Error &) {
    return {};
  }
  const auto all = static_cast<double>(status.st_size);
  if (bytes < smallest_gain || bytes <= worth_naming * all) return {};
  std::string names;
  std::string bounds;
  const bool has_velocities = rms_.count("vx") + rms_.count("vy") + rms_.count("vz") == 3;
  for (const auto &[name, rms] : rms_) {
    names += (names.empty() ? "" : " ") + name;
    if (has_velocities && (name == "vx" || name == "vy" || name == "vz")) continue;
    const double usual = usual_bound(rms);
    if (usual > 0) bounds += fmt::format(" --bound {}={:g}", name, usual);
  }
  std::string text = fmt::format("{}: lossless: {}, {:.0f} % of the file", path, names, 100 * bytes / all);
  if (has_velocities) text += "; a thousandth of the thermal speed: --bound v*=thermal";
  if (!bounds.empty()) text += fmt::format("; a thousandth of their root mean square:{}", bounds);
  return printable(text);
}

}  // namespace gpz::tool
