#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "ergon/core/expression/parser.hpp"
#include "ergon/core/expression/program.hpp"

namespace ergon::expression {
namespace {

/// Formulas of x, y, z (symbols 0, 1, 2), compiled with their derivatives by all three.
struct Compiled {
  TermGraph graph;
  Program program;
  std::vector<double> frame;

  explicit Compiled(const std::string& text,
                    const std::vector<Dimension>& dimensions = std::vector<Dimension>(3)) {
    Names names;
    names.find = [&](const std::string& name) -> std::optional<Formula> {
      if (name.size() != 1 || name[0] < 'x' || name[0] > 'z') return std::nullopt;
      const auto number = static_cast<std::uint32_t>(name[0] - 'x');
      return Formula{graph.symbol(number), dimensions[number]};
    };
    names.all = [] { return std::vector<std::string>{"x", "y", "z"}; };
    Parser parser(tokens_of(text), graph, names);
    formula = parser.number();
    EXPECT_EQ(parser.token().kind, Token::Kind::end) << text;
    std::vector<Term> results = {formula.term};
    for (std::uint32_t i = 0; i < 3; ++i) results.push_back(graph.derivative(formula.term, i));
    program = Program(graph, results, 3);
    frame = program.make_frame();
  }
  double operator()(double x, double y = 0.0, double z = 0.0) {
    frame[0] = x;
    frame[1] = y;
    frame[2] = z;
    program.run(frame.data());
    return program.result(frame.data(), 0);
  }
  double slope(std::size_t symbol) const { return program.result(frame.data(), 1 + symbol); }
  Formula formula;
};

double value(const std::string& text) {
  const auto result = evaluate_text(text);
  if (const auto* error = std::get_if<FormulaError>(&result)) {
    ADD_FAILURE() << text << ": " << error->what;
    return 0.0;
  }
  return std::get<double>(result);
}

/// "line:column what", or nothing where the text is read.
std::string refused(const std::string& text,
                    const std::vector<Dimension>& dimensions = std::vector<Dimension>(3)) {
  try {
    const Compiled compiled(text, dimensions);
    return "";
  } catch (const FormulaError& error) {
    const TextPlace place = place_in(text, error.offset);
    return std::to_string(place.line) + ":" + std::to_string(place.column) + " " + error.what;
  }
}

TEST(Expression, PrecedenceIsThatOfMathematics) {
  EXPECT_EQ(value("1 + 2*3"), 7.0);
  EXPECT_EQ(value("(1 + 2)*3"), 9.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("2^3^2"), 512.0);  // from the right
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("8/4/2"), 1.0);
  EXPECT_EQ(value("7 - 4 - 2"), 1.0);
  EXPECT_EQ(value("2*-3"), -6.0);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value(".5 + 1."), 1.5);
  EXPECT_EQ(value("3 − 2×4÷8·1 + 3²"), 11.0);  // as printed
  EXPECT_EQ(value("if(1 < 2 and not 3 <= 2 or 1 == 2, 10, 20)"), 10.0);
  EXPECT_EQ(value("if(1 > 2 or 2 != 2, 10, 20)"), 20.0);
  EXPECT_EQ(value("(1 +\n 2)"), 3.0);  // a line goes on inside of parentheses
  EXPECT_EQ(value("2*pi"), 2.0 * std::numbers::pi);
  EXPECT_EQ(value("log(e)"), 1.0);
  EXPECT_EQ(
      std::get<double>(evaluate_text(
          "3*n", [](const std::string& name) { return name == "n" ? std::optional(4.0) : std::nullopt; })),
      12.0);
}

