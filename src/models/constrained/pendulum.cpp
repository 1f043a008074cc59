#include "ergon/models/constrained/pendulum.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ergon/models/constrained/constrained_options.hpp"
#include "ergon/models/vector_parameter.hpp"

namespace ergon {
namespace {

using List = std::vector<double>;
using Eigen::Vector2d;
using ConstVector2 = Eigen::Map<const Vector2d>;
using Vector2 = Eigen::Map<Vector2d>;

struct PendulumParameters {
  double mass_kg = 1.0;
  double length_m = 1.0;
  Vector2d pivot_m = Vector2d::Zero();
  Vector2d gravity_m_s2 = Vector2d::Zero();
  bool has_spring = false;  ///< to an input
  double stiffness_N_m = 0.0;
  double damping_Ns_m = 0.0;
  double rest_m = 0.0;
};

ConstraintSet rigid_rod(const PendulumParameters& p) {
  ConstraintSet constraints(2);
  constraints.constant_length({VectorOf::coordinates(0), VectorOf::fixed({p.pivot_m[0], p.pivot_m[1], 0.0})},
                              p.length_m);
  return constraints;
}

class Pendulum final : public ConstrainedModel {
 public:
  explicit Pendulum(const PendulumParameters& parameters)
      : ConstrainedModel(parameters.mass_kg * Eigen::Matrix2d::Identity(), rigid_rod(parameters)),
        p_(parameters) {}

  [[nodiscard]] Description describe() const override {
    Description description;
    if (p_.has_spring) {
      description.inputs = {{"position_in", Unit::of("m"), 2, "far end of the spring"},
                            {"velocity_in", Unit::of("m/s"), 2, "far end of the damper"}};
    }
    Port force{p_.has_spring ? "external_force" : "force", Unit::of("N"), 2, "force at the tip"};
    force.optional = p_.has_spring;
    description.inputs.push_back(force);
    description.outputs = {{"position", Unit::of("m"), 2, "of the tip"},
                           {"velocity", Unit::of("m/s"), 2, "of the tip"}};
    if (p_.has_spring) {
      description.outputs.push_back({"force", Unit::of("N"), 2, "spring and damper, on the far end"});
      description.feedthrough = {{2, 0}, {2, 1}};
    }
    description.outputs.push_back(
        {"length_error", Unit::of("m"), 1, "how much longer than the rod the tip is away from the pivot"});
    description.outputs.back().role = PortRole::diagnostic;
    return description;
  }

  void forces(const double* u, const double* q, const double* v, double* Q) const override {
    Vector2 total(Q);
    total = p_.mass_kg * p_.gravity_m_s2 + ConstVector2(force_on_tip(u));
    if (p_.has_spring) {
      const Stretch s = stretch_of(u, q, v);
      total -= (s.spring_N + s.damper_N) * s.direction;
    }
  }

  void powers(const double* u, const double* u_rate, const double* q, const double* v, const double* v_work,
              Tell tell) const override {
    std::size_t first_force = 0;
    if (p_.has_spring) {
      first_force = 4;
      const Stretch s = stretch_of(u, q, v);
      tell(0, s.damper_N * s.rate_m_s);
      for (std::size_t i = 0; i < 2; ++i) {
        const double e = s.direction[static_cast<Eigen::Index>(i)];
        if (u_rate != nullptr) tell(1 + i, -s.spring_N * e * u_rate[i]);
        tell(3 + i, -s.damper_N * e * u[2 + i]);
      }
    }
    for (std::size_t i = 0; i < 2; ++i) tell(1 + first_force + i, u[first_force + i] * v_work[i]);
  }

  [[nodiscard]] double stored_J(const double* u, const double* q, const double* v) const override {
    const double height_m_m_s2 = p_.gravity_m_s2.norm() * p_.length_m -  // 0 at the lowest point
                                 p_.gravity_m_s2.dot(ConstVector2(q) - p_.pivot_m);
    return 0.5 * p_.mass_kg * ConstVector2(v).squaredNorm() + p_.mass_kg * height_m_m_s2 +
           (p_.has_spring ? spring_J(u, q) : 0.0);
  }

  [[nodiscard]] Momentum momentum(const double* /*q*/, const double* v) const override {
    return {p_.mass_kg, {p_.mass_kg * v[0], p_.mass_kg * v[1], 0.0}};
  }

