#include "benchmarks/work-precision/cost_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "benchmarks/work-precision/settings.hpp"

namespace ergon::bench {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();
constexpr const char* accuracies[] = {"1%", "0.1%"};

std::string said(const Row& row, const char* key) {
  for (const auto& [name, value] : row.settings) {
    if (name == key) return std::get<std::string>(value);
  }
  return {};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::string ratio_text(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "> all";
}

}  // namespace

RelativeCosts::RelativeCosts(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    constexpr std::string_view quantity = "evaluations_";
    if (!row.quantity.starts_with(quantity)) continue;
    const std::string accuracy = row.quantity.substr(quantity.size());
    Place& place = place_of(said(row, "problem"), said(row, "integrator"));
    const std::string setting = said(row, "setting");
    place.costs[accuracy][setting] = row.ours;
    if (said(row, "origin") != name_of(WorkSetting::Origin::others)) continue;
    const auto [best, is_new] = place.best_of_others.try_emplace(accuracy, setting, row.ours);
    if (row.ours < best->second.second) best->second = {setting, row.ours};
  }
}

RelativeCosts::Place& RelativeCosts::place_of(const std::string& problem, const std::string& integrator) {
  const auto at = std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
    return place.problem == problem && place.integrator == integrator;
  });
  if (at != places_.end()) return *at;
  return places_.emplace_back(Place{problem, integrator, {}, {}});
}

std::optional<double> RelativeCosts::ratio(const Place& place, const std::string& accuracy,
                                           const std::string& setting) {
  const auto costs = place.costs.find(accuracy);
  const auto best = place.best_of_others.find(accuracy);
  if (costs == place.costs.end() || best == place.best_of_others.end()) return std::nullopt;
  const auto cost = costs->second.find(setting);
  if (cost == costs->second.end()) return std::nullopt;
  // Where none of the others gets there, whoever does is ahead of all.
  if (!std::isfinite(best->second.second) && !std::isfinite(cost->second)) return std::nullopt;
  return cost->second / best->second.second;
}

std::vector<double> RelativeCosts::ratios(const std::string& accuracy, const std::string& setting,
                                          const std::string& integrator) const {
  std::vector<double> all;
  for (const Place& place : places_) {
    if (!integrator.empty() && place.integrator != integrator) continue;
    if (const auto one = ratio(place, accuracy, setting)) all.push_back(*one);
  }
  return all;
}

std::string RelativeCosts::by_setting() const {
  std::string text =
      "Evaluations of right-hand sides over those of the cheapest of the others: median and largest of all "
      "problems\n\n";
  text += fmt::format("{:<9}{:<38}", "", "");
  const std::pair<const char*, const char*> kinds[] = {
      {"start", "start"}, {"within", "within"}, {"", "both"}};
  for (const auto& [kind, name] : kinds) {
    for (const char* accuracy : accuracies)
      text += fmt::format("{:^15}", fmt::format("{}, {}", name, accuracy));
  }
  text += "\n";
  for (const WorkSetting& setting : work_settings()) {
    text += fmt::format("{:<9}{:<38}", name_of(setting.origin), setting.name);
    for (const auto& [kind, name] : kinds) {
      for (const char* accuracy : accuracies) {
        const std::vector<double> all = ratios(accuracy, setting.name, kind);
        text += all.empty() ? fmt::format("{:>6} {:>6}  ", "-", "-")
                            : fmt::format("{:>6} {:>6}  ", ratio_text(median(all)),
                                          ratio_text(*std::max_element(all.begin(), all.end())));
      }
    }
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  return text;
}

std::string RelativeCosts::by_problem() const {
  std::string text;
  for (const char* accuracy : accuracies) {
    text += fmt::format("\nTo {} of the motion, problem by problem, over the cheapest of the others\n\n",
                        accuracy);
    text += fmt::format("{:<17}{:<8}{:>9}  {:<34}", "problem", "inside", "others", "by");
    std::vector<std::string> defaults;
    for (const WorkSetting& setting : work_settings()) {
      if (setting.origin != WorkSetting::Origin::normal) continue;
      defaults.push_back(setting.name);
      text += fmt::format("{:>16}", setting.name);
    }
    text += fmt::format("{:>8}  {}\n", "best", "by");
    for (const Place& place : places_) {
      const auto others = place.best_of_others.find(accuracy);
      if (others == place.best_of_others.end()) continue;
      const double cost = others->second.second;
      text += fmt::format("{:<17}{:<8}{:>9}  {:<34}", place.problem, place.integrator,
                          std::isfinite(cost) ? fmt::format("{:.0f}", cost) : "-",
                          std::isfinite(cost) ? others->second.first : "none");
      for (const std::string& setting : defaults) {
        const auto one = ratio(place, accuracy, setting);
        text += fmt::format("{:>16}", one ? ratio_text(*one) : "-");
      }
      double least = unreached;
      std::string by = "none";
      for (const auto& [setting, value] : place.costs.at(accuracy)) {
        if (!(value < least)) continue;
        least = value;
        by = setting;
      }
      text += fmt::format("{:>8}  {}\n", std::isfinite(least) ? ratio_text(least / cost) : "-", by);
    }
  }
  return text;
}

}  // namespace ergon::bench
