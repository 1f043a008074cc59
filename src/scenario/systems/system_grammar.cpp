#include "ergon/scenario/systems/system_grammar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>

namespace ergon {
namespace {

/// One element. `attributes` are words: "name", or "name=a|b" where only these values are known. `children` are names: "A" at most
/// once, "A*" any number; "..." anything, which is not looked at; "#" text. Where an element differs by its parent the rule is named
/// "Parent/Element".
struct Rule {
  const char* element;
  const char* attributes;
  const char* children;
};

#define ERGON_BASE "id description "
#define ERGON_TOP "author fileversion copyright license generationTool generationDateAndTime "
#define ERGON_EXTRAS "MetaData* Signature* Annotations "
#define ERGON_TYPES                                                                                \
  "Real Float64 Float32 Integer Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Boolean String " \
  "Enumeration "                                                                                   \
  "Binary "
#define ERGON_TRANSFORMATIONS                                                       \
  "LinearTransformation BooleanMappingTransformation IntegerMappingTransformation " \
  "EnumerationMappingTransformation "
#define ERGON_ELEMENT "Connectors ElementGeometry ParameterBindings " ERGON_EXTRAS
#define ERGON_GROUPS                                                                                      \
  "Generic* Force* Torque* Voltage* Pressure* LinearVelocity* AngularVelocity* Current* VolumeFlowRate* " \
  "LinearDisplacement* AngularDisplacement* Charge* Volume* LinearAcceleration* AngularAcceleration* "    \
  "LinearMechanicalPort* AngularMechanicalPort* ElectromagneticPort* HydraulicPort* "                     \
  "LinearMechanicalQuasiPort* AngularMechanicalQuasiPort* ElectromagneticQuasiPort* HydraulicQuasiPort* "

// clang-format off
constexpr Rule ssp_rules[] = {
    {"SystemStructureDescription", "version name " ERGON_BASE ERGON_TOP,
     "System Enumerations Units DefaultExperiment " ERGON_EXTRAS},
    {"System", "name " ERGON_BASE,
     ERGON_ELEMENT "Elements Connections SignalDictionaries SystemGeometry GraphicalElements"},
    {"Elements", "", "Component* System* SignalDictionaryReference*"},
    {"Component", "name type source implementation=any|ModelExchange|CoSimulation|ScheduledExecution " ERGON_BASE,
     ERGON_ELEMENT},
    {"SignalDictionaryReference", "name dictionary " ERGON_BASE, ERGON_ELEMENT},
    {"ElementGeometry", "x1 y1 x2 y2 rotation iconSource iconRotation iconFlip iconFixedAspectRatio", ""},
    {"SystemGeometry", "x1 y1 x2 y2", ""},
    {"GraphicalElements", "", "Note*"},
    {"Note", "x1 y1 x2 y2 text", ""},
    {"Connectors", "", "Connector*"},
    {"Connector",
     "name kind=input|output|parameter|calculatedParameter|structuralParameter|constant|local|inout|unspecified "
     ERGON_BASE, ERGON_TYPES "Clock* Dimension* ConnectorGeometry Annotations"},
    {"ConnectorGeometry", "x y systemInnerX systemInnerY", ""},
    {"Dimension", "size sizeConnector", ""},
    {"Connections", "", "Connection*"},
    {"Connection",
     "startElement startConnector startIndices endElement endConnector endIndices suppressUnitConversion " ERGON_BASE,
     ERGON_TRANSFORMATIONS "ConnectionGeometry Annotations"},
    {"ConnectionGeometry", "pointsX pointsY", ""},
    {"LinearTransformation", "factor offset", ""},
    {"BooleanMappingTransformation", "", "MapEntry*"},
    {"IntegerMappingTransformation", "", "MapEntry*"},
    {"EnumerationMappingTransformation", "", "MapEntry*"},
    {"MapEntry", "source target", ""},
    {"SignalDictionaries", "", "SignalDictionary*"},
    {"SignalDictionary", "version " ERGON_BASE ERGON_TOP, "DictionaryEntry* Enumerations Units " ERGON_EXTRAS},
    {"SignalDictionaries/SignalDictionary", "type source name " ERGON_BASE,
     "SignalDictionary DictionaryEntry* Enumerations Units " ERGON_EXTRAS},
    {"DictionaryEntry", "name " ERGON_BASE, ERGON_TYPES "Clock Dimension* Annotations"},
    {"ParameterBindings", "", "ParameterBinding*"},
    {"ParameterBinding", "type source sourceBase=SSD|component prefix " ERGON_BASE,
     "ParameterValues ParameterMapping " ERGON_EXTRAS},
    {"ParameterValues", "", "ParameterSet"},
    {"ParameterSet", "version name " ERGON_BASE ERGON_TOP, "Parameters Enumerations Units " ERGON_EXTRAS},
    {"Parameters", "", "Parameter*"},
    {"Parameter", "name " ERGON_BASE, ERGON_TYPES "Dimension* Annotations"},
    {"ParameterMapping", "version " ERGON_BASE ERGON_TOP, "MappingEntry* " ERGON_EXTRAS},
    {"ParameterBinding/ParameterMapping", "type source sourceBase=SSD|component version " ERGON_BASE,
     "ParameterMapping MappingEntry* " ERGON_EXTRAS},
    {"MappingEntry", "source target suppressUnitConversion " ERGON_BASE, ERGON_TRANSFORMATIONS "Annotations"},
    {"Real", "unit value", ""},
    {"Float64", "unit value", ""},
    {"Float32", "unit value", ""},
    {"Integer", "value", ""},
    {"Int8", "value", ""},
    {"UInt8", "value", ""},
    {"Int16", "value", ""},
    {"UInt16", "value", ""},
    {"Int32", "value", ""},
    {"UInt32", "value", ""},
    {"Int64", "value", ""},
    {"UInt64", "value", ""},
    {"Boolean", "value", ""},
    {"String", "value", "Value*"},
    {"Enumeration", "name value", "Value*"},
    {"Binary", "mime-type value", "Value*"},
    {"Value", "value", ""},
    {"Connector/Clock",
     "name intervalVariability intervalDecimal shiftDecimal supportsFraction resolution intervalCounter shiftCounter "
     "priority", ""},
    {"DictionaryEntry/Clock",
     "intervalVariability intervalDecimal shiftDecimal supportsFraction resolution intervalCounter shiftCounter priority",
     ""},
    {"Enumerations", "", "Enumeration*"},
    {"Enumerations/Enumeration", "name " ERGON_BASE, "Item* Annotations"},
    {"Item", "name value", ""},
    {"Units", "", "Unit*"},
    {"Unit", "name " ERGON_BASE, "BaseUnit Annotations"},
    {"BaseUnit", "kg m s A K mol cd rad factor offset", ""},
    {"DefaultExperiment", "startTime stopTime", "Annotations"},
    {"Annotations", "", "Annotation*"},
    {"Annotation", "type", "..."},
    {"MetaData", "kind type source sourceBase " ERGON_BASE, "..."},
    {"Signature", "role type source sourceBase " ERGON_BASE, "..."},
};

constexpr Rule osp_rules[] = {
    {"OspSystemStructure", "version",
     "StartTime EndTime BaseStepSize Algorithm Simulators Functions Connections EccoConfiguration"},
    {"StartTime", "", "#"},
    {"EndTime", "", "#"},
    {"BaseStepSize", "", "#"},
    {"Algorithm", "", "#"},
    {"Simulators", "", "Simulator*"},
    {"Simulator", "name source stepSize", "InitialValues"},
    {"InitialValues", "", "InitialValue*"},
    {"InitialValue", "variable", "Real Integer Boolean String Enumeration"},
    {"Real", "value", ""},
    {"Integer", "value", ""},
    {"Boolean", "value", ""},
    {"String", "value", ""},
    {"Enumeration", "value", ""},
    {"Functions", "", "LinearTransformation* Sum* VectorSum*"},
    {"LinearTransformation", "name factor offset", ""},
    {"Sum", "name inputCount", ""},
    {"VectorSum", "name inputCount dimension", ""},
    {"Connections", "", "VariableConnection* SignalConnection* VariableGroupConnection* SignalGroupConnection*"},
    {"VariableConnection", "powerBond", "Variable*"},
    {"SignalConnection", "", "Variable* Signal*"},
    {"VariableGroupConnection", "powerBond", "VariableGroup*"},
    {"SignalGroupConnection", "", "SignalGroup* VariableGroup*"},
    {"Variable", "simulator name causality", ""},
    {"VariableGroup", "simulator name causality", ""},
    {"Signal", "function name", ""},
    {"SignalGroup", "function name", ""},
    {"EccoConfiguration", "",
     "SafetyFactor StepSize MinimumStepSize MaximumStepSize MinimumChangeRate MaximumChangeRate ProportionalGain "
     "IntegralGain RelativeTolerance AbsoluteTolerance"},
    {"SafetyFactor", "", "#"},
    {"StepSize", "", "#"},
    {"MinimumStepSize", "", "#"},
    {"MaximumStepSize", "", "#"},
    {"MinimumChangeRate", "", "#"},
    {"MaximumChangeRate", "", "#"},
    {"ProportionalGain", "", "#"},
    {"IntegralGain", "", "#"},
    {"RelativeTolerance", "", "#"},
    {"AbsoluteTolerance", "", "#"},
};

constexpr Rule group_rules[] = {
    {"OspModelDescription", "version", "UnitDefinitions VariableGroups"},
    {"UnitDefinitions", "", "..."},
    {"VariableGroups", "", ERGON_GROUPS},
    {"Variable", "ref unit axis", "#"},
    // All groups have a name, variables, and other groups in them.
    {"*", "name", ERGON_GROUPS "Variable*"},
};

/// What is read of the annotations of OSP and Vico; they may hold more.
constexpr Rule annotation_rules[] = {
    {"Annotation", "type", "Algorithm StepSizeHint"},
    {"Algorithm", "", "FixedStepAlgorithm"},
    {"FixedStepAlgorithm", "baseStepSize numWorkerThreads", ""},
    {"StepSizeHint", "value", ""},
};

constexpr Rule log_rules[] = {
    {"configuration", "timestampedFilenames floatingPointPrecision", ""},
    {"simulators", "timeStampedFileNames", "simulator*"},
    {"simulator", "name decimationFactor", "variable*"},
    {"variable", "name", ""},
};
// clang-format on

#undef ERGON_BASE
#undef ERGON_TOP
#undef ERGON_EXTRAS
#undef ERGON_TYPES
#undef ERGON_TRANSFORMATIONS
#undef ERGON_ELEMENT
#undef ERGON_GROUPS

std::vector<std::string> split(const char* text, char separator) {
  std::vector<std::string> words;
  while (*text != '\0') {
    const char* end = std::strchr(text, separator);
    const std::size_t length = end == nullptr ? std::strlen(text) : static_cast<std::size_t>(end - text);
    if (length > 0) words.emplace_back(text, length);
    text += end == nullptr ? length : length + 1;
  }
  return words;
}

struct ElementGrammar {
  std::vector<std::string> attributes;
  std::map<std::string, std::vector<std::string>, std::less<>> values;  ///< of attributes that have few
  std::vector<std::string> children;
  std::set<std::string, std::less<>> once;  ///< those of the children that occur at most once
  bool holds_anything = false;
  bool holds_text = false;

