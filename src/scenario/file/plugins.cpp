#include "ergon/scenario/file/plugins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "ergon/plugin/load_plugin.hpp"
#include "ergon/scenario/problem_order.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

/// Folders whose plug-ins scenarios may load, without links; those that do not exist are reported where the command line names them.
std::vector<fs::path> trusted_folders(const ScenarioOverrides& overrides, ProblemList& problems) {
  std::vector<fs::path> folders;
  for (const std::string& name : overrides.trusted) {
    std::error_code error;
    fs::path folder = fs::canonical(name, error);
    if (error || !fs::is_directory(folder, error)) {
      problems.error({"--trust " + name, 0, 0}, "This is not a folder.", "Name a folder that exists.");
    } else {
      folders.push_back(std::move(folder));
    }
  }
  const char* const variable = std::getenv("ERGON_TRUST");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::error_code error;
    // An empty entry would be the folder of whoever calls.
    if (end > 0) {
      fs::path folder = fs::canonical(fs::path(rest.substr(0, end)), error);
      if (!error) folders.push_back(std::move(folder));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end();
}

void load(const std::string& file, const SourceLocation& where, ProblemList& problems) {
  try {
    load_plugin(file, where);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems().all()) append(problem, problems);
  }
}

/// A text or a list of texts; what is neither is reported with the table.
std::vector<const Value*> listed_plugins(const Value& document) {
  const Entry* const simulation = document.find("simulation");
  const bool is_table = simulation != nullptr && simulation->value.kind == Value::Kind::table;
  const Entry* const plugins = is_table ? simulation->value.find("plugins") : nullptr;
  std::vector<const Value*> listed;
  if (plugins == nullptr) return listed;
  if (plugins->value.kind == Value::Kind::text) listed.push_back(&plugins->value);
  for (const Value& value : plugins->value.items) {
    if (value.kind == Value::Kind::text) listed.push_back(&value);
  }
  return listed;
}

}  // namespace

std::vector<std::string> plugin_names(const Value& document) {
  std::vector<std::string> names;
  for (const Value* value : listed_plugins(document)) names.push_back(value->text);
  return names;
}

std::string plugin_path(const std::string& name, const std::string& base_directory) {
  std::error_code error;
  const fs::path path = fs::absolute(fs::path(base_directory) / name, error);
  return error ? name : path.lexically_normal().string();
}

void load_plugins(const Value& document, const ScenarioOverrides& overrides,
                  const std::string& base_directory, ProblemList& problems) {
  for (const std::string& file : overrides.plugins) load(file, {"--plugin " + file, 0, 0}, problems);
  const std::vector<fs::path> folders = trusted_folders(overrides, problems);
  const auto load_trusted = [&](const Value& value) {
    const std::string path = plugin_path(value.text, base_directory);
    std::error_code error;
    const fs::path file = fs::canonical(path, error);
    if (error) {
      problems.error(value.where,
                     fmt::format("The plug-in '{}' cannot be opened: {}.", path, error.message()),
                     "Name a shared object; a relative name starts at the folder of the scenario.");
    } else if (std::none_of(folders.begin(), folders.end(),
                            [&](const fs::path& folder) { return lies_in(file, folder); })) {
      problems.error(value.where,
                     fmt::format("This scenario wants to run code of its own, the plug-in '{}', from a "
                                 "folder that you have not named as trusted.",
                                 file.string()),
                     fmt::format("If you trust whoever made it, add --trust {}, or list the folder in the "
                                 "environment variable ERGON_TRUST.",
                                 file.parent_path().string()));
    } else {
      load(file.string(), value.where, problems);
    }
  };
  for (const Value* value : listed_plugins(document)) load_trusted(*value);
}

}  // namespace ergon
