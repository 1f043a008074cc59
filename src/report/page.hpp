#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/report/compare.hpp"
#include "ergon/report/run_folder.hpp"

namespace ergon::report {

struct PageOptions {
  std::string title;
  std::string ergon_version;
  bool exact = false;  ///< all 64 bits of every number; else float32 distances from the first
};

/// One experiment of `ergon bench`, with its figures as the command writes them.
struct Experiment {
  std::string name;
  std::string summary;
  std::vector<std::string> statement;  ///< paragraphs: what the paper says
  double seconds = 0.0;
  Json rows;
  std::vector<std::pair<std::string, std::string>> setting_units{};  ///< of settings that are numbers
};

/// Pages are single files: script, style and results are inside. They throw std::runtime_error where this build has no pages.
[[nodiscard]] std::string report_page(const RunFolder& run, const PageOptions& options);
[[nodiscard]] std::string compare_page(std::span<const RunFolder> runs, const Comparison& comparison,
                                       const PageOptions& options);
[[nodiscard]] std::string gallery_page(std::span<const Experiment> experiments,
                                       std::span<const RunFolder> runs, const PageOptions& options);

/// Why this build has no pages; empty where it has.
[[nodiscard]] std::string why_no_pages();

}  // namespace ergon::report
