// SPDX-License-Identifier: BSD-3-Clause
// The HDF5 library that called the plugin. A process may have several (h5py has its own), and none need be visible to
// plugins, so it is found by the address of the caller.
#pragma once

#include <string>

#include "hdf5/abi.hpp"

namespace gpz::hdf5 {

class Library {
 public:
  // `caller`: an address in the code of the library: __builtin_return_address(0) in a function that it called.
  explicit Library(const void *caller);
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  // A function or variable of the library; nullptr if it has none of this name.
  template <typename T>
  T find(const char *name) const {
    return reinterpret_cast<T>(symbol(name));
  }
  // Adds a message to the errors of the library, which the program prints or raises.
  void report(const std::string &message) const;

 private:
  void *symbol(const char *name) const;

  void *handle_ = nullptr;
};

}  // namespace gpz::hdf5
