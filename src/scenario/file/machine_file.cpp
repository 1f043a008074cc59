#include "ergon/scenario/file/machine_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "ergon/scenario/file/machine_changes.hpp"
#include "ergon/scenario/file/machine_part_reader.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;

bool read_body(PartReader& part, BodyDescription& body) {
  body.name = part.name();
  part.needed_number("mass", body.mass_kg, "10.0");
  if (!part.table().entry("inertia"))
    part.table().missing("inertia", "Give it about the centre of mass: inertia = [Jxx, Jyy, Jzz]");
  if (const auto J = part.list("inertia", {3, 6})) {
    body.inertia_kg_m2 = Eigen::Vector3d((*J)[0], (*J)[1], (*J)[2]).asDiagonal();
    if (J->size() == 6) {
      body.inertia_kg_m2(0, 1) = body.inertia_kg_m2(1, 0) = (*J)[3];
      body.inertia_kg_m2(0, 2) = body.inertia_kg_m2(2, 0) = (*J)[4];
      body.inertia_kg_m2(1, 2) = body.inertia_kg_m2(2, 1) = (*J)[5];
    }
  }
  part.vector("position", body.position_m);
  part.orientation(body.orientation);
  part.vector("velocity", body.velocity_m_s);
  part.vector("angular_velocity", body.angular_velocity_rad_s);
  return part.finish();
}

/// What acts about or along the axis of a joint, and its outputs.
void read_joint_forces(PartReader& part, JointDescription& joint) {
  part.inner_part("spring", [&](PartReader& table) {
    joint.spring.emplace();
    table.needed_number("stiffness", joint.spring->stiffness, "1000");
    table.number("rest", joint.spring->rest);
  });
  part.inner_part("limits", [&](PartReader& table) {
    joint.limits.emplace();
    table.number("lower", joint.limits->lower);
    table.number("upper", joint.limits->upper);
    table.number("stiffness", joint.limits->stiffness);
    table.number("damping", joint.limits->damping);
  });
  part.inner_part("motor", [&](PartReader& table) {
    joint.motor.emplace();
    if (const auto input = table.table().choice("input", {"torque", "force", "speed"}))
      joint.motor->input = input->value == "speed" ? MotorInput::speed : MotorInput::torque;
    table.number("limit", joint.motor->limit);
  });
  part.number("friction", joint.friction);
  const bool slides = joint.type == JointType::prismatic;
  const std::string coordinate = slides ? "position" : "angle";
  part.choices("outputs", {coordinate, "rate", "reaction_force", "reaction_torque"},
               [&](const std::string& name) {
                 joint.outputs.coordinate = joint.outputs.coordinate || name == coordinate;
                 joint.outputs.rate = joint.outputs.rate || name == "rate";
                 joint.outputs.force = joint.outputs.force || name == "reaction_force";
                 joint.outputs.torque = joint.outputs.torque || name == "reaction_torque";
               });
  if (const auto frame = part.table().choice("output_axes", {"world", "joint"}))
    joint.outputs.in_joint_axes = frame->value == "joint";
}

bool read_joint(PartReader& part, JointDescription& joint) {
  static const std::vector<std::string> types = {"weld",      "revolute",  "prismatic",
                                                 "spherical", "universal", "gear"};
  joint.name = part.name();
  if (!part.table().entry("type")) part.table().missing("type", "Give it, as in: type = \"revolute\"");
  if (const auto type = part.table().choice("type", types)) {
    for (std::size_t i = 0; i < types.size(); ++i)
      if (types[i] == type->value) joint.type = static_cast<JointType>(i);
  }
  joint.a = part.needed_text("a", "\"ground\"");
  joint.b = part.needed_text("b", "\"boom\"");
  part.text("c", joint.c);
  part.vector("point", joint.point_m);
  part.vector("axis", joint.axis);
  part.vector("reference", joint.reference);
  part.vector("point_a", joint.end_a.point_m);
  part.vector("axis_a", joint.end_a.axis);
  part.vector("reference_a", joint.end_a.reference);
  part.vector("point_b", joint.end_b.point_m);
  part.vector("axis_b", joint.end_b.axis);
  part.vector("reference_b", joint.end_b.reference);
  part.flag("locked", joint.locked);
  joint.drive = part.drive();
  part.number("ratio", joint.ratio);
  part.number("damping", joint.damping);
  part.number("stiffness", joint.stiffness);
  part.number("stiffness_damping", joint.stiffness_damping);
  read_joint_forces(part, joint);
  return part.finish();
}

