#include "ergon/fmi/worker/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "ergon/core/interruption.hpp"
#include "ergon/fmi/worker/worker_command.hpp"

namespace ergon::fmi {
namespace {

constexpr const char* output_name = "output.txt";
constexpr int first_free_in_worker =
    5;  ///< of descriptors: standard ones, shared memory, lifeline come before

/// An environment with what a program needs, and of ours what the user names.
std::vector<std::string> environment(const std::string& scratch, const std::vector<std::string>& patterns) {
  // Where the user says that libraries are, those of FMUs may be.
  std::vector<std::string> wanted = {"LD_LIBRARY_PATH"};
  wanted.insert(wanted.end(), patterns.begin(), patterns.end());
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string text(*variable);
    const std::string name = text.substr(0, text.find('='));
    const bool is_wanted = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& pattern) {
      return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
    if (is_wanted) variables.push_back(text);
  }
  const auto add_default = [&](const std::string& name, const std::string& value) {
    const bool is_there = std::any_of(variables.begin(), variables.end(),
                                      [&](const std::string& v) { return v.starts_with(name + "="); });
    if (!is_there) variables.push_back(name + "=" + value);
  };
  add_default("PATH", "/usr/local/bin:/usr/bin:/bin");
  add_default("LC_ALL", "C");
  add_default("HOME", scratch);
  add_default("TMPDIR", scratch);
  return variables;
}

/// Of a clock that costs next to nothing to look at, and is some milliseconds late.
std::chrono::nanoseconds coarse_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerOptions& options)
    : options_(options), scratch_("worker"), channel_(Channel::make()) {}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) kill_and_reap();
  if (lifeline_ >= 0) ::close(lifeline_);
}

std::string WorkerProcess::start() {
  if (!channel_.good())
    return fmt::format("there is no memory to share with a worker: {}", std::strerror(errno));
  int pipe_ends[2] = {-1, -1};
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    return fmt::format("a worker cannot be started: {}", std::strerror(errno));
  lifeline_ = pipe_ends[1];
  const std::string scratch = scratch_.path().string();
  // FMUs that cut "file:///" from their address lose the leading slash: a link makes the rest a path from here.
  std::error_code ignored;
  const auto first = std::next(scratch_.path().begin());
  std::filesystem::create_directory_symlink("/" + first->string(), scratch_.path() / *first, ignored);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  const std::string output = (scratch_.path() / output_name).string();
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  // Above those first, so that neither overwrites the other.
  const int memory = ::fcntl(channel_.descriptor(), F_DUPFD_CLOEXEC, first_free_in_worker);
  const int life = ::fcntl(pipe_ends[0], F_DUPFD_CLOEXEC, first_free_in_worker);
  if (memory < 0 || life < 0) {
    const int why = errno;
    posix_spawn_file_actions_destroy(&actions);
    for (const int fd : {memory, life, pipe_ends[0]}) {
      if (fd >= 0) ::close(fd);
    }
    return fmt::format("a worker cannot be started: {}", std::strerror(why));
  }
  posix_spawn_file_actions_adddup2(&actions, memory, 3);
  posix_spawn_file_actions_adddup2(&actions, life, 4);
  posix_spawn_file_actions_addclosefrom_np(&actions, first_free_in_worker);
  posix_spawn_file_actions_addchdir_np(&actions, scratch.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  const std::string command = worker_command();
  const std::string memory_limit = std::to_string(options_.memory_bytes);
  const std::string file_limit = std::to_string(options_.file_bytes);
  std::vector<std::string> words = {"ergon", worker_argument, memory_limit, file_limit};
  std::vector<std::string> variables = environment(scratch, options_.environment);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  const int error = ::posix_spawnp(&pid_, command.c_str(), &actions, &attributes, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  for (const int fd : {memory, life, pipe_ends[0]}) {
    if (fd >= 0) ::close(fd);
  }
  if (error != 0) {
    pid_ = -1;
    return fmt::format("its worker '{}' cannot be started: {}", command, std::strerror(error));
  }
  return {};
}

void WorkerProcess::send(Request request, std::size_t size) {
  if (pid_ <= 0) return;
  ChannelHead& head = channel_.head();
  head.request.store(static_cast<std::uint32_t>(request), std::memory_order_relaxed);
  head.size.store(size, std::memory_order_relaxed);
  sent_at_ = coarse_now();
  channel_.hand_to(ChannelHead::worker);
}

std::string WorkerProcess::wait(bool may_spin) {
  if (pid_ <= 0) return "its process has ended";
  if (channel_.wait_for(ChannelHead::master, std::chrono::milliseconds(2), may_spin)) [[likely]]
    return {};
  constexpr std::chrono::milliseconds slice(20);
  const std::chrono::duration<double> limit(options_.call_limit_s);
  while (!channel_.wait_for(ChannelHead::master, slice, false)) {
    if (channel_.is_spoilt()) {
      kill_and_reap();
      return "its worker sent an invalid reply";
    }
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      // It may have answered and then ended, as on quitting.
      if (channel_.head().turn.load() == ChannelHead::master) {
        pid_ = -1;
        return {};
      }
      return ended(status);
    }
    if (Interruption::is_requested() && !Interruption::may_wait_on(slice)) {
      kill_and_reap();
      Interruption::note_abandoned_call();
      return "the run was interrupted while it worked, and it was ended";
    }
    if (coarse_now() - sent_at_ > limit) {
      kill_and_reap();
      return fmt::format("it did not answer within {} s and was ended", options_.call_limit_s);
    }
  }
  return {};
}

std::string WorkerProcess::ended(int status) {
  pid_ = -1;
  std::string how;
  if (WIFSIGNALED(status)) {
    how = fmt::format("its process crashed: signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  } else {
    how = fmt::format("it ended its process, with exit code {}", WEXITSTATUS(status));
  }
  const std::string words = last_words();
  return words.empty() ? how : fmt::format("{}; its last words: \"{}\"", how, words);
}

std::string WorkerProcess::last_words() const {
  // The folder is the worker's: what it has put there may be endless, or something else than a file.
  const int fd =
      ::open((scratch_.path() / output_name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return {};
  std::string tail;
  struct stat about {};
  if (::fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
    constexpr off_t read_bytes = 4096;
    tail.resize(static_cast<std::size_t>(std::min(about.st_size, read_bytes)));
    const ssize_t got =
        ::pread(fd, tail.data(), tail.size(), about.st_size - static_cast<off_t>(tail.size()));
    tail.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  ::close(fd);
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  tail.erase(0, tail.rfind('\n') + 1);  // without one: from the beginning
  for (char& c : tail) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  }
  return tail.substr(0, 200);
}

void WorkerProcess::kill_and_reap() {
  // Its guardian kills it, and whatever the FMU has started, when nobody holds the other end any more.
  ::close(std::exchange(lifeline_, -1));
  ::kill(pid_, SIGTERM);  // a guardian does not mind; whatever else was started in its place does
  int status = 0;
  for (int i = 0; i < 3000 && ::waitpid(pid_, &status, WNOHANG) != pid_; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(i < 100 ? 100 : 1000));
    if (i + 1 < 3000) continue;
    // Stopped, or never started: what it guarded is killed by the kernel.
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
}

}  // namespace ergon::fmi
