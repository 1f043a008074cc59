#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "ergon/core/live_subsystem.hpp"
#include "ergon/coupling/predictors/interface_plan.hpp"

// Which subsystems share an interface model, and whether it can be had.

namespace ergon {
namespace {

constexpr const char* otherwise = "Use extrapolation = \"hold\" or \"linear\" for this bond.";

class InterfacePlanner {
 public:
  explicit InterfacePlanner(const PredictorRequest& request)
      : plan_(request.plan), system_(plan_.system()), problems_(request.problems) {}

  std::vector<InterfacePlan> interfaces() {
    for (const PowerBond& bond : system_.bonds) {
      if (plan_.predictor(bond) == interface_model_predictor && fits(bond)) bonds_.push_back(&bond);
    }
    std::vector<InterfacePlan> made;
    if (problems_.has_errors()) return made;
    for (const std::vector<const PowerBond*>& group : groups()) {
      InterfacePlan interface = assemble(group);
      if (!problems_.has_errors()) made.push_back(std::move(interface));
    }
    return made;
  }

 private:
  void refuse(const PowerBond& bond, const std::string& why, const std::string& remedy) {
    problems_.error(
        bond.where,
        fmt::format("Bond '{}' cannot have extrapolation = \"interface-model\": {}.", bond.name, why),
        remedy);
  }

  /// Whether the giver of the flow leads that of the effort, which tells what that takes. Where each could be the slow one of the two,
  /// the one that is.
  [[nodiscard]] bool is_motion_driven(const PowerBond& bond) {
    const auto [found, is_new] = led_.try_emplace(&bond, false);
    if (is_new) found->second = is_slow_behind_flow(bond);
    return found->second;
  }
  [[nodiscard]] bool is_slow_behind_flow(const PowerBond& bond) const {
    const Node& node = system_.nodes[bond.effort_node];
    InterfaceInertia* inertia = live(node)->interface_inertia();
    const auto effort = plan_.period(bond.effort_node), flow = plan_.period(bond.flow_node);
    const bool other = live(system_.nodes[bond.flow_node])->interface_inertia() != nullptr;
    if (inertia == nullptr || bond.observed_only || effort < flow || (effort == flow && other)) return false;
    std::vector<InterfacePort> ports;
    for (const BondComponent& c : bond.components) {
      if (!c.has_flow_input) return false;
      ports.push_back({c.effort_output - node.first_output, c.flow_input - node.first_input, true});
    }
    return inertia->prepare_interface(ports);
  }
  [[nodiscard]] Index slow_of(const PowerBond& bond) {
    return is_motion_driven(bond) ? bond.effort_node : bond.flow_node;
  }
  [[nodiscard]] Index fast_of(const PowerBond& bond) {
    return is_motion_driven(bond) ? bond.flow_node : bond.effort_node;
  }

