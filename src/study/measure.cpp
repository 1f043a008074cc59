#include "ergon/study/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <variant>

#include "ergon/core/expression/parser.hpp"
#include "ergon/core/expression/program.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/study/kept_extremes.hpp"

namespace ergon::study {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double usual_band = 0.02;
const std::vector<std::string> function_names = {"max",      "min",      "range",    "mean",     "rms",
                                                 "integral", "initial",  "final",    "value",    "first",
                                                 "last",     "duration", "settling", "overshoot"};

bool of_condition(const std::string& function) {
  return function == "first" || function == "last" || function == "duration";
}

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}
bool is_name_part(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

/// Where the name of an output that begins at `at` ends: mass.position, load.force[2].
std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const bool joins = text[at] == '.' && at + 1 < text.size() && is_name_start(text[at + 1]);
    if (is_name_part(text[at]) || joins) {
      ++at;
    } else if (text[at] == '[') {
      const auto close = text.find(']', at);
      if (close == std::string_view::npos) return at;
      at = close + 1;
    } else {
      break;
    }
  }
  return at;
}

/// Outputs become symbols, numbers, functions and words of formulas stay.
class Rewriter {
 public:
  Rewriter(std::string_view text, Measure& measure) : text_(text), measure_(measure) {}

  /// Nothing, or what is wrong.
  std::string rewrite() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'') {
        const auto close = text_.find('\'', at_ + 1);
        if (close == std::string_view::npos) return "The quote has no end";
        symbol(std::string(text_.substr(at_ + 1, close - at_ - 1)));
        at_ = close + 1;
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
        number();
      } else if (is_name_start(c)) {
        const std::size_t end = end_of_name(text_, at_);
        const std::string name(text_.substr(at_, end - at_));
        at_ = end;
        if (name.find('.') == std::string::npos && expression::is_reserved(name)) {
          measure_.formula += name;
        } else {
          symbol(name);
        }
      } else {
        measure_.formula += c;
        ++at_;
      }
    }
    return {};
  }

 private:
  void number() {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const std::size_t length =
        error == std::errc{} ? static_cast<std::size_t>(end - (text_.data() + at_)) : 1;
    measure_.formula += text_.substr(at_, length);
    at_ += length;
  }
  void symbol(const std::string& name) {
    auto& outputs = measure_.outputs;
    const auto found = std::find(outputs.begin(), outputs.end(), name);
    measure_.formula += fmt::format("s{}", found - outputs.begin());
    if (found == outputs.end()) outputs.push_back(name);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Measure& measure_;
};

/// Of "x, t=3": the last comma outside of brackets that a word and = follow.
struct Arguments {
  std::string formula, key, value;
};
Arguments split_arguments(const std::string& inside) {
  int depth = 0;
  for (std::size_t i = inside.size(); i-- > 0;) {
    if (inside[i] == ')' || inside[i] == ']') ++depth;
    if (inside[i] == '(' || inside[i] == '[') --depth;
    if (inside[i] != ',' || depth != 0) continue;
    const std::string rest = trimmed(std::string_view(inside).substr(i + 1));
    const auto equals = rest.find('=');
    if (equals == std::string::npos || rest.substr(equals, 2) == "==") break;
    return {inside.substr(0, i), trimmed(rest.substr(0, equals)), trimmed(rest.substr(equals + 1))};
  }
  return {inside, "", ""};
}

expression::Program compiled(const Measure& measure, const std::string& where) {
  expression::TermGraph graph;
  for (std::uint32_t i = 0; i < measure.outputs.size(); ++i) (void)graph.symbol(i);
  const expression::Names names{
      [&](const std::string& name) -> std::optional<expression::Formula> {
        std::uint32_t number = 0;
        if (name.size() < 2 || name[0] != 's') return std::nullopt;
        const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
        if (error != std::errc{} || end != name.data() + name.size() || number >= measure.outputs.size())
          return std::nullopt;
        return expression::Formula{graph.symbol(number), {}, false};
      },
      [] { return std::vector<std::string>{}; }};
  // A condition becomes 1 or 0.
  const std::string text =
      of_condition(measure.function) ? fmt::format("if({}, 1, 0)", measure.formula) : measure.formula;
  try {
    expression::Parser parser(expression::tokens_of(text), graph, names);
    const expression::Formula formula = parser.number();
    if (parser.token().kind != expression::Token::Kind::end)
      throw expression::FormulaError{parser.token().offset,
                                     fmt::format("{} does not belong here.", parser.token().described())};
    const expression::Term results[] = {formula.term};
    return {graph, results, measure.outputs.size()};
  } catch (const expression::FormulaError& error) {
    throw InputError({where, 0, 0}, fmt::format("'{}' cannot be computed: {}", measure.text, error.what),
                     "Write a formula of outputs, such as max(load.position - cart.position).");
  }
}

double number_of(const std::string& text, const Measure& measure, const std::string& where) {
  const auto value = expression::evaluate_text(text);
  if (const auto* number = std::get_if<double>(&value); number != nullptr && std::isfinite(*number))
    return *number;
  throw InputError({where, 0, 0}, fmt::format("'{}' in '{}' is not a number.", text, measure.text),
                   "Write value(x, t=3) or settling(x, band=0.02).");
}

}  // namespace

