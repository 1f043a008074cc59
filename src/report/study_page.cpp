#include "ergon/report/study_page.hpp"

#include <fstream>
#include <stdexcept>

#include "ergon/core/problem.hpp"

namespace ergon::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* sweep_file = "study.json";
constexpr const char* convergence_file = "converge.json";

Json json_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  try {
    return Json::parse(stream);
  } catch (const Json::exception&) {
    throw InputError({file.string(), 0, 0}, "This file is damaged.",
                     "Repeat the command that made the study: it goes on from its journal.");
  }
}

/// Columns of numbers as blocks, those of strings as numbers of their strings.
Json columns_of(const CsvFile& file, Blocks& blocks) {
  Json columns = Json::array();
  for (std::size_t i = 0; i < file.names().size(); ++i) {
    const CsvColumn column = file.column(i);
    Json one{{"name", file.names()[i]}, {"block", blocks.add(column.values)}};
    if (column.is_text()) one["texts"] = column.texts;
    columns.push_back(std::move(one));
  }
  return {{"rows", file.rows()}, {"columns", std::move(columns)}};
}

}  // namespace

bool is_study_folder(const fs::path& folder) {
  return fs::exists(folder / sweep_file) || fs::exists(folder / convergence_file);
}

Page study_page(const fs::path& folder, const PageOptions& options) {
  if (const std::string why = why_no_pages(); !why.empty())
    throw std::runtime_error("this build of ergon has no pages: " + why);
  Blocks blocks(options.exact);
  const bool is_sweep = fs::exists(folder / sweep_file);
  Json data{{"kind", is_sweep ? "sweep" : "converge"},
            {"title", options.title},
            {"ergon_version", options.ergon_version},
            {"runs", Json::array()}};
  data["study"] = json_of(folder / (is_sweep ? sweep_file : convergence_file));
  if (is_sweep) {
    data["table"] = columns_of(CsvFile(folder / "runs.csv"), blocks);
    if (fs::exists(folder / "bands.csv")) data["bands"] = columns_of(CsvFile(folder / "bands.csv"), blocks);
  }
  return {std::move(data), std::move(blocks), false, options};
}

}  // namespace ergon::report
