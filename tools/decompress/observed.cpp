// SPDX-License-Identifier: BSD-3-Clause
#include "observed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "gpz/units.hpp"

namespace gpz::tool {
namespace {

bool is_result(std::string_view name) {
  const std::string_view quantity = name.substr(0, name.find('['));
  return std::find(std::begin(results_of_atoms), std::end(results_of_atoms), quantity) != std::end(results_of_atoms);
}

std::string unit_of_total(const std::string &unit) {
  const std::string total = unit.substr(0, unit.size() - (sizeof per_atom - 1));
  return total == "1" ? "" : total;
}

}  // namespace

std::vector<Observable> ObservablesOfAtoms::of(const std::vector<Observable> &observables, std::uint64_t in_file,
                                               std::uint64_t taken) {
  const auto count = std::find_if(observables.begin(), observables.end(),
                                  [](const Observable &observable) { return observable.name == observed_atoms; });
  const bool is_named = count != observables.end();
  const double atoms = is_named && !std::isnan(count->value) ? count->value : static_cast<double>(in_file);
  const bool are_all = atoms == static_cast<double>(taken);
  std::vector<Observable> found;
  std::string left_out;
  for (Observable observable : observables) {
    if (!are_all && is_result(observable.name)) {
      left_out += " " + observable.name;
      continue;
    }
    if (is_per_atom(observable.unit)) {
      observable.value *= atoms;
      observable.unit = unit_of_total(observable.unit);
    }
    found.push_back(std::move(observable));
  }
  if (!are_all && !is_named && !observables.empty()) found.push_back({observed_atoms, "", atoms});
  if (!left_out.empty() && note_.empty())
    note_ =
        fmt::format("left out, because they are those of {} atoms, of which frames have {}:{}", atoms, taken, left_out);
  return found;
}

}  // namespace gpz::tool
