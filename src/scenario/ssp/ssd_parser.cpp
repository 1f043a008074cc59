#include "ergon/scenario/ssp/ssd_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ergon/scenario/systems/system_grammar.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_nested_systems = 32;
constexpr std::size_t most_elements = 100'000;

std::string parent_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

Unit unit_of_base(const XmlView& view, const std::string& name, const pugi::xml_node& base) {
  constexpr std::array<const char*, Unit::base_units> order = {"m", "kg", "s", "A", "K", "mol", "cd"};
  Unit unit;
  unit.text = name;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double exponent = view.number(base, order[i]).value_or(0.0);
    unit.exponents[i] = static_cast<std::int8_t>(std::clamp(exponent, -100.0, 100.0));
  }
  unit.names_angle = view.number(base, "rad").value_or(0.0) != 0.0;
  unit.factor = view.number(base, "factor").value_or(1.0);
  unit.offset = view.number(base, "offset").value_or(0.0);
  if (unit.factor == 0.0) {
    view.error(base, fmt::format("The factor of unit '{}' is 0.", name), "Give its factor to SI units.");
    unit.factor = 1.0;
  }
  return unit;
}

}  // namespace

std::optional<SspPlace::File> SspPlace::locate(const std::string& uri) const {
  auto file = file_of_uri(uri);
  if (!file || file->empty()) return std::nullopt;
  std::replace(file->begin(), file->end(), '\\', '/');
  std::string relative = (fs::path(folder) / *file).lexically_normal().generic_string();
  if (!archive.empty()) {
    relative = fmi::safe_entry_path(relative);
    if (relative.empty()) return std::nullopt;
  }
  return File{archive + relative, root / relative,
              archive.empty() ? (fs::path(shown_root) / relative).string() : shown_root + "#" + relative,
              parent_folder(relative)};
}

SspUnits::SspUnits(const XmlView& view, const pugi::xml_node& owner) {
  for (const pugi::xml_node& node : XmlView::children(XmlView::child(owner, "Units"), "Unit")) {
    const std::string name = view.required(node, "name");
    const pugi::xml_node base = XmlView::child(node, "BaseUnit");
    if (base) {
      units_[name] = unit_of_base(view, name, base);
    } else if (const auto known = Unit::parse(name)) {
      units_[name] = *known;
    } else {
      units_[name] = Unit{};
    }
  }
}

std::optional<Unit> SspUnits::find(const std::string& name) const {
  const auto found = units_.find(name);
  return found == units_.end() ? std::nullopt : std::optional(found->second);
}

Unit SsdParser::unit_named(const XmlView& view, const pugi::xml_node& node, const std::string& name,
                           std::initializer_list<const SspUnits*> known) {
  if (name.empty()) return {};
  for (const SspUnits* units : known) {
    if (const auto unit = units->find(name)) return *unit;
  }
  if (const auto unit = Unit::parse(name)) return *unit;
  const SourceLocation where = view.where(node);
  if (undefined_units_.insert({where.file, name}).second)
    view.warning(node, fmt::format("The unit '{}' is not defined; values are not converted.", name),
                 "Define it in <Units>.");
  return {};
}

std::optional<SspStructure> SsdParser::parse(const SspPlace& place, const std::string& file) {
  auto system = parse_file(place, file, {}, true);
  if (!system) return std::nullopt;
  return SspStructure{std::move(system), experiment_, std::move(scenarios_), std::move(files_)};
}

