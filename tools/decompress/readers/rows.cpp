// SPDX-License-Identifier: BSD-3-Clause
#include "readers/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <future>
#include <optional>
#include <system_error>
#include <vector>

namespace gpz::tool {
namespace {

// Where a value of one file column goes.
struct Target {
  double *floats = nullptr;
  std::int64_t *integers = nullptr;
  WordNumbers *words = nullptr;
  bool logical = false;
  bool left_out = false;
};

std::vector<Target> targets(const FrameLayout &layout, Words &words, Frame &frame) {
  std::vector<Target> targets(layout.columns().size());
  for (std::size_t c = 0; c < targets.size(); ++c) {
    const FileColumn &file_column = layout.columns()[c];
    targets[c].logical = file_column.logical;
    targets[c].left_out = file_column.left_out;
    if (file_column.left_out) continue;
    Frame::Column &column = frame.columns[layout.index_of(c)];
    if (file_column.type != ValueType::integer)
      targets[c].floats = column.floats.data();
    else
      targets[c].integers = column.integers.data();
    if (file_column.display == Display::element) targets[c].words = &words.elements;
    if (file_column.display == Display::type_label) targets[c].words = &words.labels;
  }
  return targets;
}

bool store(const Target &target, std::string_view word, std::size_t row) {
  if (target.left_out) return true;
  if (target.logical) {
    const std::optional<bool> value = logical_of(word);
    if (value) target.integers[row] = *value ? 1 : 0;
    return value || ((word == "0" || word == "1") && parse_number(word, target.integers[row]));
  }
  if (target.words != nullptr) {
    target.integers[row] = target.words->number(word);
    return true;
  }
  if (target.integers != nullptr) return parse_number(word, target.integers[row]);
  return parse_number(word, target.floats[row]);
}

// One line to row `row` of the columns; what is wrong with it, or nothing.
std::string read_row(std::string_view line, const FrameLayout &layout, const std::vector<Target> &columns,
                     std::size_t row) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string_view word = next_word(line);
    if (word.empty()) return fmt::format("{} columns where {} are expected", c, columns.size());
    if (!store(columns[c], word, row))
      return fmt::format("column {}: '{}' is no {}", layout.columns()[c].name, word,
                         columns[c].logical               ? "T or F"
                         : columns[c].integers != nullptr ? "integer"
                                                          : "number");
  }
  return next_word(line).empty() ? "" : fmt::format("more than {} columns", columns.size());
}

bool ends_word(char c) { return is_blank(c) || c == '\n' || c == '\r'; }

// Stores the number or the known word at the start of the text, and returns the text after it; nullptr for anything
// that needs a closer look.
const char *store_usual(const Target &target, const char *text, const char *end, std::size_t row) {
  const char *stop = text;
  if (target.words != nullptr) {
    while (stop != end && !ends_word(*stop)) ++stop;
    if (stop == text) return nullptr;
    target.integers[row] = target.words->find({text, static_cast<std::size_t>(stop - text)});
    return target.integers[row] > 0 ? stop : nullptr;
  }
  const auto [rest, error] = target.integers != nullptr ? std::from_chars(text, end, target.integers[row])
                                                        : std::from_chars(text, end, target.floats[row]);
  return error == std::errc() && (rest == end || ends_word(*rest)) ? rest : nullptr;
}

// Stores a line without anything unusual in row `row`, and returns the start of the next one, or nullptr. Numbers are
// read in one pass, in which their ends are found.
const char *read_usual_row(const char *text, const char *end, const std::vector<Target> &columns, std::size_t row) {
  for (const Target &column : columns) {
    while (text != end && is_blank(*text)) ++text;
    text = store_usual(column, text, end, row);
    if (text == nullptr) return nullptr;
  }
  while (text != end && is_blank(*text)) ++text;
  if (text != end && *text == '\r') ++text;
  if (text == end) return text;
  return *text == '\n' ? text + 1 : nullptr;
}

