#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/worker/channel.hpp"
#include "ergon/fmi/worker/worker.hpp"
#include "ergon/fmi/worker/worker_link.hpp"

namespace ergon::fmi {

/// A started worker: its process, its scratch folder, the memory shared with it. Ends with this object, and nothing of it stays.
class WorkerProcess final : public WorkerLink {
 public:
  explicit WorkerProcess(const WorkerOptions& options);
  ~WorkerProcess() override;

  std::string start() override;
  [[nodiscard]] bool is_running() const override { return pid_ > 0; }
  [[nodiscard]] const Channel& channel() const override { return channel_; }
  void send(Request request, std::size_t size) override;
  std::string wait(bool may_spin) override;
  void end() override {
    if (pid_ > 0) kill_and_reap();
  }

 private:
  std::string ended(int status);
  std::string last_words() const;
  void kill_and_reap();

  WorkerOptions options_;
  PrivateFolder scratch_;
  Channel channel_;
  pid_t pid_ = -1;
  int lifeline_ = -1;
  /// When the last request was sent. Its limit counts from there: several that hang at the same time are ended at the same time.
  std::chrono::nanoseconds sent_at_{};
};

}  // namespace ergon::fmi
