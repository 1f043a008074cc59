#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/subsystem.hpp"

// Names of things and of their ports.

namespace ergon {

using Names = std::vector<std::string>;

template <typename Info>
Names names_of(const std::vector<Info>& infos) {
  Names names;
  for (const Info& info : infos) names.push_back(info.name);
  return names;
}

inline std::string_view without_slice(std::string_view port) {
  return port.substr(0, port.rfind('['));
}

/// "rod.top" is the marker `top` of `rod`; what has no dot has no marker.
struct MarkerName {
  std::string body;
  std::string marker;
};
inline MarkerName split_marker(const std::string& said) {
  const auto dot = said.find('.');
  if (dot == std::string::npos) return {said, ""};
  return {said.substr(0, dot), said.substr(dot + 1)};
}

/// The port that a reference stands for: by the whole name, since foreign names may have brackets, else without its slice.
inline const Port* find_referenced_port(const std::vector<Port>& ports, std::string_view reference) {
  const auto named = [&](std::string_view name) {
    const auto found =
        std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == name; });
    return found == ports.end() ? nullptr : &*found;
  };
  const Port* const whole = named(reference);
  return whole != nullptr ? whole : named(without_slice(reference));
}

inline const Port* find_port(const std::vector<Port>& ports, std::string_view name) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

/// The axes of a marker that tell its frame: x and y of three, x of two.
inline std::string frame_output(const std::string& marker, const Description& body) {
  const Port* axes = find_port(body.outputs, marker + "_axes");
  return fmt::format("{}_axes[0:{}]", marker, axes && axes->size == 4 ? 2 : 6);
}

/// The angular velocity of the body of a marker: a machine of several bodies has one for each of its markers.
inline std::string angular_velocity_output(const std::string& marker, const Description& body) {
  const std::string own = marker + "_angular_velocity";
  return find_port(body.outputs, own) != nullptr ? own : "angular_velocity";
}

}  // namespace ergon
