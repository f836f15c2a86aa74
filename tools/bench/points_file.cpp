// SPDX-License-Identifier: BSD-3-Clause
#include "bench/points_file.hpp"

#include <filesystem>

#include "commands.hpp"
#include "exit_code.hpp"
#include "json.hpp"
#include "output_file.hpp"

namespace gpz::bench {

void write_points(const std::string &path, const std::string &input, const Source &source) {
  const std::filesystem::path points_path = path;
  if (points_path.extension() != ".f32")
    throw tool::Failure(tool::ExitCode::usage, path, "the name has to end in .f32");
  const std::string about_path = std::filesystem::path(path).replace_extension(".json").string();
  for (const std::string &output : {path, about_path}) tool::require_other_file(output, {input});
  tool::OutputFile points(path);
  tool::OutputFile about(about_path);
  const Cloud cloud = source.cloud.converted(ValueType::float32, Layout::soa);
  points.write(cloud.data(), cloud.bytes());
  const tool::Json json = {{"name", points_path.stem().string()},
                           {"particles", cloud.particles()},
                           {"components", cloud.components()},
                           {"description", source.description},
                           {"source", tool::program_version + std::string(" bench")},
                           {"order", source.order}};
  about.write(json.text());
  points.commit();
  about.commit();
}

}  // namespace gpz::bench
