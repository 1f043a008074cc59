#include "ergon/coupling/predictors/interface_model.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/coupling/predictors/led_drives.hpp"
#include "ergon/coupling/state/failures.hpp"

namespace ergon {
namespace {

/// Of the residual, relative to the sum of the sizes of its parts: what rounding leaves, and what is still a solution.
constexpr double converged = 1e-12;
constexpr double acceptable = 1e-8;
constexpr int most_iterations = 25;
/// Of a flow, relative to its size (1 where it is less), where an effort can only be probed.
constexpr double probing_step = 1e-6;

/// The flows between two samples of the slow side, integrated at the rate of the fast side     [peiret2019, (5)–(7)]
///   at t_k, before the slow side steps:   w, s as sampled,   M̃ and λ̃ as it tells them
///   over each step h of the fast side:    it steps with w and s as they are; then
///     M̃ (w⁺ − w)/h = λ̃ + λ(w⁺, s⁺),   s⁺ = s + h w⁺                  by Newton's method, λ its effort with the new state
///   and its outputs are evaluated with w⁺ and s⁺
/// Whoever else of the fast side looks at w, s or ẇ by a plain connection sees the same; ẇ = M̃⁻¹(λ̃ + λ) where a step starts.
/// λ̃ includes efforts that come from elsewhere to the same inputs, as they are at t_k. (docs/theory/predictors.md)
/// At led components it is the other way round: the fast side gives w, and over its step feels the λ that w⁺ takes (LedDrives).
class InterfaceModel final : public InputPredictor {
 public:
  InterfaceModel(InterfacePlan interface, const PredictorRequest& request)
      : InputPredictor(interface.stage),
        interface_(std::move(interface)),
        plan_(request.plan),
        state_(request.state),
        slows_(interface_.slows.size()),
        y_(plan_.stage(stage()).output_count),
        drives_(interface_, y_.size()) {
    const auto n = static_cast<Eigen::Index>(interface_.components.size());
    for (Eigen::VectorXd* vector :
         {&w_, &s_, &acceleration_, &force_, &w_new_, &residual_, &effort_, &size_, &change_})
      vector->setZero(n);
    mass_.setZero(n, n);
    jacobian_.setZero(n, n);
    solver_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
    for (std::size_t i = 0; i < slows_.size(); ++i) {
      const InterfacePlan::Slow& slow = interface_.slows[i];
      slows_[i].inputs.resize(plan_.stage(slow.stage).slots);
      slows_[i].mass.resize(slow.count * slow.count);
      slows_[i].force.resize(slow.count);
    }
    inertia_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
    StageState& receiving = state_.stage(stage());
    receiving.evaluate_separately();
    const auto take = [&](InterfacePlan::Receiver& r) {
      r.moving =
          receiving.reserve_moving(r.slot, interface_.slows[interface_.components[r.component].slow].stage);
      request.producer[r.input] = interface_model_predictor;
      request.predicted_at_end[r.input] = true;
    };
    for (InterfacePlan::Receiver& r : interface_.onlookers) {
      take(r);
      tells_acceleration_ = tells_acceleration_ || r.is_acceleration;
    }
    for (InterfacePlan::Lead& lead : interface_.leads) take(lead.effort);
    for (InterfacePlan::Fast& fast : interface_.fasts) {
      for (InterfacePlan::Receiver& r : fast.receivers) take(r);
      const DirectionalDerivatives* derivatives = fast.member->subsystem->directional_derivatives();
      states_.resize(std::max(states_.size(), derivatives != nullptr ? derivatives->state_count() : 0), 0.0);
      const std::size_t inputs = fast.member->input_count;
      const std::size_t outputs = fast.member->output_count;
      direction_.resize(std::max(direction_.size(), inputs));
      moved_.resize(std::max(moved_.size(), inputs));
      y_change_.resize(std::max(y_change_.size(), outputs));
      y_jacobian_.resize(std::max(y_jacobian_.size(), inputs * outputs));
    }
    rates_.resize(states_.size());
  }

