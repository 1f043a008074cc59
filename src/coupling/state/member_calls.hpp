#pragma once

#include "ergon/coupling/plan/stage_plan.hpp"
#include "ergon/signal/sample_ring.hpp"

namespace ergon {

/// One sample of all outputs of a stage, kind by kind.
struct OutputPlanes {
  double* reals = nullptr;
  std::int64_t* integers = nullptr;
  std::string* texts = nullptr;
};
[[nodiscard]] inline OutputPlanes pending_of(SampleRing& ring) {
  return {ring.pending(), ring.pending_integers(), ring.pending_texts()};
}
[[nodiscard]] inline OutputPlanes newest_of(SampleRing& ring) {
  return {ring.newest(), ring.newest_integers(), ring.newest_texts()};
}

/// The integers and texts at the inputs of a member hold from here on.
inline void set_discrete_inputs(const Member& m, const DiscreteValues& inputs) {
  if (m.discrete == nullptr) return;
  m.discrete->set_discrete_inputs(
      {inputs.integers.data() + m.first_integer_input, inputs.texts.data() + m.first_text_input});
}

/// All outputs of a member at its present state, with the inputs `u` (its own) and the integers and texts given last.
inline void ask_outputs(const Member& m, double t, const double* u, const OutputPlanes& y) {
  m.subsystem->outputs(t, u, y.reals + m.first_output);
  if (m.discrete == nullptr) return;
  m.discrete->discrete_outputs(t, u, {y.integers + m.first_integer_output, y.texts + m.first_text_output});
}

}  // namespace ergon
