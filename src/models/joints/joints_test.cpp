// What every joint must keep: action = reaction, and the energy it receives is stored or dissipated.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "support/joint_making.hpp"
#include "support/named_ports.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using List = std::vector<double>;

/// A joint between two such bodies.
class Tested {
 public:
  Tested(const std::string& name, const GivenParameters& parameters) {
    ProblemList problems;
    const ElementInfo& info = *find_element(name);
    element_ = info.make(ParameterSet(info.parameters, parameters, "'tested'", problems), problems);
    EXPECT_FALSE(problems.has_errors()) << text_of(problems);
    description_ = element_->describe();
    u_.resize(size_of(description_.inputs));
    const auto flag = parameters.find("planar");
    space_ = flag != parameters.end() && std::get<bool>(flag->second.value) ? Space::plane
                                                                            : Space::three_dimensional;
  }
  void move_to(double t) { place(motion_at(t, 0.3, space_), motion_at(t, 1.1, space_)); }
  void place(const MarkerMotion& i, const MarkerMotion& j) {
    i_ = i;
    j_ = j;
    for (const auto& [end, suffix] : {std::pair{&i_, "_i"}, std::pair{&j_, "_j"}}) {
      const std::string s = suffix;
      if (double* port = input("position" + s)) write_vector(space_, end->position_m, port);
      if (double* port = input("velocity" + s)) write_vector(space_, end->velocity_m_s, port);
      if (double* port = input("axes" + s)) {
        write_vector(space_, end->axes.col(0), port);
        if (space_ != Space::plane) write_vector(space_, end->axes.col(1), port + 3);
      }
      if (double* port = input("angular_velocity" + s))
        write_rotation(space_, end->angular_velocity_rad_s, port);
    }
    y_ = outputs(*element_, u_);
    wrench_.i.force = output("force_i", false);
    wrench_.j.force = output("force_j", false);
    wrench_.i.torque = output("torque_i", true);
    wrench_.j.torque = output("torque_j", true);
  }
  /// What the joint takes from its ends.
  [[nodiscard]] double received_W() const {
    return -(wrench_.i.force.dot(i_.velocity_m_s) + wrench_.j.force.dot(j_.velocity_m_s) +
             wrench_.i.torque.dot(i_.angular_velocity_rad_s) +
             wrench_.j.torque.dot(j_.angular_velocity_rad_s));
  }
  /// Of everything it does, about the origin of the world.
  [[nodiscard]] Vector3d moment() const {
    return i_.position_m.cross(wrench_.i.force) + wrench_.i.torque + j_.position_m.cross(wrench_.j.force) +
           wrench_.j.torque;
  }
  [[nodiscard]] Vector3d distance() const { return i_.position_m - j_.position_m; }
  [[nodiscard]] const JointWrench& wrench() const { return wrench_; }
  [[nodiscard]] double stored_J() const { return element_->stored_J(u_.data()); }
  [[nodiscard]] double dissipation_W() const { return element_->dissipation_W(u_.data()); }
  [[nodiscard]] const MarkerMotion& i() const { return i_; }
  [[nodiscard]] const MarkerMotion& j() const { return j_; }

 private:
  double* input(const std::string& name) {
    for (const Port& port : description_.inputs) {
      if (port.name == name) return u_.data() + offset_of(description_.inputs, name);
    }
    return nullptr;
  }
  Vector3d output(const std::string& name, bool rotation) {
    for (const Port& port : description_.outputs) {
      if (port.name != name) continue;
      const double* values = y_.data() + offset_of(description_.outputs, name);
      return rotation ? read_rotation(space_, values) : read_vector(space_, values);
    }
    return Vector3d::Zero();
  }
  std::unique_ptr<Element> element_;
  Description description_;
  Space space_ = Space::three_dimensional;
  MarkerMotion i_, j_;
  JointWrench wrench_;
  List u_, y_;
};

/// Runs `check` on every joint of the registry with every example, and whether its moments balance.
template <typename Check>
void on_every_joint(Check check) {
  for_every_joint([&](const ElementInfo& info, const Example& example) {
    Tested joint(info.name, example.parameters);
    check(joint, balances_moments(info, example));
  });
}

