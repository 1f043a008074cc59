// What FMUs in workers cost: the same chain of one, two and eight of them, in workers and in this process. The engine has one thread
// everywhere: whatever is done at the same time is done by workers.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tiny_fmus.hpp"

namespace ergon::bench {
namespace {

/// Seconds per point, the best of some rounds of about a fifth of a second.
double point_s(Chain& chain) {
  constexpr std::size_t trial = 50;
  constexpr double round_s = 0.2;
  const double cost = seconds_of([&] { chain.run(trial); }) / trial;
  const auto points = std::clamp<std::size_t>(static_cast<std::size_t>(round_s / cost), 10, 200'000);
  double best = cost;
  for (int round = 0; round < 4; ++round)
    best = std::min(best, seconds_of([&] { chain.run(points); }) / static_cast<double>(points));
  return best;
}

/// Processes that do nothing but use their cores, one for each.
class BusyCores {
 public:
  BusyCores() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      const pid_t pid = ::fork();
      if (pid < 0) throw std::runtime_error("no process for a busy core");
      if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned n = 0;;) n = n + 1;
      }
      pids_.push_back(pid);
    }
  }
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;
  ~BusyCores() {
    for (const pid_t pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> pids_;
};

/// This program again: what a process finds out about its cores it finds out once.
void run_again(const char* where, bool is_pinned) {
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("no process for the rows of isolated FMUs");
  if (pid == 0) {
    cpu_set_t all;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (is_pinned && ::sched_getaffinity(0, sizeof all, &all) == 0) {
      for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
      }
      if (::sched_setaffinity(0, sizeof one, &one) != 0) ::_exit(1);
    }
    ::execl("/proc/self/exe", "fmus", "isolated", where, static_cast<char*>(nullptr));
    ::_exit(1);
  }
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid || status != 0)
    throw std::runtime_error("the rows of isolated FMUs could not be measured");
}

}  // namespace

void measure_isolated(const std::shared_ptr<const fmi::FmuModel>& tiny,
                      const std::shared_ptr<const fmi::FmuModel>& working, const std::string& where) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{8}}) {
    double cost_us[2][2];  // of FMUs that do next to nothing, that work; here, in workers
    for (const bool works : {false, true}) {
      for (const bool isolate : {false, true}) {
        Chain chain(works ? working : tiny, works ? working : tiny, count, false, isolate);
        cost_us[works ? 1 : 0][isolate ? 1 : 0] = point_s(chain) * 1e6;
      }
    }
    fmt::print("{:>12} {:>5} {:>12.3f} {:>12.2f} {:>12.1f} {:>12.1f} {:>8.2f}\n", where, count, cost_us[0][0],
               cost_us[0][1], cost_us[1][0], cost_us[1][1], cost_us[1][0] / cost_us[1][1]);
  }
}

void measure_isolated_everywhere() {
  fmt::print("FMUs in workers, µs per communication point of all of them, engine with one thread, {} cores\n",
             std::thread::hardware_concurrency());
  fmt::print("{:>12} {:>5} {:>25} {:>34}\n", "", "", "nearly free", "at work");
  fmt::print("{:>12} {:>5} {:>12} {:>12} {:>12} {:>12} {:>8}\n", "cores", "FMUs", "in process", "isolated",
             "in process", "isolated", "gain");
  run_again("idle", false);
  {
    const BusyCores busy;
    run_again("busy", false);
  }
  run_again("one", true);
}

}  // namespace ergon::bench
