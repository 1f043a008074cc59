#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/engine.hpp"
#include "ergon/fmi/subsystem/fmu_subsystem.hpp"
#include "ergon/verdict/verdict_monitor.hpp"

namespace ergon::bench {

inline constexpr double fmu_step_s = 1e-3;

/// An FMU around a library of tiny2.c, with these units of its input and its output.
void pack_tiny(const std::filesystem::path& file, const std::string& library, const std::string& input_unit,
               const std::string& output_unit);

std::unique_ptr<Subsystem> make_tiny(const std::shared_ptr<const fmi::FmuModel>& model, std::size_t number,
                                     bool isolate);

/// FMUs under the engine. Instance i + 1 follows instance i; the first follows the last. With bonds, neighbours in pairs exchange force
/// and velocity. Every other one takes what its neighbours give: units are checked for connections, too.
struct Chain {
  Chain(const std::shared_ptr<const fmi::FmuModel>& force,
        const std::shared_ptr<const fmi::FmuModel>& velocity, std::size_t count, bool bonds, bool isolate);
  [[gnu::noinline]] void run(std::size_t points);

  std::unique_ptr<CoupledSystem> system;
  std::unique_ptr<Engine> engine;
  std::optional<VerdictMonitor> verdict;
};

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Prints what isolated FMUs cost here and now, in a table whose rows begin with `where`.
void measure_isolated(const std::shared_ptr<const fmi::FmuModel>& tiny,
                      const std::shared_ptr<const fmi::FmuModel>& working, const std::string& where);
/// The same in processes of their own: on idle cores, with all cores busy, on one core.
void measure_isolated_everywhere();

}  // namespace ergon::bench
