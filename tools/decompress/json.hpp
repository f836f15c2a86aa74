// SPDX-License-Identifier: BSD-3-Clause
// Reports as JSON. The JSON library prints them; only json.cpp includes it, because its headers take seconds to compile
// in each file that does.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gpz::tool {

class Json {
 public:
  using Member = std::pair<std::string, Json>;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;  // in the order in which they were set
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;

  Json() : value_(Object()) {}
  Json(std::nullptr_t) : value_(nullptr) {}
  Json(bool value) : value_(value) {}
  template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Json(Number value) : value_(number(value)) {}
  Json(const char *text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <typename Items, typename = typename Items::const_iterator>
  Json(const Items &items) : value_(Array(items.begin(), items.end())) {}
  Json(std::initializer_list<Member> members);

  static Json array() { return Json(Array()); }

  // The member of an object; null, after the others, if there was none. null becomes an object.
  Json &operator[](const std::string &name);
  void push_back(Json item) { std::get<Array>(value_).push_back(std::move(item)); }

  const Value &value() const { return value_; }

  // Indented, in ASCII, with a line break at the end, whatever bytes names and paths have. What is no UTF-8 becomes
  // U+FFFD; numbers that JSON lacks (NaN, infinity) become null.
  std::string text() const;

 private:
  template <typename Number>
  static auto number(Number value) {
    if constexpr (std::is_floating_point_v<Number>)
      return static_cast<double>(value);
    else if constexpr (std::is_signed_v<Number>)
      return static_cast<std::int64_t>(value);
    else
      return static_cast<std::uint64_t>(value);
  }

  Value value_;
};

}  // namespace gpz::tool
