#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ergon/core/foreign_options.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/subsystem.hpp"
#include "ergon/fmi/archive/unpacked_fmu.hpp"
#include "ergon/fmi/description/model_description.hpp"
#include "ergon/fmi/instance/instance_setup.hpp"

namespace ergon::fmi {

struct FmuKind;

/// By which of its interfaces an FMU is run: that which is asked for, else co-simulation, where it has both.
FmuInterfaceKind interface_of(const ModelDescription& description, const ForeignOptions& options);
/// What both interfaces declare, of the one it is run by. It has that interface.
const FmuInterface& declared_interface(const ModelDescription& description, FmuInterfaceKind kind);
/// Relative, of the integration of model exchange, where none is given: that of the description, where it is one.
double exchange_tolerance(const ModelDescription& description);

/// An FMU that can be coupled: its files and what it says of itself. One per file and content, shared by all its instances.
class FmuModel {
 public:
  /// Nothing after reporting what is wrong. `needs_library`: it is to be run, not only looked at.
  static std::shared_ptr<const FmuModel> load(const std::filesystem::path& file, ProblemList& problems,
                                              bool needs_library = true);

  [[nodiscard]] const ModelDescription& description() const { return description_; }
  [[nodiscard]] const std::string& file() const { return files_->file(); }
  [[nodiscard]] const UnpackedFmu& files() const { return *files_; }
  /// Of the interface that it is run by: they may have one each. Empty after reporting that there is none.
  [[nodiscard]] std::filesystem::path library(FmuInterfaceKind kind, ProblemList& problems) const;
  /// By name or alias.
  [[nodiscard]] const Variable* find(const std::string& name) const;
  /// Whether the outputs follow inputs that are set without a step, as found out once; nothing: not tried yet.
  mutable std::optional<bool> refreshes{};
  /// Kinds without options beyond `number`, so that instances share them.
  [[nodiscard]] std::shared_ptr<const FmuKind> kind(std::size_t number) const;
  void remember(std::size_t number, const std::shared_ptr<const FmuKind>& kind) const;

 private:
  std::shared_ptr<const UnpackedFmu> files_;
  ModelDescription description_;
  std::unordered_map<std::string, std::size_t> by_name_;
  mutable std::map<std::size_t, std::weak_ptr<const FmuKind>> kinds_;
};

/// One kind of instance: an FMU with certain structural parameters and options. What its instances share.
struct FmuKind {
  std::shared_ptr<const FmuModel> model;
  std::shared_ptr<const InstanceSetup> setup;
  std::shared_ptr<const Description> description;
  ForeignOptions options;
  /// Real outputs whose rates are the last outputs ("der(…)").
  std::vector<std::uint32_t> derivative_references;
  // Places among the real outputs, for the account; none: not there.
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t stored = none;
  std::size_t dissipated = none;
  std::size_t supplied = none;
  std::size_t kinetic = none;
  std::vector<std::pair<std::size_t, std::size_t>> received;  ///< input, output
  std::size_t through = none;                                 ///< input
  /// What else an FMU that Ergon has exported knows of its account: what was received through an input, with the place of its first
  /// number, and synchronised and kinetic energy. Empty: the FMU is another tool's.
  struct OwnAccount {
    std::vector<std::pair<StartValue, std::size_t>> received;
    std::vector<StartValue> synchronised_and_kinetic;
  } own_account;
  FmuInterfaceKind interface = FmuInterfaceKind::co_simulation;
  std::vector<std::string> state_names;    ///< model exchange: of the continuous states, in their order
  std::vector<std::uint32_t> real_inputs;  ///< references, for derivatives; empty where arrays are among them
  std::vector<std::uint32_t> real_outputs;
  std::vector<std::size_t> tunables;  ///< indices of variables
};

/// Nothing after reporting what is wrong: a clock that cannot be ticked, an output that is not there.
/// `structural`: values of structural parameters by reference.
std::shared_ptr<const FmuKind> make_kind(
    std::shared_ptr<const FmuModel> model, const ForeignOptions& options,
    const std::vector<std::pair<std::uint32_t, std::uint64_t>>& structural, ProblemList& problems);

}  // namespace ergon::fmi
