// A body that evaluates a joint itself moves as in the monolithic system of both bodies and the joint, if it is told how the other
// one moves there: every joint of the registry, at either end, as owner of its energy and as guest.

#include <gtest/gtest.h>

#include "ergon/models/multibody/planar_link.hpp"
#include "ergon/models/multibody/rigid_body.hpp"
#include "support/joint_making.hpp"
#include "support/named_ports.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using Eigen::Vector3d;
using End = JointAttachment::End;
using Part = JointAttachment::Part;
using List = std::vector<double>;

constexpr double duration_s = 0.05;
constexpr int steps = 250;
constexpr double forms_H = duration_s / steps;

/// One of two bodies with the marker "tip", as a model of the registry and as a class.
struct BodyOfTest {
  GivenParameters parameters, initial;
  List start;  ///< [q, v]
};

/// Two free bodies, near to each other and moving apart, with a joint between their tips, in one system of equations.
template <typename Body>
class Monolithic {
 public:
  Monolithic(const JointLaw& law, Body i, Body j, const List& start_i, const List& start_j)
      : law_(law), bodies_{std::move(i), std::move(j)}, z_(start_i), n_(start_i.size()) {
    z_.insert(z_.end(), start_j.begin(), start_j.end());
  }
  /// Classical Runge-Kutta.
  void step(double h) {
    const List k1 = rates(z_), k2 = rates(moved(0.5 * h, k1)), k3 = rates(moved(0.5 * h, k2)),
               k4 = rates(moved(h, k3));
    for (std::size_t i = 0; i < z_.size(); ++i)
      z_[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }
  [[nodiscard]] MarkerMotion tip(std::size_t body) const { return tip(body, z_); }

 private:
  [[nodiscard]] const double* q(const List& z, std::size_t body) const { return z.data() + body * n_; }
  [[nodiscard]] std::size_t positions() const {
    if constexpr (Body::space == Space::plane) {
      return 3;
    } else {
      return Body::position_count();
    }
  }
  [[nodiscard]] MarkerMotion tip(std::size_t body, const List& z) const {
    const double* own = q(z, body);
    return motion_of_marker(bodies_[body].markers().back(), bodies_[body].motion_of(own, own + positions()));
  }
  [[nodiscard]] List moved(double h, const List& rate) const {
    List z = z_;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += h * rate[i];
    return z;
  }
  [[nodiscard]] List rates(const List& z) const {
    const JointWrench wrench = law_.respond({tip(0, z), tip(1, z)}).wrench();
    List result(z.size());
    for (std::size_t body = 0; body < 2; ++body) {
      const Wrench& own = body == 0 ? wrench.i : wrench.j;
      List u(bodies_[body].input_count(), 0.0);
      double* at_tip = u.data() + u.size() - marker_input_size(Body::space);
      write_vector(Body::space, own.force, at_tip);
      write_rotation(Body::space, own.torque, at_tip + vector_size(Body::space));
      const double* own_q = q(z, body);
      double* own_rate = result.data() + body * n_;
      if constexpr (Body::space == Space::plane) {
        std::copy_n(own_q + 3, 3, own_rate);
      } else {
        bodies_[body].position_rates(own_q, own_q + positions(), own_rate);
      }
      bodies_[body].acceleration(u.data(), own_q, own_q + positions(), own_rate + positions());
    }
    return result;
  }
  const JointLaw& law_;
  Body bodies_[2];
  List z_;
  std::size_t n_;
};

/// What the ports NAME_partner_… are told.
List partner_inputs(const Description& description, Space space, const MarkerMotion& partner) {
  List u(size_of(description.inputs), 0.0);
  const auto at = [&](const char* quantity) -> double* {
    const std::string name = std::string("knee_partner_") + quantity;
    for (const Port& port : description.inputs) {
      if (port.name == name) return u.data() + offset_of(description.inputs, name);
    }
    return nullptr;
  };
  if (double* port = at("position")) write_vector(space, partner.position_m, port);
  if (double* port = at("velocity")) write_vector(space, partner.velocity_m_s, port);
  if (double* port = at("axes")) {
    write_vector(space, partner.axes.col(0), port);
    if (space != Space::plane) write_vector(space, partner.axes.col(1), port + 3);
  }
  if (double* port = at("angular_velocity")) write_rotation(space, partner.angular_velocity_rad_s, port);
  return u;
}

/// Drives body `own` of the pair through the ports of its joint along the monolithic solution, by parabolas; compares its tip at the
/// end, and its energy account all the way.
template <typename Body>
void drive(const std::string& model, const std::shared_ptr<const JointLaw>& law, const BodyOfTest setup[2],
           const Body& i, const Body& j, std::size_t own, Part part) {
  Monolithic<Body> all(*law, i, j, setup[0].start, setup[1].start);
  ProblemList problems;
  const auto body =
      make_model(model, setup[own].parameters, setup[own].initial, {.method = "rk4", .step_s = forms_H / 4},
                 problems, "", {{"knee", law, own == 0 ? End::i : End::j, "tip", part}});
  ASSERT_NE(body, nullptr) << text_of(problems);
  ASSERT_TRUE(body->initialize({}).ok);
  const Description description = body->describe();
  const auto inputs = [&] { return partner_inputs(description, Body::space, all.tip(1 - own)); };
  List at_start = inputs();
  const std::size_t n = at_start.size();
  const double balance = balance_J(*body, at_start);
  double moved_J = 1.0;
  for (int k = 0; k < steps; ++k) {
    List coefficients = at_start;
    coefficients.resize(3 * n);
    all.step(0.5 * forms_H);
    const List middle = inputs();
    all.step(0.5 * forms_H);
    const List end = inputs();
    for (std::size_t c = 0; c < n; ++c) {
      coefficients[n + c] = (-3.0 * at_start[c] + 4.0 * middle[c] - end[c]) / forms_H;
      coefficients[2 * n + c] = (2.0 * at_start[c] - 4.0 * middle[c] + 2.0 * end[c]) / (forms_H * forms_H);
    }
    ASSERT_TRUE(body->step(0.0, forms_H, InputView{coefficients.data(), n, 2}).ok);
    at_start = end;
    moved_J = std::max(moved_J, account_of(*body, end).stored_J);
    EXPECT_NEAR(balance_J(*body, end), balance, 1e-10 * moved_J);
  }
  const List y = outputs(*body, at_start);
  constexpr double tolerance = 5e-8;  // of parabolas where a damper has a kink; 1e-10 elsewhere
  const MarkerMotion tip = all.tip(own);
  const std::size_t position = offset_of(description.outputs, "tip_position");
  const std::size_t axes = offset_of(description.outputs, "tip_axes");
  EXPECT_LT((read_vector(Body::space, y.data() + position) - tip.position_m).norm(), tolerance);
  EXPECT_LT((read_vector(Body::space, y.data() + axes) - tip.axes.col(0)).norm(), tolerance);
}

/// The bodies of one example, in space or in the plane.
void drive_both(const std::shared_ptr<const JointLaw>& law) {
  for (const Part part : {Part::owner, Part::guest}) {
    for (const std::size_t own : {0U, 1U}) {
      SCOPED_TRACE(std::string(part == Part::owner ? "owner" : "guest") + (own == 0 ? ", end i" : ", end j"));
      if (law->space() == Space::plane) {
        const List q_i = {0.3, -0.1, 0.4}, v_i = {1.0, 0.5, -2.0}, q_j = {-0.2, 0.1, 0.1},
                   v_j = {0.0, -0.5, 1.0};
        BodyOfTest setup[2];
        for (std::size_t k = 0; k < 2; ++k) {
          const List& q = k == 0 ? q_i : q_j;
          const List& v = k == 0 ? v_i : v_j;
          setup[k].parameters =
              given({{"J", 0.2}, {"markers", "tip"}, {"marker_positions", List{-0.2, 0.1}}});
          setup[k].initial = given({{"phi", q[2]},
                                    {"omega", v[2]},
                                    {"position", List{q[0], q[1]}},
                                    {"velocity", List{v[0], v[1]}}});
          setup[k].start = q;
          setup[k].start.insert(setup[k].start.end(), v.begin(), v.end());
        }
        PlanarLink::Parameters p;
        p.inertia_kg_m2 = 0.2;
        p.markers = {{"tip", {-0.2, 0.1, 0.0}}};
        drive("multibody.planar_link", law, setup, PlanarLink(p), PlanarLink(p), own, part);
        continue;
      }
      const List q_i = {0.3, -0.1, 0.2, 0.98, 0.1, -0.1, 0.1}, v_i = {1.0, 0.5, -0.3, 1.0, -2.0, 1.5};
      const List q_j = {-0.2, 0.1, 0.0, 1.0, 0.0, 0.1, 0.0}, v_j = {0.0, -0.5, 0.2, 0.5, 1.0, -1.0};
      BodyOfTest setup[2];
      for (std::size_t k = 0; k < 2; ++k) {
        const List& q = k == 0 ? q_i : q_j;
        const List& v = k == 0 ? v_i : v_j;
        const Eigen::Quaterniond turn = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).normalized();
        const Vector3d omega = turn * Vector3d(v[3], v[4], v[5]);  // the model is told world coordinates
        setup[k].parameters = given(
            {{"J", List{0.2, 0.3, 0.25}}, {"markers", "tip"}, {"marker_positions", List{-0.2, 0.1, 0.1}}});
        setup[k].initial = given({{"position", List{q[0], q[1], q[2]}},
                                  {"orientation", List{q[3], q[4], q[5], q[6]}},
                                  {"velocity", List{v[0], v[1], v[2]}},
                                  {"angular_velocity", List{omega[0], omega[1], omega[2]}}});
        setup[k].start = q;
        setup[k].start.insert(setup[k].start.end(), v.begin(), v.end());
      }
      RigidBody::Parameters p;
      p.inertia_kg_m2.diagonal() << 0.2, 0.3, 0.25;
      p.markers = {{"tip", {-0.2, 0.1, 0.1}}};
      drive("multibody.rigid_body", law, setup, RigidBody(p), RigidBody(p), own, part);
    }
  }
}

