#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/hdf5/load_module.hpp"
#include "ergon/report/run_folder.hpp"

namespace ergon::app {
namespace {

namespace fs = std::filesystem;

struct SampleRange {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
};

SampleRange sample_range(const std::vector<double>& values) {
  SampleRange range;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    range.least = std::min(range.least, value);
    range.largest = std::max(range.largest, value);
  }
  return range;
}

}  // namespace

bool names_results(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return fs::is_regular_file(fs::path(path) / "results.csv", error) ||
           fs::is_regular_file(fs::path(path) / "results.h5", error);
  return fs::path(path).extension() == ".csv" || hdf5::is_hdf5_file(path);
}

int list_results(const std::string& path) {
  const report::RunFolder run(path);
  std::size_t width = 8;
  for (const std::string& name : run.variables()) width = std::max(width, name.size());
  emit("{:<{}}  {:<8} {:>10} {:>14} {:>14}  {}\n", "variable", width, "unit", "samples", "least", "largest",
       "description");
  for (std::size_t i = 0; i < run.variables().size(); ++i) {
    const std::string& name = run.variables()[i];
    const report::VariableInfo info = run.info(name);
    report::CsvColumn column = run.column(i);
    const bool is_text = run.is_text(i);
    const report::Samples own = run.samples(std::move(column));
    const SampleRange range = is_text ? SampleRange{} : sample_range(own.values);
    const bool has_range = range.least <= range.largest;
    emit("{:<{}}  {:<8} {:>10} {:>14} {:>14}  {}\n", name, width, info.unit, own.values.size(),
         has_range ? fmt::format("{:.6g}", range.least) : "",
         has_range ? fmt::format("{:.6g}", range.largest) : "", info.description);
  }
  return exit_done;
}

}  // namespace ergon::app
