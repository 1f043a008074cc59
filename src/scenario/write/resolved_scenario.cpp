#include "ergon/scenario/write/resolved_scenario.hpp"

#include <filesystem>
#include <utility>

#include "ergon/core/sha256.hpp"
#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr const char* provenance_heading = "\n[provenance]\n";

}  // namespace

std::optional<std::string> file_named_by(const ParameterInfo& info, const ParameterValue& value,
                                         const std::string& base_directory) {
  const std::string* text = std::get_if<std::string>(&value);
  if (!text || text->empty() || !info.choices.empty()) return std::nullopt;
  const fs::path path = fs::path(base_directory) / *text;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  const fs::path absolute = fs::absolute(path, error);
  return error ? std::nullopt : std::optional(absolute.lexically_normal().string());
}

std::string fmu_path(const SubsystemEntry& subsystem, const Scenario& scenario) {
  std::error_code error;
  const fs::path path = fs::absolute(fs::path(scenario.base_directory) / subsystem.model.value, error);
  return error ? subsystem.model.value : path.lexically_normal().string();
}

std::string resolved_toml(const Scenario& scenario, std::string_view ergon_version) {
  std::string text = "# The scenario as it was run: command line applied, defaults filled in.\n";
  text += written_tables(scenario);

  const std::string body_hash = sha256(text);
  std::vector<Value> inputs;
  for (const InputFile& input : scenario.inputs) {
    inputs.push_back(TableWriter().add("file", input.path).add("sha256", input.sha256).take());
  }
  TableWriter provenance;
  provenance.add("ergon_version", ergon_version)
      .add("scenario_sha256", body_hash)  // of all above
      .add("overrides", text_list(scenario.overrides))
      .add("inputs", list_value(std::move(inputs)));
  return text + section_text("provenance", provenance.take());
}

void keep_provenance(const std::string& text, const Value& document, Scenario& scenario) {
  const auto heading = text.rfind(provenance_heading);
  const Entry* provenance = document.find("provenance");
  if (heading == std::string::npos || !provenance) return;
  const auto text_at = [](const Value& table, const char* name) {
    const Entry* entry = table.find(name);
    return entry ? entry->value.text : std::string();
  };
  if (text_at(provenance->value, "scenario_sha256") != sha256(std::string_view(text).substr(0, heading)))
    return;
  if (const Entry* inputs = provenance->value.find("inputs")) {
    scenario.inputs.clear();
    for (const Value& input : inputs->value.items) {
      scenario.inputs.push_back({text_at(input, "file"), text_at(input, "sha256")});
    }
  }
  if (const Entry* overrides = provenance->value.find("overrides")) {
    for (const Value& item : overrides->value.items) scenario.overrides.push_back(item.text);
  }
}

}  // namespace ergon
