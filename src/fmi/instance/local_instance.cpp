#include "ergon/fmi/instance/local_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

namespace ergon::fmi {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

template <class Api>
const char* prefix() {
  return Api::has_events ? "fmi3" : "fmi2";
}

std::size_t most_values(const Batches& b) {
  std::size_t most = 0;
  for (const auto* list :
       {&b.reals, &b.integers, &b.texts, &b.clocked_reals, &b.clocked_integers, &b.clocked_texts}) {
    for (const Batch& batch : *list) most = std::max(most, batch.elements.size());
  }
  return most;
}

}  // namespace

template <class Api>
LocalInstance<Api>::LocalInstance(std::shared_ptr<const InstanceSetup> setup, const std::string& name)
    : setup_(std::move(setup)), log_(name), clocks_(setup_->clocks) {
  own_.inputs.resize(setup_->inputs);
  own_.ticks.resize(clocks_.size());
  own_.next_event_s = never;
  if (setup_->outputs.has_clocked()) own_.clocked.resize(setup_->outputs);
  transfer_.reserve(std::max({std::size_t{1}, most_values(setup_->inputs), most_values(setup_->outputs)}));
  due_.reserve(clocks_.size());
  active_ = std::make_unique<bool[]>(clocks_.size());
  std::fill_n(active_.get(), clocks_.size(), true);
}

template <class Api>
LocalInstance<Api>::~LocalInstance() {
  if (!instantiated_) return;
  // After an error nothing but freeing is safe, after a fatal one not even that.
  if (own_.mode == Mode::lost) return;
  for (auto& slot : slots_) {
    if (slot->state != nullptr) (void)api_.free_state(&slot->state);
  }
  if (own_.mode == Mode::step && reason_.empty()) (void)api_.terminate();
  api_.free_instance();
}

template <class Api>
bool LocalInstance<Api>::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

template <class Api>
bool LocalInstance<Api>::good(FmuStatus status, const char* call) {
  if (status <= FmuStatus::warning) [[likely]]
    return true;
  std::string said = fmt::format("{}{} returned {}", prefix<Api>(), call, name_of(status));
  if (!log_.last_complaint.empty() && log_.complaint_time_s == log_.time_s)
    said += fmt::format(": \"{}\"", log_.last_complaint);
  if (status == FmuStatus::fatal) {
    own_.mode = Mode::lost;
    lost_ = true;
  }
  return fail(std::move(said));
}

template <class Api>
bool LocalInstance<Api>::instantiate() {
  if (std::string why = api_.bind(*setup_); !why.empty()) return fail(std::move(why));
  std::fenv_t environment;
  std::fegetenv(&environment);
  instantiated_ = api_.instantiate(*setup_, log_, this);
  std::fesetenv(&environment);
  if (!instantiated_) {
    std::string said = "it cannot be instantiated";
    said +=
        log_.last_complaint.empty() ? " and does not say why" : fmt::format(": \"{}\"", log_.last_complaint);
    return fail(std::move(said));
  }
  own_.mode = Mode::instantiated;
  return true;
}

template <class Api>
bool LocalInstance<Api>::set_value(const StartValue& value) {
  const std::size_t count = std::max({value.reals.size(), value.integers.size(), value.texts.size()});
  transfer_.reserve(
      std::max(count, std::max({std::size_t{1}, most_values(setup_->inputs), most_values(setup_->outputs)})));
  Batch batch{value.type, {value.reference}, {}, false};
  for (std::size_t i = 0; i < count; ++i) batch.elements.push_back(static_cast<std::uint32_t>(i));
  return good(transfer_.set(api_, batch, value.reals.data(), value.integers.data(), value.texts.data()),
              "Set…");
}

