#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ergon::app {

/// Keeps the promise that a run killed with SIGKILL leaves complete lines. The kernel cuts a write(2) short
/// between two pages when its process is killed in that moment: one kill in ten of a run that does little but
/// write. A child process, idle until the run is gone, then waits for its lock, cuts an incomplete last line off and removes the
/// lock. After a run that comes to its end it does nothing.
/// To be made before the files are opened (and best before threads are started), and destroyed after they are
/// closed. Where no process can be made the run goes on without.
class LineMender {
 public:
  /// `files` are names in the directory of the run.
  LineMender(const std::filesystem::path& directory, const std::vector<std::string>& files);
  ~LineMender();
  LineMender(const LineMender&) = delete;
  LineMender& operator=(const LineMender&) = delete;

  /// Of a run.
  [[nodiscard]] static std::vector<std::string> result_files() {
    return {"results.csv", "bonds.csv", "energy.csv", "geometry.csv"};
  }
  /// From here on the files are those of this run; before, they may be anybody's and are left alone.
  void take_over() const;

 private:
  void tell(char state) const;

  std::vector<std::string> files_;
  std::string lock_file_;
  /// Closed by the kernel with the last thread of this process, after its last write.
  int life_line_ = -1;
  pid_t child_ = -1;
};

/// Cuts the file after its last line break. Safe to call between fork and exec.
void cut_incomplete_line(const char* file);

}  // namespace ergon::app
