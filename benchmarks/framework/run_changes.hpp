#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ergon::bench {

/// Settings that all runs of benchmarks get after their own, by their scenario file; references and checks of the method itself stay as
/// they are. For `ergon bench --set` and `--with`, before the first run.
using RunChanges = std::function<std::vector<std::string>(const std::filesystem::path& scenario)>;
void set_run_changes(RunChanges changes);

/// The settings of a run, and what is changed in all of them.
[[nodiscard]] std::vector<std::string> with_changes(const std::filesystem::path& scenario,
                                                    std::vector<std::string> settings);

}  // namespace ergon::bench
