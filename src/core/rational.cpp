#include "ergon/core/rational.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ergon {
namespace {

__extension__ using Wide = __int128;

Wide wide_gcd(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  return a;
}

struct Reduced {
  std::int64_t numerator;
  std::int64_t denominator;
};

Reduced reduced(Wide n, Wide d) {
  if (d == 0) throw std::overflow_error("fraction with denominator zero");
  if (d < 0) {
    n = -n;
    d = -d;
  }
  const Wide g = n == 0 ? d : wide_gcd(n, d);
  n /= g;
  d /= g;
  constexpr Wide limit = std::numeric_limits<std::int64_t>::max();
  if (n > limit || n < -limit || d > limit) throw std::overflow_error("fraction does not fit into 64 bits");
  return {static_cast<std::int64_t>(n), static_cast<std::int64_t>(d)};
}

Rational reduce(Wide n, Wide d) {
  const Reduced r = reduced(n, d);
  return {r.numerator, r.denominator};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// digits[.digits][e±digits], where the digits without point fit into 64 bits.
std::optional<Rational> parse_decimal(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  Wide mantissa = 0;
  int exponent = 0;
  int digits = 0;
  bool after_point = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !after_point) {
      after_point = true;
    } else if (c >= '0' && c <= '9') {
      if (mantissa > limit / 10) return std::nullopt;
      mantissa = mantissa * 10 + (c - '0');
      ++digits;
      if (after_point) --exponent;
    } else {
      break;
    }
  }
  if (digits == 0) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    std::string_view tail = text.substr(i + 1);
    if (tail.starts_with('+') && !tail.starts_with("+-")) tail.remove_prefix(1);
    int written = 0;
    const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), written);
    if (error != std::errc{} || end != tail.data() + tail.size()) return std::nullopt;
    if (written > 1000 || written < -1000) return std::nullopt;
    exponent += written;
  }
  if (mantissa == 0) return Rational{};
  while (exponent < 0 && mantissa % 10 == 0) {
    mantissa /= 10;
    ++exponent;
  }
  Wide scale = 1;
  for (int e = 0; e < std::abs(exponent); ++e) {
    if (scale > limit / 10) return std::nullopt;
    scale *= 10;
  }
  if (negative) mantissa = -mantissa;
  try {
    return exponent < 0 ? reduce(mantissa, scale) : reduce(mantissa * scale, 1);
  } catch (const std::overflow_error&) {
    return std::nullopt;
  }
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  const Reduced r = reduced(numerator, denominator);
  numerator_ = r.numerator;
  denominator_ = r.denominator;
}

std::optional<Rational> Rational::parse(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return parse_decimal(trimmed(text));
  const auto n = parse_decimal(trimmed(text.substr(0, slash)));
  const auto d = parse_decimal(trimmed(text.substr(slash + 1)));
  if (!n || !d || d->numerator() == 0) return std::nullopt;
  try {
    return *n / *d;
  } catch (const std::overflow_error&) {
    return std::nullopt;
  }
}

std::optional<Rational> Rational::from_double(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  if (error != std::errc{}) return std::nullopt;
  return parse_decimal({buffer, static_cast<std::size_t>(end - buffer)});
}

std::string Rational::text() const {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value());
  if (error == std::errc{}) {
    std::string decimal(buffer, end);
    if (parse(decimal) == *this) return decimal;
  }
  return std::to_string(numerator_) + "/" + std::to_string(denominator_);
}

Rational operator+(const Rational& a, const Rational& b) {
  return reduce(Wide{a.numerator_} * b.denominator_ + Wide{b.numerator_} * a.denominator_,
                Wide{a.denominator_} * b.denominator_);
}

Rational operator-(const Rational& a, const Rational& b) {
  return reduce(Wide{a.numerator_} * b.denominator_ - Wide{b.numerator_} * a.denominator_,
                Wide{a.denominator_} * b.denominator_);
}

Rational operator*(const Rational& a, const Rational& b) {
  return reduce(Wide{a.numerator_} * b.numerator_, Wide{a.denominator_} * b.denominator_);
}

Rational operator/(const Rational& a, const Rational& b) {
  return reduce(Wide{a.numerator_} * b.denominator_, Wide{a.denominator_} * b.numerator_);
}

bool operator<(const Rational& a, const Rational& b) {
  return Wide{a.numerator_} * b.denominator_ < Wide{b.numerator_} * a.denominator_;
}

Rational greatest_common_divisor(const Rational& a, const Rational& b) {
  if (a.numerator() == 0) return b;
  if (b.numerator() == 0) return a;
  // gcd(n₁/d₁, n₂/d₂) = gcd(n₁d₂, n₂d₁)/(d₁d₂)
  return reduce(wide_gcd(Wide{a.numerator()} * b.denominator(), Wide{b.numerator()} * a.denominator()),
                Wide{a.denominator()} * b.denominator());
}

double sum_as_written(double a, double b) {
  const auto exact_a = Rational::from_double(a);
  const auto exact_b = Rational::from_double(b);
  if (!exact_a || !exact_b) return a + b;
  try {
    const Rational sum = *exact_a + *exact_b;
    constexpr std::int64_t exact_limit = std::int64_t{1} << 53;
    const bool rounds_once = std::abs(sum.numerator()) <= exact_limit && sum.denominator() <= exact_limit;
    return rounds_once ? sum.value() : a + b;
  } catch (const std::overflow_error&) {
    return a + b;
  }
}

}  // namespace ergon
