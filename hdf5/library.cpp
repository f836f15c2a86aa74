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
  const auto push = find<PushError>("H5Epush2");
  const auto *const error_class = find<const Id *>("H5E_ERR_CLS_g");
  const auto *const pipeline = find<const Id *>("H5E_PLINE_g");
  const auto *const cannot_filter = find<const Id *>("H5E_CANTFILTER_g");
  if (push == nullptr || error_class == nullptr || pipeline == nullptr || cannot_filter == nullptr) return;
  constexpr Id default_stack = 0;
  push(default_stack, "gpz", "gpz", 0, *error_class, *pipeline, *cannot_filter, "%s", message.c_str());
}

}  // namespace gpz::hdf5
