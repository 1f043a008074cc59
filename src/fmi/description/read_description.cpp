#include "ergon/fmi/description/read_description.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/fmi/description/attributes.hpp"
#include "ergon/fmi/description/xml_file.hpp"

namespace ergon::fmi {
namespace {

/// What a variable does not say itself it has from its declared type.
void apply_types(ModelDescription& model) {
  for (Variable& v : model.variables) {
    if (v.declared_type.empty()) continue;
    const TypeInfo* type = model.type(v.declared_type);
    if (type == nullptr) continue;
    if (v.unit.empty()) {
      v.unit = type->unit;
      v.relative_quantity = v.relative_quantity || type->relative_quantity;
    }
    if (!v.minimum) v.minimum = type->minimum;
    if (!v.maximum) v.maximum = type->maximum;
    if (!v.nominal) v.nominal = type->nominal;
  }
}

/// FMI 3: one start value stands for all elements of an array. The array must have a size that can be had.
void expand_arrays(const Attributes& a, const pugi::xml_node& root, ModelDescription& model) {
  for (Variable& v : model.variables) {
    const auto count = element_count(model, v);
    if (!count) {
      a.error(root, fmt::format("'{}' has more than 2^31 elements.", v.name), "Do not trust this file.");
      return;
    }
    if (v.dimensions.empty()) continue;
    if (v.start.size() == 1 && *count > 1 && *count <= 1'000'000) v.start.assign(*count, v.start.front());
    if (v.start_integers.size() == 1 && *count > 1 && *count <= 1'000'000)
      v.start_integers.assign(*count, v.start_integers.front());
    if (v.start_texts.size() == 1 && *count > 1 && *count <= 1'000'000)
      v.start_texts.assign(*count, v.start_texts.front());
  }
}

/// It is the name of a file: binaries/<platform>/<identifier>.so. One with folders in it would name a file outside of there.
void check_identifier(const Attributes& attributes, const pugi::xml_node& node,
                      const FmuInterface& interface) {
  const std::string& id = interface.model_identifier;
  const bool is_file_name = id != "." && id.find("..") == std::string::npos &&
                            std::none_of(id.begin(), id.end(), [](unsigned char c) {
                              return c == '/' || c == '\\' || c < 32 || c == 127;
                            });
  if (is_file_name) return;
  attributes.error(
      node,
      fmt::format(
          "The modelIdentifier '{}' is not a name of a file: it would name a library outside of the archive.",
          id),
      "Do not trust this file, or have it exported again.");
}

std::optional<ModelDescription> read(const XmlFile& file, const std::string& shown_name,
                                     ProblemList& problems) {
  ProblemList found;
  const Attributes attributes(file, found);
  const pugi::xml_node root = file.root();
  ModelDescription model;
  model.file = shown_name;
  if (std::string_view(root.name()) != "fmiModelDescription") {
    attributes.error(root, fmt::format("This is a <{}>, not an <fmiModelDescription>.", root.name()),
                     "Name an FMU.");
  } else {
    model.version_text = attributes.text(root, "fmiVersion");
    model.model_name = attributes.required(root, "modelName");
    model.description = attributes.text(root, "description");
    model.author = attributes.text(root, "author");
    model.model_version = attributes.text(root, "version");
    model.generation_tool = attributes.text(root, "generationTool");
    model.generated_at = attributes.text(root, "generationDateAndTime");
    if (model.version_text.rfind("1.", 0) == 0) {
      model.version = FmiVersion::fmi1;
      read_fmi1(attributes, root, model);
    } else if (model.version_text.rfind("2.", 0) == 0) {
      model.version = FmiVersion::fmi2;
      read_fmi2(attributes, root, model);
    } else if (model.version_text.rfind("3.", 0) == 0) {
      model.version = FmiVersion::fmi3;
      read_fmi3(attributes, root, model);
    } else {
      attributes.error(
          root, fmt::format("FMI version '{}' is not supported.", model.version_text),
          "FMI 1.0 (co-simulation), 2.0 and 3.0 can be imported; have the FMU exported as one of these.");
    }
    if (model.co_simulation) check_identifier(attributes, root.child("CoSimulation"), *model.co_simulation);
    if (model.model_exchange)
      check_identifier(attributes, root.child("ModelExchange"), *model.model_exchange);
    apply_types(model);
    expand_arrays(attributes, root, model);
  }
  for (const Problem& p : found.all()) {
    if (p.severity == Severity::error) {
      problems.error(p.where, p.what, p.remedy);
    } else {
      problems.warning(p.where, p.what, p.remedy);
    }
  }
  if (found.has_errors()) return std::nullopt;
  return model;
}

void read_terminal(const pugi::xml_node& node, const std::string& prefix, ModelDescription& model) {
  if (model.terminals.size() > 10'000) return;
  Terminal terminal;
  terminal.name = prefix + node.attribute("name").value();
  terminal.kind = node.attribute("terminalKind").value();
  terminal.matching_rule = node.attribute("matchingRule").value();
  for (const pugi::xml_node& member : node.children("TerminalMemberVariable"))
    terminal.members.push_back({member.attribute("variableName").value(),
                                member.attribute("memberName").value(),
                                member.attribute("variableKind").value()});
  const std::string inner_prefix = terminal.name + ".";
  model.terminals.push_back(std::move(terminal));
  for (const pugi::xml_node& inner : node.children("Terminal")) read_terminal(inner, inner_prefix, model);
}

}  // namespace

std::optional<ModelDescription> parse_description(std::string_view bytes, const std::string& shown_name,
                                                  ProblemList& problems) {
  XmlFile file;
  if (!file.parse(bytes, shown_name, problems)) return std::nullopt;
  return read(file, shown_name, problems);
}

std::optional<ModelDescription> read_description(const std::filesystem::path& folder,
                                                 const std::string& fmu_name, ProblemList& problems) {
  XmlFile file;
  const std::string shown_name = fmu_name + "/modelDescription.xml";
  if (!file.load(folder / "modelDescription.xml", shown_name, problems)) return std::nullopt;
  auto model = read(file, shown_name, problems);
  std::error_code ignored;
  const auto terminals = folder / "terminalsAndIcons" / "terminalsAndIcons.xml";
  if (model && std::filesystem::is_regular_file(terminals, ignored)) {
    XmlFile terminal_file;
    ProblemList of_terminals;
    if (terminal_file.load(terminals, fmu_name + "/terminalsAndIcons.xml", of_terminals)) {
      for (const pugi::xml_node& node : terminal_file.root().child("Terminals").children("Terminal"))
        read_terminal(node, "", *model);
    } else {
      for (const Problem& p : of_terminals.all()) problems.warning(p.where, p.what, p.remedy);
    }
  }
  return model;
}

}  // namespace ergon::fmi
