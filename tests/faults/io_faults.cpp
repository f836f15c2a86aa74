// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program (LD_PRELOAD, Linux): counts its calls on the files below one folder, and lets one of them
// fail. The environment says how:
//
//   IO_FAULTS_DIR=FOLDER    An absolute path without symbolic links. Calls on files below it are counted, no others.
//   IO_FAULTS_LOG=FILE      Each counted call appends a line when it has ended:
//                             RANK NUMBER KIND RESULT PATH
//                           RESULT is what the call returned, or -errno, or "killed" for one that did not end. The
//                           file is outside FOLDER.
//   IO_FAULTS_KINDS=a,b     What is counted: open, read, write, sync, rename, close, truncate, unlink. Default: all
//                           of these. Also stat and seek, if they are named.
//   IO_FAULTS_AT=N          The call that fails; the first is number 1. Default: none.
//   IO_FAULTS_FOR=M         How many calls fail from then on. Default: 1. 0: all.
//   IO_FAULTS_RANK=R        Only in rank R of MPI, where a program without MPI is rank 0. Default: in every process,
//                           each with a count of its own.
//   IO_FAULTS_ACTION=...    What happens to the call. Default: EIO.
//     ENOSPC, EIO, EINTR, EAGAIN, EACCES, EDQUOT, or a number
//                           It fails with this errno and does nothing, except that close has closed.
//     one, half             One byte, or half of them, is read or written. No effect on other calls.
//     kill-before, kill-half, kill-after
//                           SIGKILL before the call, after half of a write, after the call.
//     SIGINT, SIGTERM       This signal before the call.
//
// Calls that the C library makes inside its own functions (fwrite, fclose) are not seen, except those of fopen, mkstemp
// and remove.
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Plan {
  std::string folder, kinds, action;
  int rank = 0, log = -1;
  long at = 0, calls = 1;
  int error = 0;  // errno of the failing call; 0: the action is another one

  Plan() {
    const auto text = [](const char *name, const char *otherwise) {
      const char *value = std::getenv(name);
      return std::string(value ? value : otherwise);
    };
    folder = text("IO_FAULTS_DIR", "");
    kinds = text("IO_FAULTS_KINDS", "");
    action = text("IO_FAULTS_ACTION", "EIO");
    at = std::atol(text("IO_FAULTS_AT", "0").c_str());
    calls = std::atol(text("IO_FAULTS_FOR", "1").c_str());
    rank = std::atoi(text("OMPI_COMM_WORLD_RANK", text("PMI_RANK", "0").c_str()).c_str());
    const std::string chosen = text("IO_FAULTS_RANK", "");
    if (!chosen.empty() && rank != std::atoi(chosen.c_str())) at = 0;

    constexpr struct {
      const char *name;
      int code;
    } errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},
                  {"EAGAIN", EAGAIN}, {"EACCES", EACCES}, {"EDQUOT", EDQUOT}};
    for (const auto &known : errors)
      if (action == known.name) error = known.code;
    if (error == 0) error = std::atoi(action.c_str());

    const std::string path = text("IO_FAULTS_LOG", "");
    if (!path.empty())
      log = static_cast<int>(
          syscall(SYS_openat, AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  }
};

// Never destroyed: the program may write until its very end.
const Plan &plan() {
  static const Plan *const only = new Plan;
  return *only;
}

bool below_folder(const std::string &path) {
  const std::string &folder = plan().folder;
  return !folder.empty() && path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 &&
         path[folder.size()] == '/';
}

std::string path_of(int descriptor) {
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = readlink(link.c_str(), path, sizeof(path));
  return length < 0 ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

std::string path_of(int directory, const char *name) {
  if (name[0] == '/') return name;
  char here[PATH_MAX];
  const std::string start = directory != AT_FDCWD ? path_of(directory) : getcwd(here, sizeof(here)) ? here : "";
  return start + "/" + (std::strncmp(name, "./", 2) == 0 ? name + 2 : name);
}

std::atomic<long> counted{0};

// One call of the program.
class Call {
 public:
  Call(const char *kind, const std::string &path) : kind_(kind), path_(path) {
    if (!below_folder(path) || !is_counted(kind)) return;
    const Plan &p = plan();
    number_ = ++counted;
    hit_ = p.at > 0 && number_ >= p.at && (p.calls == 0 || number_ < p.at + p.calls);
  }

  bool does(const char *action) const { return hit_ && plan().action == action; }

  void kill_if(const char *action, const std::string &result = "killed") const {
    if (!does(action)) return;
    log(result);
    kill(getpid(), SIGKILL);
  }

  // Makes the call, or fails: the result is -1 then.
  template <class F>
  auto make(F &&call) const -> decltype(call()) {
    kill_if("kill-before");
    if (does("SIGINT")) kill(getpid(), SIGINT);
    if (does("SIGTERM")) kill(getpid(), SIGTERM);
    const int planned = hit_ ? plan().error : 0;
    const auto result = planned ? -1 : call();
    const int error = planned ? planned : errno;
    const std::string text = std::to_string(result < 0 ? -error : result);
    kill_if("kill-half", text);  // what is no write
    kill_if("kill-after", text);
    log(text);
    errno = error;
    return result;
  }

 private:
  const char *kind_;
  std::string path_;
  long number_ = 0;  // 0: not counted
  bool hit_ = false;

  static bool is_counted(const char *kind) {
    const std::string &kinds = plan().kinds;
    if (kinds.empty()) return std::strcmp(kind, "stat") != 0 && std::strcmp(kind, "seek") != 0;
    return ("," + kinds + ",").find(std::string(",") + kind + ",") != std::string::npos;
  }

  void log(const std::string &result) const {
    if (number_ == 0 || plan().log < 0) return;
    const std::string start = std::to_string(plan().rank) + " " + std::to_string(number_) + " " + kind_ + " ";
    const std::string line = start + result + " " + path_ + "\n";
    syscall(SYS_write, plan().log, line.c_str(), line.size());
  }
};

template <class F>
F *next(const char *name, F *) {
  return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name));
}
#define NEXT(function) next(#function, function)

