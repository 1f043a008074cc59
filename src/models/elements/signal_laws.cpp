#include "ergon/models/elements/signal_laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

using Numbers = std::vector<double>;

Description signal_law(std::vector<Port> inputs, std::string what) {
  Description description;
  for (std::size_t i = 0; i < inputs.size(); ++i) description.feedthrough.push_back({0, i});
  description.inputs = std::move(inputs);
  description.outputs = {{"out", {}, 1, std::move(what)}};
  description.algebraic = true;
  return description;
}

class Product final : public Element, public Differentiable {
 public:
  explicit Product(std::size_t inputs) : inputs_(inputs) {}
  [[nodiscard]] Description describe() const override {
    std::vector<Port> inputs;
    for (std::size_t i = 0; i < inputs_; ++i)
      inputs.push_back({fmt::format("in{}", i + 1), {}, 1, "any signal"});
    return signal_law(std::move(inputs), "product of the inputs");
  }
  void evaluate(const double* u, double* y) const override { y[0] = without(u, inputs_); }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void output_jacobian(double /*t*/, const double* u, double* jacobian) const override {
    for (std::size_t i = 0; i < inputs_; ++i) jacobian[i] = without(u, i);
  }

 private:
  /// The product of all but one.
  [[nodiscard]] double without(const double* u, std::size_t one) const {
    double product = 1.0;
    for (std::size_t i = 0; i < inputs_; ++i) product *= i == one ? 1.0 : u[i];
    return product;
  }
  std::size_t inputs_;
};

/// A law of one signal: value and slope.
class SignalCurve : public Element, public Differentiable {
 public:
  explicit SignalCurve(const char* what) : what_(what) {}
  [[nodiscard]] Description describe() const final {
    return signal_law({{"in", {}, 1, "any signal"}}, what_);
  }
  [[nodiscard]] const Differentiable* differentiable() const final { return this; }
  void evaluate(const double* u, double* y) const final { y[0] = value(u[0]); }
  void output_jacobian(double /*t*/, const double* u, double* jacobian) const final {
    jacobian[0] = slope(u[0]);
  }

 protected:
  [[nodiscard]] virtual double value(double in) const = 0;
  [[nodiscard]] virtual double slope(double in) const = 0;

 private:
  const char* what_;
};

class Saturation final : public SignalCurve {
 public:
  Saturation(double lower, double upper)
      : SignalCurve("in within the limits"), lower_(lower), upper_(upper) {}

 private:
  [[nodiscard]] double value(double in) const override {
    return in < lower_ ? lower_ : in > upper_ ? upper_ : in;
  }
  [[nodiscard]] double slope(double in) const override { return in > lower_ && in < upper_ ? 1.0 : 0.0; }
  double lower_, upper_;
};

class DeadZone final : public SignalCurve {
 public:
  DeadZone(double lower, double upper)
      : SignalCurve("how far in is outside of the zone"), lower_(lower), upper_(upper) {}

 private:
  [[nodiscard]] double value(double in) const override {
    return in < lower_ ? in - lower_ : in > upper_ ? in - upper_ : std::isnan(in) ? in : 0.0;
  }
  [[nodiscard]] double slope(double in) const override { return in < lower_ || in > upper_ ? 1.0 : 0.0; }
  double lower_, upper_;
};

/// Where a value is among increasing points: in the piece from `piece` on, by `share` of its length, outside 0 … 1 beyond the ends.
struct Place {
  std::size_t piece = 0;
  double share = 0.0;
};
Place place_among(const Numbers& points, double x) {
  const auto after =
      static_cast<std::size_t>(std::upper_bound(points.begin(), points.end(), x) - points.begin());
  const std::size_t piece = std::clamp<std::size_t>(after, 1, points.size() - 1) - 1;
  return {piece, (x - points[piece]) / (points[piece + 1] - points[piece])};
}

class Lookup final : public SignalCurve {
 public:
  Lookup(Numbers x, Numbers y, bool extends)
      : SignalCurve("value by the table"), x_(std::move(x)), y_(std::move(y)), extends_(extends) {}

