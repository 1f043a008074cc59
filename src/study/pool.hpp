#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "ergon/core/api.hpp"

namespace ergon::study {

/// Where the items of a pool are worked on.
enum class Workers {
  threads,    ///< of this process
  processes,  ///< forked from this one: what crashes there ends one item, and a library may exist once in each
};

struct PoolOptions {
  Workers workers = Workers::threads;
  unsigned jobs = 1;  ///< how many items at a time
  /// Of wall time per item; a process that takes a second more is ended. Nothing: no limit.
  std::optional<double> timeout_s{};
};

/// Works on one item and returns what is to be kept of it, one line without its end; nothing where it was interrupted. `stop` is asked
/// now and then by long items.
using Task = std::function<std::optional<std::string>(std::size_t item, const std::function<bool()>& stop)>;

/// What is called in the thread of the caller, one call at a time.
struct PoolCalls {
  std::function<void(std::size_t item, std::string line)> done;
  /// The process that worked on the item ended before it was done: how.
  std::function<void(std::size_t item, const std::string& how)> crashed;
  /// About ten times a second. False: stop.
  std::function<bool()> go_on;
  /// In a new worker process, before its first item: lets go what belongs to the caller alone. May be empty.
  std::function<void()> in_worker{};
};

/// Works on all items, several at a time, begun in their order. False where it was stopped before all were done: what was under
/// way then is not kept. Processes are forked from the calling thread: have no others that hold locks.
ERGON_API bool work_on(std::span<const std::size_t> items, const Task& task, const PoolOptions& options,
                       const PoolCalls& calls);

}  // namespace ergon::study
