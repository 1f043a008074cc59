#include "ergon/coupling/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "ergon/coupling/engine_impl.hpp"

namespace ergon {

std::optional<Failure> Engine::Impl::advance_point() {
  if (implicit != nullptr) return advance_implicit();
  if (auto failure = start_steps()) return failure;

  Tick arrival = grid.end();
  for (std::size_t s = 0; s < stepping_stages; ++s) arrival = std::min(arrival, stages[s].next);
  const Tick last_good = now;
  if (auto failure = arrive(arrival)) {
    now = last_good;
    return failure;
  }
  learn();
  return std::nullopt;
}

std::optional<Failure> Engine::Impl::start_steps() {
  for (std::size_t s = 0; s < stepping_stages; ++s) {
    Stage& stage = stages[s];
    if (stage.next != now) continue;
    stage.start = now;
    stage.next = std::min(now + stage.period, grid.end());
    clamped = clamped || stage.next - stage.start < stage.period;
    if (stage.executes_at_end) {
      // The samples of this point are final only now, after refresh.
      stage.exchange.build(rings, grid, now, 0, stage.own_points.newest(), stage.slots);
      continue;
    }
    if (scheme->visible_at_once) {
      if (auto failure = evaluate_laws_feeding(stage, now)) return failure;
    }
    if (auto failure = execute(stage)) return failure;
    if (scheme->visible_at_once) {
      if (auto failure = commit_within_sweep(stage)) return failure;
    }
  }
  return std::nullopt;
}

std::optional<Failure> Engine::Impl::arrive(Tick arrival) {
  for (std::size_t s = 0; s < stepping_stages; ++s) {
    Stage& stage = stages[s];
    if (stage.next != arrival) continue;
    if (stage.executes_at_end) {
      if (auto failure = evaluate_laws_feeding(stage, arrival)) return failure;
      if (auto failure = execute(stage)) return failure;
      if (auto failure = commit_within_sweep(stage)) return failure;
    } else if (!scheme->visible_at_once) {
      stage.samples.commit(stage.next);
    }
  }
  now = arrival;
  return evaluate_point();
}

namespace {

/// One in so many steps is timed.
constexpr std::uint64_t timing_interval = 64;

/// Steps a range of members, and evaluates their outputs where that needs nothing but the inputs of the step.
struct StepJob {
  Stage& stage;
  double t;
  double h;
  double t_end;
  double* outputs;  ///< null: outputs are evaluated afterwards
  std::atomic<std::size_t> failed;

  void run(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Member& m = stage.members[i];
      const double* u = stage.coefficients.data() + m.first_input;
      const StepStatus result = m.subsystem->step(t, h, {u, stage.slots, stage.degree});
      if (!result.ok) {
        stage.books[i].failure = result;
        // The first member in order that failed, whichever thread met it.
        std::size_t known = failed.load();
        while (i < known && !failed.compare_exchange_weak(known, i)) {
        }
        return;
      }
      if (outputs != nullptr) m.subsystem->outputs(t_end, u, outputs + m.first_output);
    }
  }

  void run_timed() {
    using Clock = std::chrono::steady_clock;
    for (std::size_t i = 0; i < stage.members.size(); ++i) {
      const auto begin = Clock::now();
      run(i, i + 1);
      stage.books[i].measured_s += std::chrono::duration<double>(Clock::now() - begin).count();
      ++stage.books[i].timed_steps;
      if (failed < stage.members.size()) return;
    }
  }
};

}  // namespace

std::optional<Failure> Engine::Impl::execute(Stage& stage) {
  const double t = grid.time_s(stage.start);
  const double h = grid.duration_s(stage.next - stage.start);
  const double t_end = grid.time_s(stage.next);
  build_inputs(stage);

  double* pending = stage.samples.pending();
  // Outputs can be evaluated together with the step where they take the inputs as they were at its start.
  const bool together = stage.degree_cap == 0 && !stage.evaluates_separately;
  StepJob job{stage, t, h, t_end, together ? pending : nullptr, {stage.members.size()}};
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
  if (job.failed < stage.members.size()) {
    return failure_of(stage, job.failed, t, stage.books[job.failed].failure.reason);
  }
  if (!together) evaluate_outputs(stage, t_end, h);
  return find_non_finite(stage, pending, t_end);
}

