#include "ergon/fmi/subsystem/fmu_subsystem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "ergon/core/ends_initialization.hpp"
#include "ergon/fmi/archive/open_files.hpp"
#include "ergon/fmi/host/hosted_instance.hpp"
#include "ergon/fmi/instance/fmu_instance.hpp"
#include "ergon/fmi/worker/sandbox.hpp"
#include "ergon/fmi/worker/worker.hpp"

namespace ergon::fmi {
namespace {

class FmuSlot final : public StateSlot {
 public:
  explicit FmuSlot(std::shared_ptr<FmuInstance> instance)
      : instance_(std::move(instance)), number_(instance_->make_slot()) {}
  ~FmuSlot() override { instance_->free_slot(number_); }
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::shared_ptr<FmuInstance> instance_;  // a slot may outlive its subsystem
  std::size_t number_;
};

class FmuSubsystem final : public Subsystem,
                           private DiscretePorts,
                           private Tunable,
                           private Rewindable,
                           private Serializable,
                           private Differentiable,
                           private EnergyAccount,
                           private StateDerivative,
                           private EndsInitialization {
 public:
  FmuSubsystem(std::shared_ptr<const FmuKind> kind, std::shared_ptr<FmuInstance> instance,
               std::vector<StartValue> values, std::optional<double> tolerance)
      : kind_(std::move(kind)),
        instance_(std::move(instance)),
        may_set_(kind_->description->reevaluates_outputs),
        has_rates_(!kind_->derivative_references.empty()),
        values_(std::move(values)),
        tolerance_(tolerance),
        own_account_(kind_->own_account) {
    if (!may_set_ && !kind_->setup->can_save_state) instance_->forget_inputs();
    if (kind_->stored != FmuKind::none) y_.resize(count_values(kind_->description->outputs).reals);
  }

  [[nodiscard]] Description describe() const override { return *kind_->description; }
  [[nodiscard]] std::shared_ptr<const Description> shared_description() const override {
    return kind_->description;
  }

  StepStatus initialize(const Experiment& experiment) override {
    StartSettings settings;
    settings.values = values_;
    settings.start_s = experiment.start_s;
    settings.end_s = experiment.end_s;
    settings.tolerance = tolerance_ ? tolerance_ : experiment.tolerance;
    if (!instance_->initialize(settings)) return failure();
    is_initialized_ = true;
    has_start_ = false;  // what is received counts from this start on
    return {};
  }

  EndsInitialization* ends_initialization() override { return this; }
  StepStatus end_initialization(double t, const double* u) override {
    std::vector<double> y(count_values(kind_->description->outputs).reals);
    if (!instance_->outputs(t, u, y.data(), true) || !instance_->finish_initialization()) return failure();
    return {};
  }

  [[nodiscard]] bool needs_inputs_first() const override { return kind_->setup->version == FmiVersion::fmi1; }

  StepStatus step(double t, double h, const InputView& u) override {
    if (instance_->step(t, h, u) == StepEnd::done) [[likely]]
      return {};
    return failure();
  }

  void outputs(double t, const double* u, double* y) override { get_outputs(t, u, y); }
  [[nodiscard]] Grouped grouped_steps() override {
    return has_rates_ ? Grouped{} : instance_->grouped_steps();
  }

  AsyncSteps* async_steps() override { return instance_->async_steps(); }
  DiscretePorts* discrete_ports() override {
    const Batches& in = kind_->setup->inputs;
    const Batches& out = kind_->setup->outputs;
    return in.integer_count + in.text_count + out.integer_count + out.text_count > 0 ? this : nullptr;
  }
  Tunable* tunable() override { return kind_->tunables.empty() ? nullptr : this; }
  Rewindable* rewindable() override { return kind_->setup->can_save_state ? this : nullptr; }
  const Serializable* serializable() const override {
    return kind_->setup->can_serialize_state ? this : nullptr;
  }
  const Differentiable* differentiable() const override {
    const InstanceSetup& s = *kind_->setup;
    const bool plain = kind_->real_inputs.size() == s.inputs.real_count &&
                       kind_->real_outputs.size() == s.outputs.real_count && s.inputs.real_count > 0 &&
                       kind_->derivative_references.empty();
    return s.directional_derivatives && plain ? this : nullptr;
  }
  StateDerivative* state_derivative() override { return kind_->setup->exchange ? this : nullptr; }
  const EnergyAccount* energy_account() const override {
    return kind_->stored != FmuKind::none ? this : nullptr;
  }

 private:
  StepStatus failure() const { return {false, instance_->reason().c_str()}; }
  void demand(bool ok) const {
    if (!ok)
      throw std::runtime_error(instance_->reason());  // the engine makes it a failure of this subsystem
  }

  void get_outputs(double t, const double* u, double* y) const {
    demand(instance_->outputs(t, u, y, may_set_));
    if (!has_rates_) [[likely]]
      return;
    const std::span<double> rates(y + kind_->setup->outputs.real_count, kind_->derivative_references.size());
    demand(instance_->output_derivatives(kind_->derivative_references, rates));
  }

  // DiscretePorts
  void set_discrete_inputs(const DiscreteInputs& u) override { instance_->set_discrete(u.integers, u.texts); }
  void discrete_outputs(double /*t*/, const double* /*u*/, const DiscreteOutputs& y) override {
    demand(instance_->discrete_outputs(y.integers, y.texts));
  }

  // Tunable
  [[nodiscard]] const Variable& tuned(std::size_t number) const {
    return kind_->model->description().variables[kind_->tunables[number]];
  }
  [[nodiscard]] std::vector<TunableParameter> tunable_parameters() const override {
    std::vector<TunableParameter> list;
    const ModelDescription& d = kind_->model->description();
    for (const std::size_t index : kind_->tunables) {
      const Variable& v = d.variables[index];
      TunableParameter p;
      p.name = v.name;
      p.description = v.description;
      p.unit = is_float(v.type) ? unit_of(d, v) : Unit{};
      p.type = is_float(v.type)                      ? PortType::real
               : v.type == VariableType::boolean     ? PortType::boolean
               : v.type == VariableType::enumeration ? PortType::enumeration
               : v.type == VariableType::text        ? PortType::text
                                                     : PortType::integer;
      if (const TypeInfo* type = d.type(v.declared_type)) p.items = type->items;
      list.push_back(std::move(p));
    }
    return list;
  }
  [[nodiscard]] TypedValue parameter(std::size_t number) const override {
    const Variable& v = tuned(number);
    StartValue value{v.reference, v.type, false, {}, {}, {}};
    const int lane = lane_number(v.type);
    if (lane == 0) value.reals = {0.0};
    if (lane == 1) value.integers = {0};
    if (lane == 2) value.texts = {""};
    // Before initialization FMI 2 has no legal way to ask.
    if (is_initialized_) {
      demand(instance_->get_value(value));
    } else {
      to_be_set(v, value);
    }
    if (lane == 0) return value.reals.front();
    if (lane == 2) return value.texts.front();
    if (v.type == VariableType::boolean) return value.integers.front() != 0;
    return value.integers.front();
  }
  /// What it will start with: the scenario's value, or that of the description.
  void to_be_set(const Variable& v, StartValue& value) const {
    for (const StartValue& given : values_) {
      if (given.reference != v.reference || given.type != v.type) continue;
      value = given;
      return;
    }
    if (lane_number(v.type) == 2) {
      if (!v.start_texts.empty()) value.texts = {v.start_texts.front()};
    } else if (!v.start.empty()) {
      if (lane_number(v.type) == 0) value.reals = {v.start.front()};
      if (lane_number(v.type) == 1) value.integers = {first_integer(v)};
    }
  }
  [[nodiscard]] std::string set_parameter(std::size_t number, const TypedValue& value) override {
    const Variable& v = tuned(number);
    const TypeInfo* type = kind_->model->description().type(v.declared_type);
    const std::vector<TunableParameter> all = tunable_parameters();
    const StoredValue lane =
        to_stored(value, all[number].type, type != nullptr ? type->items : std::vector<EnumerationItem>{});
    if (lane.problem != nullptr) return lane.problem;
    StartValue setting{v.reference, v.type, false, {}, {}, {}};
    switch (lane_number(v.type)) {
      case 0:
        if (v.minimum && lane.real < *v.minimum) return fmt::format("must be at least {}", *v.minimum);
        if (v.maximum && lane.real > *v.maximum) return fmt::format("must be at most {}", *v.maximum);
        setting.reals = {lane.real};
        break;
      case 1:
        setting.integers = {lane.integer};
        break;
      default:
        setting.texts = {lane.text};
    }
    return instance_->set_value(setting) ? std::string{}
                                         : fmt::format("was refused: {}", instance_->reason());
  }

  // Rewindable, Serializable
  [[nodiscard]] std::unique_ptr<StateSlot> make_slot() const override {
    return std::make_unique<FmuSlot>(instance_);
  }
  void save(StateSlot& slot) const override { demand(instance_->save(static_cast<FmuSlot&>(slot).number())); }
  void restore(const StateSlot& slot) override {
    demand(instance_->restore(static_cast<const FmuSlot&>(slot).number()));
  }
  void serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const override {
    demand(instance_->serialize(static_cast<const FmuSlot&>(slot).number(), bytes));
  }
  bool deserialize(std::span<const std::byte> bytes, StateSlot& slot) const override {
    return instance_->deserialize(bytes, static_cast<FmuSlot&>(slot).number());
  }

  // Differentiable: ∂y/∂u, one directional derivative per input.
  void output_jacobian(double t, const double* u, double* jacobian) const override {
    const std::size_t inputs = kind_->real_inputs.size();
    const std::size_t outputs = kind_->real_outputs.size();
    column_.resize(outputs);
    if (may_set_) demand(instance_->outputs(t, u, column_.data(), true));
    const double one = 1.0;
    for (std::size_t i = 0; i < inputs; ++i) {
      demand(instance_->directional_derivative(kind_->real_outputs, std::span(&kind_->real_inputs[i], 1),
                                               std::span(&one, 1), column_));
      for (std::size_t o = 0; o < outputs; ++o) jacobian[o * inputs + i] = column_[o];
    }
  }

  // StateDerivative, of model exchange
  [[nodiscard]] std::vector<std::string> state_names() const override { return kind_->state_names; }
  void states(double* z) const override { demand(instance_->states({z, kind_->state_names.size()})); }
  void set_states(const double* z) override { demand(instance_->set_states({z, kind_->state_names.size()})); }
  bool derivative(double t, const double* u, double* z_dot) const override {
    return instance_->state_rates(t, u, {z_dot, kind_->state_names.size()});
  }

  // EnergyAccount
  void sample(const AccountInputs& inputs, AccountSample& sample) const override {
    get_outputs(inputs.t_s, inputs.used, y_.data());
    sample.stored_J = y_[kind_->stored];
    // Where outputs follow inputs, so does the energy: the jump to the newest inputs is received, too.
    if (may_set_) get_outputs(inputs.t_s, inputs.newest, y_.data());
    sample.dissipated_J = kind_->dissipated != FmuKind::none ? y_[kind_->dissipated] : 0.0;
    sample.supplied_J = kind_->supplied != FmuKind::none ? y_[kind_->supplied] : 0.0;
    sample.synchronised_J = y_[kind_->stored];
    sample.kinetic_J = kind_->kinetic != FmuKind::none ? y_[kind_->kinetic] : sample.synchronised_J;
    if (!own_account_.synchronised_and_kinetic.empty()) return sample_own(sample);
    if (!has_start_) {
      has_start_ = true;
      start_J_ = sample.synchronised_J + sample.non_conservative_J();
    }
    std::fill(sample.received_J.begin(), sample.received_J.end(), 0.0);
    for (const auto& [input, output] : kind_->received) sample.received_J[input] = y_[output];
    // Δstored + Δdissipated = Δreceived + Δsupplied is what an account means.
    if (kind_->through != FmuKind::none && kind_->received.empty())
      sample.received_J[kind_->through] = sample.synchronised_J + sample.non_conservative_J() - start_J_;
  }

  /// With the inputs that are set.
  void sample_own(AccountSample& sample) const {
    auto& whole = own_account_.synchronised_and_kinetic;
    for (StartValue& value : whole) demand(instance_->get_value(value));
    sample.synchronised_J = whole[0].reals[0];
    sample.kinetic_J = whole[1].reals[0];
    for (auto& [value, first] : own_account_.received) {
      demand(instance_->get_value(value));
      std::copy(value.reals.begin(), value.reals.end(),
                sample.received_J.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }

  std::shared_ptr<const FmuKind> kind_;
  std::shared_ptr<FmuInstance> instance_;
  bool may_set_;
  bool has_rates_;
  bool is_initialized_ = false;
  std::vector<StartValue> values_;
  std::optional<double> tolerance_;
  mutable std::vector<double> column_;
  mutable std::vector<double> y_;
  mutable FmuKind::OwnAccount own_account_;
  mutable bool has_start_ = false;
  mutable double start_J_ = 0.0;
};

/// FMI 1.0 leaves open whether an FMU starts with the values of its description, so parameters are set to them.
std::vector<StartValue> start_values(const ModelDescription& d, const std::vector<StartValue>& given) {
  if (d.version != FmiVersion::fmi1) return given;
  std::vector<StartValue> values;
  for (const Variable& v : d.variables) {
    if (v.causality != Causality::parameter || !v.has_start) continue;
    StartValue value{v.reference, v.type, false, {}, {}, {}};
    if (is_float(v.type)) {
      value.reals = v.start;
    } else if (v.type == VariableType::text) {
      value.texts = v.start_texts;
    } else {
      value.integers = {first_integer(v)};
    }
    values.push_back(std::move(value));
  }
  values.insert(values.end(), given.begin(), given.end());
  return values;
}

/// Values of structural parameters decide how long arrays are.
std::vector<std::pair<std::uint32_t, std::uint64_t>> structural_values(
    const std::vector<StartValue>& values) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> result;
  for (const StartValue& v : values) {
    if (v.structural && !v.integers.empty())
      result.emplace_back(v.reference, static_cast<std::uint64_t>(v.integers.front()));
  }
  return result;
}

/// Kinds are made once: a thousand instances share one.
std::shared_ptr<const FmuKind> kind_of(const std::shared_ptr<const FmuModel>& model,
                                       const FmuRequest& request, ProblemList& problems) {
  static std::mutex mutex;  // kinds are made by whoever comes first
  const std::lock_guard guard(mutex);
  const auto structural = structural_values(request.values);
  const ForeignOptions& o = request.options;
  const bool plain = structural.empty() && o.outputs.empty() && o.inputs.empty() && o.feedthrough.empty() &&
                     !o.energy && !o.output_derivatives && !o.absolute_tolerance;
  const bool is_exchange = interface_of(model->description(), o) == FmuInterfaceKind::model_exchange;
  const std::size_t number = (o.isolate ? 1U : 0U) + (o.sandbox ? 8U : 0U) +
                             (o.refresh ? (*o.refresh ? 4U : 2U) : 0U) + (is_exchange ? 16U : 0U);
  if (plain) {
    if (auto found = model->kind(number); found && found->options.call_limit_s == o.call_limit_s)
      return found;
  }
  auto made = make_kind(model, o, structural, problems);
  if (!made) return nullptr;
  auto kind = std::make_shared<FmuKind>(*made);
  auto description = std::make_shared<Description>(*made->description);
  if (o.refresh || is_exchange) {  // in model exchange outputs always follow inputs
    description->reevaluates_outputs = o.refresh.value_or(true);
  } else {
    if (!model->refreshes)
      model->refreshes = finds_refresh(*kind, start_values(model->description(), request.values));
    description->reevaluates_outputs = *model->refreshes;
  }
  kind->description = description;
  if (plain) model->remember(number, kind);
  return kind;
}

/// What a sandbox keeps, and what it cannot on this machine.
void say_sandbox(const FmuRequest& request, std::uint32_t parts, ProblemList& problems) {
  constexpr std::uint32_t all = sandbox_files | sandbox_network | sandbox_processes;
  const std::string kept = describe_sandbox(parts);
  const std::string text = fmt::format("Sandbox of '{}': {}.", request.name, kept.empty() ? "none" : kept);
  if ((parts & all) == all) {
    problems.note(request.where, text);
    return;
  }
  problems.warning(request.where,
                   fmt::format("{} This kernel cannot enforce: {}.", text, describe_sandbox(all & ~parts)),
                   "Landlock and seccomp must be compiled into it and switched on.");
}

/// What to do about an FMU that cannot be instantiated.
const char* remedy_for(const FmuKind& kind, const ForeignOptions& options, const std::string& reason) {
  if (reason.starts_with("its library cannot be loaded"))
    return "It was made for a system that has these libraries: install them, or name their folder in "
           "LD_LIBRARY_PATH.";
  if (declared_interface(kind.model->description(), kind.interface).once_per_process && !options.isolate)
    return "It can exist once per process: isolate = true gives each subsystem with it a process of its own.";
  if (options.isolate && options.environment.empty())
    return "A worker receives a clean environment: where the FMU needs a licence or a folder of its tool, "
           "name the variables "
           "in 'environment'.";
  return "Try 'ergon validate' on it, or have it exported again.";
}

}  // namespace

std::unique_ptr<Subsystem> make_fmu_subsystem(const std::shared_ptr<const FmuModel>& model,
                                              const FmuRequest& request, ProblemList& problems) {
  const auto kind = kind_of(model, request, problems);
  if (!kind) return nullptr;
  WorkerOptions worker;
  worker.call_limit_s = request.options.call_limit_s;
  worker.environment = request.options.environment;
  std::shared_ptr<FmuInstance> instance = request.options.isolate
                                              ? make_worker_instance(kind->setup, request.name, worker)
                                              : make_hosted_instance(kind->setup, request.name);
  if (!instance->instantiate()) {
    if (is_lack_of_descriptors(instance->reason())) {
      problems.error(request.where,
                     fmt::format("'{}' cannot be started: {}.", request.name, instance->reason()),
                     raise_open_files);
      return nullptr;
    }
    problems.error(request.where,
                   fmt::format("The FMU of '{}' ({}) cannot be used: {}.", request.name, model->file(),
                               instance->reason()),
                   remedy_for(*kind, request.options, instance->reason()));
    return nullptr;
  }
  if (request.options.sandbox) say_sandbox(request, kind->setup->sandbox, problems);
  if (kind->description->outputs.empty())
    problems.warning(
        request.where,
        fmt::format("'{}' ({}) has no outputs: nothing of it is recorded.", request.name, model->file()),
        "Name local variables in 'outputs' to expose them.");
  if (!request.options.refresh && !kind->setup->exchange && kind->description->has_feedthrough()) {
    problems.note(
        request.where,
        fmt::format("'{}' ({}) {} its outputs when an input is set between steps, as a trial showed.",
                    request.name, model->file(),
                    kind->description->reevaluates_outputs ? "re-evaluates" : "does not re-evaluate"));
  }
  return std::make_unique<FmuSubsystem>(kind, std::move(instance),
                                        start_values(model->description(), request.values),
                                        request.options.tolerance);
}

}  // namespace ergon::fmi
