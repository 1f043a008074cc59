#include "line_mender.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "ergon/run/record/output_directory.hpp"

namespace ergon::app {
namespace {

// After fork only async-signal-safe functions may be called: another thread may have held any lock.
[[noreturn]] void wait_and_mend(int life_line, const std::vector<std::string>& files, const char* lock_file) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  // Whoever reads the output of the run must not wait for this process.
  ::dup2(life_line, STDIN_FILENO);
  ::close_range(STDIN_FILENO + 1, ~0U, 0);
  char byte = 0;
  bool files_are_ours = false;
  for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);) {
    n = ::read(STDIN_FILENO, &byte, 1);
    files_are_ours = files_are_ours || n > 0;
  }
  // Another run may have taken the directory over since.
  const int lock = ::open(lock_file, O_RDWR | O_CLOEXEC);
  if (files_are_ours && (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) == 0)) {
    for (const std::string& file : files) cut_incomplete_line(file.c_str());
  }
  ::_exit(0);
}

}  // namespace

void cut_incomplete_line(const char* file) {
  const int descriptor = ::open(file, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  char buffer[4096];
  off_t end = size;
  bool found = false;
  while (end > 0 && !found) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(sizeof buffer));
    const ssize_t n = ::pread(descriptor, buffer, static_cast<std::size_t>(end - begin), begin);
    if (n != end - begin) break;
    while (end > begin && buffer[end - begin - 1] != '\n') --end;
    found = end > begin;
  }
  if (found && end < size && ::ftruncate(descriptor, end) != 0) {
    // Nothing more can be done for it, and nobody is left to be told.
  }
  ::close(descriptor);
}

LineMender::LineMender(const std::filesystem::path& directory, const std::vector<std::string>& files)
    : lock_file_((directory / lock_file_name).string()) {
  for (const std::string& file : files) files_.push_back((directory / file).string());
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return;
  child_ = ::fork();
  if (child_ == 0) {
    ::close(pipe[1]);
    wait_and_mend(pipe[0], files_, lock_file_.c_str());
  }
  // A process group of its own outlives what is meant for that of the run, Ctrl-C included. Set from here:
  // the run may be killed before the child gets its first turn.
  if (child_ > 0) ::setpgid(child_, child_);
  ::close(pipe[0]);
  life_line_ = pipe[1];
}

void LineMender::take_over() const {
  const char any = 1;
  if (life_line_ >= 0 && ::write(life_line_, &any, 1) < 0) {
    // The child is gone: the run goes on without.
  }
}

LineMender::~LineMender() {
  if (life_line_ >= 0) ::close(life_line_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

}  // namespace ergon::app
