#include "ergon/models/registry.hpp"

#include <algorithm>

#include "ergon/core/open_registry.hpp"
#include "ergon/models/cable/cable_subsystem.hpp"
#include "ergon/models/constrained/natural_crane.hpp"
#include "ergon/models/constrained/pendulum.hpp"
#include "ergon/models/constrained/rod.hpp"
#include "ergon/models/control/pid.hpp"
#include "ergon/models/control/signal_blocks.hpp"
#include "ergon/models/control/velocity_controller.hpp"
#include "ergon/models/electric/battery.hpp"
#include "ergon/models/electric/branch.hpp"
#include "ergon/models/electric/circuits.hpp"
#include "ergon/models/electric/dc_motor.hpp"
#include "ergon/models/electric/heater.hpp"
#include "ergon/models/electric/ideal_switch.hpp"
#include "ergon/models/elements/arithmetic.hpp"
#include "ergon/models/elements/signal_laws.hpp"
#include "ergon/models/elements/spring_damper.hpp"
#include "ergon/models/elements/transformer.hpp"
#include "ergon/models/equations/expression_element.hpp"
#include "ergon/models/equations/expression_model.hpp"
#include "ergon/models/equations/linear_models.hpp"
#include "ergon/models/hydraulics/cylinder.hpp"
#include "ergon/models/hydraulics/flow_laws.hpp"
#include "ergon/models/hydraulics/hydraulic_crane.hpp"
#include "ergon/models/hydraulics/pipe.hpp"
#include "ergon/models/hydraulics/reservoir.hpp"
#include "ergon/models/joints/bushing.hpp"
#include "ergon/models/joints/flexible_joint.hpp"
#include "ergon/models/joints/two_point.hpp"
#include "ergon/models/joints/two_point_actuator.hpp"
#include "ergon/models/logic/clock.hpp"
#include "ergon/models/logic/counter.hpp"
#include "ergon/models/logic/logic_laws.hpp"
#include "ergon/models/logic/state_machine.hpp"
#include "ergon/models/mechanics/clutch.hpp"
#include "ergon/models/mechanics/gear.hpp"
#include "ergon/models/mechanics/moving_mass.hpp"
#include "ergon/models/mechanics/road.hpp"
#include "ergon/models/mechanics/suspension.hpp"
#include "ergon/models/multibody/ground.hpp"
#include "ergon/models/multibody/nonsmooth_machine.hpp"
#include "ergon/models/multibody/planar_crane.hpp"
#include "ergon/models/multibody/planar_link.hpp"
#include "ergon/models/multibody/rigid_body.hpp"
#include "ergon/models/oscillators/mass_chain.hpp"
#include "ergon/models/oscillators/point_mass.hpp"
#include "ergon/models/register_model.hpp"
#include "ergon/models/sources/sine_burst.hpp"
#include "ergon/models/sources/table_source.hpp"
#include "ergon/models/sources/waveforms.hpp"
#include "ergon/models/thermal/heat_capacity.hpp"
#include "ergon/models/thermal/heat_transfer.hpp"

