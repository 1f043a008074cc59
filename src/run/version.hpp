#pragma once

#include <string_view>

namespace ergon {

/// "major.minor.patch"
[[nodiscard]] std::string_view version();

}  // namespace ergon
