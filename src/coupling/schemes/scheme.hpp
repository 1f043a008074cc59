#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/coupling/schemes/stepper.hpp"

namespace ergon {

struct SchemeRequest {
  const CoupledSystem& system;
  const TimeGrid& grid;
  const CouplingOptions& options;
};

/// A coupling method: how the system is laid out for it, what it needs of the system, and how it steps. It is a file of its
/// own and a line in the registry; nobody asks which one it is.
class ERGON_API Scheme {
 public:
  Scheme() = default;
  Scheme(const Scheme&) = delete;
  Scheme& operator=(const Scheme&) = delete;
  virtual ~Scheme() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view help() const = 0;
  /// The user may say in which order subsystems step.
  [[nodiscard]] virtual bool takes_order() const { return false; }
  /// It has options of its own (CouplingOptions::implicit).
  [[nodiscard]] virtual bool solves_for_coupling_variables() const { return false; }
  /// Steps begin with a prediction that is corrected then: both can be compared.
  [[nodiscard]] virtual bool predicts_and_corrects() const { return false; }
  /// Samples before t₀ matter: a starter or an initial history has an effect.
  [[nodiscard]] virtual bool uses_history() const { return true; }

  [[nodiscard]] virtual SchemeLayout layout(const SchemeRequest& request, ProblemList& problems) const = 0;
  /// Null, with the reasons in `problems`, where the system cannot be stepped so.
  [[nodiscard]] virtual std::unique_ptr<Stepper> make_stepper(const SteppingContext& context,
                                                              ProblemList& problems) const = 0;
};

[[nodiscard]] ERGON_API const std::vector<const Scheme*>& schemes();
[[nodiscard]] ERGON_API const Scheme* find_scheme(std::string_view name);

[[nodiscard]] ERGON_API const Scheme& jacobi_scheme();
[[nodiscard]] ERGON_API const Scheme& gauss_seidel_scheme();
[[nodiscard]] ERGON_API const Scheme& semi_implicit_scheme();
[[nodiscard]] ERGON_API const Scheme& implicit_scheme();

/// Subsystems in the user's order; those not named follow, in order of names.
[[nodiscard]] std::vector<Index> order_of(const SchemeRequest& request, ProblemList& problems);
/// One stage per communication step size: everything that starts together is visible together.
[[nodiscard]] ERGON_API std::vector<StageGroup> groups_by_period(const SchemeRequest& request);

}  // namespace ergon
