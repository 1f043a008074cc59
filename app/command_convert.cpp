#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/core/output_file.hpp"
#include "ergon/models/registry.hpp"
#include "ergon/scenario/ssp/write_ssp.hpp"
#include "ergon/scenario/systems/system_document.hpp"

namespace ergon::app {
namespace {

namespace fs = std::filesystem;

/// Relative names of files start at the folder of the new file then.
class FileNames {
 public:
  FileNames(const fs::path& target, std::string base_directory)
      : base_(std::move(base_directory)),
        from_(fs::absolute(base_).lexically_normal()),
        to_(fs::absolute(target).parent_path().lexically_normal()) {}

  void name_fmus(Value& document) const {
    for (Value* subsystem : subsystems(document)) {
      Entry* fmu = subsystem->find("fmu");
      if (fmu != nullptr) rename(fmu->value);
    }
  }
  /// Tables and machines that models of our own read. Returns them by their new names.
  [[nodiscard]] std::vector<std::string> name_files_of_models(Value& document) const {
    std::vector<std::string> named;
    for (Value* subsystem : subsystems(document)) {
      const Entry* model = subsystem->find("model");
      const ModelInfo* info = model == nullptr ? nullptr : find_model(model->value.text);
      if (info == nullptr) continue;
      const auto name = [&](Entry& entry) {
        const bool is_choice =
            std::any_of(info->parameters.begin(), info->parameters.end(),
                        [&](const ParameterInfo& p) { return p.name == entry.key && !p.choices.empty(); });
        std::error_code ignored;
        if (is_choice || entry.value.kind != Value::Kind::text || entry.value.text.empty() ||
            !fs::is_regular_file(fs::path(base_) / entry.value.text, ignored))
          return;
        rename(entry.value);
        named.push_back(entry.value.text);
      };
      if (Entry* machine = subsystem->find("description")) name(*machine);
      if (Entry* parameters = subsystem->find("parameters")) {
        for (Entry& entry : parameters->value.entries) name(entry);
      }
    }
    return named;
  }

 private:
  static std::vector<Value*> subsystems(Value& document) {
    std::vector<Value*> found;
    if (Entry* list = document.find("subsystem")) {
      for (Value& subsystem : list->value.items) found.push_back(&subsystem);
    }
    return found;
  }
  void rename(Value& name) const {
    if (!fs::path(name.text).is_absolute())
      name.text = (from_ / name.text).lexically_normal().lexically_proximate(to_).string();
  }
  std::string base_;
  fs::path from_, to_;
};

void write_text(const fs::path& target, const std::string& text) {
  fs::path temporary;
  const OpenedFile file = open_temporary_file(target, temporary);
  if (file.descriptor < 0)
    throw InputError({target.string(), 0, 0}, fmt::format("The file cannot be written: {}.", file.why_not),
                     "Check folder and permissions.");
  std::FILE* stream = fdopen(file.descriptor, "w");
  const bool written = stream != nullptr && std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  const bool closed = stream != nullptr && std::fclose(stream) == 0;
  std::error_code error;
  if (written && closed) fs::rename(temporary, target, error);
  if (written && closed && !error) return;
  fs::remove(temporary, error);
  throw InputError({target.string(), 0, 0}, "The file cannot be written.", "Check the space on the disk.");
}

}  // namespace

int convert_command(const ConvertArguments& arguments) {
  ProblemList problems;
  auto system = load_document(arguments.from, problems);
  if (!system || problems.has_errors()) throw InputError(problems);
  print_problems(problems, true);
  const fs::path target = arguments.to;
  std::error_code ignored;
  if (fs::equivalent(arguments.from, target, ignored))
    throw InputError({arguments.to, 0, 0}, "This is the file to be converted.", "Give another name.");
  if (const std::string obstacle = obstacle_at(target); !obstacle.empty())
    throw InputError({arguments.to, 0, 0}, fmt::format("The name {}.", obstacle), "Give another name.");
  const std::string base = base_directory_of(arguments.from);
  const FileNames names(target, base);
  if (target.extension() == ".toml") {
    names.name_fmus(system->document);
    (void)names.name_files_of_models(system->document);
    write_text(target, to_toml(system->document));
    emit("{}: complete.\n", arguments.to);
    return exit_done;
  }
  if (target.extension() != ".ssp")
    throw InputError({arguments.to, 0, 0}, "The format is not known.", "End the name with .toml or .ssp.");
  const std::vector<std::string> outside = names.name_files_of_models(system->document);
  ProblemList found;
  const SspPackage package = make_ssp(*system, base, target.stem().string(), found);
  if (found.has_errors()) throw InputError(found);
  write_ssp(arguments.to, package);
  emit("{}: {} FMU{} inside.\n", arguments.to, package.files.size(), package.files.size() == 1 ? "" : "s");
  if (!package.only_here.empty()) {
    emit("SSP has no words for the following; an annotation keeps it, which only Ergon reads:\n");
    for (const std::string& what : package.only_here) emit("  {}\n", what);
  }
  for (const std::string& file : outside)
    emit("'{}' stays outside: keep it there, seen from the folder of the archive.\n", file);
  return exit_done;
}

}  // namespace ergon::app
