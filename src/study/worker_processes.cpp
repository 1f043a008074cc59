#include "ergon/study/worker_processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "ergon/run/terminal/interrupt.hpp"

namespace ergon::study {
namespace {

constexpr std::size_t given_at_a_time = 2;
constexpr int look_around_ms = 100;
constexpr std::chrono::seconds grace{1};

/// Of a socket: a reader that has gone is an answer, not a signal.
bool write_whole(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::send(socket, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_whole(int file, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(file, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

struct Pipe {
  int from = -1, to = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error(
        fmt::format("no pipe to a worker process can be made: {}", std::strerror(errno)));
  return {ends[0], ends[1]};
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("the process of this run was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("the process of this run ended by itself with exit code {}", WEXITSTATUS(status));
}

}  // namespace

WorkerProcesses::WorkerProcesses(std::span<const std::size_t> items, const Task& task, std::size_t workers,
                                 std::optional<double> timeout_s, const PoolCalls& calls)
    : task_(task),
      calls_(calls),
      timeout_s_(timeout_s),
      waiting_(items.begin(), items.end()),
      open_(items.size()),
      workers_(workers) {
  for (Worker& worker : workers_) start(worker);
}

WorkerProcesses::~WorkerProcesses() {
  for (Worker& worker : workers_) end(worker);
}

void WorkerProcesses::start(Worker& worker) {
  const Pipe items = make_pipe();
  const Pipe lines = make_pipe();
  std::fflush(nullptr);  // or both processes would write what is buffered
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0)
    throw std::runtime_error(fmt::format("no worker process can be started: {}", std::strerror(errno)));
  if (process == 0) {
    // With the process that wants its answers it ends, too.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(items.to);
    ::close(lines.from);
    for (const Worker& other : workers_) {
      if (other.items >= 0) ::close(other.items);
      if (other.lines >= 0) ::close(other.lines);
    }
    if (calls_.in_worker) calls_.in_worker();
    live(items.from, lines.to);
  }
  ::close(items.from);
  ::close(lines.to);
  ::fcntl(lines.from, F_SETFL, O_NONBLOCK);
  worker = Worker{};
  worker.process = process;
  worker.items = items.to;
  worker.lines = lines.from;
  give(worker);
}

void WorkerProcesses::live(int items, int lines) const {
  // Ctrl-C reaches all processes of a terminal: the first one decides, and asks the others by SIGTERM.
  std::signal(SIGINT, SIG_IGN);
  const InterruptGuard guard;
  std::signal(SIGINT, SIG_IGN);
  const std::function<bool()> stop = [] { return interrupted(); };
  std::uint64_t item = 0;
  int exit_code = 0;
  try {
    while (!interrupted() && read_whole(items, reinterpret_cast<char*>(&item), sizeof item)) {
      auto line = task_(static_cast<std::size_t>(item), stop);
      if (!line) break;
      line->push_back('\n');
      if (!write_whole(lines, line->data(), line->size())) break;
    }
  } catch (...) {
    exit_code = 1;
  }
  std::fflush(nullptr);
  ::_exit(exit_code);
}

void WorkerProcesses::give(Worker& worker) {
  while (!stops_ && worker.given.size() < given_at_a_time && !waiting_.empty()) {
    const std::uint64_t item = waiting_.front();
    // A worker that has just ended is buried when its other pipe tells.
    if (!write_whole(worker.items, reinterpret_cast<const char*>(&item), sizeof item)) return;
    if (worker.given.empty()) worker.begun = Clock::now();
    worker.given.push_back(waiting_.front());
    waiting_.pop_front();
  }
}

bool WorkerProcesses::read(Worker& worker) {
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t n = ::read(worker.lines, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;  // nothing more now
    if (n == 0) return false;
    worker.text.append(buffer.data(), static_cast<std::size_t>(n));
    std::size_t begin = 0;
    for (std::size_t end = worker.text.find('\n'); end != std::string::npos;
         end = worker.text.find('\n', begin)) {
      if (worker.given.empty()) throw std::runtime_error("a worker process answers what was not asked");
      const std::size_t item = worker.given.front();
      worker.given.pop_front();
      worker.begun = Clock::now();
      --open_;
      calls_.done(item, worker.text.substr(begin, end - begin));
      begin = end + 1;
    }
    worker.text.erase(0, begin);
    give(worker);
  }
}

void WorkerProcesses::bury(Worker& worker) {
  int status = 0;
  while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(worker.items);
  ::close(worker.lines);
  const Worker dead = std::move(worker);
  worker = Worker{};
  if (stops_ || dead.given.empty()) return;
  --open_;
  calls_.crashed(dead.given.front(), dead.timed_out
                                         ? fmt::format("it took more than {} s and was ended", *timeout_s_)
                                         : how_it_ended(status));
  waiting_.insert(waiting_.begin(), dead.given.begin() + 1, dead.given.end());
  if (!waiting_.empty()) start(worker);
}

void WorkerProcesses::end(Worker& worker) {
  if (worker.process < 0) return;
  ::close(worker.items);
  ::kill(worker.process, SIGTERM);
  // One that does not listen is ended.
  const auto last = Clock::now() + grace;
  int status = 0;
  while (::waitpid(worker.process, &status, WNOHANG) == 0) {
    if (Clock::now() > last) ::kill(worker.process, SIGKILL);
    ::usleep(2000);
  }
  ::close(worker.lines);
  worker.process = -1;
}

void WorkerProcesses::look_at_clock() {
  if (!timeout_s_) return;
  const auto limit = std::chrono::duration<double>(*timeout_s_) + grace;
  for (Worker& worker : workers_) {
    if (worker.process < 0 || worker.given.empty() || Clock::now() - worker.begun < limit) continue;
    worker.timed_out = true;
    ::kill(worker.process, SIGKILL);
  }
}

bool WorkerProcesses::work() {
  auto last_look = Clock::now();
  while (open_ > 0) {
    std::vector<pollfd> ends;
    std::vector<Worker*> whose;
    for (Worker& worker : workers_) {
      if (worker.process < 0) continue;
      ends.push_back({worker.lines, POLLIN, 0});
      whose.push_back(&worker);
    }
    if (ends.empty()) return false;
    ::poll(ends.data(), ends.size(), look_around_ms);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].revents != 0 && !read(*whose[i])) bury(*whose[i]);
    }
    if (Clock::now() - last_look < std::chrono::milliseconds(look_around_ms)) continue;
    last_look = Clock::now();
    look_at_clock();
    if (!calls_.go_on()) {
      stops_ = true;
      return false;  // the destructor ends them
    }
  }
  return true;
}

}  // namespace ergon::study
