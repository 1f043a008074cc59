// Joints whose law is evaluated inside a body: every joint of the registry, at either end, as owner of its energy and as guest.

#include "ergon/models/joints/attached_joint.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/joint_making.hpp"

namespace ergon {
namespace {

using namespace testing_models;
using Eigen::Vector3d;
using End = JointAttachment::End;
using Part = JointAttachment::Part;

/// A joint attached to one of two bodies, both of which move smoothly. Marker and centre of mass of the body are one point.
class Held {
 public:
  Held(std::shared_ptr<const JointLaw> law, End end, Part part)
      : space_(law->space()),
        end_(end),
        joint_({"knee", law, end, "tip", part}, Marker{"tip", Vector3d::Zero()}),
        ports_(space_, law->dependence().groups(), end == End::i ? frame_j : frame_i) {}

  [[nodiscard]] MarkerMotion own_at(double t) const {
    return motion_at(t, end_ == End::i ? 0.3 : 1.1, space_);
  }
  [[nodiscard]] MarkerMotion partner_at(double t) const {
    return motion_at(t, end_ == End::i ? 1.1 : 0.3, space_);
  }
  [[nodiscard]] BodyMotion body_at(double t) const {
    const MarkerMotion own = own_at(t);
    return {own.position_m, own.velocity_m_s, own.axes, own.angular_velocity_rad_s};
  }
  using Inputs = std::array<double, EndPorts::max_scalars>;
  [[nodiscard]] Inputs inputs_of(const MarkerMotion& partner) const {
    Inputs u{};
    if (ports_.has_point()) {
      write_vector(space_, partner.position_m, u.data());
      write_vector(space_, partner.velocity_m_s, u.data() + ports_.velocity_offset());
    }
    if (ports_.has_frame()) {
      write_vector(space_, partner.axes.col(0), u.data() + ports_.axes_offset());
      if (space_ != Space::plane)
        write_vector(space_, partner.axes.col(1), u.data() + ports_.axes_offset() + 3);
      write_rotation(space_, partner.angular_velocity_rad_s, u.data() + ports_.angular_velocity_offset());
    }
    return u;
  }
  /// Rates of the position and the axes; those of the velocities do not matter.
  [[nodiscard]] Inputs rates_of(const MarkerMotion& partner) const {
    MarkerMotion rate;
    rate.position_m = partner.velocity_m_s;
    for (Eigen::Index k = 0; k < 3; ++k)
      rate.axes.col(k) = partner.angular_velocity_rad_s.cross(partner.axes.col(k));
    return inputs_of(rate);
  }
  [[nodiscard]] Wrench own_wrench(double t) const {
    double efforts[6] = {};
    joint_.add_wrench(body_at(t), inputs_of(partner_at(t)).data(), efforts);
    return {read_vector(space_, efforts), read_rotation(space_, efforts + vector_size(space_))};
  }
  [[nodiscard]] Wrench partner_wrench(double t) const {
    double y[6] = {};
    joint_.outputs(body_at(t), inputs_of(partner_at(t)).data(), y);
    Description description;
    joint_.describe(description);
    Wrench wrench;
    const double* port = y;
    for (const Port& output : description.outputs) {
      if (output.name == "knee_partner_force") wrench.force = read_vector(space_, port);
      if (output.name == "knee_partner_torque") wrench.torque = read_rotation(space_, port);
      port += output.size;
    }
    return wrench;
  }
  [[nodiscard]] const AttachedJoint& joint() const { return joint_; }

