// SPDX-License-Identifier: BSD-3-Clause
// gpz::Selection for Python.
#pragma once

#include <memory>

#include "gpz/selection.hpp"

namespace gpz::python {

// What readers share with the frames that they decode ahead.
struct SharedSelection {
  std::shared_ptr<const Selection> selection;
};

}  // namespace gpz::python
