#include "ergon/run/simulation_snapshot.hpp"

#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/checksum.hpp"

namespace ergon {
namespace {

void archive_both(Archive& archive, SimulationBytes& bytes) {
  archive.section("ergon simulation");
  archive(bytes.engine);
  archive(bytes.observers);
  const std::uint64_t expected = checksum(bytes.observers);  // the engine has its own
  std::uint64_t sum = expected;
  archive(sum);
  if (sum != expected) throw ArchiveError("the saved state is damaged");
}

}  // namespace

std::vector<std::byte> joined_bytes(std::vector<std::byte> engine, std::vector<std::byte> observers) {
  SimulationBytes parts{std::move(engine), std::move(observers)};
  std::vector<std::byte> bytes;
  Archive archive = Archive::writing(bytes);
  archive_both(archive, parts);
  return bytes;
}

SimulationBytes split_bytes(std::span<const std::byte> bytes) {
  SimulationBytes parts;
  Archive archive = Archive::reading(bytes);
  archive_both(archive, parts);
  if (!archive.at_end()) throw ArchiveError("the saved state does not match: it holds more data");
  return parts;
}

}  // namespace ergon
