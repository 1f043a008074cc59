#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "ergon/fmi/subsystem/fmu_model.hpp"
#include "ergon/fmi/worker/sandbox.hpp"

namespace ergon::fmi {
namespace {

PortType port_type(VariableType type) {
  switch (type) {
    case VariableType::float32:
    case VariableType::float64:
      return PortType::real;
    case VariableType::boolean:
      return PortType::boolean;
    case VariableType::enumeration:
      return PortType::enumeration;
    case VariableType::text:
      return PortType::text;
    case VariableType::binary:
      return PortType::binary;
    default:
      return PortType::integer;
  }
}

class KindMaker {
 public:
  KindMaker(std::shared_ptr<const FmuModel> model, const ForeignOptions& options,
            const std::vector<std::pair<std::uint32_t, std::uint64_t>>& structural, ProblemList& problems)
      : model_(*model),
        d_(model->description()),
        options_(options),
        structural_(structural),
        problems_(problems) {
    kind_->model = std::move(model);
    kind_->options = options;
  }

  std::shared_ptr<const FmuKind> run() {
    if (!choose_interface()) return nullptr;
    choose_variables();
    make_ports();
    add_derivatives();
    make_feedthrough();
    make_capabilities();
    if (is_exchange()) make_exchange();
    make_clocks();
    map_energy();
    if (problems_.has_errors()) return nullptr;
    kind_->setup = setup_;
    kind_->description = description_;
    return kind_;
  }

 private:
  void error(std::string what, std::string remedy) {
    problems_.error(options_.where, fmt::format("{} ({})", what, model_.file()), std::move(remedy));
  }

  [[nodiscard]] bool is_exchange() const { return kind_->interface == FmuInterfaceKind::model_exchange; }

  bool choose_interface() {
    kind_->interface = interface_of(d_, options_);
    const bool is_there = is_exchange() ? d_.model_exchange.has_value() : d_.co_simulation.has_value();
    if (is_there) return true;
    error(is_exchange() ? "'interface' is \"me\", but the FMU cannot be run by model exchange."
                        : "'interface' is \"cs\", but the FMU cannot be run by co-simulation.",
          "Remove this key; 'ergon inspect' lists what it can.");
    return false;
  }

  void choose_variables() {
    const std::set<std::string> wanted(options_.outputs.begin(), options_.outputs.end());
    const std::set<std::string> fed(options_.inputs.begin(), options_.inputs.end());
    for (std::size_t i = 0; i < d_.variables.size(); ++i) {
      const Variable& v = d_.variables[i];
      if (v.type == VariableType::clock) continue;
      const bool is_tunable = v.variability == Variability::tunable && v.causality == Causality::parameter;
      if (v.causality == Causality::input || (is_tunable && fed.contains(v.name))) {
        inputs_.push_back(i);
        continue;
      }
      if (v.causality == Causality::output || wanted.contains(v.name)) {
        outputs_.push_back(i);
      }
      if (is_tunable && v.dimensions.empty() && v.type != VariableType::binary) kind_->tunables.push_back(i);
    }
    for (const std::string& name : fed) {
      const Variable* v = model_.find(name);
      if (v == nullptr || v->causality != Causality::parameter || v->variability != Variability::tunable)
        error(fmt::format("'inputs' lists '{}', which is not a tunable parameter of the FMU.", name),
              "'ergon inspect' lists its parameters; inputs need not be listed here.");
    }
    for (const std::string& name : wanted) {
      if (model_.find(name) == nullptr)
        error(fmt::format("'outputs' names '{}', which the FMU does not have.", name),
              "'ergon inspect' lists what it has.");
    }
  }

  [[nodiscard]] std::size_t count(const Variable& v) {
    const auto elements = element_count(d_, v, structural_);
    if (elements && *elements <= 10'000'000) return *elements;
    error(fmt::format("'{}' has too many elements.", v.name), "Choose smaller structural parameters.");
    return 1;
  }

