#include "coupling/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "coupling/engine_impl.hpp"

namespace ergon {

std::optional<Failure> Engine::Impl::advance() {
  if (auto failure = start_steps()) return failure;

  Tick arrival = grid.end();
  for (std::size_t s = 0; s < stepping_stages; ++s) arrival = std::min(arrival, stages[s].next);
  for (std::size_t s = 0; s < stepping_stages; ++s) {
    Stage& stage = stages[s];
    if (stage.next != arrival) continue;
    if (stage.executes_at_end) {
      if (auto failure = execute(stage)) return failure;
      commit(stage);
      evaluate_elements_within_sweep(stage);
    } else if (!scheme->visible_at_once) {
      commit(stage);
    }
  }
  now = arrival;
  ++points;
  arrive_and_evaluate();
  for (std::size_t b = 0; b < monitors.size(); ++b) {
    if (monitors[b].is_due(stages, now)) monitors[b].learn(stages, grid, now, bond_records[b]);
  }
  return std::nullopt;
}

std::optional<Failure> Engine::Impl::start_steps() {
  for (std::size_t s = 0; s < stepping_stages; ++s) {
    Stage& stage = stages[s];
    if (stage.next != now) continue;
    stage.start = now;
    stage.next = std::min(now + stage.period, grid.end());
    clamped = clamped || stage.next - stage.start < stage.period;
    if (stage.executes_at_end) continue;
    if (auto failure = execute(stage)) return failure;
    if (scheme->visible_at_once) {
      commit(stage);
      evaluate_elements_within_sweep(stage);
    }
  }
  return std::nullopt;
}

void Engine::Impl::commit(Stage& stage) {
  stage.samples.commit(stage.next);
}

namespace {

/// One in so many steps is timed.
constexpr std::uint64_t timing_interval = 64;

/// Steps a range of members, and evaluates their outputs where that needs nothing but the inputs of the step.
struct StepJob {
  Stage& stage;
  double t;
  double h;
  double* outputs;  ///< null: outputs are evaluated afterwards
  std::atomic<std::size_t> failed;
  StepStatus status;

  void run(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Member& m = stage.members[i];
      const double* u = stage.coefficients.data() + m.first_input;
      const StepStatus result = m.subsystem->step(t, h, {u, stage.slots, stage.degree});
      if (!result.ok) {
        fail(i, result);
        return;
      }
      if (outputs != nullptr) m.subsystem->outputs(t + h, u, outputs + m.first_output);
    }
  }

  void run_timed() {
    using Clock = std::chrono::steady_clock;
    for (std::size_t i = 0; i < stage.members.size(); ++i) {
      const auto begin = Clock::now();
      run(i, i + 1);
      stage.members[i].measured_s += std::chrono::duration<double>(Clock::now() - begin).count();
      ++stage.members[i].timed_steps;
      if (failed < stage.members.size()) return;
    }
  }

  /// The first member in order that failed, whichever thread met it.
  void fail(std::size_t i, const StepStatus& result) {
    std::size_t known = failed.load();
    while (i < known && !failed.compare_exchange_weak(known, i)) {
    }
    if (failed.load() == i) status = result;
  }
};

}  // namespace

std::optional<Failure> Engine::Impl::execute(Stage& stage) {
  const double t = grid.time_s(stage.start);
  const double h = grid.duration_s(stage.next - stage.start);
  stage.degree = stage.exchange.build(rings, grid, stage.start, stage.degree_cap, stage.coefficients.data(),
                                      stage.slots);

  double* pending = stage.samples.pending();
  // Outputs can be evaluated together with the step where they take the inputs as they were at its start.
  const bool together = stage.degree_cap == 0 && !stage.evaluates_separately;
  StepJob job{stage, t, h, together ? pending : nullptr, {stage.members.size()}, {}};
  if (pool != nullptr && stage.members.size() > 1) {
    pool->run(
        stage.members.size(),
        [](void* context, std::size_t first, std::size_t last) {
          static_cast<StepJob*>(context)->run(first, last);
        },
        &job);
  } else if (stage.steps % timing_interval == 0) {
    job.run_timed();
  } else {
    job.run(0, stage.members.size());
  }
  ++stage.steps;
  if (job.failed < stage.members.size()) return failure_of(stage, job.failed, t, job.status.reason);
  if (!together) evaluate_outputs(stage, t + h, h);
  return find_non_finite(stage, pending, t + h);
}

