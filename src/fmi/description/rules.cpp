#include "ergon/fmi/description/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>

namespace ergon::fmi {
namespace {

class RuleChecker {
 public:
  RuleChecker(const ModelDescription& model, ProblemList& problems) : model_(model), problems_(problems) {}

  void run() {
    check_root();
    check_names();
    check_references();
    if (model_.version == FmiVersion::fmi1) return;  // the rest are rules of later versions
    for (const Variable& v : model_.variables) {
      check_combination(v);
      check_start(v);
      check_types(v);
      check_arrays_and_clocks(v);
    }
    check_independent();
    check_structure();
  }

 private:
  void error(const Variable& v, const std::string& what) const {
    problems_.error({model_.file, v.line, 0}, fmt::format("Variable '{}': {}", v.name, what), exporter_);
  }
  void error(const std::string& what) const { problems_.error({model_.file, 0, 0}, what, exporter_); }
  void warning(const Variable& v, const std::string& what) const {
    problems_.warning({model_.file, v.line, 0}, fmt::format("Variable '{}': {}", v.name, what));
  }
  [[nodiscard]] bool is_3() const { return model_.version == FmiVersion::fmi3; }

  void check_root() const {
    if (!model_.co_simulation && !model_.has_model_exchange && !model_.has_scheduled_execution)
      error("The FMU offers neither co-simulation nor model exchange.");
    if (model_.token.empty()) error("The guid or instantiation token is empty.");
    if (model_.variables.empty() && !is_3()) error("There are no variables.");
    const DefaultExperiment& e = model_.experiment;
    if (e.start_s && e.stop_s && !(*e.stop_s >= *e.start_s))
      error("The default experiment ends before it starts.");
    if (e.step_s && !(*e.step_s > 0.0)) error("The step size of the default experiment is not positive.");
    for (const FmuInterface* interface :
         {static_cast<const FmuInterface*>(model_.co_simulation ? &*model_.co_simulation : nullptr),
          static_cast<const FmuInterface*>(model_.model_exchange ? &*model_.model_exchange : nullptr)}) {
      if (interface == nullptr) continue;
      const std::string& id = interface->model_identifier;
      const bool c_name =
          !id.empty() && std::isdigit(static_cast<unsigned char>(id.front())) == 0 &&
          std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
      if (!c_name) error(fmt::format("The model identifier '{}' is not a name of C.", id));
    }
  }

  void check_names() const {
    std::map<std::string, const Variable*> seen;
    const auto add = [&](const std::string& name, const Variable& v) {
      if (name.empty()) error(v, "a name is empty.");
      const auto [other, is_new] = seen.emplace(name, &v);
      if (!is_new)
        error(v, fmt::format("the name '{}' is taken already, in line {}.", name, other->second->line));
    };
    for (const Variable& v : model_.variables) {
      add(v.name, v);
      for (const std::string& alias : v.aliases) add(alias, v);
    }
  }

  /// FMI 2: variables of one base type that share a reference are aliases; at most one of them can be set, and their units
  /// agree. FMI 3: every reference is there once.
  void check_references() const {
    std::map<std::pair<int, std::uint32_t>, const Variable*> seen;
    for (const Variable& v : model_.variables) {
      int kind = 0;
      if (!is_3())
        kind = v.type == VariableType::enumeration ? static_cast<int>(VariableType::int32)
                                                   : static_cast<int>(v.type);
      const auto [found, is_new] = seen.emplace(std::pair(kind, v.reference), &v);
      if (is_new) continue;
      const Variable& other = *found->second;
      if (is_3()) {
        error(v, fmt::format("its reference {} is that of '{}', too.", v.reference, other.name));
        continue;
      }
      const auto settable = [](const Variable& x) {
        return x.causality == Causality::input || x.causality == Causality::parameter ||
               (x.has_start && x.variability != Variability::constant);
      };
      if (settable(v) && settable(other))
        error(v, fmt::format("it is an alias of '{}', and both can be set.", other.name));
      if (v.variability == Variability::constant && other.variability != Variability::constant)
        error(v, fmt::format("it is constant and an alias of '{}', which is not.", other.name));
      if (v.unit != other.unit && !v.unit.empty() && !other.unit.empty())
        error(v, fmt::format("it is an alias of '{}' in another unit ({}, {}).", other.name, v.unit,
                             other.unit));
    }
  }