TEST(JointForms, ABodyThatEvaluatesTheLawMovesAsInTheMonolithicSystem) {
  for_every_joint(
      [](const ElementInfo& info, const Example& example) { drive_both(law_of(info, example.parameters)); });
}

// s = e_i·e_j = 1: the torque of a perpendicular joint vanishes, its energy ½c is the top of a hill. A body with less turns back, one
// with more passes, comes down on the other side, and is there as fast as it was.
TEST(JointForms, APerpendicularJointIsPassedWithEnoughEnergyAndNotOtherwise) {
  constexpr double c = 50.0, J = 0.25;
  const double omega_of_hill = std::sqrt(c / J);  // ½Jω² = ½c
  const auto law = law_of(*find_element("joint.perpendicular"), given({{"stiffness", c}}));
  for (const double share : {0.9, 1.1}) {
    ProblemList problems;
    const auto body = make_model(
        "multibody.rigid_body",
        given({{"J", List{J, J, J}}, {"markers", "tip"}, {"marker_positions", List{0, 0, 0}}}),
        given({{"angular_velocity", List{0.0, 0.0, share * omega_of_hill}}}),
        {.method = "rk4", .step_s = 1e-4}, problems, "", {{"knee", law, End::i, "tip", Part::owner}});
    ASSERT_NE(body, nullptr) << text_of(problems);
    ASSERT_TRUE(body->initialize({}).ok);
    const Description description = body->describe();
    const List u = partner_inputs(description, Space::three_dimensional, MarkerMotion{});
    const std::size_t omega = offset_of(description.outputs, "angular_velocity") + 2;
    const std::size_t axes = offset_of(description.outputs, "tip_axes");
    double s = 0.0, before = 0.0, turned = 0.0, speed = 0.0;
    // Until the axes are perpendicular again, on the same or on the other side of the hill.
    for (int k = 0; k < 20000 && !(k > 10 && before * s <= 0.0); ++k) {
      before = s;
      ASSERT_TRUE(step_held(*body, 1e-4, u).ok);
      const List y = outputs(*body, u);
      s = y[axes + 1];  // x of the body along y of the world
      speed = y[omega];
      turned += 1e-4 * speed;
      ASSERT_TRUE(std::isfinite(speed));
    }
    EXPECT_NEAR(turned, share > 1.0 ? M_PI : 0.0, 1e-2);
    EXPECT_NEAR(speed, (share > 1.0 ? 1.0 : -1.0) * share * omega_of_hill, 1e-2 * omega_of_hill);
    EXPECT_NEAR(account_of(*body, u).stored_J, 0.5 * c * share * share, 1e-9);
  }
}

