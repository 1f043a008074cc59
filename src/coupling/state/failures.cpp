#include "ergon/coupling/state/failures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <exception>

namespace ergon {

Failure failure_of(const CouplingPlan& plan, const Member& member, double time_s, std::string what) {
  return {plan.node_of(member).name, "", time_s, std::move(what)};
}

std::optional<Failure> find_non_finite(const CouplingPlan& plan, const StagePlan& stage, const double* plane,
                                       double time_s) {
  // A sum is finite only if its terms are (if it overflows for another reason, the search below finds nothing); four
  // sums, because one would wait for itself.
  double sum[4] = {};
  const std::size_t n = stage.output_count;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) sum[j] += plane[i + j];
  }
  for (; i < n; ++i) sum[0] += plane[i];
  if (std::isfinite(sum[0] + sum[1] + sum[2] + sum[3])) return std::nullopt;
  for (const Member& m : stage.members) {
    for (std::uint32_t o = 0; o < m.output_count; ++o) {
      if (std::isfinite(plane[m.first_output + o])) continue;
      const Node& node = plan.node_of(m);
      const SignalName& signal = plan.system().outputs[node.first_output + o];
      return Failure{node.name, node.description.outputs[signal.port].name, time_s,
                     fmt::format("output '{}' is {}", signal.text, plane[m.first_output + o])};
    }
  }
  return std::nullopt;
}

std::string current_exception_text() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "there is not enough memory";  // its own text, a name of C++, helps nobody
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "it threw something that is no std::exception";
  }
}

}  // namespace ergon