  explicit ElementGrammar(const Rule& rule) {
    for (const std::string& word : split(rule.attributes, ' ')) {
      const std::size_t equals = word.find('=');
      attributes.push_back(word.substr(0, equals));
      if (equals != std::string::npos)
        values[attributes.back()] = split(word.substr(equals + 1).c_str(), '|');
    }
    for (std::string word : split(rule.children, ' ')) {
      holds_anything = holds_anything || word == "...";
      holds_text = holds_text || word == "#";
      if (word == "..." || word == "#") continue;
      if (word.back() == '*') {
        word.pop_back();
      } else {
        once.insert(word);
      }
      children.push_back(word);
    }
  }
};

class Grammar {
 public:
  template <std::size_t n>
  Grammar(std::string format, const Rule (&rules)[n]) : format_(std::move(format)) {
    for (const Rule& rule : rules) elements_.emplace(rule.element, ElementGrammar(rule));
  }

  [[nodiscard]] const std::string& format() const { return format_; }
  [[nodiscard]] const ElementGrammar* find(std::string_view parent, std::string_view name) const {
    auto found = elements_.find(fmt::format("{}/{}", parent, name));
    if (found == elements_.end()) found = elements_.find(name);
    if (found == elements_.end()) found = elements_.find("*");
    return found == elements_.end() ? nullptr : &found->second;
  }
  /// "<Connections>": the element whose child is called so; empty where there is none.
  [[nodiscard]] std::string place_of(std::string_view name) const {
    for (const auto& [element, grammar] : elements_) {
      if (std::find(grammar.children.begin(), grammar.children.end(), name) == grammar.children.end())
        continue;
      return fmt::format("<{}>", element.substr(element.find('/') + 1));
    }
    return {};
  }

