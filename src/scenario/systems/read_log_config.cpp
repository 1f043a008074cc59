#include "ergon/scenario/systems/read_log_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/core/rational.hpp"
#include "ergon/scenario/systems/system_grammar.hpp"
#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

Value* subsystem_named(Value& document, const std::string& name) {
  Entry* list = document.find("subsystem");
  if (list == nullptr) return nullptr;
  for (Value& item : list->value.items) {
    const Entry* said = item.find("name");
    if (said != nullptr && said->value.text == name) return &item;
  }
  return nullptr;
}

/// A local variable is recorded as an output. False: it cannot be recorded (an input, or unknown).
bool make_recordable(Value& subsystem, const std::string& variable, const std::string& folder,
                     const SourceLocation& where) {
  const Entry* fmu = subsystem.find("fmu");
  const auto model = fmu == nullptr ? nullptr : peek_fmu(fmu->value.text, folder);
  const fmi::Variable* v = model ? model->find(variable) : nullptr;
  if (v == nullptr || v->causality == fmi::Causality::input || v->type == fmi::VariableType::clock ||
      v->type == fmi::VariableType::binary)
    return false;
  if (v->causality == fmi::Causality::output) return true;
  const Entry* list = subsystem.find("outputs");
  const bool there = list != nullptr && std::any_of(list->value.items.begin(), list->value.items.end(),
                                                    [&](const Value& item) { return item.text == variable; });
  if (!there) append_to(subsystem, "outputs", located(text_value(variable), where));
  return true;
}

}  // namespace

void read_log_config(const std::string& folder, const std::map<std::string, std::string>& names,
                     std::optional<double> base_step_s, SystemDocument& system, ProblemList& problems) {
  const std::filesystem::path file = std::filesystem::path(folder) / "LogConfig.xml";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return;
  fmi::XmlFile xml;
  if (!xml.load(file, file.string(), problems)) return;
  system.files.push_back(file.string());
  const XmlView view(xml, problems);
  // libcosim allows a <configuration> beside <simulators>, so that the file has two outermost elements.
  const pugi::xml_node simulators = XmlView::child(xml.root().parent(), "simulators");
  if (!simulators) {
    view.warning(xml.root(),
                 fmt::format("<{}> is not a LogConfig of libcosim; it is not used.", xml.root().name()),
                 "Name what is recorded in <simulators>, or by --set output.variables.");
    return;
  }
  for (const pugi::xml_node& node : xml.root().parent().children()) {
    if (node.type() == pugi::node_element) check_system_grammar(view, node);
  }
  std::vector<Value> variables;
  std::vector<std::string> inputs;
  std::optional<double> decimation;
  for (const pugi::xml_node& node : XmlView::children(simulators, "simulator")) {
    const std::string said = view.required(node, "name");
    const auto name = names.find(said);
    if (name == names.end()) {
      view.warning(node, fmt::format("There is no simulator '{}'; nothing of it is recorded.", said));
      continue;
    }
    const double every = view.number(node, "decimationFactor").value_or(1.0);
    decimation = decimation ? std::min(*decimation, every) : every;
    Value* subsystem = subsystem_named(system.document, name->second);
    const auto listed = XmlView::children(node, "variable");
    if (listed.empty()) variables.push_back(located(text_value(name->second + ".*"), view.where(node)));
    for (const pugi::xml_node& variable : listed) {
      const std::string wanted = view.required(variable, "name");
      if (subsystem == nullptr || !make_recordable(*subsystem, wanted, folder, view.where(variable))) {
        inputs.push_back(name->second + "." + wanted);
      } else {
        variables.push_back(located(text_value(name->second + "." + wanted), view.where(variable)));
      }
    }
  }
  if (!inputs.empty())
    problems.note(view.where(xml.root()),
                  fmt::format("Inputs and unknown variables are not recorded: {}.", fmt::join(inputs, ", ")));
  if (variables.empty()) return;
  Value& output = table_at(system.document, "output", view.where(xml.root()));
  set_entry(output, "variables", located(list_value(std::move(variables)), view.where(xml.root())));
  const auto step = base_step_s ? Rational::from_double(*base_step_s) : std::nullopt;
  if (step && decimation && *decimation > 1.0 && *decimation < 1e9)
    set_entry(output, "interval",
              located(number_value((*step * Rational(static_cast<std::int64_t>(*decimation), 1)).value()),
                      view.where(xml.root())));
}

}  // namespace ergon
