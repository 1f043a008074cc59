#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/unit.hpp"
#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {

// A system structure description as it was read, systems in systems, before anything is connected (read_ssp.hpp).

/// y = factor·x + offset, after units were converted.
struct SspTransformation {
  double factor = 1.0;
  double offset = 0.0;
};

struct SspConnector {
  std::string name;
  std::string kind;  ///< input, output, inout, parameter, calculatedParameter, …
  Unit unit;         ///< unspecified where none is given
  SourceLocation where;
};

struct SspConnection {
  std::string start_element, start_connector;  ///< no element: a connector of the system itself
  std::string end_element, end_connector;
  bool suppress_unit_conversion = false;
  SspTransformation transformation;
  SourceLocation where;
};

/// A value of a parameter set, with the name it has after prefix and mapping.
struct SspParameter {
  std::string name;
  Value value;
  Unit unit;
  SspTransformation transformation;
  bool suppress_unit_conversion = false;
  SourceLocation where;
};

struct SspElement {
  enum class Kind { component, system, dictionary_reference };
  Kind kind = Kind::system;
  std::string name;
  SourceLocation where;
  std::string fmu;                 ///< of a component: the file as a scenario names it; empty: it has none
  bool isolate = false;            ///< a proxy on this machine runs it
  bool by_model_exchange = false;  ///< asked for, and the FMU has it
  std::shared_ptr<const fmi::FmuModel> model;
  std::vector<SspConnector> connectors;
  std::vector<std::unique_ptr<SspElement>> elements;
  std::vector<SspConnection> connections;
  std::vector<SspParameter> parameters;  ///< of all bindings; a later one wins
  std::optional<double> step_s;          ///< by an annotation, for this element and those inside of it
  std::string dictionary;                ///< of a reference
  std::map<std::string, std::vector<SspConnector>> dictionaries;
  const SspElement* parent = nullptr;

  [[nodiscard]] const SspConnector* connector(const std::string& wanted) const {
    for (const SspConnector& c : connectors) {
      if (c.name == wanted) return &c;
    }
    return nullptr;
  }
};

struct SspExperiment {
  std::optional<double> start_s, stop_s, step_s;
  SourceLocation where;
};

struct SspStructure {
  std::unique_ptr<SspElement> system;
  SspExperiment experiment;
  std::vector<std::pair<std::string, SourceLocation>> scenarios;  ///< annotations of our own, as TOML
  std::vector<std::string> files;
};

}  // namespace ergon
