#include "ergon/scenario/file/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ergon {
namespace {

/// Where the mistake is needs no mark.
bool is_one_word(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

TableReader::TableReader(const Value& table, std::string title, ProblemList& problems)
    : table_(table), title_(std::move(title)), problems_(problems) {}

void TableReader::error(const SourceLocation& where, std::string what, std::string remedy) {
  ok_ = false;
  problems_.error(where, std::move(what), std::move(remedy));
}

void TableReader::wrong_type(const Entry& entry, const std::string& expected, const std::string& example) {
  error(entry.value.where,
        fmt::format("'{}' in {} must be {}, but is {}.", entry.key, title_, expected, entry.value.describe()),
        fmt::format("Write it as in: {} = {}", entry.key, example));
}

const Entry* TableReader::entry(const std::string& key) {
  known_.insert(key);
  return table_.find(key);
}

std::optional<Said<std::string>> TableReader::text(const std::string& key) {
  const Entry* e = entry(key);
  if (!e) return std::nullopt;
  if (e->value.kind != Value::Kind::text) {
    wrong_type(*e, "a string", "\"…\"");
    return std::nullopt;
  }
  return Said<std::string>{e->value.text, e->value.where};
}

std::optional<Said<std::string>> TableReader::choice(const std::string& key, const Names& available,
                                                     const Names& later) {
  auto said = text(key);
  if (!said || std::find(available.begin(), available.end(), said->value) != available.end()) return said;
  if (std::find(later.begin(), later.end(), said->value) != later.end()) {
    error(said->where,
          fmt::format("{} = \"{}\" in {} is not available in this version.", key, said->value, title_),
          fmt::format("Remove it, or choose: {}.", fmt::join(available, ", ")));
  } else {
    error(said->where, fmt::format("Unknown {} '{}' in {}.", key, said->value, title_),
          did_you_mean(said->value, available));
  }
  return std::nullopt;
}

std::vector<Said<std::string>> TableReader::texts(const std::string& key) {
  const Entry* e = entry(key);
  if (!e) return {};
  const auto is_text = [](const Value& v) { return v.kind == Value::Kind::text; };
  if (is_text(e->value)) return {{e->value.text, e->value.where}};
  if (e->value.kind != Value::Kind::list ||
      !std::all_of(e->value.items.begin(), e->value.items.end(), is_text)) {
    wrong_type(*e, e->value.kind == Value::Kind::list ? "a list of strings" : "a string or a list of strings",
               "[\"…\", \"…\"]");
    return {};
  }
  std::vector<Said<std::string>> result;
  for (const Value& item : e->value.items) result.push_back({item.text, item.where});
  return result;
}

std::optional<Said<double>> TableReader::number(const std::string& key) {
  const Entry* e = entry(key);
  if (!e) return std::nullopt;
  const auto found = number_in(*e, e->value, "a number", "1.0");
  return found ? std::optional(Said<double>{found->value, e->value.where}) : std::nullopt;
}

std::optional<Number> TableReader::number_in(const Entry& entry, const Value& value, const char* expected,
                                             const char* example) {
  const auto number = number_of(value);
  if (const auto* found = std::get_if<Number>(&number)) return *found;
  if (value.kind != Value::Kind::text) {
    wrong_type(entry, expected, example);
    return std::nullopt;
  }
  const auto& mistake = std::get<expression::FormulaError>(number);
  const auto [where, caret] = place_of(mistake, value);
  error(where,
        fmt::format("'{}' in {} must be {}, but is {}.", entry.key, title_, expected, value.describe()),
        fmt::format("Give {}, as in: {} = {}. As a formula: {}{}", expected, entry.key, example, mistake.what,
                    is_one_word(value.text) ? std::string() : caret));
  return std::nullopt;
}

std::optional<Said<double>> TableReader::positive(const std::string& key) {
  const auto said = number(key);
  if (!said || (std::isfinite(said->value) && said->value > 0.0)) return said;
  error(said->where, fmt::format("{} = {} in {} is not a positive number.", key, said->value, title_),
        fmt::format("Give {} > 0.", key));
  return std::nullopt;
}

std::optional<Said<std::int64_t>> TableReader::count(const std::string& key, std::int64_t limit) {
  const Entry* e = entry(key);
  if (!e) return std::nullopt;
  const Value& v = e->value;
  const auto number = number_of(v);
  const auto* found = std::get_if<Number>(&number);
  const double n = found == nullptr ? 0.0 : found->value;
  // 25.0 is a whole number, too.
  if (n == std::floor(n) && n >= 1.0 && n <= static_cast<double>(limit))
    return Said<std::int64_t>{static_cast<std::int64_t>(n), v.where};
  error(v.where, fmt::format("'{}' in {} is {}.", key, title_, v.describe()),
        fmt::format("Give a whole number from 1 to {}.", limit));
  return std::nullopt;
}

std::optional<bool> TableReader::flag(const std::string& key) {
  const Entry* found = entry(key);
  if (found == nullptr) return std::nullopt;
  if (found->value.kind == Value::Kind::boolean) return found->value.boolean;
  error(found->value.where,
        fmt::format("{} in {} must be true or false, but is {}.", key, title_, found->value.describe()),
        fmt::format("Write {} = true.", key));
  return std::nullopt;
}

std::optional<Said<std::vector<double>>> TableReader::numbers(const std::string& key) {
  const Entry* e = entry(key);
  if (!e) return std::nullopt;
  const auto& items = e->value.items;
  if (e->value.kind != Value::Kind::list) {
    wrong_type(*e, "a list of numbers", "[0.1, 0.2]");
    return std::nullopt;
  }
  Said<std::vector<double>> result{{}, e->value.where};
  for (const Value& item : items) {
    const auto found = number_in(*e, item, "a list of numbers", "[0.1, 0.2]");
    if (!found) return std::nullopt;
    result.value.push_back(found->value);
  }
  return result;
}

std::optional<Rational> read_time(const Value& value, std::string& reason) {
  constexpr const char* range = "cannot be held as an exact fraction of 64-bit integers";
  if (value.kind == Value::Kind::integer && value.integer != std::numeric_limits<std::int64_t>::min()) {
    return Rational(value.integer, 1);
  }
  if (value.kind == Value::Kind::text) {
    if (const auto parsed = Rational::parse(value.text)) return parsed;
    const auto number = number_of(value);
    if (const auto* mistake = std::get_if<expression::FormulaError>(&number)) {
      reason = fmt::format("is not a time in seconds (as a formula: {})", mistake->what);
      return std::nullopt;
    }
    const Number& found = std::get<Number>(number);
    const auto exact = found.exact ? found.exact : Rational::from_double(found.value);
    if (!exact) reason = range;
    return exact;
  }
  if (!std::isfinite(value.number)) {
    reason = "is not finite";
    return std::nullopt;
  }
  auto parsed = Rational::from_double(value.number);
  if (!parsed) reason = range;
  return parsed;
}

std::optional<Said<Rational>> TableReader::time_s(const std::string& key) {
  const Entry* e = entry(key);
  if (!e) return std::nullopt;
  if (!e->value.is_number() && e->value.kind != Value::Kind::text) {
    wrong_type(*e, "a time in seconds", "1e-3, or \"1/60\"");
    return std::nullopt;
  }
  std::string reason;
  const auto value = read_time(e->value, reason);
  if (!value) {
    const std::string shown = e->value.kind == Value::Kind::text ? fmt::format("\"{}\"", e->value.text)
                                                                 : fmt::format("{}", e->value.number);
    error(e->value.where, fmt::format("{} = {} in {} {}.", key, shown, title_, reason),
          fmt::format("Give seconds as a decimal or a fraction: {0} = 1e-3, or {0} = \"1/60\"", key));
    return std::nullopt;
  }
  return Said<Rational>{*value, e->value.where};
}

std::optional<Said<Rational>> TableReader::step_s(const std::string& key) {
  const Entry* e = entry(key);
  if (!e) return std::nullopt;
  auto said = time_s(key);
  if (!said) return Said<Rational>{{}, e->value.where};
  if (said->value.is_positive()) return said;
  error(said->where, fmt::format("{} = {} in {} is not positive.", key, said->value.text(), title_),
        fmt::format("Give {} > 0, in seconds.", key));
  said->value = {};
  return said;
}

const Value* TableReader::table(const std::string& key) {
  const Entry* e = entry(key);
  if (!e) return nullptr;
  if (e->value.kind != Value::Kind::table) {
    wrong_type(*e, "a table", "{ … }");
    return nullptr;
  }
  return &e->value;
}

std::vector<const Value*> TableReader::tables(const std::string& key) {
  const Entry* e = entry(key);
  if (!e) return {};
  const auto is_table = [](const Value& v) { return v.kind == Value::Kind::table; };
  if (e->value.kind != Value::Kind::list ||
      !std::all_of(e->value.items.begin(), e->value.items.end(), is_table)) {
    error(e->where, fmt::format("'{}' must be a list of tables, but is {}.", key, e->value.describe()),
          fmt::format("Write [[{}]], with two brackets, above each.", key));
    return {};
  }
  std::vector<const Value*> result;
  for (const Value& item : e->value.items) result.push_back(&item);
  return result;
}

namespace {

/// A list of rows, each a list of numbers and formulas, as the text of a matrix (docs/equations.md): "0, 1; -k/m, 0".
std::optional<std::string> matrix_text(const Value& value) {
  if (value.kind != Value::Kind::list || value.items.empty()) return std::nullopt;
  std::string text;
  for (const Value& row : value.items) {
    if (row.kind != Value::Kind::list || row.items.empty()) return std::nullopt;
    if (!text.empty()) text += "; ";
    for (std::size_t i = 0; i < row.items.size(); ++i) {
      const Value& entry = row.items[i];
      if (!entry.is_number() && entry.kind != Value::Kind::text) return std::nullopt;
      if (i > 0) text += ", ";
      text += entry.is_number() ? fmt::format("{}", entry.number) : entry.text;
    }
  }
  return text;
}

}  // namespace

GivenParameters TableReader::parameters(const std::string& key) {
  GivenParameters given;
  const Value* values = table(key);
  if (!values) return given;
  for (const Entry& e : values->entries) {
    const Value& v = e.value;
    const auto add = [&](ParameterValue value) { given[e.key] = {std::move(value), v.where}; };
    // Formulas among numbers are numbers.
    const auto is_number_or_formula = [](const Value& item) {
      return item.is_number() ||
             (item.kind == Value::Kind::text && std::holds_alternative<Number>(number_of(item)));
    };
    const bool all_numbers = std::all_of(v.items.begin(), v.items.end(), is_number_or_formula);
    if (v.kind == Value::Kind::integer && std::abs(v.number) >= largest_exact_integer) {
      add(v.integer);
    } else if (v.is_number()) {
      add(v.number);
    } else if (v.kind == Value::Kind::boolean) {
      add(v.boolean);
    } else if (v.kind == Value::Kind::text) {
      add(v.text);
    } else if (v.kind == Value::Kind::list && all_numbers) {
      std::vector<double> list;
      for (const Value& item : v.items) list.push_back(std::get<Number>(number_of(item)).value);
      add(std::move(list));
    } else if (auto matrix = matrix_text(v)) {
      add(std::move(*matrix));
    } else {
      error(v.where,
            fmt::format(
                "'{}' in '{}' of {} must be a number, true, false, a string or a list of numbers, but is {}.",
                e.key, key, title_,
                v.kind == Value::Kind::list ? "a list with other things than numbers" : v.describe()),
            fmt::format("Write it as in: {} = 1.0", e.key));
    }
  }
  return given;
}

void TableReader::evaluate_formulas(const std::string& key, const std::vector<ParameterInfo>& declared,
                                    bool others_are_numbers, GivenParameters& given) {
  const Entry* table = entry(key);
  if (table == nullptr || table->value.kind != Value::Kind::table) return;
  for (const Entry& e : table->value.entries) {
    if (e.value.kind != Value::Kind::text) continue;
    const auto info = std::find_if(declared.begin(), declared.end(),
                                   [&](const ParameterInfo& one) { return one.name == e.key; });
    const bool is_declared = info != declared.end();
    if (is_declared ? std::holds_alternative<std::string>(info->standard) ||
                          std::holds_alternative<bool>(info->standard)
                    : !others_are_numbers)
      continue;
    const auto number = number_of(e.value);
    if (const auto* found = std::get_if<Number>(&number)) {
      given[e.key].value = found->value;
    } else if (is_declared) {
      number_in(e, e.value, "a number", "1.0");
      given.erase(e.key);
    }
  }
}

bool TableReader::refuse(const std::string& key, const std::string& feature) {
  const Entry* e = table_.find(key);
  if (!e) return false;
  refused_.insert(key);
  error(e->where, fmt::format("'{}' in {}: {} not available in this version.", key, title_, feature),
        "Remove this key.");
  return true;
}

void TableReader::missing(const std::string& key, const std::string& remedy) {
  missing_.emplace_back(key, remedy);
}

bool TableReader::finish() {
  const Names names(known_.begin(), known_.end());
  for (const Entry& e : table_.entries) {
    if (known_.contains(e.key) || refused_.contains(e.key)) continue;
    error(e.where, fmt::format("Unknown key '{}' in {}.", e.key, title_), did_you_mean(e.key, names));
    meant_.emplace(nearest_name(e.key, names));
  }
  for (const auto& [key, remedy] : missing_) {
    if (!misspelt(key)) error(table_.where, fmt::format("{} has no '{}'.", title_, key), remedy);
  }
  return ok_;
}

}  // namespace ergon
