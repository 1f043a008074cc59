#include "ergon/export/export_fmu.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ergon/core/sha256.hpp"
#include "ergon/export/model_description.hpp"
#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

struct ArchiveEntry {
  std::string name;
  std::string content;
};

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream)
    throw InputError({file.string(), 0, 0}, "The file cannot be read.", "Check its name and permissions.");
  return content.str();
}

/// libzip writes to a file beside and renames it: who reads `target` finds all of it or what was there before.
void write_archive(const std::string& target, const std::vector<ArchiveEntry>& entries) {
  const auto fail = [&](const std::string& why) {
    throw InputError({target, 0, 0}, fmt::format("The FMU cannot be written: {}.", why),
                     "Check folder and permissions.");
  };
  int code = 0;
  zip_t* archive = zip_open(target.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail(why);
  }
  for (const ArchiveEntry& entry : entries) {
    zip_source_t* source = zip_source_buffer(archive, entry.content.data(), entry.content.size(), 0);
    const zip_int64_t index =
        source == nullptr ? -1 : zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      const std::string why = zip_strerror(archive);
      if (source != nullptr) zip_source_free(source);
      zip_discard(archive);
      fail(why);
    }
    constexpr std::uint16_t first_date = (1U << 5U) | 1U;  // 1980-01-01: the same model gives the same bytes
#ifdef __SANITIZE_ADDRESS__  // the library is twenty times as large there, and read by tests only
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, 1);
#endif
    zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, first_date, 0);
  }
  if (zip_close(archive) != 0) {
    const std::string why = zip_strerror(archive);
    zip_discard(archive);
    fail(why);
  }
}

/// A name that a C function may have.
std::string identifier_of(const std::string& name) {
  std::string identifier = name;
  std::replace_if(
      identifier.begin(), identifier.end(), [](unsigned char c) { return std::isalnum(c) == 0 || c >= 128U; },
      '_');
  if (identifier.empty() || std::isdigit(static_cast<unsigned char>(identifier[0])) != 0)
    identifier = "_" + identifier;
  return identifier;
}

/// Files that parameters name go into the archive under their own name.
std::vector<ArchiveEntry> pack_files(const ModelInfo& info, const std::string& base_directory,
                                     ExportedModel& model) {
  std::vector<ArchiveEntry> files;
  for (const ParameterInfo& parameter : info.parameters) {
    const auto value = model.parameters.find(parameter.name);
    if (value == model.parameters.end()) continue;
    const auto path = file_named_by(parameter, value->second, base_directory);
    if (!path) continue;
    const std::string name = parameter.name + "_" + fs::path(*path).filename().string();
    files.push_back({"resources/" + name, read_file(*path)});
    value->second = name;
  }
  return files;
}

bool same_ports(const std::vector<Port>& a, const std::vector<Port>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Port& x, const Port& y) { return x.name == y.name && x.size == y.size; });
}

/// Another value of the same type; nothing: there is none worth trying.
std::optional<ParameterValue> another(const ParameterInfo& info, const ParameterValue& value,
                                      std::size_t which) {
  if (const bool* flag = std::get_if<bool>(&value))
    return which == 0 ? std::optional(ParameterValue(!*flag)) : std::nullopt;
  if (const double* number = std::get_if<double>(&value))
    return which == 0 ? std::optional(ParameterValue(*number + 1.0)) : std::nullopt;
  if (std::holds_alternative<std::string>(value) && which < info.choices.size())
    return ParameterValue(info.choices[which]);
  return std::nullopt;
}

/// Values that decide which ports there are cannot be variables: an FMU has the variables of its description. Found by trying.
std::vector<std::string> values_that_decide_ports(const ModelInfo& info, const ExportedModel& model,
                                                  const std::string& base_directory,
                                                  const Description& description) {
  std::vector<std::string> names;
  for (const ParameterInfo& parameter : info.parameters) {
    const auto value = model.parameters.find(parameter.name);
    if (value == model.parameters.end()) continue;
    for (std::size_t which = 0; const auto other = another(parameter, value->second, which); ++which) {
      ExportedModel changed = model;
      changed.parameters[parameter.name] = *other;
      ProblemList ignored;
      const auto made = make_exported(changed, base_directory, ignored);
      if (!made) continue;
      const Description now = made->describe();
      if (same_ports(now.inputs, description.inputs) && same_ports(now.outputs, description.outputs))
        continue;
      names.push_back(parameter.name);
      break;
    }
  }
  return names;
}

/// What the library holds, for who passes the FMU on.
constexpr const char* licences =
    "The library in this FMU holds\n"
    "  Ergon                MIT\n"
    "  SUNDIALS             BSD-3-Clause (Lawrence Livermore National Security and Southern Methodist "
    "University)\n"
    "  Eigen                MPL-2.0\n"
    "  fmt, toml++          MIT\n"
    "  libstdc++, libgcc    GPL-3.0-or-later with GCC-exception-3.1\n"
    "The texts of the first five are beside this one. The source of Eigen is at "
    "https://eigen.tuxfamily.org.\n"
    "The licence of the model and of its values is its author's affair.\n";