void Engine::Impl::build_inputs(Stage& stage) {
  if (!stage.executes_at_end) {
    stage.degree = stage.exchange.build(rings, grid, stage.start, stage.degree_cap, stage.coefficients.data(),
                                        stage.slots);
  } else {
    stage.exchange.build(rings, grid, stage.next, 0, stage.own_points.pending(), stage.slots);
    stage.own_points.commit(stage.next);
    stage.degree = stage.own_exchange.build(stage.own_rings, grid, stage.start, stage.degree_cap,
                                            stage.coefficients.data(), stage.slots);
  }
  for (const Stage::Correction& c : stage.corrections) {
    // Not even a zero is added: −0 + 0 is not −0.
    if (*c.value != 0.0) stage.coefficients[c.slot] += *c.value;
  }
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
    predict_kinematics(stage);
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

/// x̂ = x + Hẋ + ½H²a,  ẋ̂ = ẋ + Ha,  a = backward difference of ẋ (0 before there are two samples),
/// H from the newest sample to the end of the step.
void Engine::Impl::predict_kinematics(Stage& stage) {
  for (KinematicPrediction& p : stage.kinematic) {
    const SampleRing& ring = *rings[p.source_stage];
    const double x = p.displacement_gain * ring.sample(0)[p.displacement_source] + p.displacement_offset;
    const double v = p.flow_gain * ring.sample(0)[p.flow_source];
    if (p.samples == 0 || ring.tick(0) != p.tick) {
      p.previous_tick = p.tick;
      p.previous_flow = p.flow;
      p.tick = ring.tick(0);
      p.samples = std::min(p.samples + 1, 2);
    }
    p.flow = v;
    const double a = p.samples < 2 ? 0.0 : (v - p.previous_flow) / grid.duration_s(p.tick - p.previous_tick);
    const double H = grid.duration_s(stage.next - p.tick);
    stage.evaluated_with[p.displacement_slot] =
        x + H * (v * p.flow_to_rate) + 0.5 * H * H * (a * p.flow_to_rate);
    stage.evaluated_with[p.flow_slot] = v + H * a;
  }
}

std::optional<Failure> Engine::Impl::evaluate_point() {
  for (const Evaluation& evaluation : point_evaluations) {
    Stage& stage = stages[evaluation.stage];
    if (stage.algebraic) {
      if (!is_due(stage)) continue;
      if (auto failure = evaluate_element_stage(stage, now)) return failure;
    } else if (stage.samples.tick(0) == now) {
      if (auto failure = refresh(evaluation)) return failure;
    }
  }
  return std::nullopt;
}

bool Engine::Impl::is_due(const Stage& element_stage) const {
  const auto& related = element_stage.related_stages;
  const auto arrived = [&](Index s) { return stages[s].samples.tick(0) == now; };
  if (related.empty()) return false;
  return element_stage.evaluate == EvaluateAt::sources ? std::all_of(related.begin(), related.end(), arrived)
                                                       : std::any_of(related.begin(), related.end(), arrived);
}

/// Whether `k` is, or will be, a communication point of the stage.
bool Engine::Impl::has_point(const Stage& stage, Tick k) const {
  if (!stage.algebraic) return (k - anchor) % stage.period == 0 || k == grid.end();
  const auto there = [&](Index s) { return has_point(stages[s], k); };
  const auto& related = stage.related_stages;
  return stage.evaluate == EvaluateAt::sources ? std::all_of(related.begin(), related.end(), there)
                                               : std::any_of(related.begin(), related.end(), there);
}

std::optional<Failure> Engine::Impl::evaluate_element_stage(Stage& stage, Tick k) {
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
  return find_non_finite(stage, plane, t);
}

/// Gauss–Seidel: the new output is visible at once, and so is what the laws make of it where the end of the step is one
/// of their points; sources that have not come so far are extrapolated.
std::optional<Failure> Engine::Impl::commit_within_sweep(Stage& stage) {
  const Tick k = stage.next;
  stage.samples.commit(k);
  for (const Index s : stage.read_by_laws) {
    Stage& law = stages[s];
    if (law.samples.tick(0) > k || !has_point(law, k)) continue;
    if (auto failure = evaluate_element_stage(law, k)) return failure;
  }
  return std::nullopt;
}

/// Gauss–Seidel: laws that are sampled at a receiver's points see what has become visible since the point.
std::optional<Failure> Engine::Impl::evaluate_laws_feeding(const Stage& reader, Tick k) {
  for (const Index s : reader.fed_by_laws) {
    if (auto failure = evaluate_element_stage(stages[s], k)) return failure;
  }
  return std::nullopt;
}

std::optional<Failure> Engine::Impl::refresh(const Evaluation& evaluation) {
  Stage& stage = stages[evaluation.stage];
  stage.exchange.build(rings, grid, now, 0, stage.scratch.data(), stage.slots);
  for (const std::uint32_t slot : stage.refreshed_slots) stage.evaluated_with[slot] = stage.scratch[slot];
  const double t = grid.time_s(now);
  double* newest = stage.samples.newest();
  for (const std::uint32_t i : evaluation.members) {
    const Member& m = stage.members[i];
    m.subsystem->outputs(t, stage.evaluated_with.data() + m.first_input, newest + m.first_output);
  }
  return find_non_finite(stage, newest, t);
}

std::optional<Failure> Engine::Impl::find_non_finite(const Stage& stage, const double* plane,
                                                     double t) const {
  // A sum is finite only if its terms are (if it overflows for another reason, the search below finds nothing); four
  // sums, because one would wait for itself.
  double sum[4] = {};
  const std::size_t n = stage.samples.width();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) sum[j] += plane[i + j];
  }
  for (; i < n; ++i) sum[0] += plane[i];
  if (std::isfinite(sum[0] + sum[1] + sum[2] + sum[3])) return std::nullopt;
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
    std::copy_n(stage.applied(), stage.slots, plain_inputs.begin());  // unconnected inputs keep their value
    stage.exchange.copy_samples(rings, grid, now, plain_inputs.data());
    for (const Member& m : stage.members) {
      EnergyRecord& record = per_node[m.node];
      record = {};
      record.at_point = stage.algebraic || stage.next == now;
      const double* u = stage.output_inputs() + m.first_input;
      const double* plain = plain_inputs.data() + m.first_input;
      if (m.law != nullptr) {
        record.available = true;
        record.stored_J = m.law->stored_J(u);
        record.synchronised_J = m.law->stored_J(plain);
      } else if (const EnergyAccount* account = m.subsystem->energy_account()) {
        const double t = grid.time_s(now);
        const EnergySample sample = account->energy(t, u);
        record.available = true;
        record.stored_J = sample.stored_J;
        record.dissipated_J = sample.dissipated_J;
        record.synchronised_J = account->synchronised_J(t, plain);
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
bool Engine::can_rewind() const {
  return impl_->can_rewind();
}
void Engine::save(Snapshot& snapshot) const {
  impl_->save(snapshot);
}
void Engine::restore(const Snapshot& snapshot) {
  impl_->restore(snapshot);
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
std::vector<double> Engine::interface_jacobian(Tick length) {
  return impl_->interface_jacobian(length);
}
std::vector<bool> Engine::corrected_bonds() const {
  std::vector<bool> corrected(impl_->system.bonds.size(), false);
  for (const CorrectedReceiver& receiver : impl_->receivers) {
    for (const Index b : receiver.bonds()) corrected[b] = true;
  }
  return corrected;
}

NodeCost Engine::cost(Index node) const {
  for (const Stage& stage : impl_->stages) {
    for (std::size_t i = 0; i < stage.members.size(); ++i) {
      if (stage.members[i].node != node) continue;
      const MemberBooks& books = stage.books[i];
      const auto timed = static_cast<double>(books.timed_steps);
      return {stage.steps, timed > 0.0 ? books.measured_s / timed : 0.0};
    }
  }
  return {};
}

}  // namespace ergon