std::string_view first_line(const char *text, const char *end) {
  std::string_view line(text, static_cast<std::size_t>(end - text));
  line = line.substr(0, line.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool has_new_word(std::string_view line, const std::vector<Target> &columns) {
  return std::any_of(columns.begin(), columns.end(), [&](const Target &column) {
    const std::string_view word = next_word(line);
    return column.words != nullptr && !word.empty() && column.words->find(word) == 0;
  });
}

// Lines that follow each other, from which one thread takes rows.
struct Range {
  const char *text;
  const char *end;
  std::size_t row;      // of the first line that is not read
  std::string problem;  // with that line; empty: none was found
};

enum class NewWords { number, leave };

// Reads all lines, or up to one with a problem. NewWords::leave: or up to one with a word that has no number.
void read_range(Range &range, const FrameLayout &layout, const std::vector<Target> &columns, NewWords new_words) {
  const bool usual = std::none_of(columns.begin(), columns.end(),
                                  [](const Target &target) { return target.logical || target.left_out; });
  while (range.text != range.end) {
    const char *next = usual ? read_usual_row(range.text, range.end, columns, range.row) : nullptr;
    if (next == nullptr) {
      const std::string_view line = first_line(range.text, range.end);
      if (new_words == NewWords::leave && has_new_word(line, columns)) return;
      range.problem = read_row(line, layout, columns, range.row);
      if (!range.problem.empty()) return;
      next = std::find(range.text, range.end, '\n');
      if (next != range.end) ++next;
    }
    range.text = next;
    ++range.row;
  }
}

std::vector<Range> ranges_of(const ByteInput::Lines &lines, std::size_t row, int threads) {
  const std::size_t blocks = lines.block_starts.size();
  const std::size_t n = std::min(blocks, static_cast<std::size_t>(threads));
  const char *const text = lines.text.data();
  std::vector<Range> ranges;
  ranges.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = blocks * i / n;
    const std::size_t last = blocks * (i + 1) / n;
    const std::size_t end = last == blocks ? lines.text.size() : lines.block_starts[last];
    ranges.push_back({text + lines.block_starts[first], text + end, row + first * ByteInput::lines_of_block, {}});
  }
  return ranges;
}

// The words get their numbers in the order of the text: a thread leaves lines with new ones to the caller.
void read_at_once(std::vector<Range> &ranges, const FrameLayout &layout, const std::vector<Target> &columns) {
  const auto read = [&](Range &range) { read_range(range, layout, columns, NewWords::leave); };
  std::vector<std::future<void>> others;
  try {
    for (std::size_t i = 1; i < ranges.size(); ++i)
      others.push_back(std::async(std::launch::async, [&read, &range = ranges[i]] { read(range); }));
  } catch (const std::system_error &) {
    // The system has no more threads: the caller reads what is left.
  }
  read(ranges.front());
  for (std::future<void> &other : others) other.get();
}

}  // namespace

void read_rows(ByteInput &input, const FrameLayout &layout, std::size_t rows, int threads, Words &words,
               const std::string &where, Frame &frame) {
  // The least work for which a thread is started.
  constexpr std::size_t bytes_of_thread = std::size_t{1} << 17;
  // A line has at least a digit in each column, and what ends it.
  const std::size_t least_bytes_of_row = 2 * layout.columns().size();
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  const std::size_t block = std::min(2 * bytes_of_thread * static_cast<std::size_t>(threads), most_bytes);
  std::size_t row = 0;
  do {
    const std::size_t capacity = next_capacity(row, rows, layout.columns().size());
    resize_columns(frame, capacity);
    const std::vector<Target> columns = targets(layout, words, frame);
    while (row < capacity) {
      const std::size_t most = capacity - row;
      const ByteInput::Lines lines = input.lines(most, threads > 1 ? block : 1, most * least_bytes_of_row);
      if (lines.count == 0) throw input.ends_early(where);
      const auto used =
          std::min<std::size_t>(static_cast<std::size_t>(threads), lines.text.size() / bytes_of_thread + 1);
      std::vector<Range> ranges = ranges_of(lines, row, static_cast<int>(used));
      if (ranges.size() > 1) read_at_once(ranges, layout, columns);
      for (Range &range : ranges) {
        if (range.problem.empty()) read_range(range, layout, columns, NewWords::number);
        if (range.problem.empty()) continue;
        const std::uint64_t number = lines.taken_before + (range.row - row) + 1;
        throw input.line_is_cut() ? input.ends_early(where) : input.bad_line(number, range.problem);
      }
      row += static_cast<std::size_t>(lines.count);
    }
  } while (row < rows);
}

}  // namespace gpz::tool
