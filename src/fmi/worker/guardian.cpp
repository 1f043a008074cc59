#include "ergon/fmi/worker/guardian.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace ergon::fmi {
namespace {

/// Readable when the process has ended; -1 where the kernel has none.
int open_pidfd(pid_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#else
  (void)process;
  return -1;
#endif
}

void kill_children() {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(::getpid()));
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char text[4096];
  const ssize_t got = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  text[got > 0 ? got : 0] = '\0';
  char* end = text;
  for (char* at = text; *at != '\0'; at = end) {
    const long child = std::strtol(at, &end, 10);
    if (end == at) break;
    if (child > 1) ::kill(static_cast<pid_t>(child), SIGKILL);
  }
}

/// Until nobody is left: whoever loses its parent becomes a child of this process. Returns how the worker ended.
int kill_all(pid_t worker, int status) {
  ::kill(-worker, SIGKILL);
  for (int i = 0; i < 2000; ++i) {  // what cannot be killed (a hanging disk) is not waited for without end
    kill_children();
    int of_child = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &of_child, WNOHANG)) > 0) {
      if (ended == worker) status = of_child;
    }
    if (ended < 0 && errno == ECHILD) break;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return status;
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
    ::kill(::getpid(), SIGKILL);
  }
  ::_exit(WEXITSTATUS(status));
}

[[noreturn]] void guard(pid_t worker, pid_t master, int lifeline) {
  pollfd watched[3] = {
      {lifeline, POLLIN, 0}, {open_pidfd(master), POLLIN, 0}, {open_pidfd(worker), POLLIN, 0}};
  const bool is_told = watched[1].fd >= 0 && watched[2].fd >= 0;
  while (true) {
    (void)::poll(watched, 3, is_told ? 1000 : 50);
    const bool is_alone = watched[0].revents != 0 || watched[1].revents != 0 || ::getppid() != master;
    int status = 0;
    const bool has_ended = ::waitpid(worker, &status, WNOHANG) == worker;
    if (!has_ended && !is_alone) continue;
    status = kill_all(worker, status);
    if (has_ended) end_as(status);
    ::_exit(0);
  }
}

}  // namespace

bool split_off_guardian(int lifeline) {
  const pid_t master = ::getppid();
  const pid_t guardian = ::getpid();
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGTERM, SIG_IGN);
  const pid_t worker = ::fork();
  if (worker <= 0) ::signal(SIGTERM, SIG_DFL);
  if (worker < 0) return false;
  if (worker > 0) {
    (void)::setpgid(worker, worker);
    guard(worker, master, lifeline);
  }
  // A group of its own: what the FMU sends to its group does not reach the guardian.
  (void)::setpgid(0, 0);
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != guardian) ::_exit(0);
  return true;
}

}  // namespace ergon::fmi
