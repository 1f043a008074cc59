#include "benchmarks/framework/run_changes.hpp"

#include <utility>

namespace ergon::bench {
namespace {

RunChanges& present_changes() {
  static RunChanges changes;
  return changes;
}

}  // namespace

void set_run_changes(RunChanges changes) {
  present_changes() = std::move(changes);
}

std::vector<std::string> with_changes(const std::filesystem::path& scenario,
                                      std::vector<std::string> settings) {
  if (!present_changes()) return settings;
  for (std::string& change : present_changes()(scenario)) settings.push_back(std::move(change));
  return settings;
}

}  // namespace ergon::bench