bool read_actuator(PartReader& part, ActuatorDescription& actuator) {
  actuator.name = part.name();
  actuator.a = part.needed_text("a", "\"base\"");
  actuator.b = part.needed_text("b", "\"boom\"");
  part.needed_vector("point_a", actuator.point_a_m);
  part.needed_vector("point_b", actuator.point_b_m);
  if (const auto input = part.table().choice("input", {"force", "motion"}))
    actuator.input = input->value == "motion" ? ActuatorInput::motion : ActuatorInput::force;
  part.choices("outputs", {"load"}, [&](const std::string& /*name*/) { actuator.load_output = true; });
  return part.finish();
}

bool read_marker(PartReader& part, MarkerDescription& marker) {
  marker.name = part.name();
  marker.body = part.needed_text("body", "\"boom\"");
  part.vector("position", marker.position_m);
  Vector3d x = Vector3d::UnitX();
  Vector3d y = Vector3d::UnitY();
  part.vector("x_axis", x);
  part.vector("y_axis", y);
  const Vector3d z = x.cross(y);
  if (z.norm() > 1e-9 * x.norm() * y.norm()) {
    marker.axes.col(0) = x.normalized();
    marker.axes.col(2) = z.normalized();
    marker.axes.col(1) = marker.axes.col(2).cross(marker.axes.col(0));
  } else {
    part.table().error(part.where(), fmt::format("The axes of {} span no frame.", part.table().title()),
                       "Give x and y axes that are not parallel.");
  }
  return part.finish();
}

bool read_machine_shape(PartReader& part, ShapeDescription& shape) {
  static const std::vector<std::string> types = {"sphere", "capsule", "box", "plane", "cylinder"};
  shape.name = part.name();
  shape.body = part.needed_text("body", "\"ground\"");
  if (!part.table().entry("type")) part.table().missing("type", "Give it, as in: type = \"sphere\"");
  if (const auto type = part.table().choice("type", types)) {
    for (std::size_t i = 0; i < types.size(); ++i)
      if (types[i] == type->value) shape.type = static_cast<ShapeType>(i);
  }
  part.vector("position", shape.position_m);
  using enum ShapeType;
  const bool long_one = shape.type == capsule || shape.type == cylinder;
  if (shape.type == plane) part.vector("normal", shape.axis);
  if (long_one) part.vector("axis", shape.axis);
  if (long_one) part.needed_number("length", shape.length_m, "1.0");
  if (long_one || shape.type == sphere) part.needed_number("radius", shape.radius_m, "0.1");
  if (shape.type == box) {
    Vector3d size = Vector3d::Zero();
    part.needed_vector("size", size);
    shape.half_m = 0.5 * size;
    part.orientation(shape.orientation);
  }
  return part.finish();
}

bool read_material(PartReader& part, MaterialDescription& material) {
  material.name = part.name();
  part.number("friction", material.friction);
  part.number("restitution", material.restitution);
  part.number("stiffness", material.stiffness_N_m);
  part.number("damping", material.damping_Ns_m);
  part.number("tangential_damping", material.tangential_damping_Ns_m);
  part.number("rest_velocity", material.rest_velocity_m_s);
  return part.finish();
}

bool read_contact(PartReader& part, ContactDescription& contact) {
  contact.a = part.needed_text("a", "\"log\"");
  contact.b = part.needed_text("b", "\"floor\"");
  contact.material = part.needed_text("material", "\"wood\"");
  part.text("name", contact.name);
  part.choices("outputs", {"force", "normal_force", "friction_force", "gap"}, [&](const std::string& name) {
    contact.outputs.force = contact.outputs.force || name == "force";
    contact.outputs.normal_force = contact.outputs.normal_force || name == "normal_force";
    contact.outputs.friction_force = contact.outputs.friction_force || name == "friction_force";
    contact.outputs.gap = contact.outputs.gap || name == "gap";
  });
  return part.finish();
}

bool read_solver(const Value& table, SolverDescription& solver, ProblemList& problems) {
  TableReader reader(table, "[solver]", problems);
  const auto positive = [&](const char* key, double& value) {
    const auto said = reader.number(key);
    if (!said || !check_machine_number(reader.entry(key)->value, key, reader)) return;
    value = said->value;
    if (!(value > 0.0))
      reader.error(said->where, fmt::format("{} = {} in [solver] is not positive.", key, value),
                   fmt::format("Give {} > 0.", key));
  };
  // Who gives it means a spring of that compliance, whatever the step.
  solver.bounds_joint_compliance = table.find("joint_compliance") == nullptr;
  positive("joint_compliance", solver.joint_compliance_m_N);
  positive("joint_relaxation", solver.joint_relaxation);
  positive("tolerance", solver.tolerance);
  positive("friction_tolerance", solver.friction_tolerance);
  double iterations = solver.friction_iterations;
  positive("friction_iterations", iterations);
  constexpr double most = 10000.0;
  solver.friction_iterations = static_cast<int>(std::clamp(iterations, 1.0, most));
  if (const auto bounds = reader.choice("friction", {"fixed-point", "previous-step"}))
    solver.friction_from_previous_step = bounds->value == "previous-step";
  if (const auto law = reader.choice("friction_law", {"cone", "box"}))
    solver.friction_law = law->value == "box" ? FrictionLaw::box : FrictionLaw::cone;
  if (const auto rule = reader.choice("turning", {"mean", "end"}))
    solver.turning = rule->value == "end" ? TurningRule::end : TurningRule::mean;
  return reader.finish();
}

}  // namespace

