#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ergon/coupling/correctors/corrector.hpp"
#include "ergon/scenario/tables/tables.hpp"

// 'correction' of a bond, or of an element that makes bonds.

namespace ergon {
namespace {

/// The settings that a method takes; the registry knows which these are.
void read_correction_settings(TableReader& reader, CorrectionRequest& request) {
  for (const CorrectionKey& key : find_corrector(request.method)->keys) {
    const Entry* e = reader.entry(std::string(key.name));
    if (!e) continue;
    CorrectionSetting setting{0.0, e->value.where};
    if (e->value.is_number()) {
      setting.value = e->value.number;
    } else if (e->value.kind == Value::Kind::boolean) {
      setting.value = e->value.boolean;
    } else if (e->value.kind == Value::Kind::text) {
      setting.value = e->value.text;
    } else {
      reader.error(e->value.where,
                   fmt::format("'{}' in {} is {}.", e->key, reader.title(), e->value.describe()),
                   "Give one value: a number, a string, true or false.");
      continue;
    }
    request.settings.emplace(e->key, std::move(setting));
  }
}

}  // namespace

std::optional<CorrectionRequest> read_correction(TableReader& owner, const std::string& bond) {
  const Value* table = owner.table("correction");
  if (!table) return std::nullopt;
  TableReader reader(*table, "'correction' of " + owner.title(), owner.problems());
  Names names = {"none"};
  for (const CorrectorInfo& info : correctors()) names.emplace_back(info.name);
  const auto method = reader.choice("method", names);
  if (reader.entry("method") == nullptr) {
    // Not by missing(): without a method nobody knows which of the other keys are right.
    reader.error(table->where, fmt::format("{} has no 'method'.", reader.title()),
                 fmt::format("Choose from: {}.", fmt::join(names, ", ")));
  }
  CorrectionRequest request{bond, method ? method->value : "none", {}, table->where};
  if (request.method != "none") read_correction_settings(reader, request);
  if (method && reader.finish() && request.method != "none") {
    ProblemList findings;
    check_correction(request, findings);
    for (const Problem& p : findings.all()) reader.error(p.where, p.what, p.remedy);
  }
  if (!reader.ok()) owner.mark_unusable();
  return request;
}

Value correction_value(const std::optional<CorrectionRequest>& correction) {
  TableWriter table;
  table.add("method", correction ? correction->method : "none");
  if (!correction) return table.take();
  for (const auto& [key, setting] : correction->settings) {
    if (const auto* number = std::get_if<double>(&setting.value)) {
      table.add(key, number_value(*number));
    } else if (const auto* word = std::get_if<std::string>(&setting.value)) {
      table.add(key, *word);
    } else {
      table.add(key, boolean_value(std::get<bool>(setting.value)));
    }
  }
  return table.take();
}

}  // namespace ergon
