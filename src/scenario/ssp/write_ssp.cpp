#include "ergon/scenario/ssp/write_ssp.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ergon/core/rational.hpp"
#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

std::string word_at(const Value& table, std::string_view key) {
  const Entry* entry = table.find(key);
  return entry != nullptr && entry->value.kind == Value::Kind::text ? entry->value.text : std::string{};
}

const std::vector<Value>& items_at(const Value& document, std::string_view key) {
  static const std::vector<Value> none;
  const Entry* entry = document.find(key);
  return entry == nullptr ? none : entry->value.items;
}

const char* connector_kind(const fmi::Variable& v) {
  switch (v.causality) {
    case fmi::Causality::structural_parameter:
      return "structuralParameter";
    case fmi::Causality::parameter:
      return "parameter";
    case fmi::Causality::calculated_parameter:
      return "calculatedParameter";
    case fmi::Causality::input:
      return "input";
    case fmi::Causality::output:
      return "output";
    case fmi::Causality::local:
    case fmi::Causality::independent:
      break;
  }
  return "local";
}

/// Numbers as the shortest text that reads back to the same bits.
std::string number_text(double number) {
  return fmt::format("{}", number);
}

class SspWriter {
 public:
  SspWriter(const SystemDocument& system, const std::string& base_directory, ProblemList& problems)
      : document_(system.document), base_(base_directory), problems_(problems) {}

  SspPackage write(const std::string& name) {
    pugi::xml_node declaration = xml_.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    pugi::xml_node root = xml_.append_child("ssd:SystemStructureDescription");
    const std::string space = "http://ssp-standard.org/SSP1/SystemStructure";
    root.append_attribute("xmlns:ssd") = (space + "Description").c_str();
    root.append_attribute("xmlns:ssc") = (space + "Common").c_str();
    root.append_attribute("xmlns:ssv") = (space + "ParameterValues").c_str();
    root.append_attribute("xmlns:osp") = "http://opensimulationplatform.com/SSP/OSPAnnotations";
    root.append_attribute("version") = "2.0";
    root.append_attribute("name") = name.c_str();
    root.append_attribute("generationTool") = "Ergon";
    pugi::xml_node system = root.append_child("ssd:System");
    system.append_attribute("name") = name.c_str();
    for (const Value& c : items_at(document_, "connection")) note_fed(c.find("to"));
    for (const Value& bond : items_at(document_, "bond")) note_bond_ends(bond);
    pugi::xml_node elements = system.append_child("ssd:Elements");
    for (const Value& subsystem : items_at(document_, "subsystem")) write_subsystem(elements, subsystem);
    if (!elements.first_child()) system.remove_child(elements);
    pugi::xml_node connections = system.append_child("ssd:Connections");
    for (const Value& c : items_at(document_, "connection")) write_connection(connections, c);
    for (const Value& bond : items_at(document_, "bond")) write_bond(connections, bond);
    if (!connections.first_child()) system.remove_child(connections);
    write_experiment(root);
    write_rest(root);
    std::ostringstream text;
    xml_.save(text, "  ");
    package_.description = text.str();
    return std::move(package_);
  }

 private:
  struct Component {
    std::shared_ptr<const fmi::FmuModel> fmu;
  };

  void note_fed(const Entry* ports) {
    if (ports == nullptr) return;
    if (ports->value.kind == Value::Kind::text) fed_.insert(ports->value.text);
    for (const Value& port : ports->value.items) fed_.insert(port.text);
  }
  void note_bond_ends(const Value& bond) {
    for (const char* side : {"a", "b"}) {
      const Entry* end = bond.find(side);
      if (end == nullptr) continue;
      for (const Entry& ports : end->value.entries) note_fed(&ports);
    }
  }

  std::string entry_of(const ArchivedFile& file) {
    for (const SspPackage::File& known : package_.files) {
      if (known.path == file.path) return known.entry;
    }
    std::string stem = file.path.stem().string();
    std::string entry = fmt::format("resources/{}.fmu", stem);
    for (int number = 2; std::any_of(package_.files.begin(), package_.files.end(),
                                     [&](const SspPackage::File& f) { return f.entry == entry; });
         ++number)
      entry = fmt::format("resources/{}_{}.fmu", stem, number);
    package_.files.push_back({entry, file.path});
    return entry;
  }

