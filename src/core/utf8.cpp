#include "ergon/core/utf8.hpp"

namespace ergon {
namespace {

/// Bytes of the character that begins with `lead`; 0: none does.
std::size_t length_of(unsigned char lead) {
  if (lead < 0x80U) return 1;
  if (lead < 0xC2U) return 0;  // within a character, or a longer way to write ASCII
  if (lead < 0xE0U) return 2;
  if (lead < 0xF0U) return 3;
  return lead < 0xF5U ? 4 : 0;
}

/// What the second byte must not be: a longer way to write a character, half of a pair of UTF-16, or beyond U+10FFFF.
bool is_excluded(unsigned char lead, unsigned char second) {
  return (lead == 0xE0U && second < 0xA0U) || (lead == 0xEDU && second >= 0xA0U) ||
         (lead == 0xF0U && second < 0x90U) || (lead == 0xF4U && second >= 0x90U);
}

}  // namespace

std::optional<std::size_t> first_byte_that_is_no_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = length_of(byte(i));
    if (length == 0 || i + length > text.size()) return i;
    for (std::size_t k = 1; k < length; ++k) {
      if (!continues_character(text[i + k])) return i;
    }
    if (length > 1 && is_excluded(byte(i), byte(i + 1))) return i;
    i += length;
  }
  return std::nullopt;
}

}  // namespace ergon
