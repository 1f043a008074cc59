#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ergon/models/nonsmooth/machine.hpp"

namespace ergon {

/// A state as bytes, number by number: equal states have equal bytes. For the same machine and computer, not for an archive.
void write_state(const MachineState& state, std::vector<std::byte>& bytes);
/// False, with `state` as before, where the bytes are not a state with as many bodies, angles and inputs.
bool read_state(std::span<const std::byte> bytes, MachineState& state);

}  // namespace ergon
