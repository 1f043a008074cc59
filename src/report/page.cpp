#include "ergon/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "ergon/report/blocks.hpp"
#include "ergon/report/page_assets.hpp"

namespace ergon::report {
namespace {

/// No text of a file can end the element that it stands in.
std::string script_text(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string html_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

/// Times of a table: evenly spaced ones are told by their step; in an exact page only where that gives their bits.
Json time_base(const std::vector<double>& t, Blocks& blocks) {
  const std::size_t n = t.size();
  if (n > 1) {
    const double step = (t.back() - t.front()) / static_cast<double>(n - 1);
    const double slack = blocks.exact() ? 0.0 : 1e-9 * std::abs(step) + 4e-16 * std::abs(t.back());
    bool even = true;
    for (std::size_t k = 0; k < n && even; ++k)
      even = std::abs(t[k] - (t.front() + static_cast<double>(k) * step)) <= slack;
    if (even) return {{"start", t.front()}, {"step", step}, {"count", n}};
  }
  return {{"block", blocks.add(t, true)}, {"count", n}};
}

bool is_whole(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return std::isnan(v) || std::trunc(v) == v; });
}

/// The unit of a column of bonds.csv and energy.csv goes by its last part.
std::string book_unit(const std::string& column) {
  static const std::map<std::string, std::string> units = {
      {"power", "W"},     {"residual_power", "W"},   {"interface_power", "W"}, {"step_size", "s"},
      {"correction", ""}, {"correction_capped", ""}, {"step_error", ""},       {"rejections", ""},
      {"iterations", ""}, {"residual", ""},          {"corrected_effort", ""}};
  const std::string last = column.substr(column.rfind('.') + 1);
  const auto found = units.find(last.substr(0, last.find('[')));
  return found == units.end() ? "J" : found->second;
}

Json column_json(const CsvColumn& column, const VariableInfo& info, std::size_t base, Blocks& blocks) {
  const bool whole = !column.is_text() && (info.unit.empty() || info.unit == "1") && is_whole(column.values);
  Json json{{"name", column.name}, {"unit", info.unit},
            {"node", info.node},   {"kind", column.is_text() ? "text" : whole ? "whole" : "number"},
            {"base", base},        {"block", blocks.add(column.values)}};
  if (column.is_text()) json["texts"] = column.texts;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : column.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low <= high) {
    json["low"] = low;
    json["high"] = high;
  }
  if (!info.description.empty()) json["description"] = info.description;
  return json;
}

Json results_json(const RunFolder& run, Blocks& blocks) {
  Json bases = Json::array();
  for (const std::vector<double>& times_s : run.times_s()) bases.push_back(time_base(times_s, blocks));
  Json columns = Json::array();
  std::map<double, std::size_t> known;  // step → base
  for (std::size_t i = 0; i < run.variables().size(); ++i) {
    CsvColumn column = run.column(i);
    const VariableInfo info = run.info(column.name);
    std::size_t base = info.file;
    if (info.step_s) {
      Samples own = run.samples({column.name, std::move(column.values), {}});
      if (own.time_s.size() != run.times_s()[0].size()) {
        const auto [found, is_new] = known.try_emplace(*info.step_s, bases.size());
        if (is_new) bases.push_back(time_base(own.time_s, blocks));
        base = found->second;
      }
      column.values = std::move(own.values);
    }
    columns.push_back(column_json(column, info, base, blocks));
  }
  return {{"rows", run.times_s()[0].size()}, {"bases", std::move(bases)}, {"columns", std::move(columns)}};
}

/// bonds.csv, energy.csv, motion.csv.
Json table_json(const Table& file, const RunFolder& run, bool books, Blocks& blocks) {
  Json columns = Json::array();
  for (std::size_t i = 1; i < file.names().size(); ++i) {
    const CsvColumn column = file.column(i);
    VariableInfo info =
        books ? VariableInfo{book_unit(column.name), column.name.substr(0, column.name.rfind('.')), "", {}}
              : run.info(column.name);
    columns.push_back(column_json(column, info, 0, blocks));
  }
  return {{"rows", file.rows()},
          {"bases", Json::array({time_base(file.column(0).values, blocks)})},
          {"columns", std::move(columns)}};
}

/// All columns behind each other in one block: there may be thousands. How many rows there are is bounded by who records them.
Json geometry_json(const Table& file, Blocks& blocks) {
  std::vector<double> all;
  all.reserve(file.rows() * file.names().size());
  for (std::size_t i = 1; i < file.names().size(); ++i) {
    const CsvColumn column = file.column(i);
    all.insert(all.end(), column.values.begin(), column.values.end());
  }
  Json column{{"name", "*"},      {"unit", ""}, {"node", ""},
              {"kind", "number"}, {"base", 0},  {"block", blocks.add(all)}};
  return {{"rows", file.rows()},
          {"bases", Json::array({time_base(file.column(0).values, blocks)})},
          {"columns", Json::array({std::move(column)})}};
}

bool has_animation(const RunFolder& run) {
  return run.table("geometry") != nullptr && run.system().is_object() && run.system().contains("scene");
}

