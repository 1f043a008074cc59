#include "ergon/verdict/verdict.hpp"

namespace ergon {

std::string_view name_of(VerdictValue value) {
  switch (value) {
    case VerdictValue::reliable:
      return "reliable";
    case VerdictValue::consistent:
      return "consistent";
    case VerdictValue::doubtful:
      return "doubtful";
    case VerdictValue::unreliable:
      return "unreliable";
    case VerdictValue::not_monitored:
      return "not monitored";
  }
  return "";
}

int severity(VerdictValue value) {
  switch (value) {
    case VerdictValue::reliable:
      return 0;
    case VerdictValue::consistent:
      return 1;
    case VerdictValue::not_monitored:
      return 2;
    case VerdictValue::doubtful:
      return 3;
    case VerdictValue::unreliable:
      return 4;
  }
  return 4;
}

std::string_view name_of(ReasonKind kind) {
  switch (kind) {
    case ReasonKind::failure:
      return "failure";
    case ReasonKind::not_finite:
      return "not-finite";
    case ReasonKind::energy_balance:
      return "energy-balance";
    case ReasonKind::bond_imbalance:
      return "bond-imbalance";
    case ReasonKind::interface_energy:
      return "interface-energy";
    case ReasonKind::black_box_estimate:
      return "blind-bond";
    case ReasonKind::stale_efforts:
      return "stale-efforts";
    case ReasonKind::growth:
      return "growth";
    case ReasonKind::sudden_change:
      return "sudden-change";
    case ReasonKind::correction_limited:
      return "correction-limited";
    case ReasonKind::coupling_residual:
      return "coupling-residual";
    case ReasonKind::not_monitored:
      return "not-monitored";
    case ReasonKind::unwatched_input:
      return "unwatched-input";
    case ReasonKind::element_gives:
      return "element-gives";
    case ReasonKind::correction_work:
      return "correction-work";
    case ReasonKind::too_few_samples:
      return "too-few-samples";
    case ReasonKind::source_sampling:
      return "source-sampling";
    case ReasonKind::solver_residual:
      return "solver-residual";
    case ReasonKind::motion:
      return "motion";
  }
  return "";
}

}  // namespace ergon
