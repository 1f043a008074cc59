#include "ergon/scenario/build/other_steps.hpp"

namespace ergon {
namespace {

void scale(std::optional<Said<Rational>>& step_s, const Rational& factor) {
  if (step_s) step_s->value = step_s->value * factor;
}

/// Of a solver inside of an FMU: what it is told, or what its description says. With step control it is told the tolerance of that.
void scale_tolerance(SubsystemEntry& subsystem, bool controlled, double factor) {
  if (!subsystem.info || !subsystem.info->with_options) return;
  std::optional<double>& told = subsystem.foreign.tolerance;
  std::optional<double>& absolute = subsystem.foreign.absolute_tolerance;
  if (!told && !controlled) told = subsystem.info->solver_tolerance;
  if (!told && !absolute) return;
  if (told) *told *= factor;
  if (absolute) *absolute *= factor;
  subsystem.info = subsystem.info->with_options(subsystem.foreign);
}

}  // namespace

double tolerance_factor(const Rational& factor) {
  constexpr double ten = 10.0;
  return factor.value() > 1.0 ? ten : 1.0 / ten;
}

Scenario with_other_steps(const Scenario& scenario, const Rational& factor) {
  Scenario other = scenario;
  const double tolerances = tolerance_factor(factor);
  scale(other.simulation.step_size_s, factor);
  for (SubsystemEntry& subsystem : other.subsystems) {
    if (subsystem.sampled) {
      if (!subsystem.step_size_s) subsystem.step_size_s = scenario.simulation.step_size_s;
      continue;
    }
    scale(subsystem.step_size_s, factor);
    if (subsystem.integrator.step_s) *subsystem.integrator.step_s *= factor.value();
    subsystem.integrator.rtol *= tolerances;
    subsystem.integrator.atol *= tolerances;
    scale_tolerance(subsystem, scenario.step_control.has_value(), tolerances);
    subsystem.initial_history.clear();
  }
  if (other.step_control) {
    other.step_control->rtol *= tolerances;
    other.step_control->atol *= tolerances;
    scale(other.step_control->min_step_s, factor);
    scale(other.step_control->max_step_s, factor);
  }
  return other;
}

}  // namespace ergon
