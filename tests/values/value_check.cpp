// SPDX-License-Identifier: BSD-3-Clause
// Writes values with the library, reads them back and compares each of them. Prints one line for each part: what was
// tried, how many values, how many missed, and a digest of all files. Ends with 1 if one value missed.
//
//   value_check edges VALUES [FIRST-FILE]            near the edges of grid cells
//   value_check floats FIRST COUNT BOUND [leading]   the floats with these bits
//   value_check drift FRAMES PARTICLES               trajectories with one key frame
//
// Before these: --kernels NAME (generic, avx2, avx512) lets the library use no better instruction set.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../unit/limit_instruction_set.hpp"
#include "drift.hpp"
#include "edges.hpp"
#include "gpz/error.hpp"
#include "gpz/kernels/kernels.hpp"

namespace {

using namespace gpz::values;  // NOLINT(google-build-using-namespace): the program of that namespace

bool failed = false;

void print(const std::string &what, const Outcome &outcome, const std::string &more = "") {
  const Tally &tally = outcome.tally;
  std::printf("%-28s %12llu values, %llu of them exact, %llu integers, %llu misses, digest %016llx%s\n", what.c_str(),
              static_cast<unsigned long long>(tally.values), static_cast<unsigned long long>(tally.exact),
              static_cast<unsigned long long>(tally.integers), static_cast<unsigned long long>(tally.misses),
              static_cast<unsigned long long>(outcome.digest), more.c_str());
  if (tally.misses != 0) std::printf("  first: %s\n", tally.first_miss.c_str());
  failed |= tally.misses != 0 || tally.values == 0;
}

void print(const Drift &drift, std::size_t frames) {
  char text[100];
  std::snprintf(text, sizeof text, "; largest error %.6f bounds in the first frame, %.6f in the last", drift.first,
                drift.last);
  std::string more = text;
  for (const auto &[name, count] : drift.frames_with) more += "; " + name + " " + std::to_string(count);
  print(drift.name, drift.outcome, more);
  const auto found = drift.frames_with.find(drift.expected);
  if (frames >= 10 && (found == drift.frames_with.end() || found->second < frames / 4)) {
    std::printf("  only few frames are predicted by: %s\n", drift.expected.c_str());
    failed = true;
  }
}

double number(const std::string &text) { return std::strtod(text.c_str(), nullptr); }

int run(std::vector<std::string> arguments) {
  if (arguments.size() > 2 && arguments[0] == "--kernels") {
    gpz::test::limit_instruction_set(arguments[1]);
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  const std::size_t count = arguments.size();
  const auto whole = [&](std::size_t i) { return static_cast<std::uint64_t>(number(arguments[i])); };
  if ((count == 2 || count == 3) && arguments[0] == "edges") {
    print("edges", try_edges(whole(1), count == 3 ? whole(2) : 0));
  } else if (count >= 4 && count <= 5 && arguments[0] == "floats" && (count == 4 || arguments[4] == "leading")) {
    print("floats, bound " + arguments[3], try_floats(whole(1), whole(2), number(arguments[3]), count == 5));
  } else if (count == 3 && arguments[0] == "drift") {
    for (const Drift &drift : try_drift(whole(1), whole(2))) print(drift, whole(1));
  } else {
    std::fprintf(stderr,
                 "value_check [--kernels NAME] edges VALUES [FIRST-FILE] | floats FIRST COUNT BOUND [leading] | "
                 "drift FRAMES PARTICLES\n");
    return 2;
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::fprintf(stderr, "kernels %s, %.1f s of processor time\n", gpz::codec::kernels().name,
               static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const gpz::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
