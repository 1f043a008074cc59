#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ergon/core/freeze.hpp"
#include "ergon/core/live_subsystem.hpp"

// What the types of ports, and the limits of foreign simulators, have to say about the wiring.

namespace ergon {
namespace {

bool is_whole(double number) {
  return number == std::floor(number) && std::abs(number) <= 9007199254740992.0;  // 2⁵³
}

/// Why nothing of type `from` can go into a port of type `to`, as what to do about it; nothing where it can.
const char* remedy(const Port& from, const Port& to) {
  using enum PortType;
  if (from.type == to.type) {
    if (to.type == enumeration && from.items != to.items)
      return "Their items differ: connect enumerations with the same items, or go through an integer port.";
    return nullptr;
  }
  if (to.type == real) {
    if (from.type == integer || from.type == boolean) return nullptr;
    if (from.type == enumeration)
      return "Connect it to an integer port; its number means nothing as a quantity.";
  }
  if (to.type == integer) {
    if (from.type == boolean || from.type == enumeration) return nullptr;
    if (from.type == real) return "Put an element with law = \"round\" in between.";
  }
  if (to.type == enumeration && from.type == integer) return nullptr;
  if (to.type == boolean && (from.type == real || from.type == integer))
    return "Put an element with law = \"compare\" in between, with the threshold from which it is true.";
  return "Connect ports of one type.";
}

}  // namespace

void Freezer::check_port_types(const Node& node) {
  const Description& description = *node.description;
  for (const auto* ports : {&description.inputs, &description.outputs}) {
    for (const Port& port : *ports) {
      if (port.type != PortType::enumeration || !port.items.empty()) continue;
      problems_.error(node.where,
                      fmt::format("'{}.{}' is an enumeration without items.", node.name, port.name),
                      "Its description must list names and values.");
    }
  }
  const bool has_discrete = node.input_counts.has_discrete() || node.output_counts.has_discrete();
  if (!has_discrete || live(node)->discrete_ports() != nullptr) return;
  problems_.error(
      node.where,
      fmt::format("'{}' has ports that are not reals, but does not transfer their values.", node.name),
      "A subsystem with such ports must offer DiscretePorts.");
}

void Freezer::check_instances(const std::vector<Node>& nodes) {
  std::map<std::string, const Node*> only;
  for (const Node& node : nodes) {
    const Description& description = *node.description;
    if (!description.one_per_process) continue;
    const auto [first, is_new] = only.try_emplace(description.kind, &node);
    if (is_new) continue;
    problems_.error(
        node.where,
        fmt::format("'{}' and '{}' are two instances of '{}', of which only one can exist per process.",
                    first->second->name, node.name, description.kind),
        "Give each of them isolate = true: then each has a process of its own.");
  }
}

bool Freezer::check_types(const PortSlice& from, const PortSlice& to, const ConnectionSpec& spec) {
  const Port& source = port_of(from);
  const Port& receiver = port_of(to);
  const auto refuse = [&](const std::string& what, const char* how) {
    problems_.error(spec.where, what, how);
    return false;
  };
  if (const char* how = remedy(source, receiver)) {
    return refuse(fmt::format("'{}' ({}) feeds '{}' ({}).", name_of(from), ergon::name_of(source.type),
                              name_of(to), ergon::name_of(receiver.type)),
                  how);
  }
  if (receiver.type == PortType::real) return true;
  if (spec.degree) {
    problems_.note(
        spec.where,
        fmt::format("'extrapolation' has no effect on '{}': only reals are extrapolated.", name_of(to)));
  }
  const UnitConversion unit = spec.converts_units ? conversion(source.unit, receiver.unit) : UnitConversion{};
  if (unit.gain != 1.0 || unit.offset != 0.0) {
    return refuse(fmt::format("'{}' [{}] feeds '{}' [{}], which is not a real.", name_of(from),
                              source.unit.text, name_of(to), receiver.unit.text),
                  "Only reals are converted: give both the same unit.");
  }
  const bool scaled = spec.gain != 1.0 || spec.offset != 0.0;
  if (receiver.type == PortType::integer) {
    if (is_whole(spec.gain) && is_whole(spec.offset)) return true;
    return refuse(
        fmt::format("'{}' is an integer, but the gain or offset of its connection is not a whole number.",
                    name_of(to)),
        "Give whole numbers, or connect a real port.");
  }
  if (!scaled && spec.from.size() == 1) return true;
  return refuse(fmt::format("'{}' is of type {}: there is no gain, offset or sum for it.", name_of(to),
                            ergon::name_of(receiver.type)),
                "Connect one source, as it is.");
}

bool Freezer::check_real(const PortSlice& slice, const BondSpec& spec) {
  const Port& port = port_of(slice);
  if (port.type == PortType::real) return true;
  problems_.error(
      spec.where,
      fmt::format("Bond '{}': '{}' is of type {}.", spec.name, name_of(slice), ergon::name_of(port.type)),
      "Efforts, flows and displacements are reals; use [[connection]] for the rest.");
  return false;
}

std::string Freezer::shown_start(Index input) const {
  const Port& port = system_->input_port(input);
  switch (value_kind_of(port.type)) {
    case ValueKind::real:
      break;
    case ValueKind::integer:
      return shown(system_->integer_start[input], port.type, port.items);
    case ValueKind::text:
      return "'" + system_->text_start[input] + "'";
  }
  return fmt::format("{}", system_->input_start[input]);
}

}  // namespace ergon
