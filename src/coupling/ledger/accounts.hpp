#pragma once

#include <vector>

#include "ergon/coupling/ledger/element_losses.hpp"
#include "ergon/coupling/state/energy_record.hpp"
#include "ergon/coupling/state/pending_steps.hpp"
#include "ergon/coupling/state/point.hpp"

namespace ergon {

/// The energy accounts of all nodes: one sample per node and point, taken where somebody reads it and shared by all who do.
/// Stored energies are asked with the inputs that the outputs used; synchronised and received ones with the newest samples at
/// all connected inputs: the jump of a held displacement is the work of the step that made it, not of the one after.
class Accounts {
 public:
  /// `pending` is waited for before a subsystem is asked. Both must outlive the accounts.
  Accounts(const CouplingPlan& plan, PendingSteps& pending);

  /// At t₀, and at every later point: what elements take out is integrated, and what was read before is of the past.
  void start(const Point& point) {
    losses_.start(point);
    forget();
  }
  void update(const Point& point) {
    if (!losses_.empty()) losses_.update(point);
    forget();
  }
  void archive(Archive& archive) { losses_.archive(archive); }

  /// What was read before is of the past.
  void forget() {
    ++point_;
    time_known_ = false;
  }
  [[nodiscard]] bool exists(Index node) const { return places_[node].keeps_books; }
  /// Valid until the next `forget`.
  [[nodiscard]] const EnergyRecord& read(Index node, const Point& point) const;
  /// … of what it has received alone, which is cheaper: into `received_J`.
  void read_received(Index node, const Point& point) const {
    if (received_at_[node] != point_) ask_received(node, point);
  }
  /// Work received through each input of the system, of the nodes that have been read.
  [[nodiscard]] std::span<const double> received_J() const { return received_J_; }
  /// A sample apart from that: all with the inputs that the outputs used, but for `fresh` ones (relative to the node), which
  /// are the newest. A correction that acts on half-step energies wants them with the very inputs that made the efforts: with
  /// predicted feed-through those are not samples. Valid until the next call.
  [[nodiscard]] const EnergyRecord& read_as_used(Index node, std::span<const std::uint32_t> fresh,
                                                 const Point& point) const;

 private:
  struct Place {
    const Element* law = nullptr;
    const EnergyAccount* account = nullptr;
    SlotAddress first_input;
    bool keeps_books = false;
    std::span<double> received_J;  ///< of this node: its record is not touched for it
  };
  struct StageInputs {
    std::uint64_t point = 0;
    std::vector<double> newest;
  };
  const double* newest_inputs(Index stage, const Point& point) const;
  void ask_received(Index node, const Point& point) const;
  double time_s(const Point& point) const {
    if (!time_known_) time_s_ = point.time_s();
    time_known_ = true;
    return time_s_;
  }

  const CoupledSystem& system_;
  PendingSteps& pending_;
  std::vector<Place> places_;  ///< per node
  std::uint64_t point_ = 1;
  mutable bool time_known_ = false;
  mutable double time_s_ = 0.0;  ///< of the point
  // What has been read of this point: a cache behind the const face.
  mutable std::vector<double> received_J_;  ///< flat, as the inputs of the system
  mutable std::vector<EnergyRecord> records_;
  mutable std::vector<std::uint64_t> read_at_;      ///< per node: the point of its record …
  mutable std::vector<std::uint64_t> received_at_;  ///< … and of what it has received
  mutable std::vector<StageInputs> inputs_;         ///< per stage
  ElementLosses losses_;
  mutable EnergyRecord apart_;
  mutable std::vector<double> apart_inputs_;
  mutable std::vector<double> apart_received_J_;
};

}  // namespace ergon
