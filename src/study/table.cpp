#include "ergon/study/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "ergon/run/record/csv_writer.hpp"

namespace ergon::study {
namespace {

/// All bits, and nothing for what is not a number.
void add_cell(std::string& row, double value) {
  row += ',';
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(row), "{}", value);
}
void add_cell(std::string& row, const std::optional<double>& value) {
  row += ',';
  if (value && !std::isnan(*value)) fmt::format_to(std::back_inserter(row), "{}", *value);
}
void add_cell(std::string& row, const std::string& text) {
  row += ',';
  row += csv_field(text);
}

constexpr std::array<std::pair<const char*, double>, 5> bands = {
    {{"q05", 0.05}, {"q25", 0.25}, {"q50", 0.5}, {"q75", 0.75}, {"q95", 0.95}}};

}  // namespace

std::string runs_csv(const std::vector<std::string>& settings,
                     const std::vector<std::vector<std::string>>& values,
                     const std::vector<std::string>& measures, const std::vector<Outcome>& outcomes) {
  std::string text = "run";
  for (const std::string& setting : settings) add_cell(text, setting);
  text +=
      ",status,verdict,error_ratio,worst,reached_time,points,steps,exchanged_energy,artificial_energy,stored_"
      "energy,"
      "dissipated_energy,energy_drift";
  for (const std::string& measure : measures) add_cell(text, measure);
  text += ",message\n";
  for (const Outcome& o : outcomes) {
    fmt::format_to(std::back_inserter(text), "{}", o.run);
    for (const std::string& value : values[o.run]) add_cell(text, value);
    add_cell(text, o.status);
    add_cell(text, o.verdict);
    add_cell(text, o.error_ratio);
    add_cell(text, o.worst);
    add_cell(text, o.reached_time_s);
    fmt::format_to(std::back_inserter(text), ",{},{}", o.points, o.steps);
    for (const auto& energy : {o.exchanged_energy_J, o.artificial_energy_J, o.stored_energy_J,
                               o.dissipated_energy_J, o.energy_drift_J})
      add_cell(text, energy);
    for (const double measure : o.measures) add_cell(text, measure);
    add_cell(text, o.message);
    text += '\n';
  }
  return text;
}

std::string costs_csv(const std::vector<Outcome>& outcomes) {
  std::string text = "run,wall_time\n";
  for (const Outcome& o : outcomes)
    fmt::format_to(std::back_inserter(text), "{},{:.6g}\n", o.run, o.wall_time_s);
  return text;
}

std::string bands_csv(const std::vector<std::string>& courses, const std::vector<double>& times_s,
                      const std::vector<Outcome>& outcomes) {
  const std::size_t size = courses.size() * times_s.size();
  std::vector<const Outcome*> whole;
  for (const Outcome& o : outcomes) {
    if (size > 0 && o.courses.size() == size) whole.push_back(&o);
  }
  if (whole.empty()) return {};
  std::string text = "time";
  for (const std::string& course : courses) {
    for (const auto& band : bands) add_cell(text, course + "." + band.first);
  }
  text += '\n';
  std::vector<double> values(whole.size());
  for (std::size_t k = 0; k < times_s.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "{}", times_s[k]);
    for (std::size_t c = 0; c < courses.size(); ++c) {
      for (std::size_t i = 0; i < whole.size(); ++i) values[i] = whole[i]->courses[c * times_s.size() + k];
      std::sort(values.begin(), values.end());
      for (const auto& band : bands) {
        const double place = band.second * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        add_cell(text,
                 values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]));
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace ergon::study
