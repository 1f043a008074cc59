#include "benchmarks/verdict/families/families_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "benchmarks/verdict/agreement.hpp"

namespace ergon::bench {
namespace {

constexpr std::array<double, MotionTable::bands - 1> bounds = {0.01, 0.05, 0.2};
constexpr std::array<const char*, MotionTable::bands> band_names = {"below 1 %", "1 to 5 %", "5 to 20 %",
                                                                    "above 20 %"};
constexpr std::array<VerdictValue, MotionTable::values> all_values = {
    VerdictValue::reliable, VerdictValue::consistent, VerdictValue::doubtful, VerdictValue::unreliable,
    VerdictValue::not_monitored};

std::size_t band_of(double error) {
  std::size_t band = 0;
  while (band < bounds.size() && !(error < bounds[band])) ++band;
  return band;
}

void add_counts(std::vector<Row>& rows, const std::string& seeds, const char* check, const char* by,
                const long (&counts)[MotionTable::bands][MotionTable::values]) {
  for (std::size_t band = 0; band < MotionTable::bands; ++band) {
    for (std::size_t v = 0; v < MotionTable::values; ++v) {
      const Case settings = {{"seeds", seeds},
                             {"check", std::string(check)},
                             {"by", std::string(by)},
                             {"error", std::string(band_names[band])}};
      rows.push_back({settings, std::string(name_of(all_values[v])), "", std::nullopt, std::nullopt,
                      static_cast<double>(counts[band][v])});
    }
  }
}

void add_totals(std::vector<Row>& rows, const std::string& seeds, const MotionTable& table, bool reported) {
  const auto add = [&](const char* check, const char* what, const char* unit, double value,
                       std::optional<Expectation> expected) {
    const Case settings = {{"seeds", seeds},
                           {"check", std::string(check)},
                           {"by", std::string("motion")},
                           {"error", std::string("all")}};
    rows.push_back({settings, what, unit, std::nullopt, reported ? expected : std::nullopt, value});
  };
  long reliable_off = 0;
  for (const auto& band : table.unchecked) reliable_off += band[0];
  const long good = table.runs(0);
  add("auto", "runs", "", static_cast<double>(table.runs()), at_least(20.0 * 30.0));
  add("auto", "agreement", "%", table.agreement_percent(), at_least(97.0));
  add("auto", "reliable, but above 20 %", "", static_cast<double>(table.missed()), at_most(0.0));
  add("auto", "alarmed, but below 1 %", "%",
      good > 0 ? 100.0 * static_cast<double>(table.alarmed()) / static_cast<double>(good) : 0.0,
      at_most(1.0));
  add("off", "reliable", "", static_cast<double>(reliable_off), at_most(0.0));
  add("off", "consistent, but amplitude off by 20 %", "%", table.wrong_amplitudes_percent(), at_most(2.0));
}

/// Families that were made to mislead, solvers inside, and the bars of all of them.
void add_kinds(std::vector<Row>& rows, const std::string& seeds,
               const std::map<FamilyKind, MotionTable>& by_kind, const MotionTable& all, bool reported) {
  const auto add = [&](const char* by, const char* what, const char* unit, double value,
                       Expectation expected) {
    const Case settings = {{"seeds", seeds},
                           {"check", std::string("auto")},
                           {"by", std::string(by)},
                           {"error", std::string("all")}};
    rows.push_back(
        {settings, what, unit, std::nullopt, reported ? std::optional(expected) : std::nullopt, value});
  };
  for (const auto& [kind, table] : by_kind) {
    if (kind == FamilyKind::ordinary) continue;
    const char* by = kind == FamilyKind::misleading ? "misleading kinds" : "solvers inside";
    add(by, "agreement", "%", table.agreement_percent(), at_least(90.0));
    if (kind == FamilyKind::misleading)
      add(by, "reliable, but above 20 %", "", static_cast<double>(table.missed()), at_most(0.0));
  }
  add("bars", "errors within their bars", "%", all.coverage_percent(), at_least(95.0));
  add("bars", "median of bar over error", "", all.median_bar(), at_most(2.0));
}

}  // namespace

void MotionTable::add(const FamilyRun& run) {
  const auto value = [](VerdictValue v) { return static_cast<std::size_t>(v); };
  ++checked[band_of(run.error)][value(run.checked)];
  ++unchecked[band_of(run.error)][value(run.unchecked)];
  ++unchecked_by_amplitude[band_of(run.amplitude_error)][value(run.unchecked)];
  const bool is_right = run.kind == FamilyKind::solver_inside
                            ? run.checked != VerdictValue::reliable || run.error <= bounds[1]
                            : agrees(run.checked, run.error);
  if (is_right) ++agreeing;
  // Of solvers inside no check run can tell the error: the verdict says so.
  if (run.kind != FamilyKind::solver_inside)
    bar_over_error.insert(bar_over_error.end(), run.bar_over_error.begin(), run.bar_over_error.end());
}

double MotionTable::coverage_percent() const {
  const auto covered =
      std::count_if(bar_over_error.begin(), bar_over_error.end(), [](double b) { return b >= 1.0; });
  return bar_over_error.empty()
             ? 100.0
             : 100.0 * static_cast<double>(covered) / static_cast<double>(bar_over_error.size());
}

double MotionTable::median_bar() const {
  if (bar_over_error.empty()) return 1.0;
  std::vector<double> sorted = bar_over_error;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

long MotionTable::runs(std::size_t band) const {
  long sum = 0;
  for (const long count : checked[band]) sum += count;
  return sum;
}
long MotionTable::runs() const {
  long sum = 0;
  for (std::size_t band = 0; band < bands; ++band) sum += runs(band);
  return sum;
}
double MotionTable::agreement_percent() const {
  return runs() > 0 ? 100.0 * static_cast<double>(agreeing) / static_cast<double>(runs()) : 0.0;
}
long MotionTable::alarmed() const {
  return checked[0][static_cast<std::size_t>(VerdictValue::doubtful)] +
         checked[0][static_cast<std::size_t>(VerdictValue::unreliable)];
}
double MotionTable::wrong_amplitudes_percent() const {
  const auto consistent = static_cast<std::size_t>(VerdictValue::consistent);
  long all = 0;
  for (const auto& band : unchecked_by_amplitude) all += band[consistent];
  const long wrong = unchecked_by_amplitude[bands - 1][consistent];
  return all > 0 ? 100.0 * static_cast<double>(wrong) / static_cast<double>(all) : 0.0;
}

std::vector<FamilyRun> judge_families(unsigned first, unsigned last) {
  std::vector<FamilyRun> runs;
  for (const Family& family : families()) {
    for (unsigned seed = first; seed <= last; ++seed) runs.push_back(judge_family_run(family, seed));
  }
  return runs;
}

std::vector<Row> verdict_families() {
  std::vector<Row> rows;
  std::vector<Row> by_family;
  for (const unsigned first : {1U, 31U}) {
    const std::string seeds = fmt::format("{}-{}", first, first + 29);
    MotionTable table;
    MotionTable all;
    std::map<FamilyKind, MotionTable> by_kind;
    std::vector<std::pair<std::string, MotionTable>> of_family;
    for (const FamilyRun& run : judge_families(first, first + 29)) {
      if (run.kind == FamilyKind::ordinary) table.add(run);
      all.add(run);
      by_kind[run.kind].add(run);
      if (of_family.empty() || of_family.back().first != run.family)
        of_family.emplace_back(run.family, MotionTable{});
      of_family.back().second.add(run);
    }
    add_counts(rows, seeds, "auto", "motion", table.checked);
    add_counts(rows, seeds, "off", "motion", table.unchecked);
    add_counts(rows, seeds, "off", "amplitude", table.unchecked_by_amplitude);
    add_totals(rows, seeds, table, first > 1);
    add_kinds(rows, seeds, by_kind, all, first > 1);
    for (const auto& [family, t] : of_family) {
      const auto add = [&, &name = family](const char* what, const char* unit, double value) {
        const Case settings = {{"seeds", seeds},
                               {"check", std::string("auto")},
                               {"by", "family: " + name},
                               {"error", std::string("all")}};
        by_family.push_back({settings, what, unit, std::nullopt, std::nullopt, value});
      };
      add("agreement", "%", t.agreement_percent());
      add("errors within their bars", "%", t.coverage_percent());
      add("reliable, but above 20 %", "", static_cast<double>(t.missed()));
      add("alarmed, but below 1 %", "", static_cast<double>(t.alarmed()));
    }
  }
  rows.insert(rows.end(), by_family.begin(), by_family.end());
  return rows;
}

}  // namespace ergon::bench
