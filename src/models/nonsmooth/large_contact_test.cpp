// Stacks, whose springs in series are known, and the two forms of the operator of contacts.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::Vector3d;
constexpr double weight_N_kg = 9.81;

MachineDescription stacked_boxes(int count, double on_top_kg = 0.0) {
  MachineDescription machine;
  const Vector3d size(0.5, 0.5, 0.3);
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ())};
  machine.materials = {{"wood", 0.5}};
  for (int i = 0; i < count; ++i) {
    const std::string name = "box" + std::to_string(i);
    const double extra = i + 1 == count ? on_top_kg : 0.0;
    machine.bodies.push_back(block(name, 10.0 + extra, size, {0.0, 0.0, 0.15 + 0.3 * i}));
    machine.shapes.push_back(box(name, name, size));
  }
  machine.contacts = {{"box*", "floor", "wood"}, {"box*", "box*", "wood"}};
  return machine;
}

/// Four springs below the lowest box and eight between two: the corners of each on the face of the other.
double sinking_of_springs_in_series_m(int count, double on_top_kg) {
  constexpr double stiffness = 1e6;
  double sinking = 0.0;
  for (int below = 0; below < count; ++below)
    sinking += ((count - below) * 10.0 + on_top_kg) * weight_N_kg / ((below == 0 ? 4.0 : 8.0) * stiffness);
  return sinking;
}

double sinking_m(const Running& run, int count) {
  return 0.15 + 0.3 * (count - 1) - run.state.position[static_cast<std::size_t>(count - 1)][2];
}

class Stack : public ::testing::TestWithParam<std::tuple<FrictionLaw, int, double>> {};

TEST_P(Stack, SinksAsItsSpringsInSeriesDo) {
  const auto [law, count, on_top_kg] = GetParam();
  MachineDescription machine = stacked_boxes(count, on_top_kg);
  machine.solver.friction_law = law;
  Running run(machine);
  double worst = 0.0;
  int most = 0;
  for (int i = 0; i < 200; ++i) {
    run.step(5e-3);
    worst = std::max(worst, run.stepper->report().residual);
    most = std::max(most, run.stepper->report().iterations);
  }
  EXPECT_LE(worst, machine.solver.tolerance);
  EXPECT_LE(most, 60);
  const double expected = sinking_of_springs_in_series_m(count, on_top_kg);
  EXPECT_NEAR(sinking_m(run, count), expected, 0.01 * expected);
}
INSTANTIATE_TEST_SUITE_P(
    All, Stack,
    ::testing::Values(std::tuple{FrictionLaw::cone, 13, 0.0}, std::tuple{FrictionLaw::cone, 14, 0.0},
                      std::tuple{FrictionLaw::cone, 14, 100.0}, std::tuple{FrictionLaw::cone, 50, 1000.0},
                      std::tuple{FrictionLaw::box, 14, 100.0}, std::tuple{FrictionLaw::box, 50, 1000.0}));

/// Boxes on each other, two of them on a hinge.
MachineDescription hinged_pile() {
  MachineDescription machine = stacked_boxes(4);
  machine.bodies.push_back(block("arm", 3.0, {0.4, 0.1, 0.1}, {0.45, 0.0, 0.45}));
  machine.joints = {joint("hinge", JointType::revolute, "box1", "arm", {0.25, 0.0, 0.45}),
                    joint("lid", JointType::spherical, "box2", "box3", {0.2, 0.2, 0.9})};
  return machine;
}

// The same Newton direction by the dense matrix, in which joints are eliminated, and by the velocities of bodies and joints.
TEST(ContactOperators, DenseRowsAndBodySpaceGiveTheSameDirection) {
  Running run(hinged_pile());
  run.run(0.1, 2e-3);
  constexpr double h = 2e-3;
  MachineRows rows(run.machine);
  rows.evaluate(run.t, h, run.prescribed, run.state);
  ASSERT_EQ(rows.contacts().islands(), 1U);
  const ContactSolver::Island& island = rows.contacts().island(0);
  ASSERT_TRUE(island.joined);
  std::vector<ConeSolver::Contact> laws;
  std::vector<const ContactRows*> members;
  for (std::size_t i = island.first; i < island.last; ++i) {
    const ContactRows& contact = rows.contacts().in_order(i);
    members.push_back(&contact);
    laws.push_back(
        {{contact.compliance[0], contact.compliance[1], contact.compliance[2]}, {}, contact.friction});
  }
  DenseContacts dense;
  dense.prepare(rows.contacts().matrix(0), laws);
  BodySpaceContacts sparse;
  std::vector<std::size_t> bodies(run.machine->count());
  std::iota(bodies.begin(), bodies.end(), 0U);
  std::vector<Eigen::Index> place(run.machine->bodies.size(), -1);
  sparse.prepare(*run.machine, rows.kinematics(), rows.bilateral(), {bodies, members, true}, place);

  std::mt19937 generator(2);
  std::uniform_real_distribution<double> between(-1.0, 1.0);
  const auto n = static_cast<Eigen::Index>(3 * laws.size());
  Eigen::VectorXd rho(n), u1(n), u2(n), dy1(n), dy2(n), du1(n), du2(n);
  for (Eigen::Index i = 0; i < n; ++i) rho[i] = between(generator);
  std::vector<SlopeColumn> slope;
  for (std::size_t c = 0; c < laws.size(); ++c) {
    if (c % 3 != 0) slope.push_back({c, {between(generator) / std::sqrt(laws[c].compliance[0]), 0.0, 0.0}});
    if (c % 2 != 0) slope.push_back({c, {0.0, 30.0 * between(generator), 30.0 * between(generator)}});
  }
  dense.apply(rho, u1);
  sparse.apply(rho, u2);
  EXPECT_LT((u1 - u2).norm(), 1e-9 * u1.norm());
  ASSERT_TRUE(dense.direction(slope, rho, dy1, du1));
  ASSERT_TRUE(sparse.direction(slope, rho, dy2, du2));
  EXPECT_LT((dy1 - dy2).norm(), 1e-7 * dy1.norm());
  EXPECT_LT((du1 - du2).norm(), 1e-7 * u1.norm());
  // (I + G W₀) dy = −ρ
  Eigen::VectorXd image(n);
  dense.apply(dy1, image);
  Eigen::VectorXd left = dy1 + rho;
  for (const SlopeColumn& column : slope) {
    const auto first = static_cast<Eigen::Index>(3 * column.contact);
    const Vector3d s(column.at);
    left.segment<3>(first) += s * s.dot(image.segment<3>(first));
  }
  EXPECT_LT(left.norm(), 1e-9 * rho.norm());
}

// A tall stack with hinges has more rows than a dense matrix is made of, and sinks as one without.
TEST(LargeContact, AJointInATallStackDoesNotChangeWhereItRests) {
  MachineDescription machine = stacked_boxes(20, 200.0);
  machine.bodies.push_back(block("lamp", 1e-3, {0.1, 0.1, 0.1}, {0.3, 0.0, 3.0}));
  machine.joints = {joint("hook", JointType::weld, "box9", "lamp", {0.25, 0.0, 3.0})};
  Running run(machine);
  for (int i = 0; i < 200; ++i) {
    run.step(5e-3);
    ASSERT_TRUE(run.stepper->report().solved) << i << ' ' << run.stepper->report().residual;
  }
  const double expected = sinking_of_springs_in_series_m(20, 200.0);
  EXPECT_NEAR(sinking_m(run, 20), expected, 0.01 * expected);
}

}  // namespace
}  // namespace ergon
