#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "ergon/models/nonsmooth/machine_description.hpp"
#include "ergon/numerics/symmetric_eigenvalues.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;

/// Smaller masses, moments, stiffnesses and dampings have inverses that leave the range of doubles with their products.
constexpr double smallest_divisor = 1e-15;

class Checker {
 public:
  Checker(const MachineDescription& machine, ProblemList& problems)
      : machine_(machine), problems_(problems) {}

  bool check() {
    check_bodies();
    check_joints();
    for (const ActuatorDescription& actuator : machine_.actuators) check_actuator(actuator);
    for (const MarkerDescription& marker : machine_.markers) {
      check_name("marker", marker.name, marker.where);
      check_body("marker", marker.name, marker.body, marker.where);
    }
    for (const ShapeDescription& shape : machine_.shapes) check_shape(shape);
    for (const MaterialDescription& material : machine_.materials) check_material(material);
    for (const ContactDescription& contact : machine_.contacts) check_contact(contact);
    for (const InitialCoordinate& initial : machine_.initial) check_initial(initial, false);
    for (const InitialCoordinate& initial : machine_.initial_rate) check_initial(initial, true);
    return ok_;
  }

 private:
  void check_initial(const InitialCoordinate& initial, bool rate) {
    std::vector<std::string> there;
    for (const JointDescription& joint : machine_.joints) {
      there.push_back(joint.name);
      if (joint.name != initial.joint) continue;
      const bool turns = joint.type == JointType::revolute;
      if (!turns && (rate || joint.type != JointType::prismatic)) {
        refuse(initial.where,
               fmt::format("Joint '{}' has no {} that could be given.", joint.name,
                           rate ? "angle, so no rate," : "coordinate"),
               rate ? "Give rates of revolute joints; those of others follow from velocities of bodies."
                    : "Give coordinates of revolute and prismatic joints.");
      } else if (joint.locked || joint.drive) {
        refuse(initial.where, fmt::format("Joint '{}' is locked or driven.", joint.name),
               "Remove it here: its coordinate is given by that.");
      }
      return;
    }
    refuse(initial.where, fmt::format("There is no joint '{}'.", initial.joint),
           did_you_mean(initial.joint, there));
  }

  void refuse(const SourceLocation& where, std::string what, std::string remedy) {
    problems_.error(where, std::move(what), std::move(remedy));
    ok_ = false;
  }

  /// A name is given once among its kind; actuators and markers make ports, and share theirs.
  void check_name(const std::string& kind, const std::string& name, const SourceLocation& where) {
    const bool has_ports = kind == "actuator" || kind == "marker";
    const std::string space = has_ports ? "port" : kind;
    const auto [place, is_new] = names_.try_emplace({space, name}, where);
    if (is_new) return;
    if (kind == "body") {
      refuse(where,
             fmt::format("Body '{}' is in two places: it is described in line {} already.", name,
                         place->second.line),
             "Rename one of them, or remove it.");
    } else {
      refuse(where,
             fmt::format("There are two of the name '{}', the other in line {}.", name, place->second.line),
             "Rename one of them.");
    }
  }

  bool check_body(const char* kind, const std::string& name, const std::string& body,
                  const SourceLocation& where) {
    if (body == ground_name || bodies_.contains(body)) return true;
    std::vector<std::string> there = {ground_name};
    there.insert(there.end(), bodies_.begin(), bodies_.end());
    refuse(where, fmt::format("{} '{}' names the body '{}', which does not exist.", kind, name, body),
           did_you_mean(body, there));
    return false;
  }

