#include "ergon/coupling/predictors/interface_solver.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/coupling/state/failures.hpp"

namespace ergon {
namespace {

/// The flows between two samples of the slow side, integrated at the rate of the fast side     [peiret2019, (5)–(7)]
///   at t_k, before the slow side steps:   w, s as sampled,   M̃ and λ̃ as it tells them
///   over each step h of the fast side:    it steps with w and s as they are; then
///     M̃ (w⁺ − w)/h = λ̃ + λ(w⁺, s⁺),   s⁺ = s + h w⁺                  by Newton's method, λ its effort with the new state
///   and its outputs are evaluated with w⁺ and s⁺
/// Whoever else of the fast side looks at w, s or ẇ by a plain connection sees the same; ẇ = M̃⁻¹(λ̃ + λ) where a step starts.
/// λ̃ includes efforts that come from elsewhere to the same inputs, as they are at t_k. (docs/theory/predictors.md)
/// At motion-driven components it is the other way round: the fast side gives w, and over its step feels the λ that w⁺ takes.
/// InterfaceSolver does the former, MotionDrivenPorts the latter.
class InterfaceModel final : public InputPredictor {
 public:
  InterfaceModel(InterfacePlan interface, const PredictorRequest& request)
      : InputPredictor(interface.stage),
        interface_(std::move(interface)),
        plan_(request.plan),
        state_(request.state),
        slows_(interface_.slows.size()),
        model_(static_cast<Eigen::Index>(interface_.components.size())),
        driven_(interface_, plan_.stage(stage()).output_count),
        solver_(interface_, driven_, plan_.stage(stage()).output_count) {
    const auto n = static_cast<Eigen::Index>(interface_.components.size());
    effort_.setZero(n);
    kept_.setZero(n, n);
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
    for (InterfacePlan::Receiver& r : interface_.passive_receivers) {
      take(r);
      tells_acceleration_ = tells_acceleration_ || r.is_acceleration;
    }
    for (InterfacePlan::Driver& driver : interface_.drivers) take(driver.effort);
    for (InterfacePlan::Fast& fast : interface_.fasts) {
      for (InterfacePlan::Receiver& r : fast.receivers) take(r);
    }
  }

  void restart() override {
    for (SlowState& slow : slows_) slow.seen = never;
  }

  std::optional<Failure> arrived(const PredictedStep& step) override {
    for (std::size_t i = 0; i < slows_.size(); ++i) {
      const SampleRing& samples = *state_.rings()[interface_.slows[i].stage];
      if (samples.tick(0) != step.start || slows_[i].seen == step.start) continue;
      slows_[i].seen = step.start;
      try {
        learn(i, step.start);
        if (tells_acceleration_) {
          kept_ = model_.mass;
          driven_.keep(kept_);
          inertia_.compute(kept_);
        }
      } catch (...) {
        return failure_of(plan_, *interface_.slows[i].member, plan_.grid().time_s(step.start),
                          current_exception_text());
      }
    }
    return std::nullopt;
  }

  void write(Tick /*k*/, int /*degree*/, double* coefficients) override {
    if (tells_acceleration_ && is_new_) accelerate(coefficients);
    interface_.each_receiver([&](const InterfacePlan::Receiver& r) {
      coefficients[r.slot] = model_.value(interface_, r, model_.w, 0.0);
    });
  }

  std::optional<Failure> settle(const PredictedStep& step, int degree, double* coefficients) override {
    if (driven_.size() == 0) return std::nullopt;
    const double* y = state_.rings()[stage()]->sample(0);
    solver_.add_up_efforts(model_, y, effort_);
    for (std::size_t i = 0; i < driven_.size(); ++i)
      model_.w[static_cast<Eigen::Index>(driven_.component(i))] = driven_.flow(i, y);
    const double start_s = plan_.grid().time_s(step.start);
    const MotionDrivenPorts::Step sought{
        start_s, step.end_s, step.length_s, coefficients, plan_.stage(stage()).slots, degree};
    try {
      const auto error = driven_.solve(sought, model_.mass, effort_, model_.w);
      if (!error) return std::nullopt;
      if (error->member != nullptr) return failure_of(plan_, *error->member, start_s, error->what);
    } catch (...) {
      return failure_of(plan_, *interface_.drivers.front().member, start_s, current_exception_text());
    }
    return failure_of(plan_, *interface_.slows.front().member, start_s,
                      "its interface model found no effort that fits the flows: take smaller steps");
  }