  /// The far end moves along x first, then along y: what each input does adds up to the energy of the whole jump.
  void add_jump_work_J(const double* u_old, const double* u_new, const double* q, double share,
                       double* received) const override {
    if (!p_.has_spring) return;
    const double between[] = {u_new[0], u_old[1]};
    const double middle_J = spring_J(between, q);
    received[0] += share * (middle_J - spring_J(u_old, q));
    received[1] += share * (spring_J(u_new, q) - middle_J);
  }

  void outputs(const double* u, const double* q, const double* v, double* y) const override {
    Vector2{y} = ConstVector2(q);
    Vector2{y + 2} = ConstVector2(v);
    if (p_.has_spring) {
      const Stretch s = stretch_of(u, q, v);
      Vector2{y + 4} = (s.spring_N + s.damper_N) * s.direction;
    }
    y[p_.has_spring ? 6 : 4] = (ConstVector2(q) - p_.pivot_m).norm() - p_.length_m;
  }

  /// With d = r − ξ, w = v − ξ̇: ∂e/∂ξ = −(I − eeᵀ)/s, ∂s/∂ξ = −e, ∂ṡ/∂ξ = −(I − eeᵀ)w/s, ∂ṡ/∂ξ̇ = −e.
  void output_jacobian(const double* u, const double* q, const double* v, double* jacobian) const override {
    const std::size_t inputs = p_.has_spring ? 6 : 2;
    std::fill_n(jacobian, (p_.has_spring ? 7 : 5) * inputs, 0.0);
    if (!p_.has_spring) return;
    const Stretch s = stretch_of(u, q, v);
    if (s.length_m == 0.0) return;
    const Eigen::Matrix2d along = s.direction * s.direction.transpose();
    const Eigen::Matrix2d across = (Eigen::Matrix2d::Identity() - along) / s.length_m;
    const Vector2d w = ConstVector2(v) - ConstVector2(u + 2);
    const Eigen::Matrix2d by_position = -p_.stiffness_N_m * along -
                                        p_.damping_Ns_m * s.direction * (across * w).transpose() -
                                        (s.spring_N + s.damper_N) * across;
    const Eigen::Matrix2d by_velocity = -p_.damping_Ns_m * along;
    for (Eigen::Index i = 0; i < 2; ++i) {
      for (Eigen::Index j = 0; j < 2; ++j) {
        double* row = jacobian + static_cast<std::size_t>(4 + i) * inputs;
        row[j] = by_position(i, j);
        row[2 + j] = by_velocity(i, j);
      }
    }
  }

  [[nodiscard]] Scene scene() const override {
    const double radius_m = 0.02 * p_.length_m;
    Scene scene;
    scene.bodies = {{"pivot", true, {ball({p_.pivot_m[0], p_.pivot_m[1], 0.0}, 1.5 * radius_m)}},
                    {"mass", false, {ball({}, 3.0 * radius_m)}}};
    scene.lines = {{"rod", 2, radius_m}};
    scene.up = up_against(p_.gravity_m_s2[0], p_.gravity_m_s2[1], 0.0);
    return scene;
  }
  void draw(const double* q, SceneFrame frame) const override {
    frame.poses[0] = planar_pose(q[0], q[1], 0.0);
    frame.points[0] = {p_.pivot_m[0], p_.pivot_m[1], 0.0};
    frame.points[1] = {q[0], q[1], 0.0};
  }

 private:
  struct Stretch {
    Vector2d direction;  ///< e, from the far end to the tip; 0 where they meet
    double length_m, rate_m_s, spring_N, damper_N;
  };
  [[nodiscard]] Stretch stretch_of(const double* u, const double* q, const double* v) const {
    Stretch s{};
    const Vector2d d = ConstVector2(q) - ConstVector2(u);
    s.length_m = d.norm();
    s.direction = s.length_m > 0.0 ? Vector2d(d / s.length_m) : Vector2d(Vector2d::Zero());
    s.rate_m_s = s.direction.dot(ConstVector2(v) - ConstVector2(u + 2));
    s.spring_N = p_.stiffness_N_m * (s.length_m - p_.rest_m);
    s.damper_N = p_.damping_Ns_m * s.rate_m_s;
    return s;
  }
  [[nodiscard]] double spring_J(const double* far_end, const double* q) const {
    const double elongation = (ConstVector2(q) - ConstVector2(far_end)).norm() - p_.rest_m;
    return 0.5 * p_.stiffness_N_m * elongation * elongation;
  }
  [[nodiscard]] const double* force_on_tip(const double* u) const { return p_.has_spring ? u + 4 : u; }

