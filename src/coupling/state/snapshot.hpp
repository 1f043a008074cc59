#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// Everything that a later step depends on, taken after *learn* and before the next steps start: bytes of the engine, and
/// the states of the subsystems in slots of their own. Room for it is made once; taking it again reuses that room.
class Snapshot {
 public:
  /// Slots for all subsystems that can be set back.
  explicit Snapshot(const CoupledSystem& system);

  [[nodiscard]] std::vector<std::byte>& engine() { return engine_; }
  [[nodiscard]] const std::vector<std::byte>& engine() const { return engine_; }
  void save_subsystems(const CoupledSystem& system);
  void restore_subsystems(CoupledSystem& system) const;

  /// As bytes for a file or another process, where all subsystems can be had as bytes. Throws ArchiveError naming the
  /// subsystem that cannot.
  [[nodiscard]] std::vector<std::byte> to_bytes(const CoupledSystem& system) const;
  /// Throws ArchiveError where the bytes are not of such a system.
  void from_bytes(const CoupledSystem& system, std::span<const std::byte> bytes);

 private:
  std::vector<std::byte> engine_;
  std::vector<std::unique_ptr<StateSlot>> slots_;  ///< per node; nothing where there is no state to save
};

}  // namespace ergon
