#include <algorithm>
#include <cmath>

#include "ergon/coupling/step_control/step_control.hpp"

namespace ergon {
namespace {

/// The energy that the interfaces invented in the window, against the energy that they exchange.
///   r = max over bonds of |δE|/(atol + rtol·S)
/// δE: exact imbalance of the bond where both ends keep accounts, else the energy of its interface power; S: the swing
/// (largest minus smallest value so far) of the energy that went through the bond, a measure that neither vanishes where
/// the power passes zero nor grows with time where energy just goes to and fro.
/// After ECCO [sadjina2017], with a tolerance relative to the energy exchanged in place of one that must be known.
class InterfacePowerEstimator final : public ErrorEstimator {
 public:
  InterfacePowerEstimator(const StepControlOptions& options, std::size_t bonds)
      : rtol_(options.rtol), atol_J_(options.atol), books_(bonds) {}

  void start(const StepRecord& at_start) override {
    time_s_ = at_start.time_s();
    for (std::size_t b = 0; b < books_.size(); ++b) {
      const BondRecord& bond = at_start.bonds()[b];
      books_[b] = {invented_J(at_start, b), bond.power_into_b_W, 0.0, 0.0, 0.0};
    }
  }

  [[nodiscard]] double measure(const StepRecord& at_end) const override {
    double largest = 0.0;
    for (std::size_t b = 0; b < books_.size(); ++b) {
      const double error_J = std::abs(invented_J(at_end, b) - books_[b].invented_J);
      if (error_J == 0.0) continue;
      const double went_J = books_[b].went_J + energy_J(at_end, b);
      const double swing_J = std::max(books_[b].most_J, went_J) - std::min(books_[b].least_J, went_J);
      const double ratio = error_J / (atol_J_ + rtol_ * swing_J);
      if (!(ratio <= largest)) largest = ratio;
    }
    return largest;
  }

  void accept(const StepRecord& at_end) override {
    for (std::size_t b = 0; b < books_.size(); ++b) {
      Books& books = books_[b];
      books.went_J += energy_J(at_end, b);
      books.most_J = std::max(books.most_J, books.went_J);
      books.least_J = std::min(books.least_J, books.went_J);
      books.power_W = at_end.bonds()[b].power_into_b_W;
      books.invented_J = invented_J(at_end, b);
    }
    time_s_ = at_end.time_s();
  }

  void archive(Archive& archive) override {
    archive(time_s_);
    archive(std::span(books_));
  }

 private:
  struct Books {
    double invented_J = 0.0;
    double power_W = 0.0;
    double went_J = 0.0;  ///< net energy into side b
    double most_J = 0.0;
    double least_J = 0.0;
  };
  static double invented_J(const StepRecord& record, Index b) {
    const BondRecord& bond = record.bonds()[b];
    return bond.has_imbalance ? record.imbalance_J(b) : bond.interface_energy_J;
  }
  [[nodiscard]] double energy_J(const StepRecord& at_end, std::size_t b) const {
    return 0.5 * (books_[b].power_W + at_end.bonds()[b].power_into_b_W) * (at_end.time_s() - time_s_);
  }

  double rtol_;
  double atol_J_;
  double time_s_ = 0.0;
  std::vector<Books> books_;
};

}  // namespace

std::unique_ptr<ErrorEstimator> make_interface_power_estimator(const StepControlOptions& options,
                                                               const EstimatorContext& context) {
  return std::make_unique<InterfacePowerEstimator>(options, context.system.bonds.size());
}

}  // namespace ergon
