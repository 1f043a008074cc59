// What the engine costs on top of the arithmetic: a chain of native masses, ns per step and subsystem, against a
// hand-written loop of the same arithmetic and exchange, measured alternately in one run. The two must also agree.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "bare_chain.hpp"
#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/models/registry.hpp"

namespace {

using namespace ergon;

constexpr double step_s = 1e-3;

std::unique_ptr<Subsystem> make_mass(std::size_t i, ProblemList& problems) {
  const ModelInfo& model = *find_model("oscillator.force_output");
  const auto given = [](double value) { return GivenParameter{value, {}}; };
  const GivenParameters parameters = {{"m", given(1.0)},    {"k", given(10.0)}, {"c", given(0.1)},
                                      {"kc", given(100.0)}, {"cc", given(0.1)}, {"force_ports", given(1.0)}};
  const GivenParameters initial = {{"v", given(i % 2 == 0 ? 1.0 : -1.0)}};
  const std::string name = fmt::format("m{:05}", i);
  return model.make({name,
                     ParameterSet(model.parameters, parameters, name, problems),
                     ParameterSet(model.initial, initial, name, problems),
                     {},
                     "",
                     {}},
                    problems);
}

ConnectionSpec path(const std::string& from, const std::string& to) {
  ConnectionSpec spec;
  spec.from = {from};
  spec.to = to;
  return spec;
}

struct Variant {
  const char* name;
  bool bonds;
  CouplingOptions options;
};

struct Chain {
  std::unique_ptr<CoupledSystem> system;
  std::unique_ptr<Engine> engine;
};

Chain make_chain(std::size_t masses, long steps, const Variant& variant) {
  ProblemList problems;
  SystemGraph graph;
  const Rational step = *Rational::from_double(step_s);
  const auto name = [](std::size_t i) { return fmt::format("m{:05}", i); };
  for (std::size_t i = 0; i < masses; ++i) graph.add(name(i), make_mass(i, problems), step);
  for (std::size_t i = 0; i + 1 < masses; ++i) {
    const std::string a = name(i);
    const std::string b = name(i + 1);
    if (variant.bonds) {
      BondSpec bond;
      bond.name = fmt::format("bond{:05}", i);
      bond.a = {{a + ".force"}, {a + ".velocity_in"}, {a + ".position_in"}};
      bond.b = {{b + ".force_in"}, {b + ".velocity"}, {b + ".position"}};
      graph.bond(std::move(bond));
    } else {
      graph.connect(path(a + ".force", b + ".force_in"));
      graph.connect(path(b + ".position", a + ".position_in"));
      graph.connect(path(b + ".velocity", a + ".velocity_in"));
    }
  }
  Chain chain;
  chain.system = graph.freeze(problems);
  if (problems.has_errors()) throw InputError(problems);
  const std::vector<Rational> all_steps = {step};
  chain.engine = std::make_unique<Engine>(*chain.system, TimeGrid(0.0, step * Rational(steps, 1), all_steps),
                                          variant.options, problems);
  chain.engine->initialize(problems);
  if (problems.has_errors()) throw InputError(problems);
  return chain;
}

double time_engine(Chain& chain, double& position) {
  const auto begin = std::chrono::steady_clock::now();
  while (!chain.engine->done()) {
    if (chain.engine->advance()) throw std::runtime_error("the chain failed");
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  position = chain.engine->record().output(chain.system->nodes.back().first_output);
  return seconds;
}

}  // namespace

int main() {
  const auto options = [](const char* scheme, int degree, FeedthroughMode mode) {
    CouplingOptions o;
    o.scheme = scheme;
    o.degree = degree;
    o.feedthrough = mode;
    return o;
  };
  const Variant variants[] = {
      {"plain, hold, stale", false, options("jacobi", 0, FeedthroughMode::stale)},
      {"bonds monitored, hold, stale", true, options("jacobi", 0, FeedthroughMode::stale)},
      {"plain, linear, stale", false, options("jacobi", 1, FeedthroughMode::stale)},
      {"plain, hold, refresh", false, options("jacobi", 0, FeedthroughMode::refresh)},
      {"gauss-seidel, hold, stale", false, options("gauss-seidel", 0, FeedthroughMode::stale)},
  };
  fmt::print("Chain of native masses, ns per step and subsystem (best of 7 alternating measurements).\n");
  fmt::print("{:<30} {:>6} {:>10} {:>10} {:>7}\n", "variant", "masses", "bare loop", "engine", "ratio");
  for (const Variant& variant : variants) {
    for (const std::size_t masses : {2U, 10U, 100U, 1000U}) {
      const long steps = 4'000'000 / static_cast<long>(masses);
      const double work = static_cast<double>(steps) * static_cast<double>(masses) * 1e-9;
      double bare = std::numeric_limits<double>::infinity();
      double engine = bare;
      double bare_position = 0.0;
      double engine_position = 0.0;
      for (int repeat = 0; repeat < 7; ++repeat) {
        double seconds = 0.0;
        bare_position = bench::run_bare_chain(masses, steps, step_s, seconds);
        bare = std::min(bare, seconds);
        Chain chain = make_chain(masses, steps, variant);
        engine = std::min(engine, time_engine(chain, engine_position));
      }
      fmt::print("{:<30} {:>6} {:>10.2f} {:>10.2f} {:>7.2f}\n", variant.name, masses, bare / work,
                 engine / work, engine / bare);
      const bool same_scheme =
          variant.options.scheme == "jacobi" && variant.options.feedthrough == FeedthroughMode::stale;
      if (same_scheme &&
          !(std::abs(bare_position - engine_position) <= 1e-9 * (1.0 + std::abs(bare_position)))) {
        fmt::print("the two disagree: {} and {}\n", bare_position, engine_position);
        return 1;
      }
    }
  }
  return 0;
}