  std::optional<Failure> close(const PredictedStep& step, std::span<double> inputs) override {
    try {
      // Who drives has stepped: where it came to is known.
      if (driven_.size() > 0) driven_.outputs(step.end_s, inputs.data(), solver_.outputs().data());
      if (!solver_.solve(step, model_, inputs)) {
        return failure_of(plan_, *interface_.slows.front().member, step.end_s,
                          "its interface model found no flow that fits the efforts: take smaller steps");
      }
    } catch (...) {
      return failure_of(plan_, solver_.asked(), step.end_s, current_exception_text());
    }
    for (std::size_t c = 0; c < interface_.components.size(); ++c) {
      const auto i = static_cast<Eigen::Index>(c);
      model_.s[i] += step.length_s * interface_.components[c].flow_to_rate * solver_.flows()[i];
      model_.acceleration[i] = (solver_.flows()[i] - model_.w[i]) / step.length_s;
      model_.w[i] = solver_.flows()[i];
    }
    is_new_ = false;
    StageState& state = state_.stage(stage());
    interface_.each_receiver([&](const InterfacePlan::Receiver& r) {
      inputs[r.slot] = model_.value(interface_, r, model_.w, 0.0);
      state.set_moving(r.moving, inputs[r.slot]);
    });
    for (const InterfacePlan::Driver& driver : interface_.drivers)
      state.set_moving(driver.effort.moving, inputs[driver.effort.slot]);
    return std::nullopt;
  }

  void archive(Archive& archive) override {
    for (Eigen::VectorXd* vector : {&model_.w, &model_.s, &model_.acceleration, &model_.force})
      archive(std::span<double>(vector->data(), static_cast<std::size_t>(vector->size())));
    archive(std::span<double>(model_.mass.data(), static_cast<std::size_t>(model_.mass.size())));
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
    // It is no faster than this stage, and begins no step before this one has its inputs (JacobiStepper): no step of it goes on.
    slow.member->subsystem->interface_inertia()->interface_inertia(
        grid.time_s(k), h_s, told.inputs.data() + slow.member->first_input, told.mass.data(),
        told.force.data());

    const double* sample = state_.rings()[slow.stage]->sample(0);
    for (std::size_t c = 0; c < slow.count; ++c) {
      const InterfacePlan::Component& component = interface_.components[slow.first + c];
      const auto i = static_cast<Eigen::Index>(slow.first + c);
      model_.force[i] = told.force[c];
      if (!component.motion_driven) {
        model_.w[i] = sample[component.flow_source];
        model_.s[i] = component.has_displacement ? sample[component.displacement_source] : 0.0;
        model_.force[i] += told.inputs[component.effort_slot];
      }
      for (std::size_t d = 0; d < slow.count; ++d)
        model_.mass(i, static_cast<Eigen::Index>(slow.first + d)) = told.mass[c * slow.count + d];
    }
    is_new_ = true;
    time_s_ = grid.time_s(k);
    // The efforts of the fast side change on the way; all else at these inputs stays.
    const double* efforts = state_.rings()[this->stage()]->sample(0);
    for (const InterfacePlan::Fast& fast : interface_.fasts) {
      for (const InterfacePlan::Effort& e : fast.efforts) {
        if (interface_.components[e.component].slow != number) continue;
        model_.force[static_cast<Eigen::Index>(e.component)] -= e.gain * efforts[e.source] + e.offset;
      }
    }
  }

  /// ẇ at a new sample: `inputs` are those that the step starts with. Driven flows go on as in the last step.
  void accelerate(double* inputs) {
    interface_.each_receiver([&](const InterfacePlan::Receiver& r) {
      inputs[r.slot] = model_.value(interface_, r, model_.w, 0.0);
    });
    solver_.evaluate_outputs(time_s_, inputs);
    solver_.add_up_efforts(model_, solver_.outputs().data(), effort_);
    for (const InterfacePlan::Driver& driver : interface_.drivers) {
      const auto i = static_cast<Eigen::Index>(driver.component);
      effort_[i] = model_.acceleration[i];
    }
    model_.acceleration.noalias() = inertia_.solve(effort_);
  }

  InterfacePlan interface_;
  const CouplingPlan& plan_;
  CouplingState& state_;
  std::vector<SlowState> slows_;
  FlowModel model_;
  MotionDrivenPorts driven_;
  InterfaceSolver solver_;
  Eigen::PartialPivLU<Eigen::MatrixXd> inertia_;
  bool tells_acceleration_ = false;
  bool is_new_ = false;  ///< a sample of the slow side has arrived, and the fast side has not stepped from it
  double time_s_ = 0.0;  ///< of it
  // Scratch.
  Eigen::VectorXd effort_;
  Eigen::MatrixXd kept_;  ///< M̃ with the equations of motion-driven components replaced
};

}  // namespace

std::vector<std::unique_ptr<InputPredictor>> make_interface_models(const PredictorRequest& request) {
  std::vector<std::unique_ptr<InputPredictor>> made;
  for (InterfacePlan& interface : plan_interfaces(request))
    made.push_back(std::make_unique<InterfaceModel>(std::move(interface), request));
  return made;
}

}  // namespace ergon
