#include "benchmarks/verdict/families/families_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>

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
  if (good > 0)
    add("auto", "steps of check runs over those of the run, below 1 %", "",
        table.good_check_steps / static_cast<double>(good), std::nullopt);
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

/// A commit and what it says belong together on every platform.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 1469598103934665603U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

void add_energies(std::vector<Row>& rows, const std::string& seeds, const MotionTable& all) {
  const char* what[] = {"energy unreliable beside a motion that is reliable",
                        "the same, as large at half the step size"};
  for (int stays = 0; stays < 2; ++stays) {
    for (std::size_t band = 0; band < MotionTable::bands; ++band) {
      const Case settings = {{"seeds", seeds},
                             {"check", std::string("auto")},
                             {"by", std::string("energy beside motion")},
                             {"error", std::string(band_names[band])}};
      rows.push_back({settings, what[stays], "", std::nullopt, std::nullopt,
                      static_cast<double>(all.energy_beside_motion[stays][band])});
    }
  }
}

/// Wrong runs, one of each family in turn, until there are enough.
void add_advice(std::vector<Row>& rows, const std::string& name, const std::vector<unsigned>& seeds) {
  constexpr std::size_t wanted = 60;
  constexpr double right = 0.05;
  std::vector<AdvisedRun> runs;
  for (const unsigned seed : seeds) {
    for (const Family& family : families()) {
      if (runs.size() >= wanted) break;
      if (auto run = follow_advice(family, seed)) runs.push_back(std::move(*run));
    }
  }
  const auto mended =
      std::count_if(runs.begin(), runs.end(), [](const AdvisedRun& r) { return r.error_then < right; });
  const Case settings = {{"seeds", name},
                         {"check", std::string("auto")},
                         {"by", std::string("advice")},
                         {"error", std::string("above 5 %")}};
  rows.push_back({settings, "wrong runs", "", std::nullopt, std::nullopt, static_cast<double>(runs.size())});
  rows.push_back({settings, "right after what was advised", "", std::nullopt,
                  at_least(0.9 * static_cast<double>(runs.size())), static_cast<double>(mended)});
}

/// All of a set of seeds; `reported`: with expectations.
void add_set(std::vector<Row>& rows, std::vector<Row>& by_family, const std::string& seeds,
             const std::vector<FamilyRun>& runs, bool reported) {
  MotionTable table;
  MotionTable all;
  std::map<FamilyKind, MotionTable> by_kind;
  std::vector<std::pair<std::string, MotionTable>> of_family;
  for (const FamilyRun& run : runs) {
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
  add_totals(rows, seeds, table, reported);
  add_kinds(rows, seeds, by_kind, all, reported);
  add_energies(rows, seeds, all);
  constexpr long enough_runs = 200;
  for (const auto& [family, t] : of_family) {
    const auto add = [&, &name = family](const char* what, const char* unit, double value,
                                         std::optional<Expectation> expected = std::nullopt) {
      const Case settings = {{"seeds", seeds},
                             {"check", std::string("auto")},
                             {"by", "family: " + name},
                             {"error", std::string("all")}};
      by_family.push_back({settings, what, unit, std::nullopt, expected, value});
    };
    const bool is_bound = reported && t.runs() >= enough_runs;
    add("agreement", "%", t.agreement_percent());
    add("errors within their bars", "%", t.coverage_percent(),
        is_bound ? std::optional(at_least(90.0)) : std::nullopt);
    add("reliable, but above 20 %", "", static_cast<double>(t.missed()));
    add("alarmed, but below 1 %", "", static_cast<double>(t.alarmed()));
  }
}

std::vector<FamilyRun> judge_seeds_of_families(const std::vector<unsigned>& seeds,
                                               const std::vector<std::string>& only) {
  std::vector<FamilyRun> runs;
  for (const Family& family : families()) {
    if (!only.empty() && std::find(only.begin(), only.end(), family.name) == only.end()) continue;
    for (const unsigned seed : seeds) runs.push_back(judge_family_run(family, seed));
  }
  return runs;
}

std::vector<unsigned> consecutive(unsigned first, unsigned last) {
  std::vector<unsigned> seeds;
  for (unsigned seed = first; seed <= last; ++seed) seeds.push_back(seed);
  return seeds;
}

}  // namespace

std::vector<unsigned> drawn_seeds(const std::string& from, unsigned count) {
  constexpr unsigned first = 1000;
  constexpr unsigned last = 2'000'000'000;
  std::mt19937_64 generator(hash_of(from));
  std::vector<unsigned> seeds;
  while (seeds.size() < count) {
    const auto seed = first + static_cast<unsigned>(generator() % (last - first));
    if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
  }
  return seeds;
}

void MotionTable::add(const FamilyRun& run) {
  const auto value = [](VerdictValue v) { return static_cast<std::size_t>(v); };
  ++checked[band_of(run.error)][value(run.checked)];
  ++unchecked[band_of(run.error)][value(run.unchecked)];
  ++unchecked_by_amplitude[band_of(run.amplitude_error)][value(run.unchecked)];
  const bool is_right = run.kind == FamilyKind::solver_inside
                            ? run.checked != VerdictValue::reliable || run.error <= bounds[1]
                            : agrees(run.checked, run.error);
  if (is_right) ++agreeing;
  if (run.error < bounds[0]) good_check_steps += run.check_steps;
  if (run.unchecked == VerdictValue::unreliable && run.motion == VerdictValue::reliable)
    ++energy_beside_motion[run.energy_stays ? 1 : 0][band_of(run.error)];
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
  return judge_seeds_of_families(consecutive(first, last), {});
}

std::vector<Row> verdict_families(const FamilySeeds& choice) {
  std::vector<Row> rows;
  std::vector<Row> by_family;
  std::vector<unsigned> reported;
  std::string name;
  if (choice.from.empty()) {
    constexpr unsigned runs = 30;
    reported = consecutive(runs + 1, 2 * runs);
    name = fmt::format("{}-{}", runs + 1, 2 * runs);
    add_set(rows, by_family, fmt::format("1-{}", runs),
            judge_seeds_of_families(consecutive(1, runs), choice.only), false);
  } else {
    constexpr std::size_t shown = 12;
    reported = drawn_seeds(choice.from, choice.runs);
    name = fmt::format("{} of {}", choice.runs, choice.from.substr(0, shown));
  }
  add_set(rows, by_family, name, judge_seeds_of_families(reported, choice.only), true);
  if (choice.only.empty()) add_advice(rows, name, reported);
  rows.insert(rows.end(), by_family.begin(), by_family.end());
  return rows;
}

}  // namespace ergon::bench
