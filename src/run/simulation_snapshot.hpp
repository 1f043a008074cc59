#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/state/snapshot.hpp"

namespace ergon {

/// A run on its way: engine, subsystems, and what the observers have seen so far. It belongs to the Simulation that made it;
/// others get bytes.
class SimulationSnapshot {
 public:
  explicit SimulationSnapshot(Snapshot engine) : engine_(std::move(engine)) {}

  [[nodiscard]] Snapshot& engine() { return engine_; }
  [[nodiscard]] const Snapshot& engine() const { return engine_; }
  [[nodiscard]] std::vector<std::byte>& observers() { return observers_; }
  [[nodiscard]] const std::vector<std::byte>& observers() const { return observers_; }

 private:
  Snapshot engine_;
  std::vector<std::byte> observers_;
};

/// Both parts as one, with a checksum.
[[nodiscard]] ERGON_API std::vector<std::byte> joined_bytes(std::vector<std::byte> engine,
                                                            std::vector<std::byte> observers);
/// Back; throws ArchiveError where they are something else.
struct SimulationBytes {
  std::vector<std::byte> engine;
  std::vector<std::byte> observers;
};
[[nodiscard]] ERGON_API SimulationBytes split_bytes(std::span<const std::byte> bytes);

}  // namespace ergon
