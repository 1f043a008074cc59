#include "ergon/fmi/subsystem/fmu_model.hpp"

#include <fmt/format.h>

#include <mutex>

#include "ergon/fmi/binary/shared_library.hpp"
#include "ergon/fmi/description/read_description.hpp"

namespace ergon::fmi {

FmuInterfaceKind interface_of(const ModelDescription& description, const ForeignOptions& options) {
  if (options.interface) return *options.interface;
  return description.co_simulation || !description.model_exchange ? FmuInterfaceKind::co_simulation
                                                                  : FmuInterfaceKind::model_exchange;
}

const FmuInterface& declared_interface(const ModelDescription& description, FmuInterfaceKind kind) {
  if (kind == FmuInterfaceKind::model_exchange) return description.model_exchange.value();
  return description.co_simulation.value();
}

double exchange_tolerance(const ModelDescription& description) {
  constexpr double usual = 1e-6;
  const double declared = description.experiment.tolerance.value_or(usual);
  return declared > 0.0 && declared < 1.0 ? declared : usual;
}

std::filesystem::path FmuModel::library(FmuInterfaceKind kind, ProblemList& problems) const {
  return find_library(files_->folder(), description_.version,
                      declared_interface(description_, kind).model_identifier, file(), problems);
}

const Variable* FmuModel::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &description_.variables[found->second];
}

std::shared_ptr<const FmuKind> FmuModel::kind(std::size_t number) const {
  const auto found = kinds_.find(number);
  return found == kinds_.end() ? nullptr : found->second.lock();
}

void FmuModel::remember(std::size_t number, const std::shared_ptr<const FmuKind>& kind) const {
  kinds_[number] = kind;
}

std::shared_ptr<const FmuModel> FmuModel::load(const std::filesystem::path& file, ProblemList& problems,
                                               bool needs_library) {
  static std::mutex mutex;
  static std::map<std::pair<const UnpackedFmu*, bool>, std::weak_ptr<const FmuModel>> known;
  auto files = UnpackedFmu::open(file, problems);
  if (!files) return nullptr;
  const std::lock_guard guard(mutex);
  if (auto found = known[{files.get(), needs_library}].lock()) return found;

  ProblemList found;
  auto description = read_description(files->folder(), files->file(), found);
  // What could be lived with is of interest to `validate` alone, except where it explains what follows.
  for (const Problem& p : found.all()) {
    if (p.severity == Severity::error) problems.error(p.where, p.what, p.remedy);
  }
  if (!description) return nullptr;
  auto model = std::make_shared<FmuModel>();
  model->files_ = files;
  model->description_ = std::move(*description);
  const ModelDescription& d = model->description_;
  const SourceLocation where{files->file(), 0, 0};
  if (needs_library && !d.co_simulation && !d.model_exchange) {
    problems.error(
        where,
        d.has_scheduled_execution
            ? "The FMU is for scheduled execution only."
            : "The FMU is for model exchange only, of FMI 1.0: that of FMI 2.0 and 3.0 can be run.",
        "Have it exported for co-simulation.");
    return nullptr;
  }
  for (std::size_t i = 0; i < d.variables.size(); ++i) {
    model->by_name_.emplace(d.variables[i].name, i);
    for (const std::string& alias : d.variables[i].aliases) model->by_name_.emplace(alias, i);
  }
  if (needs_library) {
    const FmuInterfaceKind kind = interface_of(d, {});
    if (model->library(kind, problems).empty()) return nullptr;
    if (d.version == FmiVersion::fmi2) {
      // Many FMUs have no resources; those of FMI 2 are told a folder all the same, so there is one.
      std::error_code ignored;
      std::filesystem::create_directory(files->folder() / "resources", ignored);
    }
    if (declared_interface(d, kind).needs_execution_tool)
      problems.warning(
          where, "The FMU is only a bridge to another program, which must be installed on this machine.");
  }
  known[{files.get(), needs_library}] = model;
  return model;
}

}  // namespace ergon::fmi
