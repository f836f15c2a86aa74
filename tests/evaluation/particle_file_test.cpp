// SPDX-License-Identifier: BSD-3-Clause
// What the programs that make data have in common: their files and options.
#include "particle_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "options.hpp"
#include "parallel.hpp"

namespace particle_file_test {
namespace {

using gpz::bench::data::in_pieces;
using gpz::bench::data::Program;
using gpz::bench::data::write_particles;

std::string stem() { return testing::TempDir() + "bench_particles_" + std::to_string(getpid()); }

std::string bytes_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(BenchParticleFile, HoldsOneAxisAfterTheOther) {
  const std::string path = stem();
  write_particles(path + ".f32", {{1.0f, -2.0f}, {0.5f, 0.0f}}, {"two points", "a test", "as written"});
  using namespace std::string_literals;
  EXPECT_EQ(bytes_of(path + ".f32"), "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f\x00\x00\x00\x00"s);
  const nlohmann::json json = nlohmann::json::parse(bytes_of(path + ".json"));
  EXPECT_EQ(json["name"], path.substr(path.rfind('/') + 1));
  EXPECT_EQ(json["particles"], 2);
  EXPECT_EQ(json["components"], 2);
  EXPECT_EQ(json["description"], "two points");
  EXPECT_EQ(json["source"], "a test");
  EXPECT_EQ(json["order"], "as written");
  unlink((path + ".f32").c_str());
  unlink((path + ".json").c_str());
}

TEST(BenchParticleFile, RefusesWhatItCannotWrite) {
  EXPECT_THROW(write_particles(stem() + ".bin", {{1.0f}}, {}), std::runtime_error);
  EXPECT_THROW(write_particles(stem() + ".f32", {{1.0f}, {1.0f, 2.0f}}, {}), std::runtime_error);
  EXPECT_THROW(write_particles(testing::TempDir() + "no_such_folder/a.f32", {{1.0f}}, {}), std::runtime_error);
}

int run(Program &program, std::vector<std::string> words, const std::function<void()> &work) {
  std::vector<char *> arguments;
  arguments.reserve(words.size());
  for (std::string &word : words) arguments.push_back(word.data());
  return program.run(static_cast<int>(arguments.size()), arguments.data(), work);
}

TEST(BenchProgram, SaysOnWhatTheDataDepend) {
  Program program("a test");
  int size = 3;
  double bound = 0.5;
  program.option("--size", size, "");
  program.option("--bound", bound, "");
  EXPECT_EQ(
      run(program, {"/somewhere/maker", "--size", "4", "--seed", "9", "--threads", "2", "--out", "/x/y.f32"}, [] {}),
      0);
  EXPECT_EQ(size, 4);
  EXPECT_EQ(program.seed(), 9u);
  EXPECT_EQ(program.threads(), 2u);
  EXPECT_EQ(program.out(), "/x/y.f32");
  const std::string source = program.source();
  EXPECT_EQ(source.rfind("maker of gpz ", 0), 0u) << source;
  for (const char *part : {" --size 4", " --bound 0.5", " --seed 9"})
    EXPECT_NE(source.find(part), source.npos) << source;
  for (const char *part : {"threads", "out", "somewhere"}) EXPECT_EQ(source.find(part), source.npos) << source;
}

TEST(BenchProgram, FailsIfTheWorkDoesOrTheOptionsAreWrong) {
  Program program("a test");
  const auto fail = [] { throw std::runtime_error("no space"); };
  EXPECT_EQ(run(program, {"maker", "--out", "y.f32"}, fail), 1);
  bool called = false;
  EXPECT_NE(run(program, {"maker"}, [&] { called = true; }), 0);
  EXPECT_FALSE(called);
}

TEST(BenchParallel, TakesEachIndexOnceAndThrowsWhatWorkThrows) {
  for (const unsigned threads : {1u, 3u}) {
    std::vector<int> seen(1001);
    in_pieces(threads, seen.size(), 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    EXPECT_EQ(seen, std::vector<int>(1001, 1));
    EXPECT_THROW(in_pieces(threads, 100, 10,
                           [](std::size_t begin, std::size_t) {
                             if (begin == 50) throw std::runtime_error("piece");
                           }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace particle_file_test
