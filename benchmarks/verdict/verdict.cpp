#include "benchmarks/verdict/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "benchmarks/verdict/agreement.hpp"

namespace ergon::bench {
namespace {

constexpr std::array<double, VerdictTable::bands - 1> bounds = {0.02, 0.05, 0.1, 0.2};
constexpr std::array<const char*, VerdictTable::bands> band_names = {"below 2 %", "2 to 5 %", "5 to 10 %",
                                                                     "10 to 20 %", "above 20 %"};

/// Outside, the ratio of estimated and true error is that of round-off, or of explosions.
constexpr double smallest_compared = 0.005;
constexpr double largest_compared = 5.0;

void add_rows(std::vector<Row>& rows, const std::string& seeds, const std::string& evidence,
              const VerdictTable& table, std::optional<Expectation> agreement) {
  for (std::size_t band = 0; band < VerdictTable::bands; ++band) {
    const Case settings = {{"seeds", seeds}, {"evidence", evidence}, {"true_error", band_names[band]}};
    for (const VerdictValue value :
         {VerdictValue::consistent, VerdictValue::doubtful, VerdictValue::unreliable}) {
      const auto count = static_cast<double>(table.counts[band][static_cast<std::size_t>(value)]);
      const bool forbidden = (band == 0 && value == VerdictValue::unreliable) ||
                             (band + 1 == VerdictTable::bands && value == VerdictValue::consistent);
      rows.push_back({settings, std::string(name_of(value)), "", std::nullopt,
                      forbidden ? std::optional(at_most(0.0)) : std::nullopt, count});
    }
  }
  const Case all = {{"seeds", seeds}, {"evidence", evidence}, {"true_error", std::string("all")}};
  rows.push_back({all, "runs", "", std::nullopt, std::nullopt, static_cast<double>(table.runs())});
  rows.push_back({all, "agreement", "%", std::nullopt, agreement, table.agreement_percent()});
}

/// How well the estimate meets the true error: quantiles of their ratio.
void add_quantiles(std::vector<Row>& rows, const std::string& seeds, const std::string& evidence,
                   std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const Case settings = {
      {"seeds", seeds}, {"evidence", evidence}, {"true_error", std::string("0.5 to 500 %")}};
  const std::pair<const char*, double> quantiles[] = {
      {"estimate/true: least", 0.0}, {"5 %", 0.05}, {"median", 0.5}, {"95 %", 0.95}, {"most", 1.0}};
  for (const auto& [name, quantile] : quantiles) {
    const auto at = static_cast<std::size_t>(quantile * static_cast<double>(ratios.size() - 1));
    rows.push_back({settings, name, "", std::nullopt, std::nullopt, ratios[at]});
  }
}

}  // namespace

void VerdictTable::add(double true_error, VerdictValue value, double estimated_error) {
  if (true_error > smallest_compared && true_error < largest_compared)
    estimates.push_back(estimated_error / true_error);

  if (agrees(value, true_error)) ++agreeing;
  std::size_t band = 0;
  while (band < bounds.size() && true_error >= bounds[band]) ++band;
  ++counts[band][static_cast<std::size_t>(value)];
}

long VerdictTable::runs(std::size_t band) const {
  long sum = 0;
  for (const long count : counts[band]) sum += count;
  return sum;
}

long VerdictTable::runs() const {
  long sum = 0;
  for (std::size_t band = 0; band < bands; ++band) sum += runs(band);
  return sum;
}

double VerdictTable::agreement_percent() const {
  return runs() > 0 ? 100.0 * static_cast<double>(agreeing) / static_cast<double>(runs()) : 0.0;
}

long VerdictTable::missed() const {
  return counts[bands - 1][static_cast<std::size_t>(VerdictValue::reliable)] +
         counts[bands - 1][static_cast<std::size_t>(VerdictValue::consistent)];
}
long VerdictTable::blamed() const {
  return counts[0][static_cast<std::size_t>(VerdictValue::unreliable)];
}

VerdictTables judge_seeds(const std::filesystem::path& folder, unsigned first, unsigned last,
                          double smallest_step_s) {
  VerdictTables tables;
  for (unsigned seed = first; seed <= last; ++seed) {
    for (const OscillatorSetup& setup : oscillator_setups(seed)) {
      if (setup.H_s < smallest_step_s) continue;
      const JudgedRun run = judge_run(folder / "f-s.toml", setup);
      tables.by_accounts.add(run.true_error, run.by_accounts, run.by_accounts_ratio);
      VerdictTable& blind = setup.feedthrough == "stale" ? tables.blind_stale : tables.blind_fresh;
      blind.add(run.true_error, run.blind, run.blind_ratio);
    }
  }
  return tables;
}

std::vector<Row> verdict(const std::filesystem::path& folder) {
  std::vector<Row> rows;
  std::vector<Row> quantiles;
  for (const unsigned first : {1U, 101U}) {
    const std::string seeds = fmt::format("{}-{}", first, first + 99);
    const VerdictTables tables = judge_seeds(folder, first, first + 99);
    add_rows(rows, seeds, "accounts", tables.by_accounts, at_least(90.0));
    add_rows(rows, seeds, "blind", tables.blind_fresh, std::nullopt);
    add_rows(rows, seeds, "blind, stale", tables.blind_stale, std::nullopt);
    add_quantiles(quantiles, seeds, "accounts", tables.by_accounts.estimates);
    add_quantiles(quantiles, seeds, "blind", tables.blind_fresh.estimates);
    add_quantiles(quantiles, seeds, "blind, stale", tables.blind_stale.estimates);
  }
  rows.insert(rows.end(), quantiles.begin(), quantiles.end());
  return rows;
}

}  // namespace ergon::bench
