// SPDX-License-Identifier: BSD-3-Clause
#include "readers/xyz_comment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "readers/row_parser.hpp"

namespace gpz::tool {
namespace {

constexpr std::string_view json_mark = "_JSON ";  // what ASE writes in front of nested lists

std::string in_lower_case(std::string_view text) {
  std::string folded(text);
  for (char &c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return folded;
}

bool separates(char c) { return is_blank(c) || c == ','; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t end = i;
    while (end < text.size() && !separates(text[end])) ++end;
    if (end > i) words.emplace_back(text.substr(i, end - i));
    i = end + 1;
  }
  return words;
}

// Takes a text apart from front to back. Functions return false for what breaks the rules; problem() says what.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool at_end() const { return at_ == text_.size(); }
  bool at_value_end() const { return at_end() || is_blank(text_[at_]); }
  char next() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  const std::string &problem() const { return problem_; }
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  // Up to the closing character; a backslash takes the next character as it is, and \n is a line break.
  bool enclosed(char closing, std::string &text) {
    const std::size_t start = at_++;
    while (!at_end() && text_[at_] != closing) text += character();
    return take(closing) || fail(fmt::format("{} in column {} has no end", text_[start], start + 1));
  }

  // Up to a blank, or one of `stops`. A " in the middle begins a quoted part, as in ASE.
  bool word(std::string_view stops, std::string &text) {
    while (!at_value_end() && stops.find(text_[at_]) == std::string_view::npos) {
      if (text_[at_] != '"')
        text += character();
      else if (!enclosed('"', text))
        return false;
    }
    return true;
  }

  // Whether the quote ' is closed: in a word such as 5' it is none.
  bool has_closing_quote() const {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (text_[i] == '\'')
        return i + 1 == text_.size() || is_blank(text_[i + 1]);
    }
    return false;
  }

  // [1, 2] or [[1, 2], [3, 4]], from the first bracket on.
  bool array(XyzEntry &entry) {
    const std::size_t start = at_++;
    skip_blanks();
    if (next() != '[') return row(entry, start);
    std::size_t rows = 0;
    do {
      skip_blanks();
      const std::size_t before = entry.words.size();
      const std::size_t opening = at_;
      if (!take('[')) return fail(fmt::format("column {}: expected [", at_ + 1));
      if (!row(entry, opening)) return false;
      const std::size_t columns = entry.words.size() - before;
      if (rows++ > 0 && columns != entry.shape[1])
        return fail(fmt::format("the rows of the array in column {} differ in length", start + 1));
      entry.shape = {rows, columns};
      skip_blanks();
    } while (take(','));
    return take(']') || fail(fmt::format("[ in column {} has no end", start + 1));
  }

 private:
  char character() {
    if (text_[at_] != '\\' || at_ + 1 == text_.size()) return text_[at_++];
    at_ += 2;
    return text_[at_ - 1] == 'n' ? '\n' : text_[at_ - 1];
  }