void Engine::Impl::evaluate_outputs(Stage& stage, double t_end, double h) {
  if (stage.degree_cap > 0) {
    for (const Member& m : stage.members) {
      const double tau = m.samples_start ? 0.0 : h;
      const InputView u{stage.coefficients.data(), stage.slots, stage.degree};
      for (std::uint32_t i = m.first_input; i < m.first_input + m.input_count; ++i)
        stage.end_values[i] = u(i, tau);
    }
    const InputView terms{stage.coefficients.data(), stage.slots, stage.degree};
    for (std::size_t i = stage.input_count; i < stage.slots; ++i) stage.end_values[i] = terms(i, h);
  }
  const double* applied = stage.applied();
  if (stage.evaluates_separately) {
    std::copy_n(applied, stage.slots, stage.evaluated_with.begin());
    // x̂ = x + Hẋ + ½H²a,  ẋ̂ = ẋ + Ha,  a = backward difference of ẋ, from the values at the start of the step
    for (KinematicPrediction& p : stage.kinematic) {
      const double x = stage.coefficients[p.displacement];
      const double v = stage.coefficients[p.flow];
      const double a = stage.previous_step_s > 0.0 ? (v - p.previous_flow) / stage.previous_step_s : 0.0;
      stage.evaluated_with[p.displacement] = x + h * v + 0.5 * h * h * a;
      stage.evaluated_with[p.flow] = v + h * a;
      p.previous_flow = v;
    }
    stage.previous_step_s = h;
    if (!stage.prediction.empty()) {
      const int degree = stage.prediction.build(rings, grid, stage.start, stage.prediction.max_degree(),
                                                stage.prediction_coefficients.data(), stage.slots);
      const InputView predicted{stage.prediction_coefficients.data(), stage.slots, degree};
      for (const std::uint32_t slot : stage.predicted_slots) stage.evaluated_with[slot] = predicted(slot, h);
    }
  }
  const double* u = stage.output_inputs();
  double* pending = stage.samples.pending();
  for (const Member& m : stage.members)
    m.subsystem->outputs(t_end, u + m.first_input, pending + m.first_output);
}

void Engine::Impl::arrive_and_evaluate() {
  for (const Evaluation& evaluation : point_evaluations) {
    Stage& stage = stages[evaluation.stage];
    if (stage.algebraic) {
      if (is_due(stage)) evaluate_element_stage(stage, now);
    } else if (stage.samples.tick(0) == now) {
      refresh(evaluation);
    }
  }
}

bool Engine::Impl::is_due(const Stage& element_stage) const {
  const auto& related = element_stage.related_stages;
  const auto arrived = [&](Index s) { return stages[s].samples.tick(0) == now; };
  if (related.empty()) return false;
  return element_stage.evaluate == EvaluateAt::sources ? std::all_of(related.begin(), related.end(), arrived)
                                                       : std::any_of(related.begin(), related.end(), arrived);
}

void Engine::Impl::evaluate_element_stage(Stage& stage, Tick k) {
  stage.exchange.build(rings, grid, k, 0, stage.coefficients.data(), stage.slots);
  // A sample at the same tick replaces the one that is there.
  const bool replaces = stage.samples.count() > 0 && stage.samples.tick(0) == k;
  double* plane = replaces ? stage.samples.newest() : stage.samples.pending();
  const double t = grid.time_s(k);
  for (const Member& m : stage.members) {
    m.subsystem->outputs(t, stage.coefficients.data() + m.first_input, plane + m.first_output);
  }
  if (!replaces) stage.samples.commit(k);
  ++stage.steps;
}

void Engine::Impl::evaluate_elements_within_sweep(const Stage& changed) {
  if (stages.size() == stepping_stages) return;
  const Tick k = changed.next;
  for (std::size_t s = stepping_stages; s < stages.size(); ++s) {
    Stage& element = stages[s];
    if (element.samples.tick(0) > k) continue;
    const bool affected = std::any_of(element.related_stages.begin(), element.related_stages.end(),
                                      [&](Index source) { return stages[source].samples.tick(0) == k; });
    if (affected && element.evaluate == EvaluateAt::sources) evaluate_element_stage(element, k);
  }
}