  void write_subsystem(pugi::xml_node elements, const Value& subsystem) {
    const std::string name = word_at(subsystem, "name");
    const std::string fmu = word_at(subsystem, "fmu");
    if (fmu.empty()) {
      append_to(rest_, "subsystem", subsystem);
      package_.only_here.push_back(fmt::format("native model '{}' ({})", name, word_at(subsystem, "model")));
      return;
    }
    ProblemList of_archive;
    auto file = find_archived(fmu, base_, of_archive);
    std::error_code ignored;
    if (!file || !std::filesystem::is_regular_file(file->path, ignored)) {
      problems_.error(subsystem.where, fmt::format("The FMU '{}' cannot be read.", fmu),
                      "Check the name of the file.");
      return;
    }
    package_.archives.insert(package_.archives.end(), file->archives.begin(), file->archives.end());
    const std::string entry = entry_of(*file);
    pugi::xml_node component = elements.append_child("ssd:Component");
    component.append_attribute("name") = name.c_str();
    component.append_attribute("type") = "application/x-fmu-sharedlibrary";
    component.append_attribute("source") = entry.c_str();
    component.append_attribute("implementation") = "CoSimulation";
    Component& known = components_[name];
    known.fmu = peek_fmu(fmu, base_);
    if (known.fmu) write_connectors(component, *known.fmu);
    write_values(component, name, subsystem, known);
    if (const Entry* step = subsystem.find("step_size")) {
      std::optional<Rational> exact = step->value.is_number() ? Rational::from_double(step->value.number)
                                                              : Rational::parse(step->value.text);
      if (exact) {
        pugi::xml_node annotation = component.append_child("ssd:Annotations").append_child("ssc:Annotation");
        annotation.append_attribute("type") = "com.opensimulationplatform";
        annotation.append_child("osp:StepSizeHint").append_attribute("value") =
            number_text(exact->value()).c_str();
      }
    }
    Value extra;
    set_entry(extra, "name", text_value(name));
    std::vector<std::string> keys;
    for (const Entry& e : subsystem.entries) {
      if (e.key == "name" || e.key == "fmu" || e.key == "values" || e.key == "parameters" ||
          e.key == "initial")
        continue;
      set_entry(extra, e.key, e.value);
      if (e.key != "step_size") keys.push_back(e.key);
    }
    if (extra.entries.size() > 1) append_to(rest_, "subsystem", std::move(extra));
    if (!keys.empty()) package_.only_here.push_back(fmt::format("{} of '{}'", fmt::join(keys, ", "), name));
  }

  static void write_connectors(pugi::xml_node component, const fmi::FmuModel& fmu) {
    pugi::xml_node connectors;
    for (const fmi::Variable& v : fmu.description().variables) {
      if ((v.causality != fmi::Causality::input && v.causality != fmi::Causality::output) ||
          !v.dimensions.empty() || v.type == fmi::VariableType::clock || v.type == fmi::VariableType::binary)
        continue;
      if (!connectors) connectors = component.append_child("ssd:Connectors");
      pugi::xml_node connector = connectors.append_child("ssd:Connector");
      connector.append_attribute("name") = v.name.c_str();
      connector.append_attribute("kind") = connector_kind(v);
      // Without a unit: that of the FMU holds.
      const char* type = fmi::is_float(v.type)                  ? "ssc:Real"
                         : v.type == fmi::VariableType::boolean ? "ssc:Boolean"
                         : v.type == fmi::VariableType::text    ? "ssc:String"
                                                                : "ssc:Integer";
      connector.append_child(type);
    }
  }

  void write_values(pugi::xml_node component, const std::string& name, const Value& subsystem,
                    const Component& known) {
    pugi::xml_node parameters;
    for (const char* key : {"parameters", "initial", "values"}) {
      const Entry* table = subsystem.find(key);
      if (table == nullptr) continue;
      for (const Entry& given : table->value.entries) {
        if (fed_.contains(name + "." + given.key)) {
          package_.only_here.push_back(fmt::format(
              "the start value of the connected input '{}.{}', which is left out", name, given.key));
          continue;
        }
        if (!parameters) {
          pugi::xml_node set = component.append_child("ssd:ParameterBindings")
                                   .append_child("ssd:ParameterBinding")
                                   .append_child("ssd:ParameterValues")
                                   .append_child("ssv:ParameterSet");
          set.append_attribute("version") = "2.0";
          set.append_attribute("name") = "values";
          parameters = set.append_child("ssv:Parameters");
        }
        pugi::xml_node parameter = parameters.append_child("ssv:Parameter");
        parameter.append_attribute("name") = given.key.c_str();
        write_value(parameter, given.value, known.fmu ? known.fmu->find(given.key) : nullptr);
      }
    }
  }
  static void write_value(pugi::xml_node parameter, const Value& value, const fmi::Variable* v) {
    const bool is_real = v == nullptr ? value.kind == Value::Kind::number || value.kind == Value::Kind::list
                                      : fmi::is_float(v->type);
    const auto text = [&](const Value& one) {
      if (one.kind == Value::Kind::boolean) return std::string(one.boolean ? "true" : "false");
      if (one.kind == Value::Kind::integer) return std::to_string(one.integer);
      return number_text(one.number);
    };
    if (value.kind == Value::Kind::text) {
      parameter.append_child("ssv:String").append_attribute("value") = value.text.c_str();
      return;
    }
    std::vector<std::string> words;
    for (const Value& item : value.items) words.push_back(text(item));
    if (words.empty()) words.push_back(text(value));
    const char* type = value.kind == Value::Kind::boolean ? "ssv:Boolean"
                       : is_real                          ? "ssv:Real"
                                                          : "ssv:Integer";
    parameter.append_child(type).append_attribute("value") = fmt::format("{}", fmt::join(words, " ")).c_str();
  }

