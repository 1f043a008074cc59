// Steps of an instance: what happens between two communication points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ergon/core/end_request.hpp"
#include "ergon/core/grouped_steps.hpp"
#include "ergon/fmi/instance/local_instance.hpp"

namespace ergon::fmi {
namespace {
constexpr double never = std::numeric_limits<double>::infinity();
}  // namespace

template <class Api>
double LocalInstance<Api>::next_tick() const {
  double next = never;
  for (std::size_t i = 0; i < clocks_.size(); ++i)
    next = std::min(
        next, start_s_ + clocks_[i].shift_s + static_cast<double>(own_.ticks[i]) * clocks_[i].interval_s);
  return next;
}

template <class Api>
double LocalInstance<Api>::next_stop() const {
  return std::min(own_.next_event_s, next_tick());
}

/// In event mode, with the inputs that are not reals.
template <class Api>
bool LocalInstance<Api>::tick_due_clocks(double t) {
  if constexpr (Api::has_events) {
    due_.clear();
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
      const double tick =
          start_s_ + clocks_[i].shift_s + static_cast<double>(own_.ticks[i]) * clocks_[i].interval_s;
      if (tick > t + 1e-9 * clocks_[i].interval_s) continue;
      due_.push_back(clocks_[i].reference);
      ++own_.ticks[i];
    }
    if (!due_.empty() && !good(api_.set_clocks(due_.data(), due_.size(), active_.get()), "SetClock"))
      return false;
    if (own_.discrete_changed && !set_discrete_now()) return false;
    if (!due_.empty()) {
      const Batches& b = setup_->inputs;
      for (const auto* list : {&b.clocked_reals, &b.clocked_integers, &b.clocked_texts}) {
        for (const Batch& batch : *list) {
          if (!good(transfer_.set(api_, batch, own_.inputs.reals.data(), own_.inputs.integers.data(),
                                  own_.inputs.texts.data()),
                    "Set of a clocked variable"))
            return false;
        }
      }
      if (!read_clocked()) return false;
    }
  } else {
    (void)t;
    if (own_.discrete_changed && !set_discrete_now()) return false;
  }
  return true;
}

/// Event mode at t: clocks that are due tick, inputs are set, discrete states updated. From step mode and back to it.
template <class Api>
bool LocalInstance<Api>::handle_event(double t, bool initial) {
  if constexpr (Api::has_events) {
    if (!initial && !good(api_.enter_event_mode(), "EnterEventMode")) return false;
    if (!tick_due_clocks(t)) return false;
    const EventResult result = api_.update_discrete_states();
    if (!good(result.status, "UpdateDiscreteStates")) return false;
    if (result.terminate) return note_end_request(t), true;
    own_.next_event_s = result.next_event_defined && result.next_event_s > t ? result.next_event_s : never;
    return good(api_.enter_step_mode(), "EnterStepMode");
  } else {
    (void)t, (void)initial;
    return true;
  }
}

/// An FMU that cannot be told has the interval of its description anyway.
template <class Api>
bool LocalInstance<Api>::tell_interval(const PeriodicClock& clock) {
  if constexpr (Api::has_events) {
    const FmuStatus status = api_.set_clock_interval(clock.reference, clock.interval_s, clock.shift_s);
    if (status == FmuStatus::fatal) return good(status, "SetIntervalDecimal");
    if (status > FmuStatus::warning) {
      log_message({log_.name(), FmuStatus::warning, "",
                   fmt::format("it does not take the interval of a clock, {} s, and is taken to have it",
                               clock.interval_s),
                   clock_s_});
    }
  }
  return true;
}

template <class Api>
bool LocalInstance<Api>::prepare_to_leave_initialization() {
  if (own_.discrete_changed && !set_discrete_now()) return false;
  if constexpr (Api::has_events) {
    for (PeriodicClock& clock : clocks_) {
      if (clock.is_told && !tell_interval(clock)) return false;
      if (clock.interval_s > 0.0) continue;
      if (!good(api_.clock_interval(clock.reference, &clock.interval_s, &clock.shift_s),
                "GetIntervalDecimal"))
        return false;
      if (!(clock.interval_s > 0.0)) return fail("a clock of it has no interval");
    }
    if (setup_->outputs.has_clocked() && !read_clocked()) return false;
  }
  return good(api_.exit_initialization(), "ExitInitializationMode");
}

template <class Api>
bool LocalInstance<Api>::leave_initialization() {
  if (!prepare_to_leave_initialization()) return false;
  enter(Mode::step);
  return !setup_->events_used || handle_event(own_.now_s, true);
}

template <class Api>
bool LocalInstance<Api>::finish_initialization() {
  return own_.mode != Mode::initialization || leave_initialization();
}

