#include <fmt/format.h>

#include "ergon/verdict/evidence_kinds.hpp"
#include "ergon/verdict/verdict_words.hpp"

namespace ergon {
namespace {

/// Connections that are not bonds, between subsystems that act on each other: power may pass there unseen.
class UnwatchedInputs final : public Evidence {
 public:
  explicit UnwatchedInputs(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}

  bool start(const ObservedPoint& /*point*/) override { return true; }
  void observe(const ObservedPoint& /*point*/) override {}
  void findings(Findings& findings) const override {
    findings.add({.says = VerdictValue::doubtful, .kind = ReasonKind::unwatched_input});
  }
  void describe(const Finding& /*finding*/, VerdictReason& reason) const override {
    reason.what =
        fmt::format("{} fed by a plain connection and not covered by a power bond: {}",
                    inputs_.size() == 1 ? "1 input is" : fmt::format("{} inputs are", inputs_.size()),
                    verdict_words::list(inputs_));
  }
  void archive(Archive& /*archive*/) override {}

 private:
  std::vector<std::string> inputs_;
};

}  // namespace

std::unique_ptr<Evidence> unwatched_input_evidence(EvidenceContext& context) {
  if (context.bonds.empty()) return nullptr;
  std::vector<std::string> inputs = unwatched_inputs(context.system);
  return inputs.empty() ? nullptr : std::make_unique<UnwatchedInputs>(std::move(inputs));
}

}  // namespace ergon