  void restart() override {
    for (SlowState& slow : slows_) slow.seen = never;
  }

  std::optional<Failure> arrived(const PredictedStep& step) override {
    for (std::size_t i = 0; i < slows_.size(); ++i) {
      const SampleRing& samples = *state_.rings()[interface_.slows[i].stage];
      if (samples.tick(0) != step.start || slows_[i].seen == step.start) continue;
      slows_[i].seen = step.start;
      asked_ = interface_.slows[i].member;
      try {
        learn(i, step.start);
        if (tells_acceleration_) {
          jacobian_ = mass_;
          drives_.keep(jacobian_);
          inertia_.compute(jacobian_);
        }
      } catch (...) {
        return failure_of(plan_, *asked_, plan_.grid().time_s(step.start), current_exception_text());
      }
    }
    return std::nullopt;
  }

  void write(Tick /*k*/, int /*degree*/, double* coefficients) override {
    if (tells_acceleration_ && is_new_) accelerate(coefficients);
    each_receiver([&](const InterfacePlan::Receiver& r) { coefficients[r.slot] = value(r, w_, 0.0); });
  }

  std::optional<Failure> settle(const PredictedStep& step, int degree, double* coefficients) override {
    if (drives_.size() == 0) return std::nullopt;
    const double* y = state_.rings()[stage()]->sample(0);
    add_up_efforts(y);
    for (std::size_t i = 0; i < drives_.size(); ++i)
      w_[static_cast<Eigen::Index>(drives_.component(i))] = drives_.flow(i, y);
    const double start_s = plan_.grid().time_s(step.start);
    const LedDrives::Step sought{start_s, step.end_s, step.length_s, coefficients, plan_.stage(stage()).slots,
                                 degree};
    try {
      const auto trouble = drives_.solve(sought, mass_, effort_, w_);
      if (!trouble) return std::nullopt;
      if (trouble->member != nullptr) return failure_of(plan_, *trouble->member, start_s, trouble->what);
    } catch (...) {
      return failure_of(plan_, *interface_.leads.front().member, start_s, current_exception_text());
    }
    return failure_of(plan_, *interface_.slows.front().member, start_s,
                      "its interface model found no effort that fits the flows: take smaller steps");
  }

  std::optional<Failure> close(const PredictedStep& step, std::span<double> inputs) override {
    try {
      // Who leads has stepped: where it came to is known.
      if (drives_.size() > 0) drives_.outputs(step.end_s, inputs.data(), y_.data());
      if (!solve(step, inputs)) {
        return failure_of(plan_, *interface_.slows.front().member, step.end_s,
                          "its interface model found no flow that fits the efforts: take smaller steps");
      }
    } catch (...) {
      return failure_of(plan_, *asked_, step.end_s, current_exception_text());
    }
    for (std::size_t c = 0; c < interface_.components.size(); ++c) {
      const auto i = static_cast<Eigen::Index>(c);
      s_[i] += step.length_s * interface_.components[c].flow_to_rate * w_new_[i];
      acceleration_[i] = (w_new_[i] - w_[i]) / step.length_s;
      w_[i] = w_new_[i];
    }
    is_new_ = false;
    StageState& state = state_.stage(stage());
    each_receiver([&](const InterfacePlan::Receiver& r) {
      inputs[r.slot] = value(r, w_, 0.0);
      state.set_moving(r.moving, inputs[r.slot]);
    });
    for (const InterfacePlan::Lead& lead : interface_.leads)
      state.set_moving(lead.effort.moving, inputs[lead.effort.slot]);
    return std::nullopt;
  }

  void archive(Archive& archive) override {
    for (Eigen::VectorXd* vector : {&w_, &s_, &acceleration_, &force_})
      archive(std::span<double>(vector->data(), static_cast<std::size_t>(vector->size())));
    archive(std::span<double>(mass_.data(), static_cast<std::size_t>(mass_.size())));
    for (SlowState& slow : slows_) archive(slow.seen);
    is_new_ = false;  // so it is between steps; a step that failed may have left it otherwise
  }

