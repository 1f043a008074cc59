#include "ergon/coupling/predictors/registry.hpp"

#include <algorithm>

#include "ergon/core/open_registry.hpp"
#include "ergon/coupling/predictors/register_predictor.hpp"

namespace ergon {

namespace {

std::vector<PredictorInfo> own_predictors() {
  return {
      {polynomial_predictor,
       "the polynomial through the newest samples of each input",
       "nothing",
       {"hold", "linear", "quadratic", "cubic"},
       make_polynomials},
      {hermite_predictor,
       "one cubic through a displacement and its velocity at both ends of the step",
       "a scheme that knows the end of the step, and both from one subsystem",
       {},
       make_hermite},
      {kinematic_predictor,
       "a displacement and its rate at the end of the step, by their law of motion",
       "feedthrough = \"predict\", and both in one bond",
       {},
       make_kinematic},
      {interface_model_predictor,
       "the flows follow a reduced model of the subsystem that sends them, solved together with the receiver",
       "scheme = \"jacobi\", and a subsystem that knows its interface inertia",
       {"interface-model"},
       make_interface_models},
  };
}

OpenRegistry<PredictorInfo>& all_predictors() {
  static OpenRegistry<PredictorInfo> all("predictor", own_predictors());
  return all;
}

}  // namespace

const std::vector<PredictorInfo>& predictors() {
  return all_predictors().entries();
}

void register_predictor(PredictorInfo info) {
  all_predictors().add(std::move(info), [](const PredictorInfo& known) { return known.name; });
}

const PredictorInfo* find_predictor(std::string_view name) {
  for (const PredictorInfo& info : predictors()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::vector<std::string> bond_extrapolations() {
  std::vector<std::string> words;
  for (const PredictorInfo& info : predictors())
    words.insert(words.end(), info.extrapolations.begin(), info.extrapolations.end());
  return words;
}

std::string_view predictor_of_extrapolation(std::string_view word) {
  for (const PredictorInfo& info : predictors()) {
    const auto& words = info.extrapolations;
    if (std::find(words.begin(), words.end(), word) != words.end()) return info.name;
  }
  return polynomial_predictor;
}

}  // namespace ergon
