// SPDX-License-Identifier: BSD-3-Clause
// Particles that are in GPU memory, written as a .gpz file: only the compressed bytes travel to the host.
//
//   gpu_to_file OUTPUT [PARTICLES]
//
// Link gpz::cuda and the CUDA runtime.
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpz/cuda_codec.hpp"
#include "gpz/error.hpp"
#include "gpz/writer.hpp"

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

// Stands for the arrays that a simulation has on its GPU.
class Simulation {
 public:
  explicit Simulation(std::size_t particles) : xyz_(3 * particles), id_(particles) {
    check(cudaMalloc(&device_xyz_, xyz_.size() * sizeof(float)));
    check(cudaMalloc(&device_id_, id_.size() * sizeof(int)));
  }
  ~Simulation() {
    cudaFree(device_xyz_);
    cudaFree(device_id_);
  }
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  void step(int timestep) {
    for (std::size_t i = 0; i < id_.size(); ++i) {
      id_[i] = static_cast<int>(i) + 1;
      for (std::size_t d = 0; d < 3; ++d)
        xyz_[3 * i + d] = static_cast<float>(10 + 10 * std::sin(0.001 * static_cast<double>(i * (d + 1) + timestep)));
    }
    check(cudaMemcpy(device_xyz_, xyz_.data(), xyz_.size() * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemcpy(device_id_, id_.data(), id_.size() * sizeof(int), cudaMemcpyHostToDevice));
  }
  const float *xyz() const { return static_cast<const float *>(device_xyz_); }
  const int *id() const { return static_cast<const int *>(device_id_); }

 private:
  std::vector<float> xyz_;
  std::vector<int> id_;
  void *device_xyz_ = nullptr;
  void *device_id_ = nullptr;
};

std::vector<gpz::FieldInput> fields_of(const Simulation &simulation) {
  gpz::FieldInput position;
  position.field.type = gpz::ValueType::float32;
  position.field.leading = true;  // may be reordered, and the ids with it
  position.field.bound = 0.001;   // |x - x'| <= 0.001, always
  position.field.components = {{"x", 1}, {"y", 2}, {"z", 3}};
  for (std::size_t d = 0; d < 3; ++d)
    position.components[d] = {simulation.xyz() + d, 3 * sizeof(float), gpz::ConstArray::Type::float32};

  gpz::FieldInput id;
  id.field.type = gpz::ValueType::integer;
  id.field.components = {{"id", 0}};
  id.components[0] = {simulation.id(), sizeof(int), gpz::ConstArray::Type::int32};
  return {position, id};
}

void write(const std::string &path, std::size_t particles) {
  constexpr int device = 0;
  check(cudaSetDevice(device));
  Simulation simulation(particles);
  const std::vector<gpz::FieldInput> fields = fields_of(simulation);

  gpz::Metadata metadata;
  metadata.generator = "gpu_to_file";
  metadata.columns = {"id", "x", "y", "z"};
  gpz::Writer writer(path, metadata);
  gpz::FrameInfo frame;
  frame.particles = particles;
  for (const gpz::FieldInput &input : fields) frame.fields.push_back(input.field);

  gpz::cuda::Codec codec(device);
  std::vector<gpz::EncodedChunk> chunks(1);  // one a frame; both keep their memory from frame to frame
  for (int timestep = 0; timestep < 3; ++timestep) {
    simulation.step(timestep);
    codec.encode(fields, particles, nullptr, chunks[0]);
    frame.timestep = timestep;
    writer.write(frame, chunks);
  }
  writer.close();
  std::printf("%zu particles, %zu frames, %llu bytes\n", particles, writer.frames().size(),
              static_cast<unsigned long long>(writer.size()));
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: gpu_to_file OUTPUT [PARTICLES]\n");
    return 2;
  }
  try {
    write(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100000);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu_to_file: %s\n", error.what());
    return 1;
  }
  return 0;
}
