#include "bench_score.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "bench_gallery.hpp"
#include "benchmarks/score/method.hpp"
#include "benchmarks/score/score.hpp"
#include "emit.hpp"

namespace ergon::app {

int score_command(const BenchArguments& arguments) {
  using namespace bench;
  if (!arguments.settings.empty() || arguments.method || arguments.summary || arguments.series ||
      arguments.families)
    throw InputError(
        {},
        "--score has its own settings: --set, --with, --summary, --series and --families do not go with it.",
        "Write what a method is as words after --score, such as --score energy-leak+predict.");
  const std::vector<std::string> known = scored_benchmarks();
  for (const std::string& name : arguments.names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw InputError({}, fmt::format("'{}' has no problem in the table of methods.", name),
                     fmt::format("Choose from: {}.", fmt::join(known, ", ")));
  }
  std::vector<std::string> methods;
  const auto add = [&](const std::string& method) {
    if (!method.empty() && std::find(methods.begin(), methods.end(), method) == methods.end())
      methods.push_back(method);
  };
  for (const std::string& method : arguments.methods) add(method);
  for (const std::string& method : usual_methods()) add(method);
  if (arguments.report) require_pages();
  const bool json_to_stdout = arguments.json == "-";
  std::ofstream json_file;
  if (arguments.json && !json_to_stdout) {
    json_file.open(*arguments.json);
    if (!json_file)
      throw InputError({}, fmt::format("Cannot write '{}'.", *arguments.json),
                       "Choose a file in a writable folder.");
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Row> rows = score(methods, arguments.names, benchmarks_folder());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (json_to_stdout) {
    emit("{}", rows_to_json({{"score", rows}}));
  } else {
    emit("{}", score_table(rows));
    if (!arguments.plain)
      emit(
          "\nErrors: of positions over half their range, of the stored energy over its largest value; * is "
          "the smallest of a "
          "problem; -: does not fit, or failed ({:.1f} s).\n",
          seconds);
    if (arguments.json) {
      json_file << rows_to_json({{"score", rows}});
      if (!json_file.flush()) throw std::runtime_error(fmt::format("could not write '{}'", *arguments.json));
    }
  }
  if (arguments.report) {
    const Benchmark table{"score", "what methods of coupling reach on the problems of the papers",
                          BenchmarkRun(static_cast<BenchmarkRun::Rows>(nullptr))};
    write_page(*arguments.report, bench_gallery({{&table, std::move(rows), seconds}}));
    if (!json_to_stdout) emit("report: {}\n", *arguments.report);
  }
  return exit_done;
}

}  // namespace ergon::app
