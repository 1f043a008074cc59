// Machines described in files: the examples do what they say, joints act on their markers, and the log-handling crane is the
// machine that it was designed to be.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "ergon/models/nonsmooth/interface_model.hpp"
#include "ergon/run/simulation.hpp"
#include "ergon/scenario/file/machine_file.hpp"
#include "support/scenario_opening.hpp"

namespace ergon {
namespace {

using Eigen::Vector3d;
const std::filesystem::path source = ERGON_SOURCE_DIR;

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto place = text.find(what);
  EXPECT_NE(place, std::string::npos) << what;
  return place == std::string::npos ? text : text.replace(place, what.size(), by);
}

/// The example with its machine changed, as a simulation; the folder must outlive its construction only.
Simulation with_machine(const std::string& example, const std::string& what, const std::string& by) {
  const test::TemporaryFolder folder;
  const auto machine = folder.write(
      "machine.toml", replaced(text_of(source / "examples/machines" / (example + ".toml")), what, by));
  return Simulation(folder.write("scenario.toml", replaced(text_of(source / "examples" / (example + ".toml")),
                                                           "machines/" + example + ".toml", "machine.toml")));
}

// tan 22.5° = 0.4142
TEST(MachineExamples, TheBlockSlipsBelowTheTangentAndStaysAboveIt) {
  Simulation slipping(source / "examples/incline.toml");
  slipping.run();
  const double slope = M_PI / 8.0;
  const double acceleration = 9.81 * (std::sin(slope) - 0.41 * std::cos(slope));
  EXPECT_NEAR(slipping.value("block.centre_position[0]"), 0.5 * acceleration * 4.0,
              0.01 * 2.0 * acceleration);
  Simulation staying = with_machine("incline", "friction = 0.41", "friction = 0.42");
  staying.run();
  EXPECT_LT(staying.value("block.centre_position[0]"), 1e-5);
}

TEST(MachineExamples, TheBallBouncesAndRests) {
  Simulation ball(source / "examples/bouncing-ball.toml");
  double second_apex = 0.0;
  ball.observe([&](const StepRecord& record) {
    // Between the first and the second impact, √(2/g) = 0.452 s and 1.4 times as long after it.
    if (record.time_s() > 0.46 && record.time_s() < 1.08)
      second_apex = std::max(second_apex, record.output(ball.output("ball.centre_position[2]")) - 0.1);
  });
  ball.run();
  EXPECT_NEAR(second_apex, 0.49, 0.01);
  EXPECT_NEAR(ball.value("ball.centre_position[2]"), 0.1, 1e-4);
}

// 1.241 m: of a point with Coulomb friction; 78.8 mm: of the springs of all contacts in series.
TEST(MachineExamples, TheBlockAcrossTheSlopeAndTheTallStackComeDownAsFarAsTheyMust) {
  Simulation block(source / "examples/across-slope.toml");
  block.check_motion(MotionCheck::automatic);
  EXPECT_FALSE(block.run().failure);
  EXPECT_NEAR(block.value("block.centre_position[0]"), 1.241, 3e-3);
  EXPECT_EQ(block.summary().verdict->value, VerdictValue::reliable);

  Simulation stack(source / "examples/tall-stack.toml");
  stack.check_motion(MotionCheck::automatic);
  EXPECT_FALSE(stack.run().failure);
  EXPECT_NEAR(15.0 - stack.value("stack.top_position[2]"), 0.0788, 0.01 * 0.0788);
  EXPECT_EQ(stack.summary().verdict->value, VerdictValue::reliable);
  const auto& solver = stack.summary().nodes.at(0).solver;
  ASSERT_TRUE(solver.has_value());
  EXPECT_EQ(solver->missed, 0U);
  EXPECT_LE(solver->largest_residual, solver->tolerance);
}

TEST(MachineExamples, TheOtherOnesRunAndAreReliable) {
  Simulation stack(source / "examples/stack.toml");
  double before_push = 0.0;
  stack.observe([&](const StepRecord& record) {
    if (record.time_s() <= 1.0) before_push = record.output(stack.output("stack.top_position[2]"));
  });
  EXPECT_FALSE(stack.run().failure);
  EXPECT_NEAR(before_push, 1.5, 1e-3);                   // stands
  EXPECT_LT(stack.value("stack.top_position[2]"), 1.2);  // fallen

  Simulation pendulum(source / "examples/pendulum-wall.toml");
  double farthest = 0.0;
  pendulum.observe([&](const StepRecord& record) {
    farthest = std::min(farthest, record.output(pendulum.output("pendulum.tip_position[0]")));
  });
  EXPECT_FALSE(pendulum.run().failure);
  EXPECT_NEAR(farthest, 0.0, 0.01);  // the wall is a radius behind it

  // It slides so slowly that 0.4 J, lost and found where it sticks and breaks loose, are 6 % of what moves there: the books alone
  // are in doubt, and the motion tells.
  Simulation box(source / "examples/pushed-box.toml");
  box.check_motion(MotionCheck::automatic);
  EXPECT_FALSE(box.run().failure);
  EXPECT_EQ(box.verdict().value, VerdictValue::reliable);
  EXPECT_NEAR(box.value("cylinder.force"), 0.6 * 200.0 * 9.81, 20.0);  // sliding, almost steady

  Simulation excavator(source / "examples/excavator.toml");
  EXPECT_FALSE(excavator.run().failure);
  EXPECT_EQ(excavator.verdict().value, VerdictValue::consistent);
  EXPECT_LT(excavator.value("arm.crate_position[0]"), 1.2);  // pushed
}

// Nutation between 30° and 69.56° (src/models/nonsmooth/turning_test.cpp): the centre is at 0.1 cos θ.
TEST(MachineExamples, TheTopNutatesBetweenItsTurningPoints) {
  Simulation top(source / "examples/heavy-top.toml");
  top.check_motion(MotionCheck::automatic);
  double lowest = 1.0, highest = 0.0;
  top.observe([&](const StepRecord& record) {
    const double height = record.output(top.output("top.centre_position[2]"));
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  });
  EXPECT_FALSE(top.run().failure);
  EXPECT_EQ(top.verdict().value, VerdictValue::reliable);
  EXPECT_NEAR(highest, 0.1 * std::cos(30.0 * M_PI / 180.0), 1e-5);
  EXPECT_NEAR(lowest, 0.1 * std::cos(69.56 * M_PI / 180.0), 1e-4);
}

// examples/universal-joint.toml with its second rod as a machine: the same motion, with the order of the machine's steps.
TEST(MachineMarkers, JointsActOnThemAsOnThoseOfABody) {
  const auto scenario = text_of(source / "examples/universal-joint.toml");
  const auto begin = scenario.find("[[subsystem]]\nname = \"rod2\"");
  const auto end = scenario.find("[[element]]");
  ASSERT_NE(begin, std::string::npos);
  const std::string as_machine =
      scenario.substr(0, begin) +
      "[[subsystem]]\nname = \"rod2\"\nmodel = \"multibody.nonsmooth\"\n"
      "description = \"rod.toml\"\n\n" +
      replaced(scenario.substr(end), "\"rod2.position\"", "\"rod2.middle_position\"");
  const test::TemporaryFolder folder;
  folder.write("rod.toml",
               "[[body]]\nname = \"rod\"\nmass = 1.0\ninertia = [0.08, 0.07, 0.02]\n"
               "position = [0, 0.42073549240394825, -1.27015115293407]\n"
               "orientation = [0.8775825618903728, 0.479425538604203, 0, 0]\n"
               "velocity = [-1.2622064772118447, 0, 0]\nangular_velocity = [0, 0, 3]\n"
               "[[marker]]\nname = \"top\"\nbody = \"rod\"\nposition = [0, 0, 0.5]\n"
               "[[marker]]\nname = \"middle\"\nbody = \"rod\"\n");
  const auto file = folder.write("scenario.toml", as_machine);
  const Vector3d exact(-0.3607178044522389, 0.1951318389043209, -1.3947886637854037);  // joints_test.cpp
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    Simulation run(file, {i == 0 ? "simulation.step_size=1e-4" : "simulation.step_size=2.5e-5"});
    EXPECT_FALSE(run.run().failure);
    Vector3d at;
    for (int k = 0; k < 3; ++k) at[k] = run.value("rod2.middle_position[" + std::to_string(k) + "]");
    errors[i] = (at - exact).norm();
  }
  EXPECT_LT(errors[1], 1e-4);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.3);
}

