#pragma once

#include "ergon/core/problem.hpp"
#include "ergon/fmi/description/xml_file.hpp"

namespace ergon::fmi {

/// What an XML schema says of a modelDescription.xml: which elements stand where and how often, which attributes they have and
/// need, and of what type these are. Versions other than 2 and 3 are not known and reported.
void check_grammar(const XmlFile& file, ProblemList& problems);

}  // namespace ergon::fmi
