#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/checksum.hpp"

namespace ergon {

/// The bytes that `write(archive)` makes, with a checksum over them at their end.
template <class Write>
[[nodiscard]] std::vector<std::byte> sealed_bytes(const Write& write) {
  std::vector<std::byte> bytes;
  Archive archive = Archive::writing(bytes);
  write(archive);
  std::uint64_t sum = checksum(bytes);
  archive(sum);
  return bytes;
}

/// Back, without the checksum; throws ArchiveError with this text where it does not fit.
[[nodiscard]] inline std::span<const std::byte> content_of_sealed(std::span<const std::byte> bytes,
                                                                  const char* damaged) {
  std::uint64_t sum = 0;
  if (bytes.size() < sizeof sum) throw ArchiveError("it is not whole");
  const std::span<const std::byte> content = bytes.first(bytes.size() - sizeof sum);
  Archive tail = Archive::reading(bytes.last(sizeof sum));
  tail(sum);
  if (sum != checksum(content)) throw ArchiveError(damaged);
  return content;
}

}  // namespace ergon
