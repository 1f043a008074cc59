#pragma once

#include <string_view>

#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {

/// Reports elements and attributes below `root` that the schemas of its format do not know there: those of SSP 1.0 and 2.0, of
/// OspSystemStructure, OspModelDescription and LogConfig. A name that nobody reads would else change the run without a word. False
/// where `root` is none of the elements that these files begin with, which is not reported.
bool check_system_grammar(const XmlView& view, const pugi::xml_node& root);

/// The same, where a file must begin with `element`: anything else is reported.
bool check_system_grammar(const XmlView& view, const pugi::xml_node& root, std::string_view element);

}  // namespace ergon
