#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ergon/coupling/engine_impl.hpp"

// Windows: the time between two points that all subsystems reach together, of variable length and repeatable.

namespace ergon {

void Engine::Impl::plan_step_control(ProblemList& problems) {
  if (!options.step_control) return;
  const StepControlOptions& wanted = *options.step_control;
  const StepControlMethod* method = find_step_control(wanted.method);
  if (method == nullptr) {
    std::vector<std::string> names;
    for (const StepControlMethod& m : step_control_methods()) names.emplace_back(m.name);
    problems.error(wanted.where, fmt::format("There is no step control '{}'.", wanted.method),
                   did_you_mean(wanted.method, names));
    return;
  }
  using Needs = StepControlMethod::Needs;
  if (method->needs == Needs::predictor && implicit == nullptr) {
    problems.error(wanted.where,
                   fmt::format("Step control '{}' compares predictor and corrector, which scheme '{}' does "
                               "not have.",
                               wanted.method, scheme->name),
                   "Use scheme = \"semi-implicit\", or method = \"richardson\".");
    return;
  }
  if (method->needs == Needs::whole_step && !can_rewind()) {
    problems.error(wanted.where,
                   fmt::format("Step control '{}' takes every step twice, but not all subsystems can be set "
                               "back.",
                               wanted.method),
                   "Use method = \"interface-power\".");
    return;
  }
  if (method->needs == Needs::bonds && system.bonds.empty()) {
    problems.error(
        wanted.where, fmt::format("Step control '{}' needs a power bond to look at.", wanted.method),
        "Describe the coupling by a [[bond]]; where both sides only exchange their motion, a bond that "
        "names the effort of one side is enough.");
    return;
  }
  if (method->needs == Needs::bonds && scheme->visible_at_once &&
      std::any_of(monitors.begin(), monitors.end(), [](const BondMonitor& m) { return !m.has_accounts(); })) {
    problems.warning(
        wanted.where,
        "Step control looks at the interface power of bonds whose ends keep no energy accounts, which says "
        "little in a Gauss-Seidel sweep.",
        "Use scheme = \"jacobi\".");
  }
  rewinds = can_rewind();
  if (!rewinds) {
    problems.note(wanted.where,
                  "Not all subsystems can be set back: no step is repeated, only the next one is adapted.");
  }
  for (std::size_t s = 0; s < stepping_stages; ++s) stages[s].nominal_period = stages[s].period;
  const Tick longest = longest_period();
  // The error of one window is of order k + 2 where efforts and flows are inter- or extrapolated with degree k.
  int degree = options.degree;
  const auto limit_degree = [&](Index input) {
    if (scheme->implicit || !system.links[input]) return;
    degree = std::min(degree, system.links[input]->degree.value_or(options.degree));
  };
  if (method->needs == Needs::bonds) {
    for (const PowerBond& bond : system.bonds) {
      for (const Index input : bond.effort_node_inputs) limit_degree(input);
    }
  } else {
    for (Index input = 0; input < system.inputs.size(); ++input) limit_degree(input);
  }
  const double most = wanted.max_factor * static_cast<double>(wanted.subdivisions);
  const double whole_run = static_cast<double>(grid.end()) / static_cast<double>(longest) *
                           static_cast<double>(wanted.subdivisions);
  const bool halves = method->needs == Needs::whole_step;
  if (halves) rough_outputs.resize(system.outputs.size());
  const EstimatorContext context{system, degree, grid.duration_s(grid.end())};
  control = std::make_unique<StepControl>(
      wanted, method->make(wanted, context), method->per_second ? degree + 1 : degree + 2,
      std::max<Tick>(1, static_cast<Tick>(std::min(most, whole_run))), halves);
}

bool Engine::Impl::can_rewind() const {
  return std::all_of(system.nodes.begin(), system.nodes.end(), [](const Node& node) {
    return node.description.algebraic || node.subsystem->rewindable() != nullptr;
  });
}

std::optional<Failure> Engine::Impl::advance_window() {
  const Tick begin = now;
  if (rewinds) save(snapshot);
  const Tick smallest = std::max<Tick>(1, longest_period() / options.step_control->subdivisions);
  control->limit((grid.end() - now + smallest - 1) / smallest);
  while (true) {
    std::optional<Failure> failure;
    if (control->halves()) {
      // The window as a whole first, to compare with, then in two halves, which stay.
      failure = try_window(control->factor());
      if (!failure) {
        for (Index o = 0; o < rough_outputs.size(); ++o) rough_outputs[o] = output(o);
        const Tick end = now;
        restore(snapshot);
        failure = try_window(control->factor() / 2);
        if (!failure && now < end) failure = try_window(control->factor() / 2);
      }
    } else {
      failure = try_window(control->factor());
    }
    if (failure) {
      if (!rewinds || !control->retry_after_failure()) return failure;
    } else if (control->judge(*this, grid.duration_s(now - begin), rewinds)) {
      return std::nullopt;
    }
    restore(snapshot);
  }
}

/// The largest of the steps that the user gave.
Tick Engine::Impl::longest_period() const {
  Tick longest = 1;
  for (std::size_t s = 0; s < stepping_stages; ++s) longest = std::max(longest, stages[s].nominal_period);
  return longest;
}

/// One step of all, of `factor` smallest steps.
std::optional<Failure> Engine::Impl::try_window(Tick factor) {
  set_step_factor(factor);
  do {
    if (auto failure = advance_point()) return failure;
  } while (!all_arrived());
  return std::nullopt;
}

double Engine::Impl::rough_output(Index output) const {
  if (!rough_outputs.empty()) return rough_outputs[output];
  if (implicit == nullptr) return this->output(output);
  const SlotAddress a = output_address[output];
  return implicit->problem().predicted_outputs(a.stage)[a.offset];
}

bool Engine::Impl::all_arrived() const {
  return std::all_of(stages.begin(), stages.begin() + static_cast<std::ptrdiff_t>(stepping_stages),
                     [&](const Stage& stage) { return stage.next == now; });
}

/// All steps become `factor` smallest steps long, from this point on.
void Engine::Impl::set_step_factor(Tick factor) {
  for (std::size_t s = 0; s < stepping_stages; ++s) {
    stages[s].period = stages[s].nominal_period / options.step_control->subdivisions * factor;
  }
  anchor = now;
}

namespace {

/// Appends what it visits to a flat array.
struct StateWriter {
  std::vector<double>& flat;
  void operator()(std::span<const double> values) { flat.insert(flat.end(), values.begin(), values.end()); }
  void operator()(double value) { flat.push_back(value); }
  void operator()(Tick tick) { flat.push_back(static_cast<double>(tick)); }  // exact: less than 2⁵³ ticks
};

/// Reads it back, in the same order.
struct StateReader {
  const std::vector<double>& flat;
  std::size_t next = 0;
  void operator()(std::span<double> values) {
    for (double& value : values) value = flat[next++];
  }
  void operator()(double& value) { value = flat[next++]; }
  void operator()(Tick& tick) { tick = static_cast<Tick>(flat[next++]); }
};

}  // namespace

void Engine::Impl::save(Snapshot& s) const {
  s.now = now;
  s.clamped = clamped;
  s.stages.resize(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    Snapshot::StageState& state = s.stages[i];
    state.start = stage.start;
    state.next = stage.next;
    state.steps = stage.steps;
    state.degree = stage.degree;
    state.samples = stage.samples;
    state.own_points = stage.own_points;
    state.coefficients = stage.coefficients;
    state.end_values = stage.end_values;
    state.evaluated_with = stage.evaluated_with;
    state.kinematic = stage.kinematic;
  }
  s.subsystems.resize(system.nodes.size());
  for (Index n = 0; n < system.nodes.size(); ++n) {
    Rewindable* rewindable = system.nodes[n].subsystem->rewindable();
    if (rewindable == nullptr) continue;
    s.subsystems[n].resize(rewindable->state_size());
    rewindable->save(s.subsystems[n].data());
  }
  s.monitors = monitors;
  s.bond_records = bond_records;
  s.leak_monitors = leak_monitors;
  if (implicit != nullptr) implicit->save(s.implicit);
  s.receivers.clear();
  for (const CorrectedReceiver& receiver : receivers) receiver.visit_state(StateWriter{s.receivers});
}

void Engine::Impl::restore(const Snapshot& s) {
  now = s.now;
  clamped = s.clamped;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    Stage& stage = stages[i];
    const Snapshot::StageState& state = s.stages[i];
    stage.start = state.start;
    stage.next = state.next;
    stage.steps = state.steps;
    stage.degree = state.degree;
    stage.samples = state.samples;
    stage.own_points = state.own_points;
    stage.coefficients = state.coefficients;
    stage.end_values = state.end_values;
    stage.evaluated_with = state.evaluated_with;
    stage.kinematic = state.kinematic;
  }
  for (Index n = 0; n < system.nodes.size(); ++n) {
    Rewindable* rewindable = system.nodes[n].subsystem->rewindable();
    if (rewindable != nullptr) rewindable->restore(s.subsystems[n].data());
  }
  monitors = s.monitors;
  bond_records = s.bond_records;
  leak_monitors = s.leak_monitors;
  if (implicit != nullptr) implicit->restore(s.implicit);
  StateReader reader{s.receivers};
  for (CorrectedReceiver& receiver : receivers) receiver.visit_state(reader);
}

}  // namespace ergon
