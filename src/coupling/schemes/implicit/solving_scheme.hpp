#pragma once

#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon {

/// What the semi-implicit and the implicit scheme share: coupling variables of the end of the step are unknowns, and steps
/// are taken several times to find them.
class SolvingScheme : public Scheme {
 public:
  [[nodiscard]] bool solves_for_coupling_variables() const final { return true; }
  [[nodiscard]] bool predicts_and_corrects() const final { return true; }
  [[nodiscard]] bool uses_history() const final { return false; }
  /// Of iterated sweeps.
  [[nodiscard]] bool takes_order() const final { return true; }
  [[nodiscard]] SchemeLayout layout(const SchemeRequest& request, ProblemList& problems) const final;
  [[nodiscard]] std::unique_ptr<Stepper> make_stepper(const SteppingContext& context,
                                                      ProblemList& problems) const final;

 protected:
  /// Until coupling variables and outputs agree; else one Newton step is taken.
  [[nodiscard]] virtual bool iterates() const = 0;
};

}  // namespace ergon
