#pragma once

#include <filesystem>
#include <utility>

#include "ergon/core/api.hpp"

namespace ergon {

class Hdf5Results;

/// Whether a run makes its files, or goes on in those that it has from before.
enum class Results { anew, continued };

/// In which forms a table of results is written.
struct ResultForms {
  bool csv = true;
  bool mat = false;
  Hdf5Results* hdf5 = nullptr;  ///< where it goes there
};

struct ERGON_API ResultFile {
  // NOLINTNEXTLINE(google-explicit-constructor): most files are made anew, and a path says all of those.
  ResultFile(std::filesystem::path file, Results how = Results::anew, ResultForms written_as = {})
      : path(std::move(file)), results(how), forms(written_as) {}

  std::filesystem::path path;  ///< of the CSV file; others have its name with another ending
  Results results;
  ResultForms forms;
};

}  // namespace ergon