 private:
  Space space_;
  End end_;
  AttachedJoint joint_;
  EndPorts ports_;
};

template <typename Check>
void at_both_ends(Check check) {
  for_every_joint([&](const ElementInfo& info, const Example& example) {
    const auto law = law_of(info, example.parameters);
    for (const End end : {End::i, End::j}) {
      SCOPED_TRACE(end == End::i ? "at end i" : "at end j");
      check(law, end, balances_moments(info, example));
    }
  });
}

TEST(AttachedJoints, ActionIsReactionInForceAndMoment) {
  at_both_ends([](const auto& law, End end, bool balanced) {
    const Held held(law, end, Part::owner);
    for (const double t : {0.0, 0.4, 1.9}) {
      const Wrench own = held.own_wrench(t), partner = held.partner_wrench(t);
      const Vector3d here = held.own_at(t).position_m, there = held.partner_at(t).position_m;
      EXPECT_GT(own.force.norm() + own.torque.norm(), 0.0);
      EXPECT_LT((own.force + partner.force).norm(), 1e-12);
      const Vector3d moment =
          here.cross(own.force) + own.torque + there.cross(partner.force) + partner.torque;
      const Vector3d left = balanced ? Vector3d(Vector3d::Zero()) : Vector3d((here - there).cross(own.force));
      EXPECT_LT((moment - left).norm(), 1e-12);
    }
  });
}

// Displacement/displacement: what one body computes for the other is what the other computes itself, if both know the truth.
TEST(AttachedJoints, BothBodiesComputeTheSame) {
  at_both_ends([](const auto& law, End end, bool /*balanced*/) {
    const Held here(law, end, Part::owner);
    const Held there(law, end == End::i ? End::j : End::i, Part::guest);
    for (const double t : {0.0, 0.4, 1.9}) {
      const Wrench told = here.partner_wrench(t), found = there.own_wrench(t);
      EXPECT_LT((told.force - found.force).norm() + (told.torque - found.torque).norm(), 1e-12);
    }
  });
}

/// ∫ over 3 s by Simpson's rule of a power at t.
template <typename Power>
double work_J(Power power) {
  constexpr int n = 4000;
  constexpr double h = 3.0 / n;
  double work = 0.0;
  for (int k = 0; k <= n; ++k)
    work += (k == 0 || k == n ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) * h / 3.0 * power(k * h);
  return work;
}

TEST(AttachedJoints, WhatTheOwnerReceivesIsStoredDissipatedOrMovesTheBody) {
  at_both_ends([](const auto& law, End end, bool /*balanced*/) {
    const Held held(law, end, Part::owner);
    double size = 1.0;
    const double left = work_J([&](double t) {
      double received[EndPorts::max_scalars];
      const BodyMotion body = held.body_at(t);
      const MarkerMotion partner = held.partner_at(t);
      const auto u = held.inputs_of(partner), rates = held.rates_of(partner);
      const double dissipated = held.joint().powers_W(body, body, u.data(), rates.data(), received);
      EXPECT_GE(dissipated, 0.0);
      double power = -held.own_wrench(t).power_W(held.own_at(t)) - dissipated;
      for (std::size_t i = 0; i < held.joint().input_count(); ++i) {
        power += received[i];
        size = std::max(size, std::abs(received[i]));
      }
      return power;
    });
    const auto stored = [&](double t) {
      return held.joint().stored_J(held.body_at(t), held.inputs_of(held.partner_at(t)).data());
    };
    EXPECT_NEAR(left, stored(3.0) - stored(0.0), 1e-10 * size);
  });
}

TEST(AttachedJoints, AJumpOfTheInputsIsPaidWithWhatIsStored) {
  at_both_ends([](const auto& law, End end, bool /*balanced*/) {
    const Held held(law, end, Part::owner);
    const BodyMotion body = held.body_at(0.2);
    const auto before = held.inputs_of(held.partner_at(0.2)), after = held.inputs_of(held.partner_at(0.9));
    double received[EndPorts::max_scalars] = {};
    held.joint().add_jump_work_J(body, before.data(), after.data(), 1.0, received);
    double sum = 0.0;
    for (const double work : received) sum += work;
    const double change =
        held.joint().stored_J(body, after.data()) - held.joint().stored_J(body, before.data());
    EXPECT_NEAR(sum, change, 1e-12 * std::max(1.0, std::abs(change)));
  });
}

TEST(AttachedJoints, AGuestOwnsNothingAndReceivesTheWorkOnItsBody) {
  at_both_ends([](const auto& law, End end, bool /*balanced*/) {
    const Held held(law, end, Part::guest);
    const BodyMotion body = held.body_at(0.4);
    const auto u = held.inputs_of(held.partner_at(0.4)), rates = held.rates_of(held.partner_at(0.4));
    double received[EndPorts::max_scalars];
    EXPECT_EQ(held.joint().powers_W(body, body, u.data(), rates.data(), received), 0.0);
    EXPECT_EQ(held.joint().stored_J(body, u.data()), 0.0);
    double sum = 0.0;
    for (std::size_t i = 0; i < held.joint().input_count(); ++i) sum += received[i];
    const double power = held.own_wrench(0.4).power_W(held.own_at(0.4));
    EXPECT_NEAR(sum, power, 1e-12 * std::max(1.0, std::abs(power)));
  });
}

// The coupling variables of the published forms, in world vectors: an atpoint joint takes 6 and gives 3 scalars.
TEST(AttachedJoints, ExchangeNoMoreThanTheLawLooksAt) {
  const auto sizes = [](const char* name, End end) {
    const auto law = law_of(*find_element(name), given({{"stiffness", 1.0}}));
    const AttachedJoint joint({"knee", law, end, "tip", Part::owner}, Marker{"tip", Vector3d::Zero()});
    return std::pair{joint.input_count(), joint.output_count()};
  };
  EXPECT_EQ(sizes("joint.atpoint", End::i), (std::pair<std::size_t, std::size_t>{6, 3}));
  EXPECT_EQ(sizes("joint.atpoint", End::j), (std::pair<std::size_t, std::size_t>{6, 3}));
  EXPECT_EQ(sizes("joint.inplane", End::j), (std::pair<std::size_t, std::size_t>{6, 3}));
  EXPECT_EQ(sizes("joint.inplane", End::i), (std::pair<std::size_t, std::size_t>{15, 6}));
  EXPECT_EQ(sizes("joint.perpendicular", End::j), (std::pair<std::size_t, std::size_t>{9, 3}));
}

TEST(AttachedJoints, AFrameThatIsNotTheirsIsMadeOne) {
  // Stretched and skewed axes, as polynomials between frames have them: the law sees the frame they tell.
  const auto law = law_of(*find_element("joint.bushing"), given({{"rotation_stiffness", 10.0}}));
  const Held held(law, End::i, Part::owner);
  const BodyMotion body = held.body_at(0.4);
  auto u = held.inputs_of(held.partner_at(0.4));
  double straight[6] = {}, skewed[6] = {};
  held.joint().add_wrench(body, u.data(), straight);
  for (std::size_t k = 0; k < 3; ++k) u[9 + k] += 0.3 * u[6 + k];  // y leans to x
  for (std::size_t k = 0; k < 3; ++k) u[6 + k] *= 1.2;
  held.joint().add_wrench(body, u.data(), skewed);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(skewed[k], straight[k], 1e-12);
}

}  // namespace
}  // namespace ergon
