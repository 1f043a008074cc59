#include "ergon/core/unit.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace ergon {
namespace {

using Exponents = std::array<std::int8_t, Unit::base_units>;

struct Symbol {
  std::string_view name;
  Exponents exponents;  // m kg s A K mol cd
  double factor = 1.0;
  bool takes_prefix = false;
  double offset = 0.0;
};

bool is_angle(std::string_view symbol) {
  return symbol.ends_with("rad") || symbol == "deg" || symbol == "rev" || symbol == "rpm";
}

constexpr double degree = std::numbers::pi / 180.0;
constexpr double turn = 2.0 * std::numbers::pi;

const Symbol symbols[] = {
    {"1", {}},
    {"rad", {}, 1.0, true},
    {"sr", {}},
    {"%", {}, 0.01},
    {"deg", {}, degree},
    {"rev", {}, turn},
    {"m", {1}, 1.0, true},
    {"g", {0, 1}, 1e-3, true},
    {"t", {0, 1}, 1e3},
    {"s", {0, 0, 1}, 1.0, true},
    {"min", {0, 0, 1}, 60.0},
    {"h", {0, 0, 1}, 3600.0},
    {"A", {0, 0, 0, 1}, 1.0, true},
    {"K", {0, 0, 0, 0, 1}, 1.0, true},
    {"degC", {0, 0, 0, 0, 1}, 1.0, false, 273.15},
    {"mol", {0, 0, 0, 0, 0, 1}, 1.0, true},
    {"cd", {0, 0, 0, 0, 0, 0, 1}, 1.0, true},
    {"Hz", {0, 0, -1}, 1.0, true},
    {"rpm", {0, 0, -1}, turn / 60.0},
    {"N", {1, 1, -2}, 1.0, true},
    {"Pa", {-1, 1, -2}, 1.0, true},
    {"bar", {-1, 1, -2}, 1e5, true},
    {"J", {2, 1, -2}, 1.0, true},
    {"Wh", {2, 1, -2}, 3600.0, true},
    {"W", {2, 1, -3}, 1.0, true},
    {"C", {0, 0, 1, 1}, 1.0, true},
    {"V", {2, 1, -3, -1}, 1.0, true},
    {"Ohm", {2, 1, -3, -2}, 1.0, true},
    {"S", {-2, -1, 3, 2}, 1.0, true},
    {"F", {-2, -1, 4, 2}, 1.0, true},
    {"H", {2, 1, -2, -2}, 1.0, true},
    {"Wb", {2, 1, -2, -1}, 1.0, true},
    {"T", {0, 1, -2, -1}, 1.0, true},
    {"l", {3}, 1e-3, true},
};

struct Prefix {
  std::string_view name;
  double factor;
};
const Prefix prefixes[] = {{"da", 1e1}, {"G", 1e9},  {"M", 1e6},  {"k", 1e3},  {"h", 1e2}, {"d", 1e-1},
                           {"c", 1e-2}, {"m", 1e-3}, {"u", 1e-6}, {"µ", 1e-6}, {"n", 1e-9}};

std::optional<Symbol> find_symbol(std::string_view name) {
  for (const Symbol& s : symbols) {
    if (s.name == name) return s;
  }
  for (const Prefix& p : prefixes) {
    if (!name.starts_with(p.name)) continue;
    for (Symbol s : symbols) {
      if (s.takes_prefix && s.name == name.substr(p.name.size())) {
        s.factor *= p.factor;
        return s;
      }
    }
  }
  return std::nullopt;
}

/// Replaces the typographic forms (·, ², ³, ⁻¹) by their ASCII ones.
std::string to_ascii(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> forms[] = {
      {"·", "*"}, {"²", "2"}, {"³", "3"}, {"⁻", "-"}, {"¹", "1"}, {"°C", "degC"}, {"°", "deg"}, {"Ω", "Ohm"}};
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    bool replaced = false;
    for (const auto& [from, to] : forms) {
      if (text.substr(i).starts_with(from)) {
        out += to;
        i += from.size();
        replaced = true;
        break;
      }
    }
    if (!replaced) out += text[i++];
  }
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Recursive descent over  product = power { ('*' | '.' | ' ' | '/') power },  power = (symbol | '(' product ')') [['^'] integer].
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  bool parse(Unit& unit) {
    skip_spaces();
    if (!product(unit)) return false;
    return position_ == text_.size();
  }

 private:
  bool product(Unit& unit) {
    if (!power(unit, 1)) return false;
    while (position_ < text_.size() && text_[position_] != ')') {
      int sign = 1;
      const std::size_t end_of_power = position_;
      skip_spaces();
      if (position_ < text_.size() && text_[position_] == '/') sign = -1;
      if (position_ < text_.size() &&
          std::string_view("*./").find(text_[position_]) != std::string_view::npos) {
        ++position_;
      }
      skip_spaces();
      if (position_ == text_.size() || position_ == end_of_power) return false;  // "m2kg" wants a dot
      if (!power(unit, sign)) return false;
    }
    return true;
  }

