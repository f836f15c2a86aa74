// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/metadata.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gpz/error.hpp"

namespace gpz::format {
namespace {

using Json = nlohmann::json;

// A tree of JSON values is neither made nor read here: the library takes memory to destroy one, and ends the program
// where there is none. Single values and the parser are free of that.

template <class T>
std::string text_of(const T &value) {
  return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Writes the members of an object.
class ObjectText {
 public:
  void put(const char *key, const std::string &value) {
    if (!value.empty()) put_text(key, text_of(value));
  }

  void put(const char *key, const std::vector<std::string> &values) {
    if (values.empty()) return;
    std::string list;
    for (const std::string &value : values) list += (list.empty() ? "[" : ",") + text_of(value);
    put_text(key, list + "]");
  }

  void put(const char *key, double value) {
    if (value != 0 && std::isfinite(value)) put_text(key, text_of(value));
  }

  std::string take() { return members_.empty() ? "{}" : members_ + "}"; }

 private:
  void put_text(const char *key, const std::string &value) {
    members_ += (members_.empty() ? "{\"" : ",\"") + std::string(key) + "\":" + value;
  }

  std::string members_;
};

// Receives the pieces of the text from the parser, and keeps the members that are known.
class MetadataParser final : public nlohmann::json_sax<Json> {
 public:
  Metadata metadata;

  bool null() override { return other_value(); }
  bool boolean(bool) override { return other_value(); }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t &) override { return number(value); }
  bool binary(binary_t &) override { return other_value(); }

  bool string(string_t &value) override {
    if (depth_ == member_depth && text_ != nullptr)
      *text_ = std::move(value);
    else if (depth_ == member_depth + 1 && list_ != nullptr)
      list_->push_back(std::move(value));
    else
      return other_value();
    return true;
  }

  bool key(string_t &name) override {
    if (depth_ == member_depth) expect(name);
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ > 0) other_value();
    ++depth_;
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ == member_depth && list_ != nullptr)
      list_->clear();
    else if (!other_value())
      return false;
    ++depth_;
    return true;
  }

  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &) override { return false; }

 private:
  static constexpr std::size_t member_depth = 1;  // of the members of the outermost object

  // What the member of that name holds; of an unknown one, anything.
  void expect(const std::string &name) {
    name_ = name;
    text_ = name == "generator"    ? &metadata.generator
            : name == "units"      ? &metadata.units
            : name == "atom_style" ? &metadata.atom_style
            : name == "command"    ? &metadata.command
                                   : nullptr;
    list_ = name == "columns"       ? &metadata.columns
            : name == "elements"    ? &metadata.elements
            : name == "type_labels" ? &metadata.type_labels
                                    : nullptr;
    number_ = name == "timestep_size" ? &metadata.timestep_size : nullptr;
  }

  bool number(double value) {
    if (depth_ != member_depth || number_ == nullptr) return other_value();
    *number_ = value;
    return true;
  }

  // A value that is none of those expected. False, which ends parsing, for a text that is no object.
  bool other_value() const {
    if (text_ != nullptr || list_ != nullptr || number_ != nullptr)
      throw Error(Status::corrupt, "metadata: \"" + name_ + "\" has a value of the wrong type");
    return depth_ > 0;
  }

  bool end() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;  // objects and arrays that are open
  std::string name_;       // of the member, whose value goes to:
  std::string *text_ = nullptr;
  std::vector<std::string> *list_ = nullptr;
  double *number_ = nullptr;
};

}  // namespace

std::string metadata_to_json(const Metadata &metadata) {
  ObjectText object;
  object.put("atom_style", metadata.atom_style);
  object.put("columns", metadata.columns);
  object.put("command", metadata.command);
  object.put("elements", metadata.elements);
  object.put("generator", metadata.generator);
  object.put("timestep_size", metadata.timestep_size);
  object.put("type_labels", metadata.type_labels);
  object.put("units", metadata.units);
  return object.take();
}

Metadata metadata_from_json(const std::uint8_t *text, std::size_t size) {
  MetadataParser parser;
  if (!Json::sax_parse(text, text + size, &parser))
    throw Error(Status::corrupt, "metadata: not a JSON object in UTF-8");
  return std::move(parser.metadata);
}

}  // namespace gpz::format