struct Crane {
  Crane() {
    ProblemList problems;
    description = load_machine((source / "benchmarks/log-crane/machine.toml").string(), {}, problems);
    if (description) ready = make_ready(*description, problems);
    for (const Problem& problem : problems.all()) ADD_FAILURE() << to_string(problem);
  }
  std::shared_ptr<const MachineDescription> description;
  std::optional<ReadyMachine> ready;
};

TEST(LogCrane, HasElevenDegreesOfFreedomAndRank97) {
  const Crane crane;
  ASSERT_TRUE(crane.ready);
  EXPECT_EQ(crane.ready->machine->count(), 18U);
  EXPECT_EQ(crane.ready->machine->joints.size(), 22U);
  EXPECT_EQ(crane.ready->constraints.rows, 97U);
  EXPECT_EQ(crane.ready->constraints.rank, 97U);
  EXPECT_EQ(crane.ready->constraints.degrees_of_freedom, 11U);
  EXPECT_TRUE(crane.ready->constraints.redundant.empty());
}

TEST(LogCrane, AssemblesFromAPerturbedPose) {
  const Crane crane;
  ASSERT_TRUE(crane.ready);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int repeat = 0; repeat < 5; ++repeat) {
    MachineState state = crane.ready->state;
    for (std::size_t i = 0; i < crane.ready->machine->count(); ++i) {
      const Vector3d way = Vector3d(uniform(generator), uniform(generator), uniform(generator)).normalized();
      state.position[i] += 0.02 * way;
      state.orientation[i] = Eigen::Quaterniond(Eigen::AngleAxisd(0.02, way)) * state.orientation[i];
    }
    const Assembly assembly = assemble(*crane.ready->machine, 0.0, state);
    EXPECT_TRUE(assembly.assembled) << assembly.worst << " " << assembly.largest_gap;
    EXPECT_LT(assembly.moved_m, 0.1);
  }
}

// Forces of the actuators under which they do not begin to move: from two independent programs, −63465.5 N and −15303.2 N.
TEST(LogCrane, IsHeldByTheForcesOfItsDesign) {
  const Crane crane;
  ASSERT_TRUE(crane.ready);
  MachineRows rows(crane.ready->machine);
  InterfaceEvaluator evaluator(*crane.ready->machine);
  InterfaceModel model;
  const std::vector<double> none(2, 0.0);
  const std::vector<Vector6d> wrenches(crane.ready->machine->markers.size(), Vector6d::Zero());
  rows.evaluate(0.0, 0.0, {}, crane.ready->state);
  evaluator.evaluate(rows, 0.0, crane.ready->state, {none, {}, wrenches}, model);
  EXPECT_NEAR(model.holding_N()[0], -63465.5, 63.5);
  EXPECT_NEAR(model.holding_N()[1], -15303.2, 15.3);
  EXPECT_NEAR(model.length[0], 1.57024095395, 1e-9);
  EXPECT_NEAR(model.length[1], 1.65680415258, 1e-9);
}

}  // namespace
}  // namespace ergon
