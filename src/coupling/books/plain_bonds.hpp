#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ergon/coupling/books/bond_monitor.hpp"

namespace ergon {

/// Bonds of one component whose samples are in the same stages: their points coincide, and residuals (1) and (2) of all of them
/// are one loop over dense arrays, in which nothing has to be asked. The arithmetic is that of BondMonitor::learn without
/// corrections, bit for bit; what a bond without anything unusual costs is what systems of thousands cost.
class PlainBonds {
 public:
  struct Key {
    std::uint32_t effort_stage = 0;
    std::uint32_t flow_stage = 0;
    std::uint32_t slot_stage = 0;
    std::uint32_t flow_input_stage = 0;
    std::uint32_t pace = 0;
    bool observed_only = false;
    bool giver_is_element = false;
    bool has_flow_input = false;
    bool receiver_samples_start = false;
    bool in_SI = true;  ///< all units are SI's, and so is the scale: factors are 1, and x·1 is x
    auto operator<=>(const Key&) const = default;
  };
  /// Nothing where the bond has to be learnt by itself.
  [[nodiscard]] static std::optional<Key> key_of(const BondMonitor& bond);

  explicit PlainBonds(const Key& key) : key_(key) {}
  /// A bond of this key. `component`: the place of its effort and its motion.
  void add(const BondMonitor& bond, Index number, std::size_t component);

  /// What is kept of all bonds and their components.
  struct Numbers {
    std::span<double> efforts;
    std::span<BondMonitor::LastMotion> motions;
    std::span<BondRecord> records;
  };
  /// At every point: does nothing where it is none of these bonds'.
  void learn(const Point& point, std::span<const StageNumbers> numbers, const Numbers& books) const;

 private:
  /// Offsets in the arrays of the stages.
  struct Places {
    std::uint32_t bond;
    std::uint32_t component;
    std::uint32_t effort;
    std::uint32_t flow;
    std::uint32_t slot;
    std::uint32_t flow_input;
    double sign_into_b;
  };
  struct Factors {
    double effort, flow, slot, flow_input, scale, scale_into_b;
  };
  struct Interval {
    Tick end = 0;
    double H_s = 0.0;
    Tick ticks = 0;
    double receiver_step_s = 0.0;  ///< where the receiver's step is shorter
  };
  /// What the receiver had for e₁, and what e₁ was evaluated with.
  enum class Effort { new_sample, slot, carried_on };
  enum class Flow { new_sample, last_sample, input };
  template <bool in_SI, Effort effort_used, Flow flow_used>
  void learn_all(std::span<const StageNumbers> numbers, const Interval& interval, const Numbers& books) const;
  template <bool in_SI, Effort effort_used>
  void choose_flow(std::span<const StageNumbers> numbers, const Interval& interval,
                   const Numbers& books) const;
  template <bool in_SI>
  void choose_effort(std::span<const StageNumbers> numbers, const Interval& interval,
                     const Numbers& books) const;

  Key key_;
  std::vector<Places> places_;
  std::vector<Factors> factors_;  ///< empty where all are in SI
};

}  // namespace ergon
