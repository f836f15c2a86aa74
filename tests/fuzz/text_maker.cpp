// SPDX-License-Identifier: BSD-3-Clause
#include "text_maker.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace gpz::fuzz {
namespace {

using namespace std::string_view_literals;
using Words = std::vector<std::string>;

// The parts of a text between carets.
Words split(std::string_view text) {
  Words words(1);
  for (const char c : text)
    if (c == '^')
      words.emplace_back();
    else
      words.back().push_back(c);
  return words;
}

// What numbers are replaced by.
const Words odd_numbers =
    split(R"(^-0^+1^1.^.5^1e^1e+06^1d3^nan^-NaN^inf^-infinity^0x10^1e400^-1e308^3e300^1e-400^5e-324^1,5^--1^)"
          R"(0.1.2^T^false^C^*^2147483648^4294967296^70000^1000000^9007199254740993^9223372036854775807^)"
          R"(-9223372036854775808^9223372036854775808^18446744073709551616)");

// Words and lines that mean something in one of the kinds.
const Words odd_words =
    split(R"(id^type^x^y^z^xs^xu^zsu^ix^element^typelabel^mol^vx^i_a^d_b[1]^pp^fs^xy^xz^yz^abc^origin^metal^)"
          R"(lj^Step^Time=1^step:^time=^pbc="T F"^Lattice=^""^stress=[^{1 2}^a="b\""^'it's^_JSON [[1,2],[3]]^)"
          R"(Origin="^species:S^Properties^pos:R:3^charge:R:1^a:L:2^b:R:1024^energy=1^virial="1 2 3 4 5 6"^#^)"
          R"(&^atoms^bonds^CELL(abcABC):^norm^yes)");
const Words odd_lines = split(
    "^ \t^ITEM: TIMESTEP^ITEM: NUMBER OF ATOMS^ITEM: UNITS^ITEM: TIME^ITEM: BOX BOUNDS pp pp pp^"
    R"(ITEM: BOX BOUNDS xy xz yz ff mm ss^ITEM: BOX BOUNDS abc origin pp pp pp^)"
    R"(ITEM: ATOMS id type x y z^ITEM: ENTRIES index^0 10^0 10 1^10 0 0 0^2^)"
    R"(Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3^)"
    R"(# CELL(abcABC): 1 2 3 90 60 90 cell{angstrom} positions{angstrom}^3 atoms^1 atom types^)"
    R"(0 1 xlo xhi^0 0 0 xy xz yz^Masses^Atoms # full^Atoms # hybrid^Velocities^Bonds^Impropers^)"
    R"(Pair Coeffs # lj/cut^Atom Type Labels^Step Temp PotEng^Step^)"
    R"(Per MPI rank memory allocation (min/avg/max) = 3 | 3 | 3 Mbytes^)"
    R"(Loop time of 1 on 1 procs for 10 steps with 3 atoms^thermo_modify norm yes line yaml &^)"
    R"(units real^clear^WARNING: a warning)");
constexpr std::string_view odd_characters = "\0\t\r\n \"'[]{}()=:,;#&\\$%+-.0eE9TF\x7f\x80\xff"sv;

class Maker {
 public:
  explicit Maker(Random &random) : random_(random) {}

