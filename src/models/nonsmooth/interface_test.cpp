// The interface model of machines: against the Schur complement (21) of [peiret2019] in dense matrices, and against the step that
// the machine itself then makes.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "support/machine_building.hpp"

namespace ergon {
namespace {

using namespace testing_machines;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Index = Eigen::Index;

class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  Vector3d vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  bool coin() { return between(0.0, 1.0) < 0.5; }

 private:
  std::mt19937 generator_;
};

struct Kind {
  bool rigid = false;
  bool redundant = false;
};

/// A chain of bodies on random joints with random spheres that are in the floor, a driven joint, two or three actuators.
MachineDescription random_machine(Dice& dice, const Kind& kind) {
  MachineDescription machine;
  const int count = 3 + static_cast<int>(dice.between(0.0, 3.0));
  const JointType types[] = {JointType::spherical, JointType::revolute, JointType::universal,
                             JointType::spherical};
  machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ())};
  std::string before = ground_name;
  Vector3d place = dice.vector(0.5) + Vector3d(0.0, 0.0, 0.3);
  for (int i = 0; i < count; ++i) {
    const Vector3d end = place + dice.vector(0.6);
    BodyDescription part =
        body("part" + std::to_string(i), dice.between(1.0, 20.0),
             {dice.between(0.3, 0.5), dice.between(0.3, 0.5), dice.between(0.3, 0.5)}, 0.5 * (place + end));
    part.position_m[2] = dice.between(0.05, 0.2);
    part.orientation = Eigen::Quaterniond(Eigen::AngleAxisd(1.0, dice.vector(1.0).normalized()));
    part.velocity_m_s = dice.vector(1.0);
    part.angular_velocity_rad_s = dice.vector(2.0);
    machine.bodies.push_back(part);
    JointDescription held =
        joint("joint" + std::to_string(i), types[static_cast<int>(dice.between(0.0, 4.0))], before, part.name,
              place, dice.vector(1.0).normalized());
    if (held.type == JointType::universal)
      held.reference = held.axis.cross(dice.vector(1.0).normalized()).normalized();
    if (i == 1) {
      held.type = JointType::revolute;
      held.reference.reset();
      held.drive = Drive{0.4, -1.0, 2.0};
    }
    if (held.type == JointType::revolute && i != 1) held.damping = dice.between(1.0, 10.0);
    machine.joints.push_back(held);
    if (kind.redundant && i == 2) {
      held.name += "again";
      held.drive.reset();
      held.damping = 0.0;
      machine.joints.push_back(held);
    }
    machine.shapes.push_back(sphere("foot" + std::to_string(i), part.name, dice.between(0.21, 0.3)));
    machine.shapes.back().position_m = dice.vector(0.02);
    before = part.name;
    place = end;
  }
  machine.materials = {{"wood", 0.5}};
  machine.contacts = {{"foot*", "floor", "wood"}};
  machine.actuators = {{"one", ground_name, "part0", dice.vector(1.0), dice.vector(1.0)},
                       {"two", "part0", "part2", dice.vector(1.0), dice.vector(1.0)}};
  if (dice.coin())
    machine.actuators.push_back({"three", ground_name, "part1", dice.vector(1.0), dice.vector(1.0)});
  machine.solver.joint_compliance_m_N = kind.rigid ? 0.0 : 1e-7;
  machine.solver.tolerance = 1e-12;  // what is predicted is a step that is solved
  if (kind.rigid) {
    machine.materials[0].stiffness_N_m = machine.materials[0].tangential_damping_Ns_m = 1e30;
  }
  return machine;
}

/// Some contacts active, some tight with some force, some not known.
void remember_at_random(Dice& dice, Running& run, double h) {
  MachineRows rows(run.machine);
  rows.evaluate(run.t, h, run.prescribed, run.state);
  run.state.contacts.clear();
  for (const ContactRows& contact : rows.contacts().contacts()) {
    if (dice.between(0.0, 1.0) < 0.2) continue;
    ContactMemory memory;
    memory.identity = contact.at.identity;
    for (std::size_t k = 0; k < 3; ++k) {
      memory.row_state[k] = static_cast<std::uint8_t>(
          dice.between(0.0, 1.0) < (k == 0 ? 0.6 : 0.3) ? RowState::active : RowState::upper);
      memory.force[k] = dice.between(-50.0, 50.0);
    }
    run.state.contacts.push_back(memory);
  }
}

