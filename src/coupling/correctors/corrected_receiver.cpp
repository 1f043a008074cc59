#include "ergon/coupling/correctors/corrected_receiver.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

enum Row : std::size_t { e0, e1, f0, f1, x, moved, applied, next, lagging, ahead, missing, rows };

}  // namespace

CorrectedReceiver::CorrectedReceiver(const CouplingPlan& plan, std::vector<Index> bonds,
                                     std::unique_ptr<Corrector> corrector, const CorrectorPlace& place)
    : components_(place.components),
      half_step_energies_(place.half_step_energies),
      bonds_(std::move(bonds)),
      mu_(place.mu),
      gains_wanted_(place.gains),
      gains_(place.gains != EffortGains::none ? bonds_.size() : 0),
      corrector_(std::move(corrector)),
      memory_(rows * place.components),
      additions_(place.components),
      residual_energy_J_(bonds_.size()),
      late_effort_(gains_.size() * place.components) {
  mu_.resize(bonds_.size());
  for (const Index b : bonds_) rows_.push_back(&plan.bonds().row(b));
  scale_ = rows_.front()->scale;
  for (const BondComponentRow& c : rows_.front()->components)
    targets_.push_back(
        {c.effort_input.at.stage, c.effort_input.at.offset, 1.0 / (scale_ * c.effort_input.to_SI)});
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    const InterfaceLag& lag = place.lags[b];
    ahead_fraction_.push_back(lag.H_s > 0.0 ? lag.looked_ahead_s / lag.H_s : 0.0);
    hold_fraction_.push_back(lag.H_s > 0.0 ? lag.hold_s / lag.H_s : 0.0);
    stale_fraction_.push_back(lag.H_s > 0.0 ? lag.feedthrough_s / lag.H_s : 0.0);
    const std::uint32_t ends[] = {rows_[b]->sender_stage, rows_[b]->receiver_stage};
    wait_for(ends);
  }
}

void CorrectedReceiver::wait_for(std::span<const std::uint32_t> stages) {
  stages_.insert(stages_.end(), stages.begin(), stages.end());
  std::sort(stages_.begin(), stages_.end());
  stages_.erase(std::unique(stages_.begin(), stages_.end()), stages_.end());
}

void CorrectedReceiver::ask_accounts(std::vector<Sender> senders) {
  senders_ = std::move(senders);
}

bool CorrectedReceiver::is_due(const Point& point) const {
  return std::all_of(stages_.begin(), stages_.end(), [&](std::uint32_t s) { return point.is_complete(s); });
}

double CorrectedReceiver::sender_balance_J(const Sender& sender, const Point& point,
                                           const EnergyLedger& ledger) const {
  EnergyBalance balance;
  balance.add(ledger.energy(sender.node, point), sender.outside,
              half_step_energies_ ? StoredEnergy::synchronised : StoredEnergy::sampled);
  return balance.total_J();
}

void CorrectedReceiver::start(const Point& point, const EnergyLedger& ledger) {
  last_point_ = 0;
  capped_ = false;
  std::fill(memory_.begin(), memory_.end(), 0.0);
  std::fill(additions_.begin(), additions_.end(), 0.0);
  std::fill(residual_energy_J_.begin(), residual_energy_J_.end(), 0.0);
  std::fill(late_effort_.begin(), late_effort_.end(), 0.0);
  const auto memory = corrector_->state();
  std::fill(memory.begin(), memory.end(), 0.0);
  for (std::size_t i = 0; i < components_; ++i) {
    for (const BondRow* bond : rows_) row(e0)[i] += effort_sample(point, bond->components[i]);
    move_samples(point, 0.0, rows_.front()->components[i], row(f0)[i], row(x)[i]);
  }
  for (Sender& sender : senders_) sender.start_J = sender_balance_J(sender, point, ledger);
}

/// c = −(K Δξ + C Δf) a, with a the part of a step that the motion is late by: evaluated with the motion of now the effort would be e + c. Over the
/// step to come it is on the mean c + (c − c of the last point) l, l: how far beyond its sample the receiver uses it.
void CorrectedReceiver::add_missing(std::size_t b) {
  const BondGains& gains = gains_[b];
  for (std::size_t i = 0; i < components_; ++i) {
    double change = 0.0;
    for (std::size_t j = 0; j < components_; ++j) {
      change -= gains.stiffness[i * components_ + j] * row(moved)[j];
      change -= gains.damping[i * components_ + j] * (row(f1)[j] - row(f0)[j]);
    }
    const double late = stale_fraction_[b] * change;
    double& before = late_effort_[b * components_ + i];
    row(missing)[i] += late + ahead_fraction_[b] * (late - before);
    before = late;
  }
}

void CorrectedReceiver::update(const Point& point, const EnergyLedger& ledger, double leak_J) {
  ReceiverStep step;
  step.H_s = point.duration_s(point.tick() - last_point_);
  for (std::size_t i = 0; i < components_; ++i) {
    row(e1)[i] = row(lagging)[i] = row(ahead)[i] = row(missing)[i] = 0.0;
    row(f1)[i] = row(f0)[i];
    row(moved)[i] = move_samples(point, step.H_s, rows_.front()->components[i], row(f1)[i], row(x)[i]);
  }
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    const double residual_J = ledger.figures().residual_energy_J[bonds_[b]];
    step.lag_energy_J += mu_[b] * (residual_J - residual_energy_J_[b]);
    residual_energy_J_[b] = residual_J;
    for (std::size_t i = 0; i < components_; ++i) {
      const double change = scale_ * ledger.bond(bonds_[b]).effort_change()[i];
      row(e1)[i] += effort_sample(point, rows_[b]->components[i]);
      row(lagging)[i] += 2.0 * mu_[b] * change;
      row(ahead)[i] += ahead_fraction_[b] * change;
      row(missing)[i] += hold_fraction_[b] * change;
    }
    if (!gains_.empty()) add_missing(b);
  }
  step.leak_J = leak_J;
  for (const Sender& sender : senders_) {
    step.sender_energy_J += sender_balance_J(sender, point, ledger) - sender.start_J;
  }
  step.effort0 = row(e0);
  step.effort1 = row(e1);
  step.flow0 = row(f0);
  step.flow1 = row(f1);
  step.moved = row(moved);
  step.applied = row(applied);
  step.lag_effort = row(lagging);
  step.ahead_effort = row(ahead);
  step.missing_effort = row(missing);
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
  archive(std::span(late_effort_));
  archive(last_point_);
  archive(capped_);
  for (Sender& sender : senders_) archive(sender.start_J);
  archive(corrector_->state());
}

}  // namespace ergon
