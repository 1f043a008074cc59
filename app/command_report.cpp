#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/hdf5/load_module.hpp"
#include "ergon/report/page.hpp"
#include "ergon/run/record/replace_file.hpp"
#include "ergon/run/version.hpp"
#include "study_commands.hpp"

namespace ergon::app {

void write_page(const std::filesystem::path& file, const report::Page& page) {
  if (const auto error = replace_file(file, [&](const TextSink& sink) { page.write(sink); }))
    throw std::runtime_error(*error);
}

void require_pages() {
  const std::string why = report::why_no_pages();
  if (!why.empty()) throw std::runtime_error(fmt::format("this build of ergon has no pages: {}", why));
}

std::filesystem::path write_report(const ReportArguments& arguments) {
  require_pages();
  const std::filesystem::path folder = arguments.folder;
  const std::filesystem::path beside = hdf5::is_hdf5_file(folder) ? folder.parent_path() : folder;
  const std::filesystem::path file =
      arguments.file ? std::filesystem::path(*arguments.file) : beside / "report.html";
  const report::TimeWindow& window = arguments.window;
  if (window.from_s && window.to_s && *window.from_s > *window.to_s)
    throw InputError({}, fmt::format("--from {} is after --to {}.", *window.from_s, *window.to_s),
                     "Give the earlier time with --from.");
  const report::RunFolder run(folder, window);
  if (!window.is_whole() && run.times_s()[0].empty())
    throw InputError({}, fmt::format("'{}' has no rows in this part of the run.", folder.string()),
                     "Give times of the run with --from and --to.");
  write_page(file, report::report_page(run, {run.name(), std::string(version()), arguments.exact}));
  return file;
}

int report_command(const ReportArguments& arguments) {
  if (!arguments.file && std::filesystem::is_regular_file(arguments.folder) &&
      !hdf5::is_hdf5_file(arguments.folder)) {
    throw InputError(
        {}, fmt::format("'{}' is a file.", arguments.folder),
        "Give the folder of a run. For a table of another tool, give the file of the page: --out FILE.");
  }
  const auto study = write_study_report(arguments.folder, arguments.file);
  emit("report: {}\n", (study ? *study : write_report(arguments)).string());
  return exit_done;
}

}  // namespace ergon::app
