#include <fmt/format.h>

#include <algorithm>

#include "ergon/scenario/ssp/ssd_parser.hpp"
#include "ergon/scenario/systems/system_grammar.hpp"

namespace ergon {

void SsdParser::read_bindings(const Source& source, const pugi::xml_node& owner, SspElement& element) {
  for (const pugi::xml_node& binding :
       XmlView::children(XmlView::child(owner, "ParameterBindings"), "ParameterBinding"))
    read_binding(source, binding, element);
}

std::optional<SspPlace::File> SsdParser::binding_file(const Source& source, const pugi::xml_node& node,
                                                      const SspElement& element) {
  const std::string uri = XmlView::text(node, "source");
  if (XmlView::text(node, "sourceBase") == "component") {
    // Inside of the FMU.
    if (element.model) {
      const SspPlace inside{element.model->files().folder(), element.fmu + "#", {}, element.fmu};
      if (auto file = inside.locate(uri)) return file;
    }
    source.view.error(node,
                      fmt::format("'{}' is not a file inside of the component '{}'.", uri, element.name),
                      "sourceBase=\"component\" needs an FMU that holds the file.");
    return std::nullopt;
  }
  auto file = source.place.locate(uri);
  std::error_code ignored;
  if (!file) {
    source.view.error(node, fmt::format("'{}' is not a file that belongs to the system.", uri),
                      "Name a file, relative to this one and inside of the archive.");
  } else if (!std::filesystem::is_regular_file(file->path, ignored)) {
    source.view.error(node, fmt::format("There is no file '{}'.", file->shown),
                      "Check its name; it starts at the folder of this file.");
    file.reset();
  }
  return file;
}

void SsdParser::read_binding(const Source& source, const pugi::xml_node& binding, SspElement& element) {
  const XmlView& view = source.view;
  const std::string prefix = XmlView::text(binding, "prefix");
  const std::string type = XmlView::text(binding, "type");
  std::vector<SspParameter> parameters;
  if (!type.empty() && type != "application/x-ssp-parameter-set") {
    view.error(binding, fmt::format("Parameter sets of type '{}' are not available.", type),
               "Give an .ssv file (application/x-ssp-parameter-set).");
    return;
  }
  // pugixml frees what it has parsed with its document: values are read before `xml` is gone.
  fmi::XmlFile xml;
  if (binding.attribute("source")) {
    const auto file = binding_file(source, binding, element);
    if (!file || !xml.load(file->path, file->shown, problems_)) return;
    if (source.place.archive.empty()) files_.push_back(file->path.string());
    const XmlView inside(xml, problems_);
    if (!check_system_grammar(inside, xml.root(), "ParameterSet")) return;
    read_set(source, inside, xml.root(), prefix, parameters);
  } else {
    const pugi::xml_node values = XmlView::child(binding, "ParameterValues");
    const pugi::xml_node set = XmlView::child(values, "ParameterSet");
    if (!set) {
      view.error(binding, "<ParameterBinding> has neither a 'source' nor a <ParameterSet>.",
                 "Name an .ssv file, or put the values into <ParameterValues>.");
      return;
    }
    read_set(source, view, set, prefix, parameters);
  }
  const pugi::xml_node mapping = XmlView::child(binding, "ParameterMapping");
  if (mapping) {
    fmi::XmlFile of_mapping;
    if (mapping.attribute("source")) {
      const auto file = binding_file(source, mapping, element);
      if (!file || !of_mapping.load(file->path, file->shown, problems_)) return;
      if (source.place.archive.empty()) files_.push_back(file->path.string());
      const XmlView inside(of_mapping, problems_);
      if (!check_system_grammar(inside, of_mapping.root(), "ParameterMapping")) return;
      parameters = mapped(inside, of_mapping.root(), parameters);
    } else {
      const pugi::xml_node inner = XmlView::child(mapping, "ParameterMapping");
      parameters = mapped(view, inner ? inner : mapping, parameters);
    }
  }
  element.parameters.insert(element.parameters.end(), parameters.begin(), parameters.end());
}

void SsdParser::read_set(const Source& source, const XmlView& view, const pugi::xml_node& set,
                         const std::string& prefix, std::vector<SspParameter>& parameters) {
  const SspUnits units(view, set);
  for (const pugi::xml_node& node : XmlView::children(XmlView::child(set, "Parameters"), "Parameter")) {
    SspParameter parameter;
    parameter.name = prefix + view.required(node, "name");
    parameter.where = view.where(node);
    pugi::xml_node type;
    for (const pugi::xml_node& child : node.children()) {
      const std::string_view name = XmlView::local_name(child);
      if (child.type() == pugi::node_element && name != "Annotations" && name != "MetaData" &&
          name != "Dimension")
        type = type ? type : child;
    }
    if (!type) {
      view.error(node, fmt::format("Parameter '{}' has no value.", parameter.name),
                 "Write it as in: <ssv:Real value=\"1.5\"/>");
      continue;
    }
    auto value = typed_value(view, type);
    if (!value) continue;
    parameter.value = std::move(*value);
    parameter.unit = unit_named(view, type, XmlView::text(type, "unit"), {&units, &source.units});
    parameters.push_back(std::move(parameter));
  }
}

std::vector<SspParameter> SsdParser::mapped(const XmlView& view, const pugi::xml_node& mapping,
                                            const std::vector<SspParameter>& parameters) {
  std::vector<SspParameter> result;
  for (const pugi::xml_node& entry : XmlView::children(mapping, "MappingEntry")) {
    // Some tools list every target, with an empty source where nothing is mapped to it.
    const std::string from =
        entry.attribute("source") ? XmlView::text(entry, "source") : view.required(entry, "source");
    if (from.empty()) continue;
    const std::string to = view.required(entry, "target");
    for (const SspParameter& parameter : parameters) {
      if (parameter.name != from) continue;
      SspParameter copy = parameter;
      copy.name = to;
      copy.transformation = read_transformation(view, entry);
      copy.suppress_unit_conversion = view.flag(entry, "suppressUnitConversion");
      result.push_back(std::move(copy));
    }
  }
  return result;
}

}  // namespace ergon
