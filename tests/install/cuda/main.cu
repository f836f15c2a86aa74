// SPDX-License-Identifier: BSD-3-Clause
// main FILE: compresses particles that are on a GPU, writes them, and reads them back; without a GPU it only looks at
// errors. Returns 0, or the number of the step that failed.
#include <gpz/gpz_cuda.h>
#include <gpz/version.h>

#include <cmath>
#include <cstdio>
#include <gpz/cuda_codec.hpp>
#include <gpz/cuda_transfer.hpp>
#include <gpz/error.hpp>
#include <gpz/reader.hpp>
#include <gpz/writer.hpp>

__global__ void place(double *x, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) x[3 * i] = x[3 * i + 1] = x[3 * i + 2] = i;
}

int write_and_read(const char *path) {
  const int particles = 4000;
  double *x = nullptr;
  if (cudaMalloc(reinterpret_cast<void **>(&x), 3 * sizeof(double) * particles) != cudaSuccess) return 10;
  place<<<(particles + 255) / 256, 256>>>(x, particles);
  gpz::FieldInput position;
  position.field.leading = true;
  position.field.bound = 0.001;
  position.field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
  for (int c = 0; c < 3; ++c) position.components[c] = {x + c, 3 * sizeof(double), gpz::ConstArray::Type::float64};
  gpz::cuda::Codec codec(0);
  std::vector<gpz::EncodedChunk> chunks(1);
  codec.encode({position}, particles, nullptr, chunks[0]);
  cudaFree(x);

  gpz::FrameInfo info;
  info.particles = particles;
  info.fields = {position.field};
  gpz::Writer writer(path, gpz::Metadata());
  writer.write(info, chunks);
  writer.close();
  double sum = 0;
  const gpz::Frame frame = gpz::Reader(path).read(0);
  for (const double value : frame.find("x")->floats) sum += value;
  return std::fabs(sum - 0.5 * particles * (particles - 1)) <= 0.001 * particles ? 0 : 11;
}

int main(int argc, char **argv) {
  if (argc != 2) return 1;
  // The message comes from one library, and is asked of the other.
  gpz_cuda_codec *codec = nullptr;
  if (gpz_cuda_codec_create(4096, &codec) == GPZ_OK || gpz_last_error()[0] == '\0') return 2;
  // So with exceptions.
  try {
    gpz::cuda::Codec missing(4096);
    return 3;
  } catch (const gpz::Error &error) {
    if (error.status() == gpz::Status::ok) return 4;
  }
  if (gpz::cuda::device_count() > 0)
    if (const int failed = write_and_read(argv[1])) return failed;
  std::printf("%s\n", gpz::version());
  return 0;
}
