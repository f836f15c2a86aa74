// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/write_lock.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <system_error>

#include "gpz/error.hpp"

namespace gpz {

// A lock is an open file of its own, in a list of all locks. The list takes no memory, so that fork handlers can use it
// and locks may outlive other static objects.
struct WriteLock::State {
  State() = default;
  ~State();
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  enum class Kind { read, write, write_if_opened };
  static std::unique_ptr<State> lock(const std::string &path, const struct stat &facts, const std::string &name,
                                     Kind kind);
  void require_no_reader() const;

 private:
  void take(const struct stat &facts);
  // For a process that was forked, which has the list and the descriptors of its parent.
  static void drop_all();

  int descriptor_ = -1;  // negative: only this process knows of the lock
  bool writes_ = false;
  std::string name_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool is_listed_ = false;
  State *previous_ = nullptr;
  State *next_ = nullptr;

  static State *first_;
};

WriteLock::State *WriteLock::State::first_ = nullptr;

namespace {

// Held from before a descriptor is opened until it is listed: fork() waits, so that the child finds its copy.
std::mutex locks_mutex;

[[noreturn]] void refuse(const std::string &name, const char *other, const char *remedy) {
  throw Error(Status::invalid_argument,
              std::string("is being written by ") + other + ", and frames of one of the two would be lost: " + remedy +
                  ", or write another file",
              name);
}

int open_for_lock(const std::string &path, int access) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), access | O_CLOEXEC);
    if (descriptor >= 0 || errno != EINTR) return descriptor;
  }
}

// Bytes far beyond the end of any file stand for what is locked: on some network file systems nobody else can read or
// write bytes that are locked, and MPI-IO locks the bytes that it writes.
constexpr off_t writer_byte = off_t{1} << 62;
constexpr off_t readers_byte = writer_byte + 1;

// 0, or an errno.
int set_lock(int descriptor, short type, off_t byte) {
#ifdef F_OFD_SETLK
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return ::fcntl(descriptor, F_OFD_SETLK, &range) == 0 ? 0 : errno;
#else
  (void)descriptor, (void)type, (void)byte;
  return ENOSYS;
#endif
}

// Whether the lock was refused because another program has one.
bool is_held(int problem) { return problem == EAGAIN || problem == EACCES; }

}  // namespace

void WriteLock::State::take(const struct stat &facts) {
  if (writes_) {
    for (const State *other = first_; other != nullptr; other = other->next_)
      if (other->writes_ && other->device_ == facts.st_dev && other->inode_ == facts.st_ino)
        refuse(name_, "another writer of this program", "close the other one first");
    if (descriptor_ >= 0 && is_held(set_lock(descriptor_, F_WRLCK, writer_byte)))
      refuse(name_, "another program", "wait until it has ended");
  } else if (descriptor_ >= 0) {
    set_lock(descriptor_, F_RDLCK, readers_byte);
  }
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  next_ = first_;
  if (next_ != nullptr) next_->previous_ = this;
  first_ = this;
  is_listed_ = true;
}

void WriteLock::State::require_no_reader() const {
  if (descriptor_ < 0) return;
  const int problem = set_lock(descriptor_, F_WRLCK, readers_byte);
  if (problem == 0) set_lock(descriptor_, F_UNLCK, readers_byte);
  if (is_held(problem))
    throw Error(Status::invalid_argument,
                "is being read by another program, and would be emptied: write another file, or end what reads it",
                name_);
}

WriteLock::State::~State() {
  const std::lock_guard<std::mutex> lock(locks_mutex);
  if (is_listed_) {
    // A process that another thread starts at this moment has a copy of the descriptor until it runs its program.
    if (descriptor_ >= 0) set_lock(descriptor_, F_UNLCK, writes_ ? writer_byte : readers_byte);
    (previous_ != nullptr ? previous_->next_ : first_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

void WriteLock::State::drop_all() {
  for (State *state = first_; state != nullptr; state = state->next_) {
    if (state->descriptor_ >= 0) ::close(state->descriptor_);
    state->descriptor_ = -1;
    state->is_listed_ = false;
  }
  first_ = nullptr;
}

// `path` leads to the file that `facts` describe. Null for what is no regular file.
std::unique_ptr<WriteLock::State> WriteLock::State::lock(const std::string &path, const struct stat &facts,
                                                         const std::string &name, Kind kind) {
  if (!S_ISREG(facts.st_mode)) return nullptr;
  // The lock belongs to the open file. A child process has a descriptor of it, and would hold the lock as long as it
  // runs.
  static const int registered = pthread_atfork([] { locks_mutex.lock(); }, [] { locks_mutex.unlock(); },
                                               [] {
                                                 drop_all();
                                                 locks_mutex.unlock();
                                               });
  (void)registered;
  auto state = std::make_unique<State>();
  state->name_ = name;
  state->writes_ = kind != Kind::read;
  const std::lock_guard<std::mutex> guard(locks_mutex);
  state->descriptor_ = open_for_lock(path, state->writes_ ? O_WRONLY : O_RDONLY);
  if (state->descriptor_ < 0 && kind == Kind::write) {
    const int code = errno;
    throw Error(Status::io_error, "cannot open: " + std::generic_category().message(code), name, Error::no_position,
                code);
  }
  state->take(facts);
  return state;
}

WriteLock::WriteLock(const std::string &path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) state_ = State::lock(path, facts, path, State::Kind::write);
}

WriteLock::WriteLock(int descriptor, const std::string &name) {
  // Opened again, for the lock alone, whatever file has the name by now.
  struct stat facts {};
  if (::fstat(descriptor, &facts) == 0)
    state_ = State::lock("/proc/self/fd/" + std::to_string(descriptor), facts, name, State::Kind::write_if_opened);
}

WriteLock::~WriteLock() = default;
WriteLock::WriteLock(WriteLock &&) noexcept = default;
WriteLock &WriteLock::operator=(WriteLock &&) noexcept = default;

void WriteLock::require_no_reader() const {
  if (state_) state_->require_no_reader();
}

ReadLock::ReadLock(const std::string &path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0)
    state_ = WriteLock::State::lock(path, facts, path, WriteLock::State::Kind::read);
}

ReadLock::~ReadLock() = default;
ReadLock::ReadLock(ReadLock &&) noexcept = default;
ReadLock &ReadLock::operator=(ReadLock &&) noexcept = default;

}  // namespace gpz
