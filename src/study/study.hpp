#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/study/execute_run.hpp"
#include "ergon/study/outcome.hpp"
#include "ergon/study/pool.hpp"

namespace ergon::study {

/// A list of runs, what each is made of and what is kept of it: what sweeps, convergence studies and whatever else makes many runs of
/// one system have in common. `execute` works through it.
struct ERGON_API Study {
  std::string kind;  ///< sweep or converge
  RunTemplate common;
  std::vector<RunSettings> runs;
};

/// How far a study is, for a progress line.
struct ERGON_API StudyProgress {
  std::size_t runs = 0;    ///< of this process: its part of the study
  std::size_t done = 0;    ///< those found in the journal included
  std::size_t failed = 0;  ///< whatever did not get to its end
  std::size_t found = 0;   ///< in the journal
  double elapsed_s = 0.0;
  std::optional<double> remaining_s;  ///< once some are done
};

struct ERGON_API ExecuteOptions {
  std::filesystem::path journal;
  std::optional<Workers> workers;                      ///< nothing: threads, where all models allow
  unsigned jobs = 0;                                   ///< runs at a time; 0: as many as there are processors
  std::size_t part = 0, parts = 1;                     ///< only runs with number ≡ part modulo parts
  bool restart = false;                                ///< forgets what the journal holds
  std::function<bool()> stop;                          ///< true: stop, and keep what was tried
  std::function<void(const StudyProgress&)> progress;  ///< about ten times a second
};

/// What came out: the rows so far, in the order of the runs.
struct ERGON_API StudyResult {
  std::vector<Outcome> outcomes;
  bool complete = false;  ///< all runs of this part are there
  std::size_t found = 0;  ///< of them in the journal before
};

/// Makes the runs that the journal does not hold. A study that was killed, at any time, goes on when it is executed again; nothing that
/// was done is repeated, and the rows are the same. Throws InputError where `require_runnable` does, or where the journal is of another
/// study.
[[nodiscard]] ERGON_API StudyResult execute(const Study& study, const ExecuteOptions& options);

/// Throws InputError where neither the first, the middle nor the last run can be made: then the study is wrong, and not a run of it.
ERGON_API void require_runnable(const Study& study);

/// Threads, unless the system has models of others: these may crash, or exist once in a process.
[[nodiscard]] ERGON_API Workers suitable_workers(const Study& study);

/// Of all that decides about the rows: runs, settings, measures, the files of the scenario, the version of Ergon.
[[nodiscard]] ERGON_API std::string fingerprint(const Study& study);

/// The rows of several parts of one study, in the order of the runs. Throws InputError where they are not of this one.
[[nodiscard]] ERGON_API std::vector<Outcome> merge(const Study& study,
                                                   const std::vector<std::filesystem::path>& journals);

}  // namespace ergon::study
