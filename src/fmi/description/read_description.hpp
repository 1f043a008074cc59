#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "ergon/core/problem.hpp"
#include "ergon/fmi/description/model_description.hpp"

namespace ergon::fmi {

/// Reads modelDescription.xml (and terminalsAndIcons.xml where it is) of an unpacked FMU. What real FMUs get wrong and can be
/// lived with is a warning. Nothing after reporting what makes it unusable. `fmu_name` begins the names in messages.
std::optional<ModelDescription> read_description(const std::filesystem::path& folder,
                                                 const std::string& fmu_name, ProblemList& problems);

/// The same from the bytes of a modelDescription.xml.
std::optional<ModelDescription> parse_description(std::string_view bytes, const std::string& shown_name,
                                                  ProblemList& problems);

}  // namespace ergon::fmi
