#pragma once

#include <string>

#include "ergon/run/terminal/progress.hpp"
#include "ergon/study/study.hpp"

namespace ergon::app {

/// One line on standard error that counts runs and estimates the remaining time; on standard output `@progress <percent> <done>`
/// lines, where a machine reads.
class StudyProgressLine {
 public:
  explicit StudyProgressLine(ProgressMode mode);
  void show(const study::StudyProgress& progress);
  /// Ends the line.
  void finish();

 private:
  ProgressMode mode_;
  bool any_ = false;
  std::string last_;
};

}  // namespace ergon::app
