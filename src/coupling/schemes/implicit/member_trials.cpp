#include "ergon/coupling/schemes/implicit/member_trials.hpp"

#include <cstring>
#include <numeric>

namespace ergon {

MemberTrials::MemberTrials(const CouplingPlan& plan, const StagePlan& stage, bool in_rows) : stage_(stage) {
  std::vector<std::uint32_t> all(stage.members.size());
  std::iota(all.begin(), all.end(), 0U);
  for (const Member& m : stage.members) {
    // What is not thread-safe has a thread of its own.
    const bool alone = !in_rows || m.discrete != nullptr || !m.thread_safe || m.substeps > 1;
    together_.push_back(alone ? nullptr : m.subsystem->grouped_trials());
    row_of_.push_back(static_cast<std::uint32_t>(row_numbers_));
    row_size_.push_back(together_.back() != nullptr ? m.subsystem->rewindable()->state_numbers().size() : 0);
    row_numbers_ += row_size_.back();
  }
  constexpr std::size_t states = 3;
  rows_.resize(states * row_numbers_);
  all_ = list(all);
  for (std::size_t s = 0; s < states; ++s) slots_.emplace_back(plan, stage.members, all_.others);
}

MemberTrials::List MemberTrials::list(std::span<const std::uint32_t> members,
                                      const std::function<State(std::uint32_t)>& state) const {
  List list;
  for (const std::uint32_t m : members) {
    const Member& member = stage_.members[m];
    const auto number = static_cast<std::uint32_t>(list.members.size());
    list.members.push_back(m);
    list.entries.push_back({member.subsystem, member.first_input, member.first_output,
                            row_of_[m] + static_cast<std::uint32_t>(offset(state(m)))});
    if (list.runs.empty() || list.runs.back().together != together_[m])
      list.runs.push_back({together_[m], number, number, row_size_[m]});
    list.runs.back().end = number + 1;
    list.run_of.push_back(static_cast<std::uint32_t>(list.runs.size() - 1));
    if (together_[m] == nullptr) list.others.push_back(m);
  }
  return list;
}

void MemberTrials::keep_start(double time_s) {
  for (const List::Run& run : all_.runs) {
    if (run.together == nullptr) continue;
    run.together->read(std::span(all_.entries).subspan(run.first, run.end - run.first), rows_.data());
  }
  for (const std::uint32_t m : all_.others) slots(State::start).save(m, time_s);
}

void MemberTrials::keep_end(double time_s) {
  for (const std::uint32_t m : all_.others) slots(State::end).save(m, time_s);
}

void MemberTrials::finish() {
  const double* ends = rows_.data() + offset(State::end);
  for (const List::Run& run : all_.runs) {
    if (run.together == nullptr) continue;
    run.together->write(std::span(all_.entries).subspan(run.first, run.end - run.first), ends);
  }
}

bool MemberTrials::any_changed(const List& list) const {
  if (!list.others.empty()) return true;
  const double* ends = rows_.data() + offset(State::end);
  const double* changed = rows_.data() + offset(State::changed);
  for (const List::Run& run : list.runs) {
    for (std::uint32_t i = run.first; i < run.end; ++i) {
      const std::uint32_t row = list.entries[i].row;
      if (std::memcmp(ends + row, changed + row, run.row_size * sizeof(double)) != 0) return true;
    }
  }
  return false;
}

void MemberTrials::ask(const List& list, double t, const double* u, double* y, const Member*& asked) const {
  for (const List::Run& run : list.runs) {
    const auto entries = std::span(list.entries).subspan(run.first, run.end - run.first);
    if (run.together != nullptr) {
      run.together->outputs(entries, u, rows_.data(), y);
      continue;
    }
    for (std::uint32_t i = run.first; i < run.end; ++i) {
      const Member& m = stage_.members[list.members[i]];
      asked = &m;
      m.subsystem->outputs(t, u + m.first_input, y + m.first_output);
    }
  }
}

}  // namespace ergon