TEST(Joints, ActionIsReactionInForceAndMoment) {
  on_every_joint([](Tested& joint, bool balanced) {
    for (const double t : {0.0, 0.4, 1.9}) {
      joint.move_to(t);
      const JointWrench& w = joint.wrench();
      EXPECT_GT(w.i.force.norm() + w.i.torque.norm(), 0.0);
      EXPECT_LT((w.i.force + w.j.force).norm(), 1e-12);
      // An atpoint joint in world axes, as published, leaves the moment of its two forces: gap × damping force.
      const Vector3d left =
          balanced ? Vector3d(Vector3d::Zero()) : Vector3d(joint.distance().cross(w.i.force));
      EXPECT_LT((joint.moment() - left).norm(), 1e-12);
    }
  });
}

TEST(Joints, AnAtpointJointInWorldAxesBalancesMomentsWithoutDamping) {
  Tested joint("joint.atpoint", given({{"stiffness", 300.0}}));
  joint.move_to(0.4);
  EXPECT_LT(joint.moment().norm(), 1e-13);
  Tested damped("joint.atpoint", given({{"stiffness", 300.0}, {"damping", 7.0}}));
  damped.move_to(0.4);
  EXPECT_GT(damped.moment().norm(), 1e-3);
}

TEST(Joints, WhatIsReceivedIsStoredOrDissipated) {
  on_every_joint([](Tested& joint, bool /*balanced*/) {
    // ∫ (received − dissipated) dt by Simpson's rule against the change of the energy stored.
    constexpr int n = 4000;
    constexpr double h = 3.0 / n;
    joint.move_to(0.0);
    const double start = joint.stored_J();
    double work = 0.0, received = 0.0;
    for (int k = 0; k <= n; ++k) {
      joint.move_to(k * h);
      const double weight = k == 0 || k == n ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
      EXPECT_GE(joint.dissipation_W(), 0.0);
      work += weight * h / 3.0 * (joint.received_W() - joint.dissipation_W());
      received += weight * h / 3.0 * std::abs(joint.received_W());
    }
    EXPECT_NEAR(work, joint.stored_J() - start, 1e-10 * std::max(1.0, received));
  });
}

TEST(Joints, ForcesBringTheBodiesBack) {
  MarkerMotion i, j;
  i.position_m = {0.1, 0.0, 0.0};
  Tested atpoint("joint.atpoint", given({{"stiffness", 1e3}, {"damping", 10.0}}));
  atpoint.place(i, j);
  EXPECT_LT((atpoint.wrench().i.force - Vector3d(-100.0, 0.0, 0.0)).norm(), 1e-12);
  i.velocity_m_s = {0.0, 2.0, 0.0};
  atpoint.place(i, j);
  EXPECT_LT((atpoint.wrench().i.force - Vector3d(-100.0, -20.0, 0.0)).norm(), 1e-12);
  i.velocity_m_s.setZero();
  Tested inplane("joint.inplane", given({{"stiffness", 1e3}, {"direction_j", List{1.0, 0.0, 0.0}}}));
  inplane.place(i, j);
  EXPECT_LT((inplane.wrench().i.force - Vector3d(-100.0, 0.0, 0.0)).norm(), 1e-12);
  // Body i turned by 0.1 about z: its x axis leans to y of body j, and the torque turns it back.
  i.axes = AngleAxisd(0.1, Vector3d::UnitZ()).toRotationMatrix();
  Tested perpendicular("joint.perpendicular", given({{"stiffness", 50.0}}));
  perpendicular.place(i, j);
  EXPECT_NEAR(perpendicular.wrench().i.torque[2], -50.0 * std::sin(0.1) * std::cos(0.1), 1e-12);
  Tested bushing("joint.bushing", given({{"stiffness", 1e3}, {"rotation_stiffness", 50.0}}));
  bushing.place(i, j);
  EXPECT_NEAR(bushing.wrench().i.torque[2], -5.0, 1e-12);
  EXPECT_NEAR(bushing.wrench().i.force[0], -100.0, 1e-12);
}

