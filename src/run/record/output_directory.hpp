#pragma once

#include <filesystem>

namespace ergon {

/// `results/<stem of the scenario file>`
[[nodiscard]] std::filesystem::path default_output_directory(const std::filesystem::path& scenario);

/// Makes the directory with its parents and tries whether files can be made in it. Removes the summary and
/// report of an earlier run: beside the results of a killed one they would tell a lie. Throws InputError.
void prepare_output_directory(const std::filesystem::path& directory);

}  // namespace ergon
