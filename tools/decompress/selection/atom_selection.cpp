// SPDX-License-Identifier: BSD-3-Clause
#include "selection/atom_selection.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "exit_code.hpp"
#include "gpz/error.hpp"

namespace gpz::tool {
namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

Region parse_region(const std::string &text) {
  const auto failure = [&] {
    return Failure(ExitCode::usage, "", "--region " + text + ": expected xlo:xhi,ylo:yhi,zlo:zhi; a side may be empty");
  };
  const auto parse = [&](const std::string &side, double &value) {
    if (side.empty()) return;
    const char *const end = side.data() + side.size();
    const auto [rest, error] = std::from_chars(side.data(), end, value);
    if (error != std::errc() || rest != end || std::isnan(value)) throw failure();
  };
  const std::vector<std::string> axes = split(text, ',');
  if (axes.size() < 2 || axes.size() > 3) throw failure();
  Region region;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::vector<std::string> sides = split(axes[axis], ':');
    if (sides.size() != 2) throw failure();
    parse(sides[0], region[axis].from);
    parse(sides[1], region[axis].to);
    if (region[axis].from > region[axis].to) throw failure();
  }
  return region;
}

}  // namespace

AtomSelection::AtomSelection(const AtomOptions &options, const TypeNames &names) {
  for (const std::string &text : options.ids) {
    if (!selection_.ids) selection_.ids.emplace();
    if (!selection_.ids->add(text))
      throw Failure(ExitCode::usage, "", "--ids: '" + text + "' is neither a number nor a range A:B");
  }
  for (const std::string &text : options.types) {
    if (!selection_.types) selection_.types.emplace();
    // Type labels of LAMMPS never look like numbers.
    if (selection_.types->add(text)) continue;
    if (add_named_types(text, names.elements, names.labels, *selection_.types)) continue;
    std::vector<std::string> known = names.elements;
    known.insert(known.end(), names.labels.begin(), names.labels.end());
    throw Failure(ExitCode::usage, "",
                  fmt::format("--types: '{}' is no number, range A:B, element or label{}", text,
                              known.empty() ? "; the file has no names of types"
                                            : fmt::format("; there are {}", fmt::join(known, " "))));
  }
  if (!options.region.empty()) selection_.region = parse_region(options.region);
}

void AtomSelection::apply(Frame &frame, const std::string &file) const {
  try {
    keep_particles(frame, selection_);
  } catch (const Error &error) {
    if (error.status() != Status::not_found) throw;
    throw Failure(ExitCode::usage, file, "--" + error.cause());
  }
}

}  // namespace gpz::tool
