// What importing costs: nearly free FMUs in a chain under the engine, against a bare loop that makes the same calls of the C
// interface by hand and copies the same values, measured alternately in one run; the two must agree. Also: the round trip to a worker,
// and how long and how much memory a thousand instances take to load.
#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <zip.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "ergon/core/system_graph.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/fmi/declarations/fmi2.hpp"
#include "ergon/fmi/instance/fmu_instance.hpp"
#include "ergon/fmi/subsystem/fmu_subsystem.hpp"
#include "ergon/fmi/worker/worker.hpp"
#include "ergon/verdict/verdict.hpp"

namespace {

using namespace ergon;
constexpr double step_s = 1e-3;

const char* const description = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="tiny2" guid="tiny">
  <CoSimulation modelIdentifier="tiny2" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions>
    <Unit name="N"><BaseUnit kg="1" m="1" s="-2"/></Unit><Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit>
  </UnitDefinitions>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="0" unit="@IN@"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="1" causality="output" initial="calculated"><Real unit="@OUT@"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="2" dependencies=""/></Outputs><InitialUnknowns><Unknown index="2"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

void pack(const std::filesystem::path& file, const std::string& in, const std::string& out) {
  std::ifstream stream(ERGON_TINY_LIBRARY, std::ios::binary);
  std::ostringstream library;
  library << stream.rdbuf();
  const std::string binary = library.str();
  const std::string xml = replaced(replaced(description, "@IN@", in), "@OUT@", out);
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  zip_file_add(archive, "modelDescription.xml", zip_source_buffer(archive, xml.data(), xml.size(), 0), 0);
  zip_file_add(archive, "binaries/linux64/tiny2.so",
               zip_source_buffer(archive, binary.data(), binary.size(), 0), 0);
  if (zip_close(archive) != 0) throw std::runtime_error("the FMU cannot be written");
}

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// What is allocated now: pages that earlier measurements have left would hide it.
std::size_t allocated_bytes() {
  return ::mallinfo2().uordblks;
}

std::unique_ptr<Subsystem> make(const std::shared_ptr<const fmi::FmuModel>& model, std::size_t i,
                                bool isolate) {
  ProblemList problems;
  fmi::FmuRequest request;
  request.name = fmt::format("m{:05}", i);
  request.options.isolate = isolate;
  request.options.refresh = false;
  auto subsystem = fmi::make_fmu_subsystem(model, request, problems);
  if (!subsystem) throw InputError(problems);
  return subsystem;
}

struct Chain {
  std::unique_ptr<CoupledSystem> system;
  std::unique_ptr<Engine> engine;
  std::optional<VerdictMonitor> verdict;
  [[gnu::noinline]] void run(std::size_t points) {
    for (std::size_t p = 0; p < points; ++p) {
      if (engine->advance()) throw std::runtime_error("the chain failed");
      if (verdict) verdict->inspect(engine->record());
    }
  }
};

/// Instance i + 1 follows instance i; the first follows the last. With bonds, neighbours in pairs exchange force and velocity. Every
/// other one takes what its neighbours give: units are checked for connections, too.
Chain make_chain(const std::shared_ptr<const fmi::FmuModel>& force,
                 const std::shared_ptr<const fmi::FmuModel>& velocity, std::size_t count, bool bonds) {
  SystemGraph graph;
  const Rational step = *Rational::from_double(step_s);
  for (std::size_t i = 0; i < count; ++i)
    graph.add(fmt::format("m{:05}", i), make(i % 2 == 1 ? velocity : force, i, false), step);
  for (std::size_t i = 0; i < count; ++i) {
    if (bonds) {
      if (i % 2 == 1) continue;
      BondSpec bond;
      bond.name = fmt::format("b{:05}", i);
      bond.a.effort = {fmt::format("m{:05}.u", i)};
      bond.a.flow = {fmt::format("m{:05}.y", i)};
      bond.b.effort = {fmt::format("m{:05}.y", i + 1)};
      bond.b.flow = {fmt::format("m{:05}.u", i + 1)};
      graph.bond(std::move(bond));
    } else {
      ConnectionSpec spec;
      spec.from = {fmt::format("m{:05}.y", (i + count - 1) % count)};
      spec.to = fmt::format("m{:05}.u", i);
      graph.connect(std::move(spec));
    }
  }
  ProblemList problems;
  Chain chain;
  chain.system = graph.freeze(problems);
  if (problems.has_errors()) throw InputError(problems);
  const std::vector<Rational> steps = {step};
  chain.engine = Engine::make(*chain.system, TimeGrid(Rational(), step * Rational(100'000'000, 1), steps),
                              CouplingOptions{}, problems);
  chain.engine->initialize(problems);
  if (problems.has_errors()) throw InputError(problems);
  if (bonds) {
    chain.verdict.emplace(*chain.system,
                          VerdictOptions{.stale_bonds = chain.engine->bonds_with_stale_efforts()});
    chain.verdict->inspect(chain.engine->record());
  }
  return chain;
}

/// The same calls by hand, as a careful person would write them: who gets what is known beforehand, and no status is ignored.
struct Bare {
  void* library = ::dlopen(ERGON_TINY_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  fmi2SetRealTYPE* set = reinterpret_cast<fmi2SetRealTYPE*>(::dlsym(library, "fmi2SetReal"));
  fmi2GetRealTYPE* get = reinterpret_cast<fmi2GetRealTYPE*>(::dlsym(library, "fmi2GetReal"));
  fmi2DoStepTYPE* step = reinterpret_cast<fmi2DoStepTYPE*>(::dlsym(library, "fmi2DoStep"));
  fmi2InstantiateTYPE* instantiate =
      reinterpret_cast<fmi2InstantiateTYPE*>(::dlsym(library, "fmi2Instantiate"));
  std::vector<fmi2Component> components;
  std::vector<std::uint32_t> from;
  std::vector<double> u, y;
  double t = 0.0;

  Bare(std::size_t count, bool bonds) : u(count), y(count, 1.0) {
    for (std::size_t i = 0; i < count; ++i) {
      components.push_back(instantiate("bare", fmi2CoSimulation, "tiny", "", nullptr, 0, 0));
      from.push_back(static_cast<std::uint32_t>(bonds ? i ^ 1U : (i + count - 1) % count));
    }
  }
  [[gnu::noinline]] void run(std::size_t points) {
    const fmi2ValueReference in = 0;
    const fmi2ValueReference out = 1;
    const std::size_t n = components.size();
    for (std::size_t p = 0; p < points; ++p) {
      for (std::size_t i = 0; i < n; ++i) u[i] = y[from[i]];
      for (std::size_t i = 0; i < n; ++i) {
        if (set(components[i], &in, 1, &u[i]) != fmi2OK ||
            step(components[i], t, step_s, fmi2True) != fmi2OK ||
            get(components[i], &out, 1, &y[i]) != fmi2OK)
          throw std::runtime_error("an FMU failed");
      }
      t += step_s;
    }
  }
};

/// The best of some rounds, in which both take the same steps by turns.
void measure(const std::shared_ptr<const fmi::FmuModel>& force,
             const std::shared_ptr<const fmi::FmuModel>& velocity, std::size_t count, bool bonds,
             std::size_t points, int rounds) {
  Bare bare(count, bonds);
  Chain chain = make_chain(force, velocity, count, bonds);
  double best_bare = 1e9;
  double best_engine = 1e9;
  for (int round = 0; round < rounds; ++round) {
    best_bare = std::min(best_bare, seconds_of([&] { bare.run(points); }));
    best_engine = std::min(best_engine, seconds_of([&] { chain.run(points); }));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (chain.engine->record().output(chain.system->nodes[i].first_output) != bare.y[i])
      throw std::runtime_error("the engine and the bare loop disagree");
  }
  const double scale = 1e9 / static_cast<double>(points * count);
  fmt::print("{:>8} {:>16} {:>10.1f} {:>10.1f} {:>8.2f}\n", count, bonds ? "bonds monitored" : "connections",
             best_bare * scale, best_engine * scale, best_engine / best_bare);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], fmi::worker_argument) == 0) fmi::run_worker();
  fmi::set_worker_command("/proc/self/exe");
  try {
    const fmi::PrivateFolder folder("bench");
    pack(folder.path() / "force.fmu", "N", "m/s");
    pack(folder.path() / "velocity.fmu", "m/s", "N");
    ProblemList problems;
    const auto force = fmi::FmuModel::load(folder.path() / "force.fmu", problems);
    const auto velocity = fmi::FmuModel::load(folder.path() / "velocity.fmu", problems);
    if (!force || !velocity) throw InputError(problems);

    fmt::print("nearly free FMUs in this process, ns per step and FMU\n");
    fmt::print("{:>8} {:>16} {:>10} {:>10} {:>8}\n", "FMUs", "", "bare", "engine", "ratio");
    if (argc == 5) {  // one case alone, for counting instructions
      measure(force, velocity, std::stoul(argv[1]), std::strcmp(argv[2], "bonds") == 0, std::stoul(argv[3]),
              std::stoi(argv[4]));
      return 0;
    }
    for (const std::size_t count : {std::size_t{2}, std::size_t{100}, std::size_t{1000}}) {
      for (const bool bonds : {false, true}) measure(force, velocity, count, bonds, 2'000'000 / count, 7);
    }

    const auto worker = make(force, 0, true);
    double u = 1.0;
    double y = 0.0;
    (void)worker->initialize({0.0, {}, {}});
    const InputView view{&u, 1, 0};
    constexpr std::size_t calls = 20000;
    double best = 1e9;
    std::size_t k = 0;
    for (int round = 0; round < 5; ++round) {
      best = std::min(best, seconds_of([&] {
                        for (std::size_t i = 0; i < calls; ++i, ++k) {
                          (void)worker->step(static_cast<double>(k) * step_s, step_s, view);
                          worker->outputs(static_cast<double>(k + 1) * step_s, &u, &y);
                        }
                      }));
    }
    fmt::print("worker: {:.2f} µs per step (set, step, get in one round trip)\n", best * 1e6 / calls);

    constexpr std::size_t many = 1000;
    std::vector<std::unique_ptr<Subsystem>> instances;
    const std::size_t before = allocated_bytes();
    const double load = seconds_of([&] {
      for (std::size_t i = 0; i < many; ++i) instances.push_back(make(force, i, false));
    });
    fmt::print("loading {} instances: {:.4f} s, {:.2f} kB each (the FMU's own memory included)\n", many, load,
               static_cast<double>(allocated_bytes() - before) / 1e3 / static_cast<double>(many));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
