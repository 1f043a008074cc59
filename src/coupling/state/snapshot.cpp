#include "ergon/coupling/state/snapshot.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "ergon/core/live_subsystem.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/checksum.hpp"
#include "ergon/coupling/state/saved_states.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {
namespace {

constexpr std::uint32_t format_version = 3;

/// A node and how wide it is: what must be the same in the system that reads.
void check_node(Archive& archive, const Node& node) {
  archive.section(node.name);
  std::uint64_t sizes[] = {node.input_count, node.output_count};
  const std::uint64_t expected[] = {node.input_count, node.output_count};
  archive(sizes[0]);
  archive(sizes[1]);
  if (sizes[0] != expected[0] || sizes[1] != expected[1])
    throw ArchiveError(fmt::format("the saved state does not match: '{}' had other ports", node.name));
}

void check_version(Archive& archive) {
  archive.section("ergon snapshot");
  std::uint32_t version = format_version;
  archive(version);
  if (version != format_version)
    throw ArchiveError(
        fmt::format("the saved state has format {}, this program reads {}", version, format_version));
}

void check_settings(Archive& archive, std::string_view settings) {
  std::uint64_t found = checksum(std::as_bytes(std::span(settings)));
  const std::uint64_t expected = found;
  archive(found);
  if (found != expected)
    throw ArchiveError("the saved state does not fit: it was saved with other steps or another coupling");
}

}  // namespace

Snapshot::Snapshot(const CoupledSystem& system) : slots_(system.nodes.size()) {
  for (Index n = 0; n < slots_.size(); ++n) {
    const Rewindable* rewindable = live(system.nodes[n])->rewindable();
    if (rewindable != nullptr) slots_[n] = rewindable->make_slot();
  }
}

void Snapshot::save_subsystems(const CoupledSystem& system, double time_s) {
  for (Index n = 0; n < slots_.size(); ++n) {
    const Node& node = system.nodes[n];
    if (slots_[n]) blaming(node.name, time_s, [&] { live(node)->rewindable()->save(*slots_[n]); });
  }
}

void Snapshot::restore_subsystems(CoupledSystem& system, double time_s) const {
  for (Index n = 0; n < slots_.size(); ++n) {
    const Node& node = system.nodes[n];
    if (slots_[n]) blaming(node.name, time_s, [&] { live(node)->rewindable()->restore(*slots_[n]); });
  }
}

std::vector<std::byte> Snapshot::to_bytes(const CoupledSystem& system, std::string_view settings) const {
  std::vector<std::byte> bytes;
  std::vector<std::byte> state;
  std::vector<std::byte> engine = engine_;
  Archive archive = Archive::writing(bytes);
  check_version(archive);
  check_settings(archive, settings);
  archive(engine);
  for (Index n = 0; n < slots_.size(); ++n) {
    const Node& node = system.nodes[n];
    check_node(archive, node);
    if (node.description->algebraic) continue;
    const Serializable* serializable = node.subsystem->serializable();
    if (!slots_[n] || serializable == nullptr)
      throw ArchiveError(fmt::format("the state of '{}' cannot be written down", node.name));
    serializable->serialize(*slots_[n], state);
    archive(state);
  }
  std::uint64_t sum = checksum(bytes);
  archive(sum);
  return bytes;
}

void Snapshot::from_bytes(const CoupledSystem& system, std::string_view settings,
                          std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  if (bytes.size() < sizeof sum) throw ArchiveError("the saved state ends too early");
  const std::span<const std::byte> content = bytes.first(bytes.size() - sizeof sum);
  Archive tail = Archive::reading(bytes.last(sizeof sum));
  tail(sum);
  if (sum != checksum(content)) throw ArchiveError("the saved state is damaged or incomplete");
  std::vector<std::byte> state;
  Archive archive = Archive::reading(content);
  check_version(archive);
  check_settings(archive, settings);
  archive(engine_);
  for (Index n = 0; n < slots_.size(); ++n) {
    const Node& node = system.nodes[n];
    check_node(archive, node);
    if (node.description->algebraic) continue;
    archive(state);
    const Serializable* serializable = node.subsystem->serializable();
    if (!slots_[n] || serializable == nullptr || !serializable->deserialize(state, *slots_[n]))
      throw ArchiveError(fmt::format("the saved state of '{}' does not fit it", node.name));
  }
  if (!archive.at_end()) throw ArchiveError("the saved state does not match: it holds more data");
}

StartStates states_in(const CoupledSystem& system, std::span<const std::byte> bytes) {
  StartStates states;
  std::uint64_t settings = 0;
  std::vector<std::byte> engine;
  Archive archive = Archive::reading(bytes);
  check_version(archive);
  archive(settings);
  archive(engine);
  for (const Node& node : system.nodes) {
    check_node(archive, node);
    if (node.description->algebraic) continue;
    StartStates::Entry& entry = states.entries.emplace_back();
    entry.subsystem = node.name;
    entry.ports = checksum_of_ports(node);
    archive(entry.state);
  }
  return states;
}

}  // namespace ergon
