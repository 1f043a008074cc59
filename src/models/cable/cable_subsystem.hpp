#pragma once

#include <string>

#include "ergon/models/cable/cable_kernel.hpp"
#include "ergon/models/native_shell.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A cable as a subsystem (see CableKernel).
class CableSubsystem final : public NativeShell<CableKernel>, public StartCondition, public Geometry {
 public:
  explicit CableSubsystem(const CableSetting& setting) : NativeShell(std::in_place, setting) {}

  [[nodiscard]] const StartCondition* start_condition() const override { return this; }
  /// Led ends start where the parameters put them: elsewhere they would be torn there in the first step.
  [[nodiscard]] std::string inconsistency_at_start(const double* u) const override;

  [[nodiscard]] const Geometry* geometry() const override { return this; }
  [[nodiscard]] Scene scene() const override;
  void draw(SceneFrame frame) const override;

  [[nodiscard]] const Cable& cable() const { return kernel().cable(); }
};

/// cable.ancf
ModelInfo cable_model();

}  // namespace ergon
