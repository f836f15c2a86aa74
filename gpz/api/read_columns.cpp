#include "gpz/api/copy_columns.hpp"
#include "gpz/api/source.hpp"

namespace gpz {

FrameInfo Reader::read_columns(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                               const ReadOptions &options) const {
  const Frame frame = read(i, options.threads);
  api::in_place("", Error::no_position, [&] { api::copy_columns(frame, columns, capacity, options.sort_by_id); });
  return frame.info;
}

}  // namespace gpz
