#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>

#include "ergon/fmi/subsystem/fmu_subsystem.hpp"
#include "ergon/scenario/sources/model_source.hpp"
#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {
namespace {

using fmi::Causality;
using fmi::FmuModel;
using fmi::Initial;
using fmi::StartValue;
using fmi::Variability;
using fmi::Variable;
using fmi::VariableType;

/// What may be set before the run.
bool is_parameter(const Variable& v) {
  return (v.causality == Causality::parameter || v.causality == Causality::structural_parameter) &&
         v.type != VariableType::clock && v.type != VariableType::binary;
}
bool is_start_value(const Variable& v) {
  return (v.causality == Causality::local || v.causality == Causality::output) &&
         v.variability != Variability::constant &&
         (v.initial == Initial::exact || v.initial == Initial::approx) && v.type != VariableType::clock &&
         v.type != VariableType::binary;
}

ParameterInfo info_of(const fmi::ModelDescription& model, const Variable& v) {
  ParameterInfo info;
  info.name = v.name;
  info.unit = v.unit;
  info.help = v.description;
  info.chosen_by_saying = true;  // what is not said is the FMU's own affair
  const double first = v.start.empty() ? 0.0 : v.start.front();
  if (!v.dimensions.empty()) {
    info.standard = v.start;
  } else if (v.type == VariableType::boolean) {
    info.standard = first != 0.0;
  } else if (v.type == VariableType::text) {
    info.standard = v.start_texts.empty() ? std::string{} : v.start_texts.front();
  } else if (v.type == VariableType::enumeration) {
    std::string standard;
    if (const fmi::TypeInfo* type = model.type(v.declared_type)) {
      for (const EnumerationItem& item : type->items) {
        info.choices.push_back(item.name);
        if (static_cast<double>(item.value) == first) standard = item.name;
      }
    }
    info.standard = standard;
  } else {
    info.standard = first;
    info.minimum = v.minimum;
    info.whole = fmi::is_integer(v.type);
  }
  return info;
}

/// A value as it was given, for the call that sets it.
StartValue start_value(const FmuModel& model, const Variable& v, const ParameterValue& given,
                       const ModelRequest& request, ProblemList& problems) {
  StartValue value{v.reference, v.type, v.causality == Causality::structural_parameter, {}, {}, {}};
  std::vector<double> numbers;
  if (const auto* number = std::get_if<double>(&given)) numbers = {*number};
  if (const auto* list = std::get_if<std::vector<double>>(&given)) numbers = *list;
  if (const auto* flag = std::get_if<bool>(&given)) numbers = {*flag ? 1.0 : 0.0};
  if (const auto* whole = std::get_if<std::int64_t>(&given)) {
    if (v.maximum && static_cast<double>(*whole) > *v.maximum)
      problems.error(
          request.where,
          fmt::format("{} = {} of '{}' is above its maximum {}.", v.name, *whole, request.name, *v.maximum),
          "Give a smaller value.");
    value.integers = {*whole};
    return value;
  }
  if (const auto* text = std::get_if<std::string>(&given)) {
    if (v.type == VariableType::text) {
      value.texts = {*text};
      return value;
    }
    if (const fmi::TypeInfo* type = model.description().type(v.declared_type)) {
      for (const EnumerationItem& item : type->items) {
        if (item.name == *text) value.integers = {item.value};
      }
    }
    return value;
  }
  for (const double number : numbers) {
    if (v.maximum && number > *v.maximum)
      problems.error(
          request.where,
          fmt::format("{} = {} of '{}' is above its maximum {}.", v.name, number, request.name, *v.maximum),
          "Give a smaller value.");
    if (fmi::lane_number(v.type) == 0) {
      value.reals.push_back(number);
    } else if (std::abs(number) > largest_exact_integer) {
      problems.error(request.where,
                     fmt::format("{} of '{}': {} is not held exactly in a list, or as a number with a point.",
                                 v.name, request.name, number),
                     "Whole numbers beyond 2^53 can be given one by one, without a point.");
    } else if (number == std::floor(number)) {
      value.integers.push_back(static_cast<std::int64_t>(number));
    } else {
      problems.error(request.where,
                     fmt::format("{} = {} of '{}' is not a whole number.", v.name, number, request.name),
                     "Give a whole number.");
    }
  }
  return value;
}

std::unique_ptr<Subsystem> make(const std::shared_ptr<const FmuModel>& model, const ForeignOptions& options,
                                const ModelRequest& request, ProblemList& problems) {
  fmi::FmuRequest fmu;
  fmu.name = request.name;
  fmu.options = options;
  fmu.options.where = request.where;
  fmu.where = request.where;
  for (const ParameterSet* set : {&request.parameters, &request.initial}) {
    for (const auto& [name, value] : set->values()) {
      const Variable* v = set->is_given(name) ? model->find(name) : nullptr;
      if (v != nullptr) fmu.values.push_back(start_value(*model, *v, value, request, problems));
    }
  }
  if (problems.has_errors()) return nullptr;
  return fmi::make_fmu_subsystem(model, fmu, problems);
}

/// Of the solver that keeps to one: that of the FMU, as its description says, or, in model exchange, ours.
std::optional<double> solver_tolerance(const fmi::ModelDescription& d, const ForeignOptions& options) {
  return fmi::interface_of(d, options) == FmuInterfaceKind::model_exchange ? fmi::exchange_tolerance(d)
                                                                           : d.experiment.tolerance;
}

struct FmuInfo final : ModelInfo {
  std::shared_ptr<const FmuModel> model;
};

/// `plain`, which has no options, with these.
std::shared_ptr<const ModelInfo> with(const ForeignOptions& options, const FmuInfo& plain) {
  auto info = std::make_shared<FmuInfo>(plain);
  info->make = [model = plain.model, options](const ModelRequest& request, ProblemList& list) {
    return make(model, options, request, list);
  };
  info->with_options = [plain](const ForeignOptions& others) { return with(others, plain); };
  info->solver_tolerance = solver_tolerance(plain.model->description(), options);
  return info;
}

class FmuModels final : public ModelSource {
 public:
  [[nodiscard]] std::string_view key() const override { return "fmu"; }
  [[nodiscard]] std::shared_ptr<const ModelInfo> find(const std::string& name,
                                                      const std::string& base_directory,
                                                      const SourceLocation& where,
                                                      ProblemList& problems) const override {
    ProblemList found;
    const auto place = find_archived(name, base_directory, found);
    auto model = place ? FmuModel::load(place->path, found) : nullptr;
    std::error_code ignored;
    const char* const from = !place || std::filesystem::exists(place->path, ignored)
                                 ? ""
                                 : " A relative name starts at the folder of the scenario.";
    for (const Problem& p : found.all()) {
      if (p.severity == Severity::error) {
        // What is wrong is in the FMU; where it is named is in the scenario.
        const bool is_inside = place && !place->archives.empty();  // a folder of ours, which tells nothing
        problems.error(where, fmt::format("FMU '{}': {} ({})", name, p.what, is_inside ? name : p.where.file),
                       p.remedy + from);
      } else {
        problems.warning(where, fmt::format("FMU '{}': {}", name, p.what), p.remedy);
      }
    }
    if (!model) return nullptr;
    const std::lock_guard guard(mutex_);
    if (auto known = known_[model.get()].lock()) return known;
    auto info = std::make_shared<FmuInfo>();
    info->model = model;
    info->name = name;
    info->summary = model->description().description;
    for (const Variable& v : model->description().variables) {
      if (is_parameter(v)) info->parameters.push_back(info_of(model->description(), v));
      if (is_start_value(v)) info->initial.push_back(info_of(model->description(), v));
    }
    info->integrated = false;
    info->solver_tolerance = solver_tolerance(model->description(), {});
    info->make = [model](const ModelRequest& request, ProblemList& list) {
      return ::ergon::make(model, {}, request, list);
    };
    info->with_options = [plain = *info](const ForeignOptions& options) { return with(options, plain); };
    known_[model.get()] = info;
    return info;
  }
  [[nodiscard]] std::vector<std::string> inputs_of(const ModelInfo& info) const override {
    std::vector<std::string> names;
    for (const Variable& v : static_cast<const FmuInfo&>(info).model->description().variables) {
      if (v.causality == Causality::input && v.type != VariableType::clock) names.push_back(v.name);
    }
    return names;
  }
  [[nodiscard]] bool takes_options() const override { return true; }

 private:
  mutable std::mutex mutex_;
  mutable std::map<const FmuModel*, std::weak_ptr<const ModelInfo>> known_;
};

}  // namespace

const ModelSources& standard_sources() {
  static const ModelSources sources = [] {
    ModelSources all = native_sources();
    all.push_back(std::make_shared<const FmuModels>());
    return all;
  }();
  return sources;
}

}  // namespace ergon
