#pragma once

#include <string_view>

namespace ergon {

/// What separates the cells of a CSV file whose first line is `header`: semicolons where it has any outside of quotes, else tabs
/// where it has any, else commas.
[[nodiscard]] char csv_separator(std::string_view header);

}  // namespace ergon
