#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ergon/fmi/description/model_description.hpp"

namespace ergon::fmi {

/// Variables of one type that are moved by one call. `elements` are the places of their values in the lane they belong to (reals;
/// integers, booleans and enumerations; texts and bytes), in the order of the call.
struct Batch {
  VariableType type = VariableType::float64;
  std::vector<std::uint32_t> references;
  std::vector<std::uint32_t> elements;
  bool direct = false;  ///< its values are the whole lane, in order: no copy is needed
  /// FMI 1.0: which elements have the opposite sign of what their reference stands for; empty: none.
  std::vector<std::uint8_t> negated{};
  [[nodiscard]] bool is_negated(std::size_t i) const { return !negated.empty() && negated[i] != 0; }
};

/// All variables of one direction: one call per type. What belongs to a clock can be moved only when that ticks.
struct Batches {
  std::vector<Batch> reals;
  std::vector<Batch> integers;
  std::vector<Batch> texts;
  std::vector<Batch> clocked_reals;
  std::vector<Batch> clocked_integers;
  std::vector<Batch> clocked_texts;
  std::size_t real_count = 0;
  std::size_t integer_count = 0;
  std::size_t text_count = 0;
  [[nodiscard]] bool has_clocked() const {
    return !(clocked_reals.empty() && clocked_integers.empty() && clocked_texts.empty());
  }
};

/// One variable in an exchange.
struct ExchangedVariable {
  std::uint32_t reference = 0;
  VariableType type = VariableType::float64;
  std::size_t count = 1;  ///< elements of an array
  bool clocked = false;
  bool negated = false;  ///< FMI 1.0: a negated alias
};
Batches make_batches(const std::vector<ExchangedVariable>& variables);

/// Which lane the values of a type travel in: 0 reals, 1 integers, 2 texts.
constexpr int lane_number(VariableType type) {
  if (is_float(type)) return 0;
  return type == VariableType::text || type == VariableType::binary ? 2 : 1;
}

struct PeriodicClock {
  std::uint32_t reference = 0;
  double interval_s = 0.0;  ///< 0: the FMU says it during initialisation
  double shift_s = 0.0;
  bool is_told =
      false;  ///< fixed or tunable, of a known interval: the FMU wants to be told it during initialisation
};

/// What else is known of an FMU that is run by model exchange.
struct ExchangeSetup {
  double default_tolerance = 1e-6;  ///< relative, of its integration, where none is given
  /// Of each state, in units of its nominal value; nothing: a hundredth of the relative one.
  std::optional<double> absolute_tolerance{};
  bool needs_completed_step = false;
  std::uint64_t state_count = 0;
  std::uint64_t indicator_count = 0;
  std::vector<std::string> indicator_names;  ///< FMI 3
  /// Of the states and their derivatives, where each is one number and the FMU knows directional derivatives; else empty.
  std::vector<std::uint32_t> state_references;
  std::vector<std::uint32_t> derivative_references;
};

/// All that an instance needs to know of its FMU, wherever it lives; shared by all instances of a kind.
struct InstanceSetup {
  FmiVersion version = FmiVersion::fmi2;
  std::string fmu;        ///< the file, for messages
  std::string library;    ///< absolute path
  std::string resources;  ///< absolute path of the folder; empty: there is none
  std::string token;
  std::uint32_t sandbox =
      0;  ///< parts that its worker enforces before any code of the FMU runs (worker/sandbox.hpp)
  bool can_save_state = false;
  bool can_serialize_state = false;
  bool directional_derivatives = false;
  bool interpolates_inputs = false;
  bool events_used = false;           ///< FMI 3: event mode
  bool early_return_allowed = false;  ///< FMI 3
  Batches inputs;
  Batches outputs;
  /// Inputs that may be set within a step (FMI 3, and model exchange), as pairs of reference and place among the reals.
  std::vector<std::uint32_t> intermediate_references;
  std::vector<std::uint32_t> intermediate_elements;
  std::vector<PeriodicClock> clocks;
  std::optional<ExchangeSetup> exchange{};  ///< run by model exchange; else by co-simulation
};

/// A value to set before the run: a parameter, a start value.
struct StartValue {
  std::uint32_t reference = 0;
  VariableType type = VariableType::float64;
  bool structural = false;
  std::vector<double> reals{};
  std::vector<std::int64_t> integers{};
  std::vector<std::string> texts{};
};

struct StartSettings {
  std::vector<StartValue> values;
  double start_s = 0.0;
  std::optional<double> end_s{};
  std::optional<double> tolerance{};
};

}  // namespace ergon::fmi
