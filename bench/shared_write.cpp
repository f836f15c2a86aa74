// SPDX-License-Identifier: BSD-3-Clause
// How long several processes take to write their parts of one file, frame after frame, as the ranks of `dump gpz` do;
// against files of their own and other methods of writing. Bytes go to the page cache, except with O_DIRECT.
//
//   shared_write FOLDER [--frame MB] [--frames N] [--processes N,N,...]
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t page = 4096;
constexpr int most_frames = 256;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void check(bool good, const std::string &what) {
  if (!good) throw std::runtime_error(what + ": " + std::strerror(errno));
}

// State that the processes of a run share.
struct Shared {
  pthread_barrier_t barrier;
  double seconds[most_frames];

  void wait() { pthread_barrier_wait(&barrier); }
};

void *shared_memory(std::size_t size) {
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(memory != MAP_FAILED, "cannot map memory");
  return memory;
}

enum class Method {
  append,       // pwrite beyond the end of the file
  pieces,       // by 64 KiB a call
  resized,      // ftruncate before each frame, by the first process
  allocated,    // fallocate before each frame, by the first process
  all_at_once,  // fallocate of all frames before the first one, which is not counted
  again,        // over bytes that are in the page cache
  own_files,    // each process appends to its own file
  one_writer,   // all copy to shared memory, the first process writes the whole frame
  mapped,       // ftruncate, then mmap and memcpy
  direct,       // O_DIRECT, after fallocate
  copy,         // no file: memcpy to memory of the process that was used before
};

struct Named {
  const char *name;
  Method method;
};
const Named methods[] = {
    {"pwrite, the file grows", Method::append},
    {"  64 KiB a call", Method::pieces},
    {"  ftruncate before each frame", Method::resized},
    {"  fallocate before each frame", Method::allocated},
    {"  fallocate of all frames before", Method::all_at_once},
    {"  over what is in the cache", Method::again},
    {"  a file for each process", Method::own_files},
    {"  one process writes for all", Method::one_writer},
    {"mmap", Method::mapped},
    {"O_DIRECT behind fallocate", Method::direct},
    {"memcpy, no file", Method::copy},
};

struct Run {
  std::string folder;
  std::size_t frame;  // bytes, of all processes
  int frames, processes;
  Method method;

  std::size_t part() const { return frame / static_cast<std::size_t>(processes) / page * page; }
  std::string path(int process) const {
    return folder + "/shared_write." + std::to_string(method == Method::own_files ? process : 0);
  }
};

