#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

namespace ergon::bench {

/// A scenario that is made up: a file as long as this lives.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("ergon-family-{}-{}.toml", ::getpid(), next_number())) {
    std::ofstream(path_) << text;
  }
  ~ScenarioFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScenarioFile(const ScenarioFile&) = delete;
  ScenarioFile& operator=(const ScenarioFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static unsigned next_number() {
    static std::atomic<unsigned> number{0};
    return number++;
  }
  std::filesystem::path path_;
};

}  // namespace ergon::bench
