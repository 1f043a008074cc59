#include "benchmarks/rodriguez2022/residual_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "benchmarks/reference/linear_solution.hpp"
#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

/// One line of Tables 1 to 3: of the masses that push, of their couplings, of the mass that is pushed.
struct TableLine {
  double m1, mn;      // kg
  double k1, kc, kn;  // N/m
  double c;           // N s/m, of all dampers
};

MassChain::Parameters star(std::size_t n, const TableLine& line) {
  MassChain::Parameters p;
  p.topology = MassChain::Topology::star;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    p.mass_kg.push_back(line.m1);
    p.ground_spring.push_back({line.k1});
    p.ground_damper.push_back({line.c});
    p.coupling_spring.push_back({line.kc});
    p.coupling_damper.push_back({line.c});
  }
  p.mass_kg.push_back(line.mn);
  p.ground_spring.push_back({line.kn});
  p.ground_damper.push_back({line.c});
  return p;
}

double start_velocity(std::size_t mass, std::size_t n) {
  return mass + 1 < n ? ResidualProblem::start_speed_m_s : -ResidualProblem::start_speed_m_s;
}

const char* name_of(SpringLaw law) {
  return law == SpringLaw::linear ? "linear" : "square-root";
}
const char* name_of(DamperLaw law) {
  return law == DamperLaw::linear ? "linear" : "quadratic";
}

std::size_t macro_steps() {
  return static_cast<std::size_t>(std::lround(ResidualProblem::duration_s / ResidualProblem::macro_step_s));
}

}  // namespace

bool ResidualProblem::is_linear() const {
  return masses.ground_spring.front().law == SpringLaw::linear &&
         masses.ground_damper.front().law == DamperLaw::linear;
}

std::vector<std::string> ResidualProblem::overrides() const {
  std::vector<std::string> set;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto put = [&](const char* key, const auto& value) {
      set.push_back(fmt::format("m{}.{}={}", i + 1, key, value));
    };
    put("m", masses.mass_kg[i]);
    put("k", masses.ground_spring[i].stiffness);
    put("c", masses.ground_damper[i].coefficient);
    put("spring", name_of(masses.ground_spring[i].law));
    put("damper", name_of(masses.ground_damper[i].law));
    put("v", start_velocity(i, size()));
    if (i + 1 == size()) break;
    put("kc", masses.coupling_spring[i].stiffness);
    put("cc", masses.coupling_damper[i].coefficient);
    put("coupling_spring", name_of(masses.coupling_spring[i].law));
    put("coupling_damper", name_of(masses.coupling_damper[i].law));
  }
  return set;
}

ResidualProblem double_oscillator(int number) {
  constexpr std::array<TableLine, 8> table = {{
      {1.0, 1.0, 10.0, 100.0, 1000.0, 0.0},   //
      {1.0, 1.0, 10.0, 100.0, 1000.0, 0.1},   //
      {1.0, 1.0, 10.0, 1000.0, 100.0, 0.0},   //
      {1.0, 1.0, 10.0, 1000.0, 100.0, 0.1},   //
      {1.0, 1.0, 1000.0, 100.0, 10.0, 0.0},   //
      {1.0, 1.0, 1000.0, 100.0, 10.0, 0.1},   //
      {10.0, 1.0, 10.0, 100.0, 1000.0, 0.0},  //
      {1.0, 10.0, 10.0, 100.0, 1000.0, 0.0},
  }};
  return {number, star(2, table.at(static_cast<std::size_t>(number - 1)))};
}

ResidualProblem multiple_oscillator(int number) {
  if (number < 1 || number > 4) throw std::out_of_range("Table 2 has four cases");
  const TableLine line = {1.0, 1.0, 10.0, 100.0, 1000.0, number % 2 == 0 ? 0.1 : 0.0};
  return {number, star(number <= 2 ? 3 : 5, line)};
}

