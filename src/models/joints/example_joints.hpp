#pragma once

#include <string>
#include <vector>

#include "models/multibody/markers.hpp"
#include "models/registry.hpp"

namespace ergon {

/// A body of an example with joints at two of its markers, once as owner of their energy and once not.
std::vector<Example> examples_with_joints(const Example& body, Space space, const std::string& marker,
                                          const std::string& other_marker);

}  // namespace ergon
