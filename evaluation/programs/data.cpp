// SPDX-License-Identifier: BSD-3-Clause
#include "data.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace evaluation {

namespace {

[[noreturn]] void fail(const std::string &path, const std::string &why) { throw std::runtime_error(path + ": " + why); }

}  // namespace

Data::Data(const std::string &path, int components)
    : name_(std::filesystem::path(path).stem().string()), components_(components) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path, std::strerror(errno));
  struct stat about {};
  const bool known = fstat(file, &about) == 0;
  bytes_ = known ? static_cast<std::size_t>(about.st_size) : 0;
  const std::size_t particle = static_cast<std::size_t>(components) * sizeof(float);
  void *const there = bytes_ == 0 ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  close(file);
  if (bytes_ == 0) fail(path, known ? "no particles" : std::strerror(error));
  if (there == MAP_FAILED) fail(path, std::strerror(error));
  values_ = static_cast<const float *>(there);
  particles_ = bytes_ / particle;
  if (bytes_ % particle != 0) {
    munmap(there, bytes_);
    fail(path, "not whole particles of " + std::to_string(components) + " values");
  }
}

Data::~Data() { munmap(const_cast<float *>(values_), bytes_); }

template <typename Value>
void write_values(const std::string &path, const std::vector<Value> &values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Value)));
  if (!file.flush()) fail(path, "cannot be written");
}
template void write_values(const std::string &path, const std::vector<float> &values);
template void write_values(const std::string &path, const std::vector<std::uint32_t> &values);

}  // namespace evaluation
