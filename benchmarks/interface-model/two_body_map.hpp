#pragma once

#include <string>

namespace ergon::bench {

/// The data of two-bodies.toml.
struct TwoBodies {
  double m1_kg = 1.0, k1_N_m = 100.0, c1_Ns_m = 1.0;    ///< slow, to the ground
  double m2_kg = 10.0, k2_N_m = 100.0, c2_Ns_m = 50.0;  ///< fast, to the ground
  double kc_N_m = 200.0, cc_Ns_m = 200.0;               ///< between them
  double h_s = 1e-4;                                    ///< step of the fast side
};

/// Largest absolute eigenvalue of one macro step of `n` fast steps, written down by hand and apart from the engine; all is
/// linear, so that above 1 the coupling is unstable. `predictor`: hold, linear or interface-model.
double spectral_radius(const TwoBodies& bodies, const std::string& predictor, int n);

}  // namespace ergon::bench