struct Dense {
  MatrixXd mass;
  VectorXd force;
  /// Joints and contacts leave the actuators something of the mobility that the bodies have, and depend on each other only where
  /// compliance makes up for it: otherwise there is no mass, or none to so many digits.
  bool moves = false;
};

/// Eq. (21) with b of Eq. (26) as corrected, by dense matrices: no elimination of joints first, no islands.
Dense schur_complement(const Running& run, double h) {
  MachineRows rows(run.machine);
  rows.evaluate(run.t, h, run.prescribed, run.state);
  const auto size = run.state.velocity.size();
  const VectorXd& v = run.state.velocity;
  MatrixXd inverse_mass = MatrixXd::Zero(size, size);
  for (std::size_t i = 0; i < run.machine->count(); ++i) {
    const auto at = static_cast<Index>(6 * i);
    inverse_mass.block<3, 3>(at, at).diagonal().setConstant(rows.kinematics().bodies[i].inverse_mass);
    inverse_mass.block<3, 3>(at + 3, at + 3) = rows.kinematics().bodies[i].inverse_inertia;
  }
  VectorXd free = VectorXd::Zero(size);
  std::vector<Vector3d> gyroscopic;
  expected_gyroscopic_torques(*run.machine, rows.kinematics(), run.state, h, gyroscopic);
  add_free_motion(*run.machine, rows.kinematics(), run.wrenches, gyroscopic, 1.0, free);
  // Of joints that turn fast it is that of the step which the last one foretells.
  rows.turning().expect(rows.kinematics(), h, run.state);
  const VectorXd& drift = rows.turning().drift();
  std::vector<VectorXd> alpha, tau;
  std::vector<double> C, b_alpha, lambda_tau;
  const auto dense = [&](const Row& row) {
    VectorXd a = VectorXd::Zero(size);
    for (std::size_t k = 0; k < row.count; ++k)
      a.segment<6>(static_cast<Index>(6 * row.body[k])) += row.jacobian[k];
    return a;
  };
  const auto add_active = [&](const Row& row, double compliance, double extra) {
    alpha.push_back(dense(row));
    C.push_back(compliance);
    b_alpha.push_back(alpha.back().dot(h * free + v) + extra);
  };
  for (std::size_t i = 0; i < rows.bilateral().size(); ++i) {
    const Row& row = rows.bilateral().rows()[i];
    add_active(
        row, rows.bilateral().compliance()[i],
        0.5 * h * drift[static_cast<Index>(i)] + rows.bilateral().gamma()[i] * row.gap / h - row.target);
  }
  for (const ContactRows& contact : rows.contacts().contacts()) {
    for (const ContactMemory& memory : run.state.contacts) {
      if (memory.identity != contact.at.identity) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        if (static_cast<RowState>(memory.row_state[k]) == RowState::active) {
          add_active(contact.row[k], contact.compliance[k], contact.extra[k]);
        } else {
          tau.push_back(dense(contact.row[k]));
          lambda_tau.push_back(memory.force[k]);
        }
      }
    }
  }
  const auto stack = [&](const std::vector<VectorXd>& list) {
    MatrixXd A(static_cast<Index>(list.size()), size);
    for (std::size_t i = 0; i < list.size(); ++i) A.row(static_cast<Index>(i)) = list[i];
    return A;
  };
  const auto vector = [](const std::vector<double>& list) {
    return VectorXd(Eigen::Map<const VectorXd>(list.data(), static_cast<Index>(list.size())));
  };
  std::vector<VectorXd> ports;
  std::vector<double> b_i, w;
  for (const Machine::Actuator& actuator : run.machine->actuators) {
    Row row;
    line_row(rows.kinematics(), actuator.a, actuator.point_a, actuator.b, actuator.point_b, row);
    ports.push_back(dense(row));
    w.push_back(ports.back().dot(v));
    b_i.push_back(ports.back().dot(h * free + v) + h * row.drift);
  }
  const MatrixXd A = stack(alpha), T = stack(tau), D = stack(ports);
  MatrixXd H = A * inverse_mass * A.transpose();
  H.diagonal() += vector(C);
  const Eigen::FullPivLU<MatrixXd> solver(H);
  const MatrixXd H_ia = D * inverse_mass * A.transpose();
  const VectorXd tight = h * T.transpose() * vector(lambda_tau);
  const MatrixXd S = D * inverse_mass * D.transpose() - H_ia * solver.solve(H_ia.transpose());
  const VectorXd right = vector(b_i) + D * inverse_mass * tight -
                         H_ia * solver.solve(vector(b_alpha) + A * inverse_mass * tight);
  Dense result;
  const double least = Eigen::SelfAdjointEigenSolver<MatrixXd>(S).eigenvalues()[0];
  const double bodies = (D * inverse_mass * D.transpose()).norm();
  result.moves = least > 1e-4 * bodies && solver.rcond() > 1e-10;
  result.mass = S.inverse();
  result.force = result.mass * (right - vector(w)) / h;
  return result;
}

