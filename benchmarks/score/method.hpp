#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/work-precision/settings.hpp"

namespace ergon::bench {

/// A way to couple as one writes it: words joined by "+", each one of
///   a scheme, an extrapolation, a method of correction, `stale`, `predict` or `refresh`: whatever the registries know by that name;
///   KEY=VALUE of [coupling]; correction.KEY=VALUE.
/// "energy-leak+linear", "implicit+degree=2+jacobian=broyden", "residual-power+correction.variant=by-parts"
/// What is not said: scheme jacobi, extrapolation linear; stale feed-through with a correction, refresh without. Throws InputError for other words.
[[nodiscard]] WorkSetting read_method(const std::string& text);

/// The same for a scenario file as it stands: only what the words say, corrections and feed-through for each of its bonds.
[[nodiscard]] std::vector<std::string> method_settings(const std::string& text,
                                                       const std::filesystem::path& scenario);

/// What `ergon bench --score` shows beside the methods asked for.
[[nodiscard]] const std::vector<std::string>& usual_methods();

}  // namespace ergon::bench
