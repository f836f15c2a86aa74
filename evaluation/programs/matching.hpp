// SPDX-License-Identifier: BSD-3-Clause
// Which decoded particle belongs to which original one, for programs that forget it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace evaluation {

// Assigns decoded particles to original ones one to one. Two are within reach of each other if no coordinate differs by
// more than that. The reach is the first of `reaches` with which everybody has a partner within it. If there is none,
// it is the last one: as many as possible have one, and the others get what is left over, the nearest first.
class Matching {
 public:
  // Ascending, and not empty.
  Matching(int components, std::vector<double> reaches) : components_(components), reaches_(std::move(reaches)) {}

  // Coordinate d of particle i is original[d * stride + i], and decoded[d * stride + i]. Entry i of the result, which
  // is valid until the next call, is the decoded particle of original particle i.
  const std::vector<std::uint32_t> &match(const float *original, const float *decoded, std::uint64_t stride,
                                          std::uint64_t particles);

 private:
  // Decoded particles at one point, which any original may have: particles order_[first] to order_[end - 1].
  struct Point {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> owners;  // originals; at most end - first
  };
  // A point within reach of an original.
  struct Candidate {
    double distance;
    std::uint32_t point;
  };

  double distance(std::uint32_t original, std::uint32_t decoded) const;
  void find_points();
  void find_candidates();
  void place_all();
  bool has_room(std::uint32_t point) const;
  bool place(std::uint32_t original);
  void place_leftovers();

  int components_;
  std::vector<double> reaches_;
  double reach_ = 0;
  const float *original_ = nullptr;
  const float *decoded_ = nullptr;
  std::uint64_t stride_ = 0;
  std::uint32_t particles_ = 0;
  std::vector<std::uint32_t> order_;  // decoded particles, by their coordinates
  std::vector<Point> points_;
  std::vector<std::vector<Candidate>> candidates_;  // of each original, nearest first
  std::vector<std::uint32_t> left_;                 // originals without a place
  std::vector<std::uint32_t> partner_;
};

}  // namespace evaluation