enum class Way { write, read };

// offset: -1 for the position of the descriptor.
ssize_t move(Way way, int descriptor, const struct iovec *pieces, int count, off_t offset) {
  static auto *const real_writev = NEXT(writev);
  static auto *const real_pwritev = NEXT(pwritev);
  static auto *const real_readv = NEXT(readv);
  static auto *const real_preadv = NEXT(preadv);
  if (way == Way::write)
    return offset < 0 ? real_writev(descriptor, pieces, count) : real_pwritev(descriptor, pieces, count, offset);
  return offset < 0 ? real_readv(descriptor, pieces, count) : real_preadv(descriptor, pieces, count, offset);
}

// At most `most` bytes of the pieces.
ssize_t move_some(Way way, int descriptor, const struct iovec *pieces, int count, off_t offset, std::size_t most) {
  std::size_t before = 0;
  int whole = 0;
  while (whole < count && before + pieces[whole].iov_len <= most) before += pieces[whole++].iov_len;
  ssize_t done = whole > 0 ? move(way, descriptor, pieces, whole, offset) : 0;
  if (done != static_cast<ssize_t>(before) || most == before || whole == count) return done;
  const struct iovec part = {pieces[whole].iov_base, most - before};
  const ssize_t more = move(way, descriptor, &part, 1, offset < 0 ? offset : offset + done);
  return more < 0 ? more : done + more;
}

ssize_t transfer(Way way, int descriptor, const struct iovec *pieces, int count, off_t offset) {
  const Call call(way == Way::write ? "write" : "read", path_of(descriptor));
  std::size_t size = 0;
  for (int i = 0; i < count; ++i) size += pieces[i].iov_len;
  if (way == Way::write && call.does("kill-half")) {
    move_some(way, descriptor, pieces, count, offset, size / 2);
    call.kill_if("kill-half");
  }
  std::size_t most = size;
  if (call.does("one") && size > 1) most = 1;
  if (call.does("half") && size > 1) most = size / 2;
  return call.make([&] {
    return most < size ? move_some(way, descriptor, pieces, count, offset, most)
                       : move(way, descriptor, pieces, count, offset);
  });
}

ssize_t transfer(Way way, int descriptor, const void *bytes, std::size_t size, off_t offset) {
  const struct iovec piece = {const_cast<void *>(bytes), size};
  return transfer(way, descriptor, &piece, 1, offset);
}

int open_at(int directory, const char *name, int flags, mode_t mode) {
  static auto *const real = NEXT(openat);
  return Call("open", path_of(directory, name)).make([&] { return real(directory, name, flags, mode); });
}

mode_t mode_of(int flags, va_list more) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; }

template <class F>
FILE *open_stream(F *real, const char *name, const char *mode) {
  FILE *stream = nullptr;
  Call("open", path_of(AT_FDCWD, name)).make([&] {
    stream = real(name, mode);
    return stream ? 0 : -1;
  });
  return stream;
}

}  // namespace

#define IO_FAULTS_OPEN(name, directory_parameter, directory)       \
  int name(directory_parameter const char *path, int flags, ...) { \
    va_list more;                                                  \
    va_start(more, flags);                                         \
    const mode_t mode = mode_of(flags, more);                      \
    va_end(more);                                                  \
    return open_at(directory, path, flags, mode);                  \
  }
#define IO_FAULTS_DIRECTORY int parent,

extern "C" {

IO_FAULTS_OPEN(open, , AT_FDCWD)
IO_FAULTS_OPEN(open64, , AT_FDCWD)
IO_FAULTS_OPEN(openat, IO_FAULTS_DIRECTORY, parent)
IO_FAULTS_OPEN(openat64, IO_FAULTS_DIRECTORY, parent)
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }
FILE *fopen(const char *path, const char *mode) { return open_stream(NEXT(fopen), path, mode); }
FILE *fopen64(const char *path, const char *mode) { return open_stream(NEXT(fopen64), path, mode); }
int mkstemp(char *pattern) {
  return Call("open", path_of(AT_FDCWD, pattern)).make([&] { return NEXT(mkstemp)(pattern); });
}
int mkstemp64(char *pattern) { return mkstemp(pattern); }

