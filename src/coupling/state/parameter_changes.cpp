#include "ergon/coupling/state/parameter_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/core/live_subsystem.hpp"
#include "ergon/core/receivers.hpp"
#include "ergon/coupling/state/failures.hpp"
#include "ergon/coupling/state/member_calls.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {
namespace {

/// Of the alternative that belongs to its type.
TypedValue value_of(const StoredValue& value, PortType type) {
  if (type == PortType::boolean) return value.integer != 0;
  switch (value_kind_of(type)) {
    case ValueKind::real:
      return value.real;
    case ValueKind::integer:
      return value.integer;
    case ValueKind::text:
      break;
  }
  return value.text;
}

void archive_value(Archive& archive, TypedValue& value) {
  auto alternative = static_cast<std::uint8_t>(value.index());
  archive(alternative);
  const auto as = [&](auto standard) {
    if (archive.reads()) value = standard;
    archive(std::get<decltype(standard)>(value));
  };
  if (alternative == 0) return as(0.0);
  if (alternative == 1) return as(std::int64_t{0});
  if (alternative == 2) return as(false);
  if (alternative == 3) return as(std::string());
  throw ArchiveError("the saved state does not fit: a parameter has an unknown type");
}

/// A vector that only grows during a run.
template <typename Entry, typename ArchiveEntry>
void archive_list(Archive& archive, std::vector<Entry>& list, ArchiveEntry archive_entry) {
  std::uint64_t size = list.size();
  archive(size);
  if (archive.reads()) list.clear();
  for (std::uint64_t i = 0; i < size; ++i) {
    if (archive.reads()) list.emplace_back();
    archive_entry(list[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

ParameterChanges::ParameterChanges(const CouplingPlan& plan, ProblemList& problems) : plan_(plan) {
  const CoupledSystem& system = plan.system();
  for (Index n = 0; n < system.nodes.size(); ++n) {
    const Tunable* tunable = live(system.nodes[n])->tunable();
    if (tunable == nullptr) continue;
    auto infos = tunable->tunable_parameters();
    for (std::size_t i = 0; i < infos.size(); ++i) places_.push_back({n, i, std::move(infos[i])});
  }
  for (Index i = 0; i < system.inputs.size(); ++i) {
    if (system.links[i]) continue;
    const Port& port = system.input_port(i);
    if (port.type != PortType::binary)
      places_.push_back(
          {system.inputs[i].node, i, {"", port.unit, port.description, port.type, port.items}, true});
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    place_of_.emplace(place.is_input ? system.inputs[place.number].text
                                     : system.nodes[place.node].name + "." + place.info.name,
                      i);
  }
  for (const ParameterChange& change : plan.options().changes) schedule(change, problems);
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const Pending& a, const Pending& b) { return a.due < b.due; });
  scheduled_ = pending_.size();
}

/// The first tick that is not before; a time that is meant to be one is not missed for its last digits.
Tick ParameterChanges::tick_at(double time_s) const {
  const TimeGrid& grid = plan_.grid();
  return static_cast<Tick>(std::ceil((time_s - grid.time_s(0)) / grid.tick_s().value() - 1e-6));
}

void ParameterChanges::schedule(const ParameterChange& change, ProblemList& problems) {
  auto pending = resolve(change, problems);
  if (!pending) return;
  const TimeGrid& grid = plan_.grid();
  const double end = grid.time_s(grid.end());
  if (change.time_s >= end) {
    // No mistake of who tries a shorter run.
    problems.warning(change.where,
                     fmt::format("'{}' is to change at {} s, but the run ends at {} s: it does not change.",
                                 change.parameter, change.time_s, end),
                     "Give an earlier time, or a later stop_time.");
    return;
  }
  if (!(change.time_s >= grid.time_s(0))) {
    problems.error(change.where,
                   fmt::format("'{}' is to change at {} s, but the run starts at {} s.", change.parameter,
                               change.time_s, grid.time_s(0)),
                   "Give a time within the run; for its start, set the parameter itself.");
    return;
  }
  pending->due = tick_at(change.time_s);
  pending->id = pending_.size();
  pending_.push_back(*pending);
  if (!change.until_s || *change.until_s >= end) return;
  pending->ends = pending->id;
  pending->id = pending_.size();
  pending->due = tick_at(*change.until_s);
  pending_.push_back(std::move(*pending));
}

std::optional<ParameterChanges::Pending> ParameterChanges::resolve(const ParameterChange& change,
                                                                   ProblemList& problems) const {
  const CoupledSystem& system = plan_.system();
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    problems.error(change.where, what, remedy);
    return std::nullopt;
  };
  if (const auto found = place_of_.find(change.parameter); found != place_of_.end()) {
    const Place& place = places_[found->second];
    if (change.is_bias && place.info.type != PortType::real && place.info.type != PortType::integer)
      return refuse(fmt::format("'{}' is of type {}: nothing can be added to it.", change.parameter,
                                name_of(place.info.type)),
                    "Give 'value' instead of 'bias'.");
    const StoredValue value = to_stored(change.value, place.info.type, place.info.items);
    const bool finite = std::isfinite(value.real);
    if (value.problem != nullptr || !finite)
      return refuse(fmt::format("The new value of '{}' {}.", change.parameter,
                                finite ? value.problem : "is not finite"),
                    fmt::format("It is of type {}.", name_of(place.info.type)));
    Pending pending{0, place.node, place.number, change, value_of(value, place.info.type), false};
    pending.is_input = place.is_input;
    return pending;
  }
  for (Index i = 0; i < system.inputs.size(); ++i) {
    if (system.links[i] && system.inputs[i].text == change.parameter)
      return refuse(fmt::format("'{}' is fed by a connection, so it cannot be changed.", change.parameter),
                    "Change what feeds it, or disconnect it.");
  }
  const auto dot = change.parameter.find('.');
  const auto node = system.find_node(change.parameter.substr(0, dot));
  std::vector<std::string> of_node;
  std::vector<std::string> names;
  for (const auto& [name, number] : place_of_) {
    names.push_back(name);
    if (node && places_[number].node == *node)
      of_node.push_back(name.substr(system.nodes[*node].name.size() + 1));
  }
  return refuse(
      fmt::format("'{}' is neither a parameter that may change during a run nor an unconnected input.",
                  change.parameter),
      !of_node.empty() ? fmt::format("'{}' offers: {}.", system.nodes[*node].name, fmt::join(of_node, ", "))
      : names.empty()  ? std::string("No subsystem offers any.")
                       : did_you_mean(change.parameter, names));
}

void ParameterChanges::add(const ParameterChange& change, Tick now, ProblemList& problems) {
  auto pending = resolve(change, problems);
  if (!pending) return;
  pending->due = now;
  pending_.push_back(std::move(*pending));
}

Tick ParameterChanges::next(Tick end) const {
  Tick next = end;
  for (const Pending& pending : pending_) {
    if (!pending.done) next = std::min(next, pending.due);
  }
  return next;
}

std::optional<Failure> ParameterChanges::apply(CouplingState& state) {
  const Tick now = state.now();
  for (Pending& pending : pending_) {
    if (pending.done || pending.due > now) continue;
    const SlotAddress place = plan_.first_input_of(pending.node);
    const bool is_amid_step = !plan_.stage(place.stage).algebraic && state.stage(place.stage).next() != now;
    if (is_amid_step) continue;
    pending.done = true;
    if (auto failure = set(pending, state, plan_.grid().time_s(now))) return failure;
    if (auto failure = evaluate_source(pending.node, state)) return failure;
  }
  return std::nullopt;
}

std::optional<Failure> ParameterChanges::evaluate_source(Index node, CouplingState& state) const {
  if (!is_source(plan_.system().nodes[node])) return std::nullopt;
  const SlotAddress place = plan_.first_input_of(node);
  SampleRing& samples = state.stage(place.stage).samples();
  if (samples.count() == 0 || samples.tick(0) != state.now()) return std::nullopt;
  const StagePlan& stage = plan_.stage(place.stage);
  const double t = plan_.grid().time_s(state.now());
  for (const Member& m : stage.members) {
    if (m.node != node) continue;
    try {
      ask_outputs(m, t, nullptr, newest_of(samples));
    } catch (...) {
      return failure_of(plan_, m, t, current_exception_text());
    }
  }
  return find_non_finite(plan_, stage, newest_of(samples).reals, t);
}

/// The value of an input as the next step would use it.
TypedValue ParameterChanges::input_value(Index input, const CouplingState& state) const {
  const SlotAddress a = plan_.input(input);
  const StageState& stage = state.stage(a.stage);
  if (a.kind == ValueKind::real) return stage.coefficients()[a.offset];
  if (a.kind == ValueKind::text) return stage.discrete_inputs().texts[a.offset];
  const std::int64_t value = stage.discrete_inputs().integers[a.offset];
  if (plan_.system().input_port(input).type == PortType::boolean) return value != 0;
  return value;
}

TypedValue ParameterChanges::value_to_set(const Pending& pending, const TypedValue& before) const {
  if (pending.ends) {
    for (const Pending& other : pending_) {
      if (other.id == *pending.ends) return other.before;
    }
  }
  if (!pending.change.is_bias) return pending.value;
  if (const auto* number = std::get_if<double>(&before)) return *number + std::get<double>(pending.value);
  return std::get<std::int64_t>(before) + std::get<std::int64_t>(pending.value);
}

std::optional<Failure> ParameterChanges::set(Pending& pending, CouplingState& state, double time_s) {
  const Node& node = plan_.system().nodes[pending.node];
  try {
    TypedValue value;
    if (pending.is_input) {
      const SlotAddress a = plan_.input(pending.number);
      const Port& port = plan_.system().input_port(pending.number);
      pending.before = input_value(pending.number, state);
      value = value_to_set(pending, pending.before);
      state.stage(a.stage).set_unconnected(a.kind, a.offset, to_stored(value, port.type, port.items));
    } else {
      Tunable& tunable = *live(node)->tunable();
      pending.before = tunable.parameter(pending.number);
      value = value_to_set(pending, pending.before);
      const std::string refusal = tunable.set_parameter(pending.number, value);
      if (!refusal.empty())
        return Failure{node.name, "", time_s, fmt::format("'{}' {}", pending.change.parameter, refusal),
                       false};
    }
    log_.push_back({time_s, pending.change.parameter, pending.before, std::move(value)});
  } catch (...) {
    return Failure{node.name, "", time_s, current_exception_text(), false};
  }
  return std::nullopt;
}

void ParameterChanges::restart() {
  const CoupledSystem& system = plan_.system();
  for (std::size_t i = 0; i < places_.size() && !places_[i].is_input; ++i) {
    const Node& node = system.nodes[places_[i].node];
    blaming(node.name, plan_.grid().time_s(0), [&] {
      Tunable& tunable = *live(node)->tunable();
      if (i < at_start_.size()) {
        static_cast<void>(tunable.set_parameter(places_[i].number, at_start_[i]));
      } else {
        at_start_.push_back(tunable.parameter(places_[i].number));
      }
    });
  }
  pending_.resize(scheduled_);
  for (Pending& pending : pending_) pending.done = false;
  log_.clear();
}

void ParameterChanges::archive(Archive& archive) {
  archive.section("parameters");
  archive_list(archive, log_, [&](ParameterChanged& change) {
    archive(change.time_s);
    archive(change.parameter);
    archive_value(archive, change.before);
    archive_value(archive, change.value);
  });
  for (std::size_t i = 0; i < scheduled_; ++i) {
    archive(pending_[i].done);
    archive_value(archive, pending_[i].before);
  }
  if (archive.reads()) pending_.resize(scheduled_);
  const CoupledSystem& system = plan_.system();
  for (const Place& place : places_) {
    if (place.is_input) break;  // those are part of the state of their stage
    const Node& node = system.nodes[place.node];
    Tunable& tunable = *live(node)->tunable();
    TypedValue present = tunable.parameter(place.number);
    TypedValue saved = present;
    archive_value(archive, saved);
    if (saved == present) continue;
    blaming(node.name, 0.0, [&] { return tunable.set_parameter(place.number, saved); });
  }
}

}  // namespace ergon