void write_all(int file, const char *bytes, std::size_t size, std::size_t offset, std::size_t piece) {
  while (size > 0) {
    const ssize_t done = pwrite(file, bytes, std::min(size, piece), static_cast<off_t>(offset));
    check(done > 0, "cannot write");
    bytes += done;
    offset += static_cast<std::size_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

void write_mapped(int file, const char *bytes, std::size_t size, std::size_t offset) {
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  check(memory != MAP_FAILED, "cannot map the file");
  std::memcpy(memory, bytes, size);
  munmap(memory, size);
}

// One process of a run. `staging`: room for a frame in shared memory.
void work(const Run &run, int me, Shared &shared, char *staging) {
  const std::size_t part = run.part();
  const Method method = run.method;
  const int flags = O_RDWR | (method == Method::direct ? O_DIRECT : 0);
  void *memory = nullptr;
  check(posix_memalign(&memory, page, 2 * part) == 0, "no memory");
  char *bytes = static_cast<char *>(memory), *other = bytes + part;
  for (std::size_t i = 0; i < 2 * part; ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  const int file = open(run.path(me).c_str(), flags);
  check(file >= 0, "cannot open");
  const std::size_t all = part * static_cast<std::size_t>(run.processes);
  if (me == 0 && method == Method::all_at_once)
    check(posix_fallocate(file, 0, static_cast<off_t>(all * static_cast<std::size_t>(run.frames))) == 0, "fallocate");
  for (int n = 0; n < run.frames; ++n) {
    const auto at = static_cast<std::size_t>(n) * (method == Method::own_files ? part : all);
    const std::size_t mine = at + (method == Method::own_files ? 0 : part * static_cast<std::size_t>(me));
    if (method == Method::again) write_all(file, bytes, part, mine, part);
    shared.wait();
    const double start = now();
    if (me == 0 && (method == Method::resized || method == Method::mapped))
      check(ftruncate(file, static_cast<off_t>(at + all)) == 0, "ftruncate");
    if (me == 0 && (method == Method::allocated || method == Method::direct))
      check(fallocate(file, 0, static_cast<off_t>(at), static_cast<off_t>(all)) == 0, "fallocate");
    if (method == Method::resized || method == Method::mapped || method == Method::allocated ||
        method == Method::direct)
      shared.wait();
    switch (method) {
      case Method::copy:
        std::memcpy(other, bytes, part);
        break;
      case Method::mapped:
        write_mapped(file, bytes, part, mine);
        break;
      case Method::pieces:
        write_all(file, bytes, part, mine, std::size_t{64} << 10);
        break;
      case Method::one_writer:
        std::memcpy(staging + part * static_cast<std::size_t>(me), bytes, part);
        shared.wait();
        if (me == 0) write_all(file, staging, all, at, all);
        break;
      default:
        write_all(file, bytes, part, mine, part);
    }
    shared.wait();
    if (me == 0) shared.seconds[n] = now() - start;
  }
  close(file);
}

// The median of the frames, seconds; the first two warm up. 0: not possible here.
double measure(const Run &run) {
  auto *shared = new (shared_memory(sizeof(Shared))) Shared{};
  auto *staging = static_cast<char *>(shared_memory(run.frame));
  std::memset(staging, 1, run.frame);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, static_cast<unsigned>(run.processes));
  const int files = run.method == Method::own_files ? run.processes : 1;
  for (int n = 0; n < files; ++n) {
    const int file = open(run.path(n).c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    check(file >= 0, run.path(n));
    close(file);
  }
  if (run.method == Method::direct) {  // tmpfs has none
    const int file = open(run.path(0).c_str(), O_RDWR | O_DIRECT);
    if (file < 0) return 0;
    close(file);
  }
  std::vector<pid_t> children;
  for (int me = 0; me < run.processes; ++me) {
    const pid_t child = fork();
    check(child >= 0, "cannot fork");
    if (child == 0) {
      try {
        work(run, me, *shared, staging);
      } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  int status = 0;
  bool failed = false;
  for (std::size_t ended = 0; ended < children.size(); ++ended) {
    waitpid(-1, &status, 0);
    if (status != 0 && !failed)  // the others wait for it
      for (const pid_t child : children) kill(child, SIGKILL);
    failed = failed || status != 0;
  }
  for (int n = 0; n < files; ++n) unlink(run.path(n).c_str());
  std::vector<double> seconds(shared->seconds + 2, shared->seconds + run.frames);
  munmap(staging, run.frame);
  munmap(shared, sizeof(Shared));
  if (failed) throw std::runtime_error("a process has failed");
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

std::vector<int> numbers(const std::string &text) {
  std::vector<int> found;
  std::stringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) found.push_back(std::stoi(word));
  return found;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    if (argc < 2) throw std::runtime_error("usage: shared_write FOLDER [--frame MB] [--frames N] [--processes N,...]");
    Run run{argv[1], std::size_t{32} << 20, 12, 1, Method::append};
    std::vector<int> processes{1, 2, 4};
    for (int n = 2; n + 1 < argc; n += 2) {
      const std::string option = argv[n], value = argv[n + 1];
      if (option == "--frame") run.frame = std::stoul(value) << 20;
      if (option == "--frames") run.frames = std::min(std::max(std::stoi(value), 3), most_frames);
      if (option == "--processes") processes = numbers(value);
    }
    struct statfs facts {};
    check(statfs(argv[1], &facts) == 0, argv[1]);
    std::printf("%s (file system 0x%lx), a frame of %zu MB: ms (GB/s), median of %d frames\n%-34s", argv[1],
                static_cast<unsigned long>(facts.f_type), run.frame >> 20, run.frames - 2, "processes");
    for (const int count : processes) std::printf("%18d", count);
    std::printf("\n");
    for (const Named &named : methods) {
      std::printf("%-34s", named.name);
      for (const int count : processes) {
        run.method = named.method;
        run.processes = count;
        const double seconds = measure(run);
        const double bytes = static_cast<double>(run.part()) * count;
        if (seconds > 0)
          std::printf("%10.2f (%5.2f)", 1e3 * seconds, 1e-9 * bytes / seconds);
        else
          std::printf("%18s", "-");
        std::fflush(stdout);
      }
      std::printf("\n");
    }
  } catch (const std::exception &e) {
    std::fprintf(stderr, "shared_write: %s\n", e.what());
    return 1;
  }
  return 0;
}
