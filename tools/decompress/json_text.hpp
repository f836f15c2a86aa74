// SPDX-License-Identifier: BSD-3-Clause
// JSON as every command prints it: in ASCII, whatever bytes names and paths have. What is no UTF-8 becomes U+FFFD.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gpz::tool {

inline std::string json_text(const nlohmann::ordered_json &json) {
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gpz::tool