template <class Api>
bool LocalInstance<Api>::get_value(StartValue& value) {
  const std::size_t count = std::max({value.reals.size(), value.integers.size(), value.texts.size()});
  transfer_.reserve(
      std::max(count, std::max({std::size_t{1}, most_values(setup_->inputs), most_values(setup_->outputs)})));
  Batch batch{value.type, {value.reference}, {}, false};
  for (std::size_t i = 0; i < count; ++i) batch.elements.push_back(static_cast<std::uint32_t>(i));
  return good(transfer_.get(api_, batch, value.reals.data(), value.integers.data(), value.texts.data()),
              "Get…");
}

template <class Api>
bool LocalInstance<Api>::initialize(const StartSettings& settings) {
  log_.time_s = start_s_ = own_.now_s = settings.start_s;
  const auto is_structural = [](const StartValue& v) { return v.structural; };
  if (std::any_of(settings.values.begin(), settings.values.end(), is_structural)) {
    if (!good(api_.enter_configuration(), "EnterConfigurationMode")) return false;
    for (const StartValue& value : settings.values) {
      if (value.structural && !set_value(value)) return false;
    }
    if (!good(api_.exit_configuration(), "ExitConfigurationMode")) return false;
  }
  for (const StartValue& value : settings.values) {
    if (!value.structural && !set_value(value)) return false;
  }
  std::fenv_t environment;
  std::fegetenv(&environment);
  const bool entered = good(api_.enter_initialization(settings), "EnterInitializationMode");
  std::fesetenv(&environment);
  if (!entered) return false;
  own_.mode = Mode::initialization;
  own_.discrete_changed = setup_->inputs.integer_count + setup_->inputs.text_count > 0;
  own_.reals_known = false;
  return true;
}

template <class Api>
bool LocalInstance<Api>::set_reals(const double* u) {
  for (const Batch& batch : setup_->inputs.reals) {
    const FmuStatus status = batch.direct ? api_.set_float64(batch.references.data(), batch.references.size(),
                                                             u, batch.elements.size())
                                          : transfer_.set(api_, batch, u, nullptr, nullptr);
    if (!good(status, "SetFloat64 (SetReal)")) return false;
  }
  std::copy_n(u, setup_->inputs.real_count, own_.inputs.reals.data());
  own_.reals_known = true;
  return true;
}

template <class Api>
bool LocalInstance<Api>::set_discrete_now() {
  own_.discrete_changed = false;
  for (const Batch& batch : setup_->inputs.integers) {
    if (!good(transfer_.set(api_, batch, nullptr, own_.inputs.integers.data(), nullptr), "SetInteger"))
      return false;
  }
  for (const Batch& batch : setup_->inputs.texts) {
    if (!good(transfer_.set(api_, batch, nullptr, nullptr, own_.inputs.texts.data()), "SetString"))
      return false;
  }
  return true;
}

template <class Api>
bool LocalInstance<Api>::get_reals(double* y) {
  for (const Batch& batch : setup_->outputs.reals) {
    const FmuStatus status = batch.direct ? api_.get_float64(batch.references.data(), batch.references.size(),
                                                             y, batch.elements.size())
                                          : transfer_.get(api_, batch, y, nullptr, nullptr);
    if (!good(status, "GetFloat64 (GetReal)")) return false;
  }
  if (setup_->outputs.clocked_reals.empty()) [[likely]]
    return true;
  for (const Batch& batch : setup_->outputs.clocked_reals) {
    for (const std::uint32_t element : batch.elements) y[element] = own_.clocked.reals[element];
  }
  return true;
}

template <class Api>
bool LocalInstance<Api>::read_clocked() {
  LaneValues& c = own_.clocked;
  const Batches& b = setup_->outputs;
  for (const auto* list : {&b.clocked_reals, &b.clocked_integers, &b.clocked_texts}) {
    for (const Batch& batch : *list) {
      if (!good(transfer_.get(api_, batch, c.reals.data(), c.integers.data(), c.texts.data()),
                "Get of a clocked variable"))
        return false;
    }
  }
  return true;
}