 private:
  static constexpr Tick never = std::numeric_limits<Tick>::min();
  struct SlowState {
    Tick seen = never;  ///< of the sample that the model goes on from
    std::vector<double> inputs{};
    std::vector<double> mass{};
    std::vector<double> force{};
  };

  template <class Visit>
  void each_receiver(Visit visit) const {
    for (const InterfacePlan::Fast& fast : interface_.fasts) {
      for (const InterfacePlan::Receiver& r : fast.receivers) visit(r);
    }
    for (const InterfacePlan::Receiver& r : interface_.onlookers) visit(r);
  }
  /// What a receiver gets with these flows, `ahead_s` after the displacements.
  [[nodiscard]] double value(const InterfacePlan::Receiver& r, const Eigen::VectorXd& w,
                             double ahead_s) const {
    const auto i = static_cast<Eigen::Index>(r.component);
    if (r.is_acceleration) return r.gain * acceleration_[i] + r.offset;
    const double what =
        r.is_displacement ? s_[i] + ahead_s * interface_.components[r.component].flow_to_rate * w[i] : w[i];
    return r.gain * what + r.offset;
  }

  /// A sample of a slow subsystem, and its M̃ and λ̃ at this point.
  void learn(std::size_t number, Tick k) {
    const InterfacePlan::Slow& slow = interface_.slows[number];
    SlowState& told = slows_[number];
    const StagePlan& stage = plan_.stage(slow.stage);
    StageState& state = state_.stage(slow.stage);
    const TimeGrid& grid = plan_.grid();
    // What its step will begin with: inputs without connection as they are.
    std::copy_n(state.coefficients(), stage.slots, told.inputs.begin());
    stage.exchange.build(state_.rings(), grid, k, 0, state.weights(), told.inputs.data(), stage.slots);
    state.add_moving(state_.rings(), k, told.inputs.data());
    state.add_additions(told.inputs.data());
    const double h_s = grid.duration_s(std::min(state.period(), grid.end() - k));
    state_.await(slow.stage);
    slow.member->subsystem->interface_inertia()->interface_inertia(
        grid.time_s(k), h_s, told.inputs.data() + slow.member->first_input, told.mass.data(),
        told.force.data());

    const double* sample = state_.rings()[slow.stage]->sample(0);
    for (std::size_t c = 0; c < slow.count; ++c) {
      const InterfacePlan::Component& component = interface_.components[slow.first + c];
      const auto i = static_cast<Eigen::Index>(slow.first + c);
      force_[i] = told.force[c];
      if (!component.led) {
        w_[i] = sample[component.flow_source];
        s_[i] = component.has_displacement ? sample[component.displacement_source] : 0.0;
        force_[i] += told.inputs[component.effort_slot];
      }
      for (std::size_t d = 0; d < slow.count; ++d)
        mass_(i, static_cast<Eigen::Index>(slow.first + d)) = told.mass[c * slow.count + d];
    }
    is_new_ = true;
    time_s_ = grid.time_s(k);
    // The efforts of the fast side change on the way; all else at these inputs stays.
    const double* efforts = state_.rings()[this->stage()]->sample(0);
    for (const InterfacePlan::Fast& fast : interface_.fasts) {
      for (const InterfacePlan::Effort& e : fast.efforts) {
        if (interface_.components[e.component].slow != number) continue;
        force_[static_cast<Eigen::Index>(e.component)] -= e.gain * efforts[e.source] + e.offset;
      }
    }
  }

  /// λ̃ and the efforts of the fast side at its newest sample, `y`.
  void add_up_efforts(const double* y) {
    effort_ = force_;
    for (const InterfacePlan::Fast& fast : interface_.fasts) {
      for (const InterfacePlan::Effort& e : fast.efforts)
        effort_[static_cast<Eigen::Index>(e.component)] += e.gain * y[e.source] + e.offset;
    }
  }

