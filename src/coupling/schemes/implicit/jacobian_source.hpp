#pragma once

#include <memory>
#include <optional>

#include "ergon/coupling/schemes/implicit/interface_jacobian.hpp"
#include "ergon/coupling/schemes/implicit/interface_problem.hpp"

namespace ergon {

/// Forms G = ∂g/∂u about the last trial of an interface problem.
class JacobianSource {
 public:
  JacobianSource() = default;
  JacobianSource(const JacobianSource&) = delete;
  JacobianSource& operator=(const JacobianSource&) = delete;
  virtual ~JacobianSource() = default;
  /// The member whose step failed, where one did.
  virtual std::optional<MemberFailure> compute(InterfaceJacobian& jacobian) = 0;
};

}  // namespace ergon
