#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ergon/fmi/subsystem/fmu_model.hpp"
#include "ergon/scenario/file/document.hpp"

namespace ergon {

/// Effort and flow of one place of a subsystem, as an OSP model description or a terminal declares them.
struct PowerPort {
  std::string subsystem;
  std::string name;
  std::vector<std::string> efforts;
  std::vector<std::string> flows;
};

/// A system of another format as the document that a TOML scenario becomes, so that everything that follows (overrides, checks, the
/// run) is the same.
struct SystemDocument {
  Value document;
  std::vector<std::string> files;  ///< that were read, the system's own file first
  std::vector<PowerPort> ports;
  std::vector<std::shared_ptr<const fmi::FmuModel>> fmus;  ///< kept, so that they are unpacked once
};

/// Names of a foreign system as names of a scenario: letters that are not allowed there become '_', and no name occurs twice.
class SystemNames {
 public:
  /// `wanted` may have '/' between the names of systems.
  std::string add(const std::string& wanted, const SourceLocation& where, ProblemList& problems);

 private:
  std::set<std::string> taken_;
};

/// A file, which may be inside of an archive: "system.ssp#resources/a.fmu". The folder that an archive is unpacked to lives as long as
/// `archives`.
struct ArchivedFile {
  std::filesystem::path path;
  std::vector<std::shared_ptr<const fmi::UnpackedFmu>> archives{};
};
/// Nothing after reporting what is wrong with an archive; whether the file exists is not looked at.
std::optional<ArchivedFile> find_archived(const std::string& name, const std::string& base_directory,
                                          ProblemList& problems);
/// The archive that holds a file: "system.ssp#resources/a.fmu" → "system.ssp"; a file by itself: its own name.
std::string outermost_file(const std::string& name);

/// An FMU as `find` of model sources sees it: a file, or "archive.ssp#resources/a.fmu". Nothing where it cannot be loaded: that is
/// reported where the subsystem is read.
std::shared_ptr<const fmi::FmuModel> peek_fmu(const std::string& name, const std::string& base_directory);

/// "a%20b.fmu" → "a b.fmu"; "file:///x" → "/x". Nothing where it is a URI of another scheme.
std::optional<std::string> file_of_uri(const std::string& uri);

/// The file that a proxy on this machine would run in a process of its own: proxyfmu://localhost?file=a.fmu. Nothing for other URIs.
std::optional<std::string> file_of_local_proxy(const std::string& uri);

/// Whether numbers of one variable reach the other as they are, because their units are the same or one has none.
bool is_same_unit(const Unit& from, const Unit& to);

/// Start values of connected inputs are what arrives there: those in `values` are removed.
void drop_values_of_fed_inputs(Value& document);

/// The system that `path` names, or nothing after reporting what is wrong: an .ssp (also "a.ssp#Variant.ssd"), .ssd,
/// OspSystemStructure.xml or a folder with one of them.
std::optional<SystemDocument> read_system(const std::string& path, ProblemList& problems);
/// The document of a system or of a TOML scenario, before the command line has changed it.
std::optional<SystemDocument> load_document(const std::string& path, ProblemList& problems);
/// The folder where relative names of a scenario or system start.
std::string base_directory_of(const std::string& path);
/// Whether `path` is for `read_system` (and not a TOML scenario).
bool is_foreign_system(const std::string& path);

}  // namespace ergon
