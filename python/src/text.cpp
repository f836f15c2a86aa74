// SPDX-License-Identifier: BSD-3-Clause
#include "text.hpp"

namespace nb = nanobind;

namespace gpz::python {

nb::str to_python(const std::string &text) {
  PyObject *made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

nb::list to_python(const std::vector<std::string> &texts) {
  nb::list list;
  for (const std::string &text : texts) list.append(to_python(text));
  return list;
}

std::string from_python(const nb::str &text) {
  PyObject *made = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
  if (made == nullptr) throw nb::python_error();
  const auto bytes = nb::steal<nb::bytes>(made);
  return {bytes.c_str(), bytes.size()};
}

std::vector<std::string> from_python(const nb::list &texts) {
  std::vector<std::string> result;
  for (const nb::handle text : texts) result.push_back(from_python(nb::cast<nb::str>(text)));
  return result;
}

}  // namespace gpz::python
