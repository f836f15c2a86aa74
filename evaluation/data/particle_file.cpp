// SPDX-License-Identifier: BSD-3-Clause
#include "particle_file.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "json.hpp"

namespace gpz::bench::data {
namespace {

void write_file(const std::filesystem::path &path, const std::vector<std::string_view> &parts) {
  std::ofstream file(path, std::ios::binary);
  for (const std::string_view part : parts) file.write(part.data(), static_cast<std::streamsize>(part.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

void write_particles(const std::string &path, const std::vector<std::vector<float>> &axes, const About &about) {
  std::filesystem::path file = path;
  if (file.extension() != ".f32") throw std::runtime_error("the name has to end in .f32: " + path);
  std::vector<std::string_view> parts;
  for (const std::vector<float> &axis : axes) {
    if (axis.size() != axes.front().size()) throw std::runtime_error("axes of different lengths");
    parts.emplace_back(reinterpret_cast<const char *>(axis.data()), axis.size() * sizeof(float));
  }
  write_file(file, parts);

  tool::Json json;
  json["name"] = file.stem().string();
  json["particles"] = axes.empty() ? 0 : axes.front().size();
  json["components"] = axes.size();
  json["description"] = about.description;
  json["source"] = about.source;
  json["order"] = about.order;
  write_file(file.replace_extension(".json"), {json.text()});
}

}  // namespace gpz::bench::data
