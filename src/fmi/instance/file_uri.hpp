#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace ergon::fmi {

/// file:///… with every byte that is not unreserved (RFC 3986) as %XX.
inline std::string file_uri(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
        std::string_view("/-_.~").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri;
}

}  // namespace ergon::fmi