TEST(InterfaceModel, IsTheSchurComplementOnRandomMachines) {
  int active_contacts = 0, redundant_rows = 0;
  for (const Kind kind : {Kind{false, false}, Kind{false, true}, Kind{true, false}}) {
    int compared = 0;
    for (unsigned seed = 1; seed <= 120; ++seed) {
      Dice dice(seed);
      Running run(random_machine(dice, kind));
      const double h = std::pow(10.0, dice.between(-3.5, -1.5));
      run.t = dice.between(0.0, 1.0);
      remember_at_random(dice, run, h);
      const Dense exact = schur_complement(run, h);
      if (!exact.moves) continue;
      ++compared;
      for (const ContactMemory& memory : run.state.contacts)
        active_contacts += static_cast<RowState>(memory.row_state[0]) == RowState::active ? 1 : 0;
      redundant_rows += static_cast<int>(count_constraints(*run.machine, run.state, 0.0).redundant.size());
      const InterfaceModel model = run.interface(h);
      const MatrixXd mass = model.mobility.inverse();
      const VectorXd force = mass * model.free_acceleration;
      EXPECT_LE((mass - exact.mass).norm(), 1e-10 * exact.mass.norm())
          << seed << (kind.rigid ? " rigid" : "");
      EXPECT_LE((force - exact.force).norm(), 1e-10 * exact.force.norm())
          << seed << (kind.rigid ? " rigid" : "");
    }
    EXPECT_GE(compared, 25) << (kind.rigid ? "rigid" : kind.redundant ? "redundant" : "");
  }
  EXPECT_GT(active_contacts, 100);
  EXPECT_GT(redundant_rows, 50);
}

// An motion-driven actuator and let free: the same Schur complement with effort and flow of that one exchanged. The compliance of
// its row adds to the mobility; neither the length nor the rate that it was told has a say.
TEST(InterfaceModel, ExchangesEffortAndFlowOfAnActuatorThatIsLed) {
  for (const bool rigid : {false, true}) {
    int compared = 0;
    for (unsigned seed = 1; seed <= 120; ++seed) {
      Dice dice(seed);
      MachineDescription description = random_machine(dice, {rigid, false});
      Running pushed(description);
      const double h = std::pow(10.0, dice.between(-3.5, -1.5));
      pushed.t = dice.between(0.0, 1.0);
      remember_at_random(dice, pushed, h);
      const Dense exact = schur_complement(pushed, h);
      if (!exact.moves) continue;
      ++compared;
      description.actuators[1].input = ActuatorInput::motion;
      Running run(description, pushed.state);
      run.prescribed = {{0.1, 5.0}};
      MachineRows rows(run.machine);
      rows.evaluate(pushed.t, h, run.prescribed, run.state);
      InterfaceModel model;
      std::vector<bool> let_free(run.forces.size(), false);
      let_free[1] = true;
      InterfaceEvaluator(*run.machine)
          .evaluate(rows, h, run.state, {run.forces, run.prescribed, run.wrenches}, model, let_free);

      MatrixXd mobility = exact.mass.inverse();
      mobility(1, 1) += rows.bilateral().compliance().back();
      VectorXd lambda = VectorXd::Zero(exact.force.size());
      for (double& force : lambda) force = dice.between(-100.0, 100.0);
      const VectorXd rate = mobility * lambda + exact.mass.inverse() * exact.force;
      VectorXd given = lambda, expected = rate;
      given[1] = rate[1];
      expected[1] = lambda[1];
      const VectorXd got = model.mobility * given + model.free_acceleration;
      // The force is a difference of what it takes to hold and to move.
      const double size = std::abs(model.free_acceleration[1]) + std::abs(model.mobility(1, 1) * rate[1]);
      EXPECT_NEAR(got[1], expected[1], 1e-10 * size) << seed << (rigid ? " rigid" : "");
      for (Index i = 0; i < got.size(); ++i) {
        if (i == 1) continue;
        EXPECT_NEAR(got[i], expected[i], 1e-9 * (rate.norm() + 1.0)) << seed << (rigid ? " rigid" : "");
      }
    }
    EXPECT_GE(compared, 25) << (rigid ? "rigid" : "soft");
  }
}

