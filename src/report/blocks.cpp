#include "ergon/report/blocks.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace ergon::report {
namespace {

/// Differences of neighbours, the least significant bytes of all first.
template <typename Bits, typename ToBits>
void write_planes(std::span<const double> numbers, ToBits to_bits, unsigned char* planes) {
  Bits last = 0;
  const std::size_t n = numbers.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Bits bits = to_bits(numbers[i]);
    Bits difference = bits - last;
    last = bits;
    for (std::size_t k = 0; k < sizeof(Bits); ++k, difference >>= 8U)
      planes[k * n + i] = static_cast<unsigned char>(difference & 0xffU);
  }
}

bool fits_float(std::span<const double> numbers, double offset) {
  return std::all_of(numbers.begin(), numbers.end(), [&](double value) {
    return !std::isfinite(value) || std::abs(value - offset) < std::numeric_limits<float>::max();
  });
}

/// Whole numbers stay what they are without an offset.
double offset_of(std::span<const double> numbers) {
  constexpr double largest_whole = 16777216.0;  // 2²⁴
  const bool whole = std::all_of(numbers.begin(), numbers.end(), [](double value) {
    return !std::isfinite(value) || (std::trunc(value) == value && std::abs(value) <= largest_whole);
  });
  if (whole) return 0.0;
  const auto first =
      std::find_if(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); });
  return *first;
}

}  // namespace

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t there = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8U | (k < there ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= there ? letters[group >> (18U - 6U * static_cast<unsigned>(k)) & 63U] : '=';
  }
  return text;
}

std::vector<unsigned char> packed(std::span<const double> numbers, bool exact) {
  const double offset = exact ? 0.0 : offset_of(numbers);
  const bool as_float = !exact && fits_float(numbers, offset);
  const std::size_t size = as_float ? 4 : 8;
  std::vector<unsigned char> bytes(9 + size * numbers.size());
  bytes[0] = static_cast<unsigned char>(size);
  const double written_offset = as_float ? offset : 0.0;
  std::memcpy(bytes.data() + 1, &written_offset, sizeof written_offset);
  if (as_float) {
    write_planes<std::uint32_t>(
        numbers,
        [&](double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value - offset)); },
        bytes.data() + 9);
  } else {
    write_planes<std::uint64_t>(
        numbers, [](double value) { return std::bit_cast<std::uint64_t>(value); }, bytes.data() + 9);
  }
  return bytes;
}

std::size_t Blocks::add(std::span<const double> numbers, bool exact) {
  const std::vector<unsigned char> bytes = packed(numbers, exact || exact_);
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<unsigned char> small(size);
  if (compress2(small.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), 6) != Z_OK)
    throw std::runtime_error("the results could not be compressed");
  blocks_.emplace_back(small.begin(), small.begin() + static_cast<std::ptrdiff_t>(size));
  return blocks_.size() - 1;
}

void Blocks::write_html(const PageSink& sink) const {
  constexpr std::size_t piece = 3 * 16384;  // threes of bytes are fours of letters
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    sink(fmt::format("<script type=\"text/plain\" id=\"block-{}\">", i));
    for (std::span<const unsigned char> rest(blocks_[i]); !rest.empty();) {
      const auto next = rest.first(std::min(piece, rest.size()));
      sink(base64(next));
      rest = rest.subspan(next.size());
    }
    sink("</script>\n");
  }
}

}  // namespace ergon::report
