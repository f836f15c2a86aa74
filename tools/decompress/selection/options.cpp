// SPDX-License-Identifier: BSD-3-Clause
#include "selection/options.hpp"

namespace gpz::tool {

void add_frames_option(Command &command, std::string &frames) {
  command.option("--frames", frames,
                 "frames A:B:S as in Python: from A, before B, every S-th; negative ones count from the end; a single "
                 "number is that frame");
}

void add_atom_options(Command &command, AtomOptions &atoms) {
  command.option("--ids", atoms.ids, "atoms with these ids: numbers and ranges with both ends, e.g. 1:100,205")
      .comma_separated();
  command
      .option("--types", atoms.types,
              "atoms of these types: numbers, ranges, elements or type labels of the file, e.g. 1,3 or C,O")
      .comma_separated();
  const auto take_region = [&atoms](const std::string &text) {
    if (text.empty()) throw UsageError("expected xlo:xhi,ylo:yhi,zlo:zhi, not an empty text");
    atoms.region = text;
  };
  command
      .parsed_option("--region", take_region,
                     "atoms in xlo:xhi,ylo:yhi,zlo:zhi, ends included, in distance units; an empty side has no end "
                     "there. The positions "
                     "are those of the file: x, else xu, else xs or xsu times the box")
      .type_name("TEXT");
}

void add_columns_option(Command &command, std::vector<std::string> &columns, const std::string &description) {
  command.option("--columns", columns, description).comma_separated();
}

}  // namespace gpz::tool