 private:
  [[nodiscard]] bool is_outside(double in) const { return !extends_ && (in < x_.front() || in > x_.back()); }
  [[nodiscard]] double value(double in) const override {
    if (is_outside(in)) return in < x_.front() ? y_.front() : y_.back();
    const auto [piece, share] = place_among(x_, in);
    return y_[piece] + share * (y_[piece + 1] - y_[piece]);
  }
  [[nodiscard]] double slope(double in) const override {
    if (is_outside(in)) return 0.0;
    const std::size_t piece = place_among(x_, in).piece;
    return (y_[piece + 1] - y_[piece]) / (x_[piece + 1] - x_[piece]);
  }
  Numbers x_, y_;
  bool extends_;
};

class Lookup2d final : public Element, public Differentiable {
 public:
  Lookup2d(Numbers x, Numbers y, Numbers values)
      : x_(std::move(x)), y_(std::move(y)), values_(std::move(values)) {}
  [[nodiscard]] Description describe() const override {
    return signal_law({{"in1", {}, 1, "row of the table"}, {"in2", {}, 1, "column of the table"}},
                      "value by the table");
  }
  [[nodiscard]] const Differentiable* differentiable() const override { return this; }
  void evaluate(const double* u, double* y) const override {
    double slopes[2];
    y[0] = interpolate(u, slopes);
  }
  void output_jacobian(double /*t*/, const double* u, double* jacobian) const override {
    interpolate(u, jacobian);
  }

 private:
  /// Bilinear in the cell; beyond the table as at its edge.
  double interpolate(const double* u, double* slopes) const {
    const Place row = inside(x_, u[0]);
    const Place column = inside(y_, u[1]);
    const auto at = [&](std::size_t r, std::size_t c) {
      return values_[(row.piece + r) * y_.size() + column.piece + c];
    };
    const double first = at(0, 0) + column.share * (at(0, 1) - at(0, 0));
    const double second = at(1, 0) + column.share * (at(1, 1) - at(1, 0));
    const double left = at(0, 0) + row.share * (at(1, 0) - at(0, 0));
    const double right = at(0, 1) + row.share * (at(1, 1) - at(0, 1));
    slopes[0] = is_within(x_, u[0]) ? (second - first) / (x_[row.piece + 1] - x_[row.piece]) : 0.0;
    slopes[1] = is_within(y_, u[1]) ? (right - left) / (y_[column.piece + 1] - y_[column.piece]) : 0.0;
    return first + row.share * (second - first);
  }
  static bool is_within(const Numbers& points, double x) { return x >= points.front() && x <= points.back(); }
  static Place inside(const Numbers& points, double x) {
    Place place = place_among(points, x);
    place.share = place.share < 0.0 ? 0.0 : place.share > 1.0 ? 1.0 : place.share;  // NaN passes, and shows
    return place;
  }
  Numbers x_, y_, values_;
};

/// At least two points, one after the other.
bool are_points(const Numbers& points, const char* law, const char* key, ProblemList& problems) {
  if (points.size() >= 2 &&
      std::adjacent_find(points.begin(), points.end(), std::greater_equal<>()) == points.end())
    return true;
  problems.error(
      {}, fmt::format("'{}' of the law '{}' is not a list of at least two increasing numbers.", key, law),
      "Give the points of the table in increasing order.");
  return false;
}

bool has_count(const Numbers& values, std::size_t count, const char* law, const char* key,
               ProblemList& problems) {
  if (values.size() == count) return true;
  problems.error({},
                 fmt::format("'{}' of the law '{}' has {} numbers, but the table has {} points.", key, law,
                             values.size(), count),
                 "Give one for each point; in two dimensions row by row.");
  return false;
}

bool limits_increase(const ParameterSet& given, const char* law, ProblemList& problems) {
  if (given.number("lower") < given.number("upper")) return true;
  problems.error({},
                 fmt::format("The law '{}' has lower = {} and upper = {}.", law, given.number("lower"),
                             given.number("upper")),
                 "Let lower < upper.");
  return false;
}

std::vector<ParameterInfo> limit_parameters(const char* lower, const char* upper) {
  return {{"lower", "", -1.0, lower}, {"upper", "", 1.0, upper}};
}

}  // namespace