std::unique_ptr<SspElement> SsdParser::parse_file(const SspPlace& place, const std::string& file,
                                                  const std::string& system_id, bool is_top) {
  const auto found = place.locate(file);
  if (!found) return nullptr;
  const std::string key = found->name + "#" + system_id;
  if (open_files_.size() >= most_nested_systems ||
      std::find(open_files_.begin(), open_files_.end(), key) != open_files_.end()) {
    problems_.error({found->shown, 0, 0},
                    "The system contains itself, or systems lie in each other too deep.",
                    fmt::format("At most {} systems in each other are read.", most_nested_systems));
    return nullptr;
  }
  open_files_.push_back(key);
  fmi::XmlFile xml;
  const bool loaded = xml.load(found->path, found->shown, problems_);
  std::unique_ptr<SspElement> system;
  if (loaded) {
    const XmlView view(xml, problems_);
    const pugi::xml_node root = xml.root();
    if (place.archive.empty()) files_.push_back(found->path.string());
    if (XmlView::local_name(root) != "SystemStructureDescription") {
      view.error(root, fmt::format("<{}> is not a SystemStructureDescription.", root.name()),
                 "Name an SSD file of SSP 1.0 or 2.0.");
    } else {
      const std::string version = XmlView::text(root, "version");
      if (!version.starts_with("1.") && !version.starts_with("2.") && version != "1" && version != "2")
        view.warning(root, fmt::format("Version '{}' of SSP is not known; it is read as 2.0.", version));
      check_system_grammar(view, root);
      SspPlace own = place;
      own.folder = found->folder;
      const Source source{own, view, SspUnits(view, root), root};
      pugi::xml_node node = XmlView::child(root, "System");
      if (!system_id.empty()) {
        node = root.find_node([&](const pugi::xml_node& n) {
          return XmlView::local_name(n) == "System" && system_id == n.attribute("id").value();
        });
      }
      if (!node) {
        view.error(root,
                   system_id.empty() ? "There is no <System>."
                                     : fmt::format("There is no <System> with id '{}'.", system_id),
                   "Add it.");
      } else {
        system = std::make_unique<SspElement>();
        system->name = XmlView::text(node, "name");
        system->where = view.where(node);
        if (is_top) {
          const pugi::xml_node experiment = XmlView::child(root, "DefaultExperiment");
          experiment_.where = view.where(experiment ? experiment : root);
          experiment_.start_s = view.number(experiment, "startTime");
          experiment_.stop_s = view.number(experiment, "stopTime");
          read_annotations(source, experiment, nullptr, true);
          read_annotations(source, root, nullptr, true);
        }
        read_system(source, node, *system);
      }
    }
  }
  open_files_.pop_back();
  return system;
}

void SsdParser::read_system(const Source& source, const pugi::xml_node& node, SspElement& system) {
  system.kind = SspElement::Kind::system;
  read_annotations(source, node, &system, false);
  read_connectors(source, node, system);
  read_dictionaries(source, node, system);
  for (const pugi::xml_node& child : XmlView::child(node, "Elements").children()) {
    if (child.type() != pugi::node_element) continue;
    if (++elements_ > most_elements) {
      source.view.error(child, fmt::format("There are more than {} elements.", most_elements),
                        "Do not trust this file.");
      return;
    }
    const std::string_view kind = XmlView::local_name(child);
    const std::string name = source.view.required(child, "name");
    if (std::any_of(system.elements.begin(), system.elements.end(),
                    [&](const auto& e) { return e->name == name; })) {
      source.view.error(child, fmt::format("There are two elements '{}' in system '{}'.", name, system.name),
                        "Rename one of them.");
      continue;
    }
    if (kind == "Component") {
      read_component(source, child, system);
      continue;
    }
    auto element = std::make_unique<SspElement>();
    element->name = name;
    element->where = source.view.where(child);
    element->parent = &system;
    if (kind == "System") {
      read_system(source, child, *element);
    } else if (kind == "SignalDictionaryReference") {
      element->kind = SspElement::Kind::dictionary_reference;
      element->dictionary = source.view.required(child, "dictionary");
      read_connectors(source, child, *element);
    } else {
      source.view.error(child, fmt::format("<{}> is not an element of a system.", child.name()),
                        "There are: Component, System, SignalDictionaryReference.");
      continue;
    }
    system.elements.push_back(std::move(element));
  }
  read_connections(source, node, system);
  read_bindings(source, node, system);
}

void SsdParser::read_component(const Source& source, const pugi::xml_node& node, SspElement& parent) {
  const XmlView& view = source.view;
  const std::string uri = XmlView::text(node, "source");
  std::string type = XmlView::text(node, "type");
  if (type.empty()) type = "application/x-fmu-sharedlibrary";
  const std::string implementation = XmlView::text(node, "implementation");
  std::unique_ptr<SspElement> element;
  if (type == "application/x-ssp-definition" || type == "application/x-ssp-package") {
    element = nested(source, node, type, uri);
    if (!element) return;
  } else {
    element = std::make_unique<SspElement>();
    element->kind = SspElement::Kind::component;
    if (type != "application/x-fmu-sharedlibrary") {
      view.error(node, fmt::format("Components of type '{}' are not available.", type),
                 "Give an FMU (application/x-fmu-sharedlibrary), an .ssd or an .ssp.");
    } else if (node.attribute("source")) {
      const auto proxied = file_of_local_proxy(uri);
      element->isolate = proxied.has_value();
      if (const auto file = source.place.locate(proxied.value_or(uri))) {
        element->fmu = file->name;
        ProblemList reported_where_it_is_read;
        element->model = fmi::FmuModel::load(file->path, reported_where_it_is_read, false);
      } else {
        view.error(node, fmt::format("'{}' is not a file that belongs to the system.", uri),
                   "Name an FMU, relative to this file and inside of the archive.");
      }
    }
    if (implementation == "ModelExchange" && element->model && element->model->description().model_exchange) {
      element->by_model_exchange = true;
    } else if (implementation == "ModelExchange" || implementation == "ScheduledExecution") {
      const bool can = element->model && element->model->description().co_simulation;
      if (can)
        view.warning(node,
                     fmt::format("implementation=\"{}\": the FMU is run by co-simulation, which it has, too.",
                                 implementation));
    }
  }
  element->name = XmlView::text(node, "name");
  element->where = view.where(node);
  element->parent = &parent;
  if (element->kind == SspElement::Kind::component) read_connectors(source, node, *element);
  read_annotations(source, node, element.get(), false);
  read_bindings(source, node, *element);
  parent.elements.push_back(std::move(element));
}

