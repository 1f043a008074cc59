#pragma once

#include <string>

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
};

std::string model_description(const DescribedFmu& described);

}  // namespace ergon