Measure Measure::parse(const std::string& given, const std::string& where) {
  Measure measure;
  std::string text = trimmed(given);
  const auto open = text.find('(');
  const auto equals = text.find('=');
  if (equals != std::string::npos && (open == std::string::npos || equals < open)) {
    measure.name = trimmed(text.substr(0, equals));
    text = trimmed(text.substr(equals + 1));
  }
  measure.text = text;
  if (measure.name.empty()) measure.name = text;
  const auto begin = text.find('(');
  measure.function = trimmed(text.substr(0, begin));
  if (begin == std::string::npos || text.back() != ')')
    throw InputError({where, 0, 0}, fmt::format("'{}' is not a measure.", text),
                     "Write NAME=FUNCTION(FORMULA), such as peak=max(load.position).");
  if (std::find(function_names.begin(), function_names.end(), measure.function) == function_names.end())
    throw InputError({where, 0, 0}, fmt::format("There is no measure '{}'.", measure.function),
                     did_you_mean(measure.function, function_names));
  const Arguments arguments = split_arguments(text.substr(begin + 1, text.size() - begin - 2));
  const std::string wanted = measure.function == "value" ? "t" : measure.function == "settling" ? "band" : "";
  if (!arguments.key.empty() && arguments.key != wanted)
    throw InputError({where, 0, 0}, fmt::format("'{}' does not take '{}='.", measure.function, arguments.key),
                     wanted.empty() ? "Remove it." : fmt::format("Write {}=.", wanted));
  if (measure.function == "value" && arguments.key.empty())
    throw InputError({where, 0, 0}, fmt::format("'{}' does not say at what time.", text),
                     "Write value(x, t=3).");
  measure.argument = arguments.key.empty() ? usual_band : number_of(arguments.value, measure, where);
  if (const std::string wrong = Rewriter(arguments.formula, measure).rewrite(); !wrong.empty())
    throw InputError({where, 0, 0}, fmt::format("'{}': {}.", text, wrong),
                     "Names in quotes end with a quote.");
  (void)compiled(measure, where);
  return measure;
}

struct MeasureSet::State {
  State(const Measure& of, expression::Program formula) : measure(of), program(std::move(formula)) {}
  const Measure& measure;
  std::vector<Index> outputs;
  expression::Program program;
  std::vector<double> frame;
  std::size_t points = 0;
  double first_time = 0.0, last_time = 0.0;
  double initial = not_a_number, final = not_a_number;
  double low = not_a_number, high = not_a_number;
  double integral = 0.0;  ///< of x, of x² for rms
  double answer = not_a_number;
  KeptExtremes kept;  ///< for settling

  void take(double t, double x);
  [[nodiscard]] double value() const;
};

void MeasureSet::State::take(double t, double x) {
  const std::string& f = measure.function;
  if (points == 0) {
    first_time = t;
    initial = low = high = x;
  }
  // A NaN stays: comparisons with it are false.
  if (x < low || std::isnan(x)) low = x;
  if (x > high || std::isnan(x)) high = x;
  if (points > 0) {
    const double h = t - last_time;
    if (f == "rms") {
      // Of the straight line between both points: (a² + ab + b²)/3.
      integral += h * (final * final + final * x + x * x) / 3.0;
    } else if (f == "duration") {
      integral += final != 0.0 ? h : 0.0;
    } else {
      integral += 0.5 * h * (final + x);
    }
    if (f == "value" && last_time < measure.argument && t > measure.argument)
      answer = final + (x - final) * (measure.argument - last_time) / h;
  }
  if (f == "value" && t == measure.argument) answer = x;
  if (f == "first" && x != 0.0 && std::isnan(answer)) answer = t;
  if (f == "last" && x != 0.0) answer = t;
  if (f == "settling") kept.add(t, x);
  final = x;
  last_time = t;
  ++points;
}

double MeasureSet::State::value() const {
  const std::string& f = measure.function;
  if (points == 0) return not_a_number;
  const double duration = last_time - first_time;
  const double change = std::abs(final - initial);
  if (f == "max") return high;
  if (f == "min") return low;
  if (f == "range") return high - low;
  if (f == "initial") return initial;
  if (f == "final") return final;
  if (f == "integral" || f == "duration") return integral;
  if (f == "mean") return duration > 0.0 ? integral / duration : final;
  if (f == "rms") return duration > 0.0 ? std::sqrt(std::max(integral / duration, 0.0)) : std::abs(final);
  if (f == "settling") return kept.last_outside(final, measure.argument * change).value_or(first_time);
  if (f == "overshoot")
    return change > 0.0 ? (final > initial ? high - final : final - low) / change : not_a_number;
  return answer;
}

MeasureSet::MeasureSet(std::span<const Measure> measures, const CoupledSystem& system) {
  for (const Measure& measure : measures) {
    auto state = std::make_unique<State>(measure, compiled(measure, "--measure " + measure.text));
    state->frame = state->program.make_frame();
    for (const std::string& name : measure.outputs) {
      const auto index = system.find_output(name);
      if (!index) {
        std::vector<std::string> names;
        for (const SignalName& output : system.outputs) names.push_back(output.text);
        throw InputError({"--measure " + measure.text, 0, 0}, fmt::format("There is no output '{}'.", name),
                         did_you_mean(name, names));
      }
      state->outputs.push_back(*index);
    }
    states_.push_back(std::move(state));
  }
}

MeasureSet::~MeasureSet() = default;
MeasureSet::MeasureSet(MeasureSet&&) noexcept = default;

void MeasureSet::inspect(double time_s, const OutputRecord& record) {
  for (const auto& state : states_) {
    for (std::size_t i = 0; i < state->outputs.size(); ++i)
      state->frame[i] = record.output(state->outputs[i]);
    state->program.run(state->frame.data());
    state->take(time_s, state->program.result(state->frame.data(), 0));
  }
}

std::vector<double> MeasureSet::values() const {
  std::vector<double> values;
  for (const auto& state : states_) values.push_back(state->value());
  return values;
}

}  // namespace ergon::study