 private:
  std::string format_;
  std::map<std::string, ElementGrammar, std::less<>> elements_;
};

const Grammar* grammar_of(std::string_view root) {
  static const Grammar ssp("SSP 1.0 and 2.0", ssp_rules);
  static const Grammar osp("OspSystemStructure 0.1", osp_rules);
  static const Grammar groups("OspModelDescription 1.0", group_rules);
  static const Grammar log("LogConfig", log_rules);
  if (root == "SystemStructureDescription" || root == "ParameterSet" || root == "ParameterMapping" ||
      root == "SignalDictionary")
    return &ssp;
  if (root == "OspSystemStructure") return &osp;
  if (root == "OspModelDescription") return &groups;
  if (root == "simulators" || root == "configuration") return &log;
  return nullptr;
}

const Grammar* grammar_of_annotation(const std::string& type) {
  static const Grammar annotations("annotations", annotation_rules);
  return type == "com.opensimulationplatform" || type == "com.github.ntnu-ihb.vico" ? &annotations : nullptr;
}

/// Attributes of XML itself, and of tools that mark theirs with a prefix.
bool is_foreign(std::string_view attribute) {
  return attribute == "xmlns" || attribute.find(':') != std::string_view::npos;
}

class GrammarCheck {
 public:
  enum class Unknown { refused, noted, refused_if_near };
  GrammarCheck(const XmlView& view, const Grammar& grammar, Unknown unknown)
      : view_(view), grammar_(grammar), unknown_(unknown) {}

