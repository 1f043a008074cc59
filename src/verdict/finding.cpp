#include "ergon/verdict/finding.hpp"

#include <algorithm>
#include <tuple>

namespace ergon {

void Findings::clear() {
  all_.clear();
  std::fill(judged_.begin(), judged_.end(), false);
}

void Findings::add(Finding finding) {
  finding.evidence = evidence_;
  all_.push_back(finding);
}

void Findings::add_of_bond(Index bond, Finding finding) {
  finding.bond = finding.subject = bond;
  add(finding);
}

VerdictValue Findings::value() const {
  const auto any = [&](VerdictValue value) {
    return std::any_of(all_.begin(), all_.end(), [&](const Finding& f) { return f.says == value; });
  };
  for (const VerdictValue value :
       {VerdictValue::unreliable, VerdictValue::doubtful, VerdictValue::not_monitored}) {
    if (any(value)) return value;
  }
  return any(VerdictValue::consistent) ? VerdictValue::consistent : VerdictValue::not_monitored;
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> findings = all_;
  const auto rank = [](const Finding& f) { return std::tuple(-severity(f.says), f.bond, f.evidence); };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return rank(a) < rank(b); });
  return findings;
}

}  // namespace ergon
