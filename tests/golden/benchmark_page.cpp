#include "golden/benchmark_page.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

#include "benchmarks/framework/claim.hpp"
#include "golden/benchmark_support.hpp"

namespace ergon::bench {
namespace {

std::vector<double> figures_of(const std::vector<Row>& rows) {
  std::vector<double> figures;
  for (const Row& row : rows) {
    figures.push_back(row.ours);
    if (row.paper) figures.push_back(*row.paper);
    if (row.expected) {
      const Expectation& e = *row.expected;
      for (const auto& bound : {e.value, e.rel, e.abs, e.min, e.max}) {
        if (bound) figures.push_back(*bound);
      }
    }
    for (const auto& [key, value] : row.settings) {
      if (const auto* number = std::get_if<double>(&value)) figures.push_back(*number);
    }
  }
  return figures;
}

struct Printed {
  double value = 0.0;
  double half_a_digit = 0.0;  ///< what rounding may have taken
};

/// A cell that is nothing but a number with three digits or more, bold or not; a percentage as the fraction that it is.
std::optional<Printed> printed_number(std::string cell) {
  static const std::regex number(R"(^\s*\**([-−]?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?( ?%)?\**\s*$)");
  std::smatch match;
  if (!std::regex_match(cell, match, number)) return std::nullopt;
  const std::string all = match[2].str() + match[3].str();
  const auto first = all.find_first_not_of('0');
  if (first == std::string::npos || all.size() - first < 3) return std::nullopt;
  int exponent = match[4].matched ? std::stoi(match[4].str()) : 0;
  if (match[5].matched) exponent -= 2;
  const double unit = std::pow(10.0, exponent - static_cast<int>(match[3].length()));
  const double sign = match[1].length() > 0 ? -1.0 : 1.0;
  return Printed{sign * std::stod(all) * unit, 0.5 * unit};
}

bool is_rounded_from(const Printed& printed, double figure) {
  return std::abs(figure - printed.value) <= printed.half_a_digit * (1.0 + 1e-6) + 1e-12 * std::abs(figure);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? ""
                                               : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

/// The rows of all tables of a page: cell 0 is what stands before the first bar.
std::vector<std::vector<std::string>> table_rows_of(const std::filesystem::path& page) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(page);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with('|')) rows.push_back(cells_of(line));
  return rows;
}

}  // namespace

void expect_papers_tell(const std::string& name, const std::vector<Row>& rows) {
  std::vector<Row> marked = rows;
  add_claims(name, marked);
  for (const ClaimCount& count : count_claims(marked)) {
    const std::filesystem::path page =
        std::filesystem::path(ERGON_SOURCE_DIR) / "docs" / "papers" / (count.paper + ".md");
    const auto table_rows = table_rows_of(page);
    const std::vector<std::string> counted = {"", fmt::format("[{0}](../../benchmarks/{0}/README.md)", name),
                                              fmt::format("{}", count.as_published + count.not_as_published),
                                              fmt::format("{}", count.as_published),
                                              fmt::format("{}", count.not_as_published)};
    EXPECT_TRUE(std::find(table_rows.begin(), table_rows.end(), counted) != table_rows.end())
        << page << " has no row " << fmt::format("{}", fmt::join(counted, " | "));
    for (const Row& row : marked) {
      if (!row.claim || row.claim->source.paper != count.paper) continue;
      const bool held = row.mark() == Mark::as_published;
      EXPECT_TRUE(held || !row.claim->reason.empty())
          << row.claim->says << ": nothing says why it does not hold";
      if (held && row.claim->source.read == "table") continue;
      const auto told = std::find_if(table_rows.begin(), table_rows.end(), [&](const auto& cells) {
        return cells.size() >= 6 && cells[1] == row.claim->source.place && cells[2] == row.claim->says;
      });
      if (told == table_rows.end()) {
        ADD_FAILURE() << page << " does not tell: " << row.claim->source.place << " | " << row.claim->says;
        continue;
      }
      EXPECT_EQ((*told)[5], held ? "✓" : "✗") << row.claim->says << " is " << row.ours;
      const auto printed = printed_number((*told)[4]);
      EXPECT_TRUE(!printed || is_rounded_from(*printed, row.ours))
          << row.claim->says << ": the page has " << (*told)[4] << ", ours is " << row.ours;
    }
  }
}

std::vector<std::string> numbers_unlike(const std::vector<Row>& rows, const std::string& page) {
  const std::vector<double> figures = figures_of(rows);
  std::vector<std::string> unlike;
  std::istringstream lines(page);
  bool in_table = false;
  bool skipped = false;
  std::string before;
  int line_number = 0;
  for (std::string line; std::getline(lines, line); before = line) {
    ++line_number;
    const bool is_row = line.starts_with('|');
    if (is_row && !in_table) skipped = before.starts_with("<!-- not printed:");
    in_table = is_row;
    if (!is_row || skipped) continue;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '|');) {
      const auto printed = printed_number(cell);
      const auto like = [&](double figure) { return is_rounded_from(*printed, figure); };
      if (printed && std::none_of(figures.begin(), figures.end(), like)) {
        unlike.push_back(fmt::format("{}: {}", line_number, cell));
      }
    }
  }
  return unlike;
}

void expect_page_tells(const std::string& name, const std::vector<Row>& rows) {
  std::ifstream file(benchmark_folder(name) / "README.md");
  ASSERT_TRUE(file) << name << " has no page";
  std::ostringstream page;
  page << file.rdbuf();
  const std::vector<std::string> unlike = numbers_unlike(rows, page.str());
  EXPECT_TRUE(unlike.empty()) << "benchmarks/" << name << "/README.md has " << unlike.size()
                              << " numbers that the benchmark does not print:\n"
                              << fmt::format("{}", fmt::join(unlike, "\n"));
  expect_papers_tell(name, rows);
}

}  // namespace ergon::bench
