#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/core/time_grid.hpp"

namespace ergon {

/// Which subsystems start together and become visible together, in order of execution.
struct StagePlan {
  std::vector<Index> nodes;
  Tick period = 0;
  bool executes_at_end = false;
};

struct SchemeRequest {
  const CoupledSystem& system;
  const std::vector<Tick>& periods;  ///< per node; 0 for elements
  std::vector<std::string> order;    ///< as the user gave it
};

/// An explicit scheme is nothing but its stages: Jacobi and Gauss–Seidel differ only in when a new output is visible. The
/// implicit family has one stage and solves for the coupling variables (coupling/implicit).
struct Scheme {
  std::string_view name;
  std::string_view help;
  bool visible_at_once =
      false;  ///< outputs are visible when the step is computed, not when its end is reached
  bool takes_order = false;
  bool implicit = false;  ///< coupling variables of the end of the step are unknowns
  bool iterates = false;  ///< until they are found; else one Newton step is taken
  std::vector<StagePlan> (*plan)(const SchemeRequest&, ProblemList&) = nullptr;
};

const std::vector<Scheme>& schemes();
const Scheme* find_scheme(std::string_view name);

std::vector<StagePlan> plan_jacobi(const SchemeRequest& request, ProblemList& problems);
std::vector<StagePlan> plan_gauss_seidel(const SchemeRequest& request, ProblemList& problems);

}  // namespace ergon
