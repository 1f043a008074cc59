#include <fmt/format.h>

#include <cstdint>

#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/verdict_limits.hpp"
#include "ergon/verdict/verdict_words.hpp"

namespace ergon {
namespace {

/// Steps of implicit schemes that ended with coupling variables and outputs apart: they have coupled something else. One or two may: a
/// contact closes, a variable that was zero begins to move.
class Convergence final : public Evidence {
 public:
  bool start(const ObservedPoint& point) override {
    if (point.record.implicit_steps() == nullptr) return false;
    observe(point);
    return true;
  }
  void observe(const ObservedPoint& point) override {
    const ImplicitRecord* implicit = point.record.implicit_steps();
    if (implicit == nullptr || implicit->steps == 0) return;
    const double residual = implicit->residual;
    ++residuals_.steps;
    if (!(residual <= verdict_limits::doubtful_residual)) ++residuals_.noticed;
    if (!(residual <= verdict_limits::unreliable_residual)) ++residuals_.large;
    if (!(residual <= residuals_.largest)) residuals_.largest = residual;
  }

  void findings(Findings& findings) const override {
    if (residuals_.steps == 0) return;
    const auto steps = static_cast<double>(residuals_.steps);
    const auto share = [&](std::uint64_t count) { return static_cast<double>(count) / steps; };
    const auto often = [&](std::uint64_t count) {
      return static_cast<double>(count) > verdict_limits::steps_with_residual * steps;
    };
    Finding finding{.kind = ReasonKind::coupling_residual,
                    .limit = verdict_limits::steps_with_residual,
                    .amount = residuals_.largest};
    if (often(residuals_.large)) {
      finding.says = VerdictValue::unreliable;
      finding.ratio = share(residuals_.large);
      finding.scale = verdict_limits::unreliable_residual;
    } else if (often(residuals_.noticed)) {
      finding.says = VerdictValue::doubtful;
      finding.ratio = share(residuals_.noticed);
      finding.scale = verdict_limits::doubtful_residual;
    } else {
      return;
    }
    findings.add(finding);
  }
  void describe(const Finding& finding, VerdictReason& reason) const override {
    using verdict_words::percent;
    reason.what = fmt::format(
        "the coupling variables did not converge: in {} of the steps they differ from the outputs by more "
        "than "
        "{} of their size, at most by {:.3g} times it (take smaller steps, or scheme = \"implicit\")",
        percent(finding.ratio), percent(finding.scale), finding.amount);
  }
  void archive(Archive& archive) override { archive(residuals_); }

 private:
  /// Steps, and how many of them ended with a residual above a limit.
  struct Residuals {
    std::uint64_t steps = 0;
    std::uint64_t noticed = 0;
    std::uint64_t large = 0;
    double largest = 0.0;
  };
  Residuals residuals_;
};

}  // namespace

std::unique_ptr<Evidence> convergence_evidence(EvidenceContext& /*context*/) {
  return std::make_unique<Convergence>();
}

}  // namespace ergon
