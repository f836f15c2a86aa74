// SPDX-License-Identifier: BSD-3-Clause
#include "readers/row_parser.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace gpz::tool {

std::string_view next_word(std::string_view &line) {
  const char *begin = line.data();
  const char *const end = begin + line.size();
  while (begin != end && is_blank(*begin)) ++begin;
  const char *stop = begin;
  while (stop != end && !is_blank(*stop)) ++stop;
  line = {stop, static_cast<std::size_t>(end - stop)};
  return {begin, static_cast<std::size_t>(stop - begin)};
}

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) words.push_back(word);
  return words;
}

bool parse_number(std::string_view word, double &value) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const char *const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  // Too large or too small for a double: infinity or (nearly) zero.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);
  return stop == end && error != std::errc::invalid_argument;
}

bool is_integer(double value) { return std::fabs(value) <= 0x1p53 && value == std::floor(value); }

bool parse_number(std::string_view word, std::int64_t &value) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const char *const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (stop == end && error == std::errc()) return true;
  // An integer written as 1e+06 or 1.0.
  double real = 0;
  if (!parse_number(word, real) || !is_integer(real)) return false;
  value = static_cast<std::int64_t>(real);
  return true;
}

std::optional<bool> logical_of(std::string_view word) {
  for (const std::string_view yes : {"T", "True", "true", "TRUE"})
    if (word == yes) return true;
  for (const std::string_view no : {"F", "False", "false", "FALSE"})
    if (word == no) return false;
  return std::nullopt;
}

WordNumbers::WordNumbers(std::vector<std::string> words) : words_(std::move(words)) {
  for (std::size_t i = 0; i < words_.size(); ++i) numbers_.emplace(words_[i], static_cast<std::int64_t>(i + 1));
}

std::int64_t WordNumbers::find(std::string_view word) const {
  const auto known = numbers_.find(word);
  return known == numbers_.end() ? 0 : known->second;
}

std::int64_t WordNumbers::number(std::string_view word) {
  if (const std::int64_t known = find(word)) return known;
  words_.emplace_back(word);
  const auto number = static_cast<std::int64_t>(words_.size());
  numbers_.emplace(words_.back(), number);
  return number;
}

void number_by_type(const ByteInput &input, const Words &words, Frame &frame, Metadata &metadata) {
  const Frame::Column *types = frame.find("type");
  if (types != nullptr && frame.info.fields[types->field].type != ValueType::integer) types = nullptr;
  for (Frame::Column &column : frame.columns) {
    const Display display = frame.info.fields[column.field].display;
    if (display == Display::number) continue;
    const std::vector<std::string> &names = display == Display::element ? words.elements.words() : words.labels.words();
    std::vector<std::string> &table = display == Display::element ? metadata.elements : metadata.type_labels;
    if (types == nullptr) {
      table = names;
      continue;
    }
    constexpr std::int64_t most_types = 1 << 20;
    for (std::size_t i = 0; i < column.integers.size(); ++i) {
      const std::int64_t type = types->integers[i];
      if (type < 1 || type > most_types)
        throw Failure(ExitCode::corrupt, input.name(), fmt::format("atom type {} is not from 1 on", type));
      const auto entry = static_cast<std::size_t>(type - 1);
      if (entry >= table.size()) table.resize(entry + 1);
      const std::string &name = names[static_cast<std::size_t>(column.integers[i] - 1)];
      if (table[entry].empty()) table[entry] = name;
      if (table[entry] != name)
        throw Failure(ExitCode::corrupt, input.name(),
                      fmt::format("atom type {} has two names: {} and {}", type, table[entry], name));
      column.integers[i] = type;
    }
  }
}

}  // namespace gpz::tool
