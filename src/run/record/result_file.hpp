#pragma once

#include <filesystem>
#include <utility>

#include "ergon/core/api.hpp"

namespace ergon {

/// Whether a run makes its files, or goes on in those that it has from before.
enum class Results { anew, continued };

struct ERGON_API ResultFile {
  // NOLINTNEXTLINE(google-explicit-constructor): most files are made anew, and a path says all of those.
  ResultFile(std::filesystem::path file, Results how = Results::anew) : path(std::move(file)), results(how) {}

  std::filesystem::path path;
  Results results;
};

}  // namespace ergon