template <class Api>
bool LocalInstance<Api>::set_derivatives(const InputView& u) {
  const std::size_t n = setup_->inputs.real_count;
  const auto degree =
      static_cast<std::size_t>(std::min(static_cast<int>(u.degree), Api::max_input_derivative));
  if (setup_->inputs.reals.size() != 1 || n == 0) return true;
  const Batch& batch = setup_->inputs.reals.front();
  derivative_values_.resize(n * degree);
  derivative_references_.resize(n * degree);
  derivative_orders_.resize(n * degree);
  double factorial = 1.0;
  for (std::size_t d = 1; d <= degree; ++d) {
    factorial *= static_cast<double>(d);
    for (std::size_t i = 0; i < n; ++i) {
      const double sign = batch.is_negated(i) ? -1.0 : 1.0;
      derivative_values_[(d - 1) * n + i] = sign * factorial * u.coefficients[d * u.stride + i];
      derivative_references_[(d - 1) * n + i] = batch.references[i];
      derivative_orders_[(d - 1) * n + i] = static_cast<int>(d);
    }
  }
  return good(api_.set_input_derivatives(derivative_references_.data(), n * degree, derivative_orders_.data(),
                                         derivative_values_.data()),
              "SetRealInputDerivatives");
}

template <class Api>
void LocalInstance<Api>::intermediate_update(double t, bool set_requested) {
  if (!set_requested || step_inputs_ == nullptr) return;
  intermediate_.resize(setup_->intermediate_references.size());
  for (std::size_t i = 0; i < intermediate_.size(); ++i)
    intermediate_[i] = (*step_inputs_)(setup_->intermediate_elements[i], t - step_start_s_);
  (void)api_.set_float64(setup_->intermediate_references.data(), intermediate_.size(), intermediate_.data(),
                         intermediate_.size());
}

/// One call to set, one to step.
template <class Api>
[[gnu::always_inline]] inline StepEnd LocalInstance<Api>::direct_step(const StepInterval& step,
                                                                      const double* u) {
  clock_s_ = step.start_s;
  const std::size_t n = set_count_;
  if (n > 0) [[likely]] {
    const FmuStatus status = api_.set_float64(set_references_, n, u, n);
    if (status != FmuStatus::ok && !good(status, "SetFloat64 (SetReal)")) [[unlikely]]
      return StepEnd::failed;
  }
  if (keeps_inputs_) {
    for (std::size_t i = 0; i < n; ++i) own_.inputs.reals[i] = u[i];
    own_.reals_known = true;
    own_.now_s = step.start_s + step.length_s;
  }
  const auto raw = api_.call_step(step.start_s, length_within_experiment(step.start_s, step.length_s),
                                  is_never_set_before(step.start_s));
  if (raw.is_whole()) [[likely]]
    return StepEnd::done;
  return finish_direct_step(step, u, raw);
}

/// What is not simply done goes on as in any other instance.
template <class Api>
[[gnu::noinline]] StepEnd LocalInstance<Api>::finish_direct_step(const StepInterval& step, const double* u,
                                                                 const typename Api::RawStep& raw) {
  own_.now_s = step.start_s;
  const StepResult result = api_.result_of(raw, step.start_s, step.length_s);
  return step_in_parts(step.start_s, step.length_s, {u, 0, 0}, true, &result);
}

/// Inputs that the FMU does not have already.
template <class Api>
bool LocalInstance<Api>::direct_set(double t, const double* u) {
  const std::size_t n = set_count_;
  if (n == 0) return true;
  const bool known = own_.reals_known && keeps_inputs_;
  if (known && std::memcmp(u, own_.inputs.reals.data(), n * sizeof(double)) == 0) return true;
  clock_s_ = t;
  const FmuStatus status = api_.set_float64(set_references_, n, u, n);
  if (status != FmuStatus::ok && !good(status, "SetFloat64 (SetReal)")) return false;
  std::copy_n(u, n, own_.inputs.reals.data());
  own_.reals_known = true;
  return true;
}

template <class Api>
[[gnu::always_inline]] inline bool LocalInstance<Api>::direct_outputs(double t, double* y) {
  clock_s_ = t;
  if (get_count_ == 0) return true;
  const FmuStatus status = api_.get_float64(get_references_, get_count_, y, get_count_);
  return status == FmuStatus::ok || good(status, "GetFloat64 (GetReal)");
}

