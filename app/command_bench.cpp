#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "bench_gallery.hpp"
#include "bench_score.hpp"
#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/framework/claim.hpp"
#include "benchmarks/framework/run_changes.hpp"
#include "benchmarks/score/method.hpp"
#include "benchmarks/verdict/families/families_table.hpp"
#include "commands.hpp"
#include "emit.hpp"
#include "ergon/core/rational.hpp"

namespace ergon::app {
namespace {

bench::Conditions read_conditions(const std::vector<std::string>& where) {
  bench::Conditions conditions;
  for (const std::string& condition : where) {
    const auto equals = condition.find('=');
    if (equals == std::string::npos) {
      throw InputError({}, fmt::format("'{}' is not a condition.", condition), "Write --where key=value.");
    }
    conditions.emplace_back(condition.substr(0, equals), condition.substr(equals + 1));
  }
  return conditions;
}

/// Keeps the rows whose case says everything that is asked for; a number may be written in any way.
void keep_rows(std::vector<bench::Row>& rows, const bench::Conditions& where) {
  for (const auto& condition : where) {
    const std::string& key = condition.first;
    const std::string& wanted = condition.second;
    const auto says_otherwise = [&](const bench::Row& row) {
      for (const auto& [name, value] : row.settings) {
        if (name != key) continue;
        if (const auto* text = std::get_if<std::string>(&value)) return *text != wanted;
        return Rational::from_double(std::get<double>(value)) != Rational::parse(wanted);
      }
      return true;
    };
    std::erase_if(rows, says_otherwise);
  }
}

/// The keys and values that conditions may name.
std::string choices(const std::vector<bench::Row>& rows) {
  std::vector<std::pair<std::string, std::vector<std::string>>> choices;
  for (const bench::Row& row : rows) {
    if (row.is_of_claim_alone()) continue;
    for (const auto& [key, value] : row.settings) {
      auto at =
          std::find_if(choices.begin(), choices.end(), [&k = key](const auto& c) { return c.first == k; });
      if (at == choices.end()) at = choices.insert(at, {key, {}});
      const auto* text = std::get_if<std::string>(&value);
      std::string said = text != nullptr ? *text : fmt::format("{:g}", std::get<double>(value));
      if (std::find(at->second.begin(), at->second.end(), said) == at->second.end())
        at->second.push_back(said);
    }
  }
  std::string list;
  for (const auto& [key, values] : choices) {
    list += fmt::format("{}{} = {}", list.empty() ? "" : "; ", key, fmt::join(values, ", "));
  }
  return list;
}

/// What `--set` and `--with` ask of every run; false where they ask for nothing.
bool change_runs(const BenchArguments& arguments) {
  if (arguments.settings.empty() && !arguments.method) return false;
  if (arguments.summary || arguments.families)
    throw InputError({}, "Claims are about the settings of the papers, families have settings of their own.",
                     "Leave out --set and --with, or --summary and --families.");
  if (arguments.method) static_cast<void>(bench::read_method(*arguments.method));  // mistakes are found here
  bench::set_run_changes(
      [settings = arguments.settings, method = arguments.method](const std::filesystem::path& scenario) {
        auto changes = method ? bench::method_settings(*method, scenario) : std::vector<std::string>{};
        changes.insert(changes.end(), settings.begin(), settings.end());
        return changes;
      });
  return true;
}

/// Figures of other settings than those that something is expected of.
void keep_figures_alone(std::vector<bench::Row>& rows) {
  for (bench::Row& row : rows) {
    row.expected.reset();
    row.claim.reset();
  }
}

}  // namespace

int bench_command(const BenchArguments& arguments) {
  using namespace bench;
  if (arguments.scores) return score_command(arguments);
  if (arguments.list) {
    for (const Benchmark& b : benchmarks()) emit("{:<18} {}\n", b.name, b.summary);
    return exit_done;
  }
  std::vector<const Benchmark*> chosen;
  std::vector<std::string> names;
  for (const Benchmark& b : benchmarks()) names.push_back(b.name);
  for (const std::string& name : arguments.names.empty() ? names : arguments.names) {
    const Benchmark* benchmark = find_benchmark(name);
    if (benchmark == nullptr) {
      throw InputError({}, fmt::format("There is no benchmark '{}'.", name), did_you_mean(name, names));
    }
    chosen.push_back(benchmark);
  }
  if (arguments.families && (chosen.size() != 1 || chosen.front()->name != "verdict"))
    throw InputError({}, "--families belongs to the benchmark 'verdict'.",
                     "Write: ergon bench verdict --families");
  const bool json_to_stdout = arguments.json == "-";
  std::ofstream json_file;
  if (arguments.json && !json_to_stdout) {
    json_file.open(*arguments.json);
    if (!json_file) {
      throw InputError({}, fmt::format("Cannot write '{}'.", *arguments.json),
                       "Choose a file in a writable folder.");
    }
  }
  if (arguments.report) require_pages();
  if (arguments.series) {
    std::error_code error;
    std::filesystem::create_directories(*arguments.series, error);
    if (error || !std::filesystem::is_directory(*arguments.series))
      throw InputError({}, fmt::format("'{}' is not a folder, and cannot be made.", *arguments.series),
                       "Choose a folder in which you may write.");
  }
  const bool changed = change_runs(arguments);
  const Conditions where = read_conditions(arguments.where);
  std::optional<InputError> refused;
  std::vector<BenchOutcome> outcomes;
  bool all_hold = true;
  for (const Benchmark* benchmark : chosen) {
    const auto begin = std::chrono::steady_clock::now();
    Pictures pictures;
    const bool draws = arguments.report || arguments.series;
    std::vector<Row> rows;
    try {
      rows = arguments.families
                 ? verdict_families({arguments.seeds_from, arguments.runs, arguments.kinds})
                 : benchmark->run(benchmarks_folder() / benchmark->name, draws ? &pictures : nullptr, where);
    } catch (const InputError& error) {
      if (!changed) throw;
      fmt::print(stderr, "{} cannot be run so: {}\n", benchmark->name, error.what());
      if (!refused) refused = error;
      continue;
    }
    if (changed)
      keep_figures_alone(rows);
    else if (!arguments.families)
      add_claims(benchmark->name, rows);
    const std::string there_are = arguments.where.empty() ? std::string() : choices(rows);
    keep_rows(rows, where);
    if (rows.empty() && !arguments.where.empty()) {
      throw InputError(
          {}, fmt::format("No figure of '{}' has {}.", benchmark->name, fmt::join(arguments.where, " and ")),
          fmt::format("Available: {}.", there_are));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto expected =
        std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.expected.has_value(); });
    const auto missed = std::count_if(rows.begin(), rows.end(), [](const Row& r) { return !r.holds(); });
    all_hold = all_hold && missed == 0;
    const auto of_claims =
        std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.is_of_claim_alone(); });
    std::vector<Row> in_table;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(in_table),
                 [&](const Row& row) { return !benchmark->is_in_table || benchmark->is_in_table(row); });
    if (arguments.summary) {
      // one text for all of them, below
    } else if (arguments.plain && !json_to_stdout) {
      emit("{}\n", rows_to_table(in_table));
    } else if (!json_to_stdout) {
      emit("{}: {}\n\n{}\n", benchmark->name, benchmark->summary, rows_to_table(in_table));
      if (benchmark->picture) emit("{}\n", benchmark->picture(rows));
      if (changed)
        emit("{} figures with changed settings; cases have the names of their own ({:.1f} s).\n\n",
             rows.size(), seconds);
      else
        emit("{} of {} figures with an expectation hold ({} figures in all, {:.1f} s).\n\n",
             expected - missed, expected, static_cast<std::ptrdiff_t>(rows.size()) - of_claims, seconds);
    }
    if (arguments.series) {
      const auto files = write_series(pictures.all(), *arguments.series);
      if (!json_to_stdout && !arguments.plain)
        emit("{}: {} series in {}\n", benchmark->name, files.size(), *arguments.series);
    }
    outcomes.push_back({benchmark, std::move(rows), seconds, std::move(pictures)});
  }
  if (outcomes.empty() && refused) throw InputError(*refused);
  std::vector<std::pair<std::string, std::vector<Row>>> results;
  for (const BenchOutcome& outcome : outcomes) results.emplace_back(outcome.benchmark->name, outcome.rows);
  if (!json_to_stdout && (arguments.summary || !arguments.plain)) {
    std::vector<Row> all;
    for (const auto& [name, rows] : results) all.insert(all.end(), rows.begin(), rows.end());
    const std::string claims = claims_text(all, arguments.summary);
    if (!claims.empty()) emit("{}\n", claims);
  }
  if (json_to_stdout) {
    emit("{}", rows_to_json(results));
  } else if (arguments.json) {
    json_file << rows_to_json(results);
    if (!json_file.flush()) throw std::runtime_error(fmt::format("could not write '{}'", *arguments.json));
  }
  if (arguments.report) {
    write_page(*arguments.report, bench_gallery(outcomes));
    if (!json_to_stdout) emit("report: {}\n", *arguments.report);
  }
  return all_hold ? exit_done : exit_run_failed;
}

}  // namespace ergon::app
