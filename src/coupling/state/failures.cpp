#include "ergon/coupling/state/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace ergon {

Failure failure_of(const CouplingPlan& plan, const Member& member, double time_s, std::string what) {
  return {plan.node_of(member).name, "", time_s, std::move(what)};
}

std::optional<Failure> find_non_finite(const CouplingPlan& plan, const StagePlan& stage, const double* plane,
                                       double time_s) {
  if (are_finite(plane, stage.output_count)) return std::nullopt;
  for (const Member& m : stage.members) {
    for (std::uint32_t o = 0; o < m.output_count; ++o) {
      if (std::isfinite(plane[m.first_output + o])) continue;
      const Node& node = plan.node_of(m);
      const SignalName& signal = plan.system().outputs[node.first_output + o];
      return Failure{node.name, node.description->outputs[signal.port].name, time_s,
                     fmt::format("output '{}' is {}", signal.text, plane[m.first_output + o])};
    }
  }
  return std::nullopt;
}

std::optional<Failure> find_impossible(const CouplingPlan& plan, const StagePlan& stage,
                                       const std::int64_t* integers, double time_s) {
  for (const Member& m : stage.members) {
    if (m.discrete == nullptr) continue;
    const Node& node = plan.node_of(m);
    const Index first = node.first_output + node.output_counts.reals;
    for (std::size_t o = 0; o < node.output_counts.integers; ++o) {
      const SignalName& signal = plan.system().outputs[first + o];
      if (signal.type == PortType::integer) continue;
      const std::int64_t value = integers[m.first_integer_output + o];
      const Port& port = node.description->outputs[signal.port];
      const bool possible =
          signal.type == PortType::boolean
              ? value == 0 || value == 1
              : std::any_of(port.items.begin(), port.items.end(),
                            [&](const EnumerationItem& item) { return item.value == value; });
      if (possible) continue;
      return Failure{node.name, port.name, time_s,
                     fmt::format("output '{}' is {}, which no {} can be", signal.text, value,
                                 signal.type == PortType::boolean ? "boolean" : "item of its enumeration")};
    }
  }
  return std::nullopt;
}

Failure overflow_of(const CouplingPlan& plan, Index stage, std::uint32_t integer_slot, double time_s) {
  const CoupledSystem& system = plan.system();
  for (Index i = 0; i < system.inputs.size(); ++i) {
    const SlotAddress a = plan.input(i);
    if (a.stage != stage || a.kind != ValueKind::integer || a.offset != integer_slot) continue;
    return {system.nodes[system.inputs[i].node].name, system.input_port(i).name, time_s,
            fmt::format("what arrives at '{}' does not fit into 64 bits", system.inputs[i].text)};
  }
  return {};
}

std::string current_exception_text() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";  // its own text, a name of C++, helps nobody
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "it threw something that is not a std::exception";
  }
}

}  // namespace ergon
