// Families whose reference is a much finer run: circuits, joints, cables, hydraulics, springs that are not linear.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "benchmarks/verdict/families/family.hpp"

namespace ergon::bench {
namespace {

/// The step of a reference is so much smaller than that of the run, its coupling extrapolates linearly, and its integrators are
/// those of order four where there are any.
constexpr int finer = 16;

struct Steps {
  double H_s;
  long count;
};
Steps steps(double wanted_s, double duration_s, long most) {
  const double H = rounded(std::max(wanted_s, duration_s / static_cast<double>(most)));
  return {H, std::max(2L, std::lround(duration_s / (2.0 * H)) * 2)};
}

std::string simulation_table(const Steps& s, bool reference) {
  return fmt::format("[simulation]\nstop_time = {:.10g}\nstep_size = {:.10g}\n",
                     s.H_s * static_cast<double>(s.count), reference ? s.H_s / finer : s.H_s);
}

FamilyCase circuits(Random& r) {
  const double R1 = r.log_uniform(0.1, 5.0);
  const double L1 = r.log_uniform(0.05, 1.0);
  const double C1 = r.log_uniform(0.01, 0.3);
  const double R2 = r.log_uniform(2.0, 50.0);
  const double L2 = r.log_uniform(0.1, 2.0);
  const double C2 = r.log_uniform(0.01, 0.3);
  const double u1 = r.uniform(-5.0, 5.0);
  const double u2 = r.uniform(-5.0, 5.0);
  const double omega = r.log_uniform(1.0, 15.0);
  const double fast = std::sqrt(1.0 / (L1 * std::min(C1, C2)));
  const Steps s =
      steps(r.log_uniform(0.004, 0.5) / fast, 2.0 * std::numbers::pi * r.uniform(2.0, 5.0) / omega, 1500);
  const std::string feedthrough = r.one_of<const char*>({"stale", "refresh"});
  const std::string integrator = r.one_of<const char*>({"semi-implicit-euler", "rk4"});
  const auto text = [&](bool reference) {
    return simulation_table(s, reference) +
           fmt::format(
               "[[subsystem]]\nname = \"wave\"\nmodel = \"source.sine\"\nparameters = {{ amplitude = 10.0, "
               "frequency_Hz = {}, unit = \"V\" }}\n"
               "[[subsystem]]\nname = \"line\"\nmodel = \"electric.rlc_series\"\nintegrator = {{ method = "
               "\"{}\" }}\nparameters = {{ R = {}, L = {}, C = {} }}\ninitial = {{ capacitor_voltage = {} "
               "}}\n",
               omega / (2.0 * std::numbers::pi), reference ? "rk4" : integrator, R1, L1, C1, u1) +
           fmt::format(
               "[[subsystem]]\nname = \"load\"\nmodel = \"electric.rlc_parallel\"\nintegrator = {{ method = "
               "\"{}\" }}\nparameters = {{ R = {}, L = {}, C = {} }}\ninitial = {{ voltage = {} }}\n"
               "[[connection]]\nfrom = \"wave.value\"\nto = \"line.external_voltage\"\n"
               "[[bond]]\nname = \"terminals\"\na = {{ effort = \"load.voltage\", flow = \"load.current\" "
               "}}\n"
               "b = {{ effort = \"line.voltage\", flow = \"line.current\" }}\nfeedthrough = \"{}\"\n"
               "[coupling]\nextrapolation = \"{}\"\n",
               reference ? "rk4" : integrator, R2, L2, C2, u2, reference ? "refresh" : feedthrough,
               reference ? "linear" : "hold");
  };
  FamilyCase c;
  c.scenario = text(false);
  c.reference = text(true);
  c.outputs = {"line.capacitor_voltage", "load.voltage"};
  c.common_step_s = s.H_s;
  return c;
}

FamilyCase nonlinear(Random& r) {
  const double m1 = r.log_uniform(0.2, 5.0);
  const double m2 = r.log_uniform(0.2, 5.0);
  const double k1 = r.log_uniform(10.0, 500.0);
  const double kc = r.log_uniform(10.0, 500.0);
  const double k2 = r.log_uniform(10.0, 500.0);
  const double v = r.log_uniform(1.0, 30.0);
  const double d = r.log_uniform(1e-4, 0.05);
  const double fast = std::sqrt((kc + std::max(k1, k2)) / std::min(m1, m2));
  const Steps s =
      steps(r.log_uniform(0.004, 0.4) / fast, 2.0 * std::numbers::pi * r.uniform(5.0, 15.0) / fast, 1500);
  const std::string feedthrough = r.one_of<const char*>({"stale", "refresh", "predict"});
  const std::string integrator = r.one_of<const char*>({"semi-implicit-euler", "rk4"});
  const auto text = [&](bool reference) {
    return simulation_table(s, reference) +
           fmt::format(
               "[[subsystem]]\nname = \"left\"\nmodel = \"oscillator.force_output\"\nintegrator = {{ method "
               "= "
               "\"{}\" }}\nparameters = {{ m = {}, k = {}, kc = {}, c = {}, damper = \"quadratic\" }}\n"
               "initial = {{ v = {} }}\n",
               reference ? "rk4" : integrator, m1, k1, kc, d, v) +
           fmt::format(
               "[[subsystem]]\nname = \"right\"\nmodel = \"oscillator.mass\"\nintegrator = {{ method = "
               "\"{}\" "
               "}}\nparameters = {{ m = {}, k = {}, spring = \"square-root\" }}\ninitial = {{ x = 0.5 }}\n"
               "[[bond]]\nname = \"coupling\"\n"
               "a = {{ effort = \"left.force\", flow = \"left.velocity_in\", displacement = "
               "\"left.position_in\" }}\n"
               "b = {{ effort = \"right.force\", flow = \"right.velocity\", displacement = "
               "\"right.position\" }}\n"
               "feedthrough = \"{}\"\n[coupling]\nextrapolation = \"{}\"\n",
               reference ? "rk4" : integrator, m2, k2, reference ? "refresh" : feedthrough,
               reference ? "linear" : "hold");
  };
  FamilyCase c;
  c.scenario = text(false);
  c.reference = text(true);
  c.outputs = {"left.position", "right.position"};
  c.common_step_s = s.H_s;
  return c;
}

FamilyCase joints(Random& r) {
  const double phi1 = r.uniform(-1.2, 1.2);
  const double phi2 = r.uniform(-1.2, 1.2);
  const double stiffness = r.log_uniform(1e3, 1e5);
  const double damping = stiffness * r.log_uniform(1e-4, 1e-3);
  const double fast = std::sqrt(stiffness / 0.25);
  const Steps s = steps(r.log_uniform(0.02, 0.5) / fast, r.uniform(0.5, 1.5), 1500);
  const std::string integrator = r.one_of<const char*>({"rk4", "semi-implicit-euler"});
  const auto text = [&](bool reference) {
    const char* method = reference ? "rk4" : integrator.c_str();
    return simulation_table(s, reference) +
           fmt::format(
               "[[subsystem]]\nname = \"upper\"\nmodel = \"multibody.planar_link\"\nintegrator = {{ method = "
               "\"{}\" }}\nparameters = {{ m = 1.0, J = 0.0833, length = 1.0, pinned = true, gravity = [0.0, "
               "-9.81] }}\ninitial = {{ phi = {} }}\n",
               method, phi1 - std::numbers::pi / 2.0) +
           fmt::format(
               "[[subsystem]]\nname = \"lower\"\nmodel = \"multibody.planar_link\"\nintegrator = {{ method = "
               "\"{}\" }}\nparameters = {{ m = 1.0, J = 0.0833, length = 1.0, gravity = [0.0, -9.81] }}\n"
               "initial = {{ phi = {}, position = [{}, {}] }}\n",
               method, phi2 - std::numbers::pi / 2.0, std::sin(phi1) + 0.5 * std::sin(phi2),
               -std::cos(phi1) - 0.5 * std::cos(phi2)) +
           fmt::format(
               "[[element]]\nname = \"elbow\"\njoint = \"revolute\"\ni = \"upper.end\"\nj = \"lower.start\"\n"
               "stiffness = {}\ndamping = {}\n[coupling]\nextrapolation = \"{}\"\n",
               stiffness, damping, reference ? "linear" : "hold");
  };
  FamilyCase c;
  c.scenario = text(false);
  c.reference = text(true);
  c.outputs = {"upper.angle", "lower.angle"};
  c.common_step_s = s.H_s;
  return c;
}

FamilyCase hydraulics(Random& r) {
  const double mass = r.log_uniform(200.0, 1000.0);
  const double frequency = r.uniform(0.5, 2.0);
  const double amplitude = r.uniform(0.05, 0.2);
  const Steps s = steps(r.log_uniform(1e-4, 5e-3), r.uniform(1.0, 2.0), 1500);
  const auto text = [&](bool reference) {
    const double H = reference ? s.H_s / finer : s.H_s;
    return simulation_table(s, reference) +
           fmt::format(
               "[[subsystem]]\nname = \"load\"\nmodel = \"oscillator.mass\"\nparameters = {{ m = {} }}\n"
               "initial = {{ x = 0.5, external_force = {} }}\n"
               "[[subsystem]]\nname = \"cylinder\"\nmodel = \"hydraulics.cylinder\"\nintegrator = {{ method "
               "= "
               "\"rk4\", step = {:.10g} }}\nparameters = {{ length = 0.6, s0 = 0.5, area_1 = 30e-4, area_2 = "
               "50e-4, friction = 2e4, valve_area = 5e-5, pump_pressure = 7e6 }}\ninitial = {{ p1 = 3e6, p2 "
               "= "
               "3e6 }}\n",
               mass, -9.81 * mass, H / 8.0) +
           fmt::format(
               "[[subsystem]]\nname = \"spool\"\nmodel = \"source.sine_burst\"\nparameters = {{ amplitude = "
               "{}, "
               "frequency_Hz = {}, rise_s = 0.2, end_s = 3.0, fall_s = 0.5 }}\ninitial = {{ mean = 0.5 }}\n"
               "[[bond]]\nname = \"piston\"\na = {{ effort = \"cylinder.force\", flow = "
               "\"cylinder.velocity_in\", displacement = \"cylinder.position_in\" }}\nb = {{ effort = "
               "\"load.force\", flow = \"load.velocity\", displacement = \"load.position\" }}\n"
               "[[connection]]\nfrom = \"spool.value\"\nto = \"cylinder.spool\"\n"
               "[coupling]\nextrapolation = \"{}\"\n[initialization]\nmode = \"static\"\nfree = "
               "[\"cylinder.p1\", "
               "\"cylinder.p2\", \"spool.mean\"]\nhold = [\"load.x\"]\n",
               amplitude, frequency, reference ? "linear" : "hold");
  };
  FamilyCase c;
  c.scenario = text(false);
  c.reference = text(true);
  c.outputs = {"load.position"};
  c.common_step_s = s.H_s;
  return c;
}

FamilyCase cable(Random& r) {
  const double mass = r.log_uniform(5.0, 100.0);
  const double v = r.uniform(-1.0, 1.0);
  const double w = r.uniform(-1.0, 1.0);
  const Steps s = steps(r.log_uniform(2e-4, 4e-3), r.uniform(0.6, 1.2), 1200);
  const auto text = [&](bool reference) {
    const double H = reference ? s.H_s / finer : s.H_s;
    return simulation_table(s, reference) +
           fmt::format(
               "[[subsystem]]\nname = \"body\"\nmodel = \"multibody.rigid_body\"\nparameters = {{ m = {}, J "
               "= "
               "[2.0, 2.0, 2.0], gravity = [0.0, -9.81, 0.0] }}\ninitial = {{ velocity = [0.0, {}, {}] }}\n"
               "[[subsystem]]\nname = \"cable\"\nmodel = \"cable.ancf\"\nparameters = {{ a = [0.0, 0.0, "
               "0.0], b "
               "= [6.0, 0.0, 0.0], radius = 0.01, density = 2000.0, E = 2e7, elements = 2 }}\nintegrator = "
               "{{ "
               "method = \"semi-implicit-euler\", step = {:.10g} }}\n",
               mass, v, w, H / 4.0) +
           fmt::format(
               "[[bond]]\nname = \"hook\"\na = {{ effort = \"cable.a_force\", displacement = "
               "\"cable.a_position\" }}\nb = {{ effort = \"body.force\", flow = \"body.velocity\", "
               "displacement = \"body.position\" }}\nextrapolation = \"{}\"\n",
               reference ? "linear" : "hold");
  };
  FamilyCase c;
  c.scenario = text(false);
  c.reference = text(true);
  c.outputs = {"body.position[0]", "body.position[1]", "body.position[2]"};
  c.common_step_s = s.H_s;
  return c;
}

}  // namespace

std::vector<Family> more_families() {
  return {{"circuits", circuits},
          {"springs not linear", nonlinear},
          {"joints", joints},
          {"hydraulics", hydraulics},
          {"cable", cable}};
}

}  // namespace ergon::bench