TEST(Expression, FunctionsAreThoseOfTheStandardLibrary) {
  const double x = 0.37;
  const double y = -1.9;
  const std::pair<const char*, double> cases[] = {{"sin(x)", std::sin(x)},
                                                  {"cos(x)", std::cos(x)},
                                                  {"tan(x)", std::tan(x)},
                                                  {"asin(x)", std::asin(x)},
                                                  {"acos(x)", std::acos(x)},
                                                  {"atan(x)", std::atan(x)},
                                                  {"sinh(x)", std::sinh(x)},
                                                  {"cosh(x)", std::cosh(x)},
                                                  {"tanh(x)", std::tanh(x)},
                                                  {"sqrt(x)", std::sqrt(x)},
                                                  {"exp(x)", std::exp(x)},
                                                  {"log(x)", std::log(x)},
                                                  {"log10(x)", std::log10(x)},
                                                  {"atan2(x, y)", std::atan2(x, y)},
                                                  {"min(x, y)", y},
                                                  {"max(x, y)", x},
                                                  {"abs(y)", -y},
                                                  {"sign(y)", -1.0},
                                                  {"floor(y)", -2.0},
                                                  {"x^1.7", std::pow(x, 1.7)},
                                                  {"if(x > y, 3, 4)", 3.0}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(Compiled(text)(x, y), expected) << text;
}

// Against differences of fourth order of the formula itself.
TEST(Expression, SymbolicDerivativesAreTheDifferenceQuotients) {
  const char* cases[] = {"x*y - z/x",
                         "x^y",
                         "x^3 + y^-2 + z^0.5",
                         "sqrt(x*x + y*y)",
                         "exp(-x*y)*log(z)",
                         "log10(x + z)",
                         "sin(x)*cos(y)*tan(z)",
                         "asin(x/9) + acos(y/9)",
                         "atan(x*y)",
                         "atan2(x, y*z)",
                         "sinh(x) - cosh(y)*tanh(z)",
                         "min(x*y, z) + max(x, y)",
                         "abs(x - y)*abs(y)",
                         "-(x/(y + z))/(1 + x^2)",
                         "if(x < y, x*x, y*z) + sign(x)*y + floor(y)",
                         "((x + y)*(x - z))^3"};
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(0.3, 2.7);
  for (const char* text : cases) {
    Compiled f(text);
    for (int draw = 0; draw < 20; ++draw) {
      double at[3] = {uniform(generator), uniform(generator), uniform(generator)};
      f(at[0], at[1], at[2]);
      const double slopes[3] = {f.slope(0), f.slope(1), f.slope(2)};
      for (std::size_t i = 0; i < 3; ++i) {
        constexpr double step = 1e-4;
        double moved[3] = {at[0], at[1], at[2]};
        const auto along = [&](double distance) {
          moved[i] = at[i] + distance;
          return f(moved[0], moved[1], moved[2]);
        };
        const double quotient =
            (8.0 * (along(step) - along(-step)) - (along(2.0 * step) - along(-2.0 * step))) / (12.0 * step);
        const bool kink = std::abs(at[0] - at[1]) < 1e-3 || std::abs(at[0] * at[1] - at[2]) < 3e-3 ||
                          std::abs(at[1] - std::round(at[1])) < 1e-3;
        if (kink) continue;
        EXPECT_NEAR(slopes[i], quotient, 1e-9 * (1.0 + std::abs(quotient))) << text << " by " << i;
      }
    }
  }
}

TEST(Expression, WhatIsWrittenTwiceIsComputedOnce) {
  EXPECT_EQ(Program(Compiled("sin(x*y) + sin(x*y)^2").graph, {}, 3).operations(), 0U);
  TermGraph graph;
  const Term x = graph.symbol(0);
  const Term a = graph.make(Operation::sine, graph.make(Operation::multiply, x, x));
  const Term b = graph.make(Operation::sine, graph.make(Operation::power, x, graph.constant(2.0)));
  EXPECT_EQ(a, b);
  EXPECT_TRUE(graph.depends_on(a, 0));
  EXPECT_FALSE(graph.depends_on(a, 1));
}

TEST(Expression, NaNNeverPassesUnseen) {
  const double nan = std::nan("");
  for (const char* text :
       {"0*x", "min(x, 1)", "min(1, x)", "max(x, 1)", "max(1, x)", "sign(x)", "abs(x)", "floor(x)",
        "if(x < 1, 2, 3)", "if(1 <= x, 2, 3)", "if(x == x, 2, 3)", "if(x != 1, 2, 3)", "if(not x < 1, 2, 3)",
        "if(x < 1 or 1 < 2, 2, 3)", "if(x < 1 and 2 < 1, 2, 3)"})
    EXPECT_TRUE(std::isnan(Compiled(text)(nan))) << text;
  EXPECT_EQ(Compiled("if(x < 0, sqrt(x), x)")(2.0), 2.0) << "a branch that does not hold is harmless";
  EXPECT_EQ(Compiled("if(x >= 0, sqrt(x), x)")(-2.0), -2.0);
}

TEST(Expression, MistakesAreShownWhereTheyAre) {
  EXPECT_EQ(refused("x + q"), "1:5 'q' is not defined. Available: x, y, z.");
  EXPECT_EQ(refused("x +"), "1:4 A number, a name or '(' is needed here, not the end of the text.");
  EXPECT_EQ(refused("(x"), "1:3 ')' is missing for the '(' before, before the end of the text.");
  EXPECT_EQ(refused("sin(x, y)"), "1:8 'sin' takes 1 argument, but has 2.");
  EXPECT_EQ(refused("atan2(x)"), "1:8 'atan2' takes 2 arguments, but has 1.");
  EXPECT_EQ(refused("sni(x)"), "1:1 There is no function 'sni'. Did you mean 'sin'?");
  EXPECT_EQ(refused("2x"), "1:2 A name cannot follow a number directly: write the product with *.");
  EXPECT_EQ(refused("x $ y"), "1:3 '$' has no meaning here.");
  EXPECT_EQ(refused("x < y"), "1:1 This is a condition, where a number is needed: use if(condition, a, b).");
  EXPECT_EQ(refused("if(x, y, z)"), "1:4 This is a number, where a condition such as a < b is needed.");
  EXPECT_EQ(refused("if(x < y < z, 1, 2)"), "1:10 Comparisons do not form a chain: write a < b and b < c.");
  EXPECT_EQ(refused("(x +\n  y +* z)"), "2:6 A number, a name or '(' is needed here, not '*'.");
  EXPECT_EQ(refused("1e999"), "1:1 This number is too large or too small.");
  EXPECT_EQ(refused("sin"), "1:1 'sin' is a function: '(' is missing.");
  EXPECT_NE(refused(std::string(5000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(refused(std::string(5000, '-')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(refused("x·y + q").find("1:7"), std::string::npos) << "columns are characters";
  EXPECT_EQ(caret_lines("a = 1\n µ = x + q\nb", 16), "\n     µ = x + q\n             ^");
}

TEST(Expression, UnitsAreCheckedWhereTheyAreKnown) {
  const Dimension metre = Dimension::of(Unit::of("m"));
  const Dimension second = Dimension::of(Unit::of("s"));
  const std::vector<Dimension> units = {metre, second, {}};
  EXPECT_EQ(refused("x + y", units), "1:3 m and s are added: their units differ.");
  EXPECT_EQ(refused("3 + x/y - x", units), "1:9 m/s and m are subtracted: their units differ.");
  EXPECT_EQ(refused("sin(x)", units), "1:5 'sin' is taken of what has the unit m.");
  EXPECT_EQ(refused("x^y", units), "1:3 An exponent has no unit, but this has s.");
  EXPECT_EQ(refused("x^z", units), "1:3 A power of what has the unit m needs a number as exponent.");
  EXPECT_EQ(refused("if(x < y, 1, 2)", units), "1:6 m and s are compared: their units differ.");
  EXPECT_EQ(refused("max(x, y)", units), "1:8 m and s are arguments: their units differ.");
  for (const char* fine : {"x + 3", "x + z", "x + 2*sin(y/y)", "sqrt(x*x) + x", "(x/y)^2 - 9.81*x*x/y^2 + z",
                           "atan2(x, 2*x) + 1", "if(x > 0, x, 0)"})
    EXPECT_EQ(refused(fine, units), "") << fine;
  EXPECT_EQ(Compiled("sqrt(x)*x^2/y", units).formula.dimension.text(), "m^2.5/s");
  EXPECT_EQ(refused("x + sin(y/y)", units), "1:3 m and 1 are added: their units differ.");
}

// Random characters and random rows of tokens: read or refused with a place inside of the text, never worse.
TEST(Expression, NoTextBreaksTheParser) {
  const char* pieces[] = {"x",   "y'",  "z",    "1",   "2.5e-3", "(",    ")",   ",",  "+",   "-",  "*",
                          "/",   "^",   "<",    "<=",  "==",     "=",    "and", "or", "not", "if", "sin",
                          "max", "[",   "]",    "[m]", " ",      "\n",   ";",   "#",  "−",   "²",  "π",
                          "'",   "der", "time", "pi",  "\x80",   "\xff", ".",   "e",  "1e",  "\t", "&"};
  std::mt19937 generator(11);
  int read = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text;
    const auto length = generator() % 14U;
    for (unsigned k = 0; k < length; ++k) {
      if (generator() % 20U == 0) {
        text += static_cast<char>(generator() & 0xFFU);
      } else {
        text += pieces[generator() % std::size(pieces)];
      }
    }
    const auto result = evaluate_text(
        text, [](const std::string& name) { return name == "x" ? std::optional(2.0) : std::nullopt; });
    if (const auto* error = std::get_if<FormulaError>(&result)) {
      ASSERT_LE(error->offset, text.size()) << text;
      ASSERT_FALSE(error->what.empty());
      ASSERT_FALSE(caret_lines(text, error->offset).empty());
    } else {
      ++read;
    }
  }
  EXPECT_GT(read, 500) << "some are formulas";
}

}  // namespace
}  // namespace ergon::expression
