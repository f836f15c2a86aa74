// SPDX-License-Identifier: BSD-3-Clause
#include "library_arrays.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "gpz/error.hpp"
#include "gpz/frame_array.hpp"

namespace {

void print_array(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  const gpz::FrameArrayInfo info = gpz::frame_array_info(bytes.data(), bytes.size());
  gpz::FrameArrayShape frame = info.shape;
  frame.frames = 1;
  std::vector<char> values(frame.bytes());
  std::string text;
  for (std::uint64_t t = 0; t < info.shape.frames; ++t) {
    gpz::decompress_frames(bytes.data(), bytes.size(), t, 1, values.data(), values.size());
    char digest[20];
    std::snprintf(digest, sizeof digest, "%016llx\n",
                  static_cast<unsigned long long>(XXH3_64bits(values.data(), values.size())));
    text += digest;
  }
  std::printf("%s %llu %llu %u %.17g\n%s", info.shape.type == gpz::ValueType::float32 ? "f32" : "f64",
              static_cast<unsigned long long>(info.shape.frames), static_cast<unsigned long long>(info.shape.particles),
              info.shape.components, info.bound, text.c_str());
}

}  // namespace

void print_arrays(const std::string &folder) {
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::printf("%s\n", entry.path().filename().c_str());
    try {
      print_array(entry.path());
    } catch (const gpz::Error &error) {
      std::printf("refused: %s\n", error.cause().c_str());
    }
  }
}
