#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "ergon/study/outcome.hpp"

namespace ergon::study {

/// Which study a journal is of: another plan, scenario or version has another fingerprint, and its rows are not mixed.
struct JournalHead {
  std::string kind;         ///< sweep or converge
  std::string fingerprint;  ///< SHA-256 of all that decides about the table
  std::size_t runs = 0;     ///< of the whole study, parts included
};

/// The outcomes of a study on disk: a first line with the head, then one line per outcome, in the order in which runs ended. A line is
/// appended in one go, so that a process that is killed leaves whole lines and at most one torn one at the end, which is cut off
/// when the study goes on. One process at a time writes to it.
class Journal {
 public:
  /// Opens the file, or makes it. Throws InputError where it holds another study, is damaged, or where another process writes to it.
  Journal(std::filesystem::path file, const JournalHead& head);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// What was in the file when it was opened.
  [[nodiscard]] const std::vector<Outcome>& found() const { return found_; }
  /// Throws std::runtime_error where the disk does not take it; what was written before stays.
  void append(const std::string& line);

  /// In a process that was forked: the lock on the file ends with the process that opened it.
  void let_go();

  /// Those of a file that others may be writing to. Throws InputError.
  static std::vector<Outcome> read(const std::filesystem::path& file, JournalHead& head);

 private:
  std::filesystem::path path_;
  int file_ = -1;
  std::vector<Outcome> found_;
};

}  // namespace ergon::study
