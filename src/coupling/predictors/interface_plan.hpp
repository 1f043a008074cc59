#pragma once

#include <vector>

#include "ergon/coupling/predictors/registry.hpp"

namespace ergon {

/// Who takes part in an interface model, and where its numbers lie. All fast members are of one stage.
struct InterfacePlan {
  /// A subsystem that tells its inertia. Its components lie one behind the other.
  struct Slow {
    const Member* member = nullptr;
    Index stage = 0;
    std::size_t first = 0;
    std::size_t count = 0;
  };
  /// One flow w, and the displacement s that is its integral, where that is sent, too. In the units of the slow subsystem's ports.
  struct Component {
    std::size_t slow = 0;
    bool motion_driven =
        false;  ///< its flow is that of a fast member, which takes the effort: all below is unused
    std::uint32_t effort_slot = 0;
    std::uint32_t flow_source = 0;
    bool has_displacement = false;
    std::uint32_t displacement_source = 0;
    double flow_to_rate = 1.0;  ///< from the unit of flow to that of displacement per second
  };
  /// An input of a fast member: gain·w + offset, or with s or ẇ in the place of w.
  struct Receiver {
    std::size_t component = 0;
    std::uint32_t slot = 0;
    double gain = 1.0;
    double offset = 0.0;
    bool is_displacement = false;
    bool is_acceleration = false;
    Index input = 0;         ///< its number in the system
    std::size_t moving = 0;  ///< its number in StageState
  };
  /// An effort of a fast member, and what it adds to the effort at a component.
  struct Effort {
    std::size_t component = 0;
    std::uint32_t source = 0;
    double gain = 1.0;
    double offset = 0.0;
  };
  /// A subsystem that takes flows and gives efforts.
  struct Fast {
    const Member* member = nullptr;
    std::vector<Receiver> receivers{};
    std::vector<Effort> efforts{};
    std::vector<std::size_t> components{};  ///< those that its receivers have, each once
  };

  /// An effort that a fast member takes, whose flow a component has to follow.
  struct Driver {
    const Member* member = nullptr;
    std::size_t component = 0;
    std::uint32_t flow_source = 0;
    double flow_gain = 1.0;
    double flow_offset = 0.0;
    Receiver effort{};
  };

  Index stage = 0;  ///< of all fast members
  std::vector<Slow> slows{};
  std::vector<Component> components{};
  std::vector<Fast> fasts{};
  std::vector<Driver> drivers{};
  /// Inputs of the same stage that plain connections lead a flow of the interface to, its displacement or its rate: those of a
  /// controller, say. They see what the model predicts, and give it nothing.
  std::vector<Receiver> passive_receivers{};

  /// All that get flows of the interface.
  template <class Visit>
  void each_receiver(Visit visit) const {
    for (const Fast& fast : fasts) {
      for (const Receiver& r : fast.receivers) visit(r);
    }
    for (const Receiver& r : passive_receivers) visit(r);
  }
};

/// Finds the interfaces that bonds ask for; reports what cannot be.
std::vector<InterfacePlan> plan_interfaces(const PredictorRequest& request);

}  // namespace ergon
