#include "ergon/coupling/books/leak_monitor.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {

LeakMonitor::LeakMonitor(const CouplingPlan& plan, std::vector<Index> bonds, bool half_step)
    : half_step_(half_step) {
  const CoupledSystem& system = plan.system();
  const auto member_of = [&](Index node_index) {
    const auto known =
        std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.node == node_index; });
    if (known != members_.end()) return static_cast<std::size_t>(known - members_.begin());
    members_.emplace_back().node = node_index;
    return members_.size() - 1;
  };
  std::vector<bool> fed(system.inputs.size(), false);
  for (const Index b : bonds) {
    const PowerBond& bond = system.bonds[b];
    Bond entry{b, BondTaps(bond, plan), member_of(bond.effort_node), member_of(bond.flow_node),
               bond.sign_into_b > 0.0};
    entry.effort.resize(entry.taps.size());
    entry.flow.resize(entry.taps.size());
    entry.displacement.resize(entry.taps.size());
    for (const Index input : bond.effort_node_inputs) fed[input] = true;
    for (const Index input : bond.flow_node_inputs) {
      fed[input] = true;
      members_[entry.receiver].efforts.push_back(
          static_cast<std::uint32_t>(input - system.nodes[bond.flow_node].first_input));
    }
    bonds_.push_back(std::move(entry));
  }
  for (Member& m : members_) {
    const Node& node = system.nodes[m.node];
    for (Index i = 0; i < node.input_lanes.reals; ++i) {
      const Index input = node.first_input + i;
      const bool silent = !system.links[input] && system.input_start[input] == 0.0;
      if (!fed[input] && !silent) m.outside.push_back(static_cast<std::uint32_t>(i));
    }
    member_stages_.push_back(plan.first_input_of(m.node).stage);
  }
  std::sort(member_stages_.begin(), member_stages_.end());
  member_stages_.erase(std::unique(member_stages_.begin(), member_stages_.end()), member_stages_.end());
}

bool LeakMonitor::is_due(const Point& point) const {
  return std::all_of(member_stages_.begin(), member_stages_.end(),
                     [&](std::uint32_t s) { return point.has_arrived(s); });
}

double LeakMonitor::balance_J(const Member& m, const Point& point, const Accounts& accounts) const {
  const EnergyRecord& books =
      half_step_ ? accounts.read_as_used(m.node, m.efforts, point) : accounts.read(m.node, point);
  double balance = books.non_conservative_J() + (half_step_ ? books.synchronised_J : books.stored_J);
  for (const std::uint32_t i : m.outside) balance -= books.received_J[i];
  return balance;
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
      b.effort[i] = b.taps.effort(point, i);
      b.taps.move(point, 0.0, i, b.flow[i], b.displacement[i]);
    }
  }
  write(records);
}

void LeakMonitor::learn(const Point& point, const Accounts& accounts, std::span<BondRecord> records) {
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
      b.step_work_J += b.effort[i] * b.taps.move(point, H, i, b.flow[i], b.displacement[i]);
      b.effort[i] = b.taps.effort(point, i);
    }
    b.work_J += b.step_work_J;
    members_[b.giver].leak_J += b.work_J;
    members_[b.receiver].leak_J -= b.work_J;
  }
  write(records);
}

void LeakMonitor::write(std::span<BondRecord> records) const {
  for (const Bond& b : bonds_) {
    BondRecord& record = records[b.index];
    const double giver = members_[b.giver].leak_J;
    const double receiver = members_[b.receiver].leak_J;
    record.has_leaks = true;
    record.leak_a_J = b.effort_into_b ? giver : receiver;
    record.leak_b_J = b.effort_into_b ? receiver : giver;
    record.group_leak_J = leak_J_;
  }
}

double LeakMonitor::step_work_J(std::span<const Index> bonds) const {
  double work = 0.0;
  for (const Bond& b : bonds_) {
    if (std::find(bonds.begin(), bonds.end(), b.index) != bonds.end()) work += b.step_work_J;
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
