// Claims of the papers: how they are entered, measured and marked, without running a benchmark. Whether they hold is tested where the
// benchmarks run (benchmark_page.hpp).
#include "benchmarks/framework/claim.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "benchmarks/framework/picture.hpp"

namespace ergon::bench {
namespace {

std::vector<Row> some_rows() {
  std::vector<Row> rows;
  for (const double mu : {0.25, 0.5, 1.0}) {
    rows.push_back({{{"mu", mu}, {"method", "paid"}}, "error", "J", {}, {}, mu == 0.5 ? 1.0 : 4.0});
    rows.push_back({{{"mu", mu}, {"method", "none"}}, "error", "J", {}, {}, 8.0});
  }
  rows.push_back({{{"mu", 0.5}, {"method", "paid"}, {"clock", "exact"}}, "error", "J", {}, {}, 2.0});
  return rows;
}

TEST(Claims, AreEnteredWhole) {
  std::set<std::string> said;
  for (const Paper& paper : papers()) {
    EXPECT_FALSE(paper.claims.empty()) << paper.key;
    for (const Claim& claim : paper.claims) {
      EXPECT_TRUE(said.insert(paper.key + claim.place + claim.says).second) << "twice: " << claim.says;
      EXPECT_FALSE(claim.place.empty() || claim.says.empty() || claim.printed.empty() || claim.read.empty())
          << claim.says;
      EXPECT_NE(find_benchmark(claim.benchmark), nullptr) << claim.benchmark;
      EXPECT_FALSE(claim.asks.text().empty()) << claim.says;
    }
    for (const PrintedTable& table : paper.tables) EXPECT_NE(find_benchmark(table.benchmark), nullptr);
  }
}

TEST(Claims, MeasureFiguresOfRows) {
  const std::vector<Row> rows = some_rows();
  const FigureOf paid{"error", {{"method", "paid"}}}, none{"error", {{"method", "none"}}};
  EXPECT_EQ(figure_of(rows, {"error", {{"mu", 0.5}, {"method", "paid"}}}), 1.0)
      << "the row without other settings";
  EXPECT_EQ(figure_of(rows, {"error", {{"mu", 0.5}, {"clock", "exact"}}}), 2.0);
  EXPECT_EQ(
      ratio("", {"error", {{"mu", 1.0}, {"method", "paid"}}}, {"error", {{"mu", 1.0}, {"method", "none"}}})
          .compute(rows),
      0.5);
  EXPECT_EQ(largest("", paid).compute(rows), 4.0);
  EXPECT_EQ(smallest("", paid).compute(rows), 1.0);
  EXPECT_EQ(place_of_smallest("mu", paid).compute(rows), 0.5);
  const std::vector<Row> pairs(rows.begin(), rows.end() - 1);
  EXPECT_EQ(largest_ratio("", paid, none).compute(pairs), 0.5);
  EXPECT_EQ(smallest_ratio("", paid, none).compute(pairs), 0.125);
  EXPECT_THROW((void)figure_of(rows, paid), std::logic_error) << "which of them?";
  EXPECT_THROW((void)figure_of(rows, {"eror", {}}), std::logic_error);
  EXPECT_THROW((void)largest_ratio("", paid, none).compute(rows), std::logic_error) << "not pairs";
}

TEST(Claims, MarksSayWhatStandsBehindARow) {
  Row row{{{"mu", 0.5}}, "error", "J", 1.0, {}, 1.0};
  EXPECT_EQ(row.mark(), Mark::own_figure);
  row.expected = Expectation{.max = 2.0};
  EXPECT_EQ(row.mark(), Mark::regression);
  row.claim = RowClaim{"small", {"paper", "Fig. 1", "0.5", "text"}, Expectation{.max = 0.5}, "it is larger"};
  EXPECT_EQ(row.mark(), Mark::not_as_published);
  EXPECT_TRUE(row.holds()) << "a claim that fails is no regression";
  const auto json = nlohmann::json::parse(rows_to_json({{"b", {row}}})).at(0);
  EXPECT_EQ(json.at("mark"), "not as published");
  EXPECT_EQ(json.at("claim"), "small");
  EXPECT_EQ(json.at("source").at("place"), "Fig. 1");
  EXPECT_EQ(json.at("reason"), "it is larger");
  row.ours = 0.25;
  EXPECT_EQ(row.mark(), Mark::as_published);
  EXPECT_TRUE(nlohmann::json::parse(rows_to_json({{"b", {row}}})).at(0).at("reason").is_null());
}

// The table of leak-table2 with the clock of the paper is the only benchmark whose rows are entries themselves.
TEST(Claims, EntriesOfATableAreMetToTheirLastDigit) {
  std::vector<Row> rows;
  for (const double m2 : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    for (const char* method : {"none", "energy-leak"}) {
      rows.push_back(
          {{{"m2", m2}, {"method", method}, {"clock", "paper"}}, "max_energy_error", "J", 100.5, {}, 100.54});
      rows.back().paper = m2 == 10.0 ? std::optional(100.6) : std::optional(100.5);
    }
  }
  add_claims("leak-table2", rows);
  for (const Row& row : rows) {
    if (row.is_of_claim_alone()) continue;
    const bool ten = std::get<double>(row.settings.front().second) == 10.0;
    EXPECT_EQ(row.mark(), ten ? Mark::not_as_published : Mark::as_published) << "100.54 is printed as 100.5";
  }
  EXPECT_EQ(count_claims(rows).front().not_as_published, 2) << "both at 10 kg";
}

TEST(Pictures, WriteAFileForEachCurve) {
  const auto folder = std::filesystem::temp_directory_path() / "ergon-series-test";
  std::filesystem::remove_all(folder);
  Picture picture{"lim2021", "Fig. 1, case 2", "a title", {"time", "s"}, {"length x₂", "m"}, {}};
  picture.curves = {{"co-simulated", {0.0, 0.5}, {1.0, 2.0}}, {"reference", {0.0}, {1.0 / 3.0}, true}};
  const auto files = write_series({picture}, folder);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].filename(), "lim2021-Fig.-1-case-2-length-x2-co-simulated.csv");
  std::ifstream stream(files[1]);
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_EQ(text.str(), "time [s],length x₂ [m]\n0,0.3333333333333333\n") << "all digits";
  std::filesystem::remove_all(folder);
}

TEST(Pictures, AreThinnedEvenlyAndKeepTheirEnds) {
  PictureCurve curve{"a"};
  for (int i = 0; i <= 1000; ++i) curve.add(i, 2.0 * i);
  const PictureCurve thin = thinned(curve, 11);
  ASSERT_EQ(thin.x.size(), 11U);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(thin.x[i], 100.0 * static_cast<double>(i));
  EXPECT_EQ(thinned(curve, 5000).x.size(), curve.x.size());
}

}  // namespace
}  // namespace ergon::bench
