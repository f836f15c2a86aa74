// SPDX-License-Identifier: BSD-3-Clause
// The file that several ranks write in the background, each at its own places.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "gpz_plain_file.h"

namespace lammps_plain_file_test {
namespace {

using LAMMPS_NS::GPZPlainFile;

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class F>
std::string error_of(F &&call) {
  try {
    call();
  } catch (const std::runtime_error &e) {
    return e.what();
  }
  return "no error";
}

TEST(PlainFile, WritersKeepToTheirPlaces) {
  const std::string path = testing::TempDir() + "plain_file";
  std::ofstream(path) << "header";
  GPZPlainFile first(path), second(path);
  second.write(9, "chunk", 5);
  first.write(6, "the", 3);
  EXPECT_EQ(read(path), "headerthechunk");
  first.cut(20);  // never makes it longer
  EXPECT_EQ(read(path), "headerthechunk");
  first.cut(9);
  EXPECT_EQ(read(path), "headerthe");
  first.close();
  second.close();
}

TEST(PlainFile, ErrorsNameFileAndReason) {
  const std::string path = testing::TempDir() + "no_such_file";
  EXPECT_EQ(error_of([&] { GPZPlainFile file(path); }), path + ": cannot open: No such file or directory");
#ifdef __linux__
  GPZPlainFile full("/dev/full");
  EXPECT_EQ(error_of([&] { full.write(0, "x", 1); }), "/dev/full: cannot write: No space left on device");
  GPZPlainFile device("/dev/null");
  EXPECT_EQ(error_of([&] { device.cut(0); }), "no error");  // nothing is there to be cut
#endif
}

}  // namespace
}  // namespace lammps_plain_file_test