template <class Api>
bool LocalInstance<Api>::outputs(double t, const double* u, double* y, bool may_set) {
  if (steps_directly_) [[likely]]
    return (!may_set || direct_set(t, u)) && direct_outputs(t, y);
  clock_s_ = t;
  const std::size_t n = setup_->inputs.real_count;
  const bool initial = own_.mode == Mode::initialization;
  if ((may_set || initial) && own_.mode != Mode::ended) {
    const bool others =
        n > 0 && (!own_.reals_known || std::memcmp(u, own_.inputs.reals.data(), n * sizeof(double)) != 0);
    if (others || own_.discrete_changed) {
      const bool event = Api::has_events && setup_->events_used && !initial;
      if constexpr (Api::has_events) {
        if (event && !good(api_.enter_event_mode(), "EnterEventMode")) return false;
      }
      if (others && !set_reals(u)) return false;
      if (own_.discrete_changed && !set_discrete_now()) return false;
      if constexpr (Api::has_events) {
        if (event) {
          const EventResult result = api_.update_discrete_states();
          if (!good(result.status, "UpdateDiscreteStates")) return false;
          if (result.terminate) {
            note_end_request(t);
            return get_reals(y);
          }
          own_.next_event_s =
              result.next_event_defined && result.next_event_s > t ? result.next_event_s : never;
          if (!good(api_.enter_step_mode(), "EnterStepMode")) return false;
        }
      }
    }
  }
  // FMI 1.0 can be read only after it was initialized, with the inputs that are known by then.
  if constexpr (!Api::reads_in_initialization) {
    if (initial && !leave_initialization()) return false;
  }
  return get_reals(y);
}

/// A loop as one would write it by hand for FMUs with nothing but doubles. `next` is in memory at every call: where an FMU calls
/// `exit`, it says which. How numbers are rounded is looked at after each member, so that none computes as another one wanted it.
template <class Api>
class LocalInstance<Api>::DirectSteps final : public GroupedSteps {
 public:
  StepStatus run(std::span<const Member> members, std::size_t& next, const StepInterval& step,
                 const double* u, double* y) const override {
    StepStatus status;
    const FloatControl control = FloatControl::now();
    const auto all = [&] { status = run_members(members, next, step, u, y, control); };
    if (CallGuard::run(all)) [[likely]] {
      // What sums do not show (traps, denormal numbers, the x87): by any of those that were stepped together.
      if (!members.empty() && FloatControl::now() != control) [[unlikely]]
        static_cast<LocalInstance*>(members.front().self)
            ->restore_float_control(control, float_control_of_group_text);
      return status;
    }
    control.restore();
    auto& fmu = *static_cast<LocalInstance*>(members[next].self);
    fmu.note_exit();
    return {false, fmu.reason_.c_str()};
  }

 private:
  static StepStatus run_members(std::span<const Member> members, std::size_t& next, const StepInterval& step,
                                const double* u, double* y, const FloatControl& control) {
    for (; next < members.size(); ++next) {
      const Member& m = members[next];
      auto& fmu = *static_cast<LocalInstance*>(m.self);
      const double* const in = u + m.first_input;
      bool done = false;
      if (fmu.steps_directly_) [[likely]] {
        done =
            fmu.direct_step(step, in) == StepEnd::done && fmu.direct_outputs(step.end_s, y + m.first_output);
      } else {  // the first step leaves initialisation
        done = fmu.LocalInstance::step(step.start_s, step.length_s, {in, 0, 0}) == StepEnd::done &&
               fmu.LocalInstance::outputs(step.end_s, in, y + m.first_output, false);
      }
      if (!FloatControl::rounds_to_nearest() && FloatControl::now() != control) [[unlikely]]
        fmu.restore_float_control(control);
      if (!done) [[unlikely]]
        return {false, fmu.reason_.c_str()};
    }
    return {};
  }
};

template <class Api>
void LocalInstance<Api>::note_end_request(double t) {
  enter(Mode::ended);
  log_message({log_.name(), FmuStatus::ok, "", asked_to_end, t});
}

/// t + h may be one unit of the last place beyond the end of the run, which an FMU may refuse.
template <class Api>
[[gnu::noinline]] double LocalInstance<Api>::shortened(double t, double h) const {
  constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  if (t + h > end_s_ + rounding * std::max(std::abs(t), std::abs(end_s_))) return h;
  double length = end_s_ - t;
  while (t + length > end_s_) length = std::nextafter(length, 0.0);
  return length > 0.0 ? length : h;
}

template <class Api>
void LocalInstance<Api>::note_exit() {
  enter(Mode::lost);
  lost_ = true;
  CallGuard::note(log_.name(), setup_->fmu);
  fail(fmt::format("it called exit({}), which would have ended this process", CallGuard::exit_code()));
}

template <class Api>
void LocalInstance<Api>::restore_float_control(const FloatControl& control, const char* text) {
  control.restore();
  if (said_float_control_) return;
  said_float_control_ = true;
  log_message({log_.name(), FmuStatus::warning, "", text, clock_s_});
}

template <class Api>
Subsystem::Grouped LocalInstance<Api>::grouped_steps() {
  static const DirectSteps together;
  return direct_ ? Subsystem::Grouped{&together, this} : Subsystem::Grouped{};
}