TEST(JointForms, APerpendicularJointAtRestInItsSingularPositionStaysThere) {
  const auto law =
      law_of(*find_element("joint.perpendicular"), given({{"stiffness", 50.0}, {"damping", 1.0}}));
  JointMotion motion;  // e_i = x of i, e_j = y of j
  motion.i.axes << 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0;
  EXPECT_EQ(law->respond(motion).wrench().i.torque.norm(), 0.0);
  EXPECT_EQ(law->respond(motion).stored_J, 25.0);
  // Turned by a little about any axis normal to both, it is pushed away with c per radian; about the common direction not at all.
  const auto turned_about = [&](const Vector3d& axis) {
    JointMotion change;
    change.i.axes.setZero();
    change.j.axes.setZero();
    for (Eigen::Index k = 0; k < 3; ++k) change.i.axes.col(k) = axis.cross(motion.i.axes.col(k));
    return Vector3d(law->wrench_change(motion, change).i.torque);
  };
  EXPECT_LT((turned_about(Vector3d::UnitZ()) - 50.0 * Vector3d::UnitZ()).norm(), 1e-12);
  EXPECT_LT((turned_about(Vector3d::UnitX()) - 50.0 * Vector3d::UnitX()).norm(), 1e-12);
  EXPECT_LT(turned_about(Vector3d::UnitY()).norm(), 1e-12);
}

}  // namespace
}  // namespace ergon
