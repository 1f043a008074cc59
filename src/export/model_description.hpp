#pragma once

#include <string>
#include <vector>

#include "ergon/export/export_fmu.hpp"

namespace ergon {

/// What a modelDescription.xml says of an exported model.
struct DescribedFmu {
  const FmuExport& request;
  const ExportedFmu& fmu;
  const Description& description;
  std::string name;
  std::string summary;
  bool saves_state = false;
  bool serializes_state = false;
  bool has_derivatives = false;
  /// Per input port: the stored energy follows it at once, as that of a spring inside which the input stretches.
  std::vector<bool> stores{};
};

std::string model_description(const DescribedFmu& described);

}  // namespace ergon
