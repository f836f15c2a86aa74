// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/printable.hpp"

#include <cstddef>
#include <cstdint>

namespace gpz {
namespace {

constexpr std::uint32_t no_character = 0xFFFFFFFF;

// Decodes the UTF-8 character at text[at]: its code and length in bytes; no_character and 1 if there is none. RFC 3629.
std::uint32_t character_at(const std::string &text, std::size_t at, std::size_t &bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  bytes = 1;
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || length > text.size() - at) return no_character;
  std::uint32_t character = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return no_character;
    character = character << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t smallest[] = {0x80, 0x800, 0x10000};
  if (character < smallest[length - 2] || character > 0x10FFFF) return no_character;
  if (character >= 0xD800 && character <= 0xDFFF) return no_character;  // surrogates
  bytes = length;
  return character;
}

bool can_be_shown(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == no_character) return false;  // control characters
  if (c == 0x2028 || c == 0x2029) return false;                                 // line separators
  // Text direction marks, zero-width characters, tags.
  return c != 0x061C && !(c >= 0x200B && c <= 0x200F) && !(c >= 0x202A && c <= 0x202E) &&
         !(c >= 0x2060 && c <= 0x206F) && c != 0xFEFF && !(c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace

std::string printable(const std::string &text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
    if (can_be_shown(character_at(text, at, bytes))) {
      shown.append(text, at, bytes);
      continue;
    }
    for (std::size_t i = at; i < at + bytes; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      shown += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return shown;
}

}  // namespace gpz
