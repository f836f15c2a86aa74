// SPDX-License-Identifier: BSD-3-Clause
#include "gpz_file.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

#include "exit_code.hpp"
#include "gpz/cached_source.hpp"
#include "helper_source.hpp"

namespace gpz::tool {

bool is_url(const std::string &path) {
  std::error_code error;
  if (path.find("://") == std::string::npos && std::filesystem::exists(path, error)) return false;
  const auto end = std::find_if(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) == 0 && c != '+' && c != '-' && c != '.';
  });
  if (end == path.begin() || std::isalpha(static_cast<unsigned char>(path[0])) == 0) return false;
  const auto rest = static_cast<std::size_t>(end - path.begin());
  return path.compare(rest, 3, "://") == 0 || path.compare(rest, 2, "::") == 0;
}

std::string shown_url(const std::string &url) {
  const std::size_t query = url.find('?');
  std::string shown = url.substr(0, query);
  const std::size_t scheme = shown.find("://");
  const std::size_t user_end = shown.rfind('@');
  if (scheme != std::string::npos && user_end != std::string::npos && user_end > scheme)
    shown.erase(scheme + 3, user_end - scheme - 2);
  if (query != std::string::npos) shown += "?...";
  return shown;
}

void require_local(const std::string &path, const char *verb) {
  if (is_url(path))
    throw Failure(ExitCode::usage, shown_url(path), std::string(verb) + " needs a file of this machine: copy it first");
}

std::shared_ptr<Source> source_of_url(const std::string &url) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Source>> known;
  const std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<Source> &entry = known[url];
  std::shared_ptr<Source> source = entry.lock();
  if (source == nullptr) {
    source = std::make_shared<CachedSource>(std::make_shared<HelperSource>(url));
    entry = source;
  }
  return source;
}

Reader open_reader(const std::string &path, const Limits &limits) {
  return is_url(path) ? Reader(source_of_url(path), limits) : Reader(path, limits);
}

}  // namespace gpz::tool