Json run_json(const RunFolder& run, Blocks& blocks) {
  Json tables;
  tables["results"] = results_json(run, blocks);
  if (const Table* bonds = run.table("bonds"); bonds && bonds->names().size() > 1)
    tables["bonds"] = table_json(*bonds, run, true, blocks);
  if (const Table* energy = run.table("energy")) tables["energy"] = table_json(*energy, run, true, blocks);
  if (const Table* motion = run.table("motion")) tables["motion"] = table_json(*motion, run, false, blocks);
  if (has_animation(run)) tables["geometry"] = geometry_json(*run.table("geometry"), blocks);
  Json system = run.system();
  if (system.is_object()) system.erase("variables");  // they are in the tables
  return {{"name", run.name()},         {"summary", run.summary()}, {"system", std::move(system)},
          {"scenario", run.scenario()}, {"missing", run.missing()}, {"tables", std::move(tables)}};
}

void require_assets() {
  if (!assets::why_missing.empty())
    throw std::runtime_error(fmt::format("this build of ergon has no pages: {}", assets::why_missing));
}

Json head(const char* kind, const PageOptions& options) {
  return {{"kind", kind}, {"title", options.title}, {"ergon_version", options.ergon_version}};
}

Json pictures_json(const std::vector<ExperimentPicture>& pictures, Blocks& blocks) {
  Json list = Json::array();
  for (const ExperimentPicture& picture : pictures) {
    Json curves = Json::array();
    for (const ExperimentCurve& curve : picture.curves) {
      curves.push_back({{"label", curve.label},
                        {"reference", curve.reference},
                        {"points_only", curve.points_only},
                        {"x", time_base(curve.x, blocks)},
                        {"block", blocks.add(curve.y)}});
    }
    list.push_back({{"paper", picture.paper},
                    {"figure", picture.figure},
                    {"title", picture.title},
                    {"x_label", picture.x_label},
                    {"x_unit", picture.x_unit},
                    {"y_label", picture.y_label},
                    {"y_unit", picture.y_unit},
                    {"curves", std::move(curves)}});
  }
  return list;
}

Json runs_json(std::span<const RunFolder> runs, Blocks& blocks) {
  Json list = Json::array();
  for (const RunFolder& run : runs) list.push_back(run_json(run, blocks));
  return list;
}

}  // namespace

std::string why_no_pages() {
  return std::string(assets::why_missing);
}

void Page::write(const PageSink& sink) const {
  std::string hashes = fmt::format("'{}'", assets::script_hash);
  if (animated_) hashes += fmt::format(" '{}'", assets::animation_script_hash);
  sink(
      fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
                  "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta name=\"generator\" content=\"ergon {}\">\n<title>{}</title>\n<style>",
                  hashes, html_text(options_.ergon_version), html_text(options_.title)));
  sink(assets::style);
  sink(
      "</style>\n</head>\n<body>\n<noscript>This page draws results with a script of its own. Allow scripts "
      "for it; "
      "nothing is loaded from elsewhere.</noscript>\n<div id=\"app\"></div>\n"
      "<script type=\"application/json\" id=\"page\">");
  sink(script_text(data_));
  sink("</script>\n");
  blocks_.write_html(sink);
  if (animated_) {
    sink("<script>");
    sink(assets::animation_script);
    sink("</script>\n");
  }
  sink("<script>");
  sink(assets::script);
  sink("</script>\n</body>\n</html>\n");
}

Page report_page(const RunFolder& run, const PageOptions& options) {
  require_assets();
  Blocks blocks(options.exact);
  Json data = head("report", options);
  data["runs"] = Json::array({run_json(run, blocks)});
  return {std::move(data), std::move(blocks), has_animation(run), options};
}

Page compare_page(std::span<const RunFolder> runs, const Comparison& comparison, const PageOptions& options) {
  require_assets();
  Blocks blocks(options.exact);
  Json data = head("compare", options);
  data["runs"] = runs_json(runs, blocks);
  data["reference"] = comparison.reference;
  data["tolerance"] = comparison.tolerance ? Json(*comparison.tolerance) : Json(nullptr);
  data["comparisons"] = to_json(comparison);
  data["renamed"] = comparison.renamed;
  return {std::move(data), std::move(blocks), std::any_of(runs.begin(), runs.end(), has_animation), options};
}

Page gallery_page(std::span<const Experiment> experiments, std::span<const RunFolder> runs,
                  const PageOptions& options) {
  require_assets();
  Blocks blocks(options.exact);
  Json data = head("gallery", options);
  data["runs"] = runs_json(runs, blocks);
  Json list = Json::array();
  for (const Experiment& e : experiments) {
    Json units = Json::object();
    for (const auto& [setting, unit] : e.setting_units) units[setting] = unit;
    list.push_back({{"name", e.name},
                    {"summary", e.summary},
                    {"statement", e.statement},
                    {"seconds", e.seconds},
                    {"setting_units", std::move(units)},
                    {"rows", e.rows},
                    {"pictures", pictures_json(e.pictures, blocks)}});
  }
  data["experiments"] = std::move(list);
  return {std::move(data), std::move(blocks), std::any_of(runs.begin(), runs.end(), has_animation), options};
}

}  // namespace ergon::report
