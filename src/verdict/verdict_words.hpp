#pragma once

#include <string>
#include <vector>

/// What the sentences of several kinds of evidence are composed of.
namespace ergon::verdict_words {

/// "2.4 %".
[[nodiscard]] std::string percent(double ratio);
/// "102 % of the reference energy 10 J", "24 times the reference energy 10 J".
[[nodiscard]] std::string share_of(double ratio, double scale_J);
/// "a, b, c and 7 more".
[[nodiscard]] std::string list(const std::vector<std::string>& names);
/// "in 2.1–5.5 s".
[[nodiscard]] std::string interval(double from_s, double to_s);
/// "created" or "destroyed".
[[nodiscard]] const char* created(double amount_J);
/// Of a bond whose energy nothing shows in full.
[[nodiscard]] std::string stale_efforts_sentence(const std::string& bond);

}  // namespace ergon::verdict_words
