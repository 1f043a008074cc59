#include "ergon/report/table.hpp"

#include <algorithm>

namespace ergon::report {

CsvColumn Table::part(std::size_t number, std::size_t first, std::size_t count) const {
  CsvColumn here = column(number);
  const auto begin = here.values.begin() + static_cast<std::ptrdiff_t>(first);
  here.values = std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  return here;
}

std::pair<std::size_t, std::size_t> Table::rows_in(const TimeWindow& window) const {
  const std::vector<double> times_s = column(0).values;
  return rows_in(window, times_s.size(), [&](std::size_t row) { return times_s[row]; });
}

std::optional<std::size_t> Table::find(const std::string& name) const {
  const auto found = std::find(names().begin(), names().end(), name);
  if (found == names().end()) return std::nullopt;
  return static_cast<std::size_t>(found - names().begin());
}

}  // namespace ergon::report
