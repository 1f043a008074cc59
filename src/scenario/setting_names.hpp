#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ergon/core/coupled_system.hpp"
#include "ergon/coupling/options/options.hpp"
#include "ergon/scenario/scenario.hpp"
#include "ergon/signal/extrapolation.hpp"

namespace ergon {

/// The names of an enumeration in scenario files, for reading and writing alike.
template <class E, std::size_t N>
struct SettingNames {
  std::array<std::pair<std::string_view, E>, N> pairs;

  [[nodiscard]] E value(std::string_view name) const {
    for (const auto& [n, e] : pairs) {
      if (n == name) return e;
    }
    return pairs[0].second;
  }
  [[nodiscard]] std::string_view name(E value) const {
    for (const auto& [n, e] : pairs) {
      if (e == value) return n;
    }
    return {};
  }
  [[nodiscard]] std::vector<std::string> all() const {
    std::vector<std::string> result;
    for (const auto& pair : pairs) result.emplace_back(pair.first);
    return result;
  }
};

inline constexpr SettingNames<FeedthroughMode, 3> feedthrough_names{
    {{{"stale", FeedthroughMode::stale},
      {"predict", FeedthroughMode::predict},
      {"refresh", FeedthroughMode::refresh}}}};
inline constexpr SettingNames<FmuInterfaceKind, 2> fmu_interface_names{
    {{{"cs", FmuInterfaceKind::co_simulation}, {"me", FmuInterfaceKind::model_exchange}}}};
inline constexpr SettingNames<EvaluateAt, 2> evaluate_names{
    {{{"sources", EvaluateAt::sources}, {"receiver", EvaluateAt::receiver}}}};
inline constexpr SettingNames<BondKind, 2> bond_kind_names{
    {{{"transformer", BondKind::transformer}, {"gyrator", BondKind::gyrator}}}};
inline constexpr SettingNames<JointForm, 5> joint_form_names{
    {{{"force/force", JointForm::force_force},
      {"force/displacement", JointForm::force_displacement},
      {"displacement/force", JointForm::displacement_force},
      {"displacement/displacement", JointForm::displacement_displacement},
      {"multiplier", JointForm::multiplier}}}};
inline constexpr SettingNames<Starter, 2> starter_names{
    {{{"none", Starter::none}, {"repeat", Starter::repeat}}}};

inline constexpr SettingNames<OnUnreliable, 2> on_unreliable_names{
    {{{"continue", OnUnreliable::carry_on}, {"stop", OnUnreliable::stop}}}};

inline constexpr SettingNames<MotionCheck, 4> motion_check_names{{{{"auto", MotionCheck::automatic},
                                                                   {"double", MotionCheck::double_steps},
                                                                   {"half", MotionCheck::half_steps},
                                                                   {"off", MotionCheck::off}}}};

inline std::vector<std::string> extrapolation_name_list() {
  std::vector<std::string> names;
  for (int d = 0; d <= max_extrapolation_degree; ++d) names.emplace_back(extrapolation_name(d));
  return names;
}

}  // namespace ergon
