#pragma once

#include <string>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Expects every number in the tables of a page to be a figure of the benchmark (ours, of the paper, expected, or of a case),
/// rounded to the digits that the page shows; a percentage is a hundred times a figure. What is compared:
///   cells that are nothing but a number with at least three digits (1000 N/m is a setting, 12 could be anything)
/// A table that the benchmark does not print says so on the line above its header: <!-- not printed: where it comes from -->
void expect_page_tells(const std::string& name, const std::vector<Row>& rows);

/// Expects docs/papers/<paper>.md to count the claims of the paper that this benchmark tests, and to list each of them with its
/// mark and our figure; entries of printed tables are listed where they do not hold.
void expect_papers_tell(const std::string& name, const std::vector<Row>& rows);

/// The numbers of a page that no figure rounds to, "line: number".
std::vector<std::string> numbers_unlike(const std::vector<Row>& rows, const std::string& page);

}  // namespace ergon::bench
