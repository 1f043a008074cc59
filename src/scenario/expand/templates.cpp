#include "ergon/scenario/expand/templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ergon {
namespace {

using expression::FormulaError;

constexpr double most_of_one = 1e6;
constexpr std::size_t most_in_all = 4'000'000;

/// One entry of a list with `count`, and what is wrong with it: told once, not for each of its copies.
class Template {
 public:
  Template(const char* list, const Value& entry, const std::shared_ptr<const Constants>& constants,
           ProblemList& problems)
      : list_(list), entry_(entry), constants_(constants), problems_(problems) {}

  /// Nothing after reporting what is wrong.
  std::optional<std::size_t> count() {
    Value said = entry_.find("count")->value;
    said.constants = constants_;
    const auto number = number_of(said);
    const auto refuse = [&](const SourceLocation& where, const std::string& what, const std::string& more) {
      problems_.error(
          where, fmt::format("'count' in [[{}]] {}", list_, what),
          fmt::format("Give a whole number from 0 to {:.0f}, or a formula.{}", most_of_one, more));
      return std::nullopt;
    };
    if (const auto* error = std::get_if<FormulaError>(&number)) {
      const auto [where, caret] = place_of(*error, said);
      return refuse(where, fmt::format("cannot be read: {}", error->what), caret);
    }
    const double value = std::get<Number>(number).value;
    if (value < 0.0 || value > most_of_one || value != std::floor(value))
      return refuse(said.where, fmt::format("is {}.", value), "");
    const Entry* name = entry_.find("name");
    const bool is_named_alike = name != nullptr && name->value.kind == Value::Kind::text &&
                                name->value.text.find('{') == std::string::npos;
    if (is_named_alike && value > 1.0) {
      problems_.error(name->value.where,
                      fmt::format("All {:.0f} entries of this [[{}]] would be called '{}'.", value, list_,
                                  name->value.text),
                      fmt::format("Put the number into the name: \"{}{{i}}\".", name->value.text));
      return std::nullopt;
    }
    return static_cast<std::size_t>(value);
  }

  Value copy(std::size_t number) {
    auto scope = std::make_shared<Constants>(constants_);
    scope->set(counter_name, Number::of(Rational(static_cast<std::int64_t>(number), 1)));
    Value made = entry_;
    std::erase_if(made.entries, [](const Entry& entry) { return entry.key == "count"; });
    fill(made, scope);
    return made;
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void fill(Value& value, const std::shared_ptr<const Constants>& scope) {
    for (Value& item : value.items) fill(item, scope);
    for (Entry& entry : value.entries) fill(entry.value, scope);
    if (value.kind != Value::Kind::text) return;
    value.constants = scope;
    if (value.text.find_first_of("{}") == std::string::npos) return;
    std::string filled;
    const std::string& text = value.text;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text.compare(at, 2, "{{") == 0 || text.compare(at, 2, "}}") == 0) {
        filled += text[at++];
        continue;
      }
      if (text[at] != '{') {
        filled += text[at];
        continue;
      }
      const std::size_t end = text.find('}', at);
      if (end == std::string::npos) return refuse(value, at, "The '}' of this '{' is missing.");
      const auto number = evaluate_number(std::string_view(text).substr(at + 1, end - at - 1), scope.get());
      if (const auto* error = std::get_if<FormulaError>(&number))
        return refuse(value, at + 1 + error->offset, error->what);
      const double whole = std::get<Number>(number).value;
      if (whole != std::floor(whole) || std::abs(whole) > 9e15)
        return refuse(value, at + 1, fmt::format("This is {}, not a whole number.", whole));
      filled += fmt::format("{:.0f}", whole == 0.0 ? 0.0 : whole);
      at = end;
    }
    value.text = std::move(filled);
  }

  void refuse(const Value& value, std::size_t offset, const std::string& what) {
    if (failed_) return;
    failed_ = true;
    const auto [where, caret] = place_of({offset, what}, value);
    problems_.error(where, fmt::format("[[{}]] with 'count': {}", list_, what),
                    "Braces hold a formula of i, the number of the entry, as in \"m{i}\" or \"m{i + 1}\"; "
                    "'{{' is a brace." +
                        caret);
  }

  const char* list_;
  const Value& entry_;
  const std::shared_ptr<const Constants>& constants_;
  ProblemList& problems_;
  bool failed_ = false;
};

}  // namespace

const std::vector<std::string>& counted_lists() {
  static const std::vector<std::string> lists = {"subsystem",  "element", "bond",
                                                 "connection", "change",  "shape"};
  return lists;
}

void attach_constants(Value& value, const std::shared_ptr<const Constants>& constants) {
  if (constants == nullptr) return;
  if (value.kind == Value::Kind::text && value.constants == nullptr) value.constants = constants;
  for (Value& item : value.items) attach_constants(item, constants);
  for (Entry& entry : value.entries) attach_constants(entry.value, constants);
}

void expand_templates(Value& document, const std::shared_ptr<const Constants>& constants,
                      ProblemList& problems) {
  std::size_t made = 0;
  for (const std::string& list : counted_lists()) {
    Entry* entries = document.find(list);
    if (entries == nullptr || entries->value.kind != Value::Kind::list) continue;
    const auto is_counted = [](const Value& item) { return item.find("count") != nullptr; };
    std::vector<Value>& items = entries->value.items;
    if (std::none_of(items.begin(), items.end(), is_counted)) continue;
    std::vector<Value> all;
    for (Value& item : items) {
      if (!is_counted(item)) {
        all.push_back(std::move(item));
        continue;
      }
      Template one(list.c_str(), item, constants, problems);
      const auto count = one.count();
      if (count && made + *count > most_in_all) {
        problems.error(item.where, fmt::format("Entries with 'count' would be more than {}.", most_in_all),
                       "Give smaller numbers.");
        continue;
      }
      made += count.value_or(0);
      for (std::size_t number = 1; number <= count.value_or(0) && !one.failed(); ++number)
        all.push_back(one.copy(number));
    }
    items = std::move(all);
  }
  attach_constants(document, constants);
}

}  // namespace ergon