  /// The component and the variable of a port; nothing where other tools cannot know it.
  const fmi::Variable* find_port(const std::string& port, std::string& component,
                                 std::string& variable) const {
    const std::size_t dot = port.find('.');
    if (dot == std::string::npos) return nullptr;
    component = port.substr(0, dot);
    variable = port.substr(dot + 1);
    const auto found = components_.find(component);
    if (found == components_.end() || !found->second.fmu) return nullptr;
    const fmi::Variable* v = found->second.fmu->find(variable);
    return v != nullptr && v->dimensions.empty() ? v : nullptr;
  }

  bool say_connection(pugi::xml_node connections, const std::string& from, const std::string& to, double gain,
                      double offset, bool converts) {
    std::string a, a_port, b, b_port;
    if (find_port(from, a, a_port) == nullptr || find_port(to, b, b_port) == nullptr) return false;
    pugi::xml_node c = connections.append_child("ssd:Connection");
    c.append_attribute("startElement") = a.c_str();
    c.append_attribute("startConnector") = a_port.c_str();
    c.append_attribute("endElement") = b.c_str();
    c.append_attribute("endConnector") = b_port.c_str();
    if (!converts) c.append_attribute("suppressUnitConversion") = "true";
    if (gain != 1.0 || offset != 0.0) {
      pugi::xml_node t = c.append_child("ssc:LinearTransformation");
      t.append_attribute("factor") = number_text(gain).c_str();
      t.append_attribute("offset") = number_text(offset).c_str();
    }
    return true;
  }

  void write_connection(pugi::xml_node connections, const Value& c) {
    const auto number = [&](const char* key, double otherwise) {
      const Entry* e = c.find(key);
      return e != nullptr && e->value.is_number() ? e->value.number : otherwise;
    };
    const Entry* converts = c.find("convert_units");
    const std::string from = word_at(c, "from");
    const bool said = !from.empty() &&
                      say_connection(connections, from, word_at(c, "to"), number("gain", 1.0),
                                     number("offset", 0.0), converts == nullptr || converts->value.boolean);
    const bool has_more = c.find("extrapolation") != nullptr;
    if (said && !has_more) return;
    append_to(rest_, "connection", c);
    package_.only_here.push_back(
        fmt::format("{} connection to '{}'", said ? "the extrapolation of the" : "the", word_at(c, "to")));
  }

  void write_bond(pugi::xml_node connections, const Value& bond) {
    append_to(rest_, "bond", bond);
    const Entry* sign = bond.find("effort_sign");
    bool said =
        bond.find("ratio") == nullptr && bond.find("kind") == nullptr && bond.find("reaction") == nullptr;
    for (const char* key : {"effort", "flow", "displacement"}) {
      const auto ports = [&](const char* side) {
        std::vector<std::string> names;
        const Entry* end = bond.find(side);
        const Entry* list = end == nullptr ? nullptr : end->value.find(key);
        if (list == nullptr) return names;
        if (list->value.kind == Value::Kind::text) names.push_back(list->value.text);
        for (const Value& port : list->value.items) names.push_back(port.text);
        return names;
      };
      const auto a = ports("a");
      const auto b = ports("b");
      for (std::size_t i = 0; said && i < std::min(a.size(), b.size()); ++i) {
        std::string component, variable;
        const fmi::Variable* v = find_port(a[i], component, variable);
        const bool from_a = v != nullptr && v->causality != fmi::Causality::input;
        const double gain =
            sign != nullptr && sign->value.number < 0.0 && std::string_view(key) == "effort" ? -1.0 : 1.0;
        said = v != nullptr &&
               say_connection(connections, from_a ? a[i] : b[i], from_a ? b[i] : a[i], gain, 0.0, true);
      }
    }
    package_.only_here.push_back(
        fmt::format("bond '{}'{}", word_at(bond, "name"), said ? " (its connections are there)" : ""));
  }

