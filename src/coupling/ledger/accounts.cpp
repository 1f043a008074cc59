#include "ergon/coupling/ledger/accounts.hpp"

#include <algorithm>

#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {

Accounts::Accounts(const CouplingPlan& plan, PendingSteps& pending)
    : system_(plan.system()),
      pending_(pending),
      places_(plan.system().nodes.size()),
      received_J_(plan.system().inputs.size(), 0.0),
      records_(places_.size()),
      read_at_(places_.size(), 0),
      received_at_(places_.size(), 0),
      inputs_(plan.stages().size()),
      losses_(plan) {
  for (Index s = 0; s < plan.stages().size(); ++s) {
    bool any = false;
    for (const Member& m : plan.stage(s).members) {
      const Node& node = plan.node_of(m);
      Place& place = places_[m.node];
      place.law = m.law;
      place.account = m.law != nullptr ? nullptr : m.subsystem->energy_account();
      place.first_input = plan.first_input_of(m.node);
      place.keeps_books = place.law != nullptr || place.account != nullptr;
      any = any || place.keeps_books;
      place.received_J = std::span(received_J_).subspan(node.first_input, node.input_counts.reals);
      records_[m.node].received_J = place.received_J;
    }
    if (any) inputs_[s].newest.resize(plan.stage(s).slots);
  }
  std::size_t most = 0;
  for (const Node& node : plan.system().nodes) most = std::max(most, node.input_counts.reals);
  apart_inputs_.resize(most);
  apart_received_J_.resize(most);
}

const double* Accounts::newest_inputs(Index stage, const Point& point) const {
  StageInputs& inputs = inputs_[stage];
  if (inputs.point != point_) {
    inputs.point = point_;
    point.newest_inputs(stage, inputs.newest.data());
  }
  return inputs.newest.data();
}

const EnergyRecord& Accounts::read(Index node, const Point& point) const {
  EnergyRecord& record = records_[node];
  if (read_at_[node] == point_) return record;
  read_at_[node] = point_;
  const Place& place = places_[node];
  if (!place.keeps_books) return record;
  record.available = true;
  pending_.await(place.first_input.stage);
  received_at_[node] = point_;
  const double* used = point.inputs_used_by_outputs(place.first_input);
  const double* newest = newest_inputs(place.first_input.stage, point) + place.first_input.offset;
  try {
    if (place.law != nullptr) {
      const ElementLosses::Work& work = losses_.of(node);
      record.stored_J = place.law->stored_J(used);
      record.synchronised_J = place.law->stored_J(newest);
      record.dissipated_J = work.dissipated_J;
      record.supplied_J = work.supplied_J;
      record.element_received_J = record.stored_J - work.stored_at_start_J + record.non_conservative_J();
    } else {
      place.account->sample({time_s(point), used, newest}, record);
    }
  } catch (...) {
    throw SubsystemFailure(system_.nodes[node].name, point.time_s(), current_exception_text());
  }
  return record;
}

void Accounts::ask_received(Index node, const Point& point) const {
  received_at_[node] = point_;
  const Place& place = places_[node];
  if (place.account == nullptr) return;
  pending_.await(place.first_input.stage);
  const AccountInputs inputs{time_s(point), point.inputs_used_by_outputs(place.first_input),
                             newest_inputs(place.first_input.stage, point) + place.first_input.offset};
  try {
    place.account->received(inputs, place.received_J);
  } catch (...) {
    throw SubsystemFailure(system_.nodes[node].name, point.time_s(), current_exception_text());
  }
}

const EnergyRecord& Accounts::read_as_used(Index node, std::span<const std::uint32_t> fresh,
                                           const Point& point) const {
  const Place& place = places_[node];
  const std::size_t inputs = place.received_J.size();
  std::copy_n(point.inputs_used_by_outputs(place.first_input), inputs, apart_inputs_.begin());
  const double* newest = newest_inputs(place.first_input.stage, point) + place.first_input.offset;
  for (const std::uint32_t i : fresh) apart_inputs_[i] = newest[i];
  apart_.received_J = std::span(apart_received_J_).first(inputs);
  pending_.await(place.first_input.stage);
  blaming(system_.nodes[node].name, point.time_s(), [&] {
    place.account->sample({point.time_s(), apart_inputs_.data(), apart_inputs_.data()}, apart_);
  });
  return apart_;
}

}  // namespace ergon