  void check_bodies() {
    if (machine_.bodies.empty()) {
      refuse({machine_.file, 1, 1}, "The machine has no bodies.", "Describe one in [[body]].");
    }
    for (const BodyDescription& body : machine_.bodies) {
      bodies_.insert(body.name);
      check_name("body", body.name, body.where);
      if (body.name == ground_name)
        refuse(body.where, "A body is called 'ground'.",
               "That is the world, which needs no description: rename it.");
      if (!(std::isfinite(body.mass_kg) && body.mass_kg > 0.0)) {
        refuse(body.where, fmt::format("The mass of body '{}' is {} kg.", body.name, body.mass_kg),
               "Give a mass > 0; what shall not move is welded to the ground.");
      } else if (body.mass_kg < smallest_divisor) {
        refuse(body.where, fmt::format("The mass of body '{}' is {} kg.", body.name, body.mass_kg),
               fmt::format("Give at least {} kg.", smallest_divisor));
      }
      if (!(body.position_m.allFinite() && body.orientation.coeffs().allFinite() &&
            body.velocity_m_s.allFinite() && body.angular_velocity_rad_s.allFinite())) {
        refuse(body.where, fmt::format("The pose or the velocity of body '{}' is not finite.", body.name),
               "Give numbers.");
      }
      check_inertia(body);
    }
  }

  void check_inertia(const BodyDescription& body) {
    const Vector3d principal = numerics::symmetric_eigenvalues(body.inertia_kg_m2);
    const std::string moments =
        fmt::format("The principal moments of inertia of body '{}' are {:.6g}, {:.6g}, {:.6g} kg m2",
                    body.name, principal[0], principal[1], principal[2]);
    if (!(principal[0] > 0.0) || !principal.allFinite()) {
      refuse(body.where, moments + ".", "They must be positive.");
      return;
    }
    if (principal[0] < smallest_divisor) {
      refuse(body.where, moments + ".", fmt::format("Give at least {} kg m2.", smallest_divisor));
      return;
    }
    constexpr double rounding = 1e-9;  // a thin rod has equality
    if (principal[0] + principal[1] < principal[2] * (1.0 - rounding)) {
      refuse(body.where, moments + "; no real body has such.",
             "The largest is at most the sum of the other two: check the axes, or the factor of a product.");
    }
  }

  void check_joints() {
    for (const JointDescription& joint : machine_.joints) {
      check_name("joint", joint.name, joint.where);
      bool there = check_body("Joint", joint.name, joint.a, joint.where);
      there = check_body("Joint", joint.name, joint.b, joint.where) && there;
      const auto misuse = [&](const std::string& what, const std::string& remedy) {
        refuse(joint.where, fmt::format("Joint '{}' {}", joint.name, what), remedy);
      };
      if (there && joint.a == joint.b)
        misuse(fmt::format("joins '{}' to itself.", joint.a), "Name two bodies.");
      const bool gear = joint.type == JointType::gear;
      if (gear && joint.c.empty()) {
        misuse("is a gear without a second wheel.", "Name it: a carries the wheels b and c.");
      } else if (gear) {
        check_body("Joint", joint.name, joint.c, joint.where);
      } else if (!joint.c.empty()) {
        misuse("has a body 'c', which only gears have.", "Remove it.");
      }
      if (!(joint.axis.norm() > 0.0)) misuse("has an axis of length 0.", "Give a direction.");
      if (joint.type == JointType::universal && !joint.end_b.axis) check_universal(joint);
      if (joint.drive && joint.type != JointType::revolute)
        misuse("is driven, but not revolute.", "Remove 'drive', or make it a revolute joint.");
      if (joint.drive && !(joint.drive->end_s > joint.drive->start_s))
        misuse("is driven to an end before its start.", "Give 'end' > 'start'.");
      if (joint.locked && joint.type != JointType::prismatic)
        misuse("is locked, but not prismatic.", "Remove 'locked'; a weld holds everything.");
      if (!(joint.damping >= 0.0))
        misuse(fmt::format("has a damping of {}.", joint.damping), "Give one ≥ 0.");
      if (joint.damping > 0.0 && joint.type != JointType::revolute && joint.type != JointType::prismatic)
        misuse("has damping, but no axis to move about or along.",
               "Only revolute and prismatic joints have.");
      if (joint.stiffness && !(*joint.stiffness >= smallest_divisor))
        misuse("has a stiffness that is not positive.", "Give one > 0.");
      if (joint.damping > 0.0 && joint.damping < smallest_divisor)
        misuse(fmt::format("has a damping of {}.", joint.damping),
               fmt::format("Give 0, or at least {}.", smallest_divisor));
      if (joint.stiffness_damping && !joint.stiffness)
        misuse("has 'stiffness_damping' without 'stiffness'.", "Give both, or 'damping' for its motion.");
      check_joint_forces(joint);
    }
  }