template <class Api>
void LocalInstance<Api>::set_discrete(const std::int64_t* integers, const std::string* texts) {
  LaneValues& in = own_.inputs;
  if (!std::equal(in.integers.begin(), in.integers.end(), integers)) {
    std::copy_n(integers, in.integers.size(), in.integers.begin());
    own_.discrete_changed = true;
  }
  for (std::size_t i = 0; i < in.texts.size(); ++i) {
    if (in.texts[i] == texts[i]) continue;
    in.texts[i] = texts[i];
    own_.discrete_changed = true;
  }
}

template <class Api>
bool LocalInstance<Api>::discrete_outputs(std::int64_t* integers, std::string* texts) {
  const Batches& b = setup_->outputs;
  for (const auto* list : {&b.integers, &b.texts}) {
    for (const Batch& batch : *list) {
      if (!good(transfer_.get(api_, batch, nullptr, integers, texts), "Get of integers, booleans or texts"))
        return false;
    }
  }
  for (const Batch& batch : b.clocked_integers) {
    for (const std::uint32_t element : batch.elements) integers[element] = own_.clocked.integers[element];
  }
  for (const Batch& batch : b.clocked_texts) {
    for (const std::uint32_t element : batch.elements) texts[element] = own_.clocked.texts[element];
  }
  return true;
}

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

/// Event mode at t: clocks that are due tick, inputs are set, discrete states updated. From step mode and back to it.
template <class Api>
bool LocalInstance<Api>::handle_event(double t, bool initial) {
  if constexpr (Api::has_events) {
    if (!initial && !good(api_.enter_event_mode(), "EnterEventMode")) return false;
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
    const EventResult result = api_.update_discrete_states();
    if (!good(result.status, "UpdateDiscreteStates")) return false;
    if (result.terminate) return fail("it asks to end the run");
    own_.next_event_s = result.next_event_defined && result.next_event_s > t ? result.next_event_s : never;
    return good(api_.enter_step_mode(), "EnterStepMode");
  } else {
    (void)t, (void)initial;
    return true;
  }
}

template <class Api>
bool LocalInstance<Api>::leave_initialization() {
  if (own_.discrete_changed && !set_discrete_now()) return false;
  if constexpr (Api::has_events) {
    for (PeriodicClock& clock : clocks_) {
      if (clock.interval_s > 0.0) continue;
      if (!good(api_.clock_interval(clock.reference, &clock.interval_s, &clock.shift_s),
                "GetIntervalDecimal"))
        return false;
      if (!(clock.interval_s > 0.0)) return fail("a clock of it has no interval");
    }
    if (setup_->outputs.has_clocked() && !read_clocked()) return false;
  }
  if (!good(api_.exit_initialization(), "ExitInitializationMode")) return false;
  own_.mode = Mode::step;
  return !setup_->events_used || handle_event(own_.now_s, true);
}

template <class Api>
bool LocalInstance<Api>::finish_initialization() {
  return own_.mode != Mode::initialization || leave_initialization();
}

template <class Api>
bool LocalInstance<Api>::outputs(double t, const double* u, double* y, bool may_set) {
  log_.time_s = t;
  const std::size_t n = setup_->inputs.real_count;
  const bool initial = own_.mode == Mode::initialization;
  if (may_set || initial) {
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
          if (result.terminate) return fail("it asks to end the run");
          own_.next_event_s =
              result.next_event_defined && result.next_event_s > t ? result.next_event_s : never;
          if (!good(api_.enter_step_mode(), "EnterStepMode")) return false;
        }
      }
    }
  }
  return get_reals(y);
}

