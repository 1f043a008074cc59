// What a step of a machine with joints, contact and friction costs, beside a bare factorisation of the same size that is timed in
// the same run: the crane before and after it grasps its log, stacks of boxes, and spheres in a box.
//   machines [ROOT]       ROOT: folder of the sources, for the file of the crane; default: here
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ergon/models/nonsmooth/interface_model.hpp"
#include "ergon/models/nonsmooth/machine_analysis.hpp"
#include "ergon/scenario/file/machine_file.hpp"

namespace {

using namespace ergon;
using Eigen::Vector3d;
using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

/// The best of some repetitions: what disturbs a measurement only makes it longer.
template <typename Work>
double best_us(int repetitions, int calls, Work work) {
  double best = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = Clock::now();
    for (int k = 0; k < calls; ++k) work();
    best = std::min(best, microseconds(start) / calls);
  }
  return best;
}

/// A Cholesky factorisation of a dense positive definite matrix with so many rows.
double dense_factorisation_us(Eigen::Index rows) {
  if (rows == 0) return 0.0;
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(rows, rows);
  const Eigen::MatrixXd W = A * A.transpose() + Eigen::MatrixXd::Identity(rows, rows);
  Eigen::LLT<Eigen::MatrixXd> factor(rows);
  return best_us(5, std::max(1, 20000 / static_cast<int>(rows * rows + 1)), [&] { factor.compute(W); });
}

struct Runner {
  explicit Runner(const MachineDescription& description) {
    ProblemList problems;
    machine = make_machine(description, problems);
    if (!machine) throw InputError(problems);
    state = described_state(*machine, description);
    assemble(*machine, 0.0, state);
    stepper = std::make_unique<MachineStepper>(machine);
    forces.assign(machine->actuators.size(), 0.0);
    wrenches.assign(machine->markers.size(), Vector6d::Zero());
  }
  void step(double h) {
    if (const char* failure = stepper->step(t, h, {forces, {}, wrenches}, state))
      throw std::runtime_error(failure);
    t += h;
  }
  std::shared_ptr<const Machine> machine;
  MachineState state;
  std::unique_ptr<MachineStepper> stepper;
  std::vector<double> forces;
  std::vector<Vector6d> wrenches;
  double t = 0.0;
};

void print_heading() {
  fmt::print("{:<28}{:>12}{:>10}{:>12}{:>12}{:>18}{:>20}\n", "machine", "joint rows", "contacts", "step us",
             "iterations", "bare joints us", "bare contacts us");
}

/// Steps from where the runner is, beside the factorisations: sparse of its joints, dense of its contacts.
void print_cost(const std::string& name, Runner& run, double h, int steps) {
  double total = 0.0;
  std::size_t contacts = 0;
  double iterations = 0.0;
  for (int i = 0; i < steps; ++i) {
    const auto start = Clock::now();
    run.step(h);
    total += microseconds(start);
    contacts = std::max(contacts, run.stepper->contacts().size());
    iterations += run.stepper->report().iterations;
  }
  const Bilateral& rows = run.stepper->bilateral();
  SparseLdlt bare = rows.factor();
  const double joints = rows.size() == 0 ? 0.0 : best_us(5, 200, [&] { bare.factorize(rows.matrix()); });
  // Contacts of bodies without joints are not factorised so; their rows would be.
  const double dense =
      dense_factorisation_us(static_cast<Eigen::Index>(std::min<std::size_t>(3 * contacts, 2000)));
  fmt::print("{:<28}{:>12}{:>10}{:>12.1f}{:>12.1f}{:>18.1f}{:>20.1f}\n", name, rows.size(), contacts,
             total / steps, iterations / steps, joints, dense);
}

/// The parts of a step of the crane, and of the interface model before it.
void print_parts(Runner& run, double h) {
  Kinematics kinematics;
  kinematics.bodies.resize(run.machine->bodies.size());
  Bilateral joints(*run.machine);
  joints.regularise(h);
  std::vector<double> angles = run.state.angles;
  const double assembly = best_us(5, 500, [&] {
    kinematics.evaluate(*run.machine, run.state);
    joints.evaluate(kinematics, run.t, run.t + h, {}, angles);
  });
  const double factor = best_us(5, 500, [&] { joints.factorize(); });
  ContactSolver contacts(*run.machine, joints);
  const auto find = [&] { contacts.prepare(kinematics, run.state.velocity, h, run.state.contacts); };
  const double found = best_us(5, 500, find);
  const double columns = best_us(5, 200, [&] {
    find();
    for (std::size_t i = 0; i < contacts.islands(); ++i) contacts.matrix(i);
  });
  const double pivoting = best_us(5, 200, [&] { contacts.solve(run.state.velocity); });
  MachineRows rows(run.machine);
  rows.evaluate(run.t, h, {}, run.state);
  InterfaceEvaluator evaluator(*run.machine);
  InterfaceModel model;
  const double interface = best_us(5, 500, [&] {
    evaluator.evaluate(rows, h, run.state, {run.forces, {}, run.wrenches}, model);
  });
  fmt::print(
      "  parts, us: assembly {:.1f}, matrix of joints and factor {:.1f}, contacts found {:.1f}, contact "
      "columns "
      "{:.1f}, pivoting {:.1f}, interface model {:.1f}\n",
      assembly, factor, found, columns - found, pivoting, interface);
}