  std::size_t below(std::size_t n) { return random_() / 7 % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename List>
  const typename List::value_type &of(const List &list) {
    return list[below(list.size())];
  }
  std::string word(std::initializer_list<const char *> words) { return words.begin()[below(words.size())]; }

  std::string count(std::size_t n) { return one_in(20) ? of(odd_numbers) : std::to_string(n); }
  std::string number() {
    if (one_in(60)) return of(odd_numbers);
    std::string text = std::to_string(static_cast<long>(below(200)) - 60);
    if (!one_in(3)) text += '.' + std::to_string(below(100000));
    if (one_in(12)) text += 'e' + std::to_string(static_cast<long>(below(9)) - 4);
    return text;
  }
  std::string numbers(std::size_t n, const char *between = " ") {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += (i > 0 ? between : "") + number();
    return text;
  }
  // Blanks between words.
  std::string gap() { return one_in(10) ? word({"  ", "\t", " \t "}) : " "; }
  std::string shuffled(Words words) {
    std::shuffle(words.begin(), words.end(), random_);
    std::string text;
    for (const std::string &word : words) text += gap() + word;
    return text;
  }

  std::string make(TextKind kind) {
    switch (kind) {
      case TextKind::lammps_data:
        return data();
      case TextKind::lammps_log:
        return log();
      default:
        break;
    }
    std::string text;
    for (std::size_t frames = 1 + below(3); frames > 0; --frames)
      text += kind == TextKind::lammps_dump ? dump_frame() : kind == TextKind::xyz ? xyz_frame() : extended_frame();
    return text;
  }

 private:
  std::string row_of_dump(const Words &columns, std::size_t row) {
    std::string text;
    for (const std::string &column : columns) {
      if (!text.empty()) text += gap();
      if (column == "element" || column == "typelabel")
        text += word({"C", "H", "O", "X1"});
      else if (column == "id")
        text += count(row + 1);
      else if (column == "type" || column == "mol" || column[0] == 'i')
        text += count(1 + below(3));
      else
        text += number();
    }
    return text + '\n';
  }

  std::string dump_frame() {
    std::string text;
    if (one_in(3)) text += "ITEM: UNITS\n" + word({"lj", "metal", "real", "unknown"}) + '\n';
    if (one_in(3)) text += "ITEM: TIME\n" + number() + '\n';
    const std::size_t atoms = below(6);
    text += "ITEM: TIMESTEP\n" + count(below(1000)) + "\nITEM: NUMBER OF ATOMS\n" + count(atoms) + '\n';
    const std::size_t kind = below(4);
    const std::string flags = one_in(4) ? "" : ' ' + word({"pp pp pp", "ff ss mm", "fm pp sp"});
    text += "ITEM: BOX BOUNDS";
    if (kind == 1) text += one_in(4) ? flags + " xy xz yz" : " xy xz yz" + flags;
    if (kind == 2) text += " abc origin" + flags;
    if (kind != 1 && kind != 2) text += flags;
    text += '\n';
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (kind == 2)
        text += (axis == 0 ? "9 " : "0 ") + std::string(axis == 1 ? "8 " : "1 ") + (axis == 2 ? "7 " : "0 ") + number();
      else
        text += number() + gap() + std::to_string(200 + below(10)) + (kind == 1 ? ' ' + number() : "");
      text += '\n';
    }
    static const std::vector<Words> positions = {{"x", "y", "z"},
                                                 {"xs", "ys", "zs"},
                                                 {"xu", "yu", "zu"},
                                                 {"xsu", "ysu", "zsu"},
                                                 {"xu", "y", "zs"},
                                                 {"x", "y"},
                                                 {"x", "y", "z", "xu", "yu", "zu"}};
    Words columns = of(positions);
    for (const char *const name : {"id", "type", "element", "typelabel", "mol", "ix", "iy", "iz", "vx", "vy", "vz", "q",
                                   "i_a", "d2_b[1]", "c_c[2]"})
      if (one_in(3) || (name[0] == 'i' && name[1] == 'd' && !one_in(4))) columns.emplace_back(name);
    std::shuffle(columns.begin(), columns.end(), random_);
    text += "ITEM: ATOMS";
    for (const std::string &column : columns) text += ' ' + column;
    text += '\n';
    for (std::size_t row = 0; row < atoms; ++row) text += row_of_dump(columns, row);
    return text;
  }

  std::string xyz_frame() {
    const std::size_t atoms = below(5);
    std::string text = count(atoms) + '\n';
    for (std::size_t parts = below(4); parts > 0; --parts)
      text +=
          word({"Step", "i", "time", "Timestep", "Time", "E", "water,", "energy", "CELL(abcABC)", "cell{angstrom}"}) +
          word({"=", " = ", ": ", " ", ":"}) + number() + word({" ", ", ", ";", "  "});
    if (one_in(8)) text += "CELL(abcABC): 9 9 9 90 " + number() + " 90 cell{a} positions{a}";
    text += '\n';
    const std::size_t more = one_in(4) ? below(5) : 0;
    const bool numbered = one_in(4);
    for (std::size_t row = 0; row < atoms; ++row)
      text += (numbered ? count(1 + below(3)) : word({"C", "H", "O"})) + gap() + numbers(3) +
              (more > 0 ? ' ' + numbers(more) : "") + '\n';
    return text;
  }

