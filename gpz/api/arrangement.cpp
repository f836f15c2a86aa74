// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/arrangement.hpp"

#include "gpz/api/read_output.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/selected.hpp"

namespace gpz::api {

trajectory::Arrangement arrangement_of(const FrameInfo &info, const ReadOptions &options) {
  trajectory::Arrangement arrangement;
  arrangement.sorted_by = sort_field(info, options);
  if (options.selection != nullptr && !options.selection->all()) arrangement.selection = options.selection;
  return arrangement;
}

std::vector<bool> with_fields_of(const trajectory::Arrangement &arrangement, const FrameInfo &info,
                                 std::vector<bool> wanted) {
  if (wanted.empty()) return wanted;
  if (arrangement.sorted_by != format::no_field) wanted[arrangement.sorted_by] = true;
  if (arrangement.selection != nullptr)
    for (const auto &ref : format::SelectionColumns(*arrangement.selection, info.fields).all())
      wanted[ref.field] = true;
  return wanted;
}

}  // namespace gpz::api
