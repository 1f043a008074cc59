#include "ergon/coupling/schemes/implicit/update_rule.hpp"

namespace ergon {

const std::vector<UpdateRuleInfo>& update_rules() {
  static const std::vector<UpdateRuleInfo> all = {
      {"finite-difference", "computed in every step, by repeated integration", true, false, false,
       make_finite_difference_rule},
      {"directional", "computed in every step from directional derivatives, without further integration",
       true, true, false, make_directional_rule},
      {"effective-inertia", "computed in every step, leading terms in H/m and H²/m only", true, true, true,
       make_effective_inertia_rule},
      {"frozen", "by repeated integration, once for every step size", true, false, false, make_frozen_rule},
      {"broyden", "by repeated integration once, then from what each step shows", true, false, false,
       make_broyden_rule},
      {"anderson", "fixed-point iteration, Anderson's acceleration over this step's trials", false, false,
       false, make_anderson_rule},
      {"iqn-ils", "quasi-Newton by least squares over trials of this step and the ones before", false, false,
       false, make_iqn_ils_rule},
      {"gauss-seidel", "sweeps in 'order', repeated: each subsystem with what those before it have come to",
       false, false, false, make_fixed_point_rule, true},
  };
  return all;
}

const UpdateRuleInfo* find_update_rule(std::string_view name) {
  for (const UpdateRuleInfo& rule : update_rules()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::vector<std::string> update_rule_names(bool jacobians) {
  std::vector<std::string> names;
  for (const UpdateRuleInfo& rule : update_rules()) {
    if (rule.is_jacobian == jacobians) names.emplace_back(rule.name);
  }
  return names;
}

}  // namespace ergon
