#pragma once

#include <filesystem>

#include "ergon/report/page.hpp"

namespace ergon::report {

/// A folder that `ergon sweep` or `ergon converge` has written.
[[nodiscard]] bool is_study_folder(const std::filesystem::path& folder);

/// The page of such a folder, from study.json, runs.csv, costs.csv and bands.csv, or from converge.json. Throws InputError where a file
/// is damaged or missing.
[[nodiscard]] Page study_page(const std::filesystem::path& folder, const PageOptions& options);

}  // namespace ergon::report
