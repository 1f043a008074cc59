#pragma once

#include <vector>

namespace ergon {

/// How the effort e of a bond answers at once to the displacement ξ and the flow f that its sender is given, at t₀ and in SI units: for n
/// components two matrices n × n, row-major.
struct BondGains {
  std::vector<double> stiffness;  ///< −∂e/∂ξ
  std::vector<double> damping;    ///< −∂e/∂f; 0 where the sender takes no flow
  /// By how much the first step differs from the stiffness where that was read off steps, at most; else 0.
  double spread = 0.0;
};

}  // namespace ergon
