#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ergon/models/registry.hpp"

namespace ergon {

/// What an exported FMU holds beside its library: which native model or law it is, and all its values. It is the file
/// resources/model.toml of the FMU; exporter and library read the same, so that both know the same start values.
struct ExportedModel {
  std::string model;
  std::map<std::string, ParameterValue> parameters;
  std::map<std::string, ParameterValue> initial;  ///< of states
  std::map<std::string, std::vector<double>>
      inputs;  ///< start values of input ports that are not the model's own
  IntegratorOptions integrator;
  std::vector<std::string> fixed;  ///< values that are not variables of the FMU: "length", "initial.x"
  std::string token;  ///< GUID or instantiation token; part of the file so that the library can check it
};

/// A model with what was given and the defaults of everything else. `initial` holds states and values of input ports alike.
ExportedModel exported_model(const ModelInfo& info, const GivenParameters& parameters,
                             const GivenParameters& initial, const IntegratorOptions& integrator,
                             ProblemList& problems);

std::string to_text(const ExportedModel& model);
/// Nothing after reporting what is wrong.
std::optional<ExportedModel> read_exported_model(const std::string& text, const std::string& file,
                                                 ProblemList& problems);

/// What the registry knows of its model, with the parameters that its texts declare; nothing where there is no such model.
std::shared_ptr<const ModelInfo> info_of(const ExportedModel& model);

/// An instance; relative file names start at `base_directory`. Nothing after reporting what is wrong.
std::unique_ptr<Subsystem> make_exported(const ExportedModel& model, const std::string& base_directory,
                                         ProblemList& problems);

}  // namespace ergon
