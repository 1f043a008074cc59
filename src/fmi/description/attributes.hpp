#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/problem.hpp"
#include "ergon/fmi/description/model_description.hpp"
#include "ergon/fmi/description/xml_file.hpp"

namespace ergon::fmi {

/// Reads attributes and reports what is wrong with them, with the line. An attribute that is not there is no problem here.
class Attributes {
 public:
  Attributes(const XmlFile& file, ProblemList& problems) : file_(file), problems_(problems) {}

  [[nodiscard]] std::string text(const pugi::xml_node& node, const char* name) const {
    return node.attribute(name).value();
  }
  [[nodiscard]] std::string required(const pugi::xml_node& node, const char* name) const;
  [[nodiscard]] bool flag(const pugi::xml_node& node, const char* name) const;
  [[nodiscard]] std::optional<double> number(const pugi::xml_node& node, const char* name) const;
  [[nodiscard]] std::optional<std::uint64_t> count(const pugi::xml_node& node, const char* name) const;
  /// Numbers separated by white space.
  template <class Number>
  [[nodiscard]] std::vector<Number> list(const pugi::xml_node& node, const char* name) const;
  /// Index of the value among `choices`; nothing where the attribute is absent or says something else.
  [[nodiscard]] std::optional<int> choice(const pugi::xml_node& node, const char* name,
                                          std::initializer_list<const char*> choices) const;

  void error(const pugi::xml_node& node, std::string what, std::string remedy) const;
  void warning(const pugi::xml_node& node, std::string what, std::string remedy = {}) const;
  [[nodiscard]] int line(const pugi::xml_node& node) const { return file_.line_of(node); }

 private:
  const XmlFile& file_;
  ProblemList& problems_;
};

/// One number of a text as XML Schema writes it (INF and NaN included); nothing where it is none.
std::optional<double> parse_double(std::string_view text);
std::vector<std::string> words_of(std::string_view text);

/// What both versions have in common. Of variables and types: unit and limits.
template <class Limited>
void read_limits(const Attributes& a, const pugi::xml_node& node, Limited& of) {
  of.unit = a.text(node, "unit");
  of.relative_quantity = a.flag(node, "relativeQuantity");
  of.minimum = a.number(node, "min");
  of.maximum = a.number(node, "max");
  of.nominal = a.number(node, "nominal");
}
/// Limits and items of a type.
void read_type(const Attributes& attributes, const pugi::xml_node& node, TypeInfo& type);
/// Name, reference and description of a variable.
void read_name(const Attributes& attributes, const pugi::xml_node& node, Variable& variable);
/// Causality, variability, initial with their defaults.
void read_causality(const Attributes& attributes, const pugi::xml_node& node, FmiVersion version,
                    Variable& variable);
void read_units(const Attributes& attributes, const pugi::xml_node& definitions,
                std::vector<UnitInfo>& units);
void read_experiment(const Attributes& attributes, const pugi::xml_node& node, DefaultExperiment& experiment);

void read_fmi1(const Attributes& attributes, const pugi::xml_node& root, ModelDescription& model);
void read_fmi2(const Attributes& attributes, const pugi::xml_node& root, ModelDescription& model);
void read_fmi3(const Attributes& attributes, const pugi::xml_node& root, ModelDescription& model);

}  // namespace ergon::fmi