template <class Api>
StepEnd LocalInstance<Api>::step(double t, double h, const InputView& u) {
  if (steps_directly_) [[likely]]
    return direct_step({t, h, t + h}, u.coefficients);
  clock_s_ = t;
  if (own_.mode != Mode::step) [[unlikely]] {
    if (own_.mode == Mode::ended) return fail(asked_to_end), StepEnd::failed;
    if (own_.mode != Mode::initialization) return fail("it has failed before"), StepEnd::failed;
    // Inputs of the first step are those that initialisation ends with.
    own_.now_s = t;
    if (setup_->inputs.real_count > 0 && !set_reals(u.coefficients)) return StepEnd::failed;
    if (!leave_initialization()) return StepEnd::failed;
    if (own_.mode == Mode::ended) return fail(asked_to_end), StepEnd::failed;
  }
  step_inputs_ = &u;
  step_start_s_ = t;
  const bool plain = !setup_->events_used || (!own_.discrete_changed && next_stop() > t + h);
  if (!plain) return step_in_parts(t, h, u, false);
  if (setup_->inputs.real_count > 0 && !set_reals(u.coefficients)) return StepEnd::failed;
  if (own_.discrete_changed && !set_discrete_now()) return StepEnd::failed;
  if (setup_->interpolates_inputs && u.degree > 0 && !set_derivatives(u)) return StepEnd::failed;
  return step_in_parts(t, h, u, true);
}

template <class Api>
StepEnd LocalInstance<Api>::step_in_parts(double t, double h, const InputView& u, bool inputs_are_set,
                                          const StepResult* first) {
  const double end = t + h;
  double now = t;
  double length = h;
  bool event = setup_->events_used && own_.discrete_changed && !inputs_are_set;
  int without_progress = 0;
  // Ticks and events that fall on an end of the step up to rounding belong to that end.
  const double close = 1e-9 * h;
  while (true) {
    if (!inputs_are_set) {
      const double tau = now - t;
      LaneValues& in = own_.inputs;
      for (std::size_t i = 0; i < in.reals.size(); ++i) in.reals[i] = tau > 0.0 ? u(i, tau) : u.start(i);
      if (event && !handle_event(now, false)) return StepEnd::failed;
      if (own_.mode == Mode::ended) return StepEnd::done;
      if (!in.reals.empty() && !set_reals(in.reals.data())) return StepEnd::failed;
      if (!event && own_.discrete_changed && !set_discrete_now()) return StepEnd::failed;
      const double stop = setup_->events_used ? next_stop() : never;
      const bool stops = stop < end - close && stop > now + close;
      // (t + h) − t is not h to the last bit, and an FMU may see the difference.
      length = !stops && now == t ? h : (stops ? stop : end) - now;
      event = false;
      inputs_are_set = true;
    }
    const StepResult result = first != nullptr
                                  ? *first
                                  : api_.result_of(api_.call_step(now, length_within_experiment(now, length),
                                                                  is_never_set_before(now)),
                                                   now, length);
    first = nullptr;
    if (result.status <= FmuStatus::warning && !result.terminate && !result.event_needed &&
        result.time_reached_s >= end && (!setup_->events_used || next_stop() > end + close)) [[likely]] {
      own_.now_s = end;
      return StepEnd::done;
    }
    if (result.terminate && result.status <= FmuStatus::discard) {
      note_end_request(result.time_reached_s);
      own_.now_s = end;
      return StepEnd::done;
    }
    if (result.status == FmuStatus::discard) {
      if (!said_discarded_) {
        said_discarded_ = true;
        log_message({log_.name(), FmuStatus::warning, "",
                     fmt::format("a step of {} s was discarded; it is done in smaller ones", length), now});
      }
      // FMI 2 has done a part of the step, FMI 3 nothing.
      if (result.time_reached_s <= now + close) {
        length *= 0.5;
        if (++without_progress > 20) return fail("it discards the step, however small"), StepEnd::failed;
        continue;
      }
    } else if (!good(result.status, "DoStep")) {
      return StepEnd::failed;
    }
    if (result.time_reached_s > now + close) {
      without_progress = 0;
    } else if (++without_progress > 1000) {
      return fail("it returns early again and again, without moving on"), StepEnd::failed;
    }
    now = std::min(result.time_reached_s, end);
    if (now > end - close) now = end;
    clock_s_ = own_.now_s = now;
    event = setup_->events_used && (result.event_needed || next_stop() <= now + close);
    if (now >= end) {
      if (event && !handle_event(now, false)) return StepEnd::failed;
      return StepEnd::done;
    }
    inputs_are_set = false;
  }
}

template class LocalInstance<Fmi1Api>;
template class LocalInstance<Fmi2Api>;
template class LocalInstance<Fmi3Api>;

}  // namespace ergon::fmi
