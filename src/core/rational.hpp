#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ergon/core/api.hpp"

namespace ergon {

/// An exact fraction of 64-bit integers, always in lowest terms with a positive denominator.
/// Step sizes are such fractions, so that a thousand steps of 1/60 s are exactly 1000/60 s.
class ERGON_API Rational {
 public:
  constexpr Rational() = default;
  /// Throws std::overflow_error if the reduced fraction does not fit.
  Rational(std::int64_t numerator, std::int64_t denominator);

  /// Reads "1/60", "1e-3", "0.001", "2": the decimal as written, not its binary neighbour.
  static std::optional<Rational> parse(std::string_view text);
  /// The decimal that a person wrote to get this double (its shortest round-trip form).
  static std::optional<Rational> from_double(double value);

  [[nodiscard]] std::int64_t numerator() const { return numerator_; }
  [[nodiscard]] std::int64_t denominator() const { return denominator_; }
  [[nodiscard]] double value() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }
  [[nodiscard]] bool is_positive() const { return numerator_ > 0; }
  /// "1/60" or "0.001": what `parse` reads back to the same fraction.
  [[nodiscard]] std::string text() const;

  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);
  friend bool operator==(const Rational& a, const Rational& b) = default;
  friend bool operator<(const Rational& a, const Rational& b);

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

/// The largest fraction of which both are whole multiples. Throws std::overflow_error if it does not fit.
ERGON_API Rational greatest_common_divisor(const Rational& a, const Rational& b);

/// The double nearest to the sum (or difference) of two decimals as they were written: 0.1 and 0.2 make 0.3.
ERGON_API double sum_as_written(double a, double b);

}  // namespace ergon