  /// What can be said of a bond alone.
  bool fits(const PowerBond& bond) {
    const Node& fast = system_.nodes[fast_of(bond)];
    const Node& slow = system_.nodes[slow_of(bond)];
    const bool driven = is_motion_driven(bond);
    const auto arrives_alone = [&](Index input) { return system_.links[input]->terms.size() == 1; };
    if (plan_.layout().sequential || plan_.layout().knows_the_end) {
      refuse(
          bond,
          fmt::format("scheme = \"{}\" does not step both sides from the same point", plan_.layout().scheme),
          "Use scheme = \"jacobi\".");
    } else if (bond.observed_only) {
      refuse(bond, "no effort is sent through it", otherwise);
    } else if (fast.description->algebraic || slow.description->algebraic) {
      refuse(bond, fmt::format("'{}' is an element", (fast.description->algebraic ? fast : slow).name),
             "Let one of the subsystems hold the law, as oscillator.force_output does.");
    } else if (std::any_of(bond.components.begin(), bond.components.end(),
                           [](const BondComponent& c) { return c.flow_differentiated; })) {
      refuse(bond, fmt::format("'{}' sends a displacement without its rate", slow.name),
             "Name the flow of both ends, too.");
    } else if (live(slow)->interface_inertia() == nullptr) {
      refuse(bond, fmt::format("'{}' does not provide its interface inertia", slow.name), otherwise);
    } else if (driven && live(fast)->rewindable() == nullptr) {
      refuse(bond,
             fmt::format(
                 "'{}', which drives '{}', cannot repeat a step, so how its flow depends on the effort is "
                 "unknown",
                 fast.name, slow.name),
             otherwise);
    } else if (driven &&
               !std::all_of(bond.components.begin(), bond.components.end(), [&](const BondComponent& c) {
                 return arrives_alone(c.effort_input) && arrives_alone(c.flow_input);
               })) {
      refuse(bond,
             fmt::format("other connections end at the same inputs of '{}' or '{}'", fast.name, slow.name),
             "Let an input of its own take what else acts there.");
    } else if (!driven && !fast.description->reevaluates_outputs) {
      refuse(
          bond,
          fmt::format("'{}' cannot re-evaluate its outputs, so how its effort depends on the flow is unknown",
                      fast.name),
          otherwise);
    } else if (plan_.period(fast_of(bond)) > plan_.period(slow_of(bond)) ||
               plan_.period(slow_of(bond)) % plan_.period(fast_of(bond)) != 0) {
      refuse(bond,
             fmt::format("'{}', whose {} is integrated with it, must step as often as '{}', or a whole "
                         "number of times",
                         fast.name, driven ? "flow" : "effort", slow.name),
             fmt::format("Give '{}' a step_size that divides that of '{}'.", fast.name, slow.name));
    } else {
      return true;
    }
    return false;
  }

