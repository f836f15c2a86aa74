// SPDX-License-Identifier: BSD-3-Clause
// The .gpz files that commands read: paths, and URLs of remote files.
#pragma once

#include <memory>
#include <string>

#include "gpz/limits.hpp"
#include "gpz/reader.hpp"
#include "gpz/source.hpp"

namespace gpz::tool {

// Whether this is a URL, such as https://host/file.gpz or simplecache::s3://bucket/file.gpz.
bool is_url(const std::string &path);
// The URL for messages: without user, password and query, in which secrets may be. What gpz-source says is more exact.
std::string shown_url(const std::string &url);

// Throws Failure (usage) for a URL. `verb`: the command, which needs a file of this machine.
void require_local(const std::string &path, const char *verb);

// The bytes of a URL. All calls for one URL share a source, while there is one. Throws as HelperSource.
std::shared_ptr<Source> source_of_url(const std::string &url);

// Throws as Reader and HelperSource.
Reader open_reader(const std::string &path, const Limits &limits);

}  // namespace gpz::tool