  // Elements up to ].
  bool row(XyzEntry &entry, std::size_t start) {
    for (;;) {
      while (!at_end() && separates(text_[at_])) ++at_;
      if (at_end()) return fail(fmt::format("[ in column {} has no end", start + 1));
      if (take(']')) return true;
      std::string element;
      if (next() == '"') {
        if (!enclosed('"', element)) return false;
      } else if (next() == '[') {
        return fail(fmt::format("column {}: arrays have at most two dimensions", at_ + 1));
      } else if (!word(",]", element)) {
        return false;
      }
      entry.words.push_back(std::move(element));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
};

// A value that ASE writes as JSON, if it is an array of one or two dimensions.
void take_json(XyzEntry &entry) {
  if (entry.text.compare(0, json_mark.size(), json_mark) != 0) return;
  XyzEntry array;
  array.shape = {0, 0};
  const std::string json = entry.text.substr(json_mark.size());
  Scanner scanner(json);
  scanner.skip_blanks();
  if (scanner.next() != '[' || !scanner.array(array)) return;
  entry.words = std::move(array.words);
  entry.shape = array.shape;
}

bool parse_value(Scanner &scanner, XyzEntry &entry) {
  const char first = scanner.next();
  entry.enclosed = true;
  if (first == '[') {
    if (!scanner.array(entry)) return false;
    entry.text = fmt::format("[{}]", fmt::join(entry.words, ", "));
  } else {
    if (first == '"' || first == '{' || (first == '\'' && scanner.has_closing_quote())) {
      if (!scanner.enclosed(first == '{' ? '}' : first, entry.text)) return false;
    } else {
      entry.enclosed = false;
      if (!scanner.word("", entry.text)) return false;
    }
    entry.words = words_of(entry.text);
    take_json(entry);
  }
  return scanner.at_value_end() || scanner.fail(fmt::format("a blank is missing after the value of {}", entry.key));
}

bool parse_entry(Scanner &scanner, XyzEntry &entry) {
  entry.shape = {0, 0};
  const bool quoted = scanner.next() == '"';
  if (quoted ? !scanner.enclosed('"', entry.key) : !scanner.word("=", entry.key)) return false;
  entry.folded = in_lower_case(entry.key);
  scanner.skip_blanks();
  if (!scanner.take('=')) {
    entry.bare = true;
    entry.text = "T";
    entry.words = {entry.text};
    return true;
  }
  if (entry.key.empty()) return scanner.fail("= has no key");
  scanner.skip_blanks();
  return parse_value(scanner, entry);
}

// A number, with d as well as e before its exponent, as Fortran writes it.
bool parse_fortran_number(std::string word, double &value) {
  for (char &c : word)
    if (c == 'd' || c == 'D') c = 'e';
  if (!parse_number(std::string_view(word), value)) return false;
  const bool whole = word.find_first_not_of("+-0123456789") == std::string::npos;
  return !whole || std::fabs(value) < 0x1p53;
}

}  // namespace

const XyzEntry *XyzComment::find(std::string_view folded) const {
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const XyzEntry &e) { return e.folded == folded; });
  return entry == entries.end() ? nullptr : &*entry;
}

const XyzEntry *XyzComment::find_of_frame(std::string_view folded) const {
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const XyzEntry &e) { return e.of_frame && e.folded == folded; });
  return entry == entries.end() ? nullptr : &*entry;
}

namespace {

bool is_of_frame(const XyzEntry &entry) {
  const std::size_t words = entry.words.size();
  if (entry.folded == "lattice") return entry.key == "Lattice" || numbers_of(entry).size() == 9;
  if (entry.folded == "origin") return numbers_of(entry).size() == 3;
  if (entry.folded == "properties") return entry.key == "Properties" || entry.text.find(':') != std::string::npos;
  if (entry.folded != "pbc") return false;
  return entry.key == "pbc" || ((words == 3 || (words == 1 && !entry.bare)) &&
                                std::all_of(entry.words.begin(), entry.words.end(), [](const std::string &word) {
                                  return logical_of(word) || word == "0" || word == "1";
                                }));
}

}  // namespace

XyzComment parse_extended_comment(std::string_view line) {
  XyzComment comment;
  Scanner scanner(line);
  for (scanner.skip_blanks(); !scanner.at_end(); scanner.skip_blanks()) {
    XyzEntry entry;
    if (!parse_entry(scanner, entry)) {
      comment.problem = scanner.problem();
      break;
    }
    entry.of_frame = is_of_frame(entry);
    comment.entries.push_back(std::move(entry));
  }
  return comment;
}

bool is_extended(const XyzComment &comment, std::string_view line) {
  const XyzEntry *const properties = comment.find_of_frame("properties");
  if (properties != nullptr && !properties->bare) return true;
  const XyzEntry *const lattice = comment.find_of_frame("lattice");
  if (lattice != nullptr && lattice->enclosed && !numbers_of(*lattice).empty()) return true;
  if (comment.problem.empty()) return false;
  const std::string folded = in_lower_case(line);
  return folded.find("properties=") != std::string::npos || folded.find("lattice=\"") != std::string::npos;
}

std::vector<double> numbers_of(const XyzEntry &entry) {
  std::vector<double> numbers;
  for (const std::string &word : entry.words) {
    double value = 0;
    if (!parse_fortran_number(word, value)) return {};
    numbers.push_back(value);
  }
  return numbers;
}

