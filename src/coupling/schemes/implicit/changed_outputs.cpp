#include "ergon/coupling/schemes/implicit/changed_outputs.hpp"

#include <algorithm>

namespace ergon {

std::optional<ChangedOutputs> ChangedOutputs::plan(const CouplingPlan& plan,
                                                   std::span<const std::vector<std::uint32_t>> readers) {
  const StagePlan& stage = plan.stage(0);
  const auto copies = stage.exchange.plain_copies();
  if (plan.stages().size() != 1 || !copies || stage.input_lanes.has_discrete() ||
      stage.output_lanes.has_discrete()) {
    return std::nullopt;
  }
  std::vector<std::vector<Copy>> inputs_of(stage.members.size());
  std::vector<std::uint32_t> owner_of_slot(stage.slots, 0);
  std::vector<std::uint32_t> owner_of_output(stage.output_count, 0);
  for (std::uint32_t m = 0; m < stage.members.size(); ++m) {
    const Member& member = stage.members[m];
    std::fill_n(owner_of_slot.begin() + member.first_input, member.input_count, m);
    std::fill_n(owner_of_output.begin() + member.first_output, member.output_count, m);
  }
  for (const ExchangeProgram::PlainCopy& c : *copies)
    inputs_of[owner_of_slot[c.slot]].push_back({c.slot, c.source});

  ChangedOutputs changed;
  std::vector<bool> is_touched(stage.members.size());
  for (const std::vector<std::uint32_t>& of_group : readers) {
    Group& group = changed.groups_.emplace_back();
    std::fill(is_touched.begin(), is_touched.end(), false);
    std::vector<std::uint32_t> touched = of_group;
    for (const std::uint32_t m : of_group) {
      group.readers.push_back(&stage.members[m]);
      is_touched[m] = true;
    }
    for (const Evaluation& evaluation : plan.start_evaluations()) {
      Level level;
      std::vector<std::uint32_t> reached;
      for (const std::uint32_t m : evaluation.members) {
        const bool asked = is_touched[m] ||
                           std::any_of(inputs_of[m].begin(), inputs_of[m].end(),
                                       [&](const Copy& c) { return is_touched[owner_of_output[c.source]]; });
        if (!asked) continue;
        level.members.push_back(&stage.members[m]);
        level.inputs.insert(level.inputs.end(), inputs_of[m].begin(), inputs_of[m].end());
        reached.push_back(m);
      }
      for (const std::uint32_t m : reached) {
        if (!is_touched[m]) touched.push_back(m);
        is_touched[m] = true;
      }
      if (!level.members.empty()) group.levels.push_back(std::move(level));
    }
    for (const std::uint32_t m : touched) group.touched.push_back(&stage.members[m]);
  }
  changed.inputs_.resize(stage.slots);
  changed.level_inputs_.resize(stage.slots);
  changed.reference_.resize(stage.output_count);
  return changed;
}

void ChangedOutputs::set_reference(std::span<const double> inputs, const double* y) {
  std::copy_n(inputs.begin(), inputs_.size(), inputs_.begin());
  std::copy_n(inputs.begin(), inputs_.size(), level_inputs_.begin());
  std::copy_n(y, reference_.size(), reference_.begin());
}

void ChangedOutputs::evaluate(std::size_t group, double t, double* y, const Member*& asked) {
  const Group& at = groups_[group];
  const auto ask = [&](const Member& m, const double* inputs) {
    asked = &m;
    m.subsystem->outputs(t, inputs + m.first_input, y + m.first_output);
  };
  for (const Member* m : at.readers) ask(*m, inputs_.data());
  for (const Level& level : at.levels) {
    for (const Copy& c : level.inputs) level_inputs_[c.slot] = y[c.source];
    for (const Member* m : level.members) ask(*m, level_inputs_.data());
  }
}

void ChangedOutputs::put_back(std::size_t group, double* y) const {
  for (const Member* m : groups_[group].touched)
    std::copy_n(reference_.begin() + m->first_output, m->output_count, y + m->first_output);
}

}  // namespace ergon