  std::string value() {
    const std::size_t n = of(std::vector<std::size_t>{1, 2, 3, 6, 9, 10});
    const std::string rows = '[' + numbers(3, ", ") + "], [" + numbers(3, ", ") + "], [" + numbers(3, ", ") + ']';
    switch (below(9)) {
      case 0:
        return '"' + numbers(n) + '"';
      case 1:
        return '[' + numbers(n, ", ") + ']';
      case 2:
        return '[' + rows + ']';
      case 3:
        return "\"_JSON [" + rows + "]\"";
      case 4:
        return '{' + numbers(n) + '}';
      case 5:
        return word({"T", "F", "True", "hello", "\"T F T\"", "[T, F]", "\"a \\\"b\\\" c=1\"", "'a b'", "it's", "\"\"",
                     "[\"a\", \"b\"]", "1.5d0", "a\"b c\"d", "{}", "[]", "\\"});
      default:
        return number();
    }
  }

  std::string extended_frame() {
    const std::size_t atoms = below(5);
    // Each column is a kind of values: S, R, I, L.
    std::string kinds = "SRRR";
    std::string properties = "species:S:1:pos:R:3";
    for (std::size_t more = below(4); more > 0; --more) {
      const std::string kind = word({"R", "I", "L", "S"});
      const std::size_t n = 1 + below(3);
      properties += ':' + word({"forces", "id", "type", "vel", "momenta", "tag", "charge", "a"}) + ':' + kind + ':' +
                    (one_in(30) ? of(odd_numbers) : std::to_string(n));
      for (std::size_t i = 0; i < n; ++i) kinds += kind;
    }
    const std::string lattice = one_in(8)   ? value()
                                : one_in(3) ? "[[9, 0, 0], [" + number() + ", 9, 0], [0, " + number() + ", 9]]"
                                            : "\"9 0 0 " + number() + " 9 0 0 " + number() + " 9\"";
    Words entries;
    if (!one_in(6)) entries.push_back("Properties=" + (one_in(5) ? '"' + properties + '"' : properties));
    if (!one_in(4)) entries.push_back("Lattice=" + lattice);
    if (one_in(2)) entries.push_back("pbc=" + word({"\"T T F\"", "[T, T, F]", "T", "\"1 0 1\"", "\"T T\"", "{F F F}"}));
    if (one_in(4)) entries.push_back("Origin=\"" + numbers(3) + '"');
    for (std::size_t more = below(5); more > 0; --more)
      entries.push_back(word({"energy", "stress", "virial", "Step", "time", "free_energy", "dipole", "a", "\"b c\"",
                              "Energy", "config_type", "bare"}) +
                        (one_in(12) ? "" : word({"=", "=", "=", " = "}) + value()));
    if (entries.empty()) entries.emplace_back();
    std::string text = count(atoms) + '\n' + shuffled(entries).substr(1) + '\n';
    for (std::size_t row = 0; row < atoms; ++row) {
      for (const char kind : kinds) {
        if (text.back() != '\n') text += gap();
        text += kind == 'S'   ? word({"C", "H", "O", "1"})
                : kind == 'L' ? word({"T", "F", "0", "1", "True"})
                : kind == 'I' ? count(row + 1)
                              : number();
      }
      text += '\n';
    }
    return text;
  }

  std::string section(const std::string &name) { return '\n' + name + (one_in(30) ? "\n" : "\n\n"); }

