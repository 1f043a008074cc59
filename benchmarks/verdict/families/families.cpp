#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/verdict/families/family.hpp"

namespace ergon::bench {
namespace {

/// Two masses as in benchmarks/verdict: m in 0.1 … 10 kg, k in 10 … 1000 N/m.
Network two_masses(Random& r) {
  Network n;
  for (int i = 0; i < 2; ++i) {
    Network::Mass m;
    m.m = r.log_uniform(0.1, 10.0);
    m.k = r.log_uniform(10.0, 1000.0);
    m.x = r.uniform(-1.0, 1.0);
    m.v = r.sign() * r.log_uniform(0.3, 10.0);
    n.masses.push_back(m);
  }
  n.springs.push_back({r.log_uniform(10.0, 1000.0), 0.0, 0.0});
  return n;
}

Network three_masses(Random& r) {
  Network n = two_masses(r);
  Network::Mass m;
  m.m = r.log_uniform(0.1, 10.0);
  m.k = r.log_uniform(10.0, 1000.0);
  m.v = r.sign() * r.log_uniform(0.3, 10.0);
  n.masses.push_back(m);
  n.springs.push_back({r.log_uniform(10.0, 1000.0), 0.0, 0.0});
  return n;
}

void damp(Network& n, Random& r, double least, double most) {
  for (Network::Mass& m : n.masses)
    m.c = r.log_uniform(least, most) * 2.0 * std::sqrt(std::max(m.k, 1.0) * m.m);
  for (Network::Spring& s : n.springs)
    s.c = r.log_uniform(least, most) * 2.0 * std::sqrt(s.k * n.masses[0].m);
}

constexpr long most_steps = 2000;

/// Steps that are a part `angle` of the fastest motion, for some periods of the slowest.
NetworkSetup setup(const Network& n, Random& r, double periods_least = 1.5, double periods_most = 5.0,
                   double angle_least = 0.004, double angle_most = 0.5) {
  NetworkSetup s;
  const double duration = 2.0 * std::numbers::pi * r.uniform(periods_least, periods_most) / n.slowest();
  const double H = std::max(r.log_uniform(angle_least, angle_most) / n.fastest(),
                            duration / static_cast<double>(most_steps));
  s.H_s = rounded(H);
  // Whole numbers of the steps of all companions and of all rates.
  constexpr long common = 24;
  s.steps = std::max(1L, std::lround(duration / (s.H_s * common))) * common;
  return s;
}

void any_coupling(NetworkSetup& s, Random& r) {
  s.feedthrough = r.one_of<const char*>({"stale", "refresh", "predict"});
  s.extrapolation = r.one_of<const char*>({"hold", "hold", "linear"});
  s.integrator = r.one_of<const char*>({"semi-implicit-euler", "rk4"});
}

FamilyCase with_exact(const Network& n, const NetworkSetup& s, bool between = false) {
  FamilyCase c;
  c.scenario = scenario_text(n, s);
  for (std::size_t i = 0; i < n.masses.size(); ++i) c.outputs.push_back(fmt::format("m{}.position", i));
  int longest = 1;
  for (const int ratio : s.step_ratio) longest = std::max(longest, ratio);
  if (!s.step_ratio.empty()) longest = 6;  // ratios are 1, 2, 3
  c.common_step_s = s.step_control.empty() ? s.H_s * longest : 0.0;
  c.exact = n;
  c.between = between;
  return c;
}

FamilyCase plain_family(Random& r, const char* feedthrough, const char* integrator) {
  const Network n = two_masses(r);
  NetworkSetup s = setup(n, r);
  s.feedthrough = feedthrough;
  s.integrator = integrator;
  return with_exact(n, s);
}

FamilyCase damped(Random& r) {
  Network n = two_masses(r);
  damp(n, r, 0.005, 0.2);
  NetworkSetup s = setup(n, r, 2.0, 8.0);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase driven(Random& r) {
  Network n = two_masses(r);
  damp(n, r, 0.01, 0.2);
  for (Network::Mass& m : n.masses) m.x = m.v = 0.0;
  n.drive = {r.log_uniform(1.0, 100.0), n.slowest() * r.log_uniform(0.2, 3.0), r.uniform(0.0, 6.0)};
  NetworkSetup s = setup(n, r, 3.0, 8.0);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase mass_ratio(Random& r) {
  Network n = two_masses(r);
  n.masses[1].m = n.masses[0].m * r.log_uniform(1e3, 1e6);
  n.masses[1].k = n.masses[1].m * r.log_uniform(10.0, 400.0);
  if (r.sign() > 0.0) std::swap(n.masses[0], n.masses[1]);
  NetworkSetup s = setup(n, r);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase preloaded(Random& r) {
  Network n = two_masses(r);
  // Springs that push against each other with far more than the motion needs.
  const double preload_N = r.log_uniform(1e2, 1e5);
  n.masses[0].rest = preload_N / n.masses[0].k;
  n.springs[0].rest = -preload_N / n.springs[0].k;
  n.masses[1].rest = -preload_N / n.masses[1].k;
  NetworkSetup s = setup(n, r);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase hanging(Random& r) {
  Network n = two_masses(r);
  // Weights, at their deflection, at some height.
  const double height = r.uniform(-10.0, 10.0);
  for (Network::Mass& m : n.masses) {
    m.force_N = -9.81 * m.m;
    m.rest = height + 9.81 * m.m / m.k;
    m.x = height + r.uniform(-0.1, 0.1);
    m.v = r.uniform(-0.3, 0.3);
  }
  NetworkSetup s = setup(n, r);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase long_run(Random& r) {
  Network n = two_masses(r);
  if (r.sign() > 0.0) damp(n, r, 1e-4, 1e-3);
  NetworkSetup s = setup(n, r, 15.0, 40.0, 0.03, 0.5);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase negative_damping(Random& r) {
  Network n = two_masses(r);
  damp(n, r, 0.005, 0.05);
  n.masses[r.sign() > 0.0 ? 0 : 1].c *= -1.0;
  NetworkSetup s = setup(n, r, 2.0, 6.0);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase sampled_source(Random& r) {
  Network n = two_masses(r);
  damp(n, r, 0.02, 0.3);
  for (Network::Mass& m : n.masses) m.x = m.v = 0.0;
  n.drive = {r.log_uniform(1.0, 100.0), n.slowest() * r.log_uniform(0.3, 3.0), r.uniform(0.0, 6.0)};
  NetworkSetup s = setup(n, r, 3.0, 8.0, 0.004, 0.1);
  s.feedthrough = "refresh";
  const double wanted = 2.0 * std::numbers::pi / n.drive.omega / r.log_uniform(0.7, 200.0);
  s.drive_step_s = s.H_s * std::max(1.0, std::min(std::round(wanted / s.H_s), 200.0));
  return with_exact(n, s);
}

FamilyCase plain_feedback(Random& r) {
  Network n = two_masses(r);
  damp(n, r, 0.005, 0.1);
  NetworkSetup s = setup(n, r);
  s.arrangement = Arrangement::plain;
  s.integrator = r.one_of<const char*>({"semi-implicit-euler", "rk4", "explicit-euler"});
  s.extrapolation = r.one_of<const char*>({"hold", "linear"});
  return with_exact(n, s);
}

FamilyCase partly_bonded(Random& r) {
  Network n = three_masses(r);
  damp(n, r, 0.002, 0.05);
  NetworkSetup s = setup(n, r);
  s.arrangement = Arrangement::partly_bonded;
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase corrected(Random& r) {
  Network n = two_masses(r);
  if (r.sign() > 0.0) damp(n, r, 0.002, 0.02);
  NetworkSetup s = setup(n, r);
  s.correction = r.one_of<const char*>({"{ method = \"energy-leak\" }", "{ method = \"passivity\" }",
                                        "{ method = \"residual-power\" }", "{ method = \"nepce\" }"});
  s.feedthrough = "stale";
  return with_exact(n, s);
}

FamilyCase implicit(Random& r) {
  Network n = two_masses(r);
  if (r.sign() > 0.0) damp(n, r, 0.005, 0.1);
  NetworkSetup s = setup(n, r);
  s.steps = std::min(s.steps, 600L);
  s.scheme = r.one_of<const char*>({"semi-implicit", "implicit"});
  s.integrator = r.one_of<const char*>({"semi-implicit-euler", "rk4", "newmark"});
  s.feedthrough = "";
  return with_exact(n, s);
}

FamilyCase gauss_seidel(Random& r) {
  Network n = two_masses(r);
  if (r.sign() > 0.0) damp(n, r, 0.005, 0.05);
  NetworkSetup s = setup(n, r);
  any_coupling(s, r);
  s.scheme = "gauss-seidel";
  return with_exact(n, s);
}

FamilyCase multi_rate(Random& r) {
  Network n = three_masses(r);
  NetworkSetup s = setup(n, r, 1.5, 5.0, 0.004, 0.3);
  any_coupling(s, r);
  s.step_ratio = {r.one_of({1, 2, 3}), r.one_of({1, 2, 3}), r.one_of({1, 2, 3})};
  return with_exact(n, s);
}

FamilyCase chain(Random& r) {
  Network n = three_masses(r);
  if (r.sign() > 0.0) damp(n, r, 0.002, 0.05);
  NetworkSetup s = setup(n, r);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase elements(Random& r) {
  Network n = r.sign() > 0.0 ? two_masses(r) : three_masses(r);
  if (r.sign() > 0.0) damp(n, r, 0.005, 0.1);
  NetworkSetup s = setup(n, r);
  s.arrangement = Arrangement::element;
  s.integrator = r.one_of<const char*>({"semi-implicit-euler", "rk4", "explicit-euler"});
  s.extrapolation = r.one_of<const char*>({"hold", "linear"});
  return with_exact(n, s);
}

FamilyCase elements_at_receiver(Random& r) {
  Network n = two_masses(r);
  if (r.sign() > 0.0) damp(n, r, 0.005, 0.05);
  NetworkSetup s = setup(n, r);
  s.arrangement = Arrangement::element_at_receiver;
  s.integrator = r.one_of<const char*>({"semi-implicit-euler", "rk4", "explicit-euler"});
  return with_exact(n, s);
}

FamilyCase overdamped(Random& r) {
  Network n = two_masses(r);
  damp(n, r, 1.5, 6.0);
  for (Network::Mass& m : n.masses) m.v = 0.0;
  NetworkSetup s = setup(n, r, 1.0, 3.0, 0.002, 0.08);
  any_coupling(s, r);
  return with_exact(n, s);
}

FamilyCase travelling(Random& r) {
  Network n = two_masses(r);
  const double speed = r.sign() * r.log_uniform(3.0, 100.0);
  for (Network::Mass& m : n.masses) {
    m.k = 0.0;
    m.v = 0.3 * m.v + speed;
  }
  NetworkSetup s = setup(n, r, 2.0, 5.0);
  any_coupling(s, r);
  return with_exact(n, s, true);
}

FamilyCase controlled(Random& r) {
  Network n = two_masses(r);
  if (r.sign() > 0.0) damp(n, r, 0.005, 0.1);
  NetworkSetup s = setup(n, r, 1.5, 4.0, 0.02, 0.1);
  s.integrator = "rk4";
  const std::string method = r.one_of<const char*>({"interface-power", "richardson", "milne"});
  s.step_control = fmt::format("method = \"{}\"\nrtol = {:.3g}\nmax_step = {:.10g}", method,
                               r.log_uniform(1e-4, 0.1), 20.0 * s.H_s);
  s.feedthrough = method == "interface-power" ? "predict" : "";
  if (method == "milne") s.scheme = "semi-implicit";
  return with_exact(n, s);
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> list = {
        {"stale", [](Random& r) { return plain_family(r, "stale", "semi-implicit-euler"); }},
        {"refreshed", [](Random& r) { return plain_family(r, "refresh", "semi-implicit-euler"); }},
        {"accurate inside", [](Random& r) { return plain_family(r, "stale", "rk4"); }},
        {"damped", damped},
        {"driven", driven},
        {"mass ratio", mass_ratio},
        {"preloaded", preloaded},
        {"hanging", hanging},
        {"long", long_run},
        {"negative damping", negative_damping},
        {"sampled source", sampled_source},
        {"plain feedback", plain_feedback},
        {"partly bonded", partly_bonded},
        {"corrected", corrected},
        {"implicit", implicit},
        {"gauss-seidel", gauss_seidel},
        {"multi-rate", multi_rate},
        {"chain", chain},
        {"elements", elements},
        {"elements at receiver", elements_at_receiver},
        {"overdamped", overdamped},
        {"travelling", travelling},
        {"step control", controlled},
    };
    for (Family& family : more_families()) list.push_back(std::move(family));
    for (Family& family : other_quantities()) list.push_back(std::move(family));
    return list;
  }();
  return all;
}

}  // namespace ergon::bench