  /// Bonds that share a slow or a fast subsystem are solved together.
  std::vector<std::vector<const PowerBond*>> groups() {
    std::vector<std::size_t> group(bonds_.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (std::size_t a = 0; a < bonds_.size(); ++a) {
      for (std::size_t b = a + 1; b < bonds_.size(); ++b) {
        if (slow_of(*bonds_[a]) != slow_of(*bonds_[b]) && fast_of(*bonds_[a]) != fast_of(*bonds_[b]))
          continue;
        std::replace(group.begin(), group.end(), group[b], group[a]);
      }
    }
    std::map<std::size_t, std::vector<const PowerBond*>> by_number;
    for (std::size_t i = 0; i < bonds_.size(); ++i) by_number[group[i]].push_back(bonds_[i]);
    std::vector<std::vector<const PowerBond*>> result;
    for (auto& [number, bonds] : by_number) result.push_back(std::move(bonds));
    return result;
  }

  /// Every subsystem is in one stage.
  [[nodiscard]] Index stage_of(Index node) const {
    const auto has_it = [&](const StagePlan& stage) { return find_member(stage, node) != nullptr; };
    const auto stages = plan_.stepping();
    return static_cast<Index>(std::find_if(stages.begin(), stages.end(), has_it) - stages.begin());
  }
  [[nodiscard]] const Member& member_of(Index node) const {
    return *find_member(plan_.stage(stage_of(node)), node);
  }
  [[nodiscard]] static const Member* find_member(const StagePlan& stage, Index node) {
    for (const Member& m : stage.members) {
      if (m.node == node) return &m;
    }
    return nullptr;
  }

  InterfacePlan assemble(const std::vector<const PowerBond*>& bonds) {
    InterfacePlan interface;
    interface.stage = stage_of(fast_of(*bonds.front()));
    for (const PowerBond* bond : bonds) {
      if (stage_of(fast_of(*bond)) == interface.stage) continue;
      refuse(*bond,
             fmt::format("'{}' and '{}' share an interface and must step together",
                         system_.nodes[fast_of(*bonds.front())].name, system_.nodes[fast_of(*bond)].name),
             "Give both the same step_size.");
      return interface;
    }
    std::map<Index, std::vector<const PowerBond*>> by_slow;
    for (const PowerBond* bond : bonds) by_slow[slow_of(*bond)].push_back(bond);
    component_of_.clear();
    driven_component_of_.clear();
    for (const auto& [node, of_node] : by_slow) add_slow(node, of_node, interface);
    if (problems_.has_errors()) return interface;
    std::map<Index, std::vector<const PowerBond*>> by_fast;
    for (const PowerBond* bond : bonds) {
      if (is_motion_driven(*bond)) {
        add_drivers(*bond, interface);
      } else {
        by_fast[bond->effort_node].push_back(bond);
      }
    }
    for (const auto& [node, of_node] : by_fast) add_fast(node, of_node, interface);
    for (const PowerBond* bond : bonds) {
      if (is_motion_driven(*bond)) continue;  // who gives a flow knows it
      for (const BondComponent& c : bond->components) add_passive_receivers(c, interface);
    }
    return interface;
  }

  static bool receives(const InterfacePlan& interface, std::uint32_t slot) {
    const auto at_slot = [&](const InterfacePlan::Receiver& r) { return r.slot == slot; };
    const auto& seen = interface.passive_receivers;
    return std::any_of(seen.begin(), seen.end(), at_slot) ||
           std::any_of(interface.fasts.begin(), interface.fasts.end(), [&](const InterfacePlan::Fast& fast) {
             return std::any_of(fast.receivers.begin(), fast.receivers.end(), at_slot);
           });
  }
  /// Whether an output is told to be the rate of change of another one.
  [[nodiscard]] bool is_rate(Index output, Index of) const {
    const SignalName& rate = system_.outputs[output];
    const SignalName& value = system_.outputs[of];
    if (rate.node != value.node || rate.element != value.element) return false;
    const Description& description = *system_.nodes[rate.node].description;
    return description.outputs[rate.port].rate_of == description.outputs[value.port].name;
  }
  void add_passive_receivers(const BondComponent& c, InterfacePlan& interface) {
    for (const Member& member : plan_.stage(interface.stage).members) {
      const Node& node = system_.nodes[member.node];
      for (Index input = node.first_input; input < node.first_input + node.input_count; ++input) {
        const auto& link = system_.links[input];
        if (!link || link->terms.size() != 1 || link->terms.front().differentiate) continue;
        const LinkTerm& term = link->terms.front();
        InterfacePlan::Receiver r{component_of_.at(c.effort_input), plan_.input(input).offset, term.gain,
                                  term.offset};
        r.input = input;
        r.is_displacement = c.displacement_output && term.output == *c.displacement_output;
        r.is_acceleration = is_rate(term.output, c.flow_output);
        const bool seen = term.output == c.flow_output || r.is_displacement || r.is_acceleration;
        if (!seen || receives(interface, r.slot)) continue;
        if (r.is_acceleration) r.gain /= rate_factor(unit_of(term.output), unit_of(c.flow_output));
        interface.passive_receivers.push_back(r);
      }
    }
  }

  void add_slow(Index node, const std::vector<const PowerBond*>& bonds, InterfacePlan& interface) {
    InterfacePlan::Slow slow{&member_of(node), stage_of(node), interface.components.size(), 0};
    const Node& of = system_.nodes[node];
    std::vector<InterfacePort> ports;
    for (const PowerBond* bond : bonds) {
      for (const BondComponent& c : bond->components) {
        if (is_motion_driven(*bond)) {
          driven_component_of_[c.flow_input] = interface.components.size();
          InterfacePlan::Component component;
          component.slow = interface.slows.size();
          component.motion_driven = true;
          interface.components.push_back(component);
          ports.push_back({c.effort_output - of.first_output, c.flow_input - of.first_input, true});
          continue;
        }
        if (component_of_.contains(c.effort_input)) continue;  // several efforts at one input
        component_of_[c.effort_input] = interface.components.size();
        InterfacePlan::Component component;
        component.slow = interface.slows.size();
        component.effort_slot = plan_.input(c.effort_input).offset;
        component.flow_source = plan_.output(c.flow_output).offset;
        if (c.displacement_output) {
          component.has_displacement = true;
          component.displacement_source = plan_.output(*c.displacement_output).offset;
          component.flow_to_rate = rate_factor(unit_of(c.flow_output), unit_of(*c.displacement_output));
        }
        interface.components.push_back(component);
        ports.push_back({c.effort_input - of.first_input, c.flow_output - of.first_output});
      }
    }
    slow.count = ports.size();
    interface.slows.push_back(slow);
    if (live(of)->interface_inertia()->prepare_interface(ports)) return;
    refuse(*bonds.front(),
           fmt::format("the efforts of its bonds do not move the flows of '{}' each in its own way", of.name),
           otherwise);
  }

  void add_drivers(const PowerBond& bond, InterfacePlan& interface) {
    for (const BondComponent& c : bond.components) {
      InterfacePlan::Driver driver;
      driver.member = &member_of(bond.flow_node);
      driver.component = driven_component_of_.at(c.flow_input);
      const LinkTerm& flow = system_.links[c.flow_input]->terms.front();
      driver.flow_source = plan_.output(flow.output).offset;
      driver.flow_gain = flow.gain;
      driver.flow_offset = flow.offset;
      const LinkTerm& effort = system_.links[c.effort_input]->terms.front();
      driver.effort = {driver.component, plan_.input(c.effort_input).offset, effort.gain, effort.offset};
      driver.effort.input = c.effort_input;
      interface.drivers.push_back(driver);
    }
  }

  void add_fast(Index node, const std::vector<const PowerBond*>& bonds, InterfacePlan& interface) {
    InterfacePlan::Fast fast{&member_of(node)};
    for (const PowerBond* bond : bonds) {
      for (const BondComponent& c : bond->components) {
        const std::size_t component = component_of_.at(c.effort_input);
        for (const Index input : bond->effort_node_inputs) {
          const LinkTerm& term = system_.links[input]->terms.front();
          const bool is_flow = term.output == c.flow_output;
          const bool is_displacement = c.displacement_output && term.output == *c.displacement_output;
          if (is_flow || is_displacement)
            fast.receivers.push_back({component, plan_.input(input).offset, term.gain, term.offset,
                                      is_displacement, false, input});
        }
      }
    }
    // Whatever of this subsystem acts at the interface, through any bond.
    for (const auto& [input, component] : component_of_) {
      for (const LinkTerm& term : system_.links[input]->terms) {
        if (system_.outputs[term.output].node != node) continue;
        fast.efforts.push_back({component, plan_.output(term.output).offset, term.gain, term.offset});
      }
    }
    for (const InterfacePlan::Receiver& r : fast.receivers) {
      auto& known = fast.components;
      if (std::find(known.begin(), known.end(), r.component) == known.end()) known.push_back(r.component);
    }
    interface.fasts.push_back(std::move(fast));
  }

  [[nodiscard]] const Unit& unit_of(Index output) const {
    const SignalName& signal = system_.outputs[output];
    return system_.nodes[signal.node].description->outputs[signal.port].unit;
  }

  const CouplingPlan& plan_;
  const CoupledSystem& system_;
  ProblemList& problems_;
  std::vector<const PowerBond*> bonds_;
  std::map<const PowerBond*, bool> led_;
  std::map<Index, std::size_t> component_of_;         ///< by effort input
  std::map<Index, std::size_t> driven_component_of_;  ///< by flow input
};

}  // namespace

std::vector<InterfacePlan> plan_interfaces(const PredictorRequest& request) {
  return InterfacePlanner(request).interfaces();
}

}  // namespace ergon