namespace ergon {
namespace {

template <typename Info>
const Info* find(const std::vector<Info>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Info& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<ModelInfo> native_models() {
  return {
      mass_model(),                   // oscillator.mass
      displacement_driven_model(),    // oscillator.displacement_driven
      force_output_model(),           // oscillator.force_output
      mass_chain_model(),             // oscillator.chain
      rc_series_model(),              // electric.rc_series
      rc_parallel_model(),            // electric.rc_parallel
      rlc_series_model(),             // electric.rlc_series
      rlc_parallel_model(),           // electric.rlc_parallel
      rigid_body_model(),             // multibody.rigid_body
      planar_link_model(),            // multibody.planar_link
      ground_model(),                 // multibody.ground
      pendulum_model(),               // multibody.pendulum
      pendulum_force_output_model(),  // multibody.pendulum_force_output
      rod_model(),                    // multibody.rod
      planar_crane_model(),           // multibody.planar_crane
      natural_crane_model(),          // multibody.natural_crane
      nonsmooth_machine_model(),      // multibody.nonsmooth
      cable_model(),                  // cable.ancf
      cylinder_model(),               // hydraulics.cylinder
      hydraulic_crane_model(),        // hydraulics.crane
      velocity_controller_model(),    // control.velocity
      pid_model(),                    // control.pid
      integrator_model(),             // control.integrator
      rate_limit_model(),             // control.rate_limit
      delay_model(),                  // control.delay
      hysteresis_model(),             // control.hysteresis
      sample_hold_model(),            // control.sample_hold
      expression_model(),             // equations.expression
      state_space_model(),            // equations.state_space
      mechanical_model(),             // equations.mechanical
      transfer_function_model(),      // equations.transfer_function
      constant_source(),              // source.constant
      step_source(),                  // source.step
      ramp_source(),                  // source.ramp
      sine_source(),                  // source.sine
      sine_burst_source(),            // source.sine_burst
      table_source(),                 // source.table
      noise_source(),                 // source.noise
      counter_model(),                // logic.counter
      clock_model(),                  // logic.clock
      state_machine_model(),          // logic.state_machine
      // Mechanics, electricity, heat and fluids (docs/models.md)
      translational_mass_model(),  // translational.mass
      rotational_inertia_model(),  // rotational.inertia
      clutch_model(),              // rotational.clutch
      brake_model(),               // rotational.brake
      road_model(),                // vehicle.road
      rl_series_model(),           // electric.rl_series
      branch_model(),              // electric.branch
      dc_motor_model(),            // electric.dc_motor
      battery_model(),             // electric.battery
      ideal_switch_model(),        // electric.switch
      heater_model(),              // electric.heater
      heat_capacity_model(),       // thermal.capacity
      tank_model(),                // hydraulics.tank
      accumulator_model(),         // hydraulics.accumulator
      pipe_model(),                // hydraulics.pipe
  };
}

OpenRegistry<ModelInfo>& all_models() {
  static OpenRegistry<ModelInfo> all("model", native_models());
  return all;
}

}  // namespace

const std::vector<ModelInfo>& models() {
  return all_models().entries();
}

void register_model(ModelInfo info) {
  all_models().add(std::move(info), [](const ModelInfo& model) { return model.name; });
}

const ModelInfo* find_model(const std::string& name) {
  return find(models(), name);
}

std::shared_ptr<const ModelInfo> extended(const ModelInfo& info, const GivenParameters& given) {
  // Those of the registry live as long as the program.
  if (!info.extend) return {std::shared_ptr<const void>{}, &info};
  auto more = std::make_shared<ModelInfo>(info);
  info.extend(given, *more);
  more->extend = {};
  return more;
}

namespace {

OpenRegistry<ElementInfo>& all_elements() {
  static OpenRegistry<ElementInfo> all("law", [] {
    std::vector<ElementInfo> infos = {
        spring_damper_element(),            // spring-damper
        square_root_element(),              // square-root
        quadratic_damper_element(),         // quadratic-damper
        gain_element(),                     // gain
        sum_element(),                      // sum
        transformer_element(),              // transformer
        product_element(),                  // product
        saturation_element(),               // saturation
        dead_zone_element(),                // dead-zone
        lookup_element(),                   // lookup
        lookup_2d_element(),                // lookup-2d
        expression_element(),               // expression
        switch_element(),                   // switch
        compare_element(),                  // compare
        round_element(),                    // round
        bushing_element(),                  // joint.bushing
        two_point_spring_damper_element(),  // joint.spring-damper
        two_point_actuator_element(),       // joint.actuator
        // Mechanics, heat and fluids (docs/models.md)
        shaft_element(),                // shaft
        gear_element(),                 // gear
        table_spring_damper_element(),  // table-spring-damper
        tyre_element(),                 // tyre
        conductance_element(),          // conductance
        heat_exchange_element(),        // heat-radiation
        convection_element(),           // convection
        radiation_element(),            // radiation
        orifice_element(),              // orifice
        pump_element(),                 // pump
    };
    for (ElementInfo& joint : flexible_joint_elements())
      infos.push_back(std::move(joint));  // joint.atpoint ...
    return infos;
  }());
  return all;
}

}  // namespace

const std::vector<ElementInfo>& elements() {
  return all_elements().entries();
}

void register_element(ElementInfo info) {
  all_elements().add(std::move(info), [](const ElementInfo& law) { return law.name; });
}

const ElementInfo* find_element(const std::string& name) {
  return find(elements(), name);
}

}  // namespace ergon
