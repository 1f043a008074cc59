#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ergon::fmi {

/// What is integrated: ẋ = f(t, x), and the event indicators z(t, x). Must not throw: it is called from C.
class ExchangeSystem {
 public:
  enum class Answer : unsigned char {
    ok,
    refused,  ///< not here: a shorter step is tried
    failed,
  };
  ExchangeSystem() = default;
  ExchangeSystem(const ExchangeSystem&) = delete;
  ExchangeSystem& operator=(const ExchangeSystem&) = delete;
  virtual ~ExchangeSystem() = default;
  virtual Answer derivatives(double t, const double* x, double* rates) = 0;
  virtual Answer indicators(double t, const double* x, double* values) = 0;
  [[nodiscard]] virtual bool has_jacobian() const = 0;
  /// ∂f/∂x, column after column.
  virtual Answer jacobian(double t, const double* x, double* columns) = 0;
};

/// CVODE [hindmarsh2005] for an FMU of model exchange: BDF with Newton, step by step, up to the next event.
///
/// An event of FMI is a change of an indicator between z > 0 and z ≤ 0. CVODE looks for zeros, and a plateau at zero would be one
/// from its first point on; so it is given −10⁻¹⁰⁰ where z is 0, and finds the changes alone. What it stops at is the far side.
class ExchangeSolver {
 public:
  struct Outcome {
    bool ok = true;
    bool is_at_root = false;
    double time_s = 0.0;
    const char* reason = "";
  };

  ExchangeSolver(ExchangeSystem& system, std::size_t states, std::size_t indicators);
  ~ExchangeSolver();
  ExchangeSolver(const ExchangeSolver&) = delete;
  ExchangeSolver& operator=(const ExchangeSolver&) = delete;

  /// From here on: steps forget those before. `tolerances`: absolute, one per state; `first_step_s`: 0 where nothing is known of it.
  bool restart(double t, std::span<const double> x, double rtol, std::span<const double> tolerances,
               double first_step_s);
  /// One internal step, up to `stop_s` at most.
  Outcome advance(double stop_s);
  /// The state where the last step ended.
  [[nodiscard]] std::span<const double> state() const;
  /// After a root, per indicator: ±1 where it has passed zero, upwards or downwards.
  [[nodiscard]] std::span<const int> roots() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ergon::fmi
