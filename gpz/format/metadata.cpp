// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/metadata.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "gpz/error.hpp"

namespace gpz::format {
namespace {

using Json = nlohmann::json;

[[noreturn]] void wrong_type(const char *key) {
  throw Error(Status::corrupt, std::string("metadata: \"") + key + "\" has a value of the wrong type");
}

void put(Json &object, const char *key, const std::string &value) {
  if (!value.empty()) object[key] = value;
}

void put(Json &object, const char *key, const std::vector<std::string> &values) {
  if (!values.empty()) object[key] = values;
}

void get(const Json &object, const char *key, std::string &value) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (!found->is_string()) wrong_type(key);
  value = found->get_ref<const std::string &>();
}

void get(const Json &object, const char *key, std::vector<std::string> &values) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (!found->is_array()) wrong_type(key);
  for (const Json &entry : *found) {
    if (!entry.is_string()) wrong_type(key);
    values.push_back(entry.get_ref<const std::string &>());
  }
}

}  // namespace

std::string metadata_to_json(const Metadata &metadata) {
  Json object = Json::object();
  put(object, "generator", metadata.generator);
  put(object, "units", metadata.units);
  put(object, "atom_style", metadata.atom_style);
  put(object, "command", metadata.command);
  put(object, "columns", metadata.columns);
  put(object, "elements", metadata.elements);
  put(object, "type_labels", metadata.type_labels);
  if (metadata.timestep_size != 0 && std::isfinite(metadata.timestep_size)) {
    object["timestep_size"] = metadata.timestep_size;
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Metadata metadata_from_json(const std::uint8_t *text, std::size_t size) {
  const Json object = Json::parse(text, text + size, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) throw Error(Status::corrupt, "metadata: not a JSON object in UTF-8");

  Metadata metadata;
  get(object, "generator", metadata.generator);
  get(object, "units", metadata.units);
  get(object, "atom_style", metadata.atom_style);
  get(object, "command", metadata.command);
  get(object, "columns", metadata.columns);
  get(object, "elements", metadata.elements);
  get(object, "type_labels", metadata.type_labels);
  const auto found = object.find("timestep_size");
  if (found != object.end()) {
    if (!found->is_number()) wrong_type("timestep_size");
    metadata.timestep_size = found->get<double>();
  }
  return metadata;
}

}  // namespace gpz::format
