#pragma once

#include "ergon/scenario/systems/system_document.hpp"

namespace ergon {

/// A scenario as SSP 2.0: what SSP can say is said in its own words, the rest is TOML in an annotation of type "org.ergon", which
/// read_ssp puts back.
struct SspPackage {
  struct File {
    std::string entry;           ///< in the archive
    std::filesystem::path path;  ///< what is copied there
  };
  std::string description;                                        ///< SystemStructure.ssd
  std::vector<File> files;                                        ///< FMUs
  std::vector<std::string> only_here;                             ///< what other tools do not see, in words
  std::vector<std::shared_ptr<const fmi::UnpackedFmu>> archives;  ///< that hold `files`
};
SspPackage make_ssp(const SystemDocument& system, const std::string& base_directory, const std::string& name,
                    ProblemList& problems);

/// Writes the archive as a whole or not at all. Throws InputError.
void write_ssp(const std::string& target, const SspPackage& package);

}  // namespace ergon
