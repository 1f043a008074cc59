#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ergon {

/// Where the first byte is that begins no character of UTF-8 (RFC 3629), counted from 0; nothing: there is none.
[[nodiscard]] std::optional<std::size_t> first_byte_that_is_no_utf8(std::string_view text);

/// A byte within a character, not its first.
[[nodiscard]] constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace ergon
