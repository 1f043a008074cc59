#include "ergon/coupling/monitors/leak_monitor.hpp"

#include <algorithm>
#include <cmath>

namespace ergon {

LeakMonitor::LeakMonitor(const CoupledSystem& system, std::vector<Index> bonds,
                         const std::vector<SlotAddress>& inputs, const std::vector<SlotAddress>& outputs,
                         const std::vector<Stage>& stages, bool half_step)
    : half_step_(half_step) {
  const auto member_of = [&](Index node_index) {
    const auto known =
        std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.node == node_index; });
    if (known != members_.end()) return static_cast<std::size_t>(known - members_.begin());
    const Node& node = system.nodes[node_index];
    Member m;
    m.node = node_index;
    m.account = node.subsystem->energy_account();
    m.stage = inputs[node.first_input].stage;
    m.first_input = inputs[node.first_input].offset;
    m.input_count = static_cast<std::uint32_t>(node.input_count);
    members_.push_back(std::move(m));
    return members_.size() - 1;
  };
  std::vector<bool> fed(system.inputs.size(), false);
  for (const Index b : bonds) {
    const PowerBond& bond = system.bonds[b];
    Bond entry{b, BondTaps(bond, outputs), member_of(bond.effort_node), member_of(bond.flow_node),
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
    for (Index i = 0; i < node.input_count; ++i) {
      const Index input = node.first_input + i;
      const bool silent = !system.links[input] && system.input_start[input] == 0.0;
      if (!fed[input] && !silent) m.outside.push_back(static_cast<std::uint32_t>(i));
    }
    member_stages_.push_back(m.stage);
    inputs_.resize(std::max(inputs_.size(), node.input_count));
    received_.resize(std::max(received_.size(), node.input_count));
    plain_.resize(std::max(plain_.size(), stages[m.stage].slots));
  }
  std::sort(member_stages_.begin(), member_stages_.end());
  member_stages_.erase(std::unique(member_stages_.begin(), member_stages_.end()), member_stages_.end());
}

bool LeakMonitor::is_due(const std::vector<Stage>& stages, Tick k) const {
  return std::all_of(member_stages_.begin(), member_stages_.end(),
                     [&](std::uint32_t s) { return stages[s].next == k; });
}

double LeakMonitor::balance_J(const Member& m, const std::vector<Stage>& stages,
                              const std::vector<SampleRing*>& rings, const TimeGrid& grid, Tick k) {
  const Stage& stage = stages[m.stage];
  std::copy_n(stage.output_inputs() + m.first_input, m.input_count, inputs_.begin());
  if (half_step_ && !m.efforts.empty()) {
    stage.exchange.copy_samples(rings, grid, k, plain_.data());
    for (const std::uint32_t i : m.efforts) inputs_[i] = plain_[m.first_input + i];
  }
  const double t = grid.time_s(k);
  const EnergySample energy = m.account->energy(t, inputs_.data());
  double balance =
      energy.dissipated_J + (half_step_ ? m.account->synchronised_J(t, inputs_.data()) : energy.stored_J);
  if (!m.outside.empty()) {
    m.account->received_J(t, inputs_.data(), received_);
    for (const std::uint32_t i : m.outside) balance -= received_[i];
  }
  return balance;
}

void LeakMonitor::start(const std::vector<Stage>& stages, const std::vector<SampleRing*>& rings,
                        const TimeGrid& grid, std::span<BondRecord> records) {
  last_point_ = 0;
  leak_J_ = 0.0;
  for (Member& m : members_) {
    m.start_J = balance_J(m, stages, rings, grid, 0);
    m.leak_J = 0.0;
  }
  for (Bond& b : bonds_) {
    b.work_J = b.step_work_J = 0.0;
    for (std::size_t i = 0; i < b.effort.size(); ++i) {
      b.effort[i] = b.taps.effort(stages, 0, i);
      b.taps.move(stages, 0, 0.0, i, b.flow[i], b.displacement[i]);
    }
  }
  write(records);
}

void LeakMonitor::learn(const std::vector<Stage>& stages, const std::vector<SampleRing*>& rings,
                        const TimeGrid& grid, Tick k, std::span<BondRecord> records) {
  const double H = grid.duration_s(k - last_point_);
  last_point_ = k;
  leak_J_ = 0.0;
  for (Member& m : members_) {
    m.leak_J = balance_J(m, stages, rings, grid, k) - m.start_J;
    leak_J_ += m.leak_J;
  }
  for (Bond& b : bonds_) {
    b.step_work_J = 0.0;
    for (std::size_t i = 0; i < b.effort.size(); ++i) {
      b.step_work_J += b.effort[i] * b.taps.move(stages, k, H, i, b.flow[i], b.displacement[i]);
      b.effort[i] = b.taps.effort(stages, k, i);
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

}  // namespace ergon
