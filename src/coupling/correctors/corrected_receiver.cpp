#include "ergon/coupling/correctors/corrected_receiver.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

enum Row : std::size_t { e0, e1, f0, f1, x, moved, applied, next, lagging, ahead, rows };

}  // namespace

CorrectedReceiver::CorrectedReceiver(const CouplingPlan& plan, std::vector<Index> bonds,
                                     std::unique_ptr<Corrector> corrector, const CorrectorPlace& place)
    : components_(place.components),
      half_step_energies_(place.half_step_energies),
      bonds_(std::move(bonds)),
      mu_(place.mu),
      corrector_(std::move(corrector)),
      memory_(rows * place.components),
      additions_(place.components),
      residual_energy_J_(bonds_.size()) {
  mu_.resize(bonds_.size());
  const CoupledSystem& system = plan.system();
  const PowerBond& first = system.bonds[bonds_.front()];
  scale_ = first.scale;
  for (const BondComponent& c : first.components) {
    const SlotAddress a = plan.input(c.effort_input);
    targets_.push_back({a.stage, a.offset, 1.0 / (first.scale * c.effort_input_to_SI)});
  }
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    const PowerBond& bond = system.bonds[bonds_[b]];
    taps_.emplace_back(bond, plan);
    const InterfaceLag& lag = place.lags[b];
    ahead_fraction_.push_back(lag.H_s > 0.0 ? lag.looked_ahead_s / lag.H_s : 0.0);
    const std::uint32_t ends[] = {plan.output(bond.components.front().effort_output).stage,
                                  plan.output(bond.components.front().flow_output).stage};
    wait_for(ends);
  }
}

void CorrectedReceiver::wait_for(std::span<const std::uint32_t> stages) {
  stages_.insert(stages_.end(), stages.begin(), stages.end());
  std::sort(stages_.begin(), stages_.end());
  stages_.erase(std::unique(stages_.begin(), stages_.end()), stages_.end());
}

void CorrectedReceiver::ask_accounts(std::vector<Giver> givers) {
  givers_ = std::move(givers);
}

bool CorrectedReceiver::is_due(const Point& point) const {
  return std::all_of(stages_.begin(), stages_.end(), [&](std::uint32_t s) { return point.is_complete(s); });
}

double CorrectedReceiver::giver_balance_J(const Giver& giver, const Point& point, const Books& books) const {
  const EnergyRecord& energy = books.energy(giver.node, point);
  double balance =
      energy.non_conservative_J() + (half_step_energies_ ? energy.synchronised_J : energy.stored_J);
  for (const std::uint32_t i : giver.outside) balance -= energy.received_J[i];
  return balance;
}

void CorrectedReceiver::start(const Point& point, const Books& books) {
  last_point_ = 0;
  capped_ = false;
  std::fill(memory_.begin(), memory_.end(), 0.0);
  std::fill(additions_.begin(), additions_.end(), 0.0);
  std::fill(residual_energy_J_.begin(), residual_energy_J_.end(), 0.0);
  const auto memory = corrector_->state();
  std::fill(memory.begin(), memory.end(), 0.0);
  for (std::size_t i = 0; i < components_; ++i) {
    for (const BondTaps& taps : taps_) row(e0)[i] += taps.effort(point, i);
    taps_.front().move(point, 0.0, i, row(f0)[i], row(x)[i]);
  }
  for (Giver& giver : givers_) giver.start_J = giver_balance_J(giver, point, books);
}

void CorrectedReceiver::learn(const Point& point, const Books& books, double leak_J) {
  ReceiverStep step;
  step.H_s = point.duration_s(point.tick() - last_point_);
  for (std::size_t i = 0; i < components_; ++i) {
    row(e1)[i] = row(lagging)[i] = row(ahead)[i] = 0.0;
    row(f1)[i] = row(f0)[i];
    row(moved)[i] = taps_.front().move(point, step.H_s, i, row(f1)[i], row(x)[i]);
  }
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    const double residual_J = books.figures().residual_energy_J[bonds_[b]];
    step.lag_energy_J += mu_[b] * (residual_J - residual_energy_J_[b]);
    residual_energy_J_[b] = residual_J;
    for (std::size_t i = 0; i < components_; ++i) {
      const double change = scale_ * books.bond(bonds_[b]).effort_change()[i];
      row(e1)[i] += taps_[b].effort(point, i);
      row(lagging)[i] += 2.0 * mu_[b] * change;
      row(ahead)[i] += ahead_fraction_[b] * change;
    }
  }
  step.leak_J = leak_J;
  for (const Giver& giver : givers_) {
    step.giver_energy_J += giver_balance_J(giver, point, books) - giver.start_J;
  }
  step.effort0 = row(e0);
  step.effort1 = row(e1);
  step.flow0 = row(f0);
  step.flow1 = row(f1);
  step.moved = row(moved);
  step.applied = row(applied);
  step.lag_effort = row(lagging);
  step.ahead_effort = row(ahead);
  capped_ = corrector_->correct(step, row(next));
  std::copy_n(row(e1).begin(), components_, row(e0).begin());
  std::copy_n(row(f1).begin(), components_, row(f0).begin());
  std::copy_n(row(next).begin(), components_, row(applied).begin());
  for (std::size_t i = 0; i < components_; ++i) additions_[i] = row(next)[i] * targets_[i].from_SI;
  last_point_ = point.tick();
}

double CorrectedReceiver::share(std::size_t component) const {
  const double share = 1.0 / (scale_ * static_cast<double>(bonds_.size()));
  return share * memory_[applied * components_ + component];
}

void CorrectedReceiver::archive(Archive& archive) {
  archive(std::span(memory_));
  archive(std::span(additions_));
  archive(std::span(residual_energy_J_));
  archive(last_point_);
  archive(capped_);
  for (Giver& giver : givers_) archive(giver.start_J);
  archive(corrector_->state());
}

}  // namespace ergon
