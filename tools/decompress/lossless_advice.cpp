// SPDX-License-Identifier: BSD-3-Clause
#include "lossless_advice.hpp"

#include <sys/stat.h>

#include <optional>
#include <vector>

#include "exit_code.hpp"
#include "gpz/error.hpp"
#include "gpz/reader.hpp"
#include "size_shares.hpp"

namespace gpz::tool {

void look_at(const Frame &frame, std::uint64_t number, LosslessAdvice &advice) {
  const std::optional<std::size_t> sample = LosslessAdvice::sample(number);
  if (!sample) return;
  for (const Frame::Column &column : frame.columns) {
    if (!is_lossless(frame.info.fields[column.field])) continue;
    LosslessAdvice::Squares squares;
    for (const double value : column.floats) squares.add(value);
    advice.add(frame.name(column), *sample, squares);
  }
}

std::string text_of(const LosslessAdvice &advice, const std::string &path, const Limits &limits) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const auto of_file = static_cast<double>(status.st_size);
  if (!advice.may_advise(of_file)) return {};
  double bytes = 0;
  try {
    for_field_sizes(Reader(path, limits), [&](const Field &field, double size) {
      if (is_lossless(field)) bytes += size;
    });
  } catch (const Error &) {
    return {};
  }
  const auto option = [](const std::vector<std::string> &columns, const std::string &bound) {
    if (bound == "thermal") return std::string("--bound v*=thermal");
    std::string options;
    for (const std::string &column : columns)
      options.append(options.empty() ? "--bound " : " --bound ").append(column).append("=").append(bound);
    return options;
  };
  const std::string text = advice.text(bytes, of_file, "", option);
  return text.empty() ? text : printable(path + ": " + text);
}

}  // namespace gpz::tool
