#include "ergon/scenario/build/build_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ergon/core/receivers.hpp"
#include "ergon/models/sources/table_source.hpp"
#include "ergon/scenario/build/graph_builder.hpp"
#include "ergon/scenario/build/output_accuracy.hpp"
#include "ergon/scenario/build/output_selection.hpp"
#include "ergon/scenario/problem_order.hpp"

namespace ergon {
namespace {

CouplingOptions coupling_options(const Scenario& scenario) {
  CouplingOptions options;
  options.scheme = scenario.coupling.scheme.value;
  for (const Said<std::string>& name : scenario.coupling.order) options.order.push_back(name.value);
  options.degree = scenario.coupling.degree;
  options.only_followed = scenario.coupling.only_followed;
  options.predictor = scenario.coupling.predictor;
  options.feedthrough = scenario.coupling.feedthrough;
  options.starter = scenario.coupling.starter;
  options.implicit = scenario.coupling.implicit;
  options.equilibrium = scenario.equilibrium;
  options.threads = scenario.simulation.threads;
  for (const BondEntry& bond : scenario.bonds) {
    if (bond.correction && bond.correction->method != "none") options.corrections.push_back(*bond.correction);
  }
  return options;
}

/// What elements say of the bonds that they make: one, NAME, where a body evaluates a joint, else NAME.i and NAME.j. An end at the ground
/// has none.
void add_element_corrections(const Scenario& scenario, const CoupledSystem& system,
                             std::vector<CorrectionRequest>& corrections, ProblemList& problems) {
  for (const ElementEntry& element : scenario.elements) {
    if (!element.correction || element.correction->method == "none") continue;
    bool any = false;
    for (const char* end : {"", ".i", ".j"}) {
      CorrectionRequest request = *element.correction;
      request.bond = element.name.value + end;
      const auto is_it = [&](const PowerBond& bond) { return bond.name == request.bond; };
      if (std::none_of(system.bonds.begin(), system.bonds.end(), is_it)) continue;
      corrections.push_back(std::move(request));
      any = true;
    }
    if (any) continue;
    problems.error(element.correction->where,
                   fmt::format("'{}' has a correction, but makes no bond.", element.name.value),
                   "Give it 'ends', or correct the [[bond]] that it belongs to.");
  }
}

/// Smallest and largest steps as fractions and multiples of the steps given, by the largest of them.
std::optional<StepControlOptions> step_control_options(const Scenario& scenario, const CoupledSystem& system,
                                                       ProblemList& problems) {
  if (!scenario.step_control) return std::nullopt;
  const StepControlSettings& s = *scenario.step_control;
  Rational largest;
  for (const Node& node : system.nodes) {
    if (!node.description->algebraic && largest < node.step_s) largest = node.step_s;
  }
  StepControlOptions options;
  options.method = s.method;
  options.rtol = s.rtol;
  options.atol = s.atol;
  options.where = s.where;
  if (s.min_step_s) {
    const double fraction = largest.value() / s.min_step_s->value.value();
    constexpr double most_subdivisions = 1e9;
    if (!(fraction >= 1.0 && fraction <= most_subdivisions)) {
      problems.error(
          s.min_step_s->where,
          fmt::format("min_step = {} s in [step_control] does not fit the largest step_size, {} s.",
                      s.min_step_s->value.text(), largest.text()),
          "Give a min_step between step_size/1e9 and step_size.");
    }
    options.subdivisions = static_cast<Tick>(std::ceil(std::min(fraction, most_subdivisions) - 1e-9));
  }
  if (s.max_step_s) {
    options.max_factor = s.max_step_s->value.value() / largest.value();
    if (options.max_factor < 1.0) {
      problems.error(
          s.max_step_s->where,
          fmt::format("max_step = {} s in [step_control] is smaller than the largest step_size, {} s.",
                      s.max_step_s->value.text(), largest.text()),
          "The run starts with step_size: give a larger max_step, or a smaller step_size.");
    }
  }
  return options;
}

/// With step control a parameter changes at the very time that was asked for: that time is on the clock, where one can be found.
TimeGrid with_changes(std::span<const Rational> steps, const RunTimes& times,
                      std::span<const ParameterChange> changes) {
  const Rational duration_s = times.stop_s - times.start_s;
  std::vector<Rational> all(steps.begin(), steps.end());
  try {
    for (const ParameterChange& change : changes) {
      for (const std::optional<double>& at_s : {std::optional(change.time_s), change.until_s}) {
        const auto time_s = at_s ? Rational::from_double(*at_s) : std::nullopt;
        if (!time_s) continue;
        const Rational after_s = *time_s - times.start_s;
        if (after_s.is_positive() && after_s < duration_s) all.push_back(after_s);
      }
    }
    return TimeGrid(times.start_s, duration_s, all);
  } catch (const std::overflow_error&) {
    return TimeGrid(times.start_s, duration_s, steps);
  }
}

/// Points of time are doubles for subsystems and files: far from 0 they lie so far apart that steps between them become 0.
bool tells_apart(const TimeGrid& grid, const RunTimes& times, std::span<const Rational> steps,
                 ProblemList& problems) {
  const double start_s = times.start_s.value();
  const double stop_s = times.stop_s.value();
  const double largest_s = std::max(std::abs(start_s), std::abs(stop_s));
  const double spacing_s = std::nextafter(largest_s, std::numeric_limits<double>::infinity()) - largest_s;
  Rational apart_s = steps.empty() ? grid.tick_s() : steps.front();
  for (const Rational& step : steps) apart_s = greatest_common_divisor(apart_s, step);
  if (apart_s.value() >= spacing_s) return true;
  problems.error(
      times.where,
      fmt::format("Communication points between {} s and {} s cannot be distinguished: they are {:.3g} s "
                  "apart, and numbers of that size are {:.3g} s apart.",
                  start_s, stop_s, apart_s.value(), spacing_s),
      "Start closer to 0 (start_time = 0), or give longer steps with fewer digits.");
  return false;
}

std::optional<TimeGrid> make_grid(const CoupledSystem& system, const RunTimes& times,
                                  const std::optional<StepControlOptions>& control,
                                  std::span<const ParameterChange> changes, ProblemList& problems) {
  std::vector<Rational> steps;
  const Rational smallest(1, control ? control->subdivisions : 1);
  try {
    for (const Node& node : system.nodes) {
      if (!node.description->algebraic) steps.push_back(node.step_s * smallest);
    }
    const TimeGrid grid = with_changes(steps, times, control ? changes : std::span<const ParameterChange>{});
    if (!tells_apart(grid, times, steps, problems)) return std::nullopt;
    return grid;
  } catch (const std::overflow_error&) {
    const auto shortest = std::min_element(steps.begin(), steps.end());
    const double duration_s = times.stop_s.value() - times.start_s.value();
    constexpr double most_steps = 9007199254740992.0;  // 2⁵³: the times of more would not differ in a double
    if (shortest != steps.end() && duration_s / shortest->value() > most_steps) {
      problems.error(times.where,
                     fmt::format("A run of {} s in steps of {} s takes {:.2g} of them; 2⁵³ can be counted.",
                                 duration_s, shortest->value(), duration_s / shortest->value()),
                     "Give a longer step, or an earlier end.");
      return std::nullopt;
    }
    problems.error(times.where, "The step sizes and the duration have no usable common divisor.",
                   "Give them with fewer digits, or as fractions such as \"1/60\".");
    return std::nullopt;
  }
}

/// A source that says no step is sampled whenever one of its receivers takes a step: it costs little, and holding its values for
/// longer would be an error that nobody asked for.
/// One that nobody reads is sampled with the shortest step that there is.
void sample_sources_for_receivers(const Scenario& scenario, CoupledSystem& system) {
  std::vector<Node*> sources;
  for (Node& node : system.nodes) {
    if (!is_source(node)) continue;  // before its entry is looked for: sources are few
    const auto entry = std::find_if(scenario.subsystems.begin(), scenario.subsystems.end(),
                                    [&](const SubsystemEntry& e) { return e.name.value == node.name; });
    if (entry == scenario.subsystems.end() || entry->step_size_s) continue;
    if (!scenario.simulation.step_size_s) node.step_s = Rational();
    sources.push_back(&node);
  }
  std::optional<Rational> shortest;
  for (const Node& node : system.nodes) {
    if (!node.description->algebraic && node.step_s.is_positive() && (!shortest || node.step_s < *shortest))
      shortest = node.step_s;
  }
  for (Node* source : sources) {
    Rational& own_s = source->step_s;
    for (Index o = 0; o < source->output_count; ++o) {
      const auto step_s = shortest_step_of_receivers(system, source->first_output + o);
      if (step_s && (*step_s < own_s || !own_s.is_positive())) own_s = *step_s;
    }
    if (!own_s.is_positive() && shortest) own_s = *shortest;
  }
}

void mark_sampled(const Scenario& scenario, CoupledSystem& system) {
  for (const SubsystemEntry& entry : scenario.subsystems) {
    if (!entry.sampled) continue;
    if (const auto node = system.find_node(entry.name.value)) system.nodes[*node].sampled = true;
  }
}

/// What a digital controller sends stays until its next sample. Along a line it overshoots, at all step sizes alike: no check run sees that.
void warn_of_extrapolated_samples(const CoupledSystem& system, const CouplingOptions& coupling,
                                  ProblemList& problems) {
  if (coupling.scheme != "jacobi" && coupling.scheme != "gauss-seidel") return;
  std::vector<bool> warned(system.nodes.size(), false);
  for (const auto& link : system.links) {
    if (!link || link->degree.value_or(coupling.only_followed ? 0 : coupling.degree) == 0) continue;
    for (const LinkTerm& term : link->terms) {
      const Index sender = system.outputs[term.output].node;
      if (!system.nodes[sender].sampled || warned[sender]) continue;
      warned[sender] = true;
      problems.warning(system.nodes[sender].where,
                       fmt::format("'{}' is sampled, but '{}' extrapolates '{}' between its samples.",
                                   system.nodes[sender].name, system.inputs[link->input].text,
                                   system.outputs[term.output].text),
                       "Give the connection extrapolation = \"hold\", or [coupling] extrapolation = "
                       "\"auto-linear\", which holds signals.");
    }
  }
}

/// Whoever cuts a measurement too short would not see it in the results.
void note_short_tables(const CoupledSystem& system, const RunTimes& times, ProblemList& problems) {
  for (const Node& node : system.nodes) {
    const auto* table = dynamic_cast<const TableSource*>(node.subsystem.get());
    if (table == nullptr || !table->end_s() || *table->end_s() >= times.stop_s.value()) continue;
    problems.note(node.where,
                  fmt::format("The table of '{}' ends at {} s, the run at {} s: its last value is kept.",
                              node.name, *table->end_s(), times.stop_s.value()));
  }
}

void check_interval(const Said<Rational>& interval_s, const TimeGrid& grid, ProblemList& problems) {
  try {
    static_cast<void>(interval_s.value / grid.tick_s());
  } catch (const std::overflow_error&) {
    problems.error(interval_s.where,
                   fmt::format("An output interval of {} s cannot be counted in ticks of {} s.",
                               interval_s.value.text(), grid.tick_s().text()),
                   "Give one no longer than the run, with fewer digits.");
  }
}

}  // namespace

std::optional<BuiltScenario> on_a_clock(std::unique_ptr<CoupledSystem> system, CouplingOptions coupling,
                                        const RunTimes& times, std::vector<Index> recorded,
                                        ProblemList& problems) {
  const auto grid = make_grid(*system, times, coupling.step_control, coupling.changes, problems);
  if (!grid) return std::nullopt;
  note_short_tables(*system, times, problems);
  std::optional<Rational> interval;
  if (times.output_interval_s) {
    check_interval(*times.output_interval_s, *grid, problems);
    interval = times.output_interval_s->value;
  }
  if (problems.has_errors()) return std::nullopt;
  return BuiltScenario{std::move(system), *grid, std::move(coupling), std::move(recorded), interval, {}};
}

std::optional<BuiltScenario> build_graph(const Scenario& scenario, ProblemList& problems) {
  if (scenario.subsystems.empty()) {
    if (!problems.has_errors())
      problems.error({}, "There is no subsystem.", "Add at least one [[subsystem]].");
    return std::nullopt;
  }
  GraphBuilder builder(scenario, problems);
  CouplingOptions coupling = coupling_options(scenario);
  builder.make_subsystems();
  builder.make_elements();
  builder.add_subsystems();
  builder.wire();
  builder.collect_history(coupling.initial_history);
  coupling.changes = scenario.changes;

  // A list of its own: freeze stops early where it finds errors, and those so far say nothing about the wiring.
  ProblemList wiring;
  std::unique_ptr<CoupledSystem> system;
  if (builder.any_made()) system = builder.graph().freeze(wiring);
  const bool broken = problems.has_errors() || wiring.has_errors();
  for (const Problem& p : wiring.all()) {
    // In a broken scenario an input may be unconnected only because its bond could not be made.
    if (p.severity == Severity::error || !broken) append(p, problems);
  }
  std::vector<Index> recorded;
  std::vector<Index> recorded_bonds;
  std::vector<Index> recorded_inputs;
  if (system) recorded_bonds = select_bonds(*system, scenario.output.bonds, problems);
  if (builder.all_made()) {
    const std::vector<std::string> inputs = builder.signal_names(true);
    recorded_inputs = system
                          ? select_inputs(*system, scenario.output.inputs, problems)
                          : select_inputs(inputs, builder.signal_names(false),
                                          std::vector<bool>(inputs.size()), scenario.output.inputs, problems);
    recorded = system ? select_outputs(*system, scenario.output.variables, problems)
                      : select_outputs(builder.signal_names(false), builder.signal_names(true),
                                       scenario.output.variables, problems);
  }
  std::vector<MappedShape> shapes;
  if (system) shapes = map_shapes(*system, scenario.shapes, problems);
  std::optional<BuiltScenario> built;
  if (system && !problems.has_errors()) {
    sample_sources_for_receivers(scenario, *system);
    mark_sampled(scenario, *system);
    const SimulationSettings& s = scenario.simulation;
    std::vector<Accuracy> accuracies = accuracies_of(
        *system, scenario.output.accuracy.value_or(Accuracy{Accuracy::Kind::relative, s.edition->accuracy}),
        scenario.output.accuracies, problems);
    add_element_corrections(scenario, *system, coupling.corrections, problems);
    coupling.step_control = step_control_options(scenario, *system, problems);
    warn_of_extrapolated_samples(*system, coupling, problems);
    auto intervals_s = select_intervals(*system, recorded, scenario.output.intervals_s, problems);
    if (!problems.has_errors()) {
      built = on_a_clock(std::move(system), std::move(coupling),
                         {s.start_time_s.value, s.stop_time_s->value, scenario.output.interval_s, s.where},
                         std::move(recorded), problems);
      if (built) {
        built->recorded_bonds = std::move(recorded_bonds);
        built->recorded_inputs = std::move(recorded_inputs);
        built->by_rate = scenario.output.by_rate.value;
        built->units = scenario.output.units;
        built->formats = scenario.output.formats;
        built->intervals_s = std::move(intervals_s);
        built->envelope = scenario.output.envelope.value;
        if (scenario.output.least_change) built->least_change = scenario.output.least_change->value;
        if (built->by_rate && built->coupling.step_control)
          problems.note(scenario.output.by_rate.where,
                        "'by_rate' of [output] changes nothing here: with step control every subsystem has a "
                        "sample at every point.");
      }
      if (built) built->accuracies = std::move(accuracies);
    }
  }
  if (built) built->shapes = std::move(shapes);
  problems = sorted_by_line(problems);
  return built;
}

}  // namespace ergon