  PendulumParameters p_;
};

std::unique_ptr<Subsystem> make_pendulum(const ModelRequest& request, bool has_spring,
                                         ProblemList& problems) {
  const auto integration = read_constrained_integration(request, problems);
  const auto pivot = read_vector(request, request.parameters, "pivot", 2, problems);
  const auto gravity = read_vector(request, request.parameters, "gravity", 2, problems);
  if (!integration || !pivot || !gravity) return nullptr;
  PendulumParameters p;
  p.mass_kg = request.parameters.number("m");
  p.length_m = request.parameters.number("length");
  p.pivot_m = pivot->head<2>();
  p.gravity_m_s2 = gravity->head<2>();
  p.has_spring = has_spring;
  if (has_spring) {
    p.stiffness_N_m = request.parameters.number("kc");
    p.damping_Ns_m = request.parameters.number("cc");
    p.rest_m = request.parameters.number("rest");
  }
  const double phi = request.initial.number("phi");
  const Vector2d along(std::cos(phi), std::sin(phi));
  const Vector2d tip = p.pivot_m + p.length_m * along;
  const Vector2d velocity = request.initial.number("omega") * p.length_m * Vector2d(-along[1], along[0]);
  return std::make_unique<ConstrainedSubsystem>(std::make_unique<Pendulum>(p), *integration,
                                                std::span(tip.data(), 2), std::span(velocity.data(), 2));
}

ModelInfo common_info() {
  ModelInfo info;
  info.parameters = {
      {"m", "kg", 1.0, "mass at the tip", {}, 0.0, true},
      {"length", "m", 1.0, "of the rod, which has no mass", {}, 0.0, true},
      {"pivot", "m", List{0.0, 0.0}, "where the rod is pinned to the ground"},
      {"gravity", "m/s2", List{0.0, -9.81}, "world coordinates"},
  };
  for (ParameterInfo& parameter : constrained_parameters()) info.parameters.push_back(std::move(parameter));
  info.initial = {{"phi", "rad", -0.5 * M_PI, "angle of the rod against world x at the start"},
                  {"omega", "rad/s", 0.0, "its rate at the start"}};
  info.integrators = constrained_integrators();
  info.examples = {{"swinging",
                    {{"m", {2.0, {}}}, {"length", {1.5, {}}}, {"pivot", {List{0.3, -0.2}, {}}}},
                    {{"phi", {-0.4, {}}}, {"omega", {1.5, {}}}}}};
  return info;
}

}  // namespace

ModelInfo pendulum_model() {
  ModelInfo info = common_info();
  info.name = "multibody.pendulum";
  info.summary = "point mass on a rigid rod in the plane, constrained coordinates; force in, motion out";
  info.make = [](const ModelRequest& request, ProblemList& problems) {
    return make_pendulum(request, false, problems);
  };
  return info;
}

ModelInfo pendulum_force_output_model() {
  ModelInfo info = common_info();
  info.name = "multibody.pendulum_force_output";
  info.summary =
      "pendulum that holds a coupling spring and damper at its tip; motion of the far end in, force out";
  info.parameters.push_back({"kc", "N/m", 1.0, "stiffness of the coupling", {}, 0.0});
  info.parameters.push_back({"cc", "N.s/m", 0.0, "damping of the coupling", {}, 0.0});
  info.parameters.push_back({"rest", "m", 0.0, "length of the relaxed coupling spring", {}, 0.0});
  info.make = [](const ModelRequest& request, ProblemList& problems) {
    return make_pendulum(request, true, problems);
  };
  info.examples.front().parameters["pivot"] = {List{3.0, -2.0}, {}};  // clear of the far end
  info.examples.front().parameters["kc"] = {20.0, {}};
  info.examples.front().parameters["cc"] = {0.5, {}};
  info.examples.front().parameters["rest"] = {1.2, {}};
  return info;
}

}  // namespace ergon
