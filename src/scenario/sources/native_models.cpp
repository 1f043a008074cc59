#include <fmt/format.h>

#include "ergon/scenario/build/port_names.hpp"
#include "ergon/scenario/sources/model_source.hpp"

namespace ergon {
namespace {

class NativeModels final : public ModelSource {
 public:
  [[nodiscard]] std::string_view key() const override { return "model"; }
  [[nodiscard]] std::shared_ptr<const ModelInfo> find(const std::string& name,
                                                      const std::string& /*base_directory*/,
                                                      const SourceLocation& where,
                                                      ProblemList& problems) const override {
    // The registry lives as long as the program: nothing is to be freed.
    if (const ModelInfo* info = find_model(name)) return {std::shared_ptr<const void>{}, info};
    problems.error(where, fmt::format("There is no model '{}'.", name),
                   did_you_mean(name, names_of(models())));
    return nullptr;
  }
};

GivenParameters given(const std::map<std::string, ParameterValue>& values) {
  GivenParameters result;
  for (const auto& [name, value] : values) result[name] = {value, {}};
  return result;
}

}  // namespace

const ModelSources& native_sources() {
  static const ModelSources sources = {std::make_shared<const NativeModels>()};
  return sources;
}

std::unique_ptr<Subsystem> make_native(const std::string& model,
                                       const std::map<std::string, ParameterValue>& parameters,
                                       const std::map<std::string, ParameterValue>& initial,
                                       const IntegratorOptions& integrator) {
  ProblemList problems;
  const auto found = native_sources().front()->find(model, {}, {}, problems);
  if (!found) throw InputError(problems);
  const auto info = extended(*found, given(parameters));
  const ModelRequest request{model,
                             ParameterSet(info->parameters, given(parameters), model, problems),
                             ParameterSet(info->initial, given(initial), model, problems),
                             integrator,
                             ".",
                             {}};
  auto subsystem = problems.has_errors() ? nullptr : info->make(request, problems);
  if (problems.has_errors() || !subsystem) throw InputError(problems);
  return subsystem;
}

}  // namespace ergon
