#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "emit.hpp"
#include "ergon/core/output_file.hpp"
#include "ergon/scenario/ssp/write_ssp.hpp"
#include "ergon/scenario/systems/system_document.hpp"

namespace ergon::app {
namespace {

namespace fs = std::filesystem;

/// FMUs by names that start at the folder of the new file.
void name_fmus_from(const fs::path& target, const std::string& base_directory, Value& document) {
  Entry* subsystems = document.find("subsystem");
  if (subsystems == nullptr) return;
  const fs::path from = fs::absolute(base_directory).lexically_normal();
  const fs::path to = fs::absolute(target).parent_path().lexically_normal();
  for (Value& subsystem : subsystems->value.items) {
    Entry* fmu = subsystem.find("fmu");
    if (fmu == nullptr || fs::path(fmu->value.text).is_absolute()) continue;
    fmu->value.text = (from / fmu->value.text).lexically_normal().lexically_proximate(to).string();
  }
}

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
  if (target.extension() == ".toml") {
    name_fmus_from(target, base, system->document);
    write_text(target, to_toml(system->document));
    emit("{}: everything is said.\n", arguments.to);
    return exit_done;
  }
  if (target.extension() != ".ssp")
    throw InputError({arguments.to, 0, 0}, "The format is not known.", "End the name with .toml or .ssp.");
  ProblemList found;
  const SspPackage package = make_ssp(*system, base, target.stem().string(), found);
  if (found.has_errors()) throw InputError(found);
  write_ssp(arguments.to, package);
  emit("{}: {} FMU{} inside.\n", arguments.to, package.files.size(), package.files.size() == 1 ? "" : "s");
  if (!package.only_here.empty()) {
    emit("SSP has no words for the following; an annotation keeps it, which only Ergon reads:\n");
    for (const std::string& what : package.only_here) emit("  {}\n", what);
  }
  return exit_done;
}

}  // namespace ergon::app
