#include "coupling/implicit/interface_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "signal/extrapolation.hpp"

namespace ergon {
namespace {

/// Of finite differences, relative to the size of the variable: uncritical between 1e-10 and 1e-2 [schweizer2014].
constexpr double relative_increment = 1e-6;
/// A variable that has been zero so far is assumed to be of this size.
constexpr double size_of_nothing = 1e-6;

}  // namespace

InterfaceProblem::InterfaceProblem(const CoupledSystem& system, std::vector<Stage>& stages,
                                   std::vector<SampleRing*> rings, std::vector<Level> levels, int degree)
    : stages_(stages), rings_(std::move(rings)), levels_(std::move(levels)), degree_(degree) {
  std::vector<std::uint32_t> member_of_node(system.nodes.size(), 0);
  for (std::uint32_t m = 0; m < stages_.front().members.size(); ++m) {
    member_of_node[stages_.front().members[m].node] = m;
  }
  struct Address {
    Index stage;
    std::uint32_t offset;
  };
  std::vector<Address> address(system.outputs.size());
  for (Index s = 0; s < stages_.size(); ++s) {
    for (const Member& m : stages_[s].members) {
      for (std::uint32_t o = 0; o < m.output_count; ++o) {
        address[system.nodes[m.node].first_output + o] = {s, m.first_output + o};
      }
    }
    y_.emplace_back(1, stages_[s].samples.width());
    inputs_.resize(std::max(inputs_.size(), stages_[s].slots));
  }
  for (SampleRing& ring : y_) y_rings_.push_back(&ring);
  std::vector<std::vector<std::uint32_t>> readers(system.outputs.size());
  for (const auto& link : system.links) {
    if (!link || system.nodes[system.inputs[link->input].node].description.algebraic) continue;
    const std::uint32_t member = member_of_node[system.inputs[link->input].node];
    for (const LinkTerm& term : link->terms) {
      auto& list = readers[term.output];
      if (std::find(list.begin(), list.end(), member) == list.end()) list.push_back(member);
    }
  }
  for (Index o = 0; o < system.outputs.size(); ++o) {
    if (!readers[o].empty())
      unknowns_.push_back({address[o].stage, address[o].offset, std::move(readers[o])});
  }
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  u_.setZero(n);
  g_.setZero(n);
  g_reference_.setZero(n);
  scale_.setConstant(n, size_of_nothing);
  start_states_.resize(stages_.front().members.size());
  end_states_.resize(start_states_.size());
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
  save(start_states_);
  for (SampleRing* ring : rings_) {
    const std::size_t samples = std::min(static_cast<std::size_t>(degree_) + 1, ring->count());
    std::array<double, max_extrapolation_samples> times{};
    // τ = 0 is the end of the step: the constant term is the value there.
    for (std::size_t j = 0; j < samples; ++j) times[j] = grid.duration_s(ring->tick(j) - end);
    const auto weight = polynomial_weights({times.data(), samples}).weight[0];
    double* trial = ring->pending();
    for (std::size_t v = 0; v < ring->width(); ++v) {
      trial[v] = 0.0;
      for (std::size_t j = 0; j < samples; ++j) trial[v] += weight[j] * ring->sample(j)[v];
    }
    ring->commit(end);
  }
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const double value = rings_[unknowns_[i].stage]->newest()[unknowns_[i].offset];
    u_[static_cast<Eigen::Index>(i)] = value;
  }
  return u_;
}

void InterfaceProblem::set_trial(const Eigen::VectorXd& u) {
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    rings_[unknowns_[i].stage]->newest()[unknowns_[i].offset] = u[static_cast<Eigen::Index>(i)];
  }
}

void InterfaceProblem::build_inputs(const TimeGrid& grid) {
  Stage& stage = stages_.front();
  stage.degree =
      stage.exchange.build(rings_, grid, start_, stage.degree_cap, stage.coefficients.data(), stage.slots);
}

std::optional<InterfaceProblem::StepFailure> InterfaceProblem::step_member(std::uint32_t member) {
  Stage& stage = stages_.front();
  const Member& m = stage.members[member];
  const InputView u{stage.coefficients.data() + m.first_input, stage.slots, stage.degree};
  ++integrations_;
  const StepStatus status = m.subsystem->step(start_s_, end_s_ - start_s_, u);
  if (status.ok) return std::nullopt;
  return StepFailure{member, status.reason};
}

