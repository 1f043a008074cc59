// A saved run as bytes: another process that has built the same system goes on with the same bits, and what is not such a saved
// run is refused.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "ergon/coupling/state/archive.hpp"
#include "ergon/run/simulation.hpp"
#include "support/fake_step_record.hpp"
#include "support/record_bits.hpp"

namespace ergon::bench {
namespace {

constexpr int saved_points = 500;
/// Where the other process finds its work; it is only then that it does it.
constexpr const char* folder_variable = "ERGON_SAVED_BYTES_FOLDER";
constexpr const char* case_variable = "ERGON_SAVED_BYTES_CASE";

struct SavedCase {
  const char* name;
  const char* file;
  std::vector<std::string> settings;
};

const SavedCase saved_cases[] = {
    {"jacobi",
     "benchmarks/lim-oscillator/f-s.toml",
     {"coupling.extrapolation=quadratic", "right.step_size=1.5e-3",
      "bond.coupling.correction={method=\"residual-power\"}"}},
    {"gaussseidel", "examples/three-masses.toml", {"coupling.scheme=gauss-seidel"}},
    {"iqn",
     "benchmarks/lim-oscillator/f-f.toml",
     {"coupling.scheme=implicit", "coupling.acceleration=iqn-ils", "step_control.method=richardson"}},
    {"broyden",
     "benchmarks/lim-oscillator/f-s.toml",
     {"coupling.scheme=semi-implicit", "coupling.jacobian=broyden"}},
    {"adams",
     "benchmarks/step-control/f-s.toml",
     {"left.integrator.method=cvode-adams", "right.integrator.method=cvode-adams"}},
    {"cable", "examples/cable-and-mass.toml", {}},
    {"joints", "examples/universal-joint.toml", {}},
    {"constrained", "examples/slider-crank.toml", {}},
    {"cylinder", "examples/hydraulic-lift.toml", {}},
    {"circuits", "examples/coupled-circuits.toml", {}},
};

const SavedCase& find_case(const std::string& name) {
  for (const SavedCase& c : saved_cases) {
    if (name == c.name) return c;
  }
  throw std::runtime_error("no case " + name);
}

Simulation started(const SavedCase& c) {
  auto settings = c.settings;
  settings.emplace_back("simulation.stop_time=100");
  Simulation simulation(std::filesystem::path(ERGON_SOURCE_DIR) / c.file, settings);
  EXPECT_FALSE(simulation.start());
  return simulation;
}

/// The bits of all points from here on, as text.
std::string go_on_and_save(Engine& engine, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    EXPECT_FALSE(engine.advance());
    text += fmt::format("{:016x}\n", testing::bits_of(engine.record(), engine.system()));
  }
  return text;
}

std::vector<std::byte> saved(Engine& engine) {
  Snapshot snapshot = engine.make_snapshot();
  engine.save(snapshot);
  return engine.to_bytes(snapshot);
}

void write(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> read(const std::filesystem::path& file) {
  const std::string text = content_of(file);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Runs one test of this program in a new process; its exit code.
int run_again(const std::string& filter) {
  const std::string argument = "--gtest_filter=" + filter;
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    unsetenv(
        "GTEST_TOTAL_SHARDS");  // this process may be one of several shards: the one test is wanted whatever its shard
    unsetenv("GTEST_SHARD_INDEX");
    execl("/proc/self/exe", "contract_test", argument.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The part of the other process: nothing unless it is told to.
TEST(SavedBytes, OfAnotherProcess) {
  const char* folder = std::getenv(folder_variable);
  const char* name = std::getenv(case_variable);
  if (folder == nullptr || name == nullptr) GTEST_SKIP() << "is started by GoOnInAnotherProcess";
  Simulation simulation = started(find_case(name));
  Engine& engine = simulation.engine();
  Snapshot snapshot = engine.make_snapshot();
  engine.from_bytes(read(std::filesystem::path(folder) / "saved"), snapshot);
  engine.restore(snapshot);
  std::ofstream(std::filesystem::path(folder) / "bits") << go_on_and_save(engine, saved_points);
}

class SavedBytesOf : public ::testing::TestWithParam<SavedCase> {};

TEST_P(SavedBytesOf, GoOnInAnotherProcess) {
  const ScratchDirectory folder;
  Simulation simulation = started(GetParam());
  Engine& engine = simulation.engine();
  go_on_and_save(engine, 41);
  write(folder / "saved", saved(engine));
  const std::string expected = go_on_and_save(engine, saved_points);
  ::setenv(folder_variable, (folder / "").c_str(), 1);
  ::setenv(case_variable, GetParam().name, 1);
  EXPECT_EQ(run_again("SavedBytes.OfAnotherProcess"), 0);
  ::unsetenv(folder_variable);
  ::unsetenv(case_variable);
  EXPECT_EQ(content_of(folder / "bits"), expected);
}

// Of a saved state, too, that was never run: the bytes say the same when they are read and written again.
TEST_P(SavedBytesOf, SayTheSameWhenWrittenAgain) {
  Simulation first = started(GetParam());
  go_on_and_save(first.engine(), 41);
  const auto bytes = saved(first.engine());
  Simulation second = started(GetParam());
  Snapshot snapshot = second.engine().make_snapshot();
  second.engine().from_bytes(bytes, snapshot);
  EXPECT_EQ(second.engine().to_bytes(snapshot), bytes);
}

INSTANTIATE_TEST_SUITE_P(All, SavedBytesOf, ::testing::ValuesIn(saved_cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

class Refused : public ::testing::Test {
 protected:
  Refused() : simulation_(started(saved_cases[0])), bytes_(saved_after(simulation_)) {}
  static std::vector<std::byte> saved_after(Simulation& simulation) {
    go_on_and_save(simulation.engine(), 10);
    return saved(simulation.engine());
  }
  void expect_refused(std::span<const std::byte> bytes, const std::string& why) {
    Engine& engine = simulation_.engine();
    Snapshot snapshot = engine.make_snapshot();
    try {
      engine.from_bytes(bytes, snapshot);
      ADD_FAILURE() << "not refused";
    } catch (const ArchiveError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
  Simulation simulation_;
  std::vector<std::byte> bytes_;
};

TEST_F(Refused, IsEveryTruncation) {
  for (std::size_t length = 0; length < bytes_.size(); ++length)
    expect_refused(std::span(bytes_).first(length), "the saved state");
  bytes_.push_back(std::byte{0});
  expect_refused(bytes_, "damaged");
}

TEST_F(Refused, IsEveryDamagedByte) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    bytes_[i] ^= std::byte{0x40};
    expect_refused(bytes_, "damaged");
    bytes_[i] ^= std::byte{0x40};
  }
}

TEST_F(Refused, IsAnotherSystem) {
  for (const SavedCase& c : saved_cases) {
    if (c.name == std::string("jacobi")) continue;
    Simulation other = started(c);
    expect_refused(saved_after(other), "does not fit");
  }
}

// The same subsystems, coupled in another way: what the engine remembers means something else.
TEST_F(Refused, IsAnotherCoupling) {
  for (const char* setting :
       {"coupling.extrapolation=linear", "coupling.scheme=gauss-seidel", "right.step_size=1e-3",
        "bond.coupling.correction={method=\"nepce\"}", "bond.coupling.correction={method=\"none\"}",
        "bond.coupling.feedthrough=refresh", "step_control.method=interface-power"}) {
    SCOPED_TRACE(setting);
    SavedCase other = saved_cases[0];
    other.settings.emplace_back(setting);
    Simulation simulation = started(other);
    expect_refused(saved_after(simulation), "other steps or another coupling");
  }
}

// Not what changes nothing of the past: how long the run is, and how many threads take part.
TEST_F(Refused, IsNotALongerRun) {
  SavedCase longer = saved_cases[0];
  longer.settings.emplace_back("simulation.threads=2");
  longer.settings.emplace_back("simulation.stop_time=200");
  Simulation simulation = started(longer);
  Snapshot snapshot = simulation.engine().make_snapshot();
  simulation.engine().from_bytes(bytes_, snapshot);
  simulation.engine().restore(snapshot);
  EXPECT_EQ(go_on_and_save(simulation.engine(), 50), go_on_and_save(simulation_.engine(), 50));
}

TEST_F(Refused, BytesLeaveTheRunAsItWas) {
  const std::string expected = go_on_and_save(simulation_.engine(), 20);
  Snapshot snapshot = simulation_.engine().make_snapshot();
  simulation_.engine().from_bytes(bytes_, snapshot);
  simulation_.engine().restore(snapshot);
  expect_refused(std::span(bytes_).first(bytes_.size() / 2), "damaged");
  EXPECT_EQ(go_on_and_save(simulation_.engine(), 20), expected);
}

}  // namespace
}  // namespace ergon::bench
