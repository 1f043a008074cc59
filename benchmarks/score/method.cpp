#include "benchmarks/score/method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "ergon/core/problem.hpp"
#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/coupling/predictors/registry.hpp"
#include "ergon/coupling/schemes/scheme.hpp"

namespace ergon::bench {
namespace {

constexpr std::array<const char*, 3> feedthrough_modes = {"stale", "predict", "refresh"};

/// What the words say, and nothing else.
struct Words {
  std::optional<std::string> scheme;
  std::optional<std::string> extrapolation;
  std::optional<std::string> feedthrough;
  std::optional<std::string> correction;
  std::vector<std::string> coupling;  ///< KEY=VALUE
  std::string correction_keys;        ///< ", KEY = VALUE" …
};

std::vector<std::string> known_extrapolations() {
  std::vector<std::string> known = bond_extrapolations();
  for (const char* word : {"auto-linear", "auto-quadratic", "auto-cubic"}) known.emplace_back(word);
  return known;
}

bool is_number_or_flag(const std::string& value) {
  if (value == "true" || value == "false") return true;
  return !value.empty() && value.find_first_not_of("0123456789.+-eE") == std::string::npos;
}

void add_word(const std::string& text, const std::string& word, Words& words) {
  const auto set = [&](std::optional<std::string>& place, const char* what) {
    if (place)
      throw InputError(
          {}, fmt::format("Method '{}' has two words for {}: '{}' and '{}'.", text, what, *place, word),
          "Leave one of them out.");
    place = word;
  };
  if (const auto equals = word.find('='); equals != std::string::npos) {
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    constexpr std::string_view of_correction = "correction.";
    if (!key.starts_with(of_correction)) {
      words.coupling.push_back(word);
      return;
    }
    const bool quoted = value.starts_with('"') || is_number_or_flag(value);
    words.correction_keys +=
        fmt::format(", {} = {}", key.substr(of_correction.size()), quoted ? value : '"' + value + '"');
    return;
  }
  if (find_scheme(word) != nullptr) return set(words.scheme, "the scheme");
  if (word == "none" || find_corrector(word) != nullptr) return set(words.correction, "the correction");
  if (std::find(feedthrough_modes.begin(), feedthrough_modes.end(), word) != feedthrough_modes.end())
    return set(words.feedthrough, "feed-through");
  std::vector<std::string> known = known_extrapolations();
  if (std::find(known.begin(), known.end(), word) != known.end())
    return set(words.extrapolation, "extrapolation");
  for (const Scheme* scheme : schemes()) known.emplace_back(scheme->name());
  for (const CorrectorInfo& corrector : correctors()) known.emplace_back(corrector.name);
  known.insert(known.end(), feedthrough_modes.begin(), feedthrough_modes.end());
  throw InputError({},
                   fmt::format("Method '{}': '{}' is not a scheme, an extrapolation, a correction or a "
                               "feed-through mode, nor KEY=VALUE of [coupling].",
                               text, word),
                   did_you_mean(word, known));
}

Words read_words(const std::string& text) {
  Words words;
  std::size_t first = 0;
  while (first <= text.size()) {
    const std::size_t end = std::min(text.find('+', first), text.size());
    add_word(text, text.substr(first, end - first), words);
    first = end + 1;
  }
  if (!words.correction_keys.empty() && !words.correction)
    throw InputError({}, fmt::format("Method '{}' has keys of a correction, but no correction.", text),
                     "Name it, too: residual-power+correction.variant=by-parts.");
  return words;
}

/// Names of the [[bond]] tables of a scenario of ours.
std::vector<std::string> bonds_of(const std::filesystem::path& scenario) {
  std::ifstream file(scenario);
  std::vector<std::string> names;
  bool in_bond = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("[")) in_bond = line.starts_with("[[bond]]");
    if (!in_bond || !line.starts_with("name")) continue;
    const auto first = line.find('"');
    const auto last = line.rfind('"');
    if (first != std::string::npos && last > first) names.push_back(line.substr(first + 1, last - first - 1));
  }
  return names;
}

}  // namespace

WorkSetting read_method(const std::string& text) {
  const Words words = read_words(text);
  WorkSetting setting;
  setting.name = text;
  const std::string scheme = words.scheme.value_or("jacobi");
  setting.solves = find_scheme(scheme)->solves_for_coupling_variables();
  setting.coupling = {"scheme=" + scheme, "extrapolation=" + words.extrapolation.value_or("linear")};
  setting.keeps_rates = setting.solves;
  if (setting.solves) setting.coupling[1] = "degree=1";
  setting.coupling.insert(setting.coupling.end(), words.coupling.begin(), words.coupling.end());
  setting.correction = words.correction.value_or("none");
  setting.correction_keys = words.correction_keys;
  setting.feedthrough = words.feedthrough.value_or(setting.correction == "none" ? "refresh" : "stale");
  return setting;
}

std::vector<std::string> method_settings(const std::string& text, const std::filesystem::path& scenario) {
  const Words words = read_words(text);
  std::vector<std::string> settings;
  if (words.scheme) settings.push_back("coupling.scheme=" + *words.scheme);
  if (words.extrapolation) settings.push_back("coupling.extrapolation=" + *words.extrapolation);
  for (const std::string& key : words.coupling) settings.push_back("coupling." + key);
  for (const std::string& bond : bonds_of(scenario)) {
    if (words.extrapolation) add_extrapolation(bond, *words.extrapolation, settings);
    if (words.feedthrough)
      settings.push_back(fmt::format("bond.{}.feedthrough={}", bond, *words.feedthrough));
    if (words.correction)
      settings.push_back(fmt::format("bond.{}.correction={{method = \"{}\"{}}}", bond, *words.correction,
                                     words.correction_keys));
  }
  return settings;
}

const std::vector<std::string>& usual_methods() {
  static const std::vector<std::string> all = {
      "hold+stale",
      "linear+stale",
      "gauss-seidel+linear+stale",
      "energy-leak",
      "residual-power",
      "passivity",
      "nepce",
      "hold",
      "linear",
      "quadratic",
      "gauss-seidel+linear",
      "semi-implicit",
      "semi-implicit+degree=2",
      "implicit",
      "implicit+acceleration=gauss-seidel",
  };
  return all;
}

}  // namespace ergon::bench
