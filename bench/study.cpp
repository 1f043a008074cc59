// What a study costs beyond its runs: many cheap runs as a study with its journal, and in a plain loop, in turns; and what two workers
// reach of two independent processes.
//   study SCENARIO [RUNS [ROUNDS]]      RUNS runs of 10⁴ steps each (default 1000), medians of ROUNDS (default 3)
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ergon/study/sweep.hpp"

namespace {

using namespace ergon;
namespace fs = std::filesystem;

constexpr const char* steps_of_a_run = "simulation.stop_time=10";  // at 1e-3

/// Elapsed, and of all threads and of processes that have ended.
struct Cost {
  double elapsed_s = 0.0;
  double cpu_s = 0.0;
};

double cpu_s() {
  double sum_s = 0.0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(whose, &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      sum_s += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  }
  return sum_s;
}

Cost cost_of(const std::function<void()>& work) {
  const double cpu = cpu_s();
  const auto begin = std::chrono::steady_clock::now();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), cpu_s() - cpu};
}

std::string mass(std::size_t run, std::size_t runs) {
  return fmt::format("right.m={:.6g}", 1.0 + static_cast<double>(run) / static_cast<double>(runs));
}

void loop(const fs::path& scenario, std::size_t first, std::size_t stride, std::size_t runs) {
  for (std::size_t run = first; run < runs; run += stride) {
    Simulation simulation(scenario, {steps_of_a_run, mass(run, runs)});
    simulation.run();
  }
}

/// The same runs as a study with a journal.
void study_of(const fs::path& scenario, const fs::path& folder, std::size_t runs, unsigned jobs,
              study::Workers workers) {
  study::Study study;
  study.kind = "sweep";
  study.common.scenario = scenario;
  study.common.overrides.settings = {steps_of_a_run};
  study.common.check = MotionCheck::off;
  for (std::size_t run = 0; run < runs; ++run) study.runs.push_back({{mass(run, runs)}, {}});
  study::ExecuteOptions options;
  options.journal = folder / "journal.jsonl";
  options.restart = true;
  options.jobs = jobs;
  options.workers = workers;
  const study::StudyResult result = study::execute(study, options);
  const auto whole = std::count_if(result.outcomes.begin(), result.outcomes.end(),
                                   [](const auto& o) { return o.is_whole(); });
  if (static_cast<std::size_t>(whole) != runs) throw std::runtime_error("not all runs of the study finished");
}

/// Two processes that know nothing of each other, with half of the runs each.
void two_processes(const fs::path& scenario, std::size_t runs) {
  std::fflush(nullptr);
  pid_t children[2];
  for (std::size_t k = 0; k < 2; ++k) {
    children[k] = ::fork();
    if (children[k] == 0) {
      loop(scenario, k, 2, runs);
      ::_exit(0);
    }
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: study SCENARIO [RUNS [ROUNDS]]\n");
    return EXIT_FAILURE;
  }
  const fs::path scenario = argv[1];
  const auto runs = static_cast<std::size_t>(argc > 2 ? std::max(2, std::atoi(argv[2])) : 1000);
  const int rounds = argc > 3 ? std::max(1, std::atoi(argv[3])) : 3;
  std::string folder = (fs::temp_directory_path() / "ergon-study-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  std::vector<double> loops, one, one_cpu, threads, threads_cpu, processes, processes_cpu;
  for (int round = 0; round < rounds; ++round) {
    const Cost alone = cost_of([&] { loop(scenario, 0, 1, runs); });
    const Cost study = cost_of([&] { study_of(scenario, folder, runs, 1, study::Workers::threads); });
    const Cost separate = cost_of([&] { two_processes(scenario, runs); });
    const Cost two_threads = cost_of([&] { study_of(scenario, folder, runs, 2, study::Workers::threads); });
    const Cost two_workers = cost_of([&] { study_of(scenario, folder, runs, 2, study::Workers::processes); });
    loops.push_back(alone.elapsed_s);
    one.push_back(study.elapsed_s / alone.elapsed_s);
    one_cpu.push_back(study.cpu_s / alone.cpu_s);
    threads.push_back(separate.elapsed_s / two_threads.elapsed_s);
    threads_cpu.push_back(separate.cpu_s / two_threads.cpu_s);
    processes.push_back(separate.elapsed_s / two_workers.elapsed_s);
    processes_cpu.push_back(separate.cpu_s / two_workers.cpu_s);
  }
  fs::remove_all(folder);
  fmt::print("{} runs, medians of {} rounds: a loop over Simulation::run {:.2f} s ({:.2f} ms per run)\n",
             runs, rounds, median(loops), 1e3 * median(loops) / static_cast<double>(runs));
  fmt::print(
      "a study with journal, one thread: {:.2f} x the elapsed time of the loop, {:.2f} x its CPU time\n",
      median(one), median(one_cpu));
  fmt::print(
      "of two independent processes, a study on two threads reaches {:.2f} x the throughput, {:.2f} x per "
      "CPU second\n",
      median(threads), median(threads_cpu));
  fmt::print("... and a study in two worker processes {:.2f} x, {:.2f} x per CPU second\n", median(processes),
             median(processes_cpu));
  return EXIT_SUCCESS;
}
