#include "ergon/scenario/osp/read_osp.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ergon/core/rational.hpp"
#include "ergon/scenario/osp/osp_reader.hpp"
#include "ergon/scenario/systems/read_log_config.hpp"
#include "ergon/scenario/systems/system_grammar.hpp"

namespace ergon {

namespace fs = std::filesystem;

bool OspReader::read(const std::string& path) {
  path_ = path;
  base_ = fs::path(path).has_parent_path() ? fs::path(path).parent_path().string() : ".";
  if (!xml_.load(path, path, problems_)) return false;
  const pugi::xml_node root = xml_.root();
  if (XmlView::local_name(root) != "OspSystemStructure") {
    view_.error(root, fmt::format("<{}> is not an OspSystemStructure.", root.name()),
                "Systems are .ssp, .ssd, OspSystemStructure.xml or TOML scenarios (.toml).");
    return false;
  }
  check_system_grammar(view_, root);
  result_.files = {path};
  result_.document.where = view_.where(root);
  read_times(root);
  for (const pugi::xml_node& node : XmlView::children(XmlView::child(root, "Simulators"), "Simulator"))
    read_simulator(node);
  if (simulators_.empty()) view_.error(root, "There is no <Simulator>.", "Add at least one to <Simulators>.");
  if (result_.document.find("subsystem") == nullptr) return false;
  read_functions(XmlView::child(root, "Functions"));
  read_connections(XmlView::child(root, "Connections"));
  read_log_config(base_, simulators_by_file_name(), base_step_s_, result_, problems_);
  drop_values_of_fed_inputs(result_.document);
  return true;
}

void OspReader::read_times(const pugi::xml_node& root) {
  Value& simulation = table_at(result_.document, "simulation", view_.where(root));
  const auto read = [&](const char* element, const char* key) {
    const pugi::xml_node node = XmlView::child(root, element);
    if (!node) return;
    if (const auto number = view_.content_number(node))
      set_entry(simulation, key, located(number_value(*number), view_.where(node)));
  };
  read("StartTime", "start_time");
  read("EndTime", "stop_time");
  const pugi::xml_node base = XmlView::child(root, "BaseStepSize");
  if (base) base_step_s_ = view_.content_number(base);
  if (base_step_s_)
    set_entry(simulation, "step_size", located(number_value(*base_step_s_), view_.where(base)));
  const pugi::xml_node algorithm = XmlView::child(root, "Algorithm");
  const std::string name = algorithm ? algorithm.text().get() : "fixedStep";
  const pugi::xml_node ecco = XmlView::child(root, "EccoConfiguration");
  if (name == "ecco") {
    read_ecco(ecco ? ecco : algorithm, simulation);
  } else if (name != "fixedStep") {
    view_.error(algorithm, fmt::format("There is no algorithm '{}'.", name), "Choose fixedStep or ecco.");
  }
}

/// ECCO adapts the step to the power that bonds create; so does step control by interface power, with other gains.
void OspReader::read_ecco(const pugi::xml_node& ecco, Value& simulation) {
  Value control = located(table_value({}), view_.where(ecco));
  set_entry(control, "method", located(text_value("interface-power"), view_.where(ecco)));
  const auto take = [&](const char* element, Value& table, const char* key) {
    const pugi::xml_node node = XmlView::child(ecco, element);
    if (!node) return;
    if (const auto number = view_.content_number(node))
      set_entry(table, key, located(number_value(*number), view_.where(node)));
  };
  take("RelativeTolerance", control, "rtol");
  take("AbsoluteTolerance", control, "atol");
  take("MinimumStepSize", control, "min_step");
  take("MaximumStepSize", control, "max_step");
  take("StepSize", simulation, "step_size");
  view_.note(
      ecco,
      "The algorithm 'ecco' becomes [step_control] with method \"interface-power\"; its safety factor, "
      "change rates and gains are not used.");
  ecco_where_ = view_.where(ecco);
  set_entry(result_.document, "step_control", std::move(control));
}

void OspReader::read_simulator(const pugi::xml_node& node) {
  Simulator simulator;
  const std::string name = view_.required(node, "name");
  const std::string source = view_.required(node, "source");
  if (name.empty() || source.empty()) return;
  if (simulators_.contains(name)) {
    view_.error(node, fmt::format("There are two simulators '{}'.", name), "Rename one of them.");
    return;
  }
  const auto proxied = file_of_local_proxy(source);
  const auto file = proxied ? proxied : file_of_uri(source);
  if (!file) {
    view_.error(node, fmt::format("'{}' is not a file.", source),
                "FMUs on other machines are not available: name the file of the FMU.");
    simulators_[name] = {};
    return;
  }
  simulator.where = view_.where(node);
  simulator.name = names_.add(name, simulator.where, problems_);
  simulator.fmu = peek_fmu(*file, base_);
  if (simulator.fmu) result_.fmus.push_back(simulator.fmu);
  Value subsystem = located(table_value({}), simulator.where);
  set_entry(subsystem, "name", located(text_value(simulator.name), simulator.where));
  set_entry(subsystem, "fmu", located(text_value(*file), simulator.where));
  if (proxied) set_entry(subsystem, "isolate", located(boolean_value(true), simulator.where));
  if (const auto hint = view_.number(node, "stepSize")) read_step(node, *hint, subsystem);
  for (const pugi::xml_node& value : XmlView::children(XmlView::child(node, "InitialValues"), "InitialValue"))
    read_initial_value(value, simulator, subsystem);
  read_groups(fs::path(base_) / *file, simulator);
  append_to(result_.document, "subsystem", std::move(subsystem));
  simulators_[name] = std::move(simulator);
}

/// libcosim rounds down to a whole multiple of the base step.
void OspReader::read_step(const pugi::xml_node& node, double hint_s, Value& subsystem) {
  const SourceLocation where = view_.where(node);
  if (!(hint_s > 0.0)) {
    view_.error(node, fmt::format("stepSize = {} is not positive.", hint_s),
                "Give stepSize > 0, in seconds.");
    return;
  }
  const auto base = base_step_s_ ? Rational::from_double(*base_step_s_) : std::nullopt;
  if (!base || !base->is_positive()) {
    set_entry(subsystem, "step_size", located(number_value(hint_s), where));
    return;
  }
  constexpr double up_to_rounding = 1.0 + 1e-12;
  const double times = std::max(1.0, std::floor(hint_s / *base_step_s_ * up_to_rounding));
  if (times > 1e9) {
    view_.error(node, fmt::format("stepSize = {} is {} base steps.", hint_s, times), "Give a shorter step.");
    return;
  }
  const Rational step = *base * Rational(static_cast<std::int64_t>(times), 1);
  if (Rational::from_double(hint_s) != std::optional(step))
    view_.warning(
        node, fmt::format("stepSize = {} is not a multiple of BaseStepSize; {} s is used, as libcosim does.",
                          hint_s, step.text()));
  set_entry(subsystem, "step_size", located(number_value(step.value()), where));
}

void OspReader::read_initial_value(const pugi::xml_node& node, const Simulator& simulator, Value& subsystem) {
  const std::string name = view_.required(node, "variable");
  const pugi::xml_node type =
      node.find_child([](const pugi::xml_node& n) { return n.type() == pugi::node_element; });
  if (!type) {
    view_.error(node, "<InitialValue> holds no value.", "Write it as in: <Real value=\"1.5\"/>");
    return;
  }
  auto value = typed_value(view_, type);
  if (!value || name.empty()) return;
  // An item of an enumeration may be given by its number.
  const fmi::Variable* v = simulator.fmu ? simulator.fmu->find(name) : nullptr;
  if (v != nullptr && v->type == fmi::VariableType::enumeration && value->kind == Value::Kind::integer) {
    if (const fmi::TypeInfo* items = simulator.fmu->description().type(v->declared_type)) {
      for (const EnumerationItem& item : items->items) {
        if (item.value == value->integer) value = located(text_value(item.name), value->where);
      }
    }
  }
  set_entry(table_at(subsystem, "values", view_.where(node)), name, std::move(*value));
}

void OspReader::read_groups(const fs::path& fmu_file, Simulator& simulator) {
  std::vector<std::string> names = {fmu_file.stem().string()};
  if (simulator.fmu) names.insert(names.begin(), simulator.fmu->description().model_name);
  for (const fs::path& folder : {fmu_file.parent_path(), fs::path(base_)}) {
    for (const std::string& name : names) {
      // A model name comes from a stranger: it names a file beside the others, or none.
      if (name.empty() || name.find('/') != std::string::npos) continue;
      const fs::path file = folder / (name + "_OspModelDescription.xml");
      std::error_code ignored;
      if (!fs::is_regular_file(file, ignored)) continue;
      auto groups = read_variable_groups(file, problems_);
      result_.files.push_back(file.string());
      if (groups) simulator.groups = std::move(*groups);
      for (const VariableGroup& group : simulator.groups) {
        if (!group.is_power_port()) continue;
        PowerPort port{simulator.name, group.name, {}, {}};
        for (const VariableGroup::Variable& v : group.variables) {
          if (v.is_effort) port.efforts.push_back(v.name);
          if (v.is_flow) port.flows.push_back(v.name);
        }
        result_.ports.push_back(std::move(port));
      }
      return;
    }
  }
}

std::map<std::string, std::string> OspReader::simulators_by_file_name() const {
  std::map<std::string, std::string> names;
  for (const auto& [said, simulator] : simulators_) names[said] = simulator.name;
  return names;
}

std::optional<SystemDocument> read_osp(const std::string& path, ProblemList& problems) {
  OspReader reader(problems);
  if (!reader.read(path)) return std::nullopt;
  return reader.take();
}

}  // namespace ergon
