#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/verdict/time_windows.hpp"
#include "ergon/verdict/verdict.hpp"

namespace ergon {

/// A reason without its words: made while the run goes on, too. What `subject`, `amount` and `scale` are is known to the evidence that
/// made it, which composes the sentence.
struct Finding {
  VerdictValue says = VerdictValue::consistent;
  ReasonKind kind = ReasonKind::energy_balance;
  std::size_t subject = 0;
  std::size_t first_window = 0;
  std::size_t last_window = TimeWindows::capacity;
  double ratio = 0.0;
  double limit = 0.0;  ///< 0: nothing was compared with a limit
  double amount = 0.0;
  double scale = 0.0;

  /// Those of bonds are listed in the order of the bonds, before all others.
  static constexpr Index no_bond = std::numeric_limits<Index>::max();
  Index bond = no_bond;
  std::size_t evidence = 0;  ///< whose it is: its place in the list of the monitor
};

/// What all evidence finds, one after the other. Filled again and again without allocating.
class ERGON_API Findings {
 public:
  Findings(std::size_t capacity, std::size_t bonds) : judged_(bonds) { all_.reserve(capacity); }

  void clear();
  /// Those that follow are of this evidence.
  void of_evidence(std::size_t evidence) { evidence_ = evidence; }
  void add(Finding finding);
  void add_of_bond(Index bond, Finding finding);
  /// The energy of a bond is judged: what knows less of it keeps silent.
  void set_judged(Index bond) { judged_[bond] = true; }
  [[nodiscard]] bool is_judged(Index bond) const { return judged_[bond]; }

  /// What all of it means for the run.
  [[nodiscard]] VerdictValue value() const;
  /// The worst first; bonds in their order, then the rest in the order of the evidence.
  [[nodiscard]] std::vector<Finding> sorted() const;

 private:
  std::vector<Finding> all_;
  std::vector<bool> judged_;
  std::size_t evidence_ = 0;
};

}  // namespace ergon
