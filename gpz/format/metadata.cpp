// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/metadata.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gpz/format/corrupt.hpp"

namespace gpz::format {
namespace {

using Json = nlohmann::json;

// Uses only single values and the event parser: destroying a tree of JSON values allocates memory, and the JSON library
// ends the program if that fails.

template <class T>
std::string text_of(const T &value) {
  return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Writes an object, member by member.
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

// A known key, and the destination of its value: one of the three pointers.
struct Member {
  const char *key;
  std::string Metadata::*text;
  std::vector<std::string> Metadata::*list;
  double Metadata::*number;
};
constexpr std::array<Member, 10> members = {{{"generator", &Metadata::generator, nullptr, nullptr},
                                             {"units", &Metadata::units, nullptr, nullptr},
                                             {"atom_style", &Metadata::atom_style, nullptr, nullptr},
                                             {"command", &Metadata::command, nullptr, nullptr},
                                             {"reference", &Metadata::reference, nullptr, nullptr},
                                             {"columns", nullptr, &Metadata::columns, nullptr},
                                             {"elements", nullptr, &Metadata::elements, nullptr},
                                             {"type_labels", nullptr, &Metadata::type_labels, nullptr},
                                             {"timestep_size", nullptr, nullptr, &Metadata::timestep_size},
                                             {"reference_grid", nullptr, nullptr, &Metadata::reference_grid}}};

// Stores values of known keys during parsing, so that unknown ones cost no memory. For a repeated key, the last value
// counts.
class MetadataReader final : public nlohmann::json_sax<Json> {
 public:
  // Throws corrupt.
  Metadata read(const std::uint8_t *text, std::size_t size) {
    // As char: LLVM's standard library has no character traits of unsigned char, which the parser would need.
    const char *const begin = reinterpret_cast<const char *>(text);
    const bool parsed = Json::sax_parse(begin, begin + size, this);
    if (depth_ > max_metadata_depth)
      corrupt("metadata: nested deeper than " + std::to_string(max_metadata_depth) + " levels");
    if (!parsed || !is_object_) corrupt("metadata: not a JSON object in UTF-8");
    for (std::size_t i = 0; i < members.size(); ++i)
      if (wrong_[i]) corrupt(std::string("metadata: \"") + members[i].key + "\" has a value of the wrong type");
    return std::move(metadata_);
  }

  bool key(string_t &key) override {
    if (depth_ != 1) return true;
    const auto *const found =
        std::find_if(members.begin(), members.end(), [&](const Member &member) { return key == member.key; });
    member_ = found == members.end() ? nullptr : found;
    if (member_ == nullptr) return true;
    wrong_[index()] = false;
    if (member_->list != nullptr) (metadata_.*member_->list).clear();
    return true;
  }

  bool string(string_t &text) override {
    if (depth_ == 1 && member_ != nullptr && member_->text != nullptr)
      metadata_.*member_->text = std::move(text);
    else if (depth_ == 2 && in_list_)
      (metadata_.*member_->list).push_back(std::move(text));
    else
      take_other();
    return true;
  }

  bool number_float(number_float_t value, const string_t &) override { return take_number(value); }
  bool number_integer(number_integer_t value) override { return take_number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return take_number(static_cast<double>(value)); }
  bool null() override { return take_other(); }
  bool boolean(bool) override { return take_other(); }
  bool binary(binary_t &) override { return take_other(); }

  bool start_object(std::size_t) override {
    is_object_ = is_object_ || depth_ == 0;
    take_other();
    return ++depth_ <= max_metadata_depth;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 1 && member_ != nullptr && member_->list != nullptr)
      in_list_ = true;
    else
      take_other();
    return ++depth_ <= max_metadata_depth;
  }
  bool end_object() override { return end_array(); }
  bool end_array() override {
    --depth_;
    in_list_ = in_list_ && depth_ > 1;
    return true;
  }

  bool parse_error(std::size_t, const std::string &, const Json::exception &) override { return false; }

 private:
  std::size_t index() const { return static_cast<std::size_t>(member_ - members.data()); }

  bool take_number(double value) {
    if (depth_ == 1 && member_ != nullptr && member_->number != nullptr)
      metadata_.*member_->number = value;
    else
      take_other();
    return true;
  }

  // Called for a value whose type does not fit a known key.
  bool take_other() {
    if (member_ != nullptr && (depth_ == 1 || (depth_ == 2 && in_list_))) wrong_[index()] = true;
    return true;
  }

  Metadata metadata_;
  const Member *member_ = nullptr;  // last known key of the object; nullptr inside an unknown one
  std::array<bool, members.size()> wrong_{};
  std::size_t depth_ = 0;
  bool is_object_ = false;
  bool in_list_ = false;
};

}  // namespace

std::string metadata_to_json(const Metadata &metadata) {
  ObjectText object;
  object.put("atom_style", metadata.atom_style);
  object.put("columns", metadata.columns);
  object.put("command", metadata.command);
  object.put("elements", metadata.elements);
  object.put("generator", metadata.generator);
  object.put("reference", metadata.reference);
  object.put("reference_grid", metadata.reference_grid);
  object.put("timestep_size", metadata.timestep_size);
  object.put("type_labels", metadata.type_labels);
  object.put("units", metadata.units);
  return object.take();
}

Metadata metadata_from_json(const std::uint8_t *text, std::size_t size) { return MetadataReader().read(text, size); }

}  // namespace gpz::format
