#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/predictors/input_predictor.hpp"
#include "ergon/coupling/state/coupling_state.hpp"

namespace ergon {

/// What predictors are made from. They may reserve room in the state; the run has not begun.
struct PredictorRequest {
  const CouplingPlan& plan;
  CouplingState& state;
  /// Per input: who produces it over the step; polynomials do where nobody else says so.
  std::vector<std::string_view>& producer;
  /// Per input: somebody says what it is at the end of the step.
  std::vector<bool>& predicted_at_end;
  ProblemList& problems;
};

/// One way of predicting inputs.
struct PredictorInfo {
  std::string_view name;
  std::string_view help;
  std::string_view needs;  ///< what must be there for it
  /// What `extrapolation` of a bond says to have it, one or several words; none where it is chosen in another way.
  std::vector<std::string_view> extrapolations{};
  /// All predictors of this kind that the system wants. Reports where it is asked for and cannot be.
  std::vector<std::unique_ptr<InputPredictor>> (*make)(const PredictorRequest& request) = nullptr;
};

/// In the order in which they write.
[[nodiscard]] ERGON_API const std::vector<PredictorInfo>& predictors();
[[nodiscard]] ERGON_API const PredictorInfo* find_predictor(std::string_view name);
/// The names of all that `extrapolation` of a bond can say, or of a connection: that has polynomials alone.
[[nodiscard]] ERGON_API std::vector<std::string> bond_extrapolations();
/// The predictor that a word of `extrapolation` asks for.
[[nodiscard]] ERGON_API std::string_view predictor_of_extrapolation(std::string_view word);

inline constexpr std::string_view polynomial_predictor = "polynomial";
inline constexpr std::string_view hermite_predictor = "hermite";
inline constexpr std::string_view kinematic_predictor = "kinematic";
inline constexpr std::string_view interface_model_predictor = "interface-model";

std::vector<std::unique_ptr<InputPredictor>> make_polynomials(const PredictorRequest& request);
std::vector<std::unique_ptr<InputPredictor>> make_hermite(const PredictorRequest& request);
std::vector<std::unique_ptr<InputPredictor>> make_kinematic(const PredictorRequest& request);
std::vector<std::unique_ptr<InputPredictor>> make_interface_models(const PredictorRequest& request);

}  // namespace ergon
