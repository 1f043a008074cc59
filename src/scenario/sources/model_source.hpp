#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/foreign_options.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// Where models come from. A source finds what an entry of a scenario names, once; what it finds is shared, and makes as
/// many instances as there are entries and runs (ModelInfo::make).
class ERGON_API ModelSource {
 public:
  virtual ~ModelSource() = default;
  /// The key of [[subsystem]] that names a model of this source, such as "model".
  [[nodiscard]] virtual std::string_view key() const = 0;
  /// Relative file names start at `base_directory`. Nothing after reporting, at `where`, why there is none.
  [[nodiscard]] virtual std::shared_ptr<const ModelInfo> find(const std::string& name,
                                                              const std::string& base_directory,
                                                              const SourceLocation& where,
                                                              ProblemList& problems) const = 0;
  /// Names of the inputs of such a model, where they are known before it is made.
  [[nodiscard]] virtual std::vector<std::string> inputs_of(const ModelInfo& /*info*/) const { return {}; }
  /// Its entries have the keys of foreign simulators (ModelInfo::with_options).
  [[nodiscard]] virtual bool takes_options() const { return false; }
};
using ModelSources = std::vector<std::shared_ptr<const ModelSource>>;

/// model = "…": the registry of native models, and nothing else.
ERGON_API const ModelSources& native_sources();

/// model = "…" and fmu = "…": what a scenario names without further ado.
ERGON_API const ModelSources& standard_sources();

/// An instance of a native model, to be added to a SystemGraph. Throws InputError where a name or a value is wrong.
ERGON_API std::unique_ptr<Subsystem> make_native(const std::string& model,
                                                 const std::map<std::string, ParameterValue>& parameters = {},
                                                 const std::map<std::string, ParameterValue>& initial = {},
                                                 const IntegratorOptions& integrator = {});

}  // namespace ergon
