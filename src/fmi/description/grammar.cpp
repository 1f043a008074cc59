#include "ergon/fmi/description/grammar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "ergon/fmi/description/attributes.hpp"

namespace ergon::fmi {
namespace {

/// One element. `attributes` are words "name", "name!" (required), with ":b" boolean, ":d" double, ":i" integer, ":u" unsigned,
/// ":n" list of numbers, ":l" list of booleans, ":t" date and time, ":c" naming convention. `children` are in order: "A" once, "A?" at most once, "A+" once or more, "A*" any
/// number, "A|B" one of these; "..." anything. Where an element differs by its parent the rule is named "Parent/Element".
struct Rule {
  const char* element;
  const char* attributes;
  const char* children;
};

constexpr const char* root_attributes =
    "fmiVersion! modelName! description author version copyright license generationTool "
    "generationDateAndTime:t "
    "variableNamingConvention:c ";

// clang-format off
constexpr Rule fmi2_rules[] = {
    {"fmiModelDescription", "guid! numberOfEventIndicators:u",
     "ModelExchange? CoSimulation? UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment? VendorAnnotations? "
     "ModelVariables ModelStructure"},
    {"ModelExchange",
     "modelIdentifier! needsExecutionTool:b completedIntegratorStepNotNeeded:b canBeInstantiatedOnlyOncePerProcess:b "
     "canNotUseMemoryManagementFunctions:b canGetAndSetFMUstate:b canSerializeFMUstate:b providesDirectionalDerivative:b",
     "SourceFiles?"},
    {"CoSimulation",
     "modelIdentifier! needsExecutionTool:b canHandleVariableCommunicationStepSize:b canInterpolateInputs:b "
     "maxOutputDerivativeOrder:u canRunAsynchronuously:b canBeInstantiatedOnlyOncePerProcess:b "
     "canNotUseMemoryManagementFunctions:b canGetAndSetFMUstate:b canSerializeFMUstate:b providesDirectionalDerivative:b",
     "SourceFiles?"},
    {"SourceFiles", "", "File+"},
    {"File", "name!", ""},
    {"UnitDefinitions", "", "Unit+"},
    {"Unit", "name!", "BaseUnit? DisplayUnit*"},
    {"BaseUnit", "kg:i m:i s:i A:i K:i mol:i cd:i rad:i factor:d offset:d", ""},
    {"DisplayUnit", "name! factor:d offset:d", ""},
    {"TypeDefinitions", "", "SimpleType+"},
    {"SimpleType", "name! description", "Real|Integer|Boolean|String|Enumeration"},
    {"SimpleType/Real", "quantity unit displayUnit relativeQuantity:b min:d max:d nominal:d unbounded:b", ""},
    {"SimpleType/Integer", "quantity min:i max:i", ""},
    {"SimpleType/Boolean", "", ""},
    {"SimpleType/String", "", ""},
    {"SimpleType/Enumeration", "quantity", "Item+"},
    {"Item", "name! value!:i description", ""},
    {"LogCategories", "", "Category+"},
    {"Category", "name! description", ""},
    {"DefaultExperiment", "startTime:d stopTime:d tolerance:d stepSize:d", ""},
    {"VendorAnnotations", "", "..."},
    {"ModelVariables", "", "ScalarVariable+"},
    {"ScalarVariable",
     "name! valueReference!:u description causality variability initial canHandleMultipleSetPerTimeInstant:b",
     "Real|Integer|Boolean|String|Enumeration Annotations?"},
    {"Real",
     "declaredType quantity unit displayUnit relativeQuantity:b min:d max:d nominal:d unbounded:b start:d derivative:u reinit:b",
     ""},
    {"Integer", "declaredType quantity min:i max:i start:i", ""},
    {"Boolean", "declaredType start:b", ""},
    {"String", "declaredType start", ""},
    {"Enumeration", "declaredType! quantity min:i max:i start:i", ""},
    {"Annotations", "", "..."},
    {"ModelStructure", "", "Outputs? Derivatives? InitialUnknowns?"},
    {"Outputs", "", "Unknown+"},
    {"Derivatives", "", "Unknown+"},
    {"InitialUnknowns", "", "Unknown+"},
    {"Unknown", "index!:u dependencies:n dependenciesKind", ""},
};

#define ERGON_INTERFACE                                                                                       \
  "modelIdentifier! needsExecutionTool:b canBeInstantiatedOnlyOncePerProcess:b canGetAndSetFMUState:b "       \
  "canSerializeFMUState:b providesDirectionalDerivatives:b providesAdjointDerivatives:b "                     \
  "providesPerElementDependencies:b "
#define ERGON_VARIABLE                                                                                        \
  "name! valueReference!:u description causality variability canHandleMultipleSetPerTimeInstant:b clocks:n "
#define ERGON_ARRAYABLE ERGON_VARIABLE "intermediateUpdate:b previous:u initial declaredType "
#define ERGON_REAL "quantity unit displayUnit relativeQuantity:b unbounded:b min:d max:d nominal:d "
#define ERGON_CLOCK                                                                                           \
  "canBeDeactivated:b priority:u intervalVariability! intervalDecimal:d shiftDecimal:d supportsFraction:b "   \
  "resolution:u intervalCounter:u shiftCounter:u "

constexpr Rule fmi3_rules[] = {
    {"fmiModelDescription", "instantiationToken!",
     "ModelExchange? CoSimulation? ScheduledExecution? UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment? "
     "ModelVariables ModelStructure Annotations?"},
    {"ModelExchange", ERGON_INTERFACE "needsCompletedIntegratorStep:b providesEvaluateDiscreteStates:b", "Annotations?"},
    {"CoSimulation",
     ERGON_INTERFACE "canHandleVariableCommunicationStepSize:b fixedInternalStepSize:d maxOutputDerivativeOrder:u "
     "recommendedIntermediateInputSmoothness:i providesIntermediateUpdate:b mightReturnEarlyFromDoStep:b "
     "canReturnEarlyAfterIntermediateUpdate:b hasEventMode:b providesEvaluateDiscreteStates:b",
     "Annotations?"},
    {"ScheduledExecution", ERGON_INTERFACE, "Annotations?"},
    {"UnitDefinitions", "", "Unit+"},
    {"Unit", "name!", "BaseUnit? DisplayUnit* Annotations?"},
    {"BaseUnit", "kg:i m:i s:i A:i K:i mol:i cd:i rad:i factor:d offset:d", ""},
    {"DisplayUnit", "name! factor:d offset:d inverse:b", "Annotations?"},
    {"TypeDefinitions", "",
     "Float32Type|Float64Type|Int8Type|UInt8Type|Int16Type|UInt16Type|Int32Type|UInt32Type|Int64Type|UInt64Type|BooleanType|"
     "StringType|BinaryType|EnumerationType|ClockType+"},
    {"Float32Type", "name! description " ERGON_REAL, "Annotations?"},
    {"Float64Type", "name! description " ERGON_REAL, "Annotations?"},
    {"Int8Type", "name! description quantity min:i max:i", "Annotations?"},
    {"UInt8Type", "name! description quantity min:i max:i", "Annotations?"},
    {"Int16Type", "name! description quantity min:i max:i", "Annotations?"},
    {"UInt16Type", "name! description quantity min:i max:i", "Annotations?"},
    {"Int32Type", "name! description quantity min:i max:i", "Annotations?"},
    {"UInt32Type", "name! description quantity min:i max:i", "Annotations?"},
    {"Int64Type", "name! description quantity min:i max:i", "Annotations?"},
    {"UInt64Type", "name! description quantity min:u max:u", "Annotations?"},
    {"BooleanType", "name! description", "Annotations?"},
    {"StringType", "name! description", "Annotations?"},
    {"BinaryType", "name! description mimeType maxSize:u", "Annotations?"},
    {"EnumerationType", "name! description quantity min:i max:i", "Annotations? Item+"},
    {"Item", "name! value!:i description", "Annotations?"},
    {"ClockType", "name! description " ERGON_CLOCK, "Annotations?"},
    {"LogCategories", "", "Category+"},
    {"Category", "name! description", "Annotations?"},
    {"DefaultExperiment", "startTime:d stopTime:d tolerance:d stepSize:d", "Annotations?"},
    {"ModelVariables", "",
     "Float32|Float64|Int8|UInt8|Int16|UInt16|Int32|UInt32|Int64|UInt64|Boolean|String|Binary|Enumeration|Clock*"},
    {"Float32", ERGON_ARRAYABLE ERGON_REAL "start:n derivative:u reinit:b", "Annotations? Dimension* Alias*"},
    {"Float64", ERGON_ARRAYABLE ERGON_REAL "start:n derivative:u reinit:b", "Annotations? Dimension* Alias*"},
    {"Int8", ERGON_ARRAYABLE "quantity min:i max:i start:n", "Annotations? Dimension* Alias*"},
    {"UInt8", ERGON_ARRAYABLE "quantity min:i max:i start:n", "Annotations? Dimension* Alias*"},
    {"Int16", ERGON_ARRAYABLE "quantity min:i max:i start:n", "Annotations? Dimension* Alias*"},
    {"UInt16", ERGON_ARRAYABLE "quantity min:i max:i start:n", "Annotations? Dimension* Alias*"},
    {"Int32", ERGON_ARRAYABLE "quantity min:i max:i start:n", "Annotations? Dimension* Alias*"},
    {"UInt32", ERGON_ARRAYABLE "quantity min:i max:i start:n", "Annotations? Dimension* Alias*"},
    {"Int64", ERGON_ARRAYABLE "quantity min:i max:i start:n", "Annotations? Dimension* Alias*"},
    {"UInt64", ERGON_ARRAYABLE "quantity min:u max:u start:n", "Annotations? Dimension* Alias*"},
    {"Boolean", ERGON_ARRAYABLE "start:l", "Annotations? Dimension* Alias*"},
    {"String", ERGON_ARRAYABLE, "Annotations? Dimension* Start* Alias*"},
    {"Binary", ERGON_ARRAYABLE "mimeType maxSize:u", "Annotations? Dimension* Start* Alias*"},
    {"Enumeration", ERGON_ARRAYABLE "declaredType! quantity min:i max:i start:n", "Annotations? Dimension* Alias*"},
    {"Clock", ERGON_VARIABLE "declaredType " ERGON_CLOCK, "Annotations? Alias*"},
    {"Dimension", "start:u valueReference:u", ""},
    {"Start", "value", ""},
    {"Alias", "name! description", ""},
    {"Float32/Alias", "name! description displayUnit", ""},
    {"Float64/Alias", "name! description displayUnit", ""},
    {"ModelStructure", "",
     "Output* ContinuousStateDerivative* ClockedState* InitialUnknown* EventIndicator*"},
    {"Output", "valueReference!:u dependencies:n dependenciesKind", "Annotations?"},
    {"ContinuousStateDerivative", "valueReference!:u dependencies:n dependenciesKind", "Annotations?"},
    {"ClockedState", "valueReference!:u dependencies:n dependenciesKind", "Annotations?"},
    {"InitialUnknown", "valueReference!:u dependencies:n dependenciesKind", "Annotations?"},
    {"EventIndicator", "valueReference!:u dependencies:n dependenciesKind", "Annotations?"},
    {"Annotations", "", "..."},
};
// clang-format on
#undef ERGON_INTERFACE
#undef ERGON_VARIABLE
#undef ERGON_ARRAYABLE
#undef ERGON_REAL
#undef ERGON_CLOCK

struct Attribute {
  bool required = false;
  char type = 's';
};
struct Child {
  std::vector<std::string> names;
  char times = '1';
};
struct Element {
  std::map<std::string, Attribute> attributes;
  std::vector<Child> children;
  bool open = false;  ///< anything may stand in it
};
using Grammar = std::map<std::string, Element>;

Grammar read_grammar(std::span<const Rule> rules) {
  Grammar grammar;
  for (const Rule& rule : rules) {
    Element& element = grammar[rule.element];
    const std::string all = (std::string_view(rule.element) == "fmiModelDescription" ? root_attributes : "") +
                            std::string(rule.attributes);
    for (std::string word : words_of(all)) {
      Attribute attribute;
      if (const auto colon = word.find(':'); colon != std::string::npos) {
        attribute.type = word[colon + 1];
        word.resize(colon);
      }
      if (word.back() == '!') {
        attribute.required = true;
        word.pop_back();
      }
      element.attributes[word] = attribute;
    }
    for (std::string word : words_of(rule.children)) {
      if (word == "...") {
        element.open = true;
        continue;
      }
      Child child;
      if (std::string_view("?+*").find(word.back()) != std::string_view::npos) {
        child.times = word.back();
        word.pop_back();
      }
      for (std::size_t begin = 0; begin <= word.size();) {
        const std::size_t end = std::min(word.find('|', begin), word.size());
        child.names.push_back(word.substr(begin, end - begin));
        begin = end + 1;
      }
      element.children.push_back(std::move(child));
    }
  }
  return grammar;
}

bool is_number_of(char type, std::string_view text) {
  if (type == 'd') return parse_double(text).has_value() && text != "true" && text != "false";
  const auto words = words_of(text);
  if (type == 'n')
    return std::all_of(words.begin(), words.end(), [](const std::string& w) { return is_number_of('d', w); });
  if (words.size() != 1) return false;
  const std::string& word = words.front();
  const char* begin = word.data() + (word.front() == '+' ? 1 : 0);
  const char* end = word.data() + word.size();
  std::int64_t value = 0;
  std::uint64_t unsigned_value = 0;
  const auto result =
      type == 'u' ? std::from_chars(begin, end, unsigned_value) : std::from_chars(begin, end, value);
  return result.ec == std::errc() && result.ptr == end;
}

/// 3.0, 3.0.2, 3.1-beta.1
bool is_version_3(std::string_view text) {
  const std::string_view numbers = text.substr(0, text.find('-'));
  if (numbers.size() < text.size() && numbers.size() + 1 == text.size()) return false;
  int parts = 0;
  for (std::size_t begin = 0; begin <= numbers.size(); ++parts) {
    const std::size_t end = std::min(numbers.find('.', begin), numbers.size());
    const std::string_view part = numbers.substr(begin, end - begin);
    const bool digits = std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (part.empty() || !digits || (part.size() > 1 && part.front() == '0')) return false;
    if (parts == 0 && part != "3") return false;
    begin = end + 1;
  }
  return parts == 2 || parts == 3;
}

/// YYYY-MM-DDThh:mm:ss, with fraction and zone as they come.
bool is_date(std::string_view text) {
  const std::string_view shape = "0000-00-00T00:00:00";
  if (text.size() < shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '0' ? (text[i] < '0' || text[i] > '9') : text[i] != shape[i]) return false;
  }
  return true;
}

class GrammarChecker {
 public:
  GrammarChecker(const XmlFile& file, const Grammar& grammar, ProblemList& problems)
      : file_(file), grammar_(grammar), problems_(problems) {}

