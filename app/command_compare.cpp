#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/report/page.hpp"
#include "ergon/run/version.hpp"

namespace ergon::app {
namespace {

namespace fs = std::filesystem;

/// Folders of the same name are told apart by the folder above, or by their number.
void tell_apart(std::vector<report::RunFolder>& runs, const std::vector<std::string>& paths) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto same = [&](const report::RunFolder& other) { return other.name() == runs[i].name(); };
    if (std::count_if(runs.begin(), runs.end(), same) > 1) {
      std::error_code error;
      const fs::path full = fs::weakly_canonical(paths[i], error);
      runs[i].rename(full.parent_path().filename().string() + "/" + full.filename().string());
    }
    if (!names.insert(runs[i].name()).second) runs[i].rename(fmt::format("{} ({})", runs[i].name(), i + 1));
  }
}

void print_errors(const report::RunErrors& errors, const std::string& reference) {
  emit("{} against {}\n", errors.run, reference);
  emit("  {:<36} {:>12} {:>12} {:>12} {:>10}  {}\n", "variable", "largest", "relative", "rms", "at s",
       "unit");
  std::vector<report::VariableError> sorted = errors.variables;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.relative() > b.relative(); });
  for (const report::VariableError& v : sorted) {
    emit("  {:<36} {:>12.4g} {:>12.4g} {:>12.4g} {:>10.6g}  {}{}\n", v.name, v.max_error, v.relative(),
         v.rms_error, v.at_s, v.unit, v.within ? (*v.within ? "" : "  beyond the tolerance") : "");
  }
  for (const std::string& name : errors.missing) emit("  {:<36} missing in {}\n", name, errors.run);
  for (const std::string& remark : errors.remarks) emit("  {}\n", remark);
}

/// Why the tolerance is not met: "1 of 3 variables exceeds the tolerance."
std::string shortfall(const report::Comparison& comparison) {
  std::size_t compared = 0;
  std::size_t beyond = 0;
  std::size_t missing = 0;
  std::size_t remarks = 0;
  std::size_t apart = 0;
  for (const report::RunErrors& run : comparison.runs) {
    compared += run.variables.size();
    beyond += static_cast<std::size_t>(std::count_if(run.variables.begin(), run.variables.end(),
                                                     [](const auto& v) { return v.within && !*v.within; }));
    missing += run.missing.size();
    apart += static_cast<std::size_t>(std::count_if(run.variables.begin(), run.variables.end(),
                                                    [](const auto& v) { return v.points == 0; }));
    remarks += run.remarks.size();
  }
  std::string text;
  const auto add = [&text](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (beyond > 0)
    add(fmt::format("{} of {} variables {} the tolerance.", beyond, compared,
                    beyond == 1 ? "exceeds" : "exceed"));
  if (missing > 0) add(fmt::format("{} variable{} missing.", missing, missing == 1 ? " is" : "s are"));
  if (apart > 0) add(fmt::format("{} variable{} no common time.", apart, apart == 1 ? " has" : "s have"));
  if (remarks > 0) add("Not everything was compared: see above.");
  return text;
}

}  // namespace

int compare_command(const CompareArguments& arguments) {
  if (arguments.file) require_pages();
  std::vector<std::string> paths = arguments.runs;
  if (arguments.reference) {
    std::erase(paths, *arguments.reference);
    paths.push_back(*arguments.reference);
  }
  if (paths.size() < 2) {
    throw InputError({}, "There is nothing to compare with.",
                     "Give two or more result folders; the last one, or --reference, is what the others are "
                     "compared with.");
  }
  std::vector<report::RunFolder> runs;
  for (const std::string& path : paths) runs.emplace_back(path);
  tell_apart(runs, paths);
  const bool judged = arguments.options.tolerance || arguments.options.absolute_tolerance > 0.0;
  const report::Comparison comparison =
      report::compare(std::span(runs).first(runs.size() - 1), runs.back(), arguments.options);
  for (const report::RunErrors& errors : comparison.runs) print_errors(errors, comparison.reference);
  if (arguments.file) {
    const std::string title = arguments.title.value_or("Comparison");
    write_page(*arguments.file,
               report::compare_page(runs, comparison, {title, std::string(version()), arguments.exact}));
    emit("report: {}\n", *arguments.file);
  }
  if (!judged) return exit_done;
  const bool all_within =
      std::all_of(comparison.runs.begin(), comparison.runs.end(), [](const auto& r) { return r.within(); });
  emit("{}\n", all_within ? "All variables are within the tolerance." : shortfall(comparison));
  return all_within ? exit_done : exit_run_failed;
}

}  // namespace ergon::app