  /// ẇ at a new sample: `inputs` are those that the step starts with. Led flows go on as in the last step.
  void accelerate(double* inputs) {
    each_receiver([&](const InterfacePlan::Receiver& r) { inputs[r.slot] = value(r, w_, 0.0); });
    for (const InterfacePlan::Fast& fast : interface_.fasts) {
      asked_ = fast.member;
      asked_->subsystem->outputs(time_s_, inputs + asked_->first_input, y_.data() + asked_->first_output);
    }
    add_up_efforts(y_.data());
    for (const InterfacePlan::Lead& lead : interface_.leads) {
      const auto i = static_cast<Eigen::Index>(lead.component);
      effort_[i] = acceleration_[i];
    }
    acceleration_.noalias() = inertia_.solve(effort_);
  }

  /// False where Newton's method does not lead to flows.
  bool solve(const PredictedStep& step, std::span<double> inputs) {
    w_new_ = w_;
    for (std::size_t i = 0; i < drives_.size(); ++i)
      w_new_[static_cast<Eigen::Index>(drives_.component(i))] = drives_.flow(i, y_.data());
    if (interface_.fasts.empty()) return true;
    double before = evaluate(step, inputs);
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      differentiate(step, inputs);
      solver_.compute(jacobian_);
      change_.noalias() = solver_.solve(residual_);
      w_new_ -= change_;
      const double now = evaluate(step, inputs);
      // No number at all: the outputs show it, and the engine names the port.
      if (!std::isfinite(now) || now <= converged) return true;
      if (now <= acceptable && now >= 0.5 * before) return true;  // rounding is all that is left
      before = now;
    }
    return before <= acceptable;
  }

