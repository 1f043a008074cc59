#include "ergon/scenario/file/machine_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "ergon/scenario/file/table_reader.hpp"

namespace ergon {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

/// One table of a machine file, read into the fields of its description.
class PartReader {
 public:
  PartReader(const Value& table, const std::string& kind, std::size_t number, ProblemList& problems)
      : reader_(table, title(table, kind, number), problems), table_(table), problems_(problems) {}

  TableReader& table() { return reader_; }
  [[nodiscard]] const SourceLocation& where() const { return table_.where; }

  std::string name() { return needed_text("name", "\"boom\""); }
  std::string needed_text(const char* key, const char* example) {
    if (!reader_.entry(key)) {
      reader_.missing(key, fmt::format("Give it, as in: {} = {}", key, example));
      return {};
    }
    const auto said = reader_.text(key);
    return said ? said->value : std::string();
  }
  void text(const char* key, std::string& value) {
    if (const auto said = reader_.text(key)) value = said->value;
  }
  void number(const char* key, double& value) {
    if (const auto said = reader_.number(key)) value = said->value;
  }
  void number(const char* key, std::optional<double>& value) {
    if (const auto said = reader_.number(key)) value = said->value;
  }
  void needed_number(const char* key, double& value, const char* example) {
    if (!reader_.entry(key)) reader_.missing(key, fmt::format("Give it, as in: {} = {}", key, example));
    number(key, value);
  }
  void flag(const char* key, bool& value) {
    const Entry* entry = reader_.entry(key);
    if (!entry) return;
    if (entry->value.kind == Value::Kind::boolean) {
      value = entry->value.boolean;
    } else {
      reader_.error(entry->value.where,
                    fmt::format("'{}' in {} is {}.", key, reader_.title(), entry->value.describe()),
                    "Write true or false.");
    }
  }
  void vector(const char* key, std::optional<Vector3d>& value) {
    const auto said = list(key, {3});
    if (said) value = Vector3d((*said)[0], (*said)[1], (*said)[2]);
  }
  void vector(const char* key, Vector3d& value) {
    std::optional<Vector3d> said;
    vector(key, said);
    if (said) value = *said;
  }
  void needed_vector(const char* key, Vector3d& value) {
    if (!reader_.entry(key)) reader_.missing(key, fmt::format("Give it, as in: {} = [0, 0, 1]", key));
    vector(key, value);
  }
  /// A list of one of these lengths.
  std::optional<std::vector<double>> list(const char* key, std::initializer_list<std::size_t> lengths) {
    const auto said = reader_.numbers(key);
    if (!said) return std::nullopt;
    for (const std::size_t length : lengths)
      if (said->value.size() == length) return said->value;
    std::string wanted;
    for (const std::size_t length : lengths)
      wanted += fmt::format("{}{}", wanted.empty() ? "" : " or ", length);
    reader_.error(said->where,
                  fmt::format("'{}' in {} has {} numbers.", key, reader_.title(), said->value.size()),
                  fmt::format("Give {}.", wanted));
    return std::nullopt;
  }
  /// `orientation`, a quaternion, or `rotation` about an axis.
  void orientation(Quaterniond& value) {
    if (const auto e = list("orientation", {4})) {
      const Quaterniond turn((*e)[0], (*e)[1], (*e)[2], (*e)[3]);
      if (turn.norm() > 0.0) {
        value = turn.normalized();
      } else {
        reader_.error(reader_.entry("orientation")->where,
                      fmt::format("'orientation' in {} is 0.", reader_.title()),
                      "Give a quaternion; [1, 0, 0, 0] turns nothing.");
      }
    }
    const Value* rotation = reader_.table("rotation");
    if (!rotation) return;
    PartReader turn(*rotation, "'rotation' of " + reader_.title(), problems_);
    Vector3d axis = Vector3d::UnitZ();
    double degrees = 0.0;
    turn.needed_vector("axis", axis);
    turn.needed_number("angle_deg", degrees, "30");
    if (turn.finish() && axis.norm() > 0.0) {
      value = Quaterniond(Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis.normalized()));
    } else if (turn.reader_.ok()) {
      reader_.error(rotation->where, "The axis of a rotation is 0.", "Give a direction.");
    }
    ok_ = turn.reader_.ok() && ok_;
  }
  std::optional<Drive> drive() {
    const Value* said = reader_.table("drive");
    if (!said) return std::nullopt;
    PartReader part(*said, "'drive' of " + reader_.title(), problems_);
    Drive drive;
    part.needed_number("angle", drive.angle_rad, "0.5");
    part.needed_number("start", drive.start_s, "1.0");
    part.needed_number("end", drive.end_s, "2.0");
    ok_ = part.finish() && ok_;
    return drive;
  }
  bool finish() { return reader_.finish() && ok_; }

 private:
  PartReader(const Value& table, std::string title, ProblemList& problems)
      : reader_(table, std::move(title), problems), table_(table), problems_(problems) {}
  static std::string title(const Value& table, const std::string& kind, std::size_t number) {
    const Entry* name = table.find("name");
    if (name && name->value.kind == Value::Kind::text)
      return fmt::format("[[{}]] '{}'", kind, name->value.text);
    return fmt::format("[[{}]] no. {}", kind, number);
  }

  TableReader reader_;
  const Value& table_;
  ProblemList& problems_;
  bool ok_ = true;
};

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
  return part.finish();
}

bool read_solver(const Value& table, SolverDescription& solver, ProblemList& problems) {
  TableReader reader(table, "[solver]", problems);
  const auto positive = [&](const char* key, double& value) {
    const auto said = reader.number(key);
    if (!said) return;
    value = said->value;
    if (!(std::isfinite(value) && value > 0.0))
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
                                                       ProblemList& problems) {
  const auto document = parse_document(text, file, problems);
  if (!document) return nullptr;
  auto machine = std::make_shared<MachineDescription>();
  machine->file = file;
  TableReader top(*document, "a machine file", problems);
  bool ok = true;
  if (const Value* table = top.table("machine")) {
    TableReader reader(*table, "[machine]", problems);
    if (const auto gravity = reader.numbers("gravity")) {
      if (gravity->value.size() == 3) {
        machine->gravity_m_s2 = Vector3d(gravity->value[0], gravity->value[1], gravity->value[2]);
      } else {
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
  ok = top.finish() && ok;
  // What could be read is looked at all the same, so that a user corrects a file once.
  if (!ok) {
    check_machine(*machine, problems);
    return nullptr;
  }
  return machine;
}

std::shared_ptr<const MachineDescription> load_machine(const std::string& path, const SourceLocation& said,
                                                       ProblemList& problems) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    problems.error(said, fmt::format("The machine file '{}' cannot be read.", path),
                   "Give its path from the folder of the scenario.");
    return nullptr;
  }
  std::stringstream text;
  text << stream.rdbuf();
  return read_machine(text.str(), path, problems);
}

}  // namespace ergon