/// The crane held by springs and dampers in place of its hydraulics.
void hold(Runner& run, const double* lengths, const double* forces) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Row& row = run.stepper->actuator_row(i);
    run.forces[i] = forces[i] - 2e6 * (row.gap - lengths[i]) - 2e5 * row.rate(run.state.velocity);
  }
}

void crane(const std::string& root) {
  ProblemList problems;
  const auto description = load_machine(root + "/benchmarks/log-crane/machine.toml", {}, problems);
  if (!description) throw InputError(problems);
  Runner run(*description);
  constexpr double h = 1e-3;
  const double forces[] = {-63465.5, -15303.2};
  const double lengths[] = {1.57024095395, 1.65680415258};
  std::copy_n(forces, 2, run.forces.begin());
  run.step(h);
  print_cost("crane, log on the ground", run, h, 1000);
  print_parts(run, h);
  while (run.t < 5.5) {
    hold(run, lengths, forces);
    run.step(h);
  }
  print_cost("crane, log in its claws", run, h, 500);
  print_parts(run, h);
}

MachineDescription stack_of(int count, double on_top_kg) {
  MachineDescription stack;
  stack.materials = {{"wood", 0.5}};
  stack.shapes = {ShapeDescription{"floor", ground_name, ShapeType::plane}};
  for (int i = 0; i < count; ++i) {
    BodyDescription box;
    box.name = fmt::format("box{}", i);
    box.mass_kg = i + 1 == count ? 10.0 + on_top_kg : 10.0;
    box.inertia_kg_m2 = (box.mass_kg / 10.0 * Vector3d(0.28, 0.28, 0.42)).asDiagonal();
    box.position_m = {0.0, 0.0, 0.15 + 0.3 * i};
    ShapeDescription sides{box.name, box.name, ShapeType::box};
    sides.half_m = {0.25, 0.25, 0.15};
    stack.bodies.push_back(box);
    stack.shapes.push_back(sides);
  }
  stack.contacts = {{"box*", "floor", "wood"}, {"box*", "box*", "wood"}};
  return stack;
}

/// With 1 t on top: while they sink, and once they rest. 24 rows for each box but the lowest, which has 12.
void tall_stacks() {
  for (const int count : {13, 26, 51}) {
    Runner run(stack_of(count, 1000.0));
    const int rows = 24 * count - 12;
    print_cost(fmt::format("stack, {} rows, sinking", rows), run, 5e-3, 100);
    for (int i = 0; i < 300; ++i) run.step(5e-3);
    print_cost(fmt::format("stack, {} rows, at rest", rows), run, 5e-3, 200);
  }
}

void boxes_and_spheres() {
  const ShapeDescription floor{"floor", ground_name, ShapeType::plane};
  Runner standing(stack_of(5, 0.0));
  for (int i = 0; i < 200; ++i) standing.step(2e-3);
  print_cost("stack of five boxes", standing, 2e-3, 500);
  tall_stacks();

  MachineDescription heap;
  heap.materials = {{"glass", 0.3}};
  heap.shapes = {floor};
  for (int i = 0; i < 4; ++i) {
    ShapeDescription wall{fmt::format("wall{}", i), ground_name, ShapeType::plane};
    wall.axis = Vector3d(i == 0 ? 1.0 : i == 1 ? -1.0 : 0.0, i == 2 ? 1.0 : i == 3 ? -1.0 : 0.0, 0.0);
    wall.position_m = -0.35 * wall.axis;
    heap.shapes.push_back(wall);
  }
  for (int i = 0; i < 200; ++i) {
    BodyDescription ball;
    ball.name = fmt::format("ball{}", i);
    ball.mass_kg = 0.5;
    ball.inertia_kg_m2 = Eigen::Matrix3d::Identity() * 0.0005;
    // Every layer a little aside, so that they do not stand on each other.
    ball.position_m = {-0.24 + 0.12 * (i % 5) + 0.01 * (i / 25 % 2),
                       -0.24 + 0.12 * (i / 5 % 5) + 0.01 * (i / 25 % 3), 0.1 + 0.12 * (i / 25)};
    ShapeDescription skin{ball.name, ball.name, ShapeType::sphere};
    skin.radius_m = 0.05;
    heap.bodies.push_back(ball);
    heap.shapes.push_back(skin);
  }
  heap.contacts = {{"ball*", "ground", "glass"}, {"ball*", "ball*", "glass"}};
  Runner falling(heap);
  print_cost("200 spheres, falling", falling, 2e-3, 100);
  for (int i = 0; i < 400; ++i) falling.step(2e-3);
  print_cost("200 spheres, at rest", falling, 2e-3, 50);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    print_heading();
    crane(count > 1 ? arguments[1] : ".");
    boxes_and_spheres();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
