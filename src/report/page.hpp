#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/report/blocks.hpp"
#include "ergon/report/compare.hpp"
#include "ergon/report/run_folder.hpp"

namespace ergon::report {

struct PageOptions {
  std::string title;
  std::string ergon_version;
  bool exact = false;  ///< all 64 bits of every number; else float32 distances from the first
};

/// A figure of a paper, drawn again.
struct ExperimentCurve {
  std::string label;
  bool reference = false;
  bool points_only = false;
  std::vector<double> x, y;
};
struct ExperimentPicture {
  std::string paper, figure, title;
  std::string x_label, x_unit, y_label, y_unit;
  std::vector<ExperimentCurve> curves;
};

/// One experiment of `ergon bench`, with its figures as the command writes them.
struct Experiment {
  std::string name;
  std::string summary;
  std::vector<std::string> statement;  ///< paragraphs: what the paper says
  double seconds = 0.0;
  Json rows;
  std::vector<std::pair<std::string, std::string>> setting_units{};  ///< of settings that are numbers
  std::vector<ExperimentPicture> pictures{};
};

/// A single file: script, style and results are inside. Numbers are held as the page carries them, and one column of a table at a
/// time while it is made.
class Page {
 public:
  Page(Json data, Blocks blocks, bool animated, PageOptions options)
      : data_(std::move(data)),
        blocks_(std::move(blocks)),
        animated_(animated),
        options_(std::move(options)) {}
  void write(const PageSink& sink) const;

 private:
  Json data_;
  Blocks blocks_;
  bool animated_;
  PageOptions options_;
};

/// These throw std::runtime_error where this build has no pages.
[[nodiscard]] Page report_page(const RunFolder& run, const PageOptions& options);
[[nodiscard]] Page compare_page(std::span<const RunFolder> runs, const Comparison& comparison,
                                const PageOptions& options);
[[nodiscard]] Page gallery_page(std::span<const Experiment> experiments, std::span<const RunFolder> runs,
                                const PageOptions& options);

/// Why this build has no pages; empty where it has.
[[nodiscard]] std::string why_no_pages();

}  // namespace ergon::report
