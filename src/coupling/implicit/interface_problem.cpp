#include "coupling/implicit/interface_problem.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "signal/extrapolation.hpp"

namespace ergon {
namespace {

/// Of finite differences, relative to the size of the variable: uncritical between 1e-10 and 1e-2.
constexpr double relative_increment = 1e-6;
/// Below this a variable counts as zero.
constexpr double size_of_nothing = 1e-12;

}  // namespace

InterfaceProblem::InterfaceProblem(const CoupledSystem& system, std::vector<Stage>& stages,
                                   std::vector<SampleRing*> rings, std::vector<FeedthroughLevel> levels,
                                   int degree, ThreadPool* pool)
    : system_(system),
      stages_(stages),
      rings_(std::move(rings)),
      levels_(std::move(levels)),
      degree_(degree),
      pool_(pool),
      structure_(interface_structure(system, stages)) {
  std::size_t most_inputs = 0;
  for (const Stage& stage : stages_) {
    y_.emplace_back(2, stage.samples.width());
    accepted_.emplace_back(stage.samples.width(), 0.0);
    predicted_.emplace_back(stage.samples.width(), 0.0);
    most_inputs = std::max(most_inputs, stage.slots);
  }
  changed_y_ = y_;
  for (SampleRing& ring : y_) y_rings_.push_back(&ring);
  for (SampleRing& ring : changed_y_) changed_y_rings_.push_back(&ring);
  inputs_.resize(most_inputs);
  changed_inputs_.resize(most_inputs);

  const Stage& stage = stages_.front();
  changed_coefficients_.resize(stage.coefficients.size());
  std::size_t most_states = 0;
  std::size_t most_outputs = 0;
  for (std::uint32_t m = 0; m < stage.members.size(); ++m) {
    const Subsystem& subsystem = *stage.members[m].subsystem;
    all_members_.push_back(m);
    const DirectionalDerivatives* derivatives = subsystem.directional_derivatives();
    const std::size_t states = derivatives != nullptr ? derivatives->state_count() : 0;
    state_changes_.emplace_back(states, 0.0);
    most_states = std::max(most_states, states);
    most_outputs = std::max<std::size_t>(most_outputs, stage.members[m].output_count);
  }
  sensitivity_ = StateSensitivity(most_states, most_inputs, most_outputs);
  rate_change_.resize(most_states);
  no_change_.assign(std::max(most_states, most_inputs), 0.0);
  output_change_.resize(most_outputs);
  feeds_through_.assign(stage.members.size(), false);
  for (const FeedthroughLevel& level : levels_) {
    for (const std::uint32_t m : level.members) {
      if (level.stage == 0) feeds_through_[m] = true;
    }
  }
  start_states_.resize(stage.members.size());
  end_states_.resize(stage.members.size());

  for (const auto& group : structure_.groups) {
    auto& readers = group_readers_.emplace_back();
    for (const std::uint32_t i : group) {
      const auto& of_column = structure_.unknowns[i].readers;
      readers.insert(readers.end(), of_column.begin(), of_column.end());
    }
  }
  const auto n = static_cast<Eigen::Index>(size());
  u_.setZero(n);
  g_.setZero(n);
  y_reference_.setZero(n);
  scale_.setConstant(n, size_of_nothing);
}

void InterfaceProblem::restart() {
  scale_.setConstant(size_of_nothing);
  integrations_ = 0;
  for (std::size_t s = 0; s < accepted_.size(); ++s) {
    std::copy_n(rings_[s]->sample(0), accepted_[s].size(), accepted_[s].begin());
  }
}

void InterfaceProblem::save(std::vector<std::vector<double>>& states) const {
  for (std::size_t m = 0; m < states.size(); ++m) {
    const Rewindable& rewindable = *stages_.front().members[m].subsystem->rewindable();
    states[m].resize(rewindable.state_size());
    rewindable.save(states[m].data());
  }
}

void InterfaceProblem::restore(std::uint32_t member, const std::vector<std::vector<double>>& states) {
  stages_.front().members[member].subsystem->rewindable()->restore(states[member].data());
}

const Eigen::VectorXd& InterfaceProblem::predict(const TimeGrid& grid, Tick start, Tick end) {
  start_ = start;
  end_ = end;
  start_s_ = grid.time_s(start);
  length_s_ = grid.duration_s(end - start);
  save(start_states_);
  for (std::size_t s = 0; s < rings_.size(); ++s) {
    SampleRing& ring = *rings_[s];
    for (auto* evaluations : {&y_[s], &changed_y_[s]}) {
      std::copy_n(ring.sample(0), ring.width(), evaluations->restart(start));
      evaluations->commit(end);
    }
    const std::size_t samples = std::min(static_cast<std::size_t>(degree_) + 1, ring.count());
    std::array<double, max_extrapolation_samples> times{};
    // τ = 0 is the end of the step: the constant term is the value there.
    for (std::size_t j = 0; j < samples; ++j) times[j] = grid.duration_s(ring.tick(j) - end);
    const auto weight = polynomial_weights({times.data(), samples}).weight[0];
    double* predicted = ring.pending();
    for (std::size_t v = 0; v < ring.width(); ++v) {
      predicted[v] = 0.0;
      for (std::size_t j = 0; j < samples; ++j) predicted[v] += weight[j] * ring.sample(j)[v];
    }
    ring.commit(end);
  }
  for (std::size_t i = 0; i < size(); ++i) u_[static_cast<Eigen::Index>(i)] = trial(structure_.unknowns[i]);
  return u_;
}

void InterfaceProblem::set_trial(const Eigen::VectorXd& u) {
  for (std::size_t i = 0; i < size(); ++i) trial(structure_.unknowns[i]) = u[static_cast<Eigen::Index>(i)];
}

double InterfaceProblem::increment(std::size_t unknown) const {
  const double size = scale_[static_cast<Eigen::Index>(unknown)];
  return relative_increment * (size > size_of_nothing ? size : 1.0);
}

void InterfaceProblem::build_inputs(const TimeGrid& grid) {
  Stage& stage = stages_.front();
  stage.degree =
      stage.exchange.build(rings_, grid, start_, stage.degree_cap, stage.coefficients.data(), stage.slots);
}

/// From the start of the step; each member is its own, so that threads can share them.
std::optional<MemberFailure> InterfaceProblem::step_members(const std::vector<std::uint32_t>& members) {
  struct Job {
    InterfaceProblem& problem;
    const std::vector<std::uint32_t>& members;
    std::atomic<std::size_t> failed;
    void run(std::size_t first, std::size_t last) {
      Stage& stage = problem.stages_.front();
      for (std::size_t i = first; i < last; ++i) {
        const Member& m = stage.members[members[i]];
        problem.restore(members[i], problem.start_states_);
        const InputView u{stage.coefficients.data() + m.first_input, stage.slots, stage.degree};
        const StepStatus status = m.subsystem->step(problem.start_s_, problem.length_s_, u);
        if (status.ok) continue;
        stage.books[members[i]].failure = status;
        // The first in order that failed, whichever thread met it.
        std::size_t known = failed.load();
        while (i < known && !failed.compare_exchange_weak(known, i)) {
        }
        return;
      }
    }
  };
  Job job{*this, members, {members.size()}};
  integrations_ += members.size();
  if (pool_ != nullptr && members.size() > 1) {
    pool_->run(
        members.size(),
        [](void* context, std::size_t first, std::size_t last) {
          static_cast<Job*>(context)->run(first, last);
        },
        &job);
  } else {
    job.run(0, members.size());
  }
  if (job.failed == members.size()) return std::nullopt;
  const std::uint32_t member = members[job.failed];
  return MemberFailure{member, stages_.front().books[member].failure.reason};
}

/// Y: first what depends on states alone, then laws and feed-through, each from what the outputs already are.
void InterfaceProblem::evaluate_outputs(const TimeGrid& grid) {
  Stage& stage = stages_.front();
  const double t = grid.time_s(end_);
  std::copy_n(stage.coefficients.begin(), stage.slots, inputs_.begin());
  stage.exchange.copy_samples(rings_, grid, end_, inputs_.data());
  for (Index s = 0; s < stages_.size(); ++s) {
    std::copy_n(rings_[s]->sample(0), y_[s].width(), y_[s].newest());
  }
  for (const Member& m : stage.members) {
    m.subsystem->outputs(t, inputs_.data() + m.first_input, y_.front().newest() + m.first_output);
  }
  for (const FeedthroughLevel& level : levels_) {
    Stage& at = stages_[level.stage];
    std::copy_n(at.coefficients.begin(), at.slots, inputs_.begin());
    at.exchange.copy_samples(y_rings_, grid, end_, inputs_.data());
    for (const std::uint32_t i : level.members) {
      const Member& m = at.members[i];
      m.subsystem->outputs(t, inputs_.data() + m.first_input, y_[level.stage].newest() + m.first_output);
      std::copy_n(inputs_.begin() + m.first_input, m.input_count, at.evaluated_with.begin() + m.first_input);
    }
  }
  for (std::size_t i = 0; i < size(); ++i) {
    const InterfaceUnknown& unknown = structure_.unknowns[i];
    g_[static_cast<Eigen::Index>(i)] = trial(unknown) - evaluated(unknown);
  }
}

std::optional<MemberFailure> InterfaceProblem::integrate(const TimeGrid& grid, const Eigen::VectorXd& u) {
  set_trial(u);
  u_ = u;
  build_inputs(grid);
  if (auto failure = step_members(all_members_)) return failure;
  evaluate_outputs(grid);
  // Components of a vector are of one size: one of them may well be zero for a while.
  for (Eigen::Index first = 0; first < u_.size();) {
    const SignalName& port = system_.outputs[structure_.unknowns[static_cast<std::size_t>(first)].output];
    Eigen::Index last = first;
    double largest = 0.0;
    for (; last < u_.size(); ++last) {
      const SignalName& other = system_.outputs[structure_.unknowns[static_cast<std::size_t>(last)].output];
      if (other.node != port.node || other.port != port.port) break;
      largest = std::max({largest, scale_[last], std::abs(u_[last]), std::abs(u_[last] - g_[last])});
    }
    for (; first < last; ++first) scale_[first] = largest;
  }
  return std::nullopt;
}

void InterfaceProblem::keep_prediction() {
  for (Index s = 0; s < stages_.size(); ++s) {
    std::copy_n(y_[s].sample(0), predicted_[s].size(), predicted_[s].begin());
  }
}

std::optional<MemberFailure> InterfaceProblem::difference(const TimeGrid& grid, Eigen::MatrixXd& jacobian) {
  const auto n = static_cast<Eigen::Index>(size());
  jacobian.setIdentity(n, n);
  const Eigen::VectorXd& g = g_;
  y_reference_ = u_ - g;
  save(end_states_);
  for (std::size_t group = 0; group < structure_.groups.size(); ++group) {
    for (const std::uint32_t i : structure_.groups[group]) trial(structure_.unknowns[i]) += increment(i);
    build_inputs(grid);
    if (auto failure = step_members(group_readers_[group])) return failure;
    evaluate_outputs(grid);
    for (const std::uint32_t i : structure_.groups[group]) {
      const InterfaceUnknown& unknown = structure_.unknowns[i];
      const double step = trial(unknown) - u_[i];
      for (const std::uint32_t r : unknown.rows) {
        jacobian(r, i) -= (evaluated(structure_.unknowns[r]) - y_reference_[r]) / step;
      }
      trial(unknown) = u_[i];
    }
    for (const std::uint32_t m : group_readers_[group]) restore(m, end_states_);
  }
  build_inputs(grid);
  evaluate_outputs(grid);
  return std::nullopt;
}

void InterfaceProblem::accept(bool evaluated) {
  Stage& stage = stages_.front();
  for (Index s = 0; s < stages_.size(); ++s) {
    std::copy_n(y_[s].sample(0), y_[s].width(), rings_[s]->newest());
    std::copy_n(y_[s].sample(0), y_[s].width(), accepted_[s].begin());
  }
  if (!evaluated) set_trial(u_);
  const InputView view{stage.coefficients.data(), stage.slots, stage.degree};
  for (std::size_t i = 0; i < stage.members.size(); ++i) {
    const Member& m = stage.members[i];
    const double tau = m.samples_start ? 0.0 : length_s_;
    for (std::uint32_t slot = m.first_input; slot < m.first_input + m.input_count; ++slot) {
      stage.end_values[slot] = view(slot, tau);
      if (!feeds_through_[i]) stage.evaluated_with[slot] = stage.end_values[slot];
    }
  }
  for (std::size_t i = stage.input_count; i < stage.slots; ++i) stage.end_values[i] = view(i, length_s_);
  // Laws were evaluated at the end of the step: monitors and accounts look there.
  for (Stage& law : stages_) {
    if (law.algebraic) std::copy_n(law.evaluated_with.begin(), law.input_count, law.coefficients.begin());
  }
}

}  // namespace ergon