  Port port(const Variable& v, std::size_t size) {
    Port p;
    p.name = v.name;
    p.size = size;
    p.description = v.description;
    p.type = port_type(v.type);
    if (p.type == PortType::real) p.unit = unit_of(d_, v);
    set_starts(v, p);
    p.optional = v.optional;
    if (v.nominal) p.nominal = *v.nominal;
    if (v.type == VariableType::enumeration) {
      if (const TypeInfo* type = d_.type(v.declared_type)) p.items = type->items;
    }
    if (v.derivative_of) {
      const Variable& of = d_.variables[*v.derivative_of];
      if (of.causality == Causality::output && v.causality == Causality::output) p.rate_of = of.name;
    }
    return p;
  }

  /// One start value is that of all components (readers repeat it for each), as many as there are components are theirs.
  void set_starts(const Variable& v, Port& p) {
    const auto set = [&](const auto& given, auto& first, auto& each) {
      if (given.empty()) return;
      first = given.front();
      if (std::adjacent_find(given.begin(), given.end(), std::not_equal_to<>()) == given.end()) return;
      each = given;
      each.resize(p.size);
      if (given.size() != p.size && v.causality == Causality::input)
        problems_.warning(
            options_.where,
            fmt::format("'{}' ({}) has {} components and {} start values: {}.", v.name, model_.file(), p.size,
                        given.size(),
                        given.size() < p.size ? "the rest begin with 0" : "the last are not used"),
            "Give one for each in 'initial', unless it is connected.");
    };
    switch (value_kind_of(p.type)) {
      case ValueKind::real:
        return set(v.start, p.start, p.starts);
      case ValueKind::integer:
        return set(integer_starts(v), p.integer_start, p.integer_starts);
      case ValueKind::text:
        return set(v.start_texts, p.text_start, p.text_starts);
    }
  }

  void make_ports() {
    std::vector<ExchangedVariable> exchanged_inputs;
    std::vector<ExchangedVariable> exchanged_outputs;
    bool scalar = true;
    const auto add = [&](std::size_t index, std::vector<Port>& ports, std::vector<ExchangedVariable>& list) {
      const Variable& v = d_.variables[index];
      const std::size_t size = count(v);
      ports.push_back(port(v, size));
      list.push_back({v.reference, v.type, size, !v.clocks.empty(), v.negated});
      scalar = scalar && (!is_float(v.type) || size == 1);
    };
    for (const std::size_t i : inputs_) add(i, description_->inputs, exchanged_inputs);
    for (const std::size_t i : outputs_) add(i, description_->outputs, exchanged_outputs);
    setup_->inputs = make_batches(exchanged_inputs);
    setup_->outputs = make_batches(exchanged_outputs);
    if (!scalar) return;
    for (const std::size_t i : inputs_) {
      if (is_float(d_.variables[i].type)) kind_->real_inputs.push_back(d_.variables[i].reference);
    }
    for (const std::size_t i : outputs_) {
      if (is_float(d_.variables[i].type)) kind_->real_outputs.push_back(d_.variables[i].reference);
    }
  }

  /// Rates of outputs as outputs of their own: they come after all others of the real lane, by a call of their own.
  void add_derivatives() {
    if (!options_.output_derivatives) return;
    if (is_exchange() || d_.co_simulation->output_derivative_order < 1) {
      error("'output_derivatives' is set, but the FMU does not provide them.", "Remove this key.");
      return;
    }
    for (const std::size_t i : outputs_) {
      const Variable& v = d_.variables[i];
      if (v.type != VariableType::float64 || v.variability != Variability::continuous ||
          !v.dimensions.empty() || v.negated)
        continue;
      kind_->derivative_references.push_back(v.reference);
      Port p;
      p.name = fmt::format("der({})", v.name);
      p.unit = Unit::per_second(unit_of(d_, v));
      p.rate_of = v.name;
      p.description = fmt::format("rate of {}", v.name);
      description_->outputs.push_back(std::move(p));
    }
  }

