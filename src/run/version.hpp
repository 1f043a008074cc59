#pragma once

#include <string_view>

#include "ergon/core/api.hpp"

namespace ergon {

/// "major.minor.patch"
[[nodiscard]] ERGON_API std::string_view version();

}  // namespace ergon
