#include "ergon/models/oscillators/mass_chain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ergon/models/native_subsystem.hpp"

namespace ergon {
namespace {

/// A list of `count` values; one value is spread over all of them. Reports any other length.
std::vector<double> spread(const ParameterSet& set, const std::string& name, std::size_t count,
                           const char* per, const ModelRequest& request, ProblemList& problems) {
  const std::vector<double>& list = set.list(name);
  if (list.size() == 1) return std::vector<double>(count, list.front());
  if (list.size() != count) {
    problems.error(request.where,
                   fmt::format("'{}': '{}' has {} values, but there are {} {}.", request.name, name,
                               list.size(), count, per),
                   fmt::format("Give {} values, or one for all.", count));
  }
  return list;
}

std::unique_ptr<Subsystem> make_mass_chain(const ModelRequest& request, ProblemList& problems) {
  const auto integration = check_integrator(request, problems);
  const ParameterSet& given = request.parameters;
  MassChain::Parameters p;
  p.mass_kg = given.list("m");
  const std::size_t n = p.mass_kg.size();
  if (n == 0) {
    problems.error(request.where, fmt::format("'{}': 'm' is an empty list.", request.name),
                   "Give one mass per body: its length is the number of masses.");
    return nullptr;
  }
  ProblemList lengths;
  const auto per_mass = [&](const char* name) { return spread(given, name, n, "masses", request, lengths); };
  const auto per_coupling = [&](const char* name) {
    return spread(given, name, n - 1, "couplings", request, lengths);
  };
  for (double k : per_mass("k")) p.ground_spring.push_back({k, spring_law(given.text("spring"))});
  for (double c : per_mass("c")) p.ground_damper.push_back({c, damper_law(given.text("damper"))});
  for (double k : per_coupling("kc"))
    p.coupling_spring.push_back({k, spring_law(given.text("coupling_spring"))});
  for (double c : per_coupling("cc"))
    p.coupling_damper.push_back({c, damper_law(given.text("coupling_damper"))});
  if (given.text("topology") == "star") p.topology = MassChain::Topology::star;
  std::vector<double> start = spread(request.initial, "x", n, "masses", request, lengths);
  const std::vector<double> v = spread(request.initial, "v", n, "masses", request, lengths);
  for (const Problem& problem : lengths.all()) problems.error(problem.where, problem.what, problem.remedy);
  if (lengths.has_errors() || !integration) return nullptr;
  start.insert(start.end(), v.begin(), v.end());
  return std::make_unique<NativeSubsystem<MassChain>>(MassChain(std::move(p)), *integration,
                                                      std::move(start));
}

}  // namespace

MassChain::MassChain(Parameters parameters) : p_(std::move(parameters)) {
  for (const auto* dampers : {&p_.ground_damper, &p_.coupling_damper}) {
    for (const Damper& damper : *dampers) supplies_ = supplies_ || damper.coefficient < 0.0;
  }
}

std::vector<std::string> MassChain::state_names() const {
  std::vector<std::string> names;
  for (const char* name : {"x", "v"}) {
    for (std::size_t i = 0; i < dof(); ++i) names.push_back(fmt::format("{}[{}]", name, i));
  }
  return names;
}

Description MassChain::describe() const {
  Description description;
  Port external{"external_force", Unit::of("N"), dof(), "force on each mass"};
  external.optional = true;
  description.inputs = {external};
  description.outputs = {{"position", Unit::of("m"), dof(), "position of each mass"},
                         {"velocity", Unit::of("m/s"), dof(), "velocity of each mass"}};
  description.outputs.back().rate_of = "position";
  return description;
}

void MassChain::acceleration(const double* u, const double* q, const double* v, double* a) const {
  for (std::size_t i = 0; i < dof(); ++i)
    a[i] = -p_.ground_spring[i].force_N(q[i]) - p_.ground_damper[i].force_N(v[i]);
  const auto couple = [&](std::size_t i) {
    const std::size_t j = far_end(i);
    const double force = coupling_force_N(i, q, v);
    a[i] -= force;
    a[j] += force;
  };
  // A mass subtracts the force of its own coupling before it adds those of others: in a chain that is downwards. The
  // hub of a star adds upwards, as a mass does with its force ports.
  if (p_.topology == Topology::chain) {
    for (std::size_t i = couplings(); i-- > 0;) couple(i);
  } else {
    for (std::size_t i = 0; i < couplings(); ++i) couple(i);
  }
  for (std::size_t i = 0; i < dof(); ++i) a[i] = (a[i] + u[i]) / p_.mass_kg[i];
}

double MassChain::stored_J(const double* /*u*/, const double* q, const double* v) const {
  double stored = 0.0;
  for (std::size_t i = 0; i < dof(); ++i) {
    stored += 0.5 * p_.mass_kg[i] * v[i] * v[i] + p_.ground_spring[i].potential_J(q[i]);
  }
  for (std::size_t i = 0; i < couplings(); ++i)
    stored += p_.coupling_spring[i].potential_J(q[i] - q[far_end(i)]);
  return stored;
}

double MassChain::kinetic_J(const double* /*q*/, const double* v) const {
  double kinetic = 0.0;
  for (std::size_t i = 0; i < dof(); ++i) kinetic += 0.5 * p_.mass_kg[i] * v[i] * v[i];
  return kinetic;
}

Momentum MassChain::momentum(const double* /*q*/, const double* v) const {
  Momentum total;
  for (std::size_t i = 0; i < dof(); ++i) {
    total.mass_kg += p_.mass_kg[i];
    total.momentum_kg_m_s[0] += p_.mass_kg[i] * v[i];
  }
  return total;
}

void MassChain::outputs(const double* /*u*/, const double* q, const double* v, double* y) const {
  std::copy_n(q, dof(), y);
  std::copy_n(v, dof(), y + dof());
}

void MassChain::output_jacobian(const double* /*u*/, const double* /*q*/, const double* /*v*/,
                                double* jacobian) const {
  std::fill_n(jacobian, 2 * dof() * dof(), 0.0);
}

std::vector<double> linear_system_matrix(const MassChain::Parameters& p) {
  const std::size_t n = p.mass_kg.size();
  const std::size_t size = 2 * n;
  std::vector<double> matrix(size * size, 0.0);
  const auto entry = [&](std::size_t row, std::size_t column) -> double& {
    return matrix[row * size + column];
  };
  // A law between mass i and mass j pulls i by the coefficients times the differences.
  const auto pull = [&](std::size_t i, std::size_t j, double stiffness, double damping) {
    entry(n + i, i) -= stiffness / p.mass_kg[i];
    entry(n + i, n + i) -= damping / p.mass_kg[i];
    if (i == j) return;  // the ground
    entry(n + i, j) += stiffness / p.mass_kg[i];
    entry(n + i, n + j) += damping / p.mass_kg[i];
  };
  for (std::size_t i = 0; i < n; ++i) {
    entry(i, n + i) = 1.0;
    pull(i, i, p.ground_spring[i].stiffness, p.ground_damper[i].coefficient);
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const std::size_t j = p.topology == MassChain::Topology::chain ? i + 1 : n - 1;
    pull(i, j, p.coupling_spring[i].stiffness, p.coupling_damper[i].coefficient);
    pull(j, i, p.coupling_spring[i].stiffness, p.coupling_damper[i].coefficient);
  }
  return matrix;
}

ModelInfo mass_chain_model() {
  using List = std::vector<double>;
  ModelInfo info;
  info.name = "oscillator.chain";
  info.summary = "masses coupled in a row or to the last one, in one subsystem: the monolithic reference";
  info.parameters = {
      {"m", "kg", List{1.0, 1.0}, "masses; their number is the number of bodies", {}, 0.0, true},
      {"k", "N/m", List{0.0}, "stiffness of each spring to the ground, or one for all"},
      {"c", "N.s/m", List{0.0}, "coefficient of each damper to the ground, or one for all"},
      {"kc", "N/m", List{0.0}, "stiffness of each coupling spring (one less than masses), or one for all"},
      {"cc", "N.s/m", List{0.0},
       "coefficient of each coupling damper (one less than masses), or one for all"},
      {"topology",
       "",
       "chain",
       "chain: neighbours are coupled; star: each with the last mass",
       {"chain", "star"}},
      spring_law_parameter("spring", "linear", "law of the springs to the ground"),
      damper_law_parameter("damper", "linear", "law of the dampers to the ground"),
      spring_law_parameter("coupling_spring", "linear", "law of the coupling springs"),
      damper_law_parameter("coupling_damper", "linear", "law of the coupling dampers"),
  };
  info.initial = {{"x", "m", List{0.0}, "position of each mass at the start, or one for all"},
                  {"v", "m/s", List{0.0}, "velocity of each mass at the start, or one for all"}};
  info.make = make_mass_chain;
  const GivenParameters numbers = {{"m", {List{1.0, 2.0, 3.0}, {}}},
                                   {"k", {List{10.0, 20.0, 30.0}, {}}},
                                   {"c", {List{0.1, 0.2, 0.3}, {}}},
                                   {"kc", {List{100.0, 50.0}, {}}},
                                   {"cc", {List{0.3, 0.4}, {}}}};
  const GivenParameters initial = {{"x", {List{0.1, -0.2, 0.3}, {}}}, {"v", {List{1.0, -1.0, 2.0}, {}}}};
  info.examples = {{"three in a row", numbers, initial}, {"star of three", numbers, initial}};
  info.examples[1].parameters["topology"] = {"star", {}};
  return info;
}

}  // namespace ergon