  void check_combination(const Variable& v) const {
    const Variability b = v.variability;
    const auto wrong = [&] {
      error(v, fmt::format("causality {} cannot be {}.", name_of(v.causality), name_of(b)));
    };
    switch (v.causality) {
      case Causality::structural_parameter:
      case Causality::parameter:
      case Causality::calculated_parameter:
        if (b != Variability::fixed && b != Variability::tunable) wrong();
        break;
      case Causality::input:
        if (b != Variability::discrete && b != Variability::continuous) wrong();
        break;
      case Causality::output:
        if (b == Variability::fixed || b == Variability::tunable) wrong();
        break;
      case Causality::independent:
        if (b != Variability::continuous) wrong();
        break;
      case Causality::local:
        break;
    }
    if (v.initial == Initial::none) return;
    if (v.causality == Causality::independent || (v.causality == Causality::input && !is_3())) {
      error(v, fmt::format("causality {} has no 'initial'.", name_of(v.causality)));
    } else if ((v.causality == Causality::parameter || v.causality == Causality::structural_parameter ||
                b == Variability::constant) &&
               v.initial != Initial::exact) {
      error(v, fmt::format("'initial' must be exact, not {}.", name_of(v.initial)));
    } else if (v.causality == Causality::calculated_parameter && v.initial == Initial::exact) {
      error(v, "a calculated parameter cannot be initial exact.");
    }
  }

  /// Whether an integer of this type can have the value; to the ends of a double for 64 bits.
  static bool fits(VariableType type, double value) {
    const auto within = [value]<class Integer>(Integer) {
      return value >= static_cast<double>(std::numeric_limits<Integer>::min()) &&
             value <= static_cast<double>(std::numeric_limits<Integer>::max());
    };
    switch (type) {
      case VariableType::int8:
        return within(std::int8_t{});
      case VariableType::uint8:
        return within(std::uint8_t{});
      case VariableType::int16:
        return within(std::int16_t{});
      case VariableType::uint16:
        return within(std::uint16_t{});
      case VariableType::int32:
        return within(std::int32_t{});
      case VariableType::uint32:
        return within(std::uint32_t{});
      case VariableType::int64:
        return within(std::int64_t{});
      case VariableType::uint64:
        return within(std::uint64_t{});
      default:
        return true;
    }
  }

  void check_start(const Variable& v) const {
    const bool needs = v.causality == Causality::input || v.causality == Causality::parameter ||
                       v.causality == Causality::structural_parameter ||
                       v.variability == Variability::constant || v.initial == Initial::exact ||
                       v.initial == Initial::approx;
    if (v.type == VariableType::clock) return;
    if (needs && !v.has_start) error(v, "it must have a start value, and has none.");
    if (v.has_start && (v.initial == Initial::calculated || v.causality == Causality::independent))
      error(v, "it is calculated, so it must not have a start value.");
    for (const double start : v.start) {
      if (!std::isfinite(start)) error(v, "its start value is not finite.");
      if ((v.minimum && start < *v.minimum) || (v.maximum && start > *v.maximum))
        error(v, fmt::format("its start value {} is outside of its limits.", start));
      if ((is_integer(v.type) || v.type == VariableType::enumeration) && start != std::floor(start))
        error(v, fmt::format("its start value {} is not an integer.", start));
      if (is_integer(v.type) && !fits(v.type, start))
        error(v, fmt::format("its start value {} is not a value of its type, {}.", start, name_of(v.type)));
    }
    if (v.minimum && v.maximum && *v.minimum > *v.maximum) error(v, "its minimum is above its maximum.");
    if (v.nominal && !(*v.nominal > 0.0)) error(v, "its nominal value is not positive.");
    if (const auto count = element_count(model_, v);
        v.has_start && count && v.start.size() != *count && v.start_texts.size() != *count)
      error(v, fmt::format("it has {} elements and {} start values.", *count,
                           std::max(v.start.size(), v.start_texts.size())));
  }

  void check_types(const Variable& v) const {
    if (!v.unit.empty() && model_.unit(v.unit) == nullptr)
      warning(
          v, fmt::format("its unit '{}' is not defined; it is not converted unless Ergon knows it.", v.unit));
    if (v.declared_type.empty()) {
      if (v.type == VariableType::enumeration) error(v, "an enumeration must have a declared type.");
      return;
    }
    const TypeInfo* type = model_.type(v.declared_type);
    if (type == nullptr) {
      error(v, fmt::format("its type '{}' is not defined.", v.declared_type));
    } else if (type->type != v.type) {
      error(v, fmt::format("its type '{}' is of {}, not of {}.", type->name, name_of(type->type),
                           name_of(v.type)));
    } else if (v.type == VariableType::enumeration && !type->items.empty()) {
      for (const double start : v.start) {
        const auto is_item = [&](const EnumerationItem& item) {
          return static_cast<double>(item.value) == start;
        };
        if (std::none_of(type->items.begin(), type->items.end(), is_item))
          error(v, fmt::format("its start value {} is not an item of '{}'.", start, type->name));
      }
    }
  }

