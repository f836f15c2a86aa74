// SPDX-License-Identifier: BSD-3-Clause
#include "edges.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "edge_choice.hpp"
#include "value_file.hpp"

namespace gpz::values {
namespace {

std::vector<std::int64_t> ids_of(std::size_t particles) {
  std::vector<std::int64_t> ids(particles);
  std::iota(ids.begin(), ids.end(), std::int64_t{1});
  return ids;
}

std::vector<std::string> names_of(char name, int components) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(components));
  for (int d = 0; d < components; ++d) names.push_back(std::string(1, name) + std::to_string(d));
  return names;
}

void add(Outcome &outcome, const FrameValues &frame, const FileOptions &options, const std::string &what) {
  FileInMemory file(options);
  file.write(frame);
  file.close();
  outcome.tally += file.compare_frame(0, frame, what);
  outcome.digest = hashed(outcome.digest ^ file.digest());
}

template <typename T>
FieldValues edge_field(char name, Choice &choice, std::size_t particles) {
  const EdgeField field = choose_edge_field(choice, std::is_same_v<T, float> ? ValueType::float32 : ValueType::float64);
  std::vector<T> values(particles * static_cast<std::size_t>(field.components));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = edge_value<T>(field.seed, i, field.used_step, field.bits);
  return field_of(names_of(name, field.components), std::move(values), field.bound, field.step);
}

FieldValues edge_field(char name, Choice &choice, std::size_t particles) {
  return choice.below(2) == 0 ? edge_field<float>(name, choice, particles)
                              : edge_field<double>(name, choice, particles);
}

}  // namespace

Outcome try_edges(std::uint64_t values, std::uint64_t seed) {
  Outcome outcome;
  constexpr std::size_t sizes[] = {1, 31, 1023, 1024, 1025, 5000, 10000, 20000};
  for (std::uint64_t number = seed; outcome.tally.values < values; ++number) {
    Choice choice(number);
    FrameValues frame;
    frame.particles = sizes[choice.below(std::size(sizes))];
    frame.fields = {edge_field('x', choice, frame.particles), edge_field('v', choice, frame.particles),
                    field_of({"id"}, ids_of(frame.particles))};
    frame.fields[0].field.leading = choice.below(4) != 0;
    FileOptions options;
    options.order = choice.below(4) == 0 ? Order::id : Order::place;
    options.threads = 1 + static_cast<int>(number % 3);
    add(outcome, frame, options, "edges, file " + std::to_string(number));
  }
  return outcome;
}

Outcome try_floats(std::uint64_t first, std::uint64_t count, double bound, bool leading) {
  Outcome outcome;
  constexpr std::uint64_t at_once = 1u << 18;
  for (const std::uint64_t end = first + count; first < end;) {
    FrameValues frame;
    frame.particles = static_cast<std::size_t>(std::min(at_once, end - first));
    std::vector<float> values(frame.particles);
    for (float &value : values) {
      const auto bits = static_cast<std::uint32_t>(first++);
      std::memcpy(&value, &bits, sizeof value);
    }
    frame.fields = {field_of({"x"}, std::move(values), bound), field_of({"id"}, ids_of(frame.particles))};
    frame.fields[0].field.leading = leading;
    add(outcome, frame, {}, "floats before bits " + std::to_string(first));
  }
  return outcome;
}

}  // namespace gpz::values
