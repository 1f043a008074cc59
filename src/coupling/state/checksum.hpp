#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ergon {

/// FNV-1a over all bytes: a change of any of them shows.
[[nodiscard]] inline std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 14695981039346656037U;
  for (const std::byte byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 1099511628211U;
  return sum;
}

}  // namespace ergon
