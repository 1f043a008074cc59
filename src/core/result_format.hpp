#pragma once

namespace ergon {

/// The form of the files of a result folder, as `format` in summary.json and system.json says it. A key or column that is added leaves
/// it as it is; one that changes its meaning or goes away is the next. Readers take this one and the one before
/// (docs/compatibility.md); folders without a number, from before there was one, are 0.
inline constexpr int result_format = 1;

}  // namespace ergon
