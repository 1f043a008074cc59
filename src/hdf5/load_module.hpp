#pragma once

#include <string>

#include "ergon/hdf5/result_store.hpp"

namespace ergon::hdf5 {

/// ergon_hdf5.so, the one part of Ergon that needs libhdf5: loaded when it is first asked for, privately, so that FMUs of the process
/// do not find its names. Throws InputError where this build has none.
[[nodiscard]] const Hdf5Module& load_module();

/// Why it cannot be had; empty where it can.
[[nodiscard]] std::string why_not_available();

/// By its first bytes; false where it cannot be read.
[[nodiscard]] bool is_hdf5_file(const std::filesystem::path& file);

}  // namespace ergon::hdf5
