#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ergon/export/model/exported_model.hpp"
#include "ergon/export/model/variables.hpp"

namespace ergon {

/// What all instances of one exported FMU share: the model as exported, and its variables. Never changes.
struct ExportedBlueprint {
  ExportedModel model;
  std::string resources;  ///< folder of its files
  ExportFormat version = ExportFormat::fmi2;
  Description description;
  std::vector<ExportedVariable> variables;
  std::vector<double> parameters;    ///< start values, as `parameter_row`
  std::vector<double> start_inputs;  ///< flat
  std::vector<std::string> outputs;  ///< names per number, for messages
  std::size_t input_count = 0;
  std::size_t output_count = 0;
};

/// Reads resources/model.toml of the FMU, or finds it among those that instances of this process use. Throws InputError.
std::shared_ptr<const ExportedBlueprint> find_blueprint(const std::string& resources, ExportFormat version);

/// The folder that fmi2Instantiate names by a URI ("file:///a%20b/resources"); any other text is taken as a path.
std::string folder_of_uri(const char* uri);

}  // namespace ergon