TEST(Joints, ThePerpendicularGoesSmoothlyThroughItsSingularPosition) {
  Tested joint("joint.perpendicular", given({{"stiffness", 50.0}, {"damping", 1.0}}));
  // e_i = x of i and e_j = y of j are parallel where body i is turned by a quarter.
  double previous = 0.0;
  for (int k = -100; k <= 100; ++k) {
    MarkerMotion i, j;
    const double beside = 1e-9 * k;
    i.axes = AngleAxisd(0.5 * M_PI + beside, Vector3d::UnitZ()).toRotationMatrix();
    i.angular_velocity_rad_s = {0.0, 0.0, 1.0};
    joint.place(i, j);
    const double torque = joint.wrench().i.torque[2];
    // −c cos(beside) · (−sin(beside)) and damping of second order: 50 N m per radian, away from the singular position.
    EXPECT_NEAR(torque, 50.0 * std::sin(beside) * std::cos(beside), 1e-13);
    EXPECT_TRUE(k == -100 || std::abs(torque - previous) < 1e-6);
    previous = torque;
  }
}

TEST(Joints, ABushingTurnsByAnyAngleBelowHalfATurn) {
  const Vector3d axis = Vector3d(1.0, -2.0, 3.0).normalized();
  Tested joint("joint.bushing", given({{"rotation_stiffness", 10.0}}));
  for (const double angle : {0.0, 1e-9, 1e-4, 1e-3, 1.0, 2.0, 3.0, M_PI - 1e-7, M_PI - 1e-9}) {
    MarkerMotion i, j;
    i.axes = AngleAxisd(angle, axis).toRotationMatrix();
    joint.place(i, j);
    const double difference = (joint.wrench().i.torque + 10.0 * angle * axis).norm();
    // Next to half a turn the axis is known to √eps only, and its sign at half a turn is arbitrary.
    EXPECT_LT(std::min(difference, (joint.wrench().i.torque - 10.0 * angle * axis).norm()),
              angle > 3.1 ? 1e-5 : 1e-11)
        << angle;
    EXPECT_NEAR(joint.stored_J(), 5.0 * angle * angle, 1e-8);
  }
}

TEST(Joints, NonlinearLawsFollowTheirCurves) {
  MarkerMotion i, j;
  i.position_m = {0.0, 0.0, -0.2};
  Tested cubic("joint.inplane", given({{"spring_polynomial", List{100.0, 0.0, 1000.0}}}));
  cubic.place(i, j);
  EXPECT_NEAR(cubic.wrench().i.force[2], 20.0 + 8.0, 1e-12);
  EXPECT_NEAR(cubic.stored_J(), 50.0 * 0.04 + 250.0 * 0.0016, 1e-12);
  // Free play of 0.1, then 1000 N/m.
  Tested play("joint.inplane", given({{"spring_table_x", List{-1.1, -0.1, 0.1, 1.1}},
                                      {"spring_table_y", List{-1000.0, 0.0, 0.0, 1000.0}}}));
  play.place(i, j);
  EXPECT_NEAR(play.wrench().i.force[2], 100.0, 1e-12);
  EXPECT_NEAR(play.stored_J(), 5.0, 1e-12);
  i.position_m = {0.0, 0.0, 2.1};
  play.place(i, j);
  EXPECT_NEAR(play.wrench().i.force[2], -2000.0, 1e-10);
}

TEST(Joints, ACurveOfAnAtpointJointActsAlongEachAxisOrAlongTheDistance) {
  MarkerMotion i, j;
  i.position_m = {0.3, 0.0, -0.4};
  const Values cubic = {{"spring_polynomial", List{100.0, 0.0, 1000.0}}};
  Tested each("joint.atpoint", given(cubic));
  each.place(i, j);
  EXPECT_LT((each.wrench().i.force - Vector3d(-30.0 - 27.0, 0.0, 40.0 + 64.0)).norm(), 1e-12);
  EXPECT_NEAR(each.stored_J(), 50.0 * 0.25 + 250.0 * (0.0081 + 0.0256), 1e-12);
  Values radial = cubic;
  radial.emplace_back("curve", "radial");
  Tested along("joint.atpoint", given(radial));
  along.place(i, j);
  EXPECT_LT((along.wrench().i.force - (50.0 + 125.0) * Vector3d(-0.6, 0.0, 0.8)).norm(), 1e-12);
  EXPECT_NEAR(along.stored_J(), 50.0 * 0.25 + 250.0 * 0.0625, 1e-12);
  along.place(j, j);  // no direction, no force
  EXPECT_EQ(along.wrench().i.force.norm(), 0.0);
}