ElementInfo product_element() {
  ElementInfo info;
  info.name = "product";
  info.summary = "out = in1 * in2 * ...";
  info.parameters = {{"inputs", "", 2.0, "number of inputs", {}, 1.0}};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    constexpr double max_inputs = 100.0;
    const double inputs = given.number("inputs");
    if (inputs != std::floor(inputs) || inputs > max_inputs) {
      problems.error({}, fmt::format("A product has 'inputs' = {}.", inputs),
                     fmt::format("Give a whole number from 1 to {}.", max_inputs));
      return nullptr;
    }
    return std::make_unique<Product>(static_cast<std::size_t>(inputs));
  };
  info.examples = {{"of three", {{"inputs", {3.0, {}}}}}};
  return info;
}

ElementInfo saturation_element() {
  ElementInfo info;
  info.name = "saturation";
  info.summary = "out = in, kept between lower and upper";
  info.parameters = limit_parameters("out is never below", "out is never above");
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    if (!limits_increase(given, "saturation", problems)) return nullptr;
    return std::make_unique<Saturation>(given.number("lower"), given.number("upper"));
  };
  info.examples = {{"one-sided", {{"lower", {0.0, {}}}, {"upper", {100.0, {}}}}}};
  return info;
}

ElementInfo dead_zone_element() {
  ElementInfo info;
  info.name = "dead-zone";
  info.summary = "out = 0 while in is between lower and upper, outside the distance to them";
  info.parameters = limit_parameters("lower end of the zone", "upper end of the zone");
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    if (!limits_increase(given, "dead-zone", problems)) return nullptr;
    return std::make_unique<DeadZone>(given.number("lower"), given.number("upper"));
  };
  info.examples = {{"narrow", {{"lower", {-0.02, {}}}, {"upper", {0.01, {}}}}}};
  return info;
}

ElementInfo lookup_element() {
  ElementInfo info;
  info.name = "lookup";
  info.summary = "out by a table of points, linear between them";
  info.parameters = {{"x", "", Numbers{0.0, 1.0}, "increasing points"},
                     {"y", "", Numbers{0.0, 1.0}, "values there"},
                     {"outside",
                      "",
                      "hold",
                      "beyond the ends: their value, or on along the last piece",
                      {"hold", "extend"}}};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    if (!are_points(given.list("x"), "lookup", "x", problems) ||
        !has_count(given.list("y"), given.list("x").size(), "lookup", "y", problems))
      return nullptr;
    return std::make_unique<Lookup>(given.list("x"), given.list("y"), given.text("outside") == "extend");
  };
  const GivenParameters bends = {{"x", {Numbers{-0.9, -0.1, 0.2, 0.8}, {}}},
                                 {"y", {Numbers{2.0, 0.5, 1.5, -1.0}, {}}}};
  info.examples = {{"bends", bends}, {"extended", bends}};
  info.examples[1].parameters["outside"] = {"extend", {}};
  return info;
}

ElementInfo lookup_2d_element() {
  ElementInfo info;
  info.name = "lookup-2d";
  info.summary = "out by a table over two variables, bilinear between its points";
  info.parameters = {{"x", "", Numbers{0.0, 1.0}, "increasing points of in1: rows"},
                     {"y", "", Numbers{0.0, 1.0}, "increasing points of in2: columns"},
                     {"values", "", Numbers{0.0, 1.0, 2.0, 4.0}, "row by row"}};
  info.make = [](const ParameterSet& given, ProblemList& problems) -> std::unique_ptr<Element> {
    if (!are_points(given.list("x"), "lookup-2d", "x", problems) ||
        !are_points(given.list("y"), "lookup-2d", "y", problems) ||
        !has_count(given.list("values"), given.list("x").size() * given.list("y").size(), "lookup-2d",
                   "values", problems))
      return nullptr;
    return std::make_unique<Lookup2d>(given.list("x"), given.list("y"), given.list("values"));
  };
  info.examples = {{"three by two",
                    {{"x", {Numbers{-2.0, 0.1, 2.0}, {}}},
                     {"y", {Numbers{-2.0, 2.0}, {}}},
                     {"values", {Numbers{1.0, 2.0, -1.0, 3.0, 0.5, 0.0}, {}}}}}};
  return info;
}

}  // namespace ergon