// A boom of 21.3 t at its jack, which is pushed or motion-driven: the mass, and the force that holds it, do not depend on the step.
TEST(InterfaceModel, MassAndStaticForceDoNotDependOnTheStep) {
  for (const ActuatorInput input : {ActuatorInput::force, ActuatorInput::motion}) {
    MachineDescription machine;
    machine.bodies = {body("boom", 1000.0, {1.0, 4000.0 / 3.0, 4000.0 / 3.0}, {2.0, 0.0, 0.0})};
    machine.joints = {joint("pivot", JointType::revolute, ground_name, "boom", Vector3d::Zero())};
    machine.actuators = {{"jack", ground_name, "boom", {0.5, 0.0, -1.0}, {0.5, 0.0, 0.0}, input}};
    const double mass = 1000.0 * 16.0 / 3.0 / 0.25, weight = 1000.0 * 9.81 * 2.0 / 0.5;
    const std::vector<bool> let_free = {input == ActuatorInput::motion};
    for (const double h : {1e-3, 5e-4, 1e-4, 1e-5, 1e-6}) {
      Running run(machine);
      MachineRows rows(run.machine);
      InterfaceModel model;
      rows.evaluate(0.0, h, run.prescribed, run.state);
      InterfaceEvaluator(*run.machine)
          .evaluate(rows, h, run.state, {run.forces, run.prescribed, run.wrenches}, model, let_free);
      const double m = let_free[0] ? model.mobility(0, 0) : 1.0 / model.mobility(0, 0);
      const double held = let_free[0] ? model.free_acceleration[0] : model.holding_N()[0];
      EXPECT_NEAR(m, mass, 1e-4 * mass) << h;
      EXPECT_NEAR(held, weight, 1e-4 * weight) << h;
    }
  }
}

// Of a step from `run` on: D v⁺ + hḊv, with the partition that the step itself found.
void expect_step_as_predicted(Running& run, double h, const std::string& what) {
  const double t = run.t;
  MachineState before = run.state;
  run.step(h);
  // What the model assumes of the step to come: partition and turning of the one before.
  before.contacts = run.state.contacts;
  before.acceleration = (run.state.velocity - before.velocity) / h;
  const InterfaceModel model = run.interface(h, t, before);
  const Eigen::Map<const VectorXd> forces(run.forces.data(), static_cast<Index>(run.forces.size()));
  const VectorXd predicted = model.rate + h * (model.free_acceleration + model.mobility * forces);
  for (Index i = 0; i < predicted.size(); ++i) {
    const Row& row = run.stepper->actuator_row(static_cast<std::size_t>(i));
    EXPECT_NEAR(row.rate(run.state.velocity) + h * row.drift, predicted[i], 1e-10) << what;
  }
}

TEST(InterfaceModel, PredictsTheNextStepWithItsOwnPartition) {
  int tight = 0, active = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    Running run(random_machine(dice, {}));
    for (double& force : run.forces) force = dice.between(-100.0, 100.0);
    for (int i = 0; i < 20; ++i) {
      expect_step_as_predicted(run, 1e-3, "seed " + std::to_string(seed));
      for (const ContactMemory& memory : run.state.contacts)
        for (const std::uint8_t state : memory.row_state)
          ++(static_cast<RowState>(state) == RowState::active ? active : tight);
    }
  }
  EXPECT_GT(active, 300);
  EXPECT_GT(tight, 300);
}

