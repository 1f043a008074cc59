#include "ergon/models/constrained/rod.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "ergon/models/constrained/constrained_options.hpp"
#include "ergon/models/vector_parameter.hpp"

namespace ergon {
namespace {

using List = std::vector<double>;
using Eigen::Vector3d;
using ConstVector3 = Eigen::Map<const Vector3d>;
using Vector3 = Eigen::Map<Vector3d>;

struct RodParameters {
  double length_m = 1.0;
  double width_m = 0.1;
  double density_kg_m3 = 1.0;
  Vector3d pivot_m = Vector3d::Zero();
  Vector3d gravity_m_s2 = Vector3d::Zero();

  [[nodiscard]] double mass_kg() const { return density_kg_m3 * length_m * width_m * width_m; }
};

Eigen::MatrixXd mass_of(const RodParameters& p) {
  Eigen::VectorXd diagonal(9);
  diagonal.head<3>().setConstant(p.mass_kg() / 3.0);
  diagonal.tail<6>().setConstant(p.mass_kg() * p.width_m * p.width_m / 12.0);
  return diagonal.asDiagonal();
}

ConstraintSet rigidity_of(const RodParameters& p) {
  const VectorOf u1 = VectorOf::coordinates(3);
  const VectorOf u2 = VectorOf::coordinates(6);
  const Arrow rod{VectorOf::coordinates(0), VectorOf::fixed(p.pivot_m)};
  ConstraintSet constraints(3);
  constraints.constant_length(rod, p.length_m);
  constraints.unit_vector(u1);
  constraints.unit_vector(u2);
  constraints.perpendicular(rod, {u1});
  constraints.perpendicular(rod, {u2});
  constraints.perpendicular({u1}, {u2});
  return constraints;
}

class Rod final : public ConstrainedModel {
 public:
  explicit Rod(const RodParameters& parameters)
      : ConstrainedModel(mass_of(parameters), rigidity_of(parameters)), p_(parameters) {}

  [[nodiscard]] Description describe() const override {
    Description description;
    description.inputs = {{"force", Unit::of("N"), 3, "force at the free end"}};
    description.outputs = {
        {"position", Unit::of("m"), 3, "of the free end"},
        {"velocity", Unit::of("m/s"), 3, "of the free end"},
        {"normal1", Unit::of("1"), 3, "unit vector that moves with the rod, normal to it"},
        {"normal2", Unit::of("1"), 3, "unit vector normal to the rod and to the first"},
        {"length_error", Unit::of("m"), 1, "how much longer than the rod its end is away from the pivot"}};
    description.outputs.back().role = PortRole::diagnostic;
    return description;
  }

  void forces(const double* u, const double* /*q*/, const double* /*v*/, double* Q) const override {
    Vector3{Q} = 0.5 * p_.mass_kg() * p_.gravity_m_s2 + ConstVector3(u);
    std::fill_n(Q + 3, 6, 0.0);
  }
  void powers(const double* u, const double* /*u_rate*/, const double* /*q*/, const double* /*v*/,
              const double* v_work, Tell tell) const override {
    for (std::size_t i = 0; i < 3; ++i) tell(1 + i, u[i] * v_work[i]);
  }
  [[nodiscard]] double stored_J(const double* /*u*/, const double* q, const double* v) const override {
    const Eigen::Map<const Eigen::Vector<double, 9>> rates(v);
    const double height_m_m_s2 = p_.gravity_m_s2.norm() * p_.length_m -  // 0 at the lowest point
                                 p_.gravity_m_s2.dot(ConstVector3(q) - p_.pivot_m);
    return 0.5 * rates.dot(mass().diagonal().cwiseProduct(rates)) + 0.5 * p_.mass_kg() * height_m_m_s2;
  }
  /// The middle of the rod has half the velocity of its free end.
  [[nodiscard]] Momentum momentum(const double* /*q*/, const double* v) const override {
    const double half_kg = 0.5 * p_.mass_kg();
    return {p_.mass_kg(), {half_kg * v[0], half_kg * v[1], half_kg * v[2]}};
  }
  void outputs(const double* /*u*/, const double* q, const double* v, double* y) const override {
    Vector3{y} = ConstVector3(q);
    Vector3{y + 3} = ConstVector3(v);
    std::copy_n(q + 3, 6, y + 6);
    y[12] = (ConstVector3(q) - p_.pivot_m).norm() - p_.length_m;
  }
  /// No output depends on an input.
  void output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                       double* jacobian) const override {
    std::fill_n(jacobian, 13 * 3, 0.0);
  }