  void check(const pugi::xml_node& node) {
    const Element* element = rule_of(node);
    if (element == nullptr) return;
    check_attributes(node, *element);
    if (element->open) return;
    std::size_t place = 0;
    std::vector<std::size_t> seen(element->children.size(), 0);
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      std::size_t found = place;
      while (found < element->children.size() && !is_in(element->children[found], child.name())) ++found;
      if (found == element->children.size()) {
        const bool known = std::any_of(element->children.begin(), element->children.end(),
                                       [&](const Child& c) { return is_in(c, child.name()); });
        error(child, fmt::format("<{}> {} in <{}>.", child.name(), known ? "comes too late" : "has no place",
                                 node.name()));
      } else {
        place = found;
        const char times = element->children[found].times;
        if (++seen[found] > 1 && (times == '1' || times == '?'))
          error(child, fmt::format("<{}> is there more than once in <{}>.", child.name(), node.name()));
      }
      check(child);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const Child& child = element->children[i];
      if (seen[i] == 0 && (child.times == '1' || child.times == '+'))
        error(node, fmt::format("<{}> has no <{}>.", node.name(), fmt::join(child.names, ">, <")));
    }
  }

 private:
  static bool is_in(const Child& child, const char* name) {
    return std::find(child.names.begin(), child.names.end(), name) != child.names.end();
  }
  [[nodiscard]] const Element* rule_of(const pugi::xml_node& node) const {
    auto found = grammar_.find(fmt::format("{}/{}", node.parent().name(), node.name()));
    if (found == grammar_.end()) found = grammar_.find(node.name());
    return found == grammar_.end() ? nullptr : &found->second;
  }
  void error(const pugi::xml_node& node, std::string what) {
    problems_.error(file_.where(node), std::move(what), "Tell the tool that exported it.");
  }

