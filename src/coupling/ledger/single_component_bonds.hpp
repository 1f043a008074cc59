#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ergon/coupling/ledger/bond_monitor.hpp"

namespace ergon {

/// Bonds of one component whose samples are in the same stages: their points coincide, and residuals (1) and (2) of all of them
/// are one loop over dense arrays, in which nothing has to be asked, several bonds side by side. The arithmetic is that of
/// BondMonitor::update without corrections, bit for bit; what a bond without anything unusual costs is what systems of thousands cost.
class SingleComponentBonds {
 public:
  struct Key {
    std::uint32_t effort_stage = 0;
    std::uint32_t flow_stage = 0;
    std::uint32_t slot_stage = 0;
    std::uint32_t flow_input_stage = 0;
    std::uint32_t rate_group = 0;
    bool observed_only = false;
    bool sender_is_element = false;
    bool has_flow_input = false;
    bool receiver_samples_start = false;
    bool in_SI = true;  ///< all units are SI's, and so is the scale: factors are 1, and x·1 is x
    auto operator<=>(const Key&) const = default;
  };
  /// What the receiver had for e₁, and what e₁ was evaluated with.
  enum class Effort { new_sample, slot, carried_on };
  enum class Flow { new_sample, last_sample, input };
  /// Nothing where the bond has to be updated by itself.
  [[nodiscard]] static std::optional<Key> key_of(const BondRow& bond);

  /// What is kept of all bonds and their components, and stays where it is.
  struct Arrays {
    std::span<double> efforts;
    std::span<double> flows;
    BondFigures& figures;
  };
  SingleComponentBonds(const Key& key, const Arrays& arrays) : key_(key), arrays_(arrays) {}
  /// A bond of this key, in the order of their numbers.
  void add(const BondRow& bond);

  /// At every point: does nothing where it is none of these bonds'.
  void update(const Point& point, std::span<const StageNumbers> numbers) const;

 private:
  struct Factors {
    double effort, flow, slot, flow_input, scale, scale_into_b;
    bool operator==(const Factors&) const = default;
  };
  /// Neighbours in all arrays, with the same factors: where the first of them is.
  struct Run {
    std::size_t first = 0;  ///< of the offsets below
    std::size_t count = 0;
    Factors factors{};
    double* efforts = nullptr;
    double* flows = nullptr;
    double* power_into_b_W = nullptr;
    double* exchanged_energy_J = nullptr;
    double* residual_power_W = nullptr;
    double* residual_energy_J = nullptr;
    double* interface_power_W = nullptr;
    double* interface_energy_J = nullptr;
  };
  struct Interval {
    double H_s = 0.0;
    Tick ticks = 0;
    double receiver_step_s = 0.0;  ///< where the receiver's step is shorter
  };
  template <bool in_SI, Effort effort_used, Flow flow_used>
  struct Update;
  template <bool in_SI, Effort effort_used, Flow flow_used>
  void update_all(std::span<const StageNumbers> numbers, const Interval& interval) const;
  template <bool in_SI, Effort effort_used>
  void choose_flow(std::span<const StageNumbers> numbers, const Interval& interval) const;
  template <bool in_SI>
  void choose_effort(std::span<const StageNumbers> numbers, const Interval& interval) const;

  Key key_;
  Arrays arrays_;
  Index last_bond_ = 0;
  std::vector<Run> runs_;
  // Offsets in the arrays of the stages, per bond.
  std::vector<std::uint32_t> effort_;
  std::vector<std::uint32_t> flow_;
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint32_t> flow_input_;
};

}  // namespace ergon
