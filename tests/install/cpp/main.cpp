// SPDX-License-Identifier: BSD-3-Clause
// main FILE: writes frames in C++, and reads them back. Returns 0, or the number of the step that failed.
#include <gpz/version.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <gpz/error.hpp>
#include <gpz/reader.hpp>
#include <gpz/sink.hpp>
#include <gpz/source.hpp>
#include <gpz/writer.hpp>

int main(int argc, char **argv) {
  if (argc != 2) return 1;
  if (gpz::version_number() != GPZ_VERSION_NUMBER || std::strcmp(gpz::version(), GPZ_VERSION_STRING) != 0) return 2;

  const std::size_t particles = 1000;
  std::vector<double> x(3 * particles);
  std::vector<int> id(particles);
  gpz::FieldInput position;
  position.field.leading = true;
  position.field.bound = 0.001;
  position.field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
  for (std::size_t c = 0; c < 3; ++c)
    position.components[c] = {x.data() + c, 3 * sizeof(double), gpz::ConstArray::Type::float64};
  gpz::FieldInput identity;
  identity.field.type = gpz::ValueType::integer;
  identity.field.components = {{"id", 3}};
  identity.components[0] = {id.data(), sizeof(int), gpz::ConstArray::Type::int32};

  gpz::Metadata metadata;
  metadata.units = "lj";
  gpz::Writer writer(argv[1], metadata);
  writer.set_key_interval(2);
  for (int frame = 0; frame < 3; ++frame) {
    gpz::FrameInfo info;
    info.particles = particles;
    info.timestep = 10 * frame;
    for (std::size_t i = 0; i < particles; ++i) {
      id[i] = static_cast<int>(i) + 1;
      x[3 * i] = x[3 * i + 1] = x[3 * i + 2] = static_cast<double>(i) + 0.25 * frame;
    }
    writer.write(info, {position, identity});
  }
  writer.close();

  const gpz::Reader reader(argv[1]);
  if (reader.frames() != 3 || reader.metadata().units != "lj") return 3;
  for (std::size_t frame = 0; frame < 3; ++frame) {
    const gpz::Frame read = reader.read(frame);
    const gpz::Frame::Column *const ids = read.find("id");
    const gpz::Frame::Column *const xs = read.find("x");
    if (ids == nullptr || xs == nullptr || xs->floats.size() != particles) return 4;
    for (std::size_t i = 0; i < particles; ++i) {
      const double expected = static_cast<double>(ids->integers[i] - 1) + 0.25 * static_cast<double>(frame);
      if (std::fabs(xs->floats[i] - expected) > 0.001) return 5;
    }
  }

  // Thrown in the library, caught here by its type.
  try {
    gpz::Reader missing("");
    return 6;
  } catch (const gpz::Error &error) {
    if (error.status() != gpz::Status::io_error) return 7;
  }
  std::printf("%s\n", gpz::version());
  return 0;
}
