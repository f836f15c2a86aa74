// SPDX-License-Identifier: BSD-3-Clause
#include "module.hpp"

#include <tuple>

#include "gpz/choices.hpp"
#include "gpz/limits.hpp"
#include "gpz/printable.hpp"
#include "gpz/units.hpp"
#include "gpz/version.h"
#include "interpreter.hpp"
#include "text.hpp"

using nanobind::literals::operator""_a;

namespace {

// The number of each name, in the order of the table.
template <typename Names>
nanobind::dict numbers_of(const Names &names) {
  nanobind::dict numbers;
  for (const auto &named : names) numbers[named.name] = static_cast<int>(named.value);
  return numbers;
}

// For each unit style: symbols of distance and time, LAMMPS's words, and what they are in SI units.
nanobind::dict unit_styles() {
  nanobind::dict styles;
  for (const gpz::UnitStyle &style : gpz::unit_styles()) {
    const gpz::QuantityUnits &words = style.words;
    const gpz::UnitsInSI &si = style.in_si;
    nanobind::dict of_style;
    of_style["symbols"] = nanobind::make_tuple(style.length_symbol, style.time_symbol);
    const std::tuple<const char *, const char *, double> quantities[] = {{"mass", words.mass, si.mass},
                                                                         {"length", words.length, si.length},
                                                                         {"time", words.time, si.time},
                                                                         {"energy", words.energy, si.energy},
                                                                         {"pressure", words.pressure, si.pressure},
                                                                         {"charge", words.charge, si.charge}};
    for (const auto &[name, word, in_si] : quantities) of_style[name] = nanobind::make_tuple(word, in_si);
    styles[style.name] = of_style;
  }
  return styles;
}

}  // namespace

NB_MODULE(_core, module) {
  // Programs that end while other packages hold objects (notebooks do) would print a line for each.
  nanobind::set_leak_warnings(false);
  module.attr("version") = GPZ_VERSION_STRING;
  module.attr("observed_atoms") = gpz::observed_atoms;
  module.attr("per_atom") = gpz::per_atom;
  module.attr("default_key_interval") = gpz::default_key_interval;
  module.attr("max_key_interval") = gpz::max_key_interval;
  module.attr("max_threads") = gpz::max_threads;
  module.attr("orders") = numbers_of(gpz::order_names);
  module.attr("efforts") = numbers_of(gpz::effort_names);
  module.attr("default_order") = gpz::name_of(gpz::order_names, gpz::default_order);
  module.attr("default_effort") = gpz::name_of(gpz::effort_names, gpz::default_effort);
  nanobind::list results;
  for (const char *name : gpz::results_of_atoms) results.append(name);
  module.attr("results_of_atoms") = nanobind::tuple(results);
  module.def("default_memory_limit", &gpz::default_memory_limit,
             "Bytes: half of the memory of this machine, or of what the process may use.");
  module.def(
      "printable",
      [](const nanobind::str &text) { return gpz::python::to_python(gpz::printable(gpz::python::from_python(text))); },
      "The text as one line that no terminal takes for a command, for names from files.");
  module.def(
      "position_bound",
      [](const nanobind::str &style) { return gpz::unit_style(gpz::python::from_python(style)).position_bound; },
      "style"_a, "The default bound of positions in the units of this style. Unknown styles are refused.");
  module.attr("units") = unit_styles();
  module.attr("kilojoule_per_mole") = 1e3 / gpz::si::avogadro;
  module.attr("electron_charge") = gpz::si::electron_charge;
  module.attr("electronvolt") = gpz::si::electronvolt;
  module.attr("angstrom") = gpz::si::angstrom;
  module.attr("dalton") = gpz::si::dalton;
  module.attr("thermal_bound_text") = gpz::thermal_bound_text;
  module.def(
      "is_gpz_name", [](const nanobind::str &path) { return gpz::is_gpz_name(gpz::python::from_python(path)); },
      "path"_a, "Whether the name ends in .gpz, in small or capital letters.");
  module.def("usual_bound", &gpz::usual_bound, "rms"_a,
             "The bound that is proposed for a column with this root mean square; 0: none.");
  gpz::python::bind_lossless(module);
  gpz::python::watch_end_of_interpreter();
  gpz::python::bind_errors();
  gpz::python::bind_sources(module);
  gpz::python::bind_frame_array(module);
  gpz::python::bind_positions(module);
  gpz::python::bind_selection(module);
  gpz::python::bind_reader(module);
  gpz::python::bind_writer(module);
}
