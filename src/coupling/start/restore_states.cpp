// A start from states that another run has saved, by the names of their subsystems.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ergon/core/live_subsystem.hpp"
#include "ergon/coupling/start/start.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/saved_states.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {
namespace {

const StartStates::Entry* saved_state(const StartStates& states, const std::string& name) {
  const auto found = std::find_if(states.entries.begin(), states.entries.end(),
                                  [&](const StartStates::Entry& entry) { return entry.subsystem == name; });
  return found == states.entries.end() ? nullptr : &*found;
}

/// Some names, and how many more.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  const std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return fmt::format("'{}'{}", fmt::join(shown, "', '"),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : std::string());
}

/// Why a state is not one of this subsystem; empty where it was restored.
std::string restore_node(const Node& node, const StartStates::Entry& entry) {
  if (entry.ports != checksum_of_ports(node)) return "it is of a subsystem with other ports";
  Subsystem* const subsystem = live(node);
  Rewindable* const rewindable = subsystem->rewindable();
  const Serializable* const serializable = subsystem->serializable();
  if (rewindable == nullptr || serializable == nullptr) return "this subsystem cannot take a saved state";
  const auto slot = rewindable->make_slot();
  if (!serializable->deserialize(entry.state, *slot)) return "it is of another kind of subsystem";
  rewindable->restore(*slot);
  return {};
}

}  // namespace

void Start::check_saved_states() const {
  const StartStates& states = *saved_;
  std::vector<std::string> without;
  for (const Node& node : system_.nodes) {
    if (node.description->algebraic || saved_state(states, node.name) != nullptr) continue;
    without.push_back(node.name);
  }
  std::vector<std::string> unused;
  for (const StartStates::Entry& entry : states.entries) {
    const auto is_it = [&](const Node& node) { return node.name == entry.subsystem; };
    if (std::none_of(system_.nodes.begin(), system_.nodes.end(), is_it)) unused.push_back(entry.subsystem);
  }
  if (!without.empty())
    problems_.warning(
        states.where,
        fmt::format("The saved state has nothing for {}: initial values are used there.", some_of(without)));
  if (!unused.empty())
    problems_.warning(states.where, fmt::format("The saved state of {} is not used: the scenario has no such "
                                                "subsystem.",
                                                some_of(unused)));
}

void Start::restore_saved_states(bool after_initialization) {
  const double time_s = plan_.grid().time_s(0);
  for (const Node& node : system_.nodes) {
    if (node.description->algebraic) continue;
    const bool is_of_then = live(node)->ends_initialization() != nullptr;
    const StartStates::Entry* const entry = saved_state(*saved_, node.name);
    if (entry == nullptr || is_of_then != after_initialization) continue;
    std::string why_not;
    blaming(node.name, time_s, [&] { why_not = restore_node(node, *entry); });
    if (why_not.empty()) continue;
    problems_.error(
        saved_->where, fmt::format("The saved state of '{}' does not fit: {}.", node.name, why_not),
        "Start from a state of the same model, or rename the subsystem to give it initial values.");
  }
}

}  // namespace ergon
