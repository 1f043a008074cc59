#include "ergon/scenario/tables/toml_values.hpp"

#include "ergon/scenario/write/resolved_scenario.hpp"

namespace ergon {

Value time_value(const Rational& time_s) {
  const auto decimal = Rational::from_double(time_s.value());
  return decimal == time_s ? number_value(time_s.value()) : text_value(time_s.text());
}

Value text_list(const std::vector<std::string>& texts) {
  std::vector<Value> items;
  for (const std::string& text : texts) items.push_back(text_value(text));
  return list_value(std::move(items));
}

Value text_list(const std::vector<Said<std::string>>& texts) {
  std::vector<Value> items;
  for (const auto& text : texts) items.push_back(text_value(text.value));
  return list_value(std::move(items));
}

Value text_or_list(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? text_value(texts.front()) : text_list(texts);
}

Value number_list(const std::vector<double>& numbers) {
  std::vector<Value> items;
  for (const double number : numbers) items.push_back(number_value(number));
  return list_value(std::move(items));
}

namespace {

Value parameter_value(const ParameterValue& value) {
  if (const double* n = std::get_if<double>(&value)) return number_value(*n);
  if (const bool* b = std::get_if<bool>(&value)) return boolean_value(*b);
  if (const std::int64_t* n = std::get_if<std::int64_t>(&value)) return integer_value(*n);
  if (const std::string* s = std::get_if<std::string>(&value)) return text_value(*s);
  return number_list(std::get<std::vector<double>>(value));
}

}  // namespace

Value parameter_table(const ParameterValues& values) {
  TableWriter table;
  for (const auto& [name, value] : values) table.add(name, parameter_value(value));
  return table.take();
}

ParameterValues as_given(const GivenParameters& given) {
  ParameterValues values;
  for (const auto& [name, one] : given) values[name] = one.value;
  return values;
}

ParameterValues with_defaults(const std::vector<ParameterInfo>& infos, const GivenParameters& given,
                              const std::string& base_directory) {
  ParameterValues values = as_given(given);
  for (const ParameterInfo& info : infos) {
    if (info.chosen_by_saying && !values.contains(info.name)) continue;
    const auto [entry, is_default] = values.emplace(info.name, info.standard);
    // A number for a list is a list of one.
    if (info.standard.index() == 3 && entry->second.index() == 0) {
      entry->second = std::vector<double>{std::get<double>(entry->second)};
    }
    // The resolved file lies elsewhere, so a relative name would lead nowhere.
    if (auto file = file_named_by(info, entry->second, base_directory)) entry->second = std::move(*file);
  }
  return values;
}

}  // namespace ergon
