#pragma once

#include <memory>
#include <string>

#include "ergon/fmi/instance/fmu_instance.hpp"
#include "ergon/fmi/worker/channel.hpp"

namespace ergon::fmi {

/// The way to a worker: a process (WorkerProcess), or whatever a test puts in its place.
class WorkerLink {
 public:
  WorkerLink() = default;
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;
  virtual ~WorkerLink() = default;

  /// Starts it. Empty, or why that failed.
  virtual std::string start() = 0;
  [[nodiscard]] virtual bool is_running() const = 0;
  [[nodiscard]] virtual const Channel& channel() const = 0;
  /// Hands over what was written into the memory of the channel.
  virtual void send(Request request, std::size_t size) = 0;
  /// Waits for the reply to what was sent. Empty, or how the worker ended. `may_spin`: nobody else needs this core.
  virtual std::string wait(bool may_spin) = 0;
  /// Ends it at once, without a word.
  virtual void end() = 0;
};

/// An instance at the other end of `link`. Nothing that comes from there is trusted: lengths, counts, statuses and types are compared
/// with what `setup` says, and a reply that differs is a failure of this instance, after which its worker is ended.
std::unique_ptr<FmuInstance> make_linked_instance(std::shared_ptr<const InstanceSetup> setup,
                                                  const std::string& name, std::unique_ptr<WorkerLink> link);

}  // namespace ergon::fmi
