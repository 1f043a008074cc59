#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"

namespace ergon {

/// Everything that a later step depends on, taken after *update* and before the next steps start: bytes of the engine, and
/// the states of the subsystems in slots of their own. Room for it is made once; taking it again reuses that room.
class ERGON_API Snapshot {
 public:
  /// Slots for all subsystems that can be set back.
  explicit Snapshot(const CoupledSystem& system);

  [[nodiscard]] std::vector<std::byte>& engine() { return engine_; }
  [[nodiscard]] const std::vector<std::byte>& engine() const { return engine_; }
  /// Whatever a subsystem throws comes as SubsystemFailure, with this time.
  void save_subsystems(const CoupledSystem& system, double time_s);
  void restore_subsystems(CoupledSystem& system, double time_s) const;

  /// As bytes for a file or another process, where all subsystems can be had as bytes. Throws ArchiveError naming the
  /// subsystem that cannot. `settings`: all that decides what the engine's bytes mean.
  [[nodiscard]] std::vector<std::byte> to_bytes(const CoupledSystem& system, std::string_view settings) const;
  /// Throws ArchiveError where the bytes are damaged, not of such a system, or of one with other settings; the snapshot is
  /// then not to be used.
  void from_bytes(const CoupledSystem& system, std::string_view settings, std::span<const std::byte> bytes);

 private:
  std::vector<std::byte> engine_;
  std::vector<std::unique_ptr<StateSlot>> slots_;  ///< per node; nothing where there is no state to save
};

}  // namespace ergon
