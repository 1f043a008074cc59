#pragma once

namespace ergon::contract {

/// False under sanitizers, which count for themselves.
bool counts_allocations();
/// Of the whole process.
long allocations_so_far();

}  // namespace ergon::contract
