// SPDX-License-Identifier: BSD-3-Clause
#include "json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gpz::tool {
namespace {

using Library = nlohmann::ordered_json;

Library converted(const Json &json);

struct Converter {
  Library operator()(const Json::Array &array) const {
    Library out = Library::array();
    for (const Json &item : array) out.push_back(converted(item));
    return out;
  }
  Library operator()(const Json::Object &object) const {
    Library out = Library::object();
    for (const auto &[name, item] : object) out[name] = converted(item);
    return out;
  }
  template <typename Value>
  Library operator()(const Value &value) const {
    return value;
  }
};

Library converted(const Json &json) { return std::visit(Converter(), json.value()); }

}  // namespace

Json::Json(std::initializer_list<Member> members) : value_(Object(members)) {}

Json &Json::operator[](const std::string &name) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Object();
  auto &members = std::get<Object>(value_);
  const auto member =
      std::find_if(members.begin(), members.end(), [&](const Member &candidate) { return candidate.first == name; });
  if (member != members.end()) return member->second;
  return members.emplace_back(name, nullptr).second;
}

std::string Json::text() const { return converted(*this).dump(2, ' ', true, Library::error_handler_t::replace) + "\n"; }

}  // namespace gpz::tool
