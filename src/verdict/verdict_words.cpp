#include "ergon/verdict/verdict_words.hpp"

#include <fmt/format.h>

namespace ergon::verdict_words {

std::string percent(double ratio) {
  return fmt::format("{:.2g} %", 100.0 * ratio);
}

std::string share_of(double ratio, double scale_J) {
  constexpr double as_multiple = 10.0;
  if (!(ratio < as_multiple))
    return fmt::format("{:.3g} times the reference energy {:.5g} J", ratio, scale_J);
  return fmt::format("{:.3g} % of the reference energy {:.5g} J", 100.0 * ratio, scale_J);
}

std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most - 1, ", "),
                     names.size() - most + 1);
}

std::string interval(double from_s, double to_s) {
  return fmt::format("in {:.4g}–{:.4g} s", from_s, to_s);
}

const char* created(double amount_J) {
  return amount_J > 0.0 ? "created" : "destroyed";
}

std::string stale_efforts_sentence(const std::string& bond) {
  return fmt::format(
      "the efforts of bond '{}' are evaluated with stale flows, and without energy accounts nothing shows "
      "all "
      "that this creates (feedthrough = \"refresh\" or \"predict\" can be judged)",
      bond);
}

}  // namespace ergon::verdict_words