ssize_t write(int descriptor, const void *bytes, std::size_t size) {
  return transfer(Way::write, descriptor, bytes, size, -1);
}
ssize_t pwrite(int descriptor, const void *bytes, std::size_t size, off_t offset) {
  return transfer(Way::write, descriptor, bytes, size, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, std::size_t size, off64_t offset) {
  return transfer(Way::write, descriptor, bytes, size, offset);
}
ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
  return transfer(Way::write, descriptor, pieces, count, -1);
}
ssize_t pwritev(int descriptor, const struct iovec *pieces, int count, off_t offset) {
  return transfer(Way::write, descriptor, pieces, count, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec *pieces, int count, off64_t offset) {
  return transfer(Way::write, descriptor, pieces, count, offset);
}

ssize_t read(int descriptor, void *bytes, std::size_t size) { return transfer(Way::read, descriptor, bytes, size, -1); }
ssize_t pread(int descriptor, void *bytes, std::size_t size, off_t offset) {
  return transfer(Way::read, descriptor, bytes, size, offset);
}
ssize_t pread64(int descriptor, void *bytes, std::size_t size, off64_t offset) {
  return transfer(Way::read, descriptor, bytes, size, offset);
}
ssize_t readv(int descriptor, const struct iovec *pieces, int count) {
  return transfer(Way::read, descriptor, pieces, count, -1);
}
ssize_t preadv(int descriptor, const struct iovec *pieces, int count, off_t offset) {
  return transfer(Way::read, descriptor, pieces, count, offset);
}
ssize_t preadv64(int descriptor, const struct iovec *pieces, int count, off64_t offset) {
  return transfer(Way::read, descriptor, pieces, count, offset);
}

int fsync(int descriptor) {
  return Call("sync", path_of(descriptor)).make([&] { return NEXT(fsync)(descriptor); });
}
int fdatasync(int descriptor) {
  return Call("sync", path_of(descriptor)).make([&] { return NEXT(fdatasync)(descriptor); });
}

// The descriptor is gone, whatever close returns.
int close(int descriptor) {
  static auto *const real = NEXT(close);
  const Call call("close", path_of(descriptor));
  const int result = real(descriptor);
  return call.make([&] { return result; });
}

int fstat(int descriptor, struct stat *facts) noexcept {
  return Call("stat", path_of(descriptor)).make([&] { return NEXT(fstat)(descriptor, facts); });
}
int fstat64(int descriptor, struct stat64 *facts) noexcept {
  return Call("stat", path_of(descriptor)).make([&] { return NEXT(fstat64)(descriptor, facts); });
}
int stat(const char *path, struct stat *facts) noexcept {
  return Call("stat", path_of(AT_FDCWD, path)).make([&] { return NEXT(stat)(path, facts); });
}
int stat64(const char *path, struct stat64 *facts) noexcept {
  return Call("stat", path_of(AT_FDCWD, path)).make([&] { return NEXT(stat64)(path, facts); });
}
off_t lseek(int descriptor, off_t offset, int from) noexcept {
  return Call("seek", path_of(descriptor)).make([&] { return NEXT(lseek)(descriptor, offset, from); });
}
off64_t lseek64(int descriptor, off64_t offset, int from) noexcept { return lseek(descriptor, offset, from); }

int ftruncate(int descriptor, off_t size) noexcept {
  return Call("truncate", path_of(descriptor)).make([&] { return NEXT(ftruncate)(descriptor, size); });
}
int ftruncate64(int descriptor, off64_t size) noexcept { return ftruncate(descriptor, size); }
int truncate(const char *path, off_t size) noexcept {
  return Call("truncate", path_of(AT_FDCWD, path)).make([&] { return NEXT(truncate)(path, size); });
}
int truncate64(const char *path, off64_t size) noexcept { return truncate(path, size); }

int unlink(const char *path) noexcept {
  return Call("unlink", path_of(AT_FDCWD, path)).make([&] { return NEXT(unlink)(path); });
}
int unlinkat(int directory, const char *path, int flags) noexcept {
  return Call("unlink", path_of(directory, path)).make([&] { return NEXT(unlinkat)(directory, path, flags); });
}
int remove(const char *path) noexcept {
  return Call("unlink", path_of(AT_FDCWD, path)).make([&] { return NEXT(remove)(path); });
}

int rename(const char *from, const char *to) noexcept {
  return Call("rename", path_of(AT_FDCWD, to)).make([&] { return NEXT(rename)(from, to); });
}
int renameat(int from_directory, const char *from, int to_directory, const char *to) noexcept {
  return Call("rename", path_of(to_directory, to)).make([&] {
    return NEXT(renameat)(from_directory, from, to_directory, to);
  });
}
int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) noexcept {
  return Call("rename", path_of(to_directory, to)).make([&] {
    return NEXT(renameat2)(from_directory, from, to_directory, to, flags);
  });
}

}  // extern "C"
