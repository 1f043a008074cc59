// A run that is set back goes on with the bits that it had: for everything in the registries of schemes, correctors, update rules
// and step controls; a new entry runs through this without being named here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>

#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/coupling/schemes/implicit/update_rule.hpp"
#include "ergon/coupling/schemes/scheme.hpp"
#include "ergon/coupling/step_control/step_control.hpp"
#include "ergon/run/simulation.hpp"
#include "support/record_bits.hpp"

namespace ergon::bench {
namespace {

using Settings = std::vector<std::string>;

struct System {
  const char* name;
  const char* file;
  Settings multi_rate;  ///< steps that differ, for schemes that allow it
};

const System systems[] = {
    {"two_masses", "benchmarks/lim-oscillator/f-s.toml", {"left.step_size=1e-3", "right.step_size=1.5e-3"}},
    {"with_an_element",
     "benchmarks/lim-oscillator/f-f.toml",
     {"left.step_size=2e-3", "right.step_size=1e-3"}},
    {"three_masses", "examples/three-masses.toml", {}},
    {"vectors", "examples/universal-joint.toml", {"rod2.step_size=2e-4"}},
    {"cable", "examples/cable-and-mass.toml", {"body.step_size=2e-3"}},
    {"constrained", "examples/slider-crank.toml", {"crank.step_size=2e-3"}},
    {"cylinder", "examples/hydraulic-lift.toml", {}},
};

/// Nothing where the combination is refused.
std::optional<Simulation> started(const System& system, Settings settings) {
  settings.emplace_back("simulation.stop_time=100");
  try {
    std::optional<Simulation> simulation(std::in_place, std::filesystem::path(ERGON_SOURCE_DIR) / system.file,
                                         settings);
    if (const auto& failure = simulation->start()) {
      ADD_FAILURE() << failure->subsystem << ": " << failure->what;
      return std::nullopt;
    }
    return simulation;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The bits of the next points.
std::vector<std::uint64_t> go_on(Engine& engine, int points) {
  std::vector<std::uint64_t> bits;
  for (int i = 0; i < points && !engine.done(); ++i) {
    const auto failure = engine.advance();
    // A run that fails, fails in the same way again.
    if (failure) return bits;
    bits.push_back(testing::bits_of(engine.record(), engine.system()));
  }
  return bits;
}

/// Saves off a common point, goes on for `points`, saves once more on the way, and sets back several times.
void expect_the_same_bits(Simulation& simulation, int points) {
  Engine& engine = simulation.engine();
  go_on(engine, 37);
  Snapshot early = engine.make_snapshot();
  Snapshot late = engine.make_snapshot();
  engine.save(early);
  const std::uint64_t at_early = testing::bits_of(engine.record(), engine.system());
  auto expected = go_on(engine, points / 2);
  engine.save(late);
  const auto second_half = go_on(engine, points - points / 2);
  expected.insert(expected.end(), second_half.begin(), second_half.end());
  EXPECT_GT(std::set(expected.begin(), expected.end()).size(), expected.size() * 9 / 10) << "nothing moves";

  engine.restore(late);
  EXPECT_EQ(go_on(engine, points - points / 2), second_half);
  engine.restore(early);
  EXPECT_EQ(testing::bits_of(engine.record(), engine.system()), at_early);
  EXPECT_EQ(go_on(engine, points), expected);
  // Saving again into what is there, from where a restore led.
  engine.restore(early);
  go_on(engine, points / 10);
  engine.save(late);
  const std::span all(expected);
  const std::span follows = all.subspan(std::min<std::size_t>(all.size(), points / 10));
  const std::span rest = follows.first(std::min<std::size_t>(follows.size(), points / 10));
  for (int i = 0; i < 2; ++i) {
    engine.restore(late);
    EXPECT_TRUE(std::ranges::equal(go_on(engine, points / 10), rest));
  }
}

/// What was accepted at least once, so that a test that tries nothing does not pass.
using Tried = std::set<std::string, std::less<>>;

Settings step_control(std::string_view method) {
  if (method.empty()) return {};
  return {fmt::format("step_control.method={}", method), "step_control.rtol=1e-2"};
}
std::vector<std::string_view> step_controls() {
  std::vector<std::string_view> names = {""};
  for (const StepControlMethod& method : step_control_methods()) names.push_back(method.name);
  return names;
}

/// True if it was accepted.
bool try_one(const System& system, const Settings& settings, int points, const std::string& told) {
  auto simulation = started(system, settings);
  if (!simulation) return false;
  SCOPED_TRACE(fmt::format("{}: {}", system.name, told));
  expect_the_same_bits(*simulation, points);
  return true;
}

using SnapshotContract = ::testing::TestWithParam<const Scheme*>;
class ExplicitSnapshotContract : public SnapshotContract {};
class ImplicitSnapshotContract : public SnapshotContract {};
class AnySnapshotContract : public SnapshotContract {};

TEST_P(ExplicitSnapshotContract, GoesOnWithTheSameBits) {
  const std::string scheme(GetParam()->name());
  std::vector<std::string_view> methods = {"none"};
  for (const CorrectorInfo& corrector : correctors()) methods.push_back(corrector.name);
  Tried tried;
  for (const char* extrapolation : {"hold", "linear", "quadratic", "cubic"}) {
    for (const char* feedthrough : {"stale", "predict", "refresh"}) {
      for (const std::string_view control : step_controls()) {
        for (const std::string_view corrector : methods) {
          Settings settings = {"coupling.scheme=" + scheme,
                               fmt::format("coupling.extrapolation={}", extrapolation),
                               fmt::format("bond.coupling.feedthrough={}", feedthrough),
                               fmt::format("bond.coupling.correction={{method=\"{}\"}}", corrector)};
          const Settings more = step_control(control);
          settings.insert(settings.end(), more.begin(), more.end());
          const System& system = systems[0];
          settings.insert(settings.end(), system.multi_rate.begin(), system.multi_rate.end());
          const std::string told =
              fmt::format("{} {} {} {} {}", scheme, extrapolation, feedthrough, control, corrector);
          if (try_one(system, settings, 500, told)) {
            for (const std::string_view word :
                 {std::string_view(extrapolation), std::string_view(feedthrough), control, corrector})
              tried.emplace(word);
          }
        }
      }
    }
  }
  for (const std::string_view corrector : methods) EXPECT_TRUE(tried.contains(corrector)) << corrector;
  for (const char* word : {"hold", "linear", "quadratic", "cubic", "stale", "predict", "refresh",
                           "interface-power", "richardson"})
    EXPECT_TRUE(tried.contains(word)) << word;
}

TEST_P(ImplicitSnapshotContract, GoesOnWithTheSameBits) {
  const std::string scheme(GetParam()->name());
  Tried tried;
  for (const char* degree : {"0", "1", "2"}) {
    for (const char* interpolation : {"lagrange", "hermite"}) {
      for (const UpdateRuleInfo& rule : update_rules()) {
        for (const std::string_view control : step_controls()) {
          Settings settings = {
              "coupling.scheme=" + scheme, fmt::format("coupling.degree={}", degree),
              "coupling.accept_unstable=true", fmt::format("coupling.interpolation={}", interpolation),
              fmt::format("coupling.{}={}", rule.is_jacobian ? "jacobian" : "acceleration", rule.name)};
          const Settings more = step_control(control);
          settings.insert(settings.end(), more.begin(), more.end());
          if (!control
                   .empty())  // some methods see nothing of integrators that look at the start of a step only
            settings.insert(settings.end(), {"left.integrator.method=rk4", "right.integrator.method=rk4"});
          const std::string told =
              fmt::format("{} {} {} {} {}", scheme, degree, interpolation, rule.name, control);
          if (try_one(systems[0], settings, 500, told)) {
            for (const std::string_view word :
                 {std::string_view(degree), std::string_view(interpolation), rule.name, control})
              tried.emplace(word);
          }
        }
      }
    }
  }
  for (const UpdateRuleInfo& rule : update_rules()) {
    const bool one_trial = scheme == "semi-implicit";  // which accelerations cannot do with
    EXPECT_TRUE(tried.contains(rule.name) || (one_trial && !rule.is_jacobian)) << rule.name;
  }
  for (const StepControlMethod& method : step_control_methods())
    EXPECT_TRUE(tried.contains(method.name)) << method.name;
  for (const char* word : {"0", "1", "2", "lagrange", "hermite"}) EXPECT_TRUE(tried.contains(word)) << word;
}

// Fast members take several steps in one of the slowest; sweeps and elements among them.
TEST_P(ImplicitSnapshotContract, SeveralRatesGoOnWithTheSameBits) {
  const std::string scheme(GetParam()->name());
  for (const std::size_t s : {0U, 1U}) {
    for (const UpdateRuleInfo& rule : update_rules()) {
      for (const char* control : {"", "milne"}) {
        Settings settings = {
            "coupling.scheme=" + scheme,
            "left.step_size=2e-3",
            "right.step_size=5e-4",
            "left.integrator.method=rk4",
            "right.integrator.method=rk4",
            fmt::format("coupling.{}={}", rule.is_jacobian ? "jacobian" : "acceleration", rule.name)};
        const Settings more = step_control(control);
        settings.insert(settings.end(), more.begin(), more.end());
        const bool refused = scheme == "semi-implicit" && !rule.is_jacobian;
        EXPECT_NE(try_one(systems[s], settings, 100, fmt::format("{} {} {}", scheme, rule.name, control)),
                  refused)
            << systems[s].name << ' ' << rule.name << ' ' << control;
      }
    }
  }
}

// Elements, several bonds, vectors, cables, constraints, hydraulics: each scheme, fixed steps and others.
TEST_P(AnySnapshotContract, OtherSystemsGoOnWithTheSameBits) {
  const std::string scheme(GetParam()->name());
  for (std::size_t s = 1; s < std::size(systems); ++s) {
    int accepted = 0;
    for (const char* extrapolation : {"hold", "quadratic"}) {
      for (const std::string_view control : step_controls()) {
        Settings settings = {"coupling.scheme=" + scheme,
                             fmt::format("coupling.extrapolation={}", extrapolation)};
        const Settings more = step_control(control);
        settings.insert(settings.end(), more.begin(), more.end());
        if (!GetParam()->solves_for_coupling_variables())
          settings.insert(settings.end(), systems[s].multi_rate.begin(), systems[s].multi_rate.end());
        const std::string told = fmt::format("{} {} {}", scheme, extrapolation, control);
        if (try_one(systems[s], settings, 200, told)) ++accepted;
      }
    }
    if (!GetParam()->solves_for_coupling_variables()) {
      EXPECT_GT(accepted, 0) << systems[s].name;
    }
  }
}

std::vector<const Scheme*> schemes_that(bool solve) {
  std::vector<const Scheme*> found;
  for (const Scheme* scheme : schemes()) {
    if (scheme->solves_for_coupling_variables() == solve) found.push_back(scheme);
  }
  return found;
}
std::string name_of_scheme(const ::testing::TestParamInfo<const Scheme*>& tested) {
  std::string name(tested.param->name());
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ExplicitSnapshotContract, ::testing::ValuesIn(schemes_that(false)),
                         name_of_scheme);
INSTANTIATE_TEST_SUITE_P(All, ImplicitSnapshotContract, ::testing::ValuesIn(schemes_that(true)),
                         name_of_scheme);
INSTANTIATE_TEST_SUITE_P(All, AnySnapshotContract, ::testing::ValuesIn(schemes()), name_of_scheme);

}  // namespace
}  // namespace ergon::bench