  std::string data() {
    const std::size_t atoms = 3 + below(3);
    const std::size_t bonds = below(3);
    struct Style {
      const char *name;
      const char *before;  // the position: i an id, t a type, m a molecule, r a number
    };
    static const std::vector<Style> styles = {{"atomic", "it"},      {"charge", "itr"},    {"full", "imtr"},
                                              {"bond", "imt"},       {"sphere", "itrr"},   {"hybrid", "it"},
                                              {"ellipsoid", "itrr"}, {"template", "immmt"}};
    const Style &style = of(styles);
    std::string text = "LAMMPS data file" + word({"", ", units = real", ", timestep = 0, units = lj"}) + "\n\n";
    text += count(atoms) + " atoms\n" + count(2) + " atom types\n";
    if (bonds > 0) text += count(bonds) + " bonds\n1 bond types\n" + count(bonds) + " angles\n1 angle types\n";
    if (one_in(4)) text += word({"2 extra bond per atom\n", "1 ellipsoids\n", "0 crossterms\n", "1 2 3 avec\n"});
    text += "0 9 xlo xhi\n0 9 ylo yhi\n" + number() + " 9 zlo zhi\n" + (one_in(3) ? "0 0 0 xy xz yz\n" : "");
    const bool labels = one_in(3);
    if (labels) text += section("Atom Type Labels") + "1 C\n2 " + word({"H", "C", "1", "#"}) + '\n';
    if (!one_in(4)) text += section("Masses") + (labels ? "C " : "1 ") + number() + "\n2 " + number() + '\n';
    if (one_in(4)) text += section("Pair Coeffs # lj/cut") + "1 " + numbers(2) + "\n2 " + numbers(2) + '\n';
    text += section(one_in(6) ? "Atoms" : std::string("Atoms # ") + style.name);
    const std::string flags = one_in(3) ? " 0 1 -1" : "";
    for (std::size_t i = 0; i < atoms; ++i) {
      for (const char *c = style.before; *c != '\0'; ++c)
        text += (*c == 'i'   ? count(i + 1)
                 : *c == 'm' ? count(1)
                 : *c == 't' ? (labels ? word({"C", "H", "1"}) : count(1 + below(2)))
                             : number()) +
                gap();
      text += numbers(3) + flags + (one_in(20) ? " # comment" : "") + '\n';
    }
    if (one_in(3)) {
      text += section("Velocities");
      for (std::size_t i = 0; i < atoms; ++i) text += std::to_string(i + 1) + ' ' + numbers(3) + '\n';
    }
    if (bonds > 0) {
      text += section("Bonds");
      for (std::size_t i = 0; i < bonds; ++i) text += count(i + 1) + " 1 " + count(i + 1) + ' ' + count(i + 2) + '\n';
      text += section("Angles");
      for (std::size_t i = 0; i < bonds; ++i) text += count(i + 1) + " 1 1 2 " + count(3) + '\n';
    }
    return text;
  }

  std::string log() {
    std::string text = "LAMMPS (4 Feb 2025)\n";
    if (!one_in(4)) text += "units\t\t" + word({"lj", "real", "metal", "${u}"}) + '\n';
    for (std::size_t runs = 1 + below(3); runs > 0; --runs) {
      if (one_in(2))
        text += word({"thermo_style custom step temp &\n  pe\n", "thermo_modify norm yes # why\n", "clear\n",
                      "reset_timestep 0\n", "thermo_modify line yaml\n", "run ${n}\nrun 100\n"});
      if (!one_in(3)) text += odd_lines[31] + '\n';
      Words names{"Step"};
      for (const char *const name : {"Temp", "PotEng", "KinEng", "c_1[2]", "Press", "Atoms", "Time"})
        if (one_in(2)) names.emplace_back(name);
      if (one_in(4)) std::shuffle(names.begin(), names.end(), random_);
      for (const std::string &name : names) text += gap() + name;
      text += " \n";
      std::size_t step = below(3) * 50;
      for (std::size_t rows = below(6); rows > 0; --rows, step += one_in(9) ? 0 : 50) {
        for (const std::string &name : names) text += gap() + (name == "Step" ? count(step) : number());
        text += '\n';
        if (one_in(9)) text += "WARNING: a warning (src/fix.cpp:123)\n";
      }
      if (!one_in(4))
        text += "Loop time of " + number() + " on 1 procs for 100 steps with " + count(500) + " atoms\n\n";
    }
    return text;
  }

