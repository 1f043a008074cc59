#include <fmt/format.h>

#include <cmath>

#include "ergon/coupling/step_control/step_control.hpp"
#include "ergon/scenario/tables/tables.hpp"

namespace ergon {
namespace {

/// The word with which a command line switches off what a file says.
constexpr std::string_view fixed_steps = "fixed";

Names step_control_names() {
  Names names;
  for (const StepControlMethod& method : step_control_methods()) names.emplace_back(method.name);
  names.emplace_back(fixed_steps);
  return names;
}

/// A tolerance in J, which may be 0: then the relative one counts alone.
Key<StepControlSettings> absolute_tolerance_key() {
  using S = StepControlSettings;
  Key<S> key = Key<S>::number("atol", &S::atol_J);
  key.read = [](TableReader& reader, S& settings) {
    const auto number = reader.number("atol");
    if (!number) return;
    settings.atol_J = number->value;
    if (std::isfinite(number->value) && number->value >= 0.0) return;
    reader.error(number->where,
                 fmt::format("atol = {} in {} is not a tolerance.", number->value, reader.title()),
                 "Give a number ≥ 0.");
  };
  return key;
}

}  // namespace

const Keys<StepControlSettings>& step_control_keys() {
  using S = StepControlSettings;
  using K = Key<S>;
  static const Keys<S> keys = {
      K::word("method", &S::method, step_control_names).required("Write method = \"interface-power\"."),
      K::positive("rtol", &S::rtol),
      absolute_tolerance_key(),
      K::step("min_step", &S::min_step_s),
      K::step("max_step", &S::max_step_s),
  };
  return keys;
}

std::optional<StepControlSettings> read_step_control(const Value& table, ProblemList& problems) {
  TableReader reader(table, "[step_control]", problems);
  StepControlSettings settings;
  settings.where = table.where;
  read_keys(reader, step_control_keys(), settings);
  reader.finish();
  if (settings.method == fixed_steps) return std::nullopt;
  return settings;
}

}  // namespace ergon