std::unique_ptr<SspElement> SsdParser::nested(const Source& source, const pugi::xml_node& node,
                                              const std::string& type, const std::string& uri) {
  const std::size_t hash = uri.find('#');
  const std::string fragment = hash == std::string::npos ? std::string{} : uri.substr(hash + 1);
  const std::string file = uri.substr(0, hash);
  const auto refuse = [&]() -> std::unique_ptr<SspElement> {
    source.view.error(node, fmt::format("'{}' is not a file that belongs to the system.", uri),
                      "Name an .ssd or .ssp, relative to this file and inside of the archive.");
    return nullptr;
  };
  if (type == "application/x-ssp-definition") {
    if (!file.empty()) {
      return source.place.locate(file) ? parse_file(source.place, file, fragment, false) : refuse();
    }
    // "#id": a system of this very file, used once more.
    const pugi::xml_node system = source.root.find_node([&](const pugi::xml_node& n) {
      return XmlView::local_name(n) == "System" && !fragment.empty() && fragment == n.attribute("id").value();
    });
    for (pugi::xml_node outer = node; outer; outer = outer.parent()) {
      if (outer == system) return refuse();  // it would contain itself
    }
    if (!system || open_files_.size() >= most_nested_systems) return refuse();
    open_files_.push_back("#" + fragment);
    auto element = std::make_unique<SspElement>();
    element->name = fragment;
    read_system(source, system, *element);
    open_files_.pop_back();
    return element;
  }
  const auto found = source.place.locate(file);
  if (!found) return refuse();
  if (archives_.size() >= most_nested_systems) return refuse();
  ProblemList of_archive;
  auto archive = fmi::UnpackedFmu::open(found->path, of_archive);
  for (const Problem& p : of_archive.all())
    problems_.error(source.view.where(node), fmt::format("'{}': {}", found->shown, p.what), p.remedy);
  if (!archive) return nullptr;
  archives_.push_back(archive);
  const SspPlace inner{archive->folder(), found->name + "#", {}, found->shown};
  if (source.place.archive.empty()) files_.push_back(found->path.string());
  return parse_file(inner, fragment.empty() ? "SystemStructure.ssd" : fragment, {}, false);
}

void SsdParser::read_connectors(const Source& source, const pugi::xml_node& node, SspElement& element) {
  for (const pugi::xml_node& child : XmlView::children(XmlView::child(node, "Connectors"), "Connector")) {
    SspConnector connector;
    connector.name = source.view.required(child, "name");
    connector.kind = source.view.required(child, "kind");
    connector.where = source.view.where(child);
    for (const char* type : {"Real", "Float64", "Float32"}) {
      const pugi::xml_node real = XmlView::child(child, type);
      if (real) connector.unit = unit_named(source.view, real, XmlView::text(real, "unit"), {&source.units});
    }
    if (element.connector(connector.name) != nullptr) {
      source.view.error(child, fmt::format("There are two connectors '{}'.", connector.name),
                        "Rename one of them.");
      continue;
    }
    element.connectors.push_back(std::move(connector));
  }
}

SspTransformation SsdParser::read_transformation(const XmlView& view, const pugi::xml_node& owner) {
  SspTransformation transformation;
  for (const pugi::xml_node& child : owner.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = XmlView::local_name(child);
    if (name == "LinearTransformation") {
      transformation.factor = view.number(child, "factor").value_or(1.0);
      transformation.offset = view.number(child, "offset").value_or(0.0);
    } else if (name.ends_with("Transformation")) {
      view.error(child, fmt::format("<{}> is not available.", name),
                 "Use a LinearTransformation, or an FMU that maps the values.");
    }
  }
  return transformation;
}

void SsdParser::read_connections(const Source& source, const pugi::xml_node& node, SspElement& system) {
  for (const pugi::xml_node& child : XmlView::children(XmlView::child(node, "Connections"), "Connection")) {
    SspConnection c;
    c.where = source.view.where(child);
    c.start_element = XmlView::text(child, "startElement");
    c.end_element = XmlView::text(child, "endElement");
    c.start_connector = source.view.required(child, "startConnector");
    c.end_connector = source.view.required(child, "endConnector");
    c.suppress_unit_conversion = source.view.flag(child, "suppressUnitConversion");
    c.transformation = read_transformation(source.view, child);
    if (child.attribute("startIndices") || child.attribute("endIndices")) {
      source.view.error(child, "Connections of single components of an array are not available.",
                        "Connect whole arrays, or scalar variables.");
      continue;
    }
    if (!c.start_connector.empty() && !c.end_connector.empty()) system.connections.push_back(std::move(c));
  }
}