  void make_feedthrough() {
    std::vector<std::size_t> input_port(d_.variables.size(), FmuKind::none);
    for (std::size_t i = 0; i < inputs_.size(); ++i) input_port[inputs_[i]] = i;
    std::vector<const Unknown*> unknown_of(d_.variables.size(), nullptr);
    for (const Unknown& unknown : d_.outputs) {
      if (unknown_of[unknown.variable] == nullptr) unknown_of[unknown.variable] = &unknown;
    }
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const Variable& v = d_.variables[outputs_[o]];
      if (const auto said = options_.feedthrough.find(v.name); said != options_.feedthrough.end()) {
        for (const std::string& name : said->second) {
          const Variable* input = model_.find(name);
          const auto index = input == nullptr
                                 ? FmuKind::none
                                 : input_port[static_cast<std::size_t>(input - d_.variables.data())];
          if (index == FmuKind::none) {
            error(fmt::format("'feedthrough' of '{}' names '{}', which is not an input.", v.name, name),
                  "'ergon inspect' lists the inputs.");
          } else {
            description_->feedthrough.push_back({o, index});
          }
        }
        continue;
      }
      if (!v.clocks.empty()) continue;  // changes when its clock ticks, and only then
      const Unknown* const unknown = unknown_of[outputs_[o]];
      if (unknown == nullptr || !unknown->dependencies) {
        description_->outputs_of_all_inputs.push_back(o);
        continue;
      }
      std::set<std::size_t> depends;
      for (const std::size_t dependency : *unknown->dependencies) {
        if (input_port[dependency] != FmuKind::none) depends.insert(input_port[dependency]);
      }
      for (const std::size_t i : depends) description_->feedthrough.push_back({o, i});
    }
    for (const auto& [name, ignored] : options_.feedthrough) {
      const auto is_output = [&, &wanted = name](std::size_t i) { return d_.variables[i].name == wanted; };
      if (std::none_of(outputs_.begin(), outputs_.end(), is_output))
        error(fmt::format("'feedthrough' names '{}', which is not an output.", name),
              "'ergon inspect' lists the outputs.");
    }
  }

  void make_capabilities() {
    const FmuInterface& declared = declared_interface(d_, kind_->interface);
    setup_->version = d_.version;
    setup_->fmu = model_.file();
    setup_->library = model_.library(kind_->interface, problems_).string();
    std::error_code ignored;
    const auto resources = model_.files().folder() / "resources";
    if (d_.version == FmiVersion::fmi1) {
      setup_->resources = model_.files().folder().string();  // FMI 1.0 is told the folder of the FMU itself
    } else if (std::filesystem::is_directory(resources, ignored)) {
      setup_->resources = resources.string();
    }
    setup_->token = d_.token;
    if (options_.sandbox) setup_->sandbox = available_sandbox();
    setup_->can_save_state = declared.can_save_state;
    setup_->can_serialize_state = declared.can_serialize_state;
    setup_->directional_derivatives = declared.directional_derivatives;
    Description& description = *description_;
    description.kind = model_.file();
    description.one_per_process = declared.once_per_process && !options_.isolate;
    // Instances of one library may share memory without telling; in workers they cannot.
    description.thread_safe = options_.isolate;
    if (!is_exchange()) make_co_simulation(*d_.co_simulation);
  }

  void make_co_simulation(const CoSimulation& cs) {
    setup_->interpolates_inputs = cs.interpolates_inputs;
    setup_->events_used = cs.event_mode;
    setup_->early_return_allowed = cs.might_return_early || cs.event_mode;
    if (cs.intermediate_update) add_intermediate();
    Description& description = *description_;
    description.fixed_step = !cs.variable_step;
    // A hint to whom any step is right; where all steps have one length, it has to be a multiple.
    description.internal_step_s = cs.variable_step ? 0.0 : cs.internal_step_s.value_or(0.0);
    description.solver_step_s = cs.internal_step_s.value_or(0.0);
    const bool follows = setup_->interpolates_inputs || !setup_->intermediate_references.empty();
    description.samples_input = follows ? InputSampling::continuous : InputSampling::start;
  }

