#include "ergon/coupling/schemes/implicit/changed_outputs.hpp"

#include <algorithm>

namespace ergon {

bool ChangedOutputs::is_possible(const CouplingPlan& plan) {
  const StagePlan& stage = plan.stage(0);
  return plan.stages().size() == 1 && stage.exchange.plain_copies() && !stage.input_counts.has_discrete() &&
         !stage.output_counts.has_discrete();
}

ChangedOutputs::ChangedOutputs(const CouplingPlan& plan, const MemberTrials& trials,
                               std::span<const MemberTrials::List> readers)
    : trials_(trials) {
  const StagePlan& stage = plan.stage(0);
  const std::size_t count = stage.members.size();
  std::vector<std::vector<Copy>> inputs_of(count);
  std::vector<std::uint32_t> owner_of_slot(stage.slots, 0);
  std::vector<std::uint32_t> owner_of_output(stage.output_count, 0);
  for (std::uint32_t m = 0; m < count; ++m) {
    const Member& member = stage.members[m];
    std::fill_n(owner_of_slot.begin() + member.first_input, member.input_count, m);
    std::fill_n(owner_of_output.begin() + member.first_output, member.output_count, m);
  }
  const auto copies = stage.exchange.plain_copies();
  for (const ExchangeProgram::PlainCopy& c : *copies)
    inputs_of[owner_of_slot[c.slot]].push_back({c.slot, c.source});
  const auto add_outputs = [&](std::uint32_t m, std::vector<std::uint32_t>& outputs) {
    const Member& member = stage.members[m];
    for (std::uint32_t o = 0; o < member.output_count; ++o) outputs.push_back(member.first_output + o);
  };
  using State = MemberTrials::State;
  const auto make_level = [&](std::span<const std::uint32_t> members, const auto& state) {
    Level level;
    for (const std::uint32_t m : members)
      level.inputs.insert(level.inputs.end(), inputs_of[m].begin(), inputs_of[m].end());
    level.members = trials.list(members, state);
    return level;
  };

  for (const Evaluation& evaluation : plan.start_evaluations())
    all_levels_.push_back(make_level(evaluation.members, [](std::uint32_t) { return State::end; }));

  std::vector<bool> is_reader(count);
  std::vector<bool> is_touched(count);
  for (const MemberTrials::List& of_group : readers) {
    Group& group = groups_.emplace_back();
    std::fill(is_touched.begin(), is_touched.end(), false);
    for (const std::uint32_t m : of_group.members) {
      is_touched[m] = true;
      if (trials.has_row(m)) add_outputs(m, group.stepped);
      add_outputs(m, group.touched);
    }
    is_reader = is_touched;
    group.readers = trials.list(of_group.others);
    const auto state = [&](std::uint32_t m) { return is_reader[m] ? State::changed : State::end; };
    for (const Evaluation& evaluation : plan.start_evaluations()) {
      std::vector<std::uint32_t> reached;
      for (const std::uint32_t m : evaluation.members) {
        if (is_touched[m] || std::any_of(inputs_of[m].begin(), inputs_of[m].end(), [&](const Copy& c) {
              return is_touched[owner_of_output[c.source]];
            })) {
          reached.push_back(m);
        }
      }
      for (const std::uint32_t m : reached) {
        if (!is_touched[m]) add_outputs(m, group.touched);
        is_touched[m] = true;
      }
      if (!reached.empty()) group.levels.push_back(make_level(reached, state));
    }
  }
  inputs_.resize(stage.slots);
  level_inputs_.resize(stage.slots);
  reference_.resize(stage.output_count);
  stepped_.resize(stage.output_count);
}

void ChangedOutputs::evaluate(std::span<const Level> levels, double t, double* inputs, double* y,
                              const Member*& asked) const {
  for (const Level& level : levels) {
    for (const Copy& c : level.inputs) inputs[c.slot] = y[c.source];
    trials_.ask(level.members, t, inputs, y, asked);
  }
}

void ChangedOutputs::evaluate_all(double t, double* inputs, double* y, const Member*& asked) const {
  evaluate(all_levels_, t, inputs, y, asked);
}

void ChangedOutputs::set_reference(std::span<const double> inputs, const double* y) {
  std::copy_n(inputs.begin(), inputs_.size(), inputs_.begin());
  std::copy_n(inputs.begin(), inputs_.size(), level_inputs_.begin());
  std::copy_n(y, reference_.size(), reference_.begin());
}

void ChangedOutputs::evaluate(std::size_t group, double t, double* y, const Member*& asked) {
  const Group& at = groups_[group];
  for (const std::uint32_t o : at.stepped) y[o] = stepped_[o];
  trials_.ask(at.readers, t, inputs_.data(), y, asked);
  evaluate(at.levels, t, level_inputs_.data(), y, asked);
}

}  // namespace ergon