  /// A box along the rod's own z, from the pivot; its x and y are the normals.
  [[nodiscard]] Scene scene() const override {
    const double half_m = 0.5 * p_.width_m;
    Scene scene;
    scene.bodies = {
        {"pivot", true, {ball({p_.pivot_m[0], p_.pivot_m[1], p_.pivot_m[2]}, p_.width_m)}},
        {"rod",
         false,
         {{VisibleShapeKind::box, {half_m, half_m, 0.5 * p_.length_m}, {{0.0, 0.0, 0.5 * p_.length_m}}}}}};
    scene.up = up_against(p_.gravity_m_s2[0], p_.gravity_m_s2[1], p_.gravity_m_s2[2]);
    return scene;
  }
  void draw(const double* q, SceneFrame frame) const override {
    Eigen::Matrix3d axes;
    axes << ConstVector3(q + 3), ConstVector3(q + 6), (ConstVector3(q) - p_.pivot_m).normalized();
    // The second normal may point either way.
    if (axes.determinant() < 0.0) axes.col(1) *= -1.0;
    const Eigen::Quaterniond turn(axes);
    frame.poses[0] = {{p_.pivot_m[0], p_.pivot_m[1], p_.pivot_m[2]},
                      {turn.w(), turn.x(), turn.y(), turn.z()}};
  }

 private:
  RodParameters p_;
};

/// A unit vector normal to `direction`: the world axis that is furthest from it, made normal.
Vector3d normal_to(const Vector3d& direction) {
  Eigen::Index axis = 0;
  direction.cwiseAbs().minCoeff(&axis);
  return direction.cross(Vector3d(Vector3d::Unit(axis))).normalized();
}

std::unique_ptr<Subsystem> make_rod(const ModelRequest& request, ProblemList& problems) {
  auto integration = read_constrained_integration(request, problems);
  const auto pivot = read_vector(request, request.parameters, "pivot", 3, problems);
  const auto gravity = read_vector(request, request.parameters, "gravity", 3, problems);
  const auto direction = read_vector(request, request.initial, "direction", 3, problems);
  const auto omega = read_vector(request, request.initial, "angular_velocity", 3, problems);
  if (direction && !(direction->norm() > 0.0)) {
    problems.error(request.where, fmt::format("'{}': 'direction' is 0.", request.name),
                   "Give a vector along the rod, from its pivot to its free end.");
    return nullptr;
  }
  const bool stored = request.parameters.text("start_acceleration") == "stored";
  if (stored && integration && integration->integration.method != NativeMethod::newmark) {
    problems.error(request.where,
                   fmt::format("'{}': 'start_acceleration' has an effect with newmark only.", request.name),
                   "Remove it, or add integrator = { method = \"newmark\" }.");
    return nullptr;
  }
  if (!integration || !pivot || !gravity || !direction || !omega) return nullptr;
  integration->stored_start_acceleration = stored;
  RodParameters p;
  p.length_m = request.parameters.number("length");
  p.width_m = request.parameters.number("width");
  p.density_kg_m3 = request.parameters.number("density");
  p.pivot_m = *pivot;
  p.gravity_m_s2 = *gravity;
  const Vector3d along = direction->normalized();
  const Vector3d u1 = normal_to(along);
  const Vector3d u2 = along.cross(u1);
  Eigen::Vector<double, 9> q, v;
  q << p.pivot_m + p.length_m * along, u1, u2;
  v << omega->cross(p.length_m * along), omega->cross(u1), omega->cross(u2);
  return std::make_unique<ConstrainedSubsystem>(std::make_unique<Rod>(p), *integration,
                                                std::span(q.data(), 9), std::span(v.data(), 9));
}

}  // namespace

ModelInfo rod_model() {
  ModelInfo info;
  info.name = "multibody.rod";
  info.summary =
      "rigid rod hung by a spherical joint, natural coordinates; force at its free end in, motion out";
  info.parameters = {
      {"length", "m", 1.0, "from the pivot to the free end", {}, 0.0, true},
      {"width", "m", 0.1, "of its square section", {}, 0.0, true},
      {"density", "kg/m3", 1000.0, "of its material", {}, 0.0, true},
      {"pivot", "m", List{0.0, 0.0, 0.0}, "where it is hung to the ground"},
      {"gravity", "m/s2", List{0.0, -9.81, 0.0}, "world coordinates"},
      {"start_acceleration",
       "",
       std::string("fresh"),
       "newmark: fresh, a step starts with the acceleration of the new inputs; stored, with that of the last",
       {"fresh", "stored"}},
  };
  for (ParameterInfo& parameter : constrained_parameters()) info.parameters.push_back(std::move(parameter));
  info.initial = {{"direction", "", List{1.0, 0.0, 0.0}, "of the rod at the start, of any length"},
                  {"angular_velocity", "rad/s", List{0.0, 0.0, 0.0}, "at the start, world coordinates"}};
  info.make = make_rod;
  info.integrators = constrained_integrators();
  info.examples = {
      {"whirling",
       {{"length", {1.5, {}}}, {"density", {300.0, {}}}, {"pivot", {List{0.3, -0.2, 0.1}, {}}}},
       {{"direction", {List{1.0, -0.5, 0.3}, {}}}, {"angular_velocity", {List{0.5, 1.5, -1.0}, {}}}}}};
  return info;
}

}  // namespace ergon
