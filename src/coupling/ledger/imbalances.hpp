#pragma once

#include <span>
#include <vector>

#include "ergon/coupling/ledger/accounts.hpp"
#include "ergon/coupling/state/bond_record.hpp"

namespace ergon {

/// (3) of all bonds: Δreceived by one end + Δreceived by the other since t₀, from their accounts. Dear to read, but cumulative: read
/// where somebody asks. What it needs of the bonds stands in the order of the bonds: reading all of them costs no search.
class Imbalances {
 public:
  explicit Imbalances(const CouplingPlan& plan);

  /// Both ends account for the work they receive through this bond alone.
  [[nodiscard]] bool exists(Index bond) const { return has_accounts(spans_[bond]); }
  /// At t₀.
  void start(const Point& point, const Accounts& accounts);
  /// As StepRecord::imbalance_J says.
  [[nodiscard]] double read(Index bond, const BondFigures& figures, const Point& point,
                            const Accounts& accounts) const;
  /// Of all bonds.
  void read_all(std::span<double> per_bond, const BondFigures& figures, const Point& point,
                const Accounts& accounts) const;

  void archive(Archive& archive);

 private:
  /// Its part of the list below; empty where (3) does not exist.
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t sender = 0;
    std::uint32_t receiver = 0;
  };
  struct Reading {
    Tick at = -1;
    double energy_J = 0.0;
  };
  [[nodiscard]] static bool has_accounts(const Span& span) { return span.begin != span.end; }
  [[nodiscard]] double received_J(const Span& span, const Point& point, const Accounts& accounts) const;
  [[nodiscard]] double read_one(Index bond, const BondFigures& figures, const Point& point,
                                const Accounts& accounts) const;

  std::vector<Span> spans_;                ///< per bond
  std::vector<std::uint32_t> inputs_;      ///< of the system, that are a bond's
  std::vector<double> start_J_;            ///< per bond
  mutable std::vector<Reading> readings_;  ///< per bond, as read last: a cache behind the const face
};

}  // namespace ergon