// Contacts that the last solve did not know are tight without a force: as if they were not there.
TEST(InterfaceModel, NewContactsHaveNoSay) {
  for (const bool new_contact : {false, true}) {
    MachineDescription machine;
    machine.bodies = {block("arm", 2.0, {1.0, 0.1, 0.1}, {0.5, 0.0, 0.2})};
    machine.joints = {joint("pivot", JointType::revolute, ground_name, "arm", {0.0, 0.0, 0.2})};
    machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()),
                      sphere("tip", "arm", new_contact ? 0.21 : 0.19)};
    machine.materials = {{"steel", 0.4}};
    machine.contacts = {{"tip", "floor", "steel"}};
    machine.actuators = {{"ram", ground_name, "arm", {0.5, 0.0, -1.0}, {0.5, 0.0, 0.2}}};
    const Running run(machine);
    const InterfaceModel model = run.interface(1e-3);
    // J about the pivot, 2·(1 + 0.01)/12 + 2·0.25, at an arm of 0.5 m; weight at its middle.
    const double inertia = 2.0 * 1.01 / 12.0 + 0.5;
    EXPECT_NEAR(model.mobility(0, 0), 0.25 / inertia, 1e-6);
    EXPECT_NEAR(model.free_acceleration[0], -9.81 * 2.0 * 0.25 / inertia, 1e-5);
  }
}

// w⁺ of M̃ẇ = λ̃ + λ_i is the rate at the end of the step of the machine itself.
TEST(InterfaceModel, PredictsTheRateOfTheNextStepExactly) {
  MachineDescription machine = parallelogram();
  machine.actuators = {{"ram", ground_name, "top", {2.0, 0.0, 0.3}, {1.0, 0.0, 1.0}},
                       {"brace", ground_name, "left", {-1.0, 0.0, 0.0}, {0.0, 0.0, 0.8}}};
  Running run(machine);
  run.forces = {300.0, -120.0};
  constexpr double h = 2e-3;
  run.run(0.2, h);
  const double t = run.t;
  MachineState before = run.state;
  run.step(h);
  before.acceleration = run.state.acceleration;
  const InterfaceModel model = run.interface(h, t, before);
  const Eigen::Vector2d forces(run.forces[0], run.forces[1]);
  const Eigen::Vector2d predicted = model.rate + h * (model.free_acceleration + model.mobility * forces);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const Row& row = run.stepper->actuator_row(static_cast<std::size_t>(i));
    EXPECT_NEAR(row.rate(run.state.velocity) + h * row.drift, predicted[i], 1e-10);
  }
}

// A ball on the floor, pushed aslant: the contact takes part in M̃ and λ̃, free to slide and held by friction.
TEST(InterfaceModel, KnowsTheContactsThatAreActive) {
  for (const double friction : {0.0, 0.9}) {
    MachineDescription machine;
    machine.bodies = {ball("ball", 2.0, 0.1, {0.0, 0.0, 0.1})};
    machine.shapes = {plane("floor", Vector3d::Zero(), Vector3d::UnitZ()), sphere("ball", "ball", 0.1)};
    machine.materials = {{"steel", friction}};
    machine.contacts = {{"ball", "floor", "steel"}};
    machine.actuators = {{"ram", ground_name, "ball", {-1.0, 0.0, 0.6}, {0.0, 0.0, 0.1}}};
    Running run(machine);
    run.forces = {10.0};
    constexpr double h = 1e-3;
    run.run(0.05, h);
    ASSERT_EQ(run.state.contacts.size(), 1U);
    const InterfaceModel model = run.interface(h);
    EXPECT_LT(model.mobility(0, 0), 0.9 / 2.0) << "a free ball would give way by 1/m";
    const double predicted =
        model.rate[0] + h * (model.free_acceleration[0] + model.mobility(0, 0) * run.forces[0]);
    run.step(h);
    const Row& row = run.stepper->actuator_row(0);
    EXPECT_NEAR(row.rate(run.state.velocity) + h * row.drift, predicted, 1e-10) << friction;
  }
}

// What was evaluated for the interface model is what the step needs: the same bits with and without.
TEST(MachineStepper, APreparedStepIsTheStep) {
  Dice dice(5);
  const MachineDescription machine = random_machine(dice, {});
  Running plain(machine), prepared(machine);
  plain.forces.assign(plain.forces.size(), 30.0);
  prepared.forces = plain.forces;
  InterfaceEvaluator evaluator(*prepared.machine);
  InterfaceModel model;
  constexpr double h = 1e-3;
  for (int i = 0; i < 50; ++i) {
    MachineRows& rows = prepared.stepper->prepare(prepared.t, h, prepared.prescribed, prepared.state);
    evaluator.evaluate(rows, h, prepared.state, {prepared.forces, prepared.prescribed, prepared.wrenches},
                       model);
    prepared.step(h);
    plain.step(h);
    ASSERT_EQ(plain.state.velocity, prepared.state.velocity) << i;
  }
  EXPECT_FALSE(plain.state.contacts.empty());
}

}  // namespace
}  // namespace ergon
