#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"
#include "ergon/report/page.hpp"

namespace ergon::app {

/// One benchmark that was run.
struct BenchOutcome {
  const bench::Benchmark* benchmark = nullptr;
  std::vector<bench::Row> rows;
  double seconds = 0.0;
  bench::Pictures pictures{};
};

/// The page of all of them: what the papers say, our figures, plots; of some a run to look at.
[[nodiscard]] report::Page bench_gallery(const std::vector<BenchOutcome>& outcomes);

/// The first paragraphs of a page in Markdown, as plain text.
[[nodiscard]] std::vector<std::string> first_paragraphs(const std::string& markdown, std::size_t most);

}  // namespace ergon::app