  void make_exchange() {
    ExchangeSetup& exchange = setup_->exchange.emplace();
    exchange.default_tolerance = exchange_tolerance(d_);
    exchange.absolute_tolerance = options_.absolute_tolerance;
    exchange.needs_completed_step = d_.model_exchange->needs_completed_step;
    bool scalar = true;
    for (const Unknown& unknown : d_.derivatives) {
      const Variable& rate = d_.variables[unknown.variable];
      const Variable* const state = rate.derivative_of ? &d_.variables[*rate.derivative_of] : nullptr;
      const std::size_t size = count(rate);
      for (std::size_t e = 0; e < size; ++e)
        kind_->state_names.push_back(state == nullptr ? fmt::format("state[{}]", kind_->state_names.size())
                                     : size == 1      ? state->name
                                                      : fmt::format("{}[{}]", state->name, e));
      scalar = scalar && state != nullptr && size == 1 && rate.dimensions.empty();
      if (state != nullptr) exchange.state_references.push_back(state->reference);
      exchange.derivative_references.push_back(rate.reference);
    }
    exchange.state_count = kind_->state_names.size();
    // FMI 2 lists derivatives, and says by another attribute of which state; some do so for a part of them.
    if (!scalar || !setup_->directional_derivatives) {
      exchange.state_references.clear();
      exchange.derivative_references.clear();
    }
    exchange.indicator_count = d_.indicator_count;
    for (const Unknown& unknown : d_.indicators) {
      const Variable& v = d_.variables[unknown.variable];
      const std::size_t size = count(v);
      for (std::size_t e = 0; e < size; ++e)
        exchange.indicator_names.push_back(size == 1 ? v.name : fmt::format("{}[{}]", v.name, e));
    }
    if (d_.version == FmiVersion::fmi3) exchange.indicator_count = exchange.indicator_names.size();
    add_intermediate();
    description_->samples_input = InputSampling::continuous;
  }

  void add_intermediate() {
    std::uint32_t element = 0;
    for (const std::size_t i : inputs_) {
      const Variable& v = d_.variables[i];
      if (!is_float(v.type)) continue;
      const auto size = static_cast<std::uint32_t>(count(v));
      // In model exchange continuous inputs may always be set.
      if (v.type == VariableType::float64 && v.variability == Variability::continuous && size == 1 &&
          v.causality == Causality::input && (v.intermediate_update || is_exchange())) {
        setup_->intermediate_references.push_back(v.reference);
        setup_->intermediate_elements.push_back(element);
      }
      element += size;
    }
  }

  void make_clocks() {
    for (const Variable& v : d_.variables) {
      if (v.type != VariableType::clock || !v.clock || v.causality != Causality::input) continue;
      if (!is_exchange() && !d_.co_simulation->event_mode) {
        error(fmt::format("The FMU has the clock '{}' and no event mode to tick it in.", v.name),
              "Tell the tool that exported it.");
      } else if (v.clock->interval > ClockInterval::tunable) {
        error(fmt::format("The clock '{}' is {}: it would have to be ticked from outside.", v.name,
                          name_of(v.clock->interval)),
              "Periodic clocks (constant, fixed, tunable) can be ticked; have the FMU exported with these.");
      } else {
        const bool known = v.clock->interval_s.has_value();
        setup_->clocks.push_back({v.reference, known ? *v.clock->interval_s : 0.0,
                                  known ? v.clock->shift_s : 0.0,
                                  known && v.clock->interval != ClockInterval::constant});
      }
    }
  }

  /// The place of a scalar real variable among the real inputs or outputs.
  std::size_t lane_place(const std::string& name, const std::vector<std::size_t>& variables,
                         const char* key) {
    std::size_t place = 0;
    const Variable* wanted = model_.find(name);
    for (const std::size_t i : variables) {
      const Variable& v = d_.variables[i];
      if (&v == wanted && is_float(v.type) && count(v) == 1) return place;
      if (is_float(v.type)) place += count(v);
    }
    error(fmt::format("'energy' names '{}' as {}, which is not a scalar real {}.", name, key,
                      &variables == &inputs_ ? "input" : "output"),
          "'ergon inspect' lists what there is; a local variable becomes an output with the key 'outputs'.");
    return FmuKind::none;
  }

  /// Outputs called as Ergon calls the account of a subsystem are one, where it is clear what its energy comes through.
  [[nodiscard]] std::optional<EnergyMapping> usual_energy() {
    const auto is_account = [&](const char* name) {
      const Variable* const v = model_.find(name);
      return v != nullptr && v->causality == Causality::output && v->dimensions.empty() && is_energy(*v);
    };
    if (!is_account("energy.stored") || !is_account("energy.dissipated")) return std::nullopt;
    if (!find_own_account() && setup_->inputs.real_count > 1) return std::nullopt;
    EnergyMapping e;
    e.stored = "energy.stored";
    e.dissipated = "energy.dissipated";
    if (is_account("energy.supplied")) e.supplied = "energy.supplied";
    return e;
  }

