#include "benchmarks/work-precision/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "ergon/scenario/edition.hpp"

namespace ergon::bench {
namespace {

using Origin = WorkSetting::Origin;
using Coupling = std::vector<std::string>;

Coupling explicit_scheme(const char* scheme, const char* extrapolation, bool starter = false) {
  Coupling keys = {fmt::format("scheme={}", scheme), fmt::format("extrapolation={}", extrapolation)};
  if (starter) keys.emplace_back("starter=repeat");
  return keys;
}

WorkSetting solving(const char* name, Origin origin, const char* scheme, int degree, const char* update) {
  WorkSetting setting;
  setting.name = name;
  setting.origin = origin;
  setting.coupling = {fmt::format("scheme={}", scheme), fmt::format("degree={}", degree), update};
  setting.solves = true;
  return setting;
}

std::vector<WorkSetting> make_settings() {
  const char* jacobi = "jacobi";
  const char* sweep = "gauss-seidel";
  std::vector<WorkSetting> all;
  const auto add = [&](WorkSetting setting) { all.push_back(std::move(setting)); };
  // What other masters offer.
  add({"Jacobi, hold, stale", Origin::others, explicit_scheme(jacobi, "hold"), "stale"});
  add({"Gauss-Seidel, hold, stale", Origin::others, explicit_scheme(sweep, "hold"), "stale"});
  add({"Jacobi, linear, stale", Origin::others, explicit_scheme(jacobi, "linear"), "stale"});
  add({"Jacobi, quadratic, stale", Origin::others, explicit_scheme(jacobi, "quadratic"), "stale"});
  add({"Gauss-Seidel, linear, stale", Origin::others, explicit_scheme(sweep, "linear"), "stale"});
  add({.name = "Gauss-Seidel, linear, stale, reversed",
       .origin = Origin::others,
       .coupling = explicit_scheme(sweep, "linear"),
       .feedthrough = "stale",
       .reversed = true});
  add({.name = "energy-controlled steps",
       .origin = Origin::others,
       .coupling = explicit_scheme(jacobi, "hold"),
       .feedthrough = "stale",
       .control = "interface-power"});
  add({"linear correction", Origin::others, explicit_scheme(jacobi, "hold"), "stale", "nepce"});
  add(solving("Newton-iterated", Origin::others, "implicit", 1, "jacobian=finite-difference"));
  // The papers.
  add({"energy leak, linear", Origin::papers, explicit_scheme(jacobi, "linear"), "stale", "energy-leak"});
  add({"residual power, hold", Origin::papers, explicit_scheme(jacobi, "hold"), "stale", "residual-power"});
  add({"residual power, linear", Origin::papers, explicit_scheme(jacobi, "linear"), "stale",
       "residual-power"});
  add(solving("semi-implicit 1", Origin::papers, "semi-implicit", 1, "jacobian=finite-difference"));
  add(solving("semi-implicit 2", Origin::papers, "semi-implicit", 2, "jacobian=finite-difference"));
  add({"interface model", Origin::papers, explicit_scheme(jacobi, "interface-model"), "stale"});
  // What a scenario gets that says nothing, by its edition.
  for (const Edition& edition : editions()) {
    add({fmt::format("edition {}", edition.name),
         Origin::normal,
         {fmt::format("scheme={}", edition.scheme), fmt::format("extrapolation={}", edition.extrapolation)}});
  }
  // Ours.
  add({"linear, refresh", Origin::ours, explicit_scheme(jacobi, "linear")});
  add({"quadratic, refresh", Origin::ours, explicit_scheme(jacobi, "quadratic")});
  add({.name = "quadratic, refresh, starter",
       .coupling = explicit_scheme(jacobi, "quadratic", true),
       .starter_degree = 2});
  add({.name = "cubic, refresh, starter",
       .coupling = explicit_scheme(jacobi, "cubic", true),
       .starter_degree = 3});
  add({"linear, predict", Origin::ours, explicit_scheme(jacobi, "linear"), "predict"});
  add({"energy leak, predict", Origin::ours, explicit_scheme(jacobi, "linear"), "predict", "energy-leak"});
  add({"Gauss-Seidel, linear, refresh", Origin::ours, explicit_scheme(sweep, "linear")});
  add({.name = "Gauss-Seidel, quadratic, starter",
       .coupling = explicit_scheme(sweep, "quadratic", true),
       .starter_degree = 2});
  add(solving("semi-implicit 1, Broyden", Origin::ours, "semi-implicit", 1, "jacobian=broyden"));
  add(solving("semi-implicit 2, Broyden", Origin::ours, "semi-implicit", 2, "jacobian=broyden"));
  add(solving("semi-implicit 2, directional", Origin::ours, "semi-implicit", 2, "jacobian=directional"));
  add(solving("implicit 2, Broyden", Origin::ours, "implicit", 2, "jacobian=broyden"));
  add(solving("implicit 2, IQN-ILS", Origin::ours, "implicit", 2, "acceleration=iqn-ils"));
  return all;
}

}  // namespace

std::string_view name_of(Origin origin) {
  static constexpr std::array<std::string_view, 4> names = {"others", "papers", "default", "ours"};
  return names[static_cast<std::size_t>(origin)];
}

const std::vector<WorkSetting>& work_settings() {
  static const std::vector<WorkSetting> all = make_settings();
  return all;
}

void add_extrapolation(const std::string& bond, std::string_view extrapolation,
                       std::vector<std::string>& settings) {
  const bool by_coupling = extrapolation.starts_with("auto-");
  settings.push_back(
      fmt::format("bond.{}.extrapolation={}", bond, by_coupling ? std::string_view("hold") : extrapolation));
  if (by_coupling) settings.push_back(fmt::format("bond.{}.extrapolation=", bond));
}

std::vector<std::string> run_settings(const WorkProblem& problem, const WorkSetting& setting, bool within,
                                      int steps) {
  // As fractions: every step is an exact part of the duration.
  const std::int64_t microseconds = static_cast<std::int64_t>(problem.duration_s * 1e6 + 0.5);
  const auto step = [&](int ratio) {
    return fmt::format("\"{}/{}\"", microseconds, std::int64_t{1000000} * problem.parts * steps * ratio);
  };
  const auto seconds = [&](int ratio) { return problem.duration_s / problem.parts / steps / ratio; };
  std::vector<std::string> all = problem.settings;
  all.push_back(fmt::format("simulation.stop_time={}", problem.duration_s));
  all.push_back("simulation.step_size=" + step(1));
  for (const WorkSubsystem& subsystem : problem.subsystems) {
    const int ratio = setting.solves && !setting.keeps_rates ? 1 : subsystem.ratio;
    all.push_back(fmt::format("subsystem.{}.step_size={}", subsystem.name, step(ratio)));
    if (subsystem.at_start.empty()) continue;
    const std::string& method = within ? subsystem.within : subsystem.at_start;
    const std::string inside =
        ratio == subsystem.ratio ? "" : fmt::format(", step = {}", seconds(subsystem.ratio));
    all.push_back(
        fmt::format("subsystem.{}.integrator={{method = \"{}\"{}}}", subsystem.name, method, inside));
  }
  for (const char* key : {"scheme=jacobi", "extrapolation=hold", "starter=none"})
    all.push_back(fmt::format("coupling.{}", key));
  for (const std::string& key : setting.coupling) all.push_back("coupling." + key);
  if (setting.reversed) {
    std::vector<std::string> order;
    for (auto s = problem.subsystems.rbegin(); s != problem.subsystems.rend(); ++s)
      order.push_back('"' + s->name + '"');
    all.push_back(fmt::format("coupling.order=[{}]", fmt::join(order, ", ")));
  }
  const std::string_view extrapolation =
      std::string_view(setting.coupling[1]).substr(setting.coupling[1].find('=') + 1);
  for (const std::string& bond : problem.bonds) {
    all.push_back(fmt::format("bond.{}.feedthrough={}", bond, setting.feedthrough));
    if (!setting.solves) add_extrapolation(bond, extrapolation, all);
    all.push_back(fmt::format("bond.{}.correction={{method = \"{}\"{}}}", bond, setting.correction,
                              setting.correction_keys));
  }
  if (!setting.control.empty()) all.push_back("step_control.method=" + setting.control);
  return all;
}

}  // namespace ergon::bench
