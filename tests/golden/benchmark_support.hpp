#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"
#include "golden/benchmark_page.hpp"

namespace ergon::bench {

inline std::filesystem::path benchmark_folder(const std::string& name) {
  return std::filesystem::path(ERGON_SOURCE_DIR) / "benchmarks" / name;
}

inline std::string describe(const Row& row) {
  std::string text = row.quantity + ":";
  for (const auto& [key, value] : row.settings) {
    text += " " + key + "=";
    text += std::holds_alternative<double>(value) ? std::to_string(std::get<double>(value))
                                                  : std::get<std::string>(value);
  }
  return text;
}

/// Runs a benchmark and expects every figure that is known, and a page that tells them; returns its rows.
inline std::vector<Row> expect_all_known_figures(const std::string& name, int known_figures) {
  const Benchmark* benchmark = find_benchmark(name);
  EXPECT_NE(benchmark, nullptr) << name;
  if (benchmark == nullptr) return {};
  std::vector<Row> rows = benchmark->run(benchmark_folder(name));
  int known = 0;
  for (const Row& row : rows) {
    EXPECT_TRUE(row.holds()) << describe(row) << " is " << row.ours << ", expected " << row.expected->text();
    known += row.expected ? 1 : 0;
  }
  EXPECT_EQ(known, known_figures) << name;
  expect_page_tells(name, rows);
  return rows;
}

}  // namespace ergon::bench
