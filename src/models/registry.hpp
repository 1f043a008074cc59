#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/rational.hpp"
#include "ergon/core/subsystem.hpp"

namespace ergon {

struct ForeignOptions;

/// Whole numbers are doubles, too, but those beyond 2^53, which would lose digits.
using ParameterValue = std::variant<double, bool, std::string, std::vector<double>, std::int64_t>;
constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

/// What a model lets its user set: parameters and initial values alike.
struct ParameterInfo {
  std::string name;
  std::string unit;
  ParameterValue standard;  ///< its default; the alternative held decides the type
  std::string help;
  std::vector<std::string> choices{};  ///< for texts: what may be said; empty: anything
  std::optional<double> minimum{};     ///< for numbers: smallest admissible value
  bool minimum_excluded = false;
  /// To say it is a choice in itself, even of the default: a column, and so a file. Left unsaid where it was not given.
  bool chosen_by_saying = false;
  bool whole = false;  ///< a number that is an integer of 64 bits: no digit is lost
};

/// What the user set, and where.
struct GivenParameter {
  ParameterValue value;
  SourceLocation where;
};
using GivenParameters = std::map<std::string, GivenParameter>;

/// Defaults overridden by what was given; every value has been checked for name, type and range.
class ERGON_API ParameterSet {
 public:
  /// Reports unknown names (with the nearest right one), wrong types and values out of range.
  ParameterSet(const std::vector<ParameterInfo>& infos, const GivenParameters& given,
               const std::string& owner, ProblemList& problems);
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const;
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] const std::vector<double>& list(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, ParameterValue>& values() const { return values_; }
  /// Where the user set it; else `otherwise`.
  [[nodiscard]] SourceLocation where(const std::string& name, const SourceLocation& otherwise) const;
  /// Whether the user set it; else it has its default.
  [[nodiscard]] bool is_given(const std::string& name) const { return given_.contains(name); }

 private:
  std::map<std::string, ParameterValue> values_;
  std::map<std::string, SourceLocation> given_;
};

/// How a native model is integrated.
struct IntegratorOptions {
  std::string method = "semi-implicit-euler";
  /// Internal step in seconds; nothing: one step per communication step. Variable-step methods take it as maximum.
  std::optional<double> step_s{};
  double rtol = 1e-6;
  double atol = 1e-9;
};
struct IntegratorInfo {
  std::string name;
  std::string help;
  bool variable_step = false;
};
/// Every integrator that native models offer.
ERGON_API const std::vector<IntegratorInfo>& integrators();

class JointLaw;
struct MachineDescription;
/// A joint that a body takes part in, in its own steps, at one of its markers (docs/theory/joints.md).
struct JointAttachment {
  enum class End { i, j };
  enum class Part {
    owner,   ///< evaluates the law; what the joint stores and dissipates is in its account
    guest,   ///< evaluates the law, which another body owns
    guided,  ///< is given the law's multipliers, and finds their directions
  };
  std::string name;  ///< of the joint; its ports begin with it
  std::shared_ptr<const JointLaw> law;
  End end = End::i;      ///< which end of the joint is this body's
  std::string marker{};  ///< of this body
  Part part = Part::owner;
};

struct ModelRequest {
  std::string name;  ///< of the instance, for messages
  ParameterSet parameters;
  ParameterSet initial;
  IntegratorOptions integrator;
  std::string base_directory;  ///< relative file names in parameters start here
  SourceLocation where;
  std::vector<JointAttachment> joints{};                ///< only for models that take them
  std::shared_ptr<const MachineDescription> machine{};  ///< only for models that take a description
  std::optional<double> communication_step_s{};         ///< where it is known before the model is made

  /// Of a fixed-step integrator: internal steps are shortened to fit into a communication step.
  [[nodiscard]] std::optional<double> longest_internal_step_s() const {
    if (!integrator.step_s || !communication_step_s)
      return integrator.step_s ? integrator.step_s : communication_step_s;
    return std::min(*integrator.step_s, *communication_step_s);
  }
};

/// A setting worth showing: the contract tests run every model and element with its defaults and with its examples,
/// so a parameter that matters (a law, a number of ports) belongs into one.
struct Example {
  std::string name;
  GivenParameters parameters{};
  GivenParameters initial{};
  std::vector<JointAttachment> joints{};
  std::shared_ptr<const MachineDescription> machine{};
};

/// A native model: one line in the registry makes it available to scenarios, `ergon models` and the contract tests.
struct ModelInfo {
  std::string name;
  std::string summary;
  std::vector<ParameterInfo> parameters;
  std::vector<ParameterInfo> initial;  ///< state values at t₀
  bool integrated = true;              ///< has a state that changes, so takes an integrator
  /// Returns nothing after reporting what is wrong.
  std::function<std::unique_ptr<Subsystem>(const ModelRequest&, ProblemList&)> make;
  std::vector<Example> examples{};
  bool takes_joints = false;  ///< is a body that can evaluate laws of joints at its markers
  /// Of a body that takes joints: its ports without them, before it is made. Nothing after reporting what is wrong.
  std::function<std::optional<Description>(const ModelRequest&, ProblemList&)> describe{};
  bool takes_description = false;          ///< is described in a file of its own (docs/machines.md)
  std::vector<std::string> integrators{};  ///< methods that it takes; empty: all
  /// Its inputs are positions that massive parts follow: a jump is a blow within the step, whose work no step resolves.
  /// Its own tests must show that its books close on continuous paths.
  bool has_prescribed_paths = false;

  [[nodiscard]] bool takes_integrator(const std::string& method) const {
    return integrators.empty() ||
           std::find(integrators.begin(), integrators.end(), method) != integrators.end();
  }
  bool is_signal = false;  ///< a source, see Description::is_signal: needs no step of its own
  /// Adds the parameters and initial values that a given text declares, such as those of equations. Empty: there are no others.
  std::function<void(const GivenParameters&, ModelInfo&)> extend{};
  /// Of a foreign simulator: the same model with these options. Empty: it takes none.
  std::function<std::shared_ptr<const ModelInfo>(const ForeignOptions&)> with_options{};
  /// Of a foreign simulator: the relative tolerance that its own solver keeps to where it is given no other.
  std::optional<double> solver_tolerance{};
};
/// The model with the parameters that those given declare (see ModelInfo::extend).
ERGON_API std::shared_ptr<const ModelInfo> extended(const ModelInfo& info, const GivenParameters& given);
ERGON_API const std::vector<ModelInfo>& models();
ERGON_API const ModelInfo* find_model(const std::string& name);

/// A stateless law between ports, for [[element]].
struct ElementInfo {
  std::string name;
  std::string summary;
  std::vector<ParameterInfo> parameters;
  std::function<std::unique_ptr<Element>(const ParameterSet&, ProblemList&)> make;
  std::vector<Example> examples{};
  /// Of a joint: its law alone, for a body to evaluate.
  std::function<std::shared_ptr<const JointLaw>(const ParameterSet&, ProblemList&)> make_joint{};
};
ERGON_API const std::vector<ElementInfo>& elements();
ERGON_API const ElementInfo* find_element(const std::string& name);

}  // namespace ergon
