#include "benchmarks/verdict/families/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace ergon::bench {

Random::Random(std::string_view family, unsigned seed) {
  std::uint64_t hash = 1469598103934665603U;  // FNV-1a
  for (const char c : family) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  generator_.seed(hash + 7919U * seed);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(generator_() >> 11U) * 0x1p-53;
}

double Random::log_uniform(double low, double high) {
  return low * std::pow(high / low, uniform(0.0, 1.0));
}

double rounded(double value) {
  return std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr);
}

double Network::fastest() const {
  double most = 0.0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    double k = masses[i].k;
    if (i > 0) k += springs[i - 1].k;
    if (i < springs.size()) k += springs[i].k;
    most = std::max(most, std::sqrt(k / masses[i].m));
  }
  return most;
}

double Network::slowest() const {
  double mass = 0.0;
  double ground = 0.0;
  for (const Mass& m : masses) {
    mass += m.m;
    ground += m.k;
  }
  double couplings = 0.0;
  for (const Spring& s : springs) couplings += s.k;
  return std::sqrt((ground > 0.0 ? ground : couplings) / mass);
}

numerics::LinearSolution Network::exact() const {
  const std::size_t n = masses.size();
  const std::size_t size = 2 * n + 3;
  const std::size_t one = 2 * n;
  std::vector<double> a(size * size, 0.0);
  std::vector<double> z(size, 0.0);
  const auto at = [&](std::size_t row, std::size_t column) -> double& { return a[row * size + column]; };
  for (std::size_t i = 0; i < n; ++i) {
    const Mass& m = masses[i];
    z[i] = m.x;
    z[n + i] = m.v;
    at(i, n + i) = 1.0;
    at(n + i, i) -= m.k / m.m;
    at(n + i, n + i) -= m.c / m.m;
    at(n + i, one) += (m.force_N + m.k * m.rest) / m.m;
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const Spring& s = springs[i];
    for (const auto& [row, sign] : {std::pair(i, -1.0), std::pair(i + 1, 1.0)}) {
      const double over_mass = sign / masses[row].m;
      at(n + row, i) += over_mass * s.k;
      at(n + row, i + 1) -= over_mass * s.k;
      at(n + row, n + i) += over_mass * s.c;
      at(n + row, n + i + 1) -= over_mass * s.c;
      at(n + row, one) -= over_mass * s.k * s.rest;
    }
  }
  at(n, one + 1) += drive.amplitude_N / masses[0].m;
  at(one + 1, one + 2) = drive.omega;
  at(one + 2, one + 1) = -drive.omega;
  z[one] = 1.0;
  z[one + 1] = std::sin(drive.phase);
  z[one + 2] = std::cos(drive.phase);
  return {a, z};
}