  /// Springs, limits, motors, friction and outputs of a joint.
  void check_joint_forces(const JointDescription& joint) {
    const auto misuse = [&](const std::string& what, const std::string& remedy) {
      refuse(joint.where, fmt::format("Joint '{}' {}", joint.name, what), remedy);
    };
    const bool has_axis = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    if (!has_axis && (joint.spring || joint.limits || joint.motor || joint.friction != 0.0 ||
                      joint.outputs.coordinate || joint.outputs.rate)) {
      misuse("has a spring, limits, a motor, friction or its coordinate as an output, but no one axis.",
             "Only revolute and prismatic joints have such.");
    }
    if (joint.type == JointType::gear && (joint.outputs.force || joint.outputs.torque))
      misuse("is a gear, whose reaction is not an output.", "Ask for those of its wheels.");
    if ((joint.locked || joint.drive) &&
        (joint.spring || joint.limits || joint.motor || joint.friction != 0.0))
      misuse("is locked or driven, so nothing else acts about its axis.",
             "Remove 'locked' or 'drive', or the spring, limits, motor and friction.");
    if (joint.spring && !(joint.spring->stiffness >= smallest_divisor))
      misuse(fmt::format("has a spring of stiffness {}.", joint.spring->stiffness), "Give one > 0.");
    if (!(joint.friction >= 0.0))
      misuse(fmt::format("has a friction of {}.", joint.friction), "Give one ≥ 0.");
    if (joint.motor && joint.motor->limit && !(*joint.motor->limit >= 0.0))
      misuse(fmt::format("has a motor with a limit of {}.", *joint.motor->limit),
             "Give one ≥ 0: it holds in both directions.");
    if (joint.limits) {
      if (!joint.limits->lower && !joint.limits->upper)
        misuse("has limits without 'lower' and 'upper'.", "Give one of them, or both.");
      if (joint.limits->lower && joint.limits->upper && !(*joint.limits->lower < *joint.limits->upper))
        misuse("has a lower limit that is not below the upper one.", "Give 'lower' < 'upper'.");
      if (!(joint.limits->stiffness >= smallest_divisor && joint.limits->damping >= 0.0))
        misuse("has limits whose stiffness is not positive or whose damping is negative.",
               "Give a stiffness > 0 and a damping ≥ 0.");
    }
    const JointOutputs& outputs = joint.outputs;
    if (joint.motor || outputs.coordinate || outputs.rate || outputs.force || outputs.torque)
      check_name("port", joint.name, joint.where);
  }

  void check_universal(const JointDescription& joint) {
    constexpr double across = 1e-6;
    if (joint.reference && std::abs(joint.axis.normalized().dot(joint.reference->normalized())) <= across)
      return;
    refuse(joint.where,
           fmt::format("The axes of universal joint '{}' are not normal to each other.", joint.name),
           "Give 'axis' of body a and 'reference' of body b at a right angle.");
  }

  void check_actuator(const ActuatorDescription& actuator) {
    check_name("actuator", actuator.name, actuator.where);
    bool there = check_body("Actuator", actuator.name, actuator.a, actuator.where);
    there = check_body("Actuator", actuator.name, actuator.b, actuator.where) && there;
    if (there && actuator.a == actuator.b) {
      refuse(actuator.where, fmt::format("Actuator '{}' has both ends at '{}'.", actuator.name, actuator.a),
             "Name two bodies.");
    }
    if (!((actuator.point_b_m - actuator.point_a_m).norm() > 0.0)) {
      refuse(actuator.where, fmt::format("Actuator '{}' has no length.", actuator.name),
             "Move its ends apart: it acts along the line between them.");
    }
  }

