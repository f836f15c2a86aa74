#include "gpz/api/source.hpp"
#include "gpz/reader.hpp"

namespace gpz {

FrameInfo Reader::read_columns(std::size_t i, const std::vector<ColumnOutput> &columns, std::size_t capacity,
                               const ReadOptions &options) const {
  const Frame frame = read(i, options.threads);
  api::in_place("", Error::no_position, [&] { copy_columns(frame, columns, capacity, options.sort_by_id); });
  return frame.info;
}

}  // namespace gpz
