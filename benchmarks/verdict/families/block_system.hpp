#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/core/system_graph.hpp"

namespace ergon::bench {

/// ẋ = A x + B u; its outputs are states. Blocks without states are sampled gains: y = B u with the inputs at the start of the step.
struct Block {
  enum class Method {
    euler,       ///< explicit, one step
    accurate,    ///< Runge–Kutta of order 4, sixteen steps
    trapezoid,   ///< one step: what is stiff swings about its value from step to step, and hardly decays
    fixed_inner  ///< explicit Euler with steps of its own that no communication step changes
  };
  struct Signal {
    std::string name;
    std::string unit;  ///< of inputs: none, so that links may have any gain
  };
  std::string name;
  std::vector<Signal> outputs;  ///< the first states
  std::vector<Signal> inputs{};
  std::vector<double> A{};  ///< row by row
  std::vector<double> B{};
  std::vector<double> x0{};
  Method method = Method::accurate;
  double step_s = 1e-3;
  double inner_step_s = 0.0;
  bool sampled = false;  ///< check runs and references keep its step
  /// Its solver is off by a clock that is too fast by this part times h, and this one times h²: errors of two orders.
  double first_order_per_s = 0.0;
  double second_order_per_s2 = 0.0;

  [[nodiscard]] std::size_t states() const { return x0.size(); }
};

/// "hot.flow" gets gain times "cold.temperature".
struct BlockLink {
  std::string from;
  std::string to;
  double gain = 1.0;
};

/// A number as it is written with twelve digits: products of decimals keep theirs.
[[nodiscard]] Rational decimal(double value);

/// Linear subsystems that exchange signals.
struct BlockSystem {
  std::vector<Block> blocks;
  std::vector<BlockLink> links;
  double stop_s = 1.0;

  [[nodiscard]] SystemGraph graph() const;
  [[nodiscard]] std::vector<std::string> sampled() const;
  /// The same with steps of 1/n, but of what is sampled, and accurate inside.
  [[nodiscard]] BlockSystem finer(int n) const;
  /// All states, one block after the other. Without sampled gains only.
  [[nodiscard]] numerics::LinearSolution exact() const;
  /// Of an output, "block.output", among all states.
  [[nodiscard]] std::size_t state(const std::string& output) const;
};

}  // namespace ergon::bench
