#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/worker/channel.hpp"
#include "ergon/fmi/worker/worker.hpp"

namespace ergon::fmi {

/// A started worker: its process, its scratch folder, the memory shared with it. Ends with this object, and nothing of it stays.
class WorkerProcess {
 public:
  explicit WorkerProcess(const WorkerOptions& options);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  /// Starts it. Empty, or why that failed.
  std::string start();
  [[nodiscard]] bool is_running() const { return pid_ > 0; }
  [[nodiscard]] const Channel& channel() const { return channel_; }
  /// Hands over what was written and waits for the answer. Empty, or how the worker ended.
  std::string call(Request request, std::size_t size);

 private:
  std::string ended(int status);
  std::string last_words() const;
  void kill_and_reap();

  WorkerOptions options_;
  PrivateFolder scratch_;
  Channel channel_;
  pid_t pid_ = -1;
  int lifeline_ = -1;
};

}  // namespace ergon::fmi
