#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ergon/study/pool.hpp"

namespace ergon::study {

/// The pool whose workers are processes, forked from this one. Each reads numbers of items from a pipe and answers with lines on
/// another; it is given two at a time, so that it need not wait for the next. Where it ends by itself, the item that it was working on
/// has crashed, the other one goes to its successor.
class WorkerProcesses {
 public:
  WorkerProcesses(std::span<const std::size_t> items, const Task& task, std::size_t workers,
                  std::optional<double> timeout_s, const PoolCalls& calls);
  ~WorkerProcesses();
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  bool work();

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    pid_t process = -1;
    int items = -1;  ///< pipe to it
    int lines = -1;  ///< pipe from it
    std::deque<std::size_t> given;
    std::string text;  ///< what has come of a line
    Clock::time_point begun;
    bool timed_out = false;
  };

  void start(Worker& worker);
  [[noreturn]] void live(int items, int lines) const;
  void give(Worker& worker);
  /// False where its pipe is at its end.
  bool read(Worker& worker);
  void bury(Worker& worker);
  void end(Worker& worker);
  void look_at_clock();

  const Task& task_;
  const PoolCalls& calls_;
  std::optional<double> timeout_s_;
  std::deque<std::size_t> waiting_;
  std::size_t open_;  ///< items that are not done
  bool stops_ = false;
  std::vector<Worker> workers_;
};

}  // namespace ergon::study
