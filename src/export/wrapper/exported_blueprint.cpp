#include "ergon/export/wrapper/exported_blueprint.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>

namespace ergon {
namespace {

namespace fs = std::filesystem;

/// An FMU that is told nothing of its resources, or the wrong place, still knows where its library lies:
/// binaries/<platform>/<library>.
fs::path resources_beside_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&folder_of_uri), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code error;
  return fs::absolute(info.dli_fname, error).parent_path().parent_path().parent_path() / "resources";
}

std::shared_ptr<const ExportedBlueprint> read_blueprint(const fs::path& folder, ExportFormat version) {
  const fs::path file = folder / "model.toml";
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw InputError({file.string(), 0, 0}, "The file cannot be read.", "Unpack the whole FMU.");
  ProblemList problems;
  auto model = read_exported_model(text.str(), file.string(), problems);
  if (!model) throw InputError(problems);
  auto blueprint = std::make_shared<ExportedBlueprint>();
  blueprint->model = std::move(*model);
  blueprint->resources = folder.string();
  blueprint->version = version;
  const auto subsystem = make_exported(blueprint->model, blueprint->resources, problems);
  if (!subsystem) throw InputError(problems);
  blueprint->description = subsystem->describe();
  blueprint->variables = exported_variables(blueprint->model, blueprint->description,
                                            subsystem->energy_account() != nullptr, version);
  blueprint->parameters = parameter_row(blueprint->variables);
  for (const ExportedVariable& variable : blueprint->variables) {
    if (variable.role == ExportedVariable::Role::input) {
      blueprint->start_inputs.insert(blueprint->start_inputs.end(), variable.start.begin(),
                                     variable.start.end());
    } else if (variable.role == ExportedVariable::Role::output) {
      for (std::size_t i = 0; i < variable.size; ++i)
        blueprint->outputs.push_back(variable.is_array ? fmt::format("{}[{}]", variable.name, i)
                                                       : variable.name);
    }
  }
  blueprint->input_count = blueprint->start_inputs.size();
  blueprint->output_count = blueprint->outputs.size();
  return blueprint;
}

}  // namespace

std::string folder_of_uri(const char* uri) {
  if (uri == nullptr) return {};
  std::string_view text = uri;
  constexpr std::string_view scheme = "file:";
  if (!text.starts_with(scheme)) return std::string(text);
  text.remove_prefix(scheme.size());
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const auto path = text.find('/');  // after an authority: nothing, or "localhost"
    text.remove_prefix(path == std::string_view::npos ? text.size() : path);
  }
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    path += coded ? static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return path;
}

std::shared_ptr<const ExportedBlueprint> find_blueprint(const std::string& resources, ExportFormat version) {
  // Reading the file once serves all instances that live at the same time; nothing in it changes.
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const ExportedBlueprint>> known;
  std::error_code error;
  fs::path folder = resources;
  if (resources.empty() || !fs::is_regular_file(folder / "model.toml", error))
    folder = resources_beside_library();
  const std::string key = fmt::format("{} {}", static_cast<int>(version), folder.string());
  const std::lock_guard lock(mutex);
  if (auto blueprint = known[key].lock()) return blueprint;
  auto blueprint = read_blueprint(folder, version);
  known[key] = blueprint;
  return blueprint;
}

}  // namespace ergon
