#include "ergon/coupling/ledger/leak_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ergon {

LeakMonitor::LeakMonitor(const CouplingPlan& plan, const BondGroup& group, bool half_step)
    : half_step_(half_step) {
  std::map<Index, std::size_t> place;
  for (const BondGroup::Member& member : group.members) {
    place[member.node] = members_.size();
    members_.push_back({member});
    member_stages_.push_back(plan.first_input_of(member.node).stage);
  }
  for (const Index b : group.bonds) {
    const BondRow& row = plan.bonds().row(b);
    Bond& bond = bonds_.emplace_back(Bond{&row, place.at(row.sender), place.at(row.receiver)});
    bond.effort.resize(row.components.size());
    bond.flow.resize(row.components.size());
    bond.displacement.resize(row.components.size());
  }
  std::sort(member_stages_.begin(), member_stages_.end());
  member_stages_.erase(std::unique(member_stages_.begin(), member_stages_.end()), member_stages_.end());
}

bool LeakMonitor::is_due(const Point& point) const {
  return std::all_of(member_stages_.begin(), member_stages_.end(),
                     [&](std::uint32_t s) { return point.has_arrived(s); });
}

double LeakMonitor::balance_J(const Member& m, const Point& point, const Accounts& accounts) const {
  EnergyBalance balance;
  balance.add(
      half_step_ ? accounts.read_as_used(m.of.node, m.of.efforts, point) : accounts.read(m.of.node, point),
      m.of.outside, half_step_ ? StoredEnergy::synchronised : StoredEnergy::sampled);
  return balance.total_J();
}

void LeakMonitor::start(const Point& point, const Accounts& accounts, std::span<BondRecord> records) {
  last_point_ = 0;
  leak_J_ = 0.0;
  for (Member& m : members_) {
    m.start_J = balance_J(m, point, accounts);
    m.leak_J = 0.0;
  }
  for (Bond& b : bonds_) {
    b.work_J = b.step_work_J = 0.0;
    for (std::size_t i = 0; i < b.effort.size(); ++i) {
      const BondComponentRow& c = b.row->components[i];
      b.effort[i] = effort_sample(point, c);
      move_samples(point, 0.0, c, b.flow[i], b.displacement[i]);
    }
  }
  write(records);
}

void LeakMonitor::update(const Point& point, const Accounts& accounts, std::span<BondRecord> records) {
  const double H = point.duration_s(point.tick() - last_point_);
  last_point_ = point.tick();
  leak_J_ = 0.0;
  for (Member& m : members_) {
    m.leak_J = balance_J(m, point, accounts) - m.start_J;
    leak_J_ += m.leak_J;
  }
  for (Bond& b : bonds_) {
    b.step_work_J = 0.0;
    for (std::size_t i = 0; i < b.effort.size(); ++i) {
      const BondComponentRow& c = b.row->components[i];
      b.step_work_J += b.effort[i] * move_samples(point, H, c, b.flow[i], b.displacement[i]);
      b.effort[i] = effort_sample(point, c);
    }
    b.work_J += b.step_work_J;
    members_[b.sender].leak_J += b.work_J;
    members_[b.receiver].leak_J -= b.work_J;
  }
  write(records);
}

void LeakMonitor::write(std::span<BondRecord> records) const {
  for (const Bond& b : bonds_) {
    BondRecord& record = records[b.row->number];
    const double sender = members_[b.sender].leak_J;
    const double receiver = members_[b.receiver].leak_J;
    const bool into_b = b.row->sign_into_b > 0.0;
    record.has_leaks = true;
    record.leak_a_J = into_b ? sender : receiver;
    record.leak_b_J = into_b ? receiver : sender;
    record.group_leak_J = leak_J_;
  }
}

double LeakMonitor::step_work_J(std::span<const Index> bonds) const {
  double work = 0.0;
  for (const Bond& b : bonds_) {
    if (std::find(bonds.begin(), bonds.end(), b.row->number) != bonds.end()) work += b.step_work_J;
  }
  return std::abs(work);
}

void LeakMonitor::archive(Archive& archive) {
  archive(last_point_);
  archive(leak_J_);
  for (Member& m : members_) {
    archive(m.start_J);
    archive(m.leak_J);
  }
  for (Bond& b : bonds_) {
    archive(std::span(b.effort));
    archive(std::span(b.flow));
    archive(std::span(b.displacement));
    archive(b.step_work_J);
    archive(b.work_J);
  }
}

}  // namespace ergon
