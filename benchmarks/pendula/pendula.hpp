#pragma once

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// [rodriguez2022, Sect. 4.3, Table 4, Figs. 32 to 34]: two pendula coupled by a spring, in two formulations of constrained
/// multibody dynamics.
std::vector<Row> pendula(const std::filesystem::path& folder, Pictures* pictures = nullptr);

}  // namespace ergon::bench
