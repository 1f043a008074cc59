// What importing costs: nearly free FMUs in a chain under the engine, against a bare loop that makes the same calls of the C
// interface by hand and copies the same values, measured alternately in one run; the two must agree. Also: what isolated FMUs cost
// (isolated_fmus.cpp), and how long and how much memory a thousand instances take to load.
#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "ergon/fmi/declarations/fmi2.hpp"
#include "ergon/fmi/worker/worker.hpp"
#include "tiny_fmus.hpp"

namespace {

using namespace ergon;
using namespace ergon::bench;

/// What is allocated now: pages that earlier measurements have left would hide it.
std::size_t allocated_bytes() {
  return ::mallinfo2().uordblks;
}

/// The same calls by hand, as a careful person would write them: who gets what is known beforehand, and no status is ignored. They are
/// calls of the very libraries that the engine calls, by the same turns: two copies of one library by turns cost several times what one
/// does on some processors, whoever calls them.
struct Bare {
  struct Functions {
    explicit Functions(const std::filesystem::path& file)
        : library(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)),
          set(find<fmi2SetRealTYPE>("fmi2SetReal")),
          get(find<fmi2GetRealTYPE>("fmi2GetReal")),
          step(find<fmi2DoStepTYPE>("fmi2DoStep")),
          instantiate(find<fmi2InstantiateTYPE>("fmi2Instantiate")) {}
    template <class Function>
    Function* find(const char* name) const {
      return reinterpret_cast<Function*>(::dlsym(library, name));
    }
    void* library;
    fmi2SetRealTYPE* set;
    fmi2GetRealTYPE* get;
    fmi2DoStepTYPE* step;
    fmi2InstantiateTYPE* instantiate;
  };
  struct Instance {
    fmi2Component component;
    fmi2SetRealTYPE* set;
    fmi2GetRealTYPE* get;
    fmi2DoStepTYPE* step;
  };
  std::vector<Instance> instances;
  std::vector<std::uint32_t> from;
  std::vector<double> u, y;
  double t = 0.0;

  Bare(const fmi::FmuModel& force, const fmi::FmuModel& velocity, std::size_t count, bool bonds)
      : u(count), y(count, 1.0) {
    ProblemList problems;
    const Functions even(force.library(FmuInterfaceKind::co_simulation, problems));
    const Functions odd(velocity.library(FmuInterfaceKind::co_simulation, problems));
    for (std::size_t i = 0; i < count; ++i) {
      const Functions& f = i % 2 == 1 ? odd : even;
      instances.push_back(
          {f.instantiate("bare", fmi2CoSimulation, "tiny", "", nullptr, 0, 0), f.set, f.get, f.step});
      from.push_back(static_cast<std::uint32_t>(bonds ? i ^ 1U : (i + count - 1) % count));
    }
  }
  [[gnu::noinline]] void run(std::size_t points) {
    const fmi2ValueReference in = 0;
    const fmi2ValueReference out = 1;
    const std::size_t n = instances.size();
    for (std::size_t p = 0; p < points; ++p) {
      for (std::size_t i = 0; i < n; ++i) u[i] = y[from[i]];
      for (std::size_t i = 0; i < n; ++i) {
        const Instance& fmu = instances[i];
        if (fmu.set(fmu.component, &in, 1, &u[i]) != fmi2OK ||
            fmu.step(fmu.component, t, fmu_step_s, fmi2True) != fmi2OK ||
            fmu.get(fmu.component, &out, 1, &y[i]) != fmi2OK)
          throw std::runtime_error("an FMU failed");
      }
      t += fmu_step_s;
    }
  }
};

/// The best of some rounds, in which both take the same steps by turns.
void measure(const std::shared_ptr<const fmi::FmuModel>& force,
             const std::shared_ptr<const fmi::FmuModel>& velocity, std::size_t count, bool bonds,
             std::size_t points, int rounds) {
  Bare bare(*force, *velocity, count, bonds);
  Chain chain(force, velocity, count, bonds, false);
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
    pack_tiny(folder.path() / "force.fmu", ERGON_TINY_LIBRARY, "N", "m/s");
    pack_tiny(folder.path() / "velocity.fmu", ERGON_TINY_LIBRARY, "m/s", "N");
    ProblemList problems;
    const auto force = fmi::FmuModel::load(folder.path() / "force.fmu", problems);
    const auto velocity = fmi::FmuModel::load(folder.path() / "velocity.fmu", problems);
    if (!force || !velocity) throw InputError(problems);
    if (argc == 3 && std::strcmp(argv[1], "isolated") == 0) {
      pack_tiny(folder.path() / "tiny.fmu", ERGON_TINY_LIBRARY, "N", "N");
      pack_tiny(folder.path() / "working.fmu", ERGON_WORKING_LIBRARY, "N", "N");
      const auto tiny = fmi::FmuModel::load(folder.path() / "tiny.fmu", problems);
      const auto working = fmi::FmuModel::load(folder.path() / "working.fmu", problems);
      if (!tiny || !working) throw InputError(problems);
      measure_isolated(tiny, working, argv[2]);
      return 0;
    }

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

    measure_isolated_everywhere();

    constexpr std::size_t many = 1000;
    std::vector<std::unique_ptr<Subsystem>> instances;
    const std::size_t before = allocated_bytes();
    const double load = seconds_of([&] {
      for (std::size_t i = 0; i < many; ++i) instances.push_back(make_tiny(force, i, false));
    });
    fmt::print("loading {} instances: {:.4f} s, {:.2f} kB each (the FMU's own memory included)\n", many, load,
               static_cast<double>(allocated_bytes() - before) / 1e3 / static_cast<double>(many));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
