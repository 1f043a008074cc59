// An FMU without a solver of its own: its states are integrated here, from event to event. Own sequence of FMI 2.0 §3.2 and
// FMI 3.0 §3.2; where the versions differ, the Api does.
#include "ergon/fmi/exchange/exchange_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "ergon/core/end_request.hpp"
#include "ergon/fmi/exchange/event_limit.hpp"
#include "ergon/fmi/exchange/exchange_solver.hpp"
#include "ergon/fmi/instance/local_instance.hpp"

namespace ergon::fmi {
namespace {

constexpr double no_event = std::numeric_limits<double>::infinity();
constexpr int max_updates = 1000;                      ///< of discrete states in one event
constexpr std::size_t max_internal_steps = 1'000'000;  ///< in one communication step

bool is_same_time(double a, double b) {
  constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

template <class Api>
class ExchangeInstance final : public LocalInstance<Api>, private ExchangeSystem {
  using Base = LocalInstance<Api>;
  using typename Base::Mode;

 public:
  ExchangeInstance(std::shared_ptr<const InstanceSetup> setup, const std::string& name)
      : Base(std::move(setup), name), exchange_(*Base::setup_->exchange) {
    own().settled_inputs.resize(Base::setup_->inputs.real_count);
    is_continuous_.resize(Base::setup_->inputs.real_count, false);
    for (const std::uint32_t element : Base::setup_->intermediate_elements) is_continuous_[element] = true;
    continuous_.resize(Base::setup_->intermediate_elements.size());
  }

  bool initialize(const StartSettings& settings) override {
    StartSettings with_tolerance = settings;
    rtol_ = settings.tolerance.value_or(exchange_.default_tolerance);
    with_tolerance.tolerance = rtol_;  // solvers inside of it are to be as good
    return Base::initialize(with_tolerance) && make_solver();
  }

  StepEnd step(double t, double h, const InputView& u) override {
    Base::clock_s_ = t;
    if (own().mode != Mode::step) {
      if (own().mode == Mode::ended) return Base::fail(asked_to_end), StepEnd::failed;
      if (own().mode != Mode::initialization) return Base::fail("it has failed before"), StepEnd::failed;
      own().now_s = t;
      if (has_inputs() && !Base::set_reals(u.coefficients)) return StepEnd::failed;
      if (!leave_initialization()) return StepEnd::failed;
      if (own().mode == Mode::ended) return Base::fail(asked_to_end), StepEnd::failed;
    }
    Base::step_inputs_ = &u;
    Base::step_start_s_ = t;
    // Points of a grid and sums of steps differ by rounding: time does not go back for that.
    const double from = is_same_time(t, own().now_s) ? own().now_s : t;
    const bool done = begin_step(from, h) && (own().mode == Mode::ended || integrate(from, t, h));
    Base::step_inputs_ = nullptr;
    return done ? StepEnd::done : StepEnd::failed;
  }

  bool outputs(double t, const double* u, double* y, bool may_set) override {
    Base::clock_s_ = t;
    if (own().mode == Mode::initialization) return Base::outputs(t, u, y, may_set);
    if (may_set && own().mode == Mode::step && !set_between_steps(u)) return false;
    return Base::get_reals(y);
  }

  bool set_value(const StartValue& value) override {
    if (own().mode != Mode::step) return Base::set_value(value);
    // A tunable parameter changes in event mode.
    return Base::good(api().enter_event_mode(), "EnterEventMode") && Base::set_value(value) &&
           end_event(own().now_s);
  }

  bool states(std::span<double> values) override {
    return Base::finish_initialization() &&
           Base::good(api().continuous_states(values.data(), values.size()), "GetContinuousStates");
  }
  bool set_states(std::span<const double> values) override {
    if (!Base::finish_initialization()) return false;
    own().needs_event = true;
    return values.empty() ||
           Base::good(api().set_continuous_states(values.data(), values.size()), "SetContinuousStates");
  }
  bool state_rates(double t, const double* u, std::span<double> rates) override {
    Base::clock_s_ = t;
    return Base::finish_initialization() && set_between_steps(u) &&
           (rates.empty() || Base::good(api().derivatives(rates.data(), rates.size()), "GetDerivatives"));
  }

 private:
  // Two-phase lookup does not find the members of a base that depends on a parameter.
  auto& own() { return Base::own_; }
  auto& api() { return Base::api_; }
  [[nodiscard]] bool has_inputs() const { return Base::setup_->inputs.real_count > 0; }

  bool make_solver() {
    std::size_t states = exchange_.state_count;
    indicator_count_ = exchange_.indicator_count;
    if (!Base::good(api().exchange_counts(&states, &indicator_count_), "GetNumberOf…")) return false;
    if (states != exchange_.state_count)
      return Base::fail(fmt::format("it has {} continuous states, and {} in its description", states,
                                    exchange_.state_count));
    x_.resize(states);
    tolerances_.resize(states);
    if (states + indicator_count_ > 0)
      solver_ =
          std::make_unique<ExchangeSolver>(static_cast<ExchangeSystem&>(*this), states, indicator_count_);
    return true;
  }

  bool leave_initialization() override {
    if (!Base::prepare_to_leave_initialization()) return false;
    Base::enter(Mode::step);
    return end_event(own().now_s);
  }

  // ── Events ──

  /// Everything that comes from outside, in event mode.
  bool event(double t) {
    if (!Base::good(api().enter_event_mode(), "EnterEventMode")) return false;
    if (has_inputs() && !Base::set_reals(own().inputs.reals.data())) return false;
    if (own().discrete_changed && !Base::set_discrete_now()) return false;
    return end_event(t);
  }

  /// Event iteration, from event mode to continuous-time mode.
  bool end_event(double t) {
    if (!Base::tick_due_clocks(t)) return false;
    own().settled_inputs = own().inputs.reals;
    own().needs_event = false;
    bool nominals_changed = false;
    states_changed_ = false;
    for (int i = 0;; ++i) {
      const DiscreteUpdate update = api().update_once();
      if (!Base::good(update.status, update_name)) return false;
      nominals_changed = nominals_changed || update.nominals_changed;
      states_changed_ = states_changed_ || update.states_changed;
      if (update.terminate) return Base::note_end_request(t), true;
      // Any event cancels what the last one announced.
      own().next_event_s =
          update.next_event_defined && update.next_event_s > t ? update.next_event_s : no_event;
      if (!update.needs_another) break;
      if (i == max_updates)
        return Base::fail(fmt::format("its event iteration did not end after {} updates", max_updates));
    }
    if (nominals_changed) report_selection(t);
    return Base::good(api().enter_continuous_time_mode(), "EnterContinuousTimeMode");
  }

  /// What is seen from outside of an FMU that selects its states: other values with other nominal values.
  void report_selection(double t) {
    nominals_vary_ = true;
    log_message({Base::log_.name(), FmuStatus::ok, "",
                 states_changed_ ? "dynamic state selection: it has chosen other continuous states"
                                 : "it has changed the nominal values of its states",
                 t});
  }

  /// Between two steps: continuous inputs as they are, others by an event.
  bool set_between_steps(const double* u) {
    auto& inputs = own().inputs.reals;
    bool differs = !own().reals_known;
    bool needs_event = own().discrete_changed;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == u[i]) continue;
      differs = true;
      needs_event = needs_event || !is_continuous_[i];
    }
    if (needs_event) {
      std::copy_n(u, inputs.size(), inputs.begin());
      return event(own().now_s);
    }
    if (!differs) return true;
    std::copy_n(u, inputs.size(), inputs.begin());
    return set_continuous(u);
  }

