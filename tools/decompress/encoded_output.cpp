// SPDX-License-Identifier: BSD-3-Clause
#include "encoded_output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "exit_code.hpp"
#include "gpz/error.hpp"
#include "gpz/write_lock.hpp"

namespace gpz::tool {
namespace {

const std::string standard_output = "-";

// Another program may have created the file first, and write it.
void remove_unless_written(const std::string &path) {
  try {
    const WriteLock lock(path);
    ::unlink(path.c_str());
  } catch (const Error &) {  // the first error is the one to report
  } catch (const std::bad_alloc &) {
    ::unlink(path.c_str());  // without memory nobody else can be asked for
  }
}

Writer open_writer(const std::string &path, const Metadata &metadata, int threads) {
  if (path == standard_output) return {STDOUT_FILENO, "standard output", metadata, threads};
  const bool is_new = ::access(path.c_str(), F_OK) != 0;
  try {
    return {path, metadata, Writer::Mode::create, threads};
  } catch (...) {
    if (is_new) remove_unless_written(path);  // the beginning of a file header
    throw;
  }
}

}  // namespace

EncodedOutput::EncodedOutput(const std::string &path, const Metadata &metadata, const EncodingOptions &options)
    : path_(path), most_pending_(most_pending()), writer_(open_writer(path, metadata, options.threads)) {
  if (options.is_key_interval_chosen)
    writer_.choose_key_interval();
  else
    writer_.set_key_interval(options.key_interval);
  writer_.set_order(options.order);
  writer_.set_effort(options.effort.value_or(default_effort));
  writer_.set_pending(most_pending_);
}

EncodedOutput::~EncodedOutput() {
  if (!writer_.frames().empty() || closed_ || path_ == standard_output) return;
  // Not by std::filesystem, which takes memory for the name.
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path_.c_str());
}

void EncodedOutput::close() {
  writer_.close();
  closed_ = true;
  // Some file systems report only now that they cannot take what was written.
  if (path_ == standard_output && ::close(STDOUT_FILENO) != 0 && errno != EINTR) throw io_failure("standard output");
}

}  // namespace gpz::tool
