#include "ergon/models/mechanics/clutch.hpp"

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

ModelInfo clutch_like(std::string name, std::string summary, bool is_brake) {
  ModelInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.parameters = {
      {"capacity", "N.m", 1.0, "torque at which it slips, where nothing is connected", {}, 0.0},
      {"k", "N.m/rad", 100.0, "torsional stiffness while it sticks", {}, 0.0, true},
      {"c", "N.m.s/rad", 1.0, "torsional damping while it sticks", {}, 0.0, true}};
  info.initial = {{"twist", "rad", 0.0, "of its spring at the start"}};
  info.make = [is_brake](const ModelRequest& request, ProblemList& problems) -> std::unique_ptr<Subsystem> {
    const auto integration = check_integrator(request, problems);
    if (!integration) return nullptr;
    const ParameterSet& given = request.parameters;
    const Clutch clutch({is_brake, given.number("k"), given.number("c"), given.number("capacity")});
    return std::make_unique<NativeSubsystem<Clutch>>(clutch, *integration,
                                                     std::vector<double>{request.initial.number("twist")});
  };
  info.examples = {{"sticking", {{"capacity", {100.0, {}}}, {"k", {50.0, {}}}}, {{"twist", {0.02, {}}}}},
                   {"slipping", {{"capacity", {0.3, {}}}, {"k", {200.0, {}}}, {"c", {2.0, {}}}}}};
  return info;
}

}  // namespace

Description Clutch::describe() const {
  const Unit rate = Unit::of("rad/s");
  const Unit torque_unit = Unit::of("N.m");
  Description description;
  Port capacity_port{"capacity", torque_unit, 1, "torque at which it slips; 0: open", p_.capacity_Nm};
  capacity_port.optional = true;
  capacity_port.nominal = 0.2 * p_.capacity_Nm;
  if (p_.is_brake) {
    description.inputs = {{"angular_velocity", rate, 1, "of the shaft"}, capacity_port};
    description.outputs = {{"torque", torque_unit, 1, "on the shaft"}};
  } else {
    description.inputs = {{"angular_velocity_i", rate, 1, "of shaft i"},
                          {"angular_velocity_j", rate, 1, "of shaft j"},
                          capacity_port};
    description.outputs = {{"torque_i", torque_unit, 1, "on shaft i"},
                           {"torque_j", torque_unit, 1, "on shaft j"}};
  }
  description.outputs.push_back({"slip", rate, 1, "of the friction surfaces, 0 while it sticks"});
  for (std::size_t output = 0; output < description.outputs.size(); ++output) {
    for (std::size_t input = 0; input < description.inputs.size(); ++input)
      description.feedthrough.push_back({output, input});
  }
  return description;
}

void Clutch::outputs(const double* u, const double* /*q*/, const double* v, double* y) const {
  const double rate = twist_rate(u, v[0]);
  const double T = torque(rate, v[0]);
  y[0] = -T;
  if (!p_.is_brake) y[1] = T;
  y[p_.is_brake ? 1 : 2] = speed(u) - rate;
}

void Clutch::output_jacobian(const double* u, const double* /*q*/, const double* v, double* jacobian) const {
  const double rate = twist_rate(u, v[0]);
  const bool slips = rate != speed(u);
  const double sign = speed(u) > rate ? 1.0 : -1.0;
  const double moving = u[input_count() - 1] > 0.0 ? sign : 0.0;  // below 0 the capacity stays 0
  const double by_speed = slips ? 0.0 : p_.damping_Nms_rad;       // of T
  const double by_capacity = slips ? moving : 0.0;
  const double slip_by_speed = slips ? 1.0 : 0.0;
  const double slip_by_capacity = slips ? -moving / p_.damping_Nms_rad : 0.0;
  if (p_.is_brake) {
    jacobian[0] = -by_speed;
    jacobian[1] = -by_capacity;
    jacobian[2] = slip_by_speed;
    jacobian[3] = slip_by_capacity;
    return;
  }
  const double rows[9] = {-by_speed,   by_speed,      -by_capacity,   by_speed,        -by_speed,
                          by_capacity, slip_by_speed, -slip_by_speed, slip_by_capacity};
  std::copy_n(rows, 9, jacobian);
}

ModelInfo clutch_model() {
  return clutch_like("rotational.clutch", "clutch between two shafts: dry friction that sticks and slips",
                     false);
}
ModelInfo brake_model() {
  return clutch_like("rotational.brake", "brake on a shaft: dry friction that sticks and slips", true);
}

}  // namespace ergon