  void check_arrays_and_clocks(const Variable& v) const {
    for (const Dimension& d : v.dimensions) {
      if (!d.reference) {
        if (d.start == 0) error(v, "a dimension has no size.");
        continue;
      }
      const auto index = model_.find_reference(*d.reference);
      if (!index) {
        error(v, fmt::format("a dimension is given by reference {}, which is not there.", *d.reference));
      } else if (model_.variables[*index].causality != Causality::structural_parameter &&
                 model_.variables[*index].variability != Variability::constant) {
        error(v, fmt::format("a dimension is given by '{}', which is not a structural parameter.",
                             model_.variables[*index].name));
      }
    }
    for (const std::uint32_t reference : v.clocks) {
      const auto index = model_.find_reference(reference);
      if (!index || model_.variables[*index].type != VariableType::clock)
        error(v, fmt::format("its clock {} is not there.", reference));
    }
    if (v.clock && v.clock->interval == ClockInterval::constant && !(v.clock->interval_s.value_or(0.0) > 0.0))
      error(v, "a clock with a constant interval must declare it.");
    if (v.derivative_of && *v.derivative_of >= model_.variables.size())
      error(v, "it is the rate of nothing.");
  }

  void check_independent() const {
    const auto count = std::count_if(model_.variables.begin(), model_.variables.end(),
                                     [](const Variable& v) { return v.causality == Causality::independent; });
    if (count > 1 || (is_3() && count == 0))
      error(fmt::format("There are {} independent variables; there is to be {} one.", count,
                        is_3() ? "exactly" : "at most"));
  }

  void check_structure() const {
    std::set<std::size_t> listed;
    for (const Unknown& u : model_.outputs) {
      const Variable& v = model_.variables[u.variable];
      if (v.causality != Causality::output) error(v, "it is listed as output of the structure and is none.");
      if (!listed.insert(u.variable).second)
        error(v, "it is listed twice among the outputs of the structure.");
      check_kinds(u);
    }
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      const Variable& v = model_.variables[i];
      if (v.causality == Causality::output && v.type != VariableType::clock && !listed.contains(i))
        error(v, "it is an output and the model structure does not list it.");
    }
    std::set<std::size_t> initial;
    for (const Unknown& u : model_.initial_unknowns) {
      if (!initial.insert(u.variable).second)
        error(model_.variables[u.variable], "it is listed twice among the initial unknowns.");
      check_kinds(u);
    }
    for (std::size_t i = 0; i < model_.variables.size(); ++i) {
      const Variable& v = model_.variables[i];
      const bool unknown =
          (v.causality == Causality::output && v.type != VariableType::clock && v.clocks.empty() &&
           (v.initial == Initial::approx || v.initial == Initial::calculated)) ||
          v.causality == Causality::calculated_parameter;
      if (unknown && !initial.contains(i))
        error(v, "the model structure does not list it as an initial unknown.");
    }
    for (const Unknown& u : model_.derivatives) {
      if (!model_.variables[u.variable].derivative_of)
        error(model_.variables[u.variable], "it is listed as a derivative, but not of which variable.");
    }
  }

  void check_kinds(const Unknown& u) const {
    const Variable& v = model_.variables[u.variable];
    if (u.kinds.empty()) return;
    if (!u.dependencies || u.kinds.size() != u.dependencies->size())
      error(v, fmt::format("{} kinds are given for {} dependencies.", u.kinds.size(),
                           u.dependencies ? u.dependencies->size() : 0));
    for (const std::string& kind : u.kinds) {
      static const std::set<std::string> known = {"dependent", "constant", "fixed", "tunable", "discrete"};
      if (!known.contains(kind)) error(v, fmt::format("'{}' is not a kind of dependency.", kind));
    }
  }

  const ModelDescription& model_;
  ProblemList& problems_;
  const char* exporter_ = "Tell the tool that exported it.";
};

}  // namespace

void check_rules(const ModelDescription& model, ProblemList& problems) {
  RuleChecker(model, problems).run();
}

}  // namespace ergon::fmi
