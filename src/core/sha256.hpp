#pragma once

#include <string>
#include <string_view>

namespace ergon {

/// SHA-256 of `data` in hexadecimal (FIPS 180-4), as `sha256sum` prints it.
std::string sha256(std::string_view data);

}  // namespace ergon
