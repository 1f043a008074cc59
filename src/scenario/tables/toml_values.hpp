#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// The parts of a scenario as values of TOML, for whoever writes tables.
/// Exact: a decimal where the double nearest to the fraction reads back to it, else the fraction as a text.
Value time_value(const Rational& time_s);
Value text_list(const std::vector<std::string>& texts);
Value text_list(const std::vector<Said<std::string>>& texts);
/// A text, or a list where there are several or none.
Value text_or_list(const std::vector<std::string>& texts);
Value number_list(const std::vector<double>& numbers);

using ParameterValues = std::map<std::string, ParameterValue>;
Value parameter_table(const ParameterValues& values);
ParameterValues as_given(const GivenParameters& given);
/// What was given, and the defaults of everything else; names of files are absolute.
ParameterValues with_defaults(const std::vector<ParameterInfo>& infos, const GivenParameters& given,
                              const std::string& base_directory);

/// A table that grows key by key.
class TableWriter {
 public:
  TableWriter& add(std::string key, Value value) {
    entries_.push_back({std::move(key), {}, std::move(value)});
    return *this;
  }
  TableWriter& add(std::string key, std::string_view text) {
    return add(std::move(key), text_value(std::string(text)));
  }
  Value take() { return table_value(std::move(entries_)); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace ergon
