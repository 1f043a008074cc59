#include "benchmarks/framework/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace ergon::bench {

std::string Benchmark::unit_of_setting(const std::string& setting) const {
  for (const auto& [known, unit] : setting_units)
    if (known == setting) return unit;
  const bool step_size = setting.starts_with("H") || setting.starts_with("h_");
  return step_size ? "s" : "";
}

bool Expectation::holds(double ours) const {
  if (!std::isfinite(ours)) return false;
  if (value) {
    const double tolerance = rel.value_or(0.0) * std::abs(*value) + abs.value_or(0.0);
    if (!(std::abs(ours - *value) <= tolerance)) return false;
  }
  if (min && !(ours >= *min)) return false;
  if (max && !(ours <= *max)) return false;
  return true;
}

std::string Expectation::text() const {
  if (value && rel) return fmt::format("{:.5g} ± {:.2g} %", *value, 100.0 * *rel);
  if (value) return fmt::format("{:.5g} ± {:.2g}", *value, abs.value_or(0.0));
  if (min && max) return fmt::format("{:.4g} … {:.4g}", *min, *max);
  if (max) return fmt::format("≤ {:.4g}", *max);
  if (min) return fmt::format("≥ {:.4g}", *min);
  return "";
}

std::string name_of(Mark mark) {
  switch (mark) {
    case Mark::as_published:
      return "as published";
    case Mark::not_as_published:
      return "not as published";
    case Mark::regression:
      return "regression";
    default:
      return "own figure";
  }
}

Mark Row::mark() const {
  if (claim) return claim->asks.holds(ours) ? Mark::as_published : Mark::not_as_published;
  return expected ? Mark::regression : Mark::own_figure;
}

bool Row::is_of_claim_alone() const {
  return claim && !settings.empty() && settings.front().first == "claim";
}

const Benchmark* find_benchmark(const std::string& name) {
  for (const Benchmark& b : benchmarks()) {
    if (b.name == name) return &b;
  }
  return nullptr;
}

std::filesystem::path benchmarks_folder() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("ERGON_BENCHMARKS")) return given;
  std::error_code error;
  for (fs::path p = fs::read_symlink("/proc/self/exe", error); p.has_relative_path(); p = p.parent_path()) {
    if (fs::exists(p / "benchmarks" / "lim-oscillator")) return p / "benchmarks";
  }
  return "benchmarks";
}

namespace {

std::string case_text(const CaseValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::format("{:g}", std::get<double>(value));
}

/// Columns a character wide on the terminal; UTF-8 continuation bytes take none.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string format_table(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> width;
  for (const auto& line : lines) {
    width.resize(std::max(width.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], display_width(line[i]));
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out.append(width[i] - display_width(line[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string rows_to_table(const std::vector<Row>& rows) {
  // One line per case, one column per quantity: the settings of a case are said once.
  std::vector<std::string> keys;
  std::vector<std::string> quantities;
  const auto note = [](std::vector<std::string>& list, const std::string& item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  };
  bool any_paper = false;
  for (const Row& row : rows) {
    if (row.is_of_claim_alone()) continue;
    for (const auto& [key, value] : row.settings) note(keys, key);
    note(quantities, row.quantity + (row.unit.empty() ? "" : " [" + row.unit + "]"));
    any_paper = any_paper || row.paper;
  }
  std::vector<std::vector<std::string>> lines(1);
  lines[0] = keys;
  for (const std::string& q : quantities) {
    if (any_paper) lines[0].push_back("paper");
    lines[0].push_back(q);
    lines[0].push_back("expected");
  }
  const std::size_t per_quantity = any_paper ? 3 : 2;
  for (std::size_t i = 0; i < rows.size();) {
    if (rows[i].is_of_claim_alone()) {  // told under the table
      ++i;
      continue;
    }
    std::vector<std::string> line(keys.size() + per_quantity * quantities.size());
    for (const auto& [key, value] : rows[i].settings) {
      line[static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin())] =
          case_text(value);
    }
    std::size_t j = i;
    for (; j < rows.size() && rows[j].settings == rows[i].settings; ++j) {
      const Row& row = rows[j];
      const std::string q = row.quantity + (row.unit.empty() ? "" : " [" + row.unit + "]");
      std::size_t column =
          static_cast<std::size_t>(std::find(quantities.begin(), quantities.end(), q) - quantities.begin());
      column = keys.size() + per_quantity * column;
      if (any_paper) line[column++] = row.paper ? fmt::format("{:g}", *row.paper) : "";
      line[column] = fmt::format("{:.5g}", row.ours);
      line[column + 1] = row.expected ? row.expected->text() + (row.holds() ? "  ✓" : "  ✗") : "";
    }
    lines.push_back(std::move(line));
    i = j;
  }
  return format_table(lines);
}

std::string rows_to_json(const std::vector<std::pair<std::string, std::vector<Row>>>& results) {
  using nlohmann::ordered_json;
  ordered_json array = ordered_json::array();
  const auto number = [](double value) -> ordered_json {
    if (std::isfinite(value)) return value;
    return nullptr;  // JSON has no NaN; such a row does not hold
  };
  for (const auto& [benchmark, rows] : results) {
    for (const Row& row : rows) {
      ordered_json item;
      item["benchmark"] = benchmark;
      item["case"] = ordered_json::object();
      for (const auto& [key, value] : row.settings) {
        if (const auto* text = std::get_if<std::string>(&value)) {
          item["case"][key] = *text;
        } else {
          item["case"][key] = std::get<double>(value);
        }
      }
      item["quantity"] = row.quantity;
      item["unit"] = row.unit;
      item["paper"] = row.paper ? ordered_json(*row.paper) : ordered_json(nullptr);
      item["expected"] = nullptr;
      if (row.expected) {
        ordered_json expected = ordered_json::object();
        const auto put = [&](const char* key, const std::optional<double>& v) {
          if (v) expected[key] = *v;
        };
        put("value", row.expected->value);
        put("rel", row.expected->rel);
        put("abs", row.expected->abs);
        put("min", row.expected->min);
        put("max", row.expected->max);
        item["expected"] = expected;
      }
      item["ours"] = number(row.ours);
      item["holds"] = row.holds();
      item["mark"] = name_of(row.mark());
      item["claim"] = item["source"] = item["reason"] = nullptr;
      if (row.claim) {
        const Source& source = row.claim->source;
        item["claim"] = row.claim->says;
        item["source"] = {{"paper", source.paper},
                          {"place", source.place},
                          {"printed", source.printed},
                          {"read", source.read},
                          {"asks", row.claim->asks.text()}};
        if (row.mark() == Mark::not_as_published) item["reason"] = row.claim->reason;
      }
      array.push_back(std::move(item));
    }
  }
  return array.dump(1) + "\n";
}

}  // namespace ergon::bench