void SsdParser::read_dictionaries(const Source& source, const pugi::xml_node& node, SspElement& system) {
  const auto entries_of = [&](const XmlView& view, const SspUnits& units, const pugi::xml_node& dictionary) {
    std::vector<SspConnector> entries;
    for (const pugi::xml_node& entry : XmlView::children(dictionary, "DictionaryEntry")) {
      SspConnector connector{view.required(entry, "name"), "inout", {}, view.where(entry)};
      const pugi::xml_node real = XmlView::child(entry, "Real");
      if (real) connector.unit = unit_named(view, real, XmlView::text(real, "unit"), {&units, &source.units});
      entries.push_back(std::move(connector));
    }
    return entries;
  };
  for (const pugi::xml_node& child :
       XmlView::children(XmlView::child(node, "SignalDictionaries"), "SignalDictionary")) {
    const std::string name = source.view.required(child, "name");
    const std::string uri = XmlView::text(child, "source");
    if (uri.empty()) {
      pugi::xml_node inner = XmlView::child(child, "SignalDictionary");
      if (!inner) inner = child;
      system.dictionaries[name] = entries_of(source.view, SspUnits(source.view, inner), inner);
      continue;
    }
    const auto file = source.place.locate(uri);
    fmi::XmlFile xml;
    if (!file) {
      source.view.error(child, fmt::format("'{}' is not a file that belongs to the system.", uri),
                        "Name a signal dictionary (.ssb).");
    } else if (xml.load(file->path, file->shown, problems_)) {
      const XmlView view(xml, problems_);
      if (source.place.archive.empty()) files_.push_back(file->path.string());
      if (!check_system_grammar(view, xml.root(), "SignalDictionary")) continue;
      system.dictionaries[name] = entries_of(view, SspUnits(view, xml.root()), xml.root());
    }
  }
}

/// Step sizes of the tools that write them, and scenarios of our own. Only the annotations of `owner` itself: some tools put whole
/// systems into theirs.
void SsdParser::read_annotations(const Source& source, const pugi::xml_node& owner, SspElement* element,
                                 bool is_root) {
  const XmlView& view = source.view;
  std::vector<pugi::xml_node> annotations =
      XmlView::children(XmlView::child(owner, "Annotations"), "Annotation");
  for (const pugi::xml_node& annotation : annotations) {
    const std::string type = XmlView::text(annotation, "type");
    std::optional<double> step_s;
    if (type == "com.opensimulationplatform" || type == "com.github.ntnu-ihb.vico") {
      const pugi::xml_node algorithm = XmlView::child(annotation, "Algorithm");
      const pugi::xml_node fixed = XmlView::child(algorithm, "FixedStepAlgorithm");
      if (fixed) step_s = view.number(fixed, "baseStepSize");
      const pugi::xml_node hint = XmlView::child(annotation, "StepSizeHint");
      if (hint) step_s = view.number(hint, "value");
    } else if (type == "org.openmodelica") {
      pugi::xml_node information = XmlView::child(annotation, "Annotations");
      information = XmlView::child(information ? information : annotation, "SimulationInformation");
      const pugi::xml_node fixed = XmlView::child(information, "FixedStepMaster");
      if (fixed) step_s = view.number(fixed, "stepSize");
      if (!step_s && information) step_s = view.number(information, "fixedStepSize");
      if (!step_s && information && information.attribute("maximumStepSize"))
        step_s = view.number(information, "maximumStepSize");
      for (const char* master : {"VariableStepMaster", "VariableStepSolver"}) {
        const pugi::xml_node variable = XmlView::child(information, master);
        if (variable && !step_s) step_s = view.number(variable, "maximumStepSize");
      }
    } else if (type == "org.ergon" && is_root) {
      const pugi::xml_node scenario = XmlView::child(annotation, "Scenario");
      if (scenario) scenarios_.emplace_back(scenario.text().get(), view.where(scenario));
    }
    if (!step_s) continue;
    if (!(*step_s > 0.0)) {
      view.error(annotation, fmt::format("The step size {} is not positive.", *step_s), "Give seconds > 0.");
    } else if (is_root) {
      experiment_.step_s = step_s;
    } else if (element != nullptr) {
      element->step_s = step_s;
    }
  }
}

}  // namespace ergon
