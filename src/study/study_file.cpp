#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "ergon/scenario/file/document.hpp"
#include "ergon/scenario/setting_names.hpp"
#include "ergon/study/sweep.hpp"

namespace ergon::study {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const Value& value, const std::string& what, const std::string& remedy) {
  throw InputError(value.where, what, remedy);
}

const std::string& text_in(const Entry& entry) {
  if (entry.value.kind != Value::Kind::text)
    refuse(entry.value, fmt::format("'{}' is {}.", entry.key, entry.value.describe()),
           "Write a string in quotes.");
  return entry.value.text;
}

std::size_t count_in(const Entry& entry) {
  if (entry.value.kind != Value::Kind::integer || entry.value.integer < 1)
    refuse(entry.value, fmt::format("'{}' is {}.", entry.key, entry.value.describe()),
           "Write a whole number from 1 on.");
  return static_cast<std::size_t>(entry.value.integer);
}

std::vector<std::string> texts_in(const Entry& entry) {
  std::vector<std::string> texts;
  if (entry.value.kind != Value::Kind::list)
    refuse(entry.value, fmt::format("'{}' is {}.", entry.key, entry.value.describe()),
           "Write a list of strings.");
  for (const Value& item : entry.value.items) {
    if (item.kind != Value::Kind::text)
      refuse(item, fmt::format("'{}' holds {}.", entry.key, item.describe()), "Write strings in quotes.");
    texts.push_back(item.text);
  }
  return texts;
}

/// Of a list of values, as the command line has them.
std::string setting_text(const Value& value) {
  switch (value.kind) {
    case Value::Kind::text:
      return value.text;
    case Value::Kind::integer:
      return fmt::format("{}", value.integer);
    case Value::Kind::number:
      return fmt::format("{}", value.number);
    case Value::Kind::boolean:
      return value.boolean ? "true" : "false";
    default:
      refuse(value, fmt::format("{} cannot be a value here.", value.describe()),
             "Write numbers, strings, true or false.");
  }
}

std::string values_in(const Entry& entry) {
  if (entry.value.kind != Value::Kind::list) return setting_text(entry.value);
  std::string text;
  for (const Value& item : entry.value.items) text += (text.empty() ? "" : ",") + setting_text(item);
  return text;
}

/// Files of samples are beside the study.
std::string with_folder(const std::string& values, const fs::path& folder) {
  constexpr std::string_view call = "csv(";
  if (!values.starts_with(call)) return values;
  const fs::path file = values.substr(call.size(), values.find(',') - call.size());
  if (file.is_absolute() || values.find(',') == std::string::npos) return values;
  return std::string(call) + (folder / file).string() + values.substr(values.find(','));
}

void read_head(const Value& table, const fs::path& folder, SweepDescription& description) {
  for (const Entry& entry : table.entries) {
    const std::string& key = entry.key;
    if (key == "scenario") {
      if (description.scenario.empty()) description.scenario = folder / text_in(entry);
    } else if (key == "plan") {
      const auto design = design_of(text_in(entry));
      if (!design)
        refuse(entry.value, fmt::format("There is no plan '{}'.", entry.value.text),
               did_you_mean(entry.value.text, {"cartesian", "zip", "random", "lhs", "sobol", "saltelli"}));
      if (!description.design.design) description.design.design = design;
    } else if (key == "samples") {
      if (description.design.samples == 0) description.design.samples = count_in(entry);
    } else if (key == "seed") {
      description.design.seed = count_in(entry);
    } else if (key == "check") {
      const auto names = motion_check_names.all();
      if (std::find(names.begin(), names.end(), text_in(entry)) == names.end())
        refuse(entry.value, fmt::format("There is no check '{}'.", entry.value.text),
               did_you_mean(entry.value.text, names));
      description.check = motion_check_names.value(entry.value.text);
    } else if (key == "timeout") {
      if (!entry.value.is_number() || !(entry.value.number > 0.0))
        refuse(entry.value, fmt::format("'timeout' is {}.", entry.value.describe()), "Write seconds.");
      if (!description.timeout_s) description.timeout_s = entry.value.number;
    } else if (key == "set") {
      auto settings = texts_in(entry);
      settings.insert(settings.end(), description.overrides.settings.begin(),
                      description.overrides.settings.end());
      description.overrides.settings = std::move(settings);
    } else if (key == "bands") {
      for (std::string& output : texts_in(entry)) description.bands.push_back(std::move(output));
    } else {
      throw InputError(
          entry.where, fmt::format("[study] has no key '{}'.", key),
          did_you_mean(key, {"scenario", "plan", "samples", "seed", "check", "timeout", "set", "bands"}));
    }
  }
}

}  // namespace

void read_study_file(const fs::path& file, SweepDescription& description) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw InputError({file.string(), 0, 0}, "This study file cannot be read.", "Name a TOML file.");
  std::ostringstream text;
  text << stream.rdbuf();
  ProblemList problems;
  const auto document = parse_document(text.str(), file.string(), problems);
  if (!document) throw InputError(problems);
  const fs::path folder = file.parent_path();
  for (const Entry& entry : document->entries) {
    if (entry.value.kind != Value::Kind::table)
      throw InputError(entry.where, fmt::format("'{}' is outside of a table.", entry.key),
                       "Write it below [study].");
    if (entry.key == "study") {
      read_head(entry.value, folder, description);
    } else if (entry.key == "vary") {
      for (const Entry& one : entry.value.entries)
        description.vary.push_back(one.key + "=" + with_folder(values_in(one), folder));
    } else if (entry.key == "measures") {
      for (const Entry& one : entry.value.entries)
        description.measures.push_back(one.key + "=" + text_in(one));
    } else {
      throw InputError(entry.where, fmt::format("A study has no table '{}'.", entry.key),
                       did_you_mean(entry.key, {"study", "vary", "measures"}));
    }
  }
  if (description.scenario.empty())
    throw InputError({file.string(), 0, 0}, "The study does not say which system it is of.",
                     "Write scenario = \"FILE\" below [study].");
}

}  // namespace ergon::study
