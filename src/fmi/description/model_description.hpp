#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ergon/core/port_type.hpp"
#include "ergon/core/unit.hpp"

namespace ergon::fmi {

// What a modelDescription.xml says, for FMI 1.0, 2.0 and 3.0 alike: the rest of the importer does not know the difference where
// there is none.

enum class FmiVersion { fmi1, fmi2, fmi3 };

// FMI has no inputs that may stay unconnected. Ergon marks them in what it exports, by annotations that others do not look at.
inline constexpr const char* optional_tool = "Ergon";  ///< FMI 2: <Annotations><Tool name="Ergon"><optional/>
inline constexpr const char* optional_mark = "optional";
inline constexpr const char* optional_annotation =
    "ergon.optional";  ///< FMI 3: <Annotations><Annotation type="…"/>

/// As the C interface moves them. FMI 2 has float64 (Real), int32 (Integer), boolean, text and enumeration.
// clang-format off
enum class VariableType {
  float32, float64, int8, uint8, int16, uint16, int32, uint32, int64, uint64,
  boolean, text, binary, enumeration, clock,
};
// clang-format on
enum class Causality {
  structural_parameter,
  parameter,
  calculated_parameter,
  input,
  output,
  local,
  independent
};
enum class Variability { constant, fixed, tunable, discrete, continuous };
enum class Initial { none, exact, approx, calculated };
enum class ClockInterval { constant, fixed, tunable, changing, countdown, triggered };

const char* name_of(VariableType type);
const char* name_of(Causality causality);
const char* name_of(Variability variability);
const char* name_of(Initial initial);
const char* name_of(ClockInterval interval);

constexpr bool is_float(VariableType type) {
  return type <= VariableType::float64;
}
constexpr bool is_integer(VariableType type) {
  return type >= VariableType::int8 && type <= VariableType::uint64;
}

/// One dimension of an array of FMI 3: a number, or the value of a structural parameter.
struct Dimension {
  std::uint64_t start = 0;
  std::optional<std::uint32_t> reference{};
};

struct ClockInfo {
  ClockInterval interval = ClockInterval::triggered;
  std::optional<double> interval_s{};
  double shift_s = 0.0;
};

struct Variable {
  std::string name;
  std::string description;
  std::uint32_t reference = 0;
  VariableType type = VariableType::float64;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  Initial initial = Initial::none;
  std::string declared_type;
  std::string unit;
  std::string display_unit;
  bool relative_quantity = false;
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  std::optional<double> nominal{};
  bool has_start = false;
  std::vector<double> start{};  ///< numbers, booleans and enumerations
  /// … of integers to the last digit; those of UInt64 as the signed ones of the same bits
  std::vector<std::int64_t> start_integers{};
  std::vector<std::string> start_texts{};  ///< texts; bytes of binaries
  std::vector<Dimension> dimensions{};
  std::vector<std::uint32_t> clocks{};
  std::optional<ClockInfo> clock{};
  std::optional<std::size_t> derivative_of{};  ///< index of the variable whose rate this one is
  std::vector<std::string> aliases{};          ///< further names (FMI 3)
  bool can_handle_multiple_set = false;
  bool negated = false;              ///< FMI 1.0: an alias with the opposite sign
  bool intermediate_update = false;  ///< an input that may be set within a step (FMI 3)
  bool optional =
      false;  ///< an input that may stay unconnected without a word, as the annotation of Ergon's exports says
  int line = 0;
};

struct UnitInfo {
  std::string name;
  bool has_base = false;
  /// kg m s A K mol cd rad
  std::array<int, 8> exponents{};
  double factor = 1.0;
  double offset = 0.0;
};

struct TypeInfo {
  std::string name;
  VariableType type = VariableType::float64;
  std::string unit;
  bool relative_quantity = false;
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  std::optional<double> nominal{};
  std::vector<EnumerationItem> items{};
};

/// One entry of ModelStructure. Without `dependencies` it may depend on everything.
struct Unknown {
  std::size_t variable = 0;
  std::optional<std::vector<std::size_t>> dependencies{};
  std::vector<std::string> kinds{};
};

/// What both kinds of FMUs declare alike.
struct FmuInterface {
  std::string model_identifier;
  bool needs_execution_tool = false;
  bool once_per_process = false;
  bool can_save_state = false;
  bool can_serialize_state = false;
  bool directional_derivatives = false;
};

struct ModelExchange : FmuInterface {
  /// Wants to be told of every step that the integrator has completed. The defaults of FMI 2 (yes) and FMI 3 (no) differ.
  bool needs_completed_step = false;
};

struct CoSimulation : FmuInterface {
  bool variable_step = false;
  std::optional<double> internal_step_s{};
  unsigned output_derivative_order = 0;
  bool interpolates_inputs = false;  ///< FMI 2: takes derivatives of its inputs
  bool intermediate_update = false;  ///< FMI 3
  bool might_return_early = false;   ///< FMI 3
  bool can_return_early_after_update = false;
  bool event_mode = false;                 ///< FMI 3
  bool evaluates_discrete_states = false;  ///< FMI 3
};

struct DefaultExperiment {
  std::optional<double> start_s{};
  std::optional<double> stop_s{};
  std::optional<double> tolerance{};
  std::optional<double> step_s{};
};

/// A member of a terminal (terminalsAndIcons.xml).
struct TerminalMember {
  std::string variable;
  std::string member;
  std::string kind;  ///< signal, inflow, outflow
};
struct Terminal {
  std::string name;
  std::string kind;
  std::string matching_rule;
  std::vector<TerminalMember> members;
};

struct ModelDescription {
  std::string file;  ///< for messages
  FmiVersion version = FmiVersion::fmi2;
  std::string version_text;
  std::string model_name;
  std::string token;  ///< guid or instantiationToken, verbatim
  std::string description;
  std::string author;
  std::string model_version;
  std::string generation_tool;
  std::string generated_at;
  std::optional<CoSimulation> co_simulation{};
  std::optional<ModelExchange> model_exchange{};  ///< FMI 2 and 3
  bool has_model_exchange = false;                ///< of any version: that of FMI 1.0 is not read
  bool has_scheduled_execution = false;
  std::vector<UnitInfo> units;
  std::vector<TypeInfo> types;
  std::vector<std::string> log_categories;
  DefaultExperiment experiment;
  std::vector<Variable> variables;
  std::vector<Unknown> outputs;
  std::vector<Unknown> derivatives;   ///< of the continuous states, in their order
  std::uint64_t indicator_count = 0;  ///< FMI 2: its event indicators have no names
  std::vector<Unknown> indicators;    ///< FMI 3
  std::vector<Unknown> initial_unknowns;
  bool has_initial_unknowns = false;
  std::vector<Terminal> terminals;

  [[nodiscard]] const UnitInfo* unit(const std::string& name) const;
  [[nodiscard]] const TypeInfo* type(const std::string& name) const;
  /// By its name or one of its alias names; nothing where there is none.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
  /// FMI 3: references are unique over all types.
  [[nodiscard]] std::optional<std::size_t> find_reference(std::uint32_t reference) const;
};

/// The unit of a variable for our own checks and conversions: from its BaseUnit where that is said, else from its text;
/// "not said" where neither is known.
Unit unit_of(const ModelDescription& model, const Variable& variable);

/// The first start value of an integer, a boolean or an enumeration that has one.
std::int64_t first_integer(const Variable& variable);
/// All of them.
std::vector<std::int64_t> integer_starts(const Variable& variable);

/// Numbers of an array as described, 1 for a scalar; dimensions given by structural parameters have their start values
/// unless `values` (reference, value) says otherwise. Nothing where the product is beyond 2^31.
std::optional<std::size_t> element_count(
    const ModelDescription& model, const Variable& variable,
    const std::vector<std::pair<std::uint32_t, std::uint64_t>>& values = {});

}  // namespace ergon::fmi