  void check(const pugi::xml_node& node, std::string_view parent) {
    const std::string_view name = XmlView::local_name(node);
    const ElementGrammar* element = grammar_.find(parent, name);
    if (element == nullptr) return;
    check_attributes(node, *element);
    if (element->holds_anything) {
      const Grammar* inside = grammar_of_annotation(XmlView::text(node, "type"));
      if (name == "Annotation" && inside != nullptr)
        GrammarCheck(view_, *inside, Unknown::refused_if_near).check(node, {});
      return;
    }
    std::set<std::string_view> seen;
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
        check_text(node, child, *element);
        continue;
      }
      if (child.type() != pugi::node_element) continue;
      const std::string_view of_child = XmlView::local_name(child);
      if (std::find(element->children.begin(), element->children.end(), of_child) ==
          element->children.end()) {
        report_child(node, child, *element);
        continue;
      }
      if (element->once.contains(of_child) && !seen.insert(of_child).second) {
        report(view_.where(child), fmt::format("<{}> has a second <{}>.", node.name(), child.name()),
               "Join them: only one is read.");
        continue;
      }
      check(child, name);
    }
  }

 private:
  void check_attributes(const pugi::xml_node& node, const ElementGrammar& element) {
    std::set<std::string_view> seen;
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      if (!seen.insert(name).second) {
        report(view_.where(node), fmt::format("<{}> has '{}' twice.", node.name(), name),
               "Keep one of them.");
        continue;
      }
      if (is_foreign(name)) continue;
      if (std::find(element.attributes.begin(), element.attributes.end(), name) == element.attributes.end()) {
        if (!is_of_interest(name, element.attributes)) continue;
        report(view_.where(node),
               fmt::format("<{}> has no attribute '{}' in {}.", node.name(), name, grammar_.format()),
               element.attributes.empty() ? "It has none." : did_you_mean(name, element.attributes));
        continue;
      }
      const auto values = element.values.find(name);
      if (values == element.values.end()) continue;
      const std::string value = attribute.value();
      if (std::find(values->second.begin(), values->second.end(), value) == values->second.end())
        report(view_.where(node),
               fmt::format("'{}' of <{}> is \"{}\".", name, node.name(), value.substr(0, 60)),
               did_you_mean(value, values->second));
    }
  }

  void check_text(const pugi::xml_node& node, const pugi::xml_node& text, const ElementGrammar& element) {
    if (element.holds_text || unknown_ == Unknown::refused_if_near) return;
    const std::string_view all = text.value();
    const std::size_t begin = all.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return;
    SourceLocation where = view_.where(text);
    where.line +=
        static_cast<int>(std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    // A line break would tear the message apart.
    const std::string_view line =
        all.substr(begin, std::min<std::size_t>(all.find_first_of("\r\n", begin) - begin, 40));
    report(where, fmt::format("<{}> holds the text '{}'.", node.name(), line),
           "Put it into an element or an attribute; text by itself is not read.");
  }

  void report_child(const pugi::xml_node& node, const pugi::xml_node& child, const ElementGrammar& element) {
    const std::string name(XmlView::local_name(child));
    if (!is_of_interest(name, element.children)) return;
    const std::string place = grammar_.place_of(name);
    if (!place.empty()) {
      report(view_.where(child), fmt::format("<{}> does not belong into <{}>.", child.name(), node.name()),
             fmt::format("Put it into {}.", place));
      return;
    }
    report(view_.where(child),
           fmt::format("<{}> is not an element of <{}> in {}.", child.name(), node.name(), grammar_.format()),
           element.children.empty() ? "Remove it: there is nothing inside of this element."
                                    : did_you_mean(name, element.children));
  }

  /// Annotations may hold anything; what is nearly called like something that is read is a typing slip.
  [[nodiscard]] bool is_of_interest(std::string_view name, const std::vector<std::string>& known) const {
    return unknown_ != Unknown::refused_if_near || !nearest_name(name, known).empty();
  }

  /// What is wrong in the same words more than once is reported where it is first.
  void report(const SourceLocation& where, const std::string& what, const std::string& remedy) {
    if (!reported_.insert(what).second) return;
    unknown_ == Unknown::noted ? view_.problems().warning(where, what, remedy)
                               : view_.problems().error(where, what, remedy);
  }

  const XmlView& view_;
  const Grammar& grammar_;
  Unknown unknown_;
  std::set<std::string> reported_;
};

}  // namespace

bool check_system_grammar(const XmlView& view, const pugi::xml_node& root) {
  const Grammar* grammar = grammar_of(XmlView::local_name(root));
  if (grammar == nullptr) return false;
  // A later version may have more.
  const std::string version = XmlView::text(root, "version");
  const bool is_later = grammar_of("ParameterSet") == grammar && !version.empty() &&
                        !version.starts_with("1") && !version.starts_with("2");
  GrammarCheck(view, *grammar, is_later ? GrammarCheck::Unknown::noted : GrammarCheck::Unknown::refused)
      .check(root, {});
  return true;
}

bool check_system_grammar(const XmlView& view, const pugi::xml_node& root, std::string_view element) {
  if (XmlView::local_name(root) == element) return check_system_grammar(view, root);
  view.error(root, fmt::format("<{}> is not a {}.", root.name(), element),
             fmt::format("Name a file that begins with <{}>.", element));
  return false;
}

}  // namespace ergon
