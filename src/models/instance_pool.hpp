#pragma once

#include <cstddef>
#include <memory_resource>

namespace ergon {

/// Where instances of native models live: those of one size side by side, in the order in which they were made. A step of ten
/// thousand of them then goes through memory in one direction, and through a third of the pages.
std::pmr::memory_resource& instance_pool();
/// What is fetched from memory in one piece.
constexpr std::size_t instance_alignment = 64;

}  // namespace ergon
