#include "ergon/study/outcome.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace ergon::study {
namespace {

using nlohmann::json;

/// JSON has no numbers that are not finite.
json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf";
}

double number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw json::other_error::create(500, "not a number", nullptr);
}

json list(const std::vector<double>& values) {
  json result = json::array();
  for (const double value : values) result.push_back(number(value));
  return result;
}

std::vector<double> list_of(const json& values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const json& value : values) result.push_back(number_of(value));
  return result;
}

}  // namespace

std::string to_line(const Outcome& o) {
  json line{{"run", o.run},           {"status", o.status}, {"reached_s", number(o.reached_time_s)},
            {"points", o.points},     {"steps", o.steps},   {"measures", list(o.measures)},
            {"wall_s", o.wall_time_s}};
  const auto add = [&line](const char* key, const auto& value) {
    if (!value.empty()) line[key] = value;
  };
  add("message", o.message);
  add("verdict", o.verdict);
  add("worst", o.worst);
  const auto add_number = [&line](const char* key, const std::optional<double>& value) {
    if (value) line[key] = number(*value);
  };
  add_number("error_ratio", o.error_ratio);
  add_number("exchanged_J", o.exchanged_energy_J);
  add_number("artificial_J", o.artificial_energy_J);
  add_number("stored_J", o.stored_energy_J);
  add_number("dissipated_J", o.dissipated_energy_J);
  add_number("drift_J", o.energy_drift_J);
  if (!o.courses.empty()) line["courses"] = list(o.courses);
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Outcome> outcome_of_line(const std::string& text) {
  try {
    const json line = json::parse(text);
    Outcome o;
    o.run = line.at("run").get<std::size_t>();
    o.status = line.at("status").get<std::string>();
    o.reached_time_s = number_of(line.at("reached_s"));
    o.points = line.at("points").get<std::uint64_t>();
    o.steps = line.at("steps").get<std::uint64_t>();
    o.measures = list_of(line.at("measures"));
    o.wall_time_s = number_of(line.at("wall_s"));
    o.message = line.value("message", "");
    o.verdict = line.value("verdict", "");
    o.worst = line.value("worst", "");
    const auto optional = [&line](const char* key) {
      return line.contains(key) ? std::optional(number_of(line[key])) : std::nullopt;
    };
    o.error_ratio = optional("error_ratio");
    o.exchanged_energy_J = optional("exchanged_J");
    o.artificial_energy_J = optional("artificial_J");
    o.stored_energy_J = optional("stored_J");
    o.dissipated_energy_J = optional("dissipated_J");
    o.energy_drift_J = optional("drift_J");
    if (line.contains("courses")) o.courses = list_of(line["courses"]);
    return o;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace ergon::study
