#include "other_costs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "ergon/run/simulation.hpp"

namespace ergon::bench {
namespace {

/// A file for as long as this lives.
class ScratchFile {
 public:
  ScratchFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("ergon-bench-{}-{}", getpid(), name)) {
    if (!(std::ofstream(path_) << text)) throw std::runtime_error("cannot write " + path_.string());
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string chain_text(std::size_t masses) {
  std::string text = "[simulation]\nstop_time = 1.0\nstep_size = 1e-3\n";
  for (std::size_t i = 0; i < masses; ++i) {
    text += fmt::format(
        "[[subsystem]]\nname = \"m{:05}\"\nmodel = \"oscillator.force_output\"\n"
        "parameters = {{ m = 1.0, k = 10.0, c = 0.1, kc = 100.0, cc = 0.1, force_ports = 1 }}\n"
        "initial = {{ v = {:.1f} }}\n",
        i, i % 2 == 0 ? 1.0 : -1.0);
  }
  for (std::size_t i = 0; i + 1 < masses; ++i) {
    text += fmt::format(
        "[[bond]]\nname = \"b{0:05}\"\n"
        "a = {{ effort = \"m{0:05}.force\", flow = \"m{0:05}.velocity_in\", displacement = "
        "\"m{0:05}.position_in\" }}\n"
        "b = {{ effort = \"m{1:05}.force_in\", flow = \"m{1:05}.velocity\", displacement = "
        "\"m{1:05}.position\" }}\n",
        i, i + 1);
  }
  return text;
}

/// A body hung on a cable, both with this communication step.
std::string cable_text(const std::string& name, const char* step_s) {
  return fmt::format(
      "[[subsystem]]\nname = \"body{0}\"\nmodel = \"multibody.rigid_body\"\nstep_size = {1}\n"
      "parameters = {{ m = 50.0, J = [2.0, 2.0, 2.0], gravity = [0.0, -9.81, 0.0] }}\n"
      "initial = {{ position = [0.0, 0.0, 0.0], velocity = [0.0, 0.0, 1.0] }}\n"
      "[[subsystem]]\nname = \"cable{0}\"\nmodel = \"cable.ancf\"\nstep_size = {1}\n"
      "parameters = {{ a = [0.0, 0.0, 0.0], b = [6.0, 0.0, 0.0], radius = 0.01, density = 2000.0, E = 2e8, "
      "elements = 8 }}\nintegrator = {{ method = \"semi-implicit-euler\", step = 2e-5 }}\n"
      "[[bond]]\nname = \"hook{0}\"\n"
      "a = {{ effort = \"cable{0}.a_force\", displacement = \"cable{0}.a_position\" }}\n"
      "b = {{ effort = \"body{0}.force\", flow = \"body{0}.velocity\", displacement = \"body{0}.position\" "
      "}}\n",
      name, step_s);
}

std::string simulation_text(const char* stop_time_s) {
  return fmt::format("[simulation]\nstop_time = {}\nstep_size = 1e-3\n", stop_time_s);
}

std::string cables_text() {
  std::string text = simulation_text("0.1");
  for (int i = 0; i < 8; ++i) text += cable_text(std::to_string(i), "1e-3");
  return text;
}

/// Wall time of a run on so many threads, without anybody who looks at it.
double run_time_s(const ScratchFile& file, int threads, double* cable_step_s = nullptr) {
  Simulation simulation(file.path(), {fmt::format("simulation.threads={}", threads)});
  if (simulation.start()) throw std::runtime_error("the cables did not start");
  const auto begin = std::chrono::steady_clock::now();
  while (!simulation.engine().done()) {
    if (simulation.engine().advance()) throw std::runtime_error("the cables failed");
  }
  const double seconds = seconds_since(begin);
  if (cable_step_s != nullptr)
    *cable_step_s = simulation.engine().cost(*simulation.system().find_node("cable0")).mean_step_s;
  return seconds;
}

/// Resident pages of this process, in bytes.
double resident_bytes() {
  std::size_t all = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::vector<OtherCost> cost_of_threads(int repeats) {
  const ScratchFile file("cables.toml", cables_text());
  std::vector<double> one, two, at_once;
  double step_s = 0.0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    one.push_back(run_time_s(file, 1, &step_s));
    two.push_back(run_time_s(file, 2));
    double other_s = 0.0;
    std::thread other([&] { other_s = run_time_s(file, 1); });
    const double own_s = run_time_s(file, 1);
    other.join();
    at_once.push_back(std::max(own_s, other_s));
  }
  const std::string of = fmt::format("8 bodies on 8 cables, {:.0f} µs a step of a cable", 1e6 * step_s);
  return {{"one thread", of, median(one), "s"},
          {"two threads", of, median(two), "s"},
          {"two threads over one", of, median(two) / median(one), ""},
          {"two runs at once", "two such runs on a thread each over one after the other",
           median(at_once) / (2.0 * median(one)), ""}};
}

std::vector<OtherCost> cost_of_slow_steps(int repeats) {
  const ScratchFile file("slow-and-fast.toml",
                         simulation_text("1.0") + cable_text("0", "1e-3") + cable_text("1", "1e-2"));
  std::vector<double> one, two;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    one.push_back(run_time_s(file, 1));
    two.push_back(run_time_s(file, 2));
  }
  return {{"slow beside fast",
           "a body on a cable with steps of 10 ms beside another with 1 ms, two threads over one",
           median(two) / median(one), ""}};
}

std::vector<OtherCost> cost_of_loading(std::size_t masses, int repeats) {
  const ScratchFile file("chain.toml", chain_text(masses));
  std::vector<double> seconds;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    const Simulation simulation(file.path());
    seconds.push_back(seconds_since(begin));
  }
  return {
      {"loading", fmt::format("chain of {} masses, all bonds, from its file", masses), median(seconds), "s"}};
}

std::vector<OtherCost> cost_of_memory(std::size_t masses) {
  const ScratchFile file("memory.toml", chain_text(masses));
  const double before = resident_bytes();
  Simulation simulation(file.path());
  if (simulation.start()) throw std::runtime_error("the chain did not start");
  const double bytes = (resident_bytes() - before) / static_cast<double>(masses);
  return {
      {"memory",
       fmt::format("chain of {} masses, started; per mass and bond, its scenario and names included", masses),
       bytes / 1024.0, "KiB"}};
}

}  // namespace ergon::bench