void Engine::Impl::refresh(const Evaluation& evaluation) {
  Stage& stage = stages[evaluation.stage];
  stage.exchange.build(rings, grid, now, 0, stage.scratch.data(), stage.slots);
  for (const std::uint32_t slot : stage.refreshed_slots) stage.evaluated_with[slot] = stage.scratch[slot];
  const double t = grid.time_s(now);
  double* newest = stage.samples.newest();
  for (const std::uint32_t i : evaluation.members) {
    const Member& m = stage.members[i];
    m.subsystem->outputs(t, stage.evaluated_with.data() + m.first_input, newest + m.first_output);
  }
}

std::optional<Failure> Engine::Impl::find_non_finite(const Stage& stage, const double* plane,
                                                     double t) const {
  // y·0 is 0 for every finite y and NaN otherwise; four sums, because one would wait for itself.
  double sum[4] = {};
  const std::size_t n = stage.samples.width();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) sum[j] += plane[i + j] * 0.0;
  }
  for (; i < n; ++i) sum[0] += plane[i] * 0.0;
  if (sum[0] + sum[1] + sum[2] + sum[3] == 0.0) return std::nullopt;
  for (const Member& m : stage.members) {
    for (std::uint32_t o = 0; o < m.output_count; ++o) {
      if (std::isfinite(plane[m.first_output + o])) continue;
      const Node& node = system.nodes[m.node];
      const SignalName& signal = system.outputs[node.first_output + o];
      const Port& port = node.description.outputs[signal.port];
      return Failure{node.name, port.name, t,
                     fmt::format("output '{}' is {}", signal.text, plane[m.first_output + o])};
    }
  }
  return std::nullopt;
}

Failure Engine::Impl::failure_of(const Stage& stage, std::size_t member, double t,
                                 std::string_view reason) const {
  return {system.nodes[stage.members[member].node].name, "", t, std::string(reason)};
}

void Engine::Impl::energies(std::span<EnergyRecord> per_node) const {
  for (const Stage& stage : stages) {
    for (const Member& m : stage.members) {
      EnergyRecord& record = per_node[m.node];
      record = {};
      const double* u = stage.output_inputs() + m.first_input;
      if (stage.algebraic) {
        record.available = true;
        record.stored_J = static_cast<const Element*>(m.subsystem)->stored_J(u);
      } else if (const EnergyAccount* account = m.subsystem->energy_account()) {
        const EnergySample sample = account->energy(grid.time_s(now), u);
        record = {true, sample.stored_J, sample.dissipated_J};
      }
    }
  }
}

// ── Engine ──────────────────────────────────────────────────────────────────────────────────────────────────

Engine::Engine(CoupledSystem& system, TimeGrid grid, const CouplingOptions& options, ProblemList& problems)
    : impl_(std::make_unique<Impl>(system, grid, options, problems)) {}
Engine::~Engine() = default;

std::optional<Failure> Engine::initialize(ProblemList& problems) {
  return impl_->initialize(problems);
}
std::optional<Failure> Engine::advance() {
  return impl_->advance();
}
bool Engine::done() const {
  return impl_->now >= impl_->grid.end();
}
const StepRecord& Engine::record() const {
  return *impl_;
}
const TimeGrid& Engine::grid() const {
  return impl_->grid;
}
const CoupledSystem& Engine::system() const {
  return impl_->system;
}
Tick Engine::period(Index node) const {
  return impl_->periods[node];
}
bool Engine::last_step_clamped() const {
  return impl_->clamped;
}
FeedthroughMode Engine::feedthrough_mode(Index input) const {
  return impl_->input_mode[input];
}

NodeCost Engine::cost(Index node) const {
  for (const Stage& stage : impl_->stages) {
    for (const Member& m : stage.members) {
      if (m.node != node) continue;
      return {stage.steps, m.timed_steps > 0 ? m.measured_s / static_cast<double>(m.timed_steps) : 0.0};
    }
  }
  return {};
}

}  // namespace ergon