std::shared_ptr<const MachineDescription> read_machine(const std::string& text, const std::string& file,
                                                       ProblemList& problems, const Value* changes,
                                                       const Edition& edition) {
  auto document = parse_document(text, file, problems);
  if (!document) return nullptr;
  ProblemList of_changes;
  if (changes != nullptr) apply_machine_changes(*document, *changes, of_changes);
  for (const Problem& p : of_changes.all()) problems.error(p.where, p.what, p.remedy);
  auto machine = std::make_shared<MachineDescription>();
  machine->file = file;
  machine->solver.friction_law = edition.friction_law;
  machine->solver.turning = edition.turning;
  TableReader top(*document, "a machine file", problems);
  bool ok = !of_changes.has_errors();
  if (const Value* table = top.table("machine")) {
    TableReader reader(*table, "[machine]", problems);
    if (const auto gravity = reader.numbers("gravity")) {
      bool in_range = true;
      for (const Value& item : reader.entry("gravity")->value.items)
        in_range = check_machine_number(item, "gravity", reader) && in_range;
      if (gravity->value.size() == 3 && in_range) {
        machine->gravity_m_s2 = Vector3d(gravity->value[0], gravity->value[1], gravity->value[2]);
      } else if (in_range) {
        reader.error(gravity->where, fmt::format("'gravity' has {} numbers.", gravity->value.size()),
                     "Give 3.");
      }
    }
    ok = reader.finish() && ok;
  }
  if (const Value* table = top.table("solver")) ok = read_solver(*table, machine->solver, problems) && ok;
  const auto read_all = [&](const char* kind, auto& parts, auto read_part) {
    std::size_t number = 0;
    for (const Value* table : top.tables(kind)) {
      PartReader part(*table, kind, ++number, problems);
      auto& description = parts.emplace_back();
      description.where = table->where;
      ok = read_part(part, description) && ok;
    }
  };
  read_all("body", machine->bodies, read_body);
  read_all("joint", machine->joints, read_joint);
  read_all("actuator", machine->actuators, read_actuator);
  read_all("marker", machine->markers, read_marker);
  read_all("shape", machine->shapes, read_machine_shape);
  read_all("material", machine->materials, read_material);
  read_all("contact", machine->contacts, read_contact);
  const auto read_coordinates = [&](const char* key, std::vector<InitialCoordinate>& coordinates) {
    const Value* table = top.table(key);
    if (table == nullptr) return;
    TableReader reader(*table, fmt::format("[{}]", key), problems);
    for (const Entry& entry : table->entries) {
      const auto number = reader.number(entry.key);
      if (number && check_machine_number(entry.value, entry.key, reader))
        coordinates.push_back({entry.key, number->value, entry.value.where});
    }
    ok = reader.finish() && ok;
  };
  read_coordinates("initial", machine->initial);
  read_coordinates("initial_rate", machine->initial_rate);
  ok = top.finish() && ok;
  // What could be read is looked at all the same, so that a user corrects a file once.
  if (!ok) {
    check_machine(*machine, problems);
    return nullptr;
  }
  return machine;
}

namespace {

std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::vector<std::string> joints_of_machine_file(const std::string& path) {
  std::vector<std::string> names;
  const auto text = text_of_file(path);
  ProblemList reported_later;
  const auto document = text ? parse_document(*text, path, reported_later) : std::nullopt;
  const Entry* joints = document ? document->find("joint") : nullptr;
  if (joints == nullptr) return names;
  for (const Value& joint : joints->value.items) {
    const Entry* name = joint.kind == Value::Kind::table ? joint.find("name") : nullptr;
    if (name != nullptr && name->value.kind == Value::Kind::text) names.push_back(name->value.text);
  }
  return names;
}

std::shared_ptr<const MachineDescription> load_machine(const std::string& path, const SourceLocation& said,
                                                       ProblemList& problems, const Value* changes,
                                                       const Edition& edition) {
  const auto text = text_of_file(path);
  if (!text) {
    problems.error(said, fmt::format("The machine file '{}' cannot be read.", path),
                   "Give its path from the folder of the scenario.");
    return nullptr;
  }
  return read_machine(*text, path, problems, changes, edition);
}

}  // namespace ergon