ResidualProblem nonlinear_oscillator(int number) {
  if (number != 1 && number != 2) throw std::out_of_range("Table 3 has two cases");
  ResidualProblem problem = {number, star(2, {1.0, 1.0, 10.0, 100.0, 1000.0, number == 1 ? 0.0 : 0.001})};
  MassChain::Parameters& p = problem.masses;
  if (number == 1) {
    for (Spring& spring : p.ground_spring) spring.law = SpringLaw::square_root;
    for (Spring& spring : p.coupling_spring) spring.law = SpringLaw::square_root;
  } else {
    for (Damper& damper : p.ground_damper) damper.law = DamperLaw::quadratic;
    for (Damper& damper : p.coupling_damper) damper.law = DamperLaw::quadratic;
  }
  return problem;
}

ReferenceMotion analytic_motion(const ResidualProblem& problem) {
  const std::size_t n = problem.size();
  std::vector<double> z(2 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) z[n + i] = start_velocity(i, n);
  const numerics::LinearSolution solution(linear_system_matrix(problem.masses), z);
  const MassChain masses(problem.masses);
  ReferenceMotion motion{n, {}, {}, {}};
  for (std::size_t j = 0; j <= macro_steps(); ++j) {
    solution.at(static_cast<double>(j) * ResidualProblem::macro_step_s, z);
    motion.x_m.insert(motion.x_m.end(), z.begin(), z.begin() + static_cast<std::ptrdiff_t>(n));
    motion.v_m_s.insert(motion.v_m_s.end(), z.begin() + static_cast<std::ptrdiff_t>(n), z.end());
    motion.energy_J.push_back(masses.stored_J(nullptr, z.data(), z.data() + n));
  }
  return motion;
}

ReferenceMotion monolithic_motion(const ResidualProblem& problem, const std::filesystem::path& scenario) {
  const std::size_t n = problem.size();
  const MassChain::Parameters& p = problem.masses;
  std::vector<double> k, c, kc, cc, v;
  for (std::size_t i = 0; i < n; ++i) {
    k.push_back(p.ground_spring[i].stiffness);
    c.push_back(p.ground_damper[i].coefficient);
    v.push_back(start_velocity(i, n));
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    kc.push_back(p.coupling_spring[i].stiffness);
    cc.push_back(p.coupling_damper[i].coefficient);
  }
  const auto list = [](const char* key, const std::vector<double>& values) {
    return fmt::format("all.{}=[{}]", key, fmt::join(values, ","));
  };
  Simulation simulation(scenario,
                        {list("m", p.mass_kg), list("k", k), list("c", c), list("kc", kc), list("cc", cc),
                         list("v", v), fmt::format("all.spring={}", name_of(p.ground_spring[0].law)),
                         fmt::format("all.coupling_spring={}", name_of(p.coupling_spring[0].law)),
                         fmt::format("all.damper={}", name_of(p.ground_damper[0].law)),
                         fmt::format("all.coupling_damper={}", name_of(p.coupling_damper[0].law))});
  const Index x0 = simulation.output("all.position[0]");
  const Index v0 = simulation.output("all.velocity[0]");
  const MassChain masses(p);
  std::vector<double> z(2 * n);
  ReferenceMotion motion{n, {}, {}, {}};
  const auto failure = simulation.for_each_point([&](const StepRecord& record) {
    for (std::size_t i = 0; i < n; ++i) {
      z[i] = record.output(x0 + static_cast<Index>(i));
      z[n + i] = record.output(v0 + static_cast<Index>(i));
    }
    motion.x_m.insert(motion.x_m.end(), z.begin(), z.begin() + static_cast<std::ptrdiff_t>(n));
    motion.v_m_s.insert(motion.v_m_s.end(), z.begin() + static_cast<std::ptrdiff_t>(n), z.end());
    motion.energy_J.push_back(masses.stored_J(nullptr, z.data(), z.data() + n));
  });
  if (failure) throw std::runtime_error(failure->what);
  return motion;
}

}  // namespace ergon::bench
