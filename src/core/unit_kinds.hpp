#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ergon/core/unit.hpp"

namespace ergon {

/// Numbers the kinds of quantities that it meets: units of one dimension are one kind, and so is what has no unit.
class UnitKinds {
 public:
  std::size_t of(const Unit& unit) {
    const auto same = std::find_if(kinds_.begin(), kinds_.end(), [&](const Unit& other) {
      return other.is_unspecified() == unit.is_unspecified() && other.same_dimension(unit);
    });
    const auto kind = static_cast<std::size_t>(same - kinds_.begin());
    if (same == kinds_.end()) kinds_.push_back(unit);
    return kind;
  }
  [[nodiscard]] std::size_t count() const { return kinds_.size(); }

 private:
  std::vector<Unit> kinds_;
};

}  // namespace ergon
