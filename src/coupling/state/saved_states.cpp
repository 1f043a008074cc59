#include "ergon/coupling/state/saved_states.hpp"

#include <fmt/format.h>

#include <string>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/checksum.hpp"
#include "ergon/coupling/state/sealed_bytes.hpp"

namespace ergon {
namespace {

constexpr std::uint32_t states_format = 1;

void archive_states(Archive& archive, StartStates& states) {
  archive.section("ergon state");
  std::uint32_t version = states_format;
  archive(version);
  if (version != states_format)
    throw ArchiveError(fmt::format("it has format {}, this program reads {}", version, states_format));
  archive(states.time_s);
  std::uint64_t count = states.entries.size();
  archive(count);
  constexpr std::uint64_t most = 1U << 24U;
  if (count > most) throw ArchiveError("it has too many entries");
  states.entries.resize(static_cast<std::size_t>(count));
  for (StartStates::Entry& entry : states.entries) {
    archive(entry.subsystem);
    archive(entry.ports);
    archive(entry.state);
  }
}

}  // namespace

std::uint64_t checksum_of_ports(const Node& node) {
  std::string text;
  const auto add = [&](char direction, const std::vector<Port>& ports) {
    for (const Port& port : ports)
      text += fmt::format("{}{}:{}:{}\n", direction, port.name, port.size, static_cast<int>(port.type));
  };
  add('<', node.description->inputs);
  add('>', node.description->outputs);
  return checksum(std::as_bytes(std::span(text)));
}

std::vector<std::byte> to_bytes(StartStates& states) {
  return sealed_bytes([&](Archive& archive) { archive_states(archive, states); });
}

StartStates start_states_from(std::span<const std::byte> bytes) {
  const auto content =
      content_of_sealed(bytes, "it is damaged, or not a state that 'ergon state' has written");
  StartStates states;
  Archive archive = Archive::reading(content);
  archive_states(archive, states);
  if (!archive.at_end()) throw ArchiveError("it holds more than a state");
  return states;
}

}  // namespace ergon