namespace {

struct Pair {
  std::string key;  // in lower case
  std::string_view value;
  // Nothing but a comma or the next key follows the value, and no word belongs to the key, as in "time step: 1".
  bool alone = false;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool ends_part(char c) { return c == ',' || c == ';'; }

// The words of the text with = or : after them, and the words after these. What is in quotes is no part of it.
std::vector<Pair> pairs_of(std::string_view line) {
  const auto skip_blanks = [&](std::size_t i) {
    while (i < line.size() && is_blank(line[i])) ++i;
    return i;
  };
  // The end of a word at i, and the place after the = or : after it; 0 if it has none.
  const auto key_at = [&](std::size_t i) -> std::pair<std::size_t, std::size_t> {
    std::size_t end = i;
    while (end < line.size() && is_letter(line[end])) ++end;
    const std::size_t sign = skip_blanks(end);
    const bool is_key = end > i && sign < line.size() && (line[sign] == '=' || line[sign] == ':');
    return {end, is_key ? sign + 1 : 0};
  };
  std::vector<Pair> pairs;
  bool after_word = false;
  for (std::size_t i = skip_blanks(0); i < line.size(); i = skip_blanks(i)) {
    if (line[i] == '"') {
      const std::size_t end = line.find('"', i + 1);
      i = end == std::string_view::npos ? i + 1 : end + 1;
      after_word = false;
      continue;
    }
    const auto [end, behind] = key_at(i);
    std::size_t stop = behind == 0 ? i : skip_blanks(behind);
    const std::size_t start = stop;
    while (stop < line.size() && !is_blank(line[stop]) && !ends_part(line[stop]) && line[stop] != '"') ++stop;
    const std::string_view word = line.substr(start, stop - start);
    if (behind == 0) {
      after_word = std::any_of(word.begin(), word.end(), is_letter) && word.back() != '.' && word.back() != ':';
    } else {
      const std::size_t next = skip_blanks(stop);
      const bool ends = next == line.size() || ends_part(line[next]) || (next > stop && key_at(next).second != 0);
      pairs.push_back({in_lower_case(line.substr(i, end - i)), word, ends && !after_word});
      after_word = false;
    }
    if (stop < line.size() && ends_part(line[stop])) {
      ++stop;
      after_word = false;
    }
    i = stop;
  }
  return pairs;
}

// The number of a key, where it has one in all its places; nothing otherwise.
template <typename Number>
std::optional<Number> only_number(const std::vector<Pair> &pairs, std::string_view key) {
  std::optional<Number> found;
  for (const Pair &pair : pairs) {
    if (pair.key != key) continue;
    Number number{};
    if (!pair.alone || !parse_number(pair.value, number) || (found && *found != number)) return std::nullopt;
    found = number;
  }
  return found;
}

// CELL(abcABC): and six numbers, where lengths and positions have the same unit.
std::optional<std::array<double, 6>> ipi_cell(std::string_view line) {
  constexpr std::string_view mark = "CELL(abcABC):";
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto unit = [&](std::string_view name) {
    const std::size_t start = line.find(name);
    if (start == std::string_view::npos) return std::string_view();
    const std::string_view rest = line.substr(start + name.size());
    return rest.substr(0, rest.find('}'));
  };
  if (unit("cell{") != unit("positions{")) return std::nullopt;
  std::string_view rest = line.substr(at + mark.size());
  std::array<double, 6> cell{};
  for (double &number : cell)
    if (!parse_number(next_word(rest), number) || !(number > 0) || !std::isfinite(number)) return std::nullopt;
  for (std::size_t angle = 3; angle < 6; ++angle)
    if (cell[angle] >= 180) return std::nullopt;
  return cell;
}

}  // namespace

FreeComment read_free_comment(std::string_view line) {
  const std::vector<Pair> pairs = pairs_of(line);
  FreeComment found;
  found.time = only_number<double>(pairs, "time");
  if (found.time && !std::isfinite(*found.time)) found.time.reset();
  // Beside a step, a timestep is the time between two.
  const bool has_step = std::any_of(pairs.begin(), pairs.end(), [](const Pair &pair) { return pair.key == "step"; });
  found.step = only_number<std::int64_t>(pairs, has_step ? "step" : "timestep");
  if (!found.step && pairs.size() >= 2 && pairs[0].key == "i" && pairs[1].key == "time")
    found.step = only_number<std::int64_t>(pairs, "i");
  found.cell = ipi_cell(line);
  return found;
}

}  // namespace gpz::tool
