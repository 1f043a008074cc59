#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon {

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> all = {
      {"jacobi", "all subsystems step in parallel from samples of the past", false, false, false, false,
       plan_jacobi},
      {"gauss-seidel", "one after the other, in 'order'; a new output is visible at once", true, true, false,
       false, plan_gauss_seidel},
      {"semi-implicit", "one Newton step for the coupling variables; steps are taken several times", false,
       false, true, false, plan_jacobi},
      {"implicit", "Newton iteration until the coupling variables agree", false, false, true, true,
       plan_jacobi},
  };
  return all;
}

const Scheme* find_scheme(std::string_view name) {
  for (const Scheme& s : schemes()) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

}  // namespace ergon
