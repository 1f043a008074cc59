#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "benchmarks/verdict/families/network.hpp"
#include "ergon/run/simulation.hpp"

/// Runs of scenarios that tests write, with their verdict.
namespace ergon::bench {

class Text {
 public:
  explicit Text(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("ergon-motion-{}.toml", getpid())) {
    std::ofstream(path_) << text;
  }
  ~Text() { std::filesystem::remove(path_); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Summary judged(const std::string& text, MotionCheck check = MotionCheck::automatic,
                      const std::vector<std::string>& settings = {}) {
  const Text file(text);
  Simulation simulation(file.path(), settings);
  simulation.check_motion(check);
  simulation.run();
  return simulation.summary();
}

inline const VerdictReason* find(const Verdict& verdict, ReasonKind kind) {
  const auto reason = std::find_if(verdict.reasons.begin(), verdict.reasons.end(),
                                   [&](const VerdictReason& r) { return r.kind == kind; });
  return reason == verdict.reasons.end() ? nullptr : &*reason;
}

inline Network pair() {
  Network n;
  n.masses = {{1.0, 40.0, 0.0, 0.0, 0.0, 0.1, 1.0}, {2.0, 90.0, 0.0, 0.0, 0.0, -0.2, -1.0}};
  n.springs = {{120.0, 0.0, 0.0}};
  return n;
}

inline NetworkSetup steps(double H_s, long count, const char* feedthrough = "stale") {
  NetworkSetup s;
  s.H_s = H_s;
  s.steps = count;
  s.feedthrough = feedthrough;
  return s;
}

}  // namespace ergon::bench
