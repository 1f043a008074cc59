#include "ergon/models/constrained/natural_crane.hpp"

#include <cmath>

#include "ergon/models/constrained/constrained_options.hpp"
#include "ergon/models/multibody/planar_crane.hpp"

namespace ergon {
namespace {

using Eigen::Vector2d;
using ConstVector2 = Eigen::Map<const Vector2d>;
using Vector2 = Eigen::Map<Vector2d>;

ConstraintSet two_links(const PlanarCrane::Parameters& p) {
  ConstraintSet constraints(2);
  constraints.constant_length({VectorOf::coordinates(0)}, p.l1_m);
  constraints.constant_length({VectorOf::coordinates(2), VectorOf::coordinates(0)}, p.l2_m);
  return constraints;
}

Eigen::MatrixXd masses(const PlanarCrane::Parameters& p) {
  const double joint_kg = p.m1_kg / 3.0 + p.m2_kg;
  return Eigen::Vector4d(joint_kg, joint_kg, p.m3_kg, p.m3_kg).asDiagonal();
}

class NaturalCrane final : public ConstrainedModel {
 public:
  explicit NaturalCrane(const PlanarCrane::Parameters& parameters)
      : ConstrainedModel(masses(parameters), two_links(parameters)), p_(parameters) {}

  [[nodiscard]] Description describe() const override {
    Description description;
    description.inputs = {{"force", Unit::of("N"), 1, "of the actuator; positive: it extends"}};
    description.outputs = {
        {"position", Unit::of("m"), 1, "length of the actuator"},
        {"velocity", Unit::of("m/s"), 1, "its rate"},
        {"joint", Unit::of("m"), 2, "between the links, world coordinates"},
        {"tip", Unit::of("m"), 2, "end of link 2, world coordinates"},
        {"length_errors", Unit::of("m"), 2, "how much longer than it should be each link is"}};
    return description;
  }
  [[nodiscard]] std::vector<std::string> state_names() const override {
    return {"joint[0]",          "joint[1]",          "tip[0]",          "tip[1]",
            "joint_velocity[0]", "joint_velocity[1]", "tip_velocity[0]", "tip_velocity[1]"};
  }

  void forces(const double* u, const double* q, const double* /*v*/, double* Q) const override {
    const Vector2d gravity(0.0, -p_.gravity_m_s2);
    Vector2{Q} = (0.5 * p_.m1_kg + p_.m2_kg) * gravity + u[0] * p_.attachment * actuator(q).direction;
    Vector2{Q + 2} = p_.m3_kg * gravity;
  }
  void powers(const double* u, const double* /*u_rate*/, const double* q, const double* /*v*/,
              const double* v_work, Tell tell) const override {
    tell(1, u[0] * rate_m_s(q, v_work));
  }
  /// Potential energy is counted from both links hanging.
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const override {
    const double kinetic = 0.5 * (p_.m1_kg / 3.0 + p_.m2_kg) * ConstVector2(v).squaredNorm() +
                           0.5 * p_.m3_kg * ConstVector2(v + 2).squaredNorm();
    return kinetic + p_.gravity_m_s2 * ((0.5 * p_.m1_kg + p_.m2_kg) * (q[1] + p_.l1_m) +
                                        p_.m3_kg * (q[3] + p_.l1_m + p_.l2_m));
  }
  /// The middle of link 1 has half the velocity of the joint.
  [[nodiscard]] Momentum momentum(const double* /*q*/, const double* v) const override {
    const double joint_kg = 0.5 * p_.m1_kg + p_.m2_kg;
    return {p_.m1_kg + p_.m2_kg + p_.m3_kg,
            {joint_kg * v[0] + p_.m3_kg * v[2], joint_kg * v[1] + p_.m3_kg * v[3], 0.0}};
  }
  void outputs(const double* /*u*/, const double* q, const double* v, double* y) const override {
    y[0] = actuator(q).length_m;
    y[1] = rate_m_s(q, v);
    Vector2{y + 2} = ConstVector2(q);
    Vector2{y + 4} = ConstVector2(q + 2);
    y[6] = ConstVector2(q).norm() - p_.l1_m;
    y[7] = (ConstVector2(q + 2) - ConstVector2(q)).norm() - p_.l2_m;
  }
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const override {
    std::fill_n(jacobian, 8, 0.0);
  }

  [[nodiscard]] Scene scene() const override { return crane_scene(p_); }
  void draw(const double* q, SceneFrame frame) const override { draw_crane(p_, q, q + 2, frame); }

 private:
  struct Actuator {
    double length_m = 0.0;
    Vector2d direction;  ///< from B to the link
  };
  [[nodiscard]] Actuator actuator(const double* q) const {
    const Vector2d d = p_.attachment * ConstVector2(q) - ConstVector2(p_.base_m);
    const double length = d.norm();
    return {length, d / length};
  }
  [[nodiscard]] double rate_m_s(const double* q, const double* v) const {
    return p_.attachment * actuator(q).direction.dot(ConstVector2(v));
  }

  PlanarCrane::Parameters p_;
};

std::unique_ptr<Subsystem> make_natural_crane(const ModelRequest& request, ProblemList& problems) {
  const auto integration = read_constrained_integration(request, problems);
  const auto parameters = read_crane(request, problems);
  if (!integration || !parameters) return nullptr;
  const ParameterSet& initial = request.initial;
  const double theta1 = initial.number("theta1"), theta2 = initial.number("theta2");
  const auto link = [](double length, double angle) {
    return Vector2d(length * std::cos(angle), length * std::sin(angle));
  };
  // A link that turns moves its end across itself.
  const auto turning = [](const Vector2d& arm, double rate) {
    return Vector2d(-rate * arm[1], rate * arm[0]);
  };
  const Vector2d arm1 = link(parameters->l1_m, theta1), arm2 = link(parameters->l2_m, theta2);
  Eigen::Vector4d q, v;
  q << arm1, arm1 + arm2;
  v << turning(arm1, initial.number("omega1")),
      turning(arm1, initial.number("omega1")) + turning(arm2, initial.number("omega2"));
  return std::make_unique<ConstrainedSubsystem>(std::make_unique<NaturalCrane>(*parameters), *integration,
                                                std::span<const double>(q.data(), 4),
                                                std::span<const double>(v.data(), 4));
}

}  // namespace

ModelInfo natural_crane_model() {
  ModelInfo info;
  info.name = "multibody.natural_crane";
  info.summary = "multibody.planar_crane in natural coordinates: two points and the lengths of two links";
  info.parameters = crane_parameters();
  for (ParameterInfo& parameter : constrained_parameters()) info.parameters.push_back(std::move(parameter));
  info.initial = crane_initial();
  info.make = make_natural_crane;
  info.integrators = constrained_integrators();
  info.examples = {
      {"swinging",
       {{"l2", {0.7, {}}}, {"m3", {50.0, {}}}, {"attachment", {0.6, {}}}},
       {{"theta1", {0.8, {}}}, {"theta2", {-1.0, {}}}, {"omega1", {1.5, {}}}, {"omega2", {-2.0, {}}}}}};
  return info;
}

}  // namespace ergon