namespace {

/// A coupling of masses i and i + 1 by connections: gains of positions and velocities, summed up at each side.
std::string plain_coupling(const Network& network, std::size_t i) {
  const Network::Spring& s = network.springs[i];
  std::string text;
  std::vector<std::string> parts;
  const auto gain = [&](std::size_t mass, const char* port, double value, double offset) {
    const std::string name = fmt::format("{}{}_{}", port, mass, i);
    text += fmt::format(
        "[[element]]\nname = \"{0}\"\nlaw = \"gain\"\nparameters = {{ gain = {1}, offset = {2} }}\n"
        "[[connection]]\nfrom = \"m{3}.{4}\"\nto = \"{0}.in\"\n",
        name, value, offset, mass, port);
    parts.push_back(name);
  };
  gain(i, "position", s.k, -s.k * s.rest);
  gain(i + 1, "position", -s.k, 0.0);
  gain(i, "velocity", s.c, 0.0);
  gain(i + 1, "velocity", -s.c, 0.0);
  text += fmt::format("[[element]]\nname = \"sum{}\"\nlaw = \"sum\"\nparameters = {{ inputs = 4 }}\n", i);
  for (std::size_t p = 0; p < parts.size(); ++p)
    text += fmt::format("[[connection]]\nfrom = \"{}.out\"\nto = \"sum{}.in{}\"\n", parts[p], i, p + 1);
  text += fmt::format("[[connection]]\nfrom = \"sum{0}.out\"\nto = \"m{0}.{1}\"\ngain = -1.0\n", i,
                      i == 0 ? "force1" : "force2");
  text += fmt::format("[[connection]]\nfrom = \"sum{}.out\"\nto = \"m{}.force1\"\n", i, i + 1);
  return text;
}

std::string mass_text(const Network& network, const NetworkSetup& setup, std::size_t i) {
  const Network::Mass& m = network.masses[i];
  const bool last = i + 1 == network.masses.size();
  const bool plain = setup.arrangement == Arrangement::plain;
  const bool partly = setup.arrangement == Arrangement::partly_bonded;
  const bool element =
      setup.arrangement == Arrangement::element || setup.arrangement == Arrangement::element_at_receiver;
  const bool holds = !element && !plain && !(partly && i > 0);
  std::string model = "oscillator.mass";
  std::string more;
  if (holds && !last) {
    model = "oscillator.force_output";
    more = fmt::format(", kc = {}, cc = {}, coupling_rest = {}", network.springs[i].k, network.springs[i].c,
                       network.springs[i].rest);
    if (i > 0) more += ", force_ports = 1";
  } else if (plain || (partly && i > 0) || (element && !last && i > 0)) {
    more = ", force_ports = 2";
  }
  std::string text = fmt::format(
      "[[subsystem]]\nname = \"m{}\"\nmodel = \"{}\"\nstep_size = {:.10g}\nintegrator = {{ method = \"{}\" "
      "}}\n"
      "parameters = {{ m = {}, k = {}, c = {}, x_rest = {}{} }}\ninitial = {{ x = {}, v = {}",
      i, model, setup.H_s * (setup.step_ratio.empty() ? 1 : setup.step_ratio[i]), setup.integrator, m.m, m.k,
      m.c, m.rest, more, m.x, m.v);
  if (m.force_N != 0.0) text += fmt::format(", external_force = {}", m.force_N);
  return text + " }\n";
}

std::string coupling_text(const Network& network, const NetworkSetup& setup, std::size_t i) {
  const Network::Spring& s = network.springs[i];
  const std::string options =
      (setup.feedthrough.empty() ? "" : fmt::format("feedthrough = \"{}\"\n", setup.feedthrough)) +
      (setup.correction.empty() ? "" : fmt::format("correction = {}\n", setup.correction));
  switch (setup.arrangement) {
    case Arrangement::element:
    case Arrangement::element_at_receiver: {
      const bool middle = i + 2 < network.masses.size();
      return fmt::format(
          "[[element]]\nname = \"spring{0}\"\nlaw = \"spring-damper\"\nends = [\"m{0}{1}\", \"m{2}{3}\"]\n"
          "parameters = {{ k = {4}, c = {5}, rest_length = {6} }}\nevaluate = \"{7}\"\n",
          i, i > 0 ? ":force2" : "", i + 1, middle ? ":force1" : "", s.k, s.c, -s.rest,
          setup.arrangement == Arrangement::element ? "sources" : "receiver");
    }
    case Arrangement::plain:
      return plain_coupling(network, i);
    case Arrangement::partly_bonded:
      if (i > 0) return plain_coupling(network, i);
      break;
    case Arrangement::force_displacement:
      break;
  }
  const bool partly = setup.arrangement == Arrangement::partly_bonded;
  const std::string input = partly && i + 2 <= network.masses.size() ? "force1"
                            : i + 2 < network.masses.size()          ? "force_in"
                                                                     : "force";
  return fmt::format(
             "[[bond]]\nname = \"bond{0}\"\n"
             "a = {{ effort = \"m{0}.force\", flow = \"m{0}.velocity_in\", displacement = "
             "\"m{0}.position_in\" }}\n"
             "b = {{ effort = \"m{1}.{2}\", flow = \"m{1}.velocity\", displacement = \"m{1}.position\" }}\n",
             i, i + 1, input) +
         options;
}

}  // namespace

std::string scenario_text(const Network& network, const NetworkSetup& setup) {
  std::string text = fmt::format("[simulation]\nstop_time = {:.10g}\nstep_size = {:.10g}\n",
                                 setup.H_s * static_cast<double>(setup.steps), setup.H_s);
  for (std::size_t i = 0; i < network.masses.size(); ++i) text += mass_text(network, setup, i);
  for (std::size_t i = 0; i < network.springs.size(); ++i) text += coupling_text(network, setup, i);
  if (network.drive.amplitude_N != 0.0) {
    text += fmt::format(
        "[[subsystem]]\nname = \"drive\"\nmodel = \"source.sine\"\nparameters = {{ amplitude = {}, "
        "frequency_Hz = "
        "{}, phase_rad = {}, unit = \"N\" }}\n{}[[connection]]\nfrom = \"drive.value\"\nto = "
        "\"m0.external_force\"\n",
        network.drive.amplitude_N, network.drive.omega / (2.0 * std::numbers::pi), network.drive.phase,
        setup.drive_step_s > 0.0 ? fmt::format("step_size = {:.10g}\n", setup.drive_step_s) : "");
  }
  text += fmt::format("[coupling]\nscheme = \"{}\"\n", setup.scheme);
  if (setup.scheme == "jacobi" || setup.scheme == "gauss-seidel")
    text += fmt::format("extrapolation = \"{}\"\n", setup.extrapolation);
  if (!setup.step_control.empty()) text += fmt::format("[step_control]\n{}\n", setup.step_control);
  return text;
}

}  // namespace ergon::bench