  /// r = M̃ (w⁺ − w)/h − λ̃ − λ(w⁺, s⁺); returns the largest component relative to its parts.
  double evaluate(const PredictedStep& step, std::span<double> inputs) {
    each_receiver(
        [&](const InterfacePlan::Receiver& r) { inputs[r.slot] = value(r, w_new_, step.length_s); });
    for (const InterfacePlan::Fast& fast : interface_.fasts) {
      asked_ = fast.member;
      asked_->subsystem->outputs(step.end_s, inputs.data() + asked_->first_input,
                                 y_.data() + asked_->first_output);
    }
    effort_ = force_;
    size_ = force_.cwiseAbs();
    for (const InterfacePlan::Fast& fast : interface_.fasts) {
      for (const InterfacePlan::Effort& e : fast.efforts) {
        const double effort = e.gain * y_[e.source] + e.offset;
        effort_[static_cast<Eigen::Index>(e.component)] += effort;
        size_[static_cast<Eigen::Index>(e.component)] += std::abs(effort);
      }
    }
    constexpr double of_rounding = 8.0 * std::numeric_limits<double>::epsilon() / converged;
    double largest = 0.0;
    for (Eigen::Index i = 0; i < w_.size(); ++i) {
      double inertia = 0.0;
      for (Eigen::Index j = 0; j < w_.size(); ++j) {
        const double part = mass_(i, j) * (w_new_[j] - w_[j]) / step.length_s;
        inertia += part;
        size_[i] += std::abs(part) + of_rounding * std::abs(mass_(i, j) * w_new_[j]) / step.length_s;
      }
      residual_[i] = interface_.components[static_cast<std::size_t>(i)].led ? 0.0 : inertia - effort_[i];
      if (residual_[i] == 0.0) continue;
      const double share = std::abs(residual_[i]) / size_[i];
      if (!(share <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
      largest = std::max(largest, share);
    }
    return largest;
  }

  /// ∂r/∂w⁺ = M̃/h − ∂λ/∂w − h ∂λ/∂s
  void differentiate(const PredictedStep& step, std::span<const double> inputs) {
    jacobian_ = mass_ / step.length_s;
    for (const InterfacePlan::Fast& fast : interface_.fasts) {
      asked_ = fast.member;
      const double* u = inputs.data() + fast.member->first_input;
      const Differentiable* known = fast.member->subsystem->differentiable();
      if (known != nullptr) known->output_jacobian(step.end_s, u, y_jacobian_.data());
      for (const std::size_t component : fast.components) {
        std::fill_n(direction_.begin(), fast.member->input_count, 0.0);
        for (const InterfacePlan::Receiver& r : fast.receivers) {
          if (r.component != component) continue;
          direction_[r.slot - fast.member->first_input] =
              r.is_displacement ? r.gain * step.length_s * interface_.components[component].flow_to_rate
                                : r.gain;
        }
        differentiate_outputs(*fast.member, step, u, known != nullptr, component);
        for (const InterfacePlan::Effort& e : fast.efforts) {
          jacobian_(static_cast<Eigen::Index>(e.component), static_cast<Eigen::Index>(component)) -=
              e.gain * y_change_[e.source - fast.member->first_output];
        }
      }
    }
    drives_.keep(jacobian_);
  }

  /// How the outputs of a fast member change with its inputs along `direction_`: as it knows it, or probed.
  void differentiate_outputs(const Member& m, const PredictedStep& step, const double* u, bool has_jacobian,
                             std::size_t component) {
    if (has_jacobian) {
      for (std::size_t o = 0; o < m.output_count; ++o) {
        const double* row = y_jacobian_.data() + o * m.input_count;
        y_change_[o] = 0.0;
        for (std::size_t i = 0; i < m.input_count; ++i) y_change_[o] += row[i] * direction_[i];
      }
      return;
    }
    if (const DirectionalDerivatives* derivatives = m.subsystem->directional_derivatives()) {
      derivatives->directional_derivative(step.end_s, u, states_.data(), direction_.data(), rates_.data(),
                                          y_change_.data());
      return;
    }
    const double size = std::max(1.0, std::abs(w_new_[static_cast<Eigen::Index>(component)]));
    for (std::size_t i = 0; i < m.input_count; ++i) moved_[i] = u[i] + probing_step * size * direction_[i];
    m.subsystem->outputs(step.end_s, moved_.data(), y_change_.data());
    for (std::size_t o = 0; o < m.output_count; ++o)
      y_change_[o] = (y_change_[o] - y_[m.first_output + o]) / (probing_step * size);
  }

  InterfacePlan interface_;
  const CouplingPlan& plan_;
  CouplingState& state_;
  std::vector<SlowState> slows_;
  const Member* asked_ = nullptr;  ///< who is to blame for what is thrown
  // The model: flows, displacements, what acts on them besides the fast side, M̃ block by block.
  Eigen::VectorXd w_;
  Eigen::VectorXd s_;
  Eigen::VectorXd acceleration_;
  Eigen::VectorXd force_;
  Eigen::MatrixXd mass_;
  Eigen::PartialPivLU<Eigen::MatrixXd> inertia_;
  bool tells_acceleration_ = false;
  bool is_new_ = false;  ///< a sample of the slow side has arrived, and the fast side has not stepped from it
  double time_s_ = 0.0;  ///< of it
  // Scratch.
  Eigen::VectorXd w_new_;
  Eigen::VectorXd residual_;
  Eigen::VectorXd effort_;
  Eigen::VectorXd size_;
  Eigen::VectorXd change_;
  Eigen::MatrixXd jacobian_;
  Eigen::PartialPivLU<Eigen::MatrixXd> solver_;
  std::vector<double> y_;  ///< outputs of the fast stage
  LedDrives drives_;
  std::vector<double> y_jacobian_;  ///< of one member
  std::vector<double> y_change_;    ///< of one member
  std::vector<double> direction_;
  std::vector<double> moved_;
  std::vector<double> states_;  ///< no change
  std::vector<double> rates_;
};

}  // namespace

std::vector<std::unique_ptr<InputPredictor>> make_interface_models(const PredictorRequest& request) {
  std::vector<std::unique_ptr<InputPredictor>> made;
  for (InterfacePlan& interface : plan_interfaces(request))
    made.push_back(std::make_unique<InterfaceModel>(std::move(interface), request));
  return made;
}

}  // namespace ergon
