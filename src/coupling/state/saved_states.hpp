#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/state/start_states.hpp"

namespace ergon {

/// Over names, types, sizes and directions of the ports of a subsystem.
[[nodiscard]] std::uint64_t checksum_of_ports(const Node& node);

/// The states of the subsystems in the bytes of a snapshot. Throws ArchiveError where they are of another system.
[[nodiscard]] StartStates states_in(const CoupledSystem& system, std::span<const std::byte> bytes);

/// States as the bytes of a file, with a format number and a checksum.
[[nodiscard]] std::vector<std::byte> to_bytes(StartStates& states);
/// Back; throws ArchiveError where the bytes are damaged or something else.
[[nodiscard]] StartStates start_states_from(std::span<const std::byte> bytes);

}  // namespace ergon
