#pragma once

#include <algorithm>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon {

inline void append(const Problem& problem, ProblemList& to) {
  switch (problem.severity) {
    case Severity::error:
      return to.error(problem.where, problem.what, problem.remedy);
    case Severity::warning:
      return to.warning(problem.where, problem.what, problem.remedy);
    case Severity::note:
      return to.note(problem.where, problem.what);
  }
}

/// In the order of the file, as its user reads it; what has no line comes first.
inline ProblemList sorted_by_line(const ProblemList& problems) {
  std::vector<Problem> all = problems.all();
  std::stable_sort(all.begin(), all.end(), [](const Problem& a, const Problem& b) {
    return a.where.line != b.where.line ? a.where.line < b.where.line : a.where.column < b.where.column;
  });
  ProblemList sorted;
  for (const Problem& problem : all) append(problem, sorted);
  return sorted;
}

}  // namespace ergon
