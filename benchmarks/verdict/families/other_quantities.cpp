// Families in which something else than a position is looked at, or something is in the way: heat, currents, pressures, rotation, idle nodes,
// short hits, digital control, solvers inside of subsystems.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/verdict/families/family.hpp"

namespace ergon::bench {
namespace {

constexpr int reference_finer = 16;
constexpr double turn = 2.0 * std::numbers::pi;

double whole_steps(double duration_s, double step_s) {
  return step_s * static_cast<double>(std::max(1L, std::lround(duration_s / (step_s * 24.0))) * 24);
}

Block mass_block(const std::string& name, double omega, double damping, double x, double v, double step_s) {
  Block block;
  block.name = name;
  block.outputs = {{"position", "m"}, {"velocity", "m/s"}};
  block.inputs = {{"acceleration", ""}};
  block.A = {0.0, 1.0, -omega * omega, -2.0 * damping * omega};
  block.B = {0.0, 1.0};
  block.x0 = {x, v};
  block.step_s = step_s;
  return block;
}

/// Ṫ = −rate·T + u: a body that exchanges heat with its surroundings.
Block heat_block(const std::string& name, double rate, double T, double step_s) {
  Block block;
  block.name = name;
  block.outputs = {{"temperature", "K"}};
  block.inputs = {{"heating", ""}};
  block.A = {-rate};
  block.B = {1.0};
  block.x0 = {T};
  block.step_s = step_s;
  block.method = Block::Method::euler;
  return block;
}

FamilyCase of_blocks(BlockSystem blocks, std::vector<std::string> outputs, double common_step_s) {
  FamilyCase c;
  c.blocks = std::move(blocks);
  c.outputs = std::move(outputs);
  c.common_step_s = common_step_s;
  return c;
}

// Two bodies exchange heat beside two masses that are right at any of these steps.
FamilyCase heat_beside_masses(Random& r) {
  const double slow = r.log_uniform(0.5, 2.0);
  const double g = r.log_uniform(2.0, 50.0);
  const double H = rounded(r.log_uniform(0.002, 0.6) / g);
  BlockSystem s;
  s.stop_s = whole_steps(std::min(r.uniform(1.0, 3.0) * turn / slow, 3000.0 * H), H);
  s.blocks = {mass_block("left", slow, 0.02, r.uniform(0.5, 1.0), 0.0, H),
              mass_block("right", slow * r.uniform(0.8, 1.2), 0.02, 0.0, 0.0, H),
              heat_block("hot", g, r.uniform(20.0, 100.0), H),
              heat_block("cold", g * r.uniform(0.6, 3.0), r.uniform(-20.0, 0.0), H)};
  const double kc = 0.1 * slow * slow;
  s.links = {{"left.position", "right.acceleration", kc},
             {"right.position", "left.acceleration", kc},
             {"hot.temperature", "cold.heating", 0.6 * g},
             {"cold.temperature", "hot.heating", 0.6 * g}};
  return of_blocks(std::move(s), {"left.position", "right.position", "hot.temperature", "cold.temperature"},
                   H);
}

// Errors of fixed steps inside, with an interface that is right.
FamilyCase solver_inside(Random& r) {
  const double omega = r.log_uniform(2.0, 10.0);
  const double H = rounded(r.log_uniform(0.005, 0.02) / omega);
  BlockSystem s;
  s.stop_s = whole_steps(std::min(r.uniform(1.5, 4.0) * turn / omega, 3000.0 * H), H);
  s.blocks = {mass_block("left", omega, 0.05, r.uniform(0.5, 1.0), 0.0, H),
              mass_block("right", omega * r.uniform(0.7, 1.4), 0.05, 0.0, r.uniform(-1.0, 1.0), H)};
  for (Block& block : s.blocks) {
    block.method = Block::Method::fixed_inner;
    block.inner_step_s = H / r.one_of({1.0, 2.0, 4.0});
  }
  const double kc = 0.2 * omega * omega;
  s.links = {{"left.position", "right.acceleration", kc}, {"right.position", "left.acceleration", kc}};
  return of_blocks(std::move(s), {"left.position", "right.position"}, H);
}

// A controller whose law is sampled: the same period at all steps of the plant.
FamilyCase digital_control(Random& r) {
  const double omega = r.log_uniform(1.0, 5.0);
  const double H = rounded(r.log_uniform(0.002, 0.3) / omega);
  BlockSystem s;
  const int ratio = r.one_of({4, 8, 16});
  Block controller;
  controller.name = "controller";
  controller.outputs = {{"demand", "m/s2"}};
  controller.inputs = {{"position", "m"}, {"velocity", "m/s"}};
  const double sample_s = H * ratio;
  // Stable for these gains while sample·gain is small.
  const double stiffness = r.uniform(0.2, 1.0) * omega * omega;
  const double damping = std::min(r.uniform(0.2, 1.0) * omega, 0.5 / sample_s);
  controller.B = {-stiffness, -damping};
  controller.step_s = sample_s;
  controller.sampled = true;
  Block plant = mass_block("plant", omega, 0.05, r.uniform(0.5, 1.0), 0.0, H);
  plant.method = Block::Method::euler;
  s.blocks = {plant, controller};
  s.links = {{"plant.position", "controller.position"},
             {"plant.velocity", "controller.velocity"},
             {"controller.demand", "plant.acceleration"}};
  const double period_s = sample_s * 24.0;
  s.stop_s = period_s * static_cast<double>(std::max(1L, std::lround(3.0 * turn / omega / period_s)));
  FamilyCase c = of_blocks(std::move(s), {"plant.position", "plant.velocity"}, H);
  c.blocks_finer = reference_finer;
  return c;
}

// Three equal masses, the outer ones moved against each other: the one between is at rest but for round-off.
FamilyCase idle_node(Random& r) {
  Network n;
  const double m = r.log_uniform(0.1, 10.0);
  const double k = r.log_uniform(10.0, 1000.0);
  const double x = r.uniform(0.1, 1.0);
  n.masses = {{m, k, 0.0, 0.0, 0.0, x, 0.0}, {m, k, 0.0, 0.0, 0.0, 0.0, 0.0}, {m, k, 0.0, 0.0, 0.0, -x, 0.0}};
  const double kc = r.log_uniform(10.0, 1000.0);
  n.springs = {{kc, 0.0, 0.0}, {kc, 0.0, 0.0}};
  NetworkSetup s;
  s.H_s = rounded(r.log_uniform(0.004, 0.4) / n.fastest());
  s.steps = std::max(1L, std::lround(r.uniform(2.0, 5.0) * turn / n.slowest() / (s.H_s * 24.0))) * 24;
  s.steps = std::min(s.steps, 2400L);
  s.arrangement = Arrangement::element;
  s.integrator = r.one_of<const char*>({"semi-implicit-euler", "rk4"});
  FamilyCase c;
  c.scenario = scenario_text(n, s);
  // What moves by round-off has no error that would mean something.
  c.outputs = {"m0.position", "m2.position"};
  c.also = {"m1.position"};
  c.common_step_s = s.H_s;
  c.exact = n;
  return c;
}

// Hits of some milliseconds in a long quiet run, between the points of any comparison that has few of them.
FamilyCase short_hits(Random& r) {
  const double omega = r.log_uniform(100.0, 1000.0);
  const double H = rounded(r.log_uniform(0.01, 0.5) / omega);
  const long steps = 24 * 500;
  const double stop_s = H * static_cast<double>(steps);
  const double damping = r.uniform(0.3, 0.8);
  const double t_hit = stop_s * r.uniform(0.2, 0.8);
  const double width = r.uniform(2.0, 6.0) / omega;
  const auto text = [&](bool reference) {
    return fmt::format(
               "[simulation]\nstop_time = {:.10g}\nstep_size = {:.10g}\n"
               "[[subsystem]]\nname = \"hammer\"\nmodel = \"source.table\"\nparameters = {{ times = [0.0, "
               "{:.10g}, "
               "{:.10g}, {:.10g}], values = [0.0, 0.0, 100.0, 0.0], unit = \"N\" }}\n",
               stop_s, reference ? H / reference_finer : H, t_hit, t_hit + 0.5 * width, t_hit + width) +
           fmt::format(
               "[[subsystem]]\nname = \"anvil\"\nmodel = \"oscillator.mass\"\nintegrator = {{ method = "
               "\"{}\" }}\n"
               "parameters = {{ m = 1.0, k = {}, c = {} }}\n[[connection]]\nfrom = \"hammer.value\"\nto = "
               "\"anvil.force\"\n[coupling]\nextrapolation = \"linear\"\n",
               reference ? "rk4" : "semi-implicit-euler", omega * omega, 2.0 * damping * omega);
  };
  FamilyCase c;
  c.scenario = text(false);
  c.reference = text(true);
  c.outputs = {"anvil.position", "anvil.velocity"};
  c.common_step_s = H;
  c.every_point = true;
  return c;
}

// A body that turns freely about its three axes, and goes nowhere.
FamilyCase rotation(Random& r) {
  const double spin = r.log_uniform(1.0, 10.0);
  const double H = rounded(r.log_uniform(0.002, 0.2) / spin);
  const double stop_s = whole_steps(std::min(r.uniform(0.5, 2.0) * turn / spin, 2000.0 * H), H);
  const std::string body = fmt::format(
      "parameters = {{ m = 1.0, J = [{}, {}, {}] }}\ninitial = {{ angular_velocity = [{}, {}, {}] }}\n",
      r.uniform(1.0, 1.3), r.uniform(1.5, 2.0), r.uniform(2.1, 2.5), spin * r.uniform(0.2, 1.0),
      spin * r.uniform(0.2, 1.0), spin * r.uniform(0.2, 1.0));
  const auto text = [&](bool reference) {
    return fmt::format(
        "[simulation]\nstop_time = {:.10g}\nstep_size = {:.10g}\n[[subsystem]]\nname = \"body\"\nmodel = "
        "\"multibody.rigid_body\"\nintegrator = {{ method = \"{}\" }}\n{}",
        stop_s, reference ? H / reference_finer : H, reference ? "rk4" : "semi-implicit-euler", body);
  };
  FamilyCase c;
  c.scenario = text(false);
  c.reference = text(true);
  for (int i = 0; i < 4; ++i) c.outputs.push_back(fmt::format("body.orientation[{}]", i));
  c.common_step_s = H;
  return c;
}

// Currents and voltages of two circuits of resistors and capacitors.
FamilyCase rc_circuits(Random& r) {
  const double R1 = r.log_uniform(0.5, 5.0);
  const double C1 = r.log_uniform(0.01, 0.3);
  const double R2 = r.log_uniform(2.0, 50.0);
  const double C2 = r.log_uniform(0.05, 0.5);
  const double tau = std::min(R1 * C1, R1 * C2);
  const double H = rounded(r.log_uniform(0.004, 0.4) * tau);
  const double stop_s =
      whole_steps(std::min(r.uniform(3.0, 8.0) * std::max(R1 * C1, R2 * C2), 2000.0 * H), H);
  const double u1 = r.uniform(-5.0, 5.0);
  const double u2 = r.uniform(5.0, 10.0);
  const std::string integrator = r.one_of<const char*>({"explicit-euler", "rk4"});
  const std::string feedthrough = r.one_of<const char*>({"stale", "refresh"});
  const auto text = [&](bool reference) {
    return fmt::format("[simulation]\nstop_time = {:.10g}\nstep_size = {:.10g}\n", stop_s,
                       reference ? H / reference_finer : H) +
           fmt::format(
               "[[subsystem]]\nname = \"line\"\nmodel = \"electric.rc_series\"\nintegrator = {{ method = "
               "\"{0}\" "
               "}}\nparameters = {{ R = {1}, C = {2} }}\ninitial = {{ capacitor_voltage = {3} }}\n"
               "[[subsystem]]\nname = \"load\"\nmodel = \"electric.rc_parallel\"\nintegrator = {{ method = "
               "\"{0}\" }}\nparameters = {{ R = {4}, C = {5} }}\ninitial = {{ voltage = {6} }}\n",
               reference ? "rk4" : integrator, R1, C1, u1, R2, C2, u2) +
           fmt::format(
               "[[bond]]\nname = \"terminals\"\na = {{ effort = \"load.voltage\", flow = \"load.current\" "
               "}}\n"
               "b = {{ effort = \"line.voltage\", flow = \"line.current\" }}\nfeedthrough = \"{}\"\n"
               "[coupling]\nextrapolation = \"{}\"\n",
               reference ? "refresh" : feedthrough, reference ? "linear" : "hold");
  };
  FamilyCase c;
  c.scenario = text(false);
  c.reference = text(true);
  c.outputs = {"line.capacitor_voltage", "line.current", "load.voltage"};
  c.common_step_s = H;
  return c;
}

// The same circuits as in `circuits`, but the currents are looked at; and pressures of a lift.
FamilyCase currents(Random& r) {
  for (const Family& family : more_families()) {
    if (family.name != "circuits") continue;
    FamilyCase c = family.make(r);
    c.outputs = {"line.current", "load.voltage", "line.charge"};
    return c;
  }
  return {};
}

FamilyCase pressures(Random& r) {
  for (const Family& family : more_families()) {
    if (family.name != "hydraulics") continue;
    FamilyCase c = family.make(r);
    c.outputs = {"load.position", "cylinder.pressure_1", "cylinder.pressure_2"};
    return c;
  }
  return {};
}

// A receiver that samples a fast oscillation near a multiple of its period, or often enough.
FamilyCase fast_sender(Random& r) {
  const double omega = r.log_uniform(20.0, 200.0);
  const double period_s = turn / omega;
  const double h = rounded(period_s / r.uniform(40.0, 80.0));
  const bool is_aliased = r.sign() > 0.0;
  const double wanted = is_aliased ? period_s * r.one_of({1.0, 2.0, 3.0}) * r.uniform(0.96, 1.04)
                                   : period_s * r.log_uniform(0.05, 0.3);
  const double ratio = 2.0 * std::max(1.0, std::round(0.5 * wanted / h));
  BlockSystem s;
  Block receiver;
  receiver.name = "receiver";
  receiver.outputs = {{"level", "m"}};
  receiver.inputs = {{"rate", ""}};
  const double lag = r.uniform(1.0, 5.0) * period_s;
  receiver.A = {-1.0 / lag};
  receiver.B = {1.0 / lag};
  receiver.x0 = {0.0};
  receiver.step_s = h * ratio;
  s.blocks = {mass_block("sender", omega, 0.0, r.uniform(-1.0, 1.0), omega * r.uniform(-1.0, 1.0), h),
              receiver};
  s.links = {{"sender.position", "receiver.rate"}};
  s.stop_s = receiver.step_s * 24.0 *
             std::max(1.0, std::round(r.uniform(20.0, 40.0) * period_s / receiver.step_s / 24.0));
  return of_blocks(std::move(s), {"sender.position", "receiver.level"}, receiver.step_s);
}

// Errors of order one and two with opposite signs, aH + bH²: they cancel in the difference to twice the step size where a = −3bH, and to
// half of it where a = −3/2 bH.
FamilyCase cancelling_orders(Random& r) {
  const double omega = r.log_uniform(1.0, 20.0);
  const double H = rounded(r.log_uniform(0.01, 0.1) / omega);
  BlockSystem s;
  s.stop_s = whole_steps(std::min(r.uniform(3.0, 10.0) * turn / omega, 3000.0 * H), H);
  s.blocks = {mass_block("left", omega, 0.0, r.uniform(0.5, 1.0), 0.0, H),
              mass_block("right", omega * r.uniform(0.7, 1.4), 0.0, 0.0, r.uniform(-1.0, 1.0), H)};
  // Of a period, at the end: what is off by a clock that is wrong.
  const double wanted = r.log_uniform(0.002, 0.4) / (omega * s.stop_s);
  const double ratio = r.one_of({r.log_uniform(0.4, 0.8), r.log_uniform(1.2, 6.0)});
  for (Block& block : s.blocks) {
    block.second_order_per_s2 = wanted / (H * H) / std::abs(ratio - 1.0);
    block.first_order_per_s = -ratio * block.second_order_per_s2 * H;
  }
  return of_blocks(std::move(s), {"left.position", "right.position"}, H);
}

// A stiff sensor that starts beside what it reads, by the trapezoidal rule: it swings about its value from step to step, and is as wrong at
// every second step at any step size. Sensors that are not stiff, or start where they belong, are right.
FamilyCase odd_even(Random& r) {
  const double omega = r.log_uniform(1.0, 20.0);
  const double H = rounded(r.log_uniform(0.01, 0.1) / omega);
  const double rate = r.log_uniform(0.1, 1e6) / H;
  BlockSystem s;
  s.stop_s = whole_steps(std::min(r.uniform(1.5, 4.0) * turn / omega, 2000.0 * H), H);
  const double x = r.uniform(0.5, 1.0);
  Block sensor;
  sensor.name = "sensor";
  sensor.outputs = {{"reading", "m"}};
  sensor.inputs = {{"position", ""}};
  sensor.A = {-rate};
  sensor.B = {rate};
  sensor.x0 = {x + r.sign() * x * r.one_of({0.0, r.log_uniform(0.005, 1.0)})};
  sensor.step_s = H;
  sensor.method = Block::Method::trapezoid;
  s.blocks = {mass_block("mass", omega, 0.0, x, 0.0, H), sensor};
  s.links = {{"mass.position", "sensor.position"}};
  return of_blocks(std::move(s), {"mass.position", "sensor.reading"}, H);
}

}  // namespace

std::vector<Family> other_quantities() {
  return {{"fast sender", fast_sender, FamilyKind::misleading},
          {"heat beside masses", heat_beside_masses, FamilyKind::misleading},
          {"solver inside", solver_inside, FamilyKind::solver_inside},
          {"digital control", digital_control, FamilyKind::misleading},
          {"idle node", idle_node, FamilyKind::misleading},
          {"short hits", short_hits, FamilyKind::misleading},
          {"rotation", rotation, FamilyKind::misleading},
          {"cancelling orders", cancelling_orders, FamilyKind::misleading},
          {"odd-even", odd_even, FamilyKind::misleading},
          {"rc circuits", rc_circuits, FamilyKind::ordinary},
          {"currents", currents, FamilyKind::ordinary},
          {"pressures", pressures, FamilyKind::ordinary}};
}

}  // namespace ergon::bench
