#include "line_mender.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "ergon/run/record/output_directory.hpp"

namespace ergon::app {
namespace {

// After fork only async-signal-safe functions may be called: another thread may have held any lock.

constexpr char files_are_ours = 1;
constexpr char files_are_closed = 0;
constexpr long pause_ns = 1'000'000;
/// A lock of a run that is gone for so many pauses is held by nobody who writes: a child that an FMU has left behind has it from
/// its parent, and a new run would have put its number there.
constexpr int most_pauses_after_death = 1000;

/// A child gets another parent when the last thread of its own has ended.
bool is_gone(pid_t run) {
  return ::getppid() != run;
}

/// Until the run is gone: whether there may be something to mend. A process that an FMU has forked keeps the life line open beyond
/// the end of the run; the run itself is seen to end where the kernel has pidfd_open(2).
bool wait_for_end(pid_t run) {
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, run, 0));
  // Where it is gone already, its number may be that of another by now.
  bool gone = is_gone(run);
  char state = files_are_closed;
  for (;;) {
    const ssize_t n = ::recv(STDIN_FILENO, &state, 1, MSG_DONTWAIT);
    if (n > 0 || (n < 0 && errno == EINTR)) continue;
    if (n == 0 || gone || errno != EAGAIN) return state == files_are_ours;
    struct pollfd ends[] = {{STDIN_FILENO, POLLIN, 0}, {process, POLLIN, 0}};
    if (::poll(ends, process >= 0 ? 2 : 1, -1) < 0 && errno != EINTR) return false;
    gone = ends[1].revents != 0;
  }
}

pid_t holder_of_lock(int lock) {
  char text[32];
  const ssize_t n = ::pread(lock, text, sizeof text, 0);
  pid_t holder = 0;
  for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; ++i) holder = 10 * holder + (text[i] - '0');
  return holder;
}

bool is_alive(pid_t process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

/// The lock of the run, or -1 where another run has taken the directory over since. The life line ends before the kernel has
/// closed the other files of a dying run, so that it may still hold its lock for a while.
int lock_after(pid_t run, const char* lock_file) {
  for (int pauses_after_death = 0;;) {
    const int lock = ::open(lock_file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (lock < 0) return -1;
    // A file system without locks is written to without.
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return lock;
    const pid_t holder = holder_of_lock(lock);
    if (holder > 0 && holder != run && is_alive(holder)) {
      ::close(lock);
      return -1;
    }
    if (is_gone(run) && ++pauses_after_death > most_pauses_after_death) return lock;
    ::close(lock);
    const struct timespec pause { 0, pause_ns };
    ::nanosleep(&pause, nullptr);
  }
}

/// `results.every-….csv` and `results.interval-….csv`, as results_files.hpp names them, which are not known when this process is made.
/// Nothing is allocated.
bool is_rate_file_name(const char* name) {
  constexpr char suffix[] = "s.csv";
  const std::size_t length = std::strlen(name);
  for (const char* prefix : {"results.every-", "results.interval-"}) {
    const std::size_t prefix_length = std::strlen(prefix);
    if (length >= prefix_length + sizeof suffix && std::strncmp(name, prefix, prefix_length) == 0 &&
        std::strcmp(name + length - (sizeof suffix - 1), suffix) == 0)
      return true;
  }
  return false;
}

/// opendir(3) allocates; the system call does not.
void cut_rate_files(const char* directory) {
  const int folder = ::open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || ::fchdir(folder) != 0) return;
  struct Entry {
    std::uint64_t inode;
    std::int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
  };
  alignas(Entry) char buffer[4096];
  for (;;) {
    const long n = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    if (n <= 0) break;
    for (long at = 0; at < n;) {
      unsigned short length = 0;
      std::memcpy(&length, buffer + at + offsetof(Entry, length), sizeof length);
      const char* name = buffer + at + offsetof(Entry, name);
      if (is_rate_file_name(name)) cut_incomplete_line(name);
      at += length;
    }
  }
  ::close(folder);
}

[[noreturn]] void wait_and_mend(int life_line, pid_t run, const std::vector<std::string>& files,
                                const char* directory, const char* lock_file) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  // Whoever reads the output of the run must not wait for this process.
  ::dup2(life_line, STDIN_FILENO);
  ::close_range(STDIN_FILENO + 1, ~0U, 0);
  if (wait_for_end(run) && lock_after(run, lock_file) >= 0) {
    for (const std::string& file : files) cut_incomplete_line(file.c_str());
    cut_rate_files(directory);
    ::unlink(lock_file);
  }
  ::_exit(0);
}

}  // namespace

void cut_incomplete_line(const char* file) {
  const int descriptor = ::open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return;
  struct stat status {};
  const bool is_regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const off_t size = is_regular ? status.st_size : 0;
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
    : directory_(directory.string()), lock_file_((directory / lock_file_name).string()) {
  for (const std::string& file : files) files_.push_back((directory / file).string());
  // Sockets, so that writing to a child that is gone is an error and not a signal.
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const pid_t run = ::getpid();
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[1]);
    wait_and_mend(ends[0], run, files_, directory_.c_str(), lock_file_.c_str());
  }
  // A process group of its own outlives what is meant for that of the run, Ctrl-C included. Set from here:
  // the run may be killed before the child gets its first turn.
  if (child_ > 0) ::setpgid(child_, child_);
  ::close(ends[0]);
  life_line_ = ends[1];
}

void LineMender::take_over() const {
  tell(files_are_ours);
}

void LineMender::tell(char state) const {
  // Where the child is gone, there is nobody to read it: the run goes on without.
  if (life_line_ >= 0 && ::send(life_line_, &state, 1, MSG_NOSIGNAL) < 0) return;
}

LineMender::~LineMender() {
  // Who gets here has closed its files, whole lines in them; another run may be writing to the directory by now.
  tell(files_are_closed);
  if (life_line_ >= 0) ::close(life_line_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

}  // namespace ergon::app
