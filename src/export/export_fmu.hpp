#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ergon/export/model/variables.hpp"

namespace ergon {

/// A native model that is to become an FMU for co-simulation.
struct FmuExport {
  ExportedModel model;
  std::string base_directory = ".";  ///< relative file names in parameters start here
  ExportFormat version = ExportFormat::fmi3;
  std::string file;                     ///< to write; its name without ending becomes the name of the model
  std::string library;                  ///< the compiled library of all exported FMUs, see `fmu_library`
  std::string generator;                ///< "Ergon 0.1.0"
  std::optional<double> stop_time_s{};  ///< of the default experiment
  std::optional<double> step_size_s{};
};

struct ExportedFmu {
  std::string identifier;  ///< modelIdentifier, and the name of the library inside
  std::vector<ExportedVariable> variables;
  std::vector<std::string>
      fixed;  ///< values that cannot be set in the FMU, because they decide its variables
  std::vector<std::string> files;  ///< that parameters name, and that are inside now
};

/// Packs library, description and the files that parameters name. Nothing is compiled: every FMU has the same library, and reads
/// which model it is from its resources (docs/adr/0025). The file is complete or not there. Throws InputError.
ExportedFmu export_fmu(const FmuExport& asked);

/// The library beside the running program, in the build folder or installed; throws InputError where there is none.
std::string fmu_library();

}  // namespace ergon