template <class Api>
bool LocalInstance<Api>::set_derivatives(const InputView& u) {
  const std::size_t n = setup_->inputs.real_count;
  const auto degree = static_cast<std::size_t>(u.degree);
  if (setup_->inputs.reals.size() != 1 || n == 0) return true;
  const Batch& batch = setup_->inputs.reals.front();
  derivative_values_.resize(n * degree);
  derivative_references_.resize(n * degree);
  derivative_orders_.resize(n * degree);
  double factorial = 1.0;
  for (std::size_t d = 1; d <= degree; ++d) {
    factorial *= static_cast<double>(d);
    for (std::size_t i = 0; i < n; ++i) {
      derivative_values_[(d - 1) * n + i] = factorial * u.coefficients[d * u.stride + i];
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

template <class Api>
StepEnd LocalInstance<Api>::step(double t, double h, const InputView& u) {
  log_.time_s = t;
  if (own_.mode != Mode::step) [[unlikely]] {
    if (own_.mode != Mode::initialization) return fail("it has failed before"), StepEnd::failed;
    // Inputs of the first step are those that initialisation ends with.
    own_.now_s = t;
    if (setup_->inputs.real_count > 0 && !set_reals(u.coefficients)) return StepEnd::failed;
    if (!leave_initialization()) return StepEnd::failed;
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
StepEnd LocalInstance<Api>::step_in_parts(double t, double h, const InputView& u, bool inputs_are_set) {
  const double end = t + h;
  double now = t;
  double length = h;
  bool event = setup_->events_used && own_.discrete_changed && !inputs_are_set;
  int without_progress = 0;
  // Ticks and events that fall on an end of the step up to rounding belong to that end.
  const double close = 1e-9 * h;
  const bool never_set_back = used_slots_ == 0;
  while (true) {
    if (!inputs_are_set) {
      const double tau = now - t;
      LaneValues& in = own_.inputs;
      for (std::size_t i = 0; i < in.reals.size(); ++i) in.reals[i] = tau > 0.0 ? u(i, tau) : u.start(i);
      if (event && !handle_event(now, false)) return StepEnd::failed;
      if (!in.reals.empty() && !set_reals(in.reals.data())) return StepEnd::failed;
      if (!event && own_.discrete_changed && !set_discrete_now()) return StepEnd::failed;
      const double stop = setup_->events_used ? next_stop() : never;
      length = (stop < end - close && stop > now + close ? stop : end) - now;
      event = false;
      inputs_are_set = true;
    }
    const StepResult result = api_.do_step(now, length, never_set_back);
    if (result.status <= FmuStatus::warning && !result.terminate && !result.event_needed &&
        result.time_reached_s >= end && (!setup_->events_used || next_stop() > end + close)) [[likely]] {
      own_.now_s = end;
      return StepEnd::done;
    }
    if (result.terminate) return fail("it asks to end the run"), StepEnd::failed;
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
    log_.time_s = own_.now_s = now;
    event = setup_->events_used && (result.event_needed || next_stop() <= now + close);
    if (now >= end) {
      if (event && !handle_event(now, false)) return StepEnd::failed;
      return StepEnd::done;
    }
    inputs_are_set = false;
  }
}

template <class Api>
std::size_t LocalInstance<Api>::make_slot() {
  ++used_slots_;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i]->in_use) continue;
    slots_[i]->in_use = true;
    return i;
  }
  slots_.push_back(std::make_unique<Slot>());
  slots_.back()->in_use = true;
  slots_.back()->own = own_;
  return slots_.size() - 1;
}

template <class Api>
void LocalInstance<Api>::free_slot(std::size_t slot) {
  Slot& s = *slots_[slot];
  if (s.state != nullptr && own_.mode != Mode::lost) (void)api_.free_state(&s.state);
  s.state = nullptr;
  s.in_use = false;
  --used_slots_;
}

template <class Api>
bool LocalInstance<Api>::save(std::size_t slot) {
  // A state within initialisation could be set back to only there.
  if (!finish_initialization()) return false;
  Slot& s = *slots_[slot];
  if (!good(api_.get_state(&s.state), "GetFMUState")) return false;
  s.own = own_;
  return true;
}

template <class Api>
bool LocalInstance<Api>::restore(std::size_t slot) {
  const Slot& s = *slots_[slot];
  if (s.state == nullptr) return fail("a state is to be restored that was never saved");
  if (!good(api_.set_state(s.state), "SetFMUState")) return false;
  own_ = s.own;
  return true;
}

template <class Api>
bool LocalInstance<Api>::serialize(std::size_t slot, std::vector<std::byte>& bytes) {
  Slot& s = *slots_[slot];
  std::size_t size = 0;
  if (!good(api_.serialized_size(s.state, &size), "SerializedFMUStateSize")) return false;
  // What belongs to the state beside it, as plain numbers before it.
  std::vector<double> own = {s.own.now_s, s.own.next_event_s, s.own.discrete_changed ? 1.0 : 0.0,
                             s.own.reals_known ? 1.0 : 0.0};
  for (const std::uint64_t tick : s.own.ticks) own.push_back(static_cast<double>(tick));
  own.insert(own.end(), s.own.inputs.reals.begin(), s.own.inputs.reals.end());
  own.insert(own.end(), s.own.clocked.reals.begin(), s.own.clocked.reals.end());
  bytes.resize(own.size() * sizeof(double) + size);
  std::memcpy(bytes.data(), own.data(), own.size() * sizeof(double));
  return good(api_.serialize(s.state, bytes.data() + own.size() * sizeof(double), size), "SerializeFMUState");
}

template <class Api>
bool LocalInstance<Api>::deserialize(std::span<const std::byte> bytes, std::size_t slot) {
  Slot& s = *slots_[slot];
  const std::size_t count = 4 + own_.ticks.size() + own_.inputs.reals.size() + own_.clocked.reals.size();
  if (bytes.size() < count * sizeof(double)) return fail("the bytes are no state of it");
  std::vector<double> own(count);
  std::memcpy(own.data(), bytes.data(), count * sizeof(double));
  typename Api::State state = nullptr;
  if (!good(api_.deserialize(bytes.data() + count * sizeof(double), bytes.size() - count * sizeof(double),
                             &state),
            "DeserializeFMUState"))
    return false;
  if (s.state != nullptr) (void)api_.free_state(&s.state);
  s.state = state;
  s.own = own_;
  s.own.mode = Mode::step;
  s.own.now_s = own[0];
  s.own.next_event_s = own[1];
  s.own.discrete_changed = true;  // integers and texts come anew
  s.own.reals_known = own[3] != 0.0;
  std::size_t at = 4;
  for (std::uint64_t& tick : s.own.ticks) tick = static_cast<std::uint64_t>(own[at++]);
  for (double& real : s.own.inputs.reals) real = own[at++];
  for (double& real : s.own.clocked.reals) real = own[at++];
  return true;
}

template <class Api>
bool LocalInstance<Api>::directional_derivative(std::span<const std::uint32_t> unknowns,
                                                std::span<const std::uint32_t> knowns,
                                                std::span<const double> seed, std::span<double> sensitivity) {
  return good(api_.directional_derivative(unknowns.data(), unknowns.size(), knowns.data(), knowns.size(),
                                          seed.data(), sensitivity.data()),
              "GetDirectionalDerivative");
}

template <class Api>
bool LocalInstance<Api>::output_derivatives(std::span<const std::uint32_t> references,
                                            std::span<double> values) {
  derivative_orders_.assign(references.size(), 1);
  return good(
      api_.output_derivatives(references.data(), references.size(), derivative_orders_.data(), values.data()),
      "GetOutputDerivatives");
}

template class LocalInstance<Fmi2Api>;
template class LocalInstance<Fmi3Api>;

std::unique_ptr<FmuInstance> make_local_instance(std::shared_ptr<const InstanceSetup> setup,
                                                 const std::string& name) {
  if (setup->version == FmiVersion::fmi2)
    return std::make_unique<LocalInstance<Fmi2Api>>(std::move(setup), name);
  return std::make_unique<LocalInstance<Fmi3Api>>(std::move(setup), name);
}

}  // namespace ergon::fmi
