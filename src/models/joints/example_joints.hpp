#pragma once

#include <string>
#include <vector>

#include "ergon/models/multibody/markers.hpp"
#include "ergon/models/registry.hpp"

namespace ergon {

/// A body of an example with joints at two of its markers, in each part that a body may have in a joint.
std::vector<Example> examples_with_joints(const Example& body, Space space, const std::string& marker,
                                          const std::string& other_marker);

}  // namespace ergon
