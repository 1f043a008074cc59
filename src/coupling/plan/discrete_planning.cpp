#include <algorithm>

#include "ergon/coupling/plan/coupling_plan.hpp"

// Where ports that are not reals lie, and where their values come from.

namespace ergon {

void CouplingPlan::add_term(ExchangeProgram& program, std::uint32_t slot, int degree,
                            const LinkTerm& term) const {
  const SlotAddress source = outputs_[term.output];
  if (source.kind == ValueKind::real) {
    program.add(slot, source.stage, source.offset, degree, term);
  } else {
    program.add_integer(slot, source.stage, source.offset, term);
  }
}

void CouplingPlan::number_discrete(StagePlan& stage, std::uint32_t stage_index, Member& member) {
  const Node& node = system_.nodes[member.node];
  member.first_integer_input = static_cast<std::uint32_t>(stage.input_counts.integers);
  member.first_text_input = static_cast<std::uint32_t>(stage.input_counts.texts);
  member.first_integer_output = static_cast<std::uint32_t>(stage.output_counts.integers);
  member.first_text_output = static_cast<std::uint32_t>(stage.output_counts.texts);
  for (Index i = node.first_input + node.input_counts.reals; i < node.first_input + node.input_count; ++i) {
    const ValueKind kind = value_kind_of(system_.inputs[i].type);
    inputs_[i] = {stage_index, static_cast<std::uint32_t>(stage.input_counts.of(kind)++), kind};
    if (kind == ValueKind::integer) stage.start_integers.push_back(system_.integer_start[i]);
    if (kind == ValueKind::text) stage.start_texts.push_back(system_.text_start[i]);
  }
  for (Index o = node.first_output + node.output_counts.reals; o < node.first_output + node.output_count;
       ++o) {
    const ValueKind kind = value_kind_of(system_.outputs[o].type);
    outputs_[o] = {stage_index, static_cast<std::uint32_t>(stage.output_counts.of(kind)++), kind};
  }
}

void CouplingPlan::wire_discrete(StagePlan& stage, const Node& node) {
  for (Index i = node.first_input + node.input_counts.reals; i < node.first_input + node.input_count; ++i) {
    const auto& link = system_.links[i];
    if (!link) continue;
    if (inputs_[i].kind == ValueKind::text) {
      const SlotAddress source = outputs_[link->terms.front().output];
      stage.discrete_exchange.add_text(inputs_[i].offset, source.stage, source.offset);
      continue;
    }
    std::vector<DiscreteExchange::IntegerTerm> terms;
    for (const LinkTerm& term : link->terms) {
      const SlotAddress source = outputs_[term.output];
      terms.push_back({source.stage, source.offset, static_cast<std::int64_t>(term.gain),
                       static_cast<std::int64_t>(term.offset)});
    }
    stage.discrete_exchange.add_integer(inputs_[i].offset, terms);
  }
}

bool CouplingPlan::refreshes_discrete(const StagePlan& stage, const Member& member) const {
  const Node& node = system_.nodes[member.node];
  const auto any_from = [](const std::vector<std::uint32_t>& slots, std::size_t first, std::size_t count) {
    return std::any_of(slots.begin(), slots.end(),
                       [&](std::uint32_t slot) { return slot >= first && slot < first + count; });
  };
  return any_from(stage.refreshed_integers, member.first_integer_input, node.input_counts.integers) ||
         any_from(stage.refreshed_texts, member.first_text_input, node.input_counts.texts);
}

}  // namespace ergon