  void write_experiment(pugi::xml_node root) {
    pugi::xml_node experiment = root.append_child("ssd:DefaultExperiment");
    const Entry* simulation = document_.find("simulation");
    if (simulation == nullptr) return;
    const auto exact = [&](const char* key) -> std::optional<double> {
      const Entry* e = simulation->value.find(key);
      if (e == nullptr) return std::nullopt;
      if (e->value.is_number()) return e->value.number;
      const auto parsed = Rational::parse(e->value.text);
      return parsed ? std::optional(parsed->value()) : std::nullopt;
    };
    if (const auto start = exact("start_time"))
      experiment.append_attribute("startTime") = number_text(*start).c_str();
    if (const auto stop = exact("stop_time"))
      experiment.append_attribute("stopTime") = number_text(*stop).c_str();
    if (const auto step = exact("step_size")) {
      pugi::xml_node annotation = experiment.append_child("ssd:Annotations").append_child("ssc:Annotation");
      annotation.append_attribute("type") = "com.opensimulationplatform";
      annotation.append_child("osp:Algorithm")
          .append_child("osp:FixedStepAlgorithm")
          .append_attribute("baseStepSize") = number_text(*step).c_str();
    }
  }

  /// What SSP has no words for.
  void write_rest(pugi::xml_node root) {
    for (const Entry& entry : document_.entries) {
      if (entry.key == "subsystem" || entry.key == "connection" || entry.key == "bond" ||
          entry.key == "provenance")
        continue;
      set_entry(rest_, entry.key, entry.value);
      if (entry.key == "simulation") continue;
      if (entry.value.kind == Value::Kind::list)
        package_.only_here.push_back(fmt::format("{} × [[{}]]", entry.value.items.size(), entry.key));
      else
        package_.only_here.push_back(fmt::format("[{}]", entry.key));
    }
    if (rest_.entries.empty()) return;
    pugi::xml_node annotation = root.append_child("ssd:Annotations").append_child("ssc:Annotation");
    annotation.append_attribute("type") = "org.ergon";
    pugi::xml_node scenario = annotation.append_child("ergon:Scenario");
    scenario.append_attribute("xmlns:ergon") = "urn:ergon:scenario";
    scenario.text().set(to_toml(rest_).c_str());
  }

  const Value& document_;
  const std::string& base_;
  ProblemList& problems_;
  pugi::xml_document xml_;
  SspPackage package_;
  std::map<std::string, Component> components_;
  std::set<std::string> fed_;
  Value rest_;
};

std::string content_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream) throw InputError({file.string(), 0, 0}, "The file cannot be read.", "Check its permissions.");
  return std::move(content).str();
}

}  // namespace

SspPackage make_ssp(const SystemDocument& system, const std::string& base_directory, const std::string& name,
                    ProblemList& problems) {
  return SspWriter(system, base_directory, problems).write(name);
}

void write_ssp(const std::string& target, const SspPackage& package) {
  const auto fail = [&](const std::string& why) {
    throw InputError({target, 0, 0}, fmt::format("The archive cannot be written: {}.", why),
                     "Check folder and permissions.");
  };
  // libzip reads the contents when it closes the archive: they stay until then.
  std::vector<std::pair<std::string, std::string>> entries = {{"SystemStructure.ssd", package.description}};
  for (const SspPackage::File& file : package.files)
    entries.emplace_back(file.entry, content_of_file(file.path));
  int code = 0;
  zip_t* archive = zip_open(target.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail(why);
  }
  for (const auto& [name, content] : entries) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index =
        source == nullptr ? -1 : zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      const std::string why = zip_strerror(archive);
      if (source != nullptr) zip_source_free(source);
      zip_discard(archive);
      fail(why);
    }
    constexpr std::uint16_t first_date = (1U << 5U) | 1U;  // 1980-01-01: the same system gives the same bytes
    zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, first_date, 0);
  }
  if (zip_close(archive) != 0) {
    const std::string why = zip_strerror(archive);
    zip_discard(archive);
    fail(why);
  }
}

}  // namespace ergon