  bool set_continuous(const double* u) {
    const auto& elements = Base::setup_->intermediate_elements;
    for (std::size_t i = 0; i < elements.size(); ++i) continuous_[i] = u[elements[i]];
    const auto& references = Base::setup_->intermediate_references;
    return elements.empty() || Base::good(api().set_float64(references.data(), references.size(),
                                                            continuous_.data(), continuous_.size()),
                                          "SetFloat64 (SetReal)");
  }

  // ── A communication step ──

  /// Inputs that differ from those that the FMU was integrated with jump: an event.
  bool begin_step(double t, double h) {
    own().now_s = t;
    limit_.begin_step(t, h, indicator_count_);
    const double* const u = Base::step_inputs_->coefficients;  // values at t come first
    const auto& settled = own().settled_inputs;
    const bool jumps =
        own().discrete_changed || own().needs_event || !std::equal(settled.begin(), settled.end(), u);
    if (!jumps) return set_between_steps(u);
    std::copy_n(u, settled.size(), own().inputs.reals.begin());
    return event(t);
  }

  bool integrate(double from, double t, double h) {
    const double end = std::max(from, end_of_step(t, h));
    const double close = 1e-12 * h;  // what is left by rounding
    double now = from;
    std::size_t steps = 0;
    if (!restart(now, 0.0)) return false;
    while (now < end) {
      const double stop = std::min(end, std::max(now, Base::next_stop()));
      const double before = now;
      bool is_at_root = false;
      if (solver_ && stop - now > close) {
        if (++steps > max_internal_steps)
          return Base::fail(
              fmt::format("more than {} internal steps within one communication step", max_internal_steps));
        const auto outcome = solver_->advance(stop);
        if (!outcome.ok) return failed_integration(outcome);
        now = outcome.time_s;
        is_at_root = outcome.is_at_root;
        std::copy(solver_->state().begin(), solver_->state().end(), x_.begin());
      } else {
        now = stop;
      }
      const std::optional<bool> wants_event = complete_step(now);
      if (!wants_event) return false;
      if (own().mode == Mode::ended) return true;
      const bool is_due = own().next_event_s <= now || Base::next_tick() <= now + 1e-9 * h;
      if (!is_at_root && !*wants_event && !is_due) continue;
      const bool is_from_inside = is_at_root || *wants_event;
      if (is_from_inside && !limit_.take(now, is_at_root ? solver_->roots() : std::span<const int>()))
        return Base::fail(limit_.complaint(exchange_.indicator_names));
      if (!event(now)) return false;
      if (own().mode == Mode::ended || now >= end) break;
      // After an event that has changed nothing, steps go on growing.
      const bool goes_on = !is_at_root && !is_due && !states_changed_;
      if (!restart(now, goes_on ? 2.0 * (now - before) : 0.0)) return false;
    }
    return true;
  }

