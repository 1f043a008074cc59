#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon {

/// A value of a correction's setting, as the user wrote it.
struct CorrectionSetting {
  std::variant<double, std::string, bool> value;
  SourceLocation where;
};

/// What one bond asks for.
struct CorrectionRequest {
  std::string bond;
  std::string method;
  std::map<std::string, CorrectionSetting> settings;  ///< what is not here has the default of the method
  SourceLocation where;
};

/// A key that a method takes: a number in a range, one of some words, or true/false.
struct CorrectionKey {
  std::string_view name;
  std::string_view help;
  bool takes_number = false;
  double minimum = 0.0;
  double maximum = 0.0;
  std::vector<std::string_view> words{};
  bool takes_flag = false;
};

/// Reads settings that were checked against the keys of their method.
class CorrectionSettings {
 public:
  explicit CorrectionSettings(const CorrectionRequest& request) : request_(request) {}

  [[nodiscard]] const SourceLocation& where() const { return request_.where; }
  [[nodiscard]] const std::string& bond() const { return request_.bond; }
  [[nodiscard]] bool has(const std::string& key) const { return request_.settings.contains(key); }
  /// The number given, or `otherwise` where there is none (or a word).
  [[nodiscard]] double number(const std::string& key, double otherwise) const { return get(key, otherwise); }
  [[nodiscard]] bool is_number(const std::string& key) const {
    const auto found = request_.settings.find(key);
    return found != request_.settings.end() && std::holds_alternative<double>(found->second.value);
  }
  [[nodiscard]] std::string word(const std::string& key, const std::string& otherwise) const {
    return get(key, otherwise);
  }
  [[nodiscard]] bool flag(const std::string& key) const { return get(key, false); }

 private:
  template <class T>
  [[nodiscard]] T get(const std::string& key, const T& otherwise) const {
    const auto found = request_.settings.find(key);
    if (found == request_.settings.end()) return otherwise;
    const T* value = std::get_if<T>(&found->second.value);
    return value != nullptr ? *value : otherwise;
  }
  const CorrectionRequest& request_;
};

}  // namespace ergon
