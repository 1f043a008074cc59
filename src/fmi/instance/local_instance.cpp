#include "ergon/fmi/instance/local_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "ergon/fmi/exchange/exchange_instance.hpp"

namespace ergon::fmi {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

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
    : setup_(std::move(setup)), log_(name, clock_s_), clocks_(setup_->clocks) {
  own_.inputs.resize(setup_->inputs);
  own_.ticks.resize(clocks_.size());
  own_.next_event_s = never;
  if (setup_->outputs.has_clocked()) own_.clocked.resize(setup_->outputs);
  transfer_.reserve(std::max({std::size_t{1}, most_values(setup_->inputs), most_values(setup_->outputs)}));
  due_.reserve(clocks_.size());
  active_ = std::make_unique<bool[]>(clocks_.size());
  std::fill_n(active_.get(), clocks_.size(), true);
  const auto plain = [](const Batches& b) {
    return b.integers.empty() && b.texts.empty() && !b.has_clocked() &&
           (b.reals.empty() || (b.reals.size() == 1 && b.reals.front().direct));
  };
  direct_ = plain(setup_->inputs) && plain(setup_->outputs) && !setup_->events_used && clocks_.empty() &&
            !setup_->exchange && !setup_->interpolates_inputs && setup_->intermediate_references.empty();
  if (!setup_->inputs.reals.empty()) {
    set_references_ = setup_->inputs.reals.front().references.data();
    set_count_ = static_cast<std::uint32_t>(setup_->inputs.reals.front().references.size());
  }
  if (!setup_->outputs.reals.empty()) {
    get_references_ = setup_->outputs.reals.front().references.data();
    get_count_ = static_cast<std::uint32_t>(setup_->outputs.reals.front().references.size());
  }
  direct_ = direct_ && set_count_ == setup_->inputs.real_count && get_count_ == setup_->outputs.real_count;
}

template <class Api>
LocalInstance<Api>::~LocalInstance() {
  if (!instantiated_) return;
  // After an error nothing but freeing is safe, after a fatal one not even that.
  if (own_.mode == Mode::lost || CallGuard::has_caught()) return;
  for (auto& slot : slots_) {
    if (slot->state != nullptr) (void)api_.free_state(&slot->state);
  }
  if ((own_.mode == Mode::step && reason_.empty()) || own_.mode == Mode::ended) (void)api_.terminate();
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
  std::string said = fmt::format("{}{} returned {}", Api::prefix, call, name_of(status));
  if (!log_.last_complaint.empty() && log_.complaint_time_s == clock_s_)
    said += fmt::format(": \"{}\"", log_.last_complaint);
  if (status == FmuStatus::fatal) {
    enter(Mode::lost);
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
  if (!instantiated_ && setup_->events_used && clocks_.empty()) {
    // Event mode is an offer of the FMU; some make it and refuse it.
    auto without_events = std::make_shared<InstanceSetup>(*setup_);
    without_events->events_used = false;
    instantiated_ = api_.instantiate(*without_events, log_, this);
    if (instantiated_) {
      setup_ = std::move(without_events);
      log_message({log_.name(), FmuStatus::warning, "",
                   "it declares event mode and refuses it; it runs without", clock_s_});
    }
  }
  std::fesetenv(&environment);
  if (!instantiated_) {
    std::string said = "it cannot be instantiated";
    said += log_.last_complaint.empty() ? " and does not report why"
                                        : fmt::format(": \"{}\"", log_.last_complaint);
    return fail(std::move(said));
  }
  enter(Mode::instantiated);
  return true;
}

/// A batch of one variable, and room to transfer it.
template <class Api>
const Batch& LocalInstance<Api>::batch_of(const StartValue& value) {
  const std::size_t count = std::max({value.reals.size(), value.integers.size(), value.texts.size()});
  transfer_.reserve(
      std::max(count, std::max({std::size_t{1}, most_values(setup_->inputs), most_values(setup_->outputs)})));
  // Accounts are read at every point: memory is taken once.
  single_.type = value.type;
  single_.references.assign(1, value.reference);
  single_.elements.resize(count);
  std::iota(single_.elements.begin(), single_.elements.end(), 0U);
  return single_;
}

template <class Api>
bool LocalInstance<Api>::set_value(const StartValue& value) {
  return good(
      transfer_.set(api_, batch_of(value), value.reals.data(), value.integers.data(), value.texts.data()),
      "Set…");
}

template <class Api>
bool LocalInstance<Api>::get_value(StartValue& value) {
  return good(
      transfer_.get(api_, batch_of(value), value.reals.data(), value.integers.data(), value.texts.data()),
      "Get…");
}

template <class Api>
bool LocalInstance<Api>::initialize(const StartSettings& settings) {
  clock_s_ = start_s_ = own_.now_s = settings.start_s;
  end_s_ = settings.end_s.value_or(never);
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
  enter(Mode::initialization);
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
  if constexpr (!Api::reads_in_initialization) {
    if (!finish_initialization()) return false;
  }
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

template class LocalInstance<Fmi1Api>;
template class LocalInstance<Fmi2Api>;
template class LocalInstance<Fmi3Api>;

std::unique_ptr<FmuInstance> make_local_instance(std::shared_ptr<const InstanceSetup> setup,
                                                 const std::string& name) {
  if (setup->exchange) return make_exchange_instance(std::move(setup), name);
  switch (setup->version) {
    case FmiVersion::fmi1:
      return std::make_unique<LocalInstance<Fmi1Api>>(std::move(setup), name);
    case FmiVersion::fmi2:
      return std::make_unique<LocalInstance<Fmi2Api>>(std::move(setup), name);
    case FmiVersion::fmi3:
      return std::make_unique<LocalInstance<Fmi3Api>>(std::move(setup), name);
  }
  return nullptr;
}

}  // namespace ergon::fmi