  /// An event that is beyond the end by rounding alone belongs to this step: t + h is not always what a grid of points says.
  [[nodiscard]] double end_of_step(double t, double h) {
    const double end = t + Base::length_within_experiment(t, h);
    const double next = own().next_event_s;
    const bool is_next_the_end = next > end && next <= Base::end_s_ && is_same_time(next, end);
    return is_next_the_end ? next : end;
  }

  bool failed_integration(const ExchangeSolver::Outcome& outcome) {
    // A call of the FMU that failed has said more than the solver can.
    if (!Base::reason_.empty()) return false;
    return Base::fail(fmt::format("{} (at {} s)", outcome.reason, outcome.time_s));
  }

  /// The FMU at the end of an internal step. Whether it wants an event; nothing: it has failed.
  std::optional<bool> complete_step(double now) {
    Base::clock_s_ = now;
    own().now_s = now;
    if (!Base::good(api().set_time(now), "SetTime") || !follow_inputs(now)) return std::nullopt;
    if (!x_.empty() && !Base::good(api().set_continuous_states(x_.data(), x_.size()), "SetContinuousStates"))
      return std::nullopt;
    own().settled_inputs = own().inputs.reals;
    if (!exchange_.needs_completed_step) return false;
    const CompletedStep completed = api().completed_step(Base::is_never_set_before(now));
    if (!Base::good(completed.status, "CompletedIntegratorStep")) return std::nullopt;
    if (completed.terminate) Base::note_end_request(now);
    return completed.wants_event;
  }

  /// Integration begins anew at each communication point, so that a state that was restored goes on in the same bits, and after each
  /// event.
  bool restart(double t, double first_step_s) {
    if (!solver_) return true;
    Base::clock_s_ = t;
    if (!x_.empty()) {
      if (!Base::good(api().continuous_states(x_.data(), x_.size()), "GetContinuousStates")) return false;
      if ((!knows_nominals_ || nominals_vary_) && !read_nominals()) return false;
    }
    return solver_->restart(t, x_, rtol_, tolerances_, first_step_s) ||
           Base::fail("its continuous states are not finite");
  }

