#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "ergon/coupling/plan/coupling_plan.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"

namespace ergon {

/// Room for one state of some members of a stage. Where a member shows the numbers of its state, they are copied; all of these
/// copies lie one behind the other. Others save into slots of their own making.
class MemberStates {
 public:
  /// Those members that `kept` numbers.
  MemberStates(const CouplingPlan& plan, std::span<const Member> members, std::span<const std::uint32_t> kept)
      : plan_(&plan), places_(members.size()) {
    std::size_t size = 0;
    for (const std::uint32_t number : kept) {
      const Member& m = members[number];
      Rewindable* rewindable = m.subsystem->rewindable();
      Place place{&m, rewindable, rewindable->state_numbers(), size, nullptr};
      size += place.numbers.size();
      if (place.numbers.empty()) place.slot = rewindable->make_slot();
      places_[number] = std::move(place);
    }
    copies_.resize(size);
  }

  /// A member that throws is to blame at `time_s`.
  void save(std::uint32_t member, double time_s) {
    Place& place = places_[member];
    if (!place.slot) {
      std::memcpy(copies_.data() + place.first, place.numbers.data(), place.numbers.size_bytes());
    } else {
      blaming(plan_->node_of(*place.member).name, time_s, [&] { place.rewindable->save(*place.slot); });
    }
  }
  void restore(std::uint32_t member, double time_s) {
    Place& place = places_[member];
    if (!place.slot) {
      copy_back(place);
    } else {
      blaming(plan_->node_of(*place.member).name, time_s, [&] { place.rewindable->restore(*place.slot); });
    }
  }
  /// Whatever is thrown goes to the caller.
  void restore(std::uint32_t member) {
    Place& place = places_[member];
    if (!place.slot)
      copy_back(place);
    else
      place.rewindable->restore(*place.slot);
  }

 private:
  struct Place {
    const Member* member = nullptr;
    Rewindable* rewindable = nullptr;
    std::span<double> numbers;
    std::size_t first = 0;  ///< of the copies
    std::unique_ptr<StateSlot> slot;
  };
  void copy_back(const Place& place) {
    std::memcpy(place.numbers.data(), copies_.data() + place.first, place.numbers.size_bytes());
  }

  const CouplingPlan* plan_;
  std::vector<Place> places_;
  std::vector<double> copies_;
};

}  // namespace ergon
