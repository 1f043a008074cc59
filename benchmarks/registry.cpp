#include "benchmarks/auto-vs-tuned/auto_vs_tuned.hpp"
#include "benchmarks/double-pendulum/double_pendulum.hpp"
#include "benchmarks/framework/benchmark.hpp"
#include "benchmarks/haptic/haptic.hpp"
#include "benchmarks/hydraulic-crane/hydraulic_crane.hpp"
#include "benchmarks/interface-model/interface_model.hpp"
#include "benchmarks/leak-cap/leak_cap.hpp"
#include "benchmarks/leak-damping/leak_damping.hpp"
#include "benchmarks/leak-table2/leak_table2.hpp"
#include "benchmarks/leak-table3/leak_table3.hpp"
#include "benchmarks/lim-oscillator/lim_oscillator.hpp"
#include "benchmarks/log-crane/log_crane.hpp"
#include "benchmarks/macro-steps/macro_steps.hpp"
#include "benchmarks/mass-chain/mass_chain.hpp"
#include "benchmarks/pendula/pendula.hpp"
#include "benchmarks/pendulum-cable/pendulum_cable.hpp"
#include "benchmarks/residual-cap/residual_cap.hpp"
#include "benchmarks/residual-mu/residual_mu.hpp"
#include "benchmarks/residual-multiple/residual_multiple.hpp"
#include "benchmarks/residual-nonlinear/residual_nonlinear.hpp"
#include "benchmarks/residual-oscillator/residual_oscillator.hpp"
#include "benchmarks/semi-convergence/semi_convergence.hpp"
#include "benchmarks/semi-stability/semi_stability.hpp"
#include "benchmarks/slider-crank/slider_crank.hpp"
#include "benchmarks/step-control/step_control.hpp"
#include "benchmarks/tolerances/tolerances.hpp"
#include "benchmarks/universal-joint-3d/universal_joint_3d.hpp"
#include "benchmarks/verdict/verdict.hpp"
#include "benchmarks/work-precision/work_precision.hpp"

namespace ergon::bench {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = {
      {"lim-oscillator", "two-mass linear oscillator in three arrangements, explicit coupling [lim2021]",
       lim_oscillator},
      {"leak-table2",
       "energy leak and its correction, several masses m2 [gonzalez2019, Table 2]",
       leak_table2,
       {},
       {{"m2", "kg"}, {"k2", "N/m"}}},
      {"leak-table3",
       "energy leak and its correction, several stiffnesses k2 [gonzalez2019, Table 3]",
       leak_table3,
       {},
       {{"m2", "kg"}, {"k2", "N/m"}}},
      {"leak-damping", "energy leak and its correction with damping [gonzalez2019, Figs. 8-14]",
       leak_damping},
      {"leak-cap", "what the limit of the correction does [gonzalez2019, Fig. 16]", leak_cap},
      {"haptic", "haptic device with passivity control [gonzalez2019, Sect. 2]", haptic},
      {"residual-oscillator", "residual power and its correction, two masses [rodriguez2022, Table 1]",
       residual_oscillator},
      {"residual-mu", "the factor of the correction over the step-size ratio [rodriguez2022, Figs. 11, 12]",
       residual_mu},
      {"residual-cap", "what the limit of the correction does [rodriguez2022, Fig. 24]", residual_cap},
      {"residual-multiple", "several masses that push at one [rodriguez2022, Table 2]", residual_multiple},
      {"residual-nonlinear", "nonlinear springs and dampers [rodriguez2022, Table 3]", residual_nonlinear},
      {"hydraulic-crane",
       "hydraulic crane, multi-rate, and its spike of residual power [rodriguez2022, Figs. 35-37]",
       hydraulic_crane},
      {"pendula", "two pendula coupled by a spring, constrained coordinates [rodriguez2022, Table 4]",
       pendula},
      {"pendulum-cable",
       "rigid rod and flexible cable, energy leak and its correction [gonzalez2019, Figs. 18, 19]",
       pendulum_cable},
      {"interface-model",
       "largest stable step of held, extrapolated and modelled flows [peiret2019, (5)-(7)]", interface_model},
      {"log-crane", "a crane lifts a log: hold, linear, and interface models [peiret2019, Figs. 6-9]",
       log_crane},
      {"auto-vs-tuned", "parameter-free correction against tuned ones on all of these", auto_vs_tuned},
      {"step-control",
       "steps controlled by the interface power against fixed ones",
       step_control,
       {},
       {{"c", "N.s/m"}}},
      {"semi-convergence", "orders of semi-implicit coupling, two masses [schweizer2014, Fig. 9]",
       semi_convergence},
      {"semi-stability",
       "stability of explicit and semi-implicit coupling [schweizer2014, Fig. 10]",
       semi_stability,
       draw_stability_maps,
       {{"c", "N/m"}, {"d", "N.s/m"}}},
      {"double-pendulum", "two links, flexible revolute joint, semi-implicit [schweizer2014, Sect. 4.2]",
       double_pendulum},
      {"slider-crank", "two links, flexible slider, semi-implicit [schweizer2014, Sect. 4.3]", slider_crank},
      {"mass-chain", "five masses as five subsystems, semi-implicit", mass_chain},
      {"universal-joint-3d", "two rods in space, flexible universal joint, semi-implicit",
       universal_joint_3d},
      {"macro-steps", "steps controlled by two solutions against fixed ones", macro_steps},
      {"tolerances", "what controlled steps reach of the tolerance that is asked for", tolerances},
      {"work-precision",
       "what each way to couple costs on each of these problems, to 1 % and 0.1 % of the motion",
       work_precision,
       work_precision_table,
       {},
       is_cost},
      {"verdict", "the verdict against the true energy error of random oscillators", verdict},
  };
  return all;
}

}  // namespace ergon::bench