  Random &random_;
};

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines(1);
  for (const char c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return lines;
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i > 0 ? "\n" : "") + lines[i];
  return text;
}

// Some lines are removed, repeated, moved, or others are added.
void change_lines(Maker &maker, std::vector<std::string> &lines) {
  const std::size_t first = maker.below(lines.size());
  const std::size_t count = std::min<std::size_t>(lines.size() - first, 1 + (maker.one_in(3) ? maker.below(6) : 0));
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  const std::vector<std::string> part(begin, end);
  const std::size_t way = maker.below(5);
  if (way == 0 || way == 1) lines.erase(begin, end);
  if (way == 1 || way == 2) {
    const auto place = static_cast<std::ptrdiff_t>(maker.below(lines.size() + 1));
    lines.insert(lines.begin() + place, part.begin(), part.end());
  }
  if (way == 3) std::swap(lines[first], lines[maker.below(lines.size())]);
  if (way == 4) lines.insert(begin, maker.of(odd_lines));
}

void change_word(Maker &maker, std::string &line) {
  const auto ends = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t begin = line.empty() ? 0 : maker.below(line.size());
  while (begin > 0 && !ends(line[begin - 1])) --begin;
  std::size_t end = begin;
  while (end < line.size() && !ends(line[end])) ++end;
  const std::string word = line.substr(begin, end - begin);
  switch (maker.below(8)) {
    case 0:
      line.erase(begin, end - begin + (end < line.size() ? 1 : 0));
      break;
    case 1:
      line.insert(begin, word + ' ');
      break;
    case 2:
      line.replace(begin, end - begin, maker.of(odd_words));
      break;
    case 3:
      line.insert(begin, maker.of(odd_words) + ' ');
      break;
    case 4:
      line.replace(begin, end - begin, std::to_string(maker.below(12)));
      break;
    case 5:
      // Longer than any buffer of a number.
      if (maker.one_in(8))
        line.replace(begin, end - begin, std::string(10000, maker.word({"1", "9", "0", "a"})[0]) + word);
      else
        line += ' ' + word;
      break;
    default:
      line.replace(begin, end - begin, maker.of(odd_numbers));
  }
}

void change_characters(Maker &maker, std::string &text) {
  const std::size_t place = maker.below(text.size() + 1);
  switch (maker.below(6)) {
    case 0:
      text.erase(place, 1);
      break;
    case 1:
      text.resize(place);
      break;
    case 2:
      if (place < text.size()) text[place] = odd_characters[maker.below(odd_characters.size())];
      break;
    default:
      text.insert(place, 1, odd_characters[maker.below(odd_characters.size())]);
  }
}

void change_whole(Maker &maker, TextKind kind, std::string &text) {
  const auto replaced = [&](std::string_view from, std::string_view to) {
    std::string result;
    for (std::size_t at = 0; at < text.size();)
      if (text.compare(at, from.size(), from) == 0) {
        result += to;
        at += from.size();
      } else {
        result += text[at++];
      }
    return result;
  };
  switch (maker.below(7)) {
    case 0:
      text = replaced("\n", "\r\n");
      break;
    case 1:
      text = replaced("\n\n", "\n");
      break;
    case 2:
      text.insert(0, "\xEF\xBB\xBF");
      break;
    case 3:
      if (!text.empty()) text.pop_back();
      break;
    case 4:
      text += text;
      break;
    default:
      text += maker.make(kind);
  }
}

}  // namespace

std::string make_text(TextKind kind, Random &random) { return Maker(random).make(kind); }

void change_text(TextKind kind, std::string &text, Random &random) {
  Maker maker(random);
  for (std::size_t changes = 1 + maker.below(3); changes > 0; --changes) {
    const std::size_t level = maker.below(10);
    if (level == 0) {
      change_whole(maker, kind, text);
    } else if (level < 3) {
      change_characters(maker, text);
    } else {
      std::vector<std::string> lines = lines_of(text);
      if (level < 6)
        change_lines(maker, lines);
      else
        change_word(maker, lines[maker.below(lines.size())]);
      text = joined(lines);
    }
  }
}

}  // namespace gpz::fuzz
