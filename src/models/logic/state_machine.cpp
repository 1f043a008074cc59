#include "ergon/models/logic/state_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ergon {
namespace {

constexpr const char* how_to_write = "Write transitions as \"idle -> run: go, run -> idle: not go\".";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(at);
    const std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             std::string_view::npos;
}

std::optional<std::size_t> place(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

Port machine_port(std::string name, PortType type, std::string description) {
  Port made{std::move(name), {}, 1, std::move(description)};
  made.type = type;
  return made;
}

}  // namespace

std::optional<StateChart> parse_state_chart(std::string_view states, std::string_view transitions,
                                            const std::string& owner, const SourceLocation& where,
                                            ProblemList& problems) {
  StateChart chart;
  bool well = true;
  const auto refuse = [&](const std::string& what, const std::string& how) {
    problems.error(where, fmt::format("'{}': {}", owner, what), how);
    well = false;
  };
  for (const std::string_view name : split(states, ',')) {
    if (!is_name(name) || place(chart.states, name))
      refuse(fmt::format("'{}' is not a name for a state, or it is used already.", name),
             "Use letters, digits and '_', and each name once.");
    chart.states.emplace_back(name);
  }
  if (chart.states.empty()) refuse("there is no state.", "Give states = \"idle, run\".");
  for (const std::string_view text : split(transitions, ',')) {
    const auto arrow = text.find("->");
    const auto colon = text.find(':');
    if (arrow == std::string_view::npos || colon == std::string_view::npos || colon < arrow) {
      refuse(fmt::format("'{}' is not a transition.", text), how_to_write);
      continue;
    }
    const std::string_view from = trimmed(text.substr(0, arrow));
    const std::string_view to = trimmed(text.substr(arrow + 2, colon - arrow - 2));
    std::string_view condition = trimmed(text.substr(colon + 1));
    StateChart::Transition transition;
    transition.negated = condition.starts_with("not ");
    if (transition.negated) condition = trimmed(condition.substr(4));
    const auto origin = place(chart.states, from);
    const auto goal = place(chart.states, to);
    if (!origin || !goal) {
      refuse(fmt::format("there is no state '{}'.", origin ? to : from),
             did_you_mean(std::string(origin ? to : from), chart.states));
      continue;
    }
    if (!is_name(condition)) {
      refuse(fmt::format("'{}' is not a name for a condition.", condition), how_to_write);
      continue;
    }
    transition.from = *origin;
    transition.to = *goal;
    if (const auto known = place(chart.conditions, condition)) {
      transition.condition = *known;
    } else {
      transition.condition = chart.conditions.size();
      chart.conditions.emplace_back(condition);
    }
    chart.transitions.push_back(transition);
  }
  for (const std::string& condition : chart.conditions) {
    const bool is_taken =
        condition == "state" || condition == "name" || condition == "taken" || condition.starts_with("in_");
    if (is_taken)
      refuse(fmt::format("'{}' is the name of an output.", condition), "Give the condition another name.");
  }
  if (!well) return std::nullopt;
  return chart;
}

Description StateMachine::describe() const {
  Description description;
  for (const std::string& condition : chart_.conditions)
    description.inputs.push_back(machine_port(condition, PortType::boolean, "a condition of transitions"));
  Port state = machine_port("state", PortType::enumeration, "where it is");
  for (std::size_t s = 0; s < chart_.states.size(); ++s)
    state.items.push_back({chart_.states[s], static_cast<std::int64_t>(s)});
  description.outputs = {state, machine_port("name", PortType::text, "the same as a text"),
                         machine_port("taken", PortType::integer, "transitions so far")};
  for (const std::string& name : chart_.states)
    description.outputs.push_back(machine_port("in_" + name, PortType::boolean, "whether it is in " + name));
  description.samples_input = InputSampling::start;
  return description;
}

StepStatus StateMachine::initialize(const Experiment& /*experiment*/) {
  state_ = {};
  return {};
}

StepStatus StateMachine::step(double /*t*/, double /*h*/, const InputView& /*u*/) {
  for (const StateChart::Transition& transition : chart_.transitions) {
    if (static_cast<std::int64_t>(transition.from) != state_.state) continue;
    if ((inputs_[transition.condition] != 0) == transition.negated) continue;
    state_.state = static_cast<std::int64_t>(transition.to);
    ++state_.taken;
    break;
  }
  return {};
}

void StateMachine::discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& y) {
  y.integers[0] = state_.state;
  y.integers[1] = state_.taken;
  for (std::size_t s = 0; s < chart_.states.size(); ++s)
    y.integers[2 + s] = static_cast<std::int64_t>(s) == state_.state ? 1 : 0;
  y.texts[0] = chart_.states[static_cast<std::size_t>(state_.state)];
}

ModelInfo state_machine_model() {
  ModelInfo info;
  info.name = "logic.state_machine";
  info.summary = "states and transitions; a boolean input for every condition";
  info.parameters = {
      {"states", "", "off, on", "names of the states, separated by commas; it starts in the first"},
      {"transitions", "", "off -> on: go, on -> off: not go",
       "from -> to: condition, or not condition; separated by commas, the first that holds is taken"}};
  info.integrated = false;
  info.make = [](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    auto chart = parse_state_chart(request.parameters.text("states"), request.parameters.text("transitions"),
                                   request.name, request.where, problems);
    if (!chart) return nullptr;
    return std::make_unique<StateMachine>(std::move(*chart));
  };
  info.examples = {
      {"three states",
       {{"states", {"idle, lifting, holding", {}}},
        {"transitions", {"idle -> lifting: go, lifting -> holding: arrived, holding -> idle: not go", {}}}}}};
  return info;
}

}  // namespace ergon