  bool power(Unit& unit, int sign) {
    Unit base;
    if (position_ < text_.size() && text_[position_] == '(') {
      ++position_;
      if (!product(base) || position_ == text_.size() || text_[position_] != ')') return false;
      ++position_;
    } else if (!symbol(base)) {
      return false;
    }
    const int exponent = sign * integer_exponent();
    for (std::size_t i = 0; i < Unit::base_units; ++i) {
      const int sum = unit.exponents[i] + exponent * base.exponents[i];
      if (sum < -127 || sum > 127) return false;
      unit.exponents[i] = static_cast<std::int8_t>(sum);
    }
    if (std::abs(unit.cycles + exponent * base.cycles) > 127) return false;
    unit.cycles = static_cast<std::int8_t>(unit.cycles + exponent * base.cycles);
    unit.names_angle = unit.names_angle || base.names_angle;
    // Divided, not multiplied by a rounded reciprocal: "rev/min" and "rpm" are the same number.
    if (exponent >= 0) {
      unit.factor *= std::pow(base.factor, exponent);
    } else {
      unit.factor /= std::pow(base.factor, -exponent);
    }
    unit.offset = base.offset;  // only meaningful for a unit that is this one symbol
    ++symbols_read_;
    if (symbols_read_ > 1 || exponent != 1) unit.offset = 0.0;
    return true;
  }

  bool symbol(Unit& base) {
    const std::size_t begin = position_;
    if (position_ < text_.size() && text_[position_] == '1') {
      ++position_;
      if (position_ < text_.size() && is_digit(text_[position_])) return false;  // "10" is not a unit
    } else {
      while (position_ < text_.size() && !is_digit(text_[position_]) &&
             std::string_view("*./^()- ").find(text_[position_]) == std::string_view::npos) {
        ++position_;
      }
    }
    const std::string_view name = text_.substr(begin, position_ - begin);
    const auto found = find_symbol(name);
    if (!found) return false;
    base.cycles = found->name == "Hz" ? 1 : 0;
    base.names_angle = is_angle(name);
    base.exponents = found->exponents;
    base.factor = found->factor;
    base.offset = found->offset;
    return true;
  }

  int integer_exponent() {
    if (position_ < text_.size() && text_[position_] == '^') ++position_;
    int sign = 1;
    if (position_ + 1 < text_.size() && text_[position_] == '-' && is_digit(text_[position_ + 1])) {
      sign = -1;
      ++position_;
    }
    if (position_ == text_.size() || !is_digit(text_[position_])) return 1;
    int value = 0;
    while (position_ < text_.size() && is_digit(text_[position_]) && value < 100) {
      value = 10 * value + (text_[position_++] - '0');
    }
    return sign * value;
  }

  void skip_spaces() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int symbols_read_ = 0;
};

}  // namespace

std::optional<Unit> Unit::parse(std::string_view text) {
  Unit unit;
  unit.text = text;
  if (text.empty()) return unit;
  constexpr std::size_t longest_text = 100;  // and so the depth of nested parentheses is bounded
  if (text.size() > longest_text) return std::nullopt;
  const std::string ascii = to_ascii(text);
  if (!UnitParser(ascii).parse(unit)) return std::nullopt;
  return unit;
}

Unit Unit::of(std::string_view text) {
  auto unit = parse(text);
  if (!unit) throw std::logic_error("unknown unit '" + std::string(text) + "'");
  return *unit;
}

double Unit::to_SI() const {
  return cycles == 0 ? factor : factor * std::pow(turn, cycles);
}

Unit Unit::per_second(const Unit& unit) {
  Unit rate = unit;
  rate.text = unit.text + "/s";
  rate.offset = 0.0;
  --rate.exponents[2];
  return rate;
}

bool product_is_power(const Unit& effort, const Unit& flow) {
  static const Unit watt = Unit::of("W");
  for (std::size_t i = 0; i < Unit::base_units; ++i) {
    if (effort.exponents[i] + flow.exponents[i] != watt.exponents[i]) return false;
  }
  return true;
}

bool is_rate_of(const Unit& flow, const Unit& displacement) {
  return flow.same_dimension(Unit::per_second(displacement));
}

UnitConversion conversion(const Unit& from, const Unit& to) {
  if (from.is_unspecified() || to.is_unspecified()) return {};
  // Cycles become radians where only one side counts them and the other speaks of angles.
  const bool turns = from.cycles != to.cycles && (from.names_angle || to.names_angle);
  const double from_factor = turns ? from.to_SI() : from.factor;
  const double to_factor = turns ? to.to_SI() : to.factor;
  if (from_factor == to_factor && from.offset == to.offset) return {};
  return {from_factor / to_factor, (from.offset - to.offset) / to_factor};
}

double rate_factor(const Unit& rate, const Unit& value) {
  return value.is_unspecified() ? 1.0 : conversion(rate, Unit::per_second(value)).gain;
}

}  // namespace ergon