  void check_shape(const ShapeDescription& shape) {
    check_name("shape", shape.name, shape.where);
    check_body("Shape", shape.name, shape.body, shape.where);
    const auto positive = [&](const char* key, double value) {
      if (std::isfinite(value) && value > 0.0) return;
      refuse(shape.where, fmt::format("'{}' of shape '{}' is {} m.", key, shape.name, value),
             "Give a length > 0.");
    };
    using enum ShapeType;
    if (shape.type == sphere || shape.type == capsule || shape.type == cylinder)
      positive("radius", shape.radius_m);
    if (shape.type == capsule || shape.type == cylinder) positive("length", shape.length_m);
    if (shape.type == box) positive("size", 2.0 * shape.half_m.minCoeff());
    if (shape.type != box && shape.type != sphere && !(shape.axis.norm() > 0.0)) {
      refuse(shape.where, fmt::format("The axis of shape '{}' has length 0.", shape.name),
             "Give a direction.");
    }
  }

  void check_material(const MaterialDescription& material) {
    check_name("material", material.name, material.where);
    const auto in_range = [&](const char* key, double value, double largest) {
      if (value >= 0.0 && value <= largest) return;
      refuse(material.where, fmt::format("'{}' of material '{}' is {}.", key, material.name, value),
             std::isfinite(largest) ? fmt::format("Give one from 0 to {}.", largest) : "Give one ≥ 0.");
    };
    constexpr double any = std::numeric_limits<double>::max();
    in_range("friction", material.friction, any);
    in_range("restitution", material.restitution, 1.0);
    in_range("stiffness", material.stiffness_N_m, any);
    in_range("damping", material.damping_Ns_m, any);
    in_range("rest_velocity", material.rest_velocity_m_s, any);
    if (!(material.tangential_damping_Ns_m >= smallest_divisor))
      refuse(material.where,
             fmt::format("'tangential_damping' of material '{}' is not positive.", material.name),
             "Give one > 0: sticking is a stiff damper.");
    if (!(material.stiffness_N_m + material.damping_Ns_m >= smallest_divisor))
      refuse(material.where, fmt::format("Material '{}' has neither stiffness nor damping.", material.name),
             "Give it a stiffness: contacts are regularised with it.");
  }

  void check_contact(const ContactDescription& contact) {
    if (contact.outputs.any() && contact.name.empty()) {
      refuse(contact.where, "A contact has 'outputs', but no name for their ports.",
             "Give it one, as in: name = \"feet\"");
    } else if (!contact.name.empty()) {
      check_name("port", contact.name, contact.where);
    }
    for (const std::string& side : {contact.a, contact.b}) {
      bool found = false;
      std::vector<std::string> there;
      for (const ShapeDescription& shape : machine_.shapes) {
        found = found || matches(side, shape.name) || matches(side, shape.body);
        there.push_back(shape.name);
      }
      if (!found)
        refuse(contact.where,
               fmt::format("A contact names '{}', but no shape and no body with a shape is called so.", side),
               did_you_mean(side, there));
    }
    if (names_.contains({"material", contact.material})) return;
    std::vector<std::string> there;
    for (const MaterialDescription& material : machine_.materials) there.push_back(material.name);
    refuse(contact.where, fmt::format("There is no material '{}'.", contact.material),
           did_you_mean(contact.material, there));
  }

  const MachineDescription& machine_;
  ProblemList& problems_;
  std::set<std::string> bodies_;
  std::map<std::pair<std::string, std::string>, SourceLocation> names_;
  bool ok_ = true;
};

}  // namespace

bool check_machine(const MachineDescription& machine, ProblemList& problems) {
  return Checker(machine, problems).check();
}

}  // namespace ergon