  bool read_nominals() {
    if (!Base::good(api().nominals(tolerances_.data(), tolerances_.size()), "GetNominalsOfContinuousStates"))
      return false;
    const double share = exchange_.absolute_tolerance.value_or(0.01 * rtol_);
    for (double& value : tolerances_) {
      const double nominal = std::abs(value);
      value = share * (std::isfinite(nominal) && nominal > 0.0 ? nominal : 1.0);  // 0 occurs
    }
    knows_nominals_ = true;
    return true;
  }

  /// Continuous inputs at t within the step.
  bool follow_inputs(double t) {
    const InputView* const u = Base::step_inputs_;
    if (u == nullptr || u->degree == 0 || continuous_.empty()) return true;
    auto& inputs = own().inputs.reals;
    for (const std::uint32_t element : Base::setup_->intermediate_elements)
      inputs[element] = (*u)(element, t - Base::step_start_s_);
    return set_continuous(inputs.data());
  }

  // ── ExchangeSystem ──

  Answer answer(FmuStatus status, const char* call) {
    if (status == FmuStatus::discard) return Answer::refused;
    return Base::good(status, call) ? Answer::ok : Answer::failed;
  }
  Answer place(double t, const double* x) {
    Base::clock_s_ = t;
    if (!Base::good(api().set_time(t), "SetTime") || !follow_inputs(t)) return Answer::failed;
    return x_.empty() ? Answer::ok : answer(api().set_continuous_states(x, x_.size()), "SetContinuousStates");
  }
  Answer derivatives(double t, const double* x, double* rates) override {
    const Answer placed = place(t, x);
    return placed == Answer::ok ? answer(api().derivatives(rates, x_.size()), "GetDerivatives") : placed;
  }
  Answer indicators(double t, const double* x, double* values) override {
    if (place(t, x) != Answer::ok) return Answer::failed;
    if (!Base::good(api().event_indicators(values, indicator_count_), "GetEventIndicators"))
      return Answer::failed;
    for (std::size_t i = 0; i < indicator_count_; ++i) {
      if (std::isfinite(values[i])) continue;
      const auto& names = exchange_.indicator_names;
      Base::fail(fmt::format("its event indicator {} is {} at {} s",
                             i < names.size() ? "'" + names[i] + "'" : fmt::format("{}", i + 1), values[i],
                             t));
      return Answer::failed;
    }
    return Answer::ok;
  }
  [[nodiscard]] bool has_jacobian() const override { return !exchange_.state_references.empty(); }
  Answer jacobian(double t, const double* x, double* columns) override {
    const Answer placed = place(t, x);
    if (placed != Answer::ok) return placed;
    const double one = 1.0;
    const std::size_t n = x_.size();
    for (std::size_t j = 0; j < n; ++j) {
      const Answer given =
          answer(api().directional_derivative(exchange_.derivative_references.data(), n,
                                              &exchange_.state_references[j], 1, &one, columns + j * n),
                 "GetDirectionalDerivative");
      if (given != Answer::ok) return given;
    }
    return Answer::ok;
  }

  static constexpr const char* update_name = Api::has_events ? "UpdateDiscreteStates" : "NewDiscreteStates";

  const ExchangeSetup& exchange_;
  std::unique_ptr<ExchangeSolver> solver_;  ///< none: neither states nor indicators
  EventLimit limit_;
  double rtol_ = 1e-6;
  std::size_t indicator_count_ = 0;
  std::vector<double> x_;
  std::vector<double> tolerances_;  ///< absolute
  bool knows_nominals_ = false;
  bool nominals_vary_ = false;
  bool states_changed_ = false;      ///< by the last event
  std::vector<bool> is_continuous_;  ///< of the real inputs: may be set without an event
  std::vector<double> continuous_;
};

}  // namespace

std::unique_ptr<FmuInstance> make_exchange_instance(std::shared_ptr<const InstanceSetup> setup,
                                                    const std::string& name) {
  if (setup->version == FmiVersion::fmi2)
    return std::make_unique<ExchangeInstance<Fmi2Api>>(std::move(setup), name);
  return std::make_unique<ExchangeInstance<Fmi3Api>>(std::move(setup), name);
}

}  // namespace ergon::fmi
