#include "ergon/models/nonsmooth/state_bytes.hpp"

#include <cstring>

namespace ergon {
namespace {

/// Calls `each` with every number of a state but the contacts, which it may change.
template <typename State, typename Each>
void for_numbers(State& state, Each each) {
  for (auto& position : state.position)
    for (Eigen::Index k = 0; k < 3; ++k) each(position[k]);
  for (auto& orientation : state.orientation)
    for (Eigen::Index k = 0; k < 4; ++k) each(orientation.coeffs()[k]);
  for (Eigen::Index k = 0; k < state.velocity.size(); ++k) each(state.velocity[k]);
  for (Eigen::Index k = 0; k < state.acceleration.size(); ++k) each(state.acceleration[k]);
  for (auto& angle : state.angles) each(angle);
  for (Eigen::Index k = 0; k < state.joint_forces.size(); ++k) each(state.joint_forces[k]);
  each(state.solves.count);
  each(state.solves.missed);
  each(state.solves.first_missed_s);
  each(state.solves.largest_residual);
  each(state.solves.iterations);
  each(state.solves.max_iterations);
  for (auto& number : state.sensed) each(number);
  each(state.last_step_s);
  for (auto& rate : state.rates_before) each(rate);
  each(state.last_communication_step_s);
  for (auto& force : state.actuator_forces) each(force);
  for (auto& number : state.contact_arrows) each(number);
  each(state.by_friction_J);
  each(state.by_contact_J);
  each(state.by_dampers_J);
  each(state.by_joints_J);
  for (auto& received : state.received_J) each(received);
}

template <typename Contact, typename Each>
void for_contact(Contact& contact, Each each) {
  each(contact.identity);
  for (auto& force : contact.force) each(force);
  for (auto& row : contact.row_state) each(row);
  for (auto& number : contact.tangent) each(number);
  each(contact.spring_J);
}

constexpr std::size_t contact_bytes = sizeof(std::uint64_t) + 7 * sizeof(double) + 3;

}  // namespace

void write_state(const MachineState& state, std::vector<std::byte>& bytes) {
  bytes.clear();
  const auto put = [&](const auto& number) {
    const auto* first = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), first, first + sizeof(number));
  };
  for_numbers(state, put);
  for (const ContactMemory& contact : state.contacts) for_contact(contact, put);
}

bool read_state(std::span<const std::byte> bytes, MachineState& state) {
  std::size_t fixed = 0;
  for_numbers(state, [&](const double& number) { fixed += sizeof(number); });
  if (bytes.size() < fixed || (bytes.size() - fixed) % contact_bytes != 0) return false;
  state.contacts.resize((bytes.size() - fixed) / contact_bytes);
  const std::byte* from = bytes.data();
  const auto get = [&](auto& number) {
    std::memcpy(&number, from, sizeof(number));
    from += sizeof(number);
  };
  for_numbers(state, get);
  for (ContactMemory& contact : state.contacts) for_contact(contact, get);
  return true;
}

}  // namespace ergon