TEST(Joints, APreloadedBushingRestsWhereItsSpringsHoldThePreload) {
  Tested joint("joint.bushing", given({{"stiffness", List{100, 200, 300}},
                                       {"rotation_stiffness", 40.0},
                                       {"preload", List{1.0, -2.0, 3.0, 0.0, 0.0, 0.4}}}));
  MarkerMotion i, j;
  joint.place(i, j);
  EXPECT_LT((joint.wrench().i.force - Vector3d(1.0, -2.0, 3.0)).norm(), 1e-15);
  i.position_m = {0.01, -0.01, 0.01};
  i.axes = AngleAxisd(0.01, Vector3d::UnitZ()).toRotationMatrix();
  joint.place(i, j);
  EXPECT_LT(joint.wrench().i.force.norm() + joint.wrench().i.torque.norm(), 1e-13);
  EXPECT_NEAR(joint.stored_J(), -0.5 * (0.01 + 0.02 + 0.03 + 0.004), 1e-15);
}

std::string joint_refusal(const std::string& name, const Values& parameters) {
  ProblemList problems;
  const ElementInfo& info = *find_element(name);
  EXPECT_EQ(info.make(ParameterSet(info.parameters, given(parameters), "'tested'", problems), problems),
            nullptr);
  return text_of(problems);
}

TEST(Joints, WhatMakesNoSenseIsRefused) {
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(joint_refusal("joint.atpoint", {{"stiffness", List{1, 2, 3, 4}}}), "has 4 numbers"));
  EXPECT_TRUE(
      has(joint_refusal("joint.atpoint", {{"stiffness", List{1, 2, 0, 0, 1, 0, 0, 0, 1}}}), "not symmetric"));
  EXPECT_TRUE(has(joint_refusal("joint.inplane", {{"direction_j", List{0.0, 0.0, 0.0}}}), "not a direction"));
  EXPECT_TRUE(has(joint_refusal("joint.inplane", {{"stiffness", 1.0}, {"spring_polynomial", List{1.0}}}),
                  "more than one way"));
  EXPECT_TRUE(has(
      joint_refusal("joint.inplane", {{"spring_table_x", List{0.0, 0.0}}, {"spring_table_y", List{0, 1}}}),
      "make no table"));
  // Symmetric, but with the eigenvalue 1 − 2.
  EXPECT_TRUE(has(joint_refusal("joint.atpoint", {{"stiffness", List{1, 2, 0, 2, 1, 0, 0, 0, 1}}}),
                  "'stiffness' is not positive semi-definite: its smallest eigenvalue is -1."));
  EXPECT_TRUE(has(joint_refusal("joint.atpoint", {{"damping", List{1, 3, 0, 1, 1, 0, 0, 0, 1}}}),
                  "of its symmetric part, its smallest eigenvalue is -1."));
  List six(36, 0.0);
  for (std::size_t k = 0; k < 6; ++k) six[7 * k] = 1.0;
  six[5] = six[30] = 1.5;
  EXPECT_TRUE(has(joint_refusal("joint.bushing", {{"stiffness", six}}), "eigenvalue is -0.5"));
  EXPECT_TRUE(
      has(joint_refusal("joint.bushing", {{"preload", List{1.0}}}), "'preload' has 1 numbers. Give 6"));
  EXPECT_TRUE(has(joint_refusal("joint.atpoint", {{"curve", "radial"},
                                                  {"spring_table_x", List{-1.0, 1.0}},
                                                  {"spring_table_y", List{1.0, 3.0}}}),
                  "a force of 2 N at distance 0"));
  EXPECT_TRUE(has(joint_refusal("joint.atpoint", {{"stiffness", 1.0}, {"curve", "radial"}}), "has none"));
  EXPECT_TRUE(has(joint_refusal("joint.revolute", {{"stiffness", 1.0}, {"spring_polynomial", List{1.0}}}),
                  "more than one way"));
  EXPECT_TRUE(has(joint_refusal("joint.bushing", {{"stiffness", List(36, 0.0)}, {"rotation_stiffness", 1.0}}),
                  "for rotation, too"));
}

}  // namespace
}  // namespace ergon
