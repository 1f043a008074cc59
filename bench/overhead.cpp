// What the engine costs on top of the arithmetic: a chain of native masses, ns per step and subsystem, against a
// hand-written loop of the same arithmetic and exchange, measured alternately in one run. The two must also agree.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "bare_chain.hpp"
#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/models/registry.hpp"
#include "ergon/verdict/verdict_monitor.hpp"
#include "other_costs.hpp"

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
  bool verdict;  ///< watched as `ergon run` watches a run
  CouplingOptions options;
};

struct Chain {
  std::unique_ptr<CoupledSystem> system;
  std::unique_ptr<Engine> engine;
  std::optional<VerdictMonitor> verdict;
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
  chain.engine = Engine::make(*chain.system, TimeGrid(Rational(), step * Rational(steps, 1), all_steps),
                              variant.options, problems);
  chain.engine->initialize(problems);
  if (problems.has_errors()) throw InputError(problems);
  if (variant.verdict) {
    chain.verdict.emplace(*chain.system,
                          VerdictOptions{.stale_bonds = chain.engine->bonds_with_stale_efforts()});
    chain.verdict->inspect(chain.engine->record());
  }
  return chain;
}

double time_engine(Chain& chain, double& position) {
  const auto begin = std::chrono::steady_clock::now();
  while (!chain.engine->done()) {
    if (chain.engine->advance()) throw std::runtime_error("the chain failed");
    if (chain.verdict) chain.verdict->inspect(chain.engine->record());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  position = chain.engine->record().output(chain.system->nodes.back().first_output);
  return seconds;
}

std::vector<Variant> variants() {
  const auto options = [](const char* scheme, int degree, FeedthroughMode mode) {
    CouplingOptions o;
    o.scheme = scheme;
    o.degree = degree;
    o.feedthrough = mode;
    return o;
  };
  CouplingOptions semi_implicit = options("semi-implicit", 1, FeedthroughMode::refresh);
  semi_implicit.feedthrough.reset();
  return {
      {"plain", false, false, options("jacobi", 0, FeedthroughMode::stale)},
      {"monitored", true, true, options("jacobi", 0, FeedthroughMode::stale)},
      {"linear", false, false, options("jacobi", 1, FeedthroughMode::stale)},
      {"refresh", false, false, options("jacobi", 0, FeedthroughMode::refresh)},
      {"gauss-seidel", false, false, options("gauss-seidel", 0, FeedthroughMode::stale)},
      {"semi-implicit", false, false, semi_implicit},
  };
}

struct Row {
  std::string variant;
  std::size_t masses = 0;
  double bare_ns = 0.0;
  double engine_ns = 0.0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A variant and a length of the chain, and nanoseconds per step and subsystem of every round, of the bare loop and of the engine.
struct Measurements {
  Variant variant;
  std::size_t masses = 0;
  std::vector<double> bare_ns;
  std::vector<double> engine_ns;

  void measure(double work) {
    const bool solves = find_scheme(variant.options.scheme)->solves_for_coupling_variables();
    // Of explicit schemes what goes on for ever is of interest, not the start: the verdict looks at every one of the first points.
    const long fewest = solves ? 100 : 4000;
    const long steps =
        std::max(fewest, static_cast<long>((solves ? 0.1 : 1.0) * work) / static_cast<long>(masses));
    const double done = static_cast<double>(steps) * static_cast<double>(masses) * 1e-9;
    Chain chain = make_chain(masses, steps, variant);
    double position = 0.0;
    engine_ns.push_back(time_engine(chain, position) / done);
    // Where steps are taken several times, the bare loop takes as many.
    long bare_steps = steps;
    if (const ImplicitRecord* implicit = chain.engine->record().implicit_steps())
      bare_steps = static_cast<long>(implicit->integrations / masses);
    double seconds = 0.0;
    const double bare_position = bench::run_bare_chain(masses, bare_steps, step_s, seconds);
    bare_ns.push_back(seconds / done);
    const bool same_scheme =
        variant.options.scheme == "jacobi" && variant.options.feedthrough == FeedthroughMode::stale;
    if (same_scheme && variant.options.degree == 0 &&
        !(std::abs(bare_position - position) <= 1e-9 * (1.0 + std::abs(bare_position)))) {
      throw std::runtime_error(fmt::format("the two disagree: {} and {}", bare_position, position));
    }
  }
  [[nodiscard]] Row row() const { return {variant.name, masses, median(bare_ns), median(engine_ns)}; }
};

/// Everything once in each round: what else the machine does for some seconds is in one measurement of each, not in all of one.
std::vector<Row> measure_rounds(std::vector<Measurements> all, int rounds, double work) {
  for (int round = 0; round < rounds; ++round) {
    for (Measurements& one : all) one.measure(work);
  }
  std::vector<Row> rows;
  for (const Measurements& one : all) rows.push_back(one.row());
  return rows;
}

void write_json(const std::string& file, const std::vector<Row>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows) {
    list.push_back({{"variant", row.variant},
                    {"masses", row.masses},
                    {"bare_ns", row.bare_ns},
                    {"engine_ns", row.engine_ns},
                    {"ratio", row.engine_ns / row.bare_ns}});
  }
  std::ofstream(file) << list.dump(2) << "\n";
}

/// Both tables as docs/performance.md holds them.
void print_markdown(const std::vector<Row>& rows, const std::vector<bench::OtherCost>& others, int repeats) {
  fmt::print("Medians of {} rounds; ns per step and subsystem.\n\n", repeats);
  fmt::print("| variant | masses | bare loop | engine | ratio |\n|---|--:|--:|--:|--:|\n");
  for (const Row& row : rows) {
    fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.2f} |\n", row.variant, row.masses, row.bare_ns,
               row.engine_ns, row.engine_ns / row.bare_ns);
  }
  fmt::print("\n| what | of | value |\n|---|---|--:|\n");
  for (const bench::OtherCost& cost : others)
    fmt::print("| {} | {} | {:.3g} {} |\n", cost.name, cost.of, cost.value, cost.unit);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "What the engine costs on top of the arithmetic, against a bare loop measured in the same run.");
  std::string json;
  std::string only;
  std::vector<std::size_t> sizes = {2, 10, 100, 1000, 10000};
  int repeats = 5;
  double work = 1e6;
  app.add_option("--json", json, "write the rows to this file");
  app.add_option("--variant", only, "one variant only");
  app.add_option("--masses", sizes, "lengths of the chain");
  app.add_option("--repeats", repeats, "rounds of measurements, of which the medians count")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--work", work,
         "steps × masses of one measurement, unless that is less than 4000 steps (100 of an implicit scheme)")
      ->check(CLI::PositiveNumber);
  bool markdown = false;
  app.add_flag("--markdown", markdown, "print the tables of docs/performance.md");
  CLI11_PARSE(app, argc, argv);

  std::vector<Measurements> all;
  for (const Variant& variant : variants()) {
    if (!only.empty() && only != variant.name) continue;
    for (const std::size_t masses : sizes) all.push_back({variant, masses, {}, {}});
  }
  const std::vector<Row> rows = measure_rounds(std::move(all), repeats, work);
  if (!markdown) {
    fmt::print("Chain of native masses, ns per step and subsystem (medians of {} rounds).\n", repeats);
    fmt::print("{:<14} {:>6} {:>10} {:>10} {:>7}\n", "variant", "masses", "bare loop", "engine", "ratio");
    for (const Row& row : rows) {
      fmt::print("{:<14} {:>6} {:>10.2f} {:>10.2f} {:>7.2f}\n", row.variant, row.masses, row.bare_ns,
                 row.engine_ns, row.engine_ns / row.bare_ns);
    }
  }
  if (!json.empty()) write_json(json, rows);
  if (!only.empty()) return 0;
  std::vector<bench::OtherCost> others;
  const auto add = [&](const std::vector<bench::OtherCost>& costs) {
    others.insert(others.end(), costs.begin(), costs.end());
  };
  add(bench::cost_of_memory(10000));
  add(bench::cost_of_loading(10000, repeats));
  add(bench::cost_of_threads(repeats));
  add(bench::cost_of_slow_steps(repeats));
  if (markdown) {
    print_markdown(rows, others, repeats);
    return 0;
  }
  fmt::print("\n");
  for (const bench::OtherCost& cost : others)
    fmt::print("{:<22} {:>8.3g} {:<4} {}\n", cost.name, cost.value, cost.unit, cost.of);
  return 0;
}
