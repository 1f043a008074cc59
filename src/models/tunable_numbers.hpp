#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/capabilities.hpp"

namespace ergon {

/// Numbers of a native model that may change during a run.
class TunableNumbers : public Tunable {
 public:
  [[nodiscard]] std::vector<TunableParameter> tunable_parameters() const final {
    std::vector<TunableParameter> parameters;
    for (const Number& number : numbers_) parameters.push_back(number.info);
    return parameters;
  }
  [[nodiscard]] TypedValue parameter(std::size_t number) const final { return *numbers_[number].value; }
  [[nodiscard]] std::string set_parameter(std::size_t number, const TypedValue& value) final {
    Number& changed = numbers_[number];
    const double wanted = std::get<double>(value);
    if (changed.minimum && wanted < *changed.minimum)
      return fmt::format("must be at least {}", *changed.minimum);
    *changed.value = wanted;
    return {};
  }

 protected:
  /// `value` is a member of the object that this is part of.
  void tune(std::string name, std::string_view unit, std::string description, double& value,
            std::optional<double> minimum = {}) {
    numbers_.push_back({{std::move(name), Unit::of(unit), std::move(description)}, &value, minimum});
  }

 private:
  struct Number {
    TunableParameter info;
    double* value;
    std::optional<double> minimum;
  };
  std::vector<Number> numbers_;
};

}  // namespace ergon