/// The texts that go with the library, in the order of their names.
std::vector<ArchiveEntry> licence_texts(const fs::path& library) {
  const fs::path folder = library.parent_path() / "fmu_licenses";
  std::vector<ArchiveEntry> texts;
  for (const char* name : {"eigen.txt", "ergon.txt", "fmt.txt", "sundials.txt", "tomlplusplus.txt"}) {
    std::error_code error;
    if (!fs::is_regular_file(folder / name, error)) {
      throw InputError({},
                       fmt::format("The licence text {} of the library of exported FMUs is not beside it.",
                                   (folder / name).string()),
                       "Build or install the whole of Ergon.");
    }
    texts.push_back({std::string("documentation/licenses/") + name, read_file((folder / name).string())});
  }
  return texts;
}

/// A GUID out of the content: what differs has another one.
std::string token_of(const std::string& content) {
  const std::string hex = sha256(content);
  return fmt::format("{{{}-{}-{}-{}-{}}}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20, 12));
}

/// Asked of the model at its start, with each port moved by itself.
std::vector<bool> ports_that_store(Subsystem& subsystem, const Description& description) {
  std::vector<bool> stores(description.inputs.size(), false);
  const EnergyAccount* account = subsystem.energy_account();
  if (account == nullptr || !subsystem.initialize({}).ok) return stores;
  std::vector<double> u;
  for (const Port& port : description.inputs) {
    for (std::size_t i = 0; i < port.size; ++i) u.push_back(port.start_of(i));
  }
  std::vector<double> received(u.size());
  const auto stored_J = [&] {
    AccountSample sample;
    sample.received_J = received;
    account->sample({0.0, u.data(), u.data()}, sample);
    return sample.stored_J;
  };
  const double before_J = stored_J();
  std::size_t place = 0;
  for (std::size_t p = 0; p < stores.size(); ++p) {
    for (std::size_t e = 0; e < description.inputs[p].size; ++e, ++place) {
      for (const double change : {0.1, 0.37}) {
        const double start = u[place];
        u[place] += change * description.inputs[p].nominal;
        if (stored_J() != before_J) stores[p] = true;
        u[place] = start;
      }
    }
  }
  return stores;
}

}  // namespace

ExportedFmu export_fmu(const FmuExport& asked) {
  FmuExport request = asked;
  ProblemList problems;
  const auto subsystem = make_exported(request.model, request.base_directory, problems);
  if (!subsystem) throw InputError(problems);
  const auto known = info_of(request.model);
  const ModelInfo& info = *known;
  const Description description = subsystem->describe();
  ExportedFmu fmu;
  const std::string name = fs::path(request.file).stem().string();
  fmu.identifier = identifier_of(name);
  fmu.fixed = values_that_decide_ports(info, request.model, request.base_directory, description);
  request.model.fixed = fmu.fixed;
  std::vector<ArchiveEntry> files = pack_files(info, request.base_directory, request.model);
  for (const ArchiveEntry& file : files) fmu.files.push_back(file.name);
  std::string content =
      fmt::format("{} {}\n", static_cast<int>(request.version), fmu.identifier) + to_text(request.model);
  for (const ArchiveEntry& file : files) content += file.content;
  request.model.token = token_of(content);
  fmu.variables =
      exported_variables(request.model, description, subsystem->energy_account() != nullptr, request.version);

  DescribedFmu described{request, fmu, description, name, info.name + ": " + info.summary};
  described.saves_state = subsystem->rewindable() != nullptr;
  described.serializes_state = described.saves_state && subsystem->serializable() != nullptr;
  described.has_derivatives = subsystem->differentiable() != nullptr;
  described.stores = ports_that_store(*subsystem, description);
  const std::string platform = request.version == ExportFormat::fmi2 ? "linux64" : "x86_64-linux";
  std::vector<ArchiveEntry> entries = {
      {"modelDescription.xml", model_description(described)},
      {fmt::format("binaries/{}/{}.so", platform, fmu.identifier), read_file(request.library)},
      {"resources/model.toml", to_text(request.model)},
      {"documentation/licenses/license.txt", licences}};
  std::vector<ArchiveEntry> texts = licence_texts(request.library);
  std::move(texts.begin(), texts.end(), std::back_inserter(entries));
  std::move(files.begin(), files.end(), std::back_inserter(entries));
  write_archive(request.file, entries);
  return fmu;
}

std::string fmu_library() {
  constexpr const char* name = "ergon_fmu.so";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder :
       {program.parent_path(), program.parent_path().parent_path() / "lib" / "ergon"}) {
    if (fs::is_regular_file(folder / name, error)) return (folder / name).string();
  }
  throw InputError({}, fmt::format("The library of exported FMUs, {}, is not beside the command.", name),
                   "Build or install the whole of Ergon.");
}

}  // namespace ergon
