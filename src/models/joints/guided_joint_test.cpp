// Bodies that are given the multipliers of a joint: every joint of the registry that has them, at either end.

#include "ergon/models/joints/guided_joint.hpp"

#include <gtest/gtest.h>

#include <array>

#include "ergon/models/joints/joint_element.hpp"
#include "support/joint_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using Eigen::Vector3d;
using End = JointAttachment::End;

BodyMotion as_body(const MarkerMotion& motion) {
  return {motion.position_m, motion.velocity_m_s, motion.axes, motion.angular_velocity_rad_s};
}

/// The inputs of a guided body, and what comes of them.
struct Guided {
  Guided(const std::shared_ptr<const JointLaw>& law, End end, const JointMotion& motion)
      : joint({"knee", law, end, "tip", JointAttachment::Part::guided}, Marker{"tip", Vector3d::Zero()}),
        own(end == End::i ? motion.i : motion.j) {
    const Space space = law->space();
    const MarkerMotion& partner = end == End::i ? motion.j : motion.i;
    law->write_multipliers(motion, u.data());
    Description description;
    joint.describe(description);
    double* port = u.data() + law->multiplier_count();
    for (const Port& input : description.inputs) {
      if (input.name == "knee_partner_position") write_vector(space, partner.position_m, port);
      if (input.name == "knee_partner_axes") {
        write_vector(space, partner.axes.col(0), port);
        if (space != Space::plane) write_vector(space, partner.axes.col(1), port + 3);
      }
      if (input.name != "knee_lambda") port += input.size;
    }
    double efforts[6] = {};
    joint.add_wrench(as_body(own), u.data(), efforts);
    wrench = {read_vector(space, efforts), read_rotation(space, efforts + vector_size(space))};
  }
  GuidedJoint joint;
  MarkerMotion own;
  std::array<double, BodyJoint::max_inputs> u{};
  Wrench wrench;
};

template <typename Check>
void with_multipliers(Check check) {
  int tested = 0;
  for_every_joint([&](const ElementInfo& info, const Example& example) {
    const auto law = law_of(info, example.parameters);
    if (law->multiplier_count() == 0) return;
    ++tested;
    for (const double t : {0.0, 0.4, 1.9})
      check(law, JointMotion{motion_at(t, 0.3, law->space()), motion_at(t, 1.1, law->space())});
  });
  EXPECT_GT(tested, 10);
}

TEST(GuidedJoints, MultipliersTimesDirectionsAreTheWrench) {
  with_multipliers([](const auto& law, const JointMotion& motion) {
    const JointWrench whole = law->respond(motion).wrench();
    const Guided i(law, End::i, motion), j(law, End::j, motion);
    EXPECT_LT((i.wrench.force - whole.i.force).norm() + (i.wrench.torque - whole.i.torque).norm(), 1e-12);
    EXPECT_LT((j.wrench.force - whole.j.force).norm() + (j.wrench.torque - whole.j.torque).norm(), 1e-12);
  });
}

// What both bodies receive through λ is what the joint loses: λ·(rate_i + rate_j) = −(power that the law takes from its ends).
TEST(GuidedJoints, MultipliersTimesRatesAreThePower) {
  with_multipliers([](const auto& law, const JointMotion& motion) {
    for (const End end : {End::i, End::j}) {
      const Guided body(law, end, motion);
      double rates[JointLaw::max_multipliers], received[BodyJoint::max_inputs];
      body.joint.outputs(as_body(body.own), body.u.data(), rates);
      EXPECT_EQ(body.joint.powers_W(as_body(body.own), as_body(body.own), body.u.data(), nullptr, received),
                0.0);
      double by_rates = 0.0, by_account = 0.0;
      for (std::size_t k = 0; k < law->multiplier_count(); ++k) by_rates += body.u[k] * rates[k];
      for (std::size_t k = 0; k < body.joint.input_count(); ++k) by_account += received[k];
      const double power = body.wrench.power_W(body.own);
      EXPECT_NEAR(by_rates, power, 1e-12 * std::max(1.0, std::abs(power)));
      EXPECT_NEAR(by_account, power, 1e-12 * std::max(1.0, std::abs(power)));
    }
  });
}

TEST(GuidedJoints, OneMultiplierForAPlaneAndForARightAngle) {
  const auto count = [](const char* name) {
    return law_of(*find_element(name), given({{"stiffness", 1.0}}))->multiplier_count();
  };
  EXPECT_EQ(count("joint.inplane"), 1U);
  EXPECT_EQ(count("joint.perpendicular"), 1U);
  EXPECT_EQ(count("joint.atpoint"), 3U);
  EXPECT_EQ(count("joint.revolute"), 5U);
  EXPECT_EQ(count("joint.translational"), 5U);
  EXPECT_EQ(count("joint.bushing"), 0U);
}

}  // namespace
}  // namespace ergon
