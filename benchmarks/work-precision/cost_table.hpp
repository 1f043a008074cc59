#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/framework/benchmark.hpp"

namespace ergon::bench {

/// Evaluations that settings take to an accuracy, over those of the cheapest of what other masters offer.
class RelativeCosts {
 public:
  explicit RelativeCosts(const std::vector<Row>& rows);

  /// Over all problems on which the setting can be compared; infinite where another gets there and this one does not.
  /// `integrator`: empty for both kinds.
  [[nodiscard]] std::vector<double> ratios(const std::string& accuracy, const std::string& setting,
                                           const std::string& integrator) const;
  [[nodiscard]] std::string by_setting() const;
  [[nodiscard]] std::string by_problem() const;

 private:
  /// A problem with one kind of integrators.
  struct Place {
    std::string problem;
    std::string integrator;
    std::map<std::string, std::map<std::string, double>> costs;  ///< by accuracy, then by setting
    std::map<std::string, std::pair<std::string, double>> best_of_others;
  };
  Place& place_of(const std::string& problem, const std::string& integrator);
  static std::optional<double> ratio(const Place& place, const std::string& accuracy,
                                     const std::string& setting);

  std::vector<Place> places_;
};

}  // namespace ergon::bench
