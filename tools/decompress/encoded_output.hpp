// Where encoded frames go.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/trajectory.hpp"
#include "output_file.hpp"

namespace gpz::tool {

class EncodedOutput {
 public:
  virtual ~EncodedOutput() = default;
  virtual void write(const FrameInfo &info, const std::vector<FieldInput> &fields) = 0;
  // Writes the index.
  virtual void close() = 0;
};

// A key frame every `key_interval` frames. "-" is standard output. A regular file that has no complete frame in the end
// is removed. Throws gpz::Error, Failure (io).
std::unique_ptr<EncodedOutput> open_encoded_output(const std::string &path, const Metadata &metadata, int threads,
                                                   unsigned key_interval, KeyOrder order);

}  // namespace gpz::tool