  [[nodiscard]] bool is_energy(const Variable& v) const {
    if (!is_float(v.type) || !v.clocks.empty() || v.negated) return false;
    const Unit unit = unit_of(d_, v);
    return !unit.is_unspecified() && unit.same_dimension(Unit::of("J")) && unit.factor == 1.0;
  }

  /// FMUs that Ergon has exported hold what an account knows beside its outputs, in local variables.
  bool find_own_account() {
    FmuKind::OwnAccount own;
    const auto add = [&](const std::string& name, std::size_t numbers, auto&& take) {
      const Variable* const v = model_.find(name);
      if (v == nullptr || !is_energy(*v) || count(*v) != numbers) return false;
      StartValue value{v->reference, v->type};
      value.reals.resize(numbers);
      take(std::move(value));
      return true;
    };
    const auto whole = [&](StartValue value) { own.synchronised_and_kinetic.push_back(std::move(value)); };
    if (!add("energy.synchronised", 1, whole) || !add("energy.kinetic", 1, whole)) return false;
    std::size_t place = 0;
    for (const std::size_t i : inputs_) {
      const Variable& input = d_.variables[i];
      if (!is_float(input.type)) continue;
      if (!add("energy.received." + input.name, count(input),
               [&](StartValue value) { own.received.emplace_back(std::move(value), place); }))
        return false;
      place += count(input);
    }
    kind_->own_account = std::move(own);
    return true;
  }

  void map_energy() {
    const std::optional<EnergyMapping> mapping = options_.energy ? options_.energy : usual_energy();
    if (!mapping) return;
    const EnergyMapping& e = *mapping;
    kind_->stored = lane_place(e.stored, outputs_, "stored");
    if (!e.dissipated.empty()) kind_->dissipated = lane_place(e.dissipated, outputs_, "dissipated");
    if (!e.supplied.empty()) kind_->supplied = lane_place(e.supplied, outputs_, "supplied");
    if (!e.kinetic.empty()) kind_->kinetic = lane_place(e.kinetic, outputs_, "kinetic");
    for (const auto& [input, output] : e.received)
      kind_->received.emplace_back(lane_place(input, inputs_, "an input of 'received'"),
                                   lane_place(output, outputs_, "received"));
    if (!e.through.empty()) {
      kind_->through = lane_place(e.through, inputs_, "through");
    } else if (e.received.empty() && kind_->own_account.synchronised_and_kinetic.empty()) {
      if (setup_->inputs.real_count == 1) {
        kind_->through = 0;
      } else if (setup_->inputs.real_count > 1) {
        error("'energy' does not name the input through which the FMU receives its energy.",
              "Name it, as in: energy = { stored = \"…\", through = \"force\" }, or per input with "
              "'received'.");
      }
    }
  }

  const FmuModel& model_;
  const ModelDescription& d_;
  const ForeignOptions& options_;
  const std::vector<std::pair<std::uint32_t, std::uint64_t>>& structural_;
  ProblemList& problems_;
  std::shared_ptr<FmuKind> kind_ = std::make_shared<FmuKind>();
  std::shared_ptr<InstanceSetup> setup_ = std::make_shared<InstanceSetup>();
  std::shared_ptr<Description> description_ = std::make_shared<Description>();
  std::vector<std::size_t> inputs_;  ///< indices of variables, in order
  std::vector<std::size_t> outputs_;
};

}  // namespace

std::shared_ptr<const FmuKind> make_kind(
    std::shared_ptr<const FmuModel> model, const ForeignOptions& options,
    const std::vector<std::pair<std::uint32_t, std::uint64_t>>& structural, ProblemList& problems) {
  ProblemList found;
  auto kind = KindMaker(std::move(model), options, structural, found).run();
  for (const Problem& p : found.all()) {
    if (p.severity == Severity::error) {
      problems.error(p.where, p.what, p.remedy);
    } else {
      problems.warning(p.where, p.what, p.remedy);
    }
  }
  return kind;
}

}  // namespace ergon::fmi