/// Y: first what depends on states alone, then laws and feed-through, each from what the outputs already are.
void InterfaceProblem::evaluate_outputs(const TimeGrid& grid) {
  Stage& stage = stages_.front();
  const double t = grid.time_s(end_);
  std::copy_n(stage.coefficients.begin(), stage.slots, inputs_.begin());
  stage.exchange.copy_samples(rings_, grid, end_, inputs_.data());
  for (Index s = 0; s < stages_.size(); ++s) {
    const SampleRing& trial = *rings_[s];
    std::copy_n(trial.sample(0), trial.width(), y_[s].restart(end_));
  }
  double* plane = y_.front().newest();
  for (const Member& m : stage.members) {
    m.subsystem->outputs(t, inputs_.data() + m.first_input, plane + m.first_output);
  }
  for (const Level& level : levels_) {
    Stage& at = stages_[level.stage];
    std::copy_n(at.coefficients.begin(), at.slots, inputs_.begin());
    at.exchange.copy_samples(y_rings_, grid, end_, inputs_.data());
    for (const std::uint32_t i : level.members) {
      const Member& m = at.members[i];
      m.subsystem->outputs(t, inputs_.data() + m.first_input, y_[level.stage].newest() + m.first_output);
      if (&at == &stage) {
        std::copy_n(inputs_.begin() + m.first_input, m.input_count,
                    at.evaluated_with.begin() + m.first_input);
      }
    }
  }
  for (std::size_t i = 0; i < unknowns_.size(); ++i) {
    const Unknown& unknown = unknowns_[i];
    g_[static_cast<Eigen::Index>(i)] =
        rings_[unknown.stage]->sample(0)[unknown.offset] - y_[unknown.stage].sample(0)[unknown.offset];
  }
}

std::optional<InterfaceProblem::StepFailure> InterfaceProblem::integrate(const TimeGrid& grid,
                                                                         const Eigen::VectorXd& u) {
  start_s_ = grid.time_s(start_);
  end_s_ = start_s_ + grid.duration_s(end_ - start_);
  set_trial(u);
  u_ = u;
  build_inputs(grid);
  for (std::uint32_t m = 0; m < stages_.front().members.size(); ++m) {
    restore(m, start_states_);
    if (auto failure = step_member(m)) return failure;
  }
  evaluate_outputs(grid);
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    scale_[i] = std::max({scale_[i], std::abs(u_[i]), std::abs(u_[i] - g_[i])});
  }
  return std::nullopt;
}

std::optional<InterfaceProblem::StepFailure> InterfaceProblem::difference(const TimeGrid& grid,
                                                                          Eigen::MatrixXd& jacobian) {
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  jacobian.resize(n, n);
  g_reference_ = g_;
  save(end_states_);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Unknown& unknown = unknowns_[static_cast<std::size_t>(i)];
    double& trial = rings_[unknown.stage]->newest()[unknown.offset];
    const double value = trial;
    trial = value + relative_increment * scale_[i];
    const double increment = trial - value;
    build_inputs(grid);
    for (const std::uint32_t m : unknown.readers) {
      restore(m, start_states_);
      if (auto failure = step_member(m)) return failure;
    }
    evaluate_outputs(grid);
    jacobian.col(i) = (g_ - g_reference_) / increment;
    trial = value;
    for (const std::uint32_t m : unknown.readers) restore(m, end_states_);
  }
  g_ = g_reference_;
  return std::nullopt;
}

void InterfaceProblem::accept(bool evaluated) {
  Stage& stage = stages_.front();
  for (Index s = 0; s < stages_.size(); ++s) {
    std::copy_n(y_[s].sample(0), y_[s].width(), rings_[s]->newest());
  }
  if (!evaluated) set_trial(u_);
  const InputView view{stage.coefficients.data(), stage.slots, stage.degree};
  for (std::size_t i = 0; i < stage.slots; ++i) stage.end_values[i] = view(i, end_s_ - start_s_);
}

}  // namespace ergon
