// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/library.hpp"

#include <dlfcn.h>

namespace gpz::hdf5 {

Library::Library(const void *caller) {
  Dl_info found{};
  if (dladdr(caller, &found) != 0 && found.dli_fname != nullptr)
    handle_ = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  // A program that HDF5 is linked into.
  if (handle_ == nullptr) handle_ = dlopen(nullptr, RTLD_LAZY);
}

Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
}

void *Library::symbol(const char *name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

void Library::report(const std::string &message) const {
  const auto create = find<CreateErrors>("H5Ecreate_stack");
  const auto push = find<PushError>("H5Epush2");
  const auto use = find<UseErrors>("H5Eset_current_stack");
  const auto *const error_class = find<const Id *>("H5E_ERR_CLS_g");
  const auto *const pipeline = find<const Id *>("H5E_PLINE_g");
  const auto *const cannot_filter = find<const Id *>("H5E_CANTFILTER_g");
  if (create == nullptr || push == nullptr || use == nullptr || error_class == nullptr || pipeline == nullptr ||
      cannot_filter == nullptr)
    return;
  // While a filter runs, HDF5 2.0 pauses its own stack, which then takes no message. It can be replaced by another one.
  const Id stack = create();
  if (stack < 0) return;
  push(stack, "gpz", "gpz", 0, *error_class, *pipeline, *cannot_filter, "%s", message.c_str());
  use(stack);
}

}  // namespace gpz::hdf5