  void check_attributes(const pugi::xml_node& node, const Element& element) {
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      if (name.rfind("xmlns", 0) == 0 || name.find(':') != std::string_view::npos) continue;
      const auto rule = element.attributes.find(std::string(name));
      if (rule == element.attributes.end()) {
        error(node, fmt::format("<{}> has an attribute '{}', which is not known there.", node.name(), name));
      } else if (!fits(rule->second.type, attribute.value())) {
        error(node, fmt::format("{} = \"{}\" in <{}> is of the wrong type.", name,
                                std::string_view(attribute.value()).substr(0, 60), node.name()));
      }
    }
    for (const auto& [name, rule] : element.attributes) {
      if (rule.required && !node.attribute(name.c_str()))
        error(node, fmt::format("<{}> has no attribute '{}'.", node.name(), name));
    }
  }
  static bool fits(char type, std::string_view text) {
    if (type == 's') return true;
    if (type == 'b') return text == "true" || text == "false" || text == "1" || text == "0";
    if (type == 't') return is_date(text);
    if (type == 'c') return text == "flat" || text == "structured";
    if (type == 'l') {
      const auto words = words_of(text);
      return std::all_of(words.begin(), words.end(), [](const std::string& w) { return fits('b', w); });
    }
    return is_number_of(type, text);
  }

  const XmlFile& file_;
  const Grammar& grammar_;
  ProblemList& problems_;
};

}  // namespace

void check_grammar(const XmlFile& file, ProblemList& problems) {
  static const Grammar fmi2 = read_grammar(fmi2_rules);
  static const Grammar fmi3 = read_grammar(fmi3_rules);
  const std::string_view version = file.root().attribute("fmiVersion").value();
  if (version == "1.0") {
    problems.warning(file.where(file.root()),
                     "An FMI 1.0 description is read, but not checked against its schema.");
    return;
  }
  if (version != "2.0" && !is_version_3(version)) {
    problems.error(file.where(file.root()),
                   fmt::format("fmiVersion = \"{}\" is not 1.0, 2.0 or 3.x.", version),
                   "Tell the tool that exported it.");
    return;
  }
  GrammarChecker(file, version == "2.0" ? fmi2 : fmi3, problems).check(file.root());
}

}  // namespace ergon::fmi
