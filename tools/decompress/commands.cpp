// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <thread>
#include <vector>

#include "gpz/choices.hpp"
#include "gpz/version.h"
#include "output_file.hpp"
#include "readers/row_parser.hpp"

namespace gpz::tool {

const char *const program_version = "gpz " GPZ_VERSION_STRING;

void require_other_standard_output(const std::string &input) { require_other_file("-", {input}); }

void add_threads_option(Command &command, int &threads) {
  threads = 0;
  command.option("--threads", threads, "threads to use; 0: one a core").range(0, max_threads);
}

namespace {

constexpr const char *automatic_interval = "auto";

void take_key_interval(const std::string &text, EncodingOptions &options) {
  options.is_key_interval_chosen = text == automatic_interval;
  if (options.is_key_interval_chosen) return;
  std::int64_t interval = 0;
  if (!parse_number(text, interval) || interval < 1 || interval > std::int64_t{max_key_interval})
    throw UsageError(fmt::format("--key {}: a number from 1 to {}, or {}", text, max_key_interval, automatic_interval));
  options.key_interval = static_cast<unsigned>(interval);
}

template <typename Names>
std::vector<std::string> words_of(const Names &names) {
  std::vector<std::string> words;
  words.reserve(names.size());
  for (const auto &named : names) words.emplace_back(named.name);
  return words;
}

}  // namespace

void add_encoding_options(Command &command, EncodingOptions &options, bool chooses_key) {
  const std::string key_frames =
      "a key frame every K frames; the others, if there are ids, are stored as differences: smaller, but read from "
      "their key frame on; 1: key frames only";
  options.is_key_interval_chosen = chooses_key;
  if (chooses_key)
    command
        .parsed_option(
            "--key", [&options](const std::string &text) { take_key_interval(text, options); },
            key_frames +
                fmt::format(
                    "; {}: the fewest frames that make the file at most 2 % larger than {} do, by the sizes of the "
                    "first six",
                    automatic_interval, default_key_interval))
        .type_name("K")
        .show_default(automatic_interval);
  else
    command.option("--key", options.key_interval, key_frames).range(1u, max_key_interval).show_default();
  command
      .parsed_option(
          "--order", [&options](const std::string &name) { options.order = *value_of(order_names, name); },
          "of particles in key frames: auto or id, by id; memory, that of the input; place, sorted by position. "
          "Without "
          "ids, auto, id and memory keep the rows in order, and place stores a set")
      .one_of(words_of(order_names))
      .show_default(name_of(order_names, default_order));
}

void add_effort_option(Command &command, std::optional<Effort> &effort, const std::string &default_text) {
  command
      .parsed_option(
          "--effort", [&effort](const std::string &name) { effort = value_of(effort_names, name); },
          "time spent on a smaller file: fast; standard, with molecules and a better code where there are ids; dense, "
          "all there is. Decoded values are the same")
      .one_of(words_of(effort_names))
      .show_default(default_text);
}

int thread_count(int threads) {
  if (threads > 0) return threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

namespace {

// "max", "50%" of the memory of this machine, or bytes with a unit of powers of 1024.
std::uint64_t memory_size(const std::string &text) {
  if (text == "max") return Limits::unlimited;
  const auto failure = [&] { return UsageError(text + " is no size such as 500M, 2G, 50% or max"); };
  std::uint64_t number = 0;
  const char *const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) throw failure();
  const std::string unit(rest, end);
  if (unit == "%") {
    if (number == 0 || number > 100) throw failure();
    return default_memory_limit() / 50 * number;  // which is half of the memory
  }
  const std::string units = "KMGT";
  if (unit.size() > 1 || units.find(unit) == std::string::npos) throw failure();
  for (std::size_t k = unit.empty() ? 0 : units.find(unit) + 1; k > 0; --k) {
    if (number > Limits::unlimited >> 10) throw failure();
    number <<= 10;
  }
  if (number == 0) throw failure();
  return number;
}

}  // namespace

void add_limits_option(Command &command, Limits &limits) {
  command
      .parsed_option(
          "--max-memory", [&limits](const std::string &text) { limits.memory = memory_size(text); },
          "the most memory to take for what the numbers in IN ask for: bytes, or a number with K, M, G, T or % (of the "
          "memory of this machine); max: all; default 50%")
      .type_name("SIZE");
}

}  // namespace gpz::tool
