#include "ergon/models/equations/linear_models.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "ergon/core/expression/tokens.hpp"
#include "ergon/models/equations/equation_model.hpp"
#include "ergon/models/equations/equation_text.hpp"
#include "ergon/models/equations/linear_system.hpp"

namespace ergon {

EquationSystem equations_of(const LinearSystem& linear) {
  EquationSystem system;
  system.inputs = linear.inputs;
  system.outputs = linear.outputs;
  const std::size_t n = linear.A.rows;
  std::vector<expression::Term> x;
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(system.graph.symbol(static_cast<std::uint32_t>(i)));
    system.states.push_back({fmt::format("x{}", i + 1), linear.start[i], 0});
  }
  std::vector<expression::Term> u;
  for (std::size_t i = 0; i < linear.B.columns; ++i) u.push_back(system.graph.symbol(system.input_symbol(i)));
  for (std::size_t i = 0; i < n; ++i)
    system.states[i].rate =
        system.plus(system.combination(linear.A.row(i), x), system.combination(linear.B.row(i), u));
  for (std::size_t i = 0; i < linear.C.rows; ++i)
    system.output_terms.push_back(
        system.plus(system.combination(linear.C.row(i), x), system.combination(linear.D.row(i), u)));
  return system;
}

namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Dense dense(const MatrixValues& matrix) {
  return Eigen::Map<const Dense>(matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
                                 static_cast<Eigen::Index>(matrix.columns));
}

MatrixValues zeros(std::size_t rows, std::size_t columns) {
  return {rows, columns, std::vector<double>(rows * columns, 0.0)};
}

/// Reports where a matrix does not have the size that it must have.
bool has_size(const MatrixValues& matrix, std::size_t rows, std::size_t columns, const std::string& key,
              const ModelRequest& request, ProblemList& problems) {
  if (matrix.rows == rows && matrix.columns == columns) return true;
  problems.error(request.parameters.where(key, request.where),
                 fmt::format("'{}': '{}' is a {} x {} matrix, but must be {} x {}.", request.name, key,
                             matrix.rows, matrix.columns, rows, columns),
                 "Rows are separated by ';' or lines, entries by ','.");
  return false;
}

/// One number stands for all.
std::optional<std::vector<double>> start_values(const std::string& key, std::size_t count,
                                                const ModelRequest& request, ProblemList& problems) {
  std::vector<double> values = request.initial.list(key);
  if (values.size() == 1) values.resize(count, values.front());
  if (values.size() == count) return values;
  problems.error(
      request.initial.where(key, request.where),
      fmt::format("'{}': '{}' has {} numbers for {} states.", request.name, key, values.size(), count),
      "Give one for each, or one for all.");
  return std::nullopt;
}

/// Ports as named by a text parameter, or one vector port.
std::optional<std::vector<Port>> ports_of(const std::string& key, const char* vector_name, std::size_t count,
                                          const char* description, const ModelRequest& request,
                                          ProblemList& problems) {
  const std::string& text = request.parameters.text(key);
  if (count == 0) return std::vector<Port>{};
  if (text.empty()) return std::vector<Port>{{vector_name, {}, count, description}};
  try {
    auto ports = read_port_names(text, description);
    if (ports.size() == count) return ports;
    problems.error(request.parameters.where(key, request.where),
                   fmt::format("'{}': '{}' has {} names, but the matrices want {}.", request.name, key,
                               ports.size(), count),
                   "Name each, or none.");
  } catch (const expression::FormulaError& error) {
    report_formula(error, text, request.name, key, request.parameters.where(key, request.where), problems);
  }
  return std::nullopt;
}

std::unique_ptr<Subsystem> make_state_space(const ModelRequest& request, ProblemList& problems) {
  const auto constants = constants_of(request, problems);
  if (!constants) return nullptr;
  LinearSystem linear;
  for (const auto& [key, matrix] : {std::pair{"A", &linear.A}, std::pair{"B", &linear.B},
                                    std::pair{"C", &linear.C}, std::pair{"D", &linear.D}}) {
    auto read = matrix_of(request, key, *constants, problems);
    if (!read) return nullptr;
    *matrix = std::move(*read);
  }
  const std::size_t n = linear.A.rows;
  if (n == 0) {
    problems.error(request.where, fmt::format("'{}' has no matrix 'A'.", request.name),
                   "Give its rows, as in: A = \"0, 1; -10, -0.2\"");
    return nullptr;
  }
  if (linear.B.rows == 0) linear.B = zeros(n, linear.D.columns);
  if (linear.C.rows == 0) {  // all states
    linear.C = zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) linear.C.values[i * n + i] = 1.0;
  }
  const std::size_t m = linear.B.columns;
  if (linear.D.rows == 0) linear.D = zeros(linear.C.rows, m);
  bool ok = has_size(linear.A, n, n, "A", request, problems);
  ok = has_size(linear.B, n, m, "B", request, problems) && ok;
  ok = has_size(linear.C, linear.C.rows, n, "C", request, problems) && ok;
  ok = has_size(linear.D, linear.C.rows, m, "D", request, problems) && ok;
  const auto inputs = ports_of("inputs", "u", m, "input", request, problems);
  const auto outputs = ports_of("outputs", "y", linear.C.rows, "output", request, problems);
  const auto start = start_values("x", n, request, problems);
  if (!ok || !inputs || !outputs || !start) return nullptr;
  for (const Port& port : *inputs) {
    for (const Port& other : *outputs) {
      if (port.name != other.name) continue;
      problems.error(
          request.where,
          fmt::format("'{}': an input and an output are both named '{}'.", request.name, port.name),
          "Take different names.");
      return nullptr;
    }
  }
  linear.inputs = *inputs;
  linear.outputs = *outputs;
  linear.start = *start;
  const double sample_time_s = request.parameters.number("sample_time");
  if (sample_time_s > 0.0) return make_sampled_linear(std::move(linear), sample_time_s);
  return make_equations(equations_of(linear), request, problems);
}

bool is_symmetric(const Dense& matrix) {
  return (matrix - matrix.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * matrix.cwiseAbs().maxCoeff();
}

std::unique_ptr<Subsystem> make_mechanical(const ModelRequest& request, ProblemList& problems) {
  const auto constants = constants_of(request, problems);
  if (!constants) return nullptr;
  MatrixValues M, C, K, B, L;
  for (const auto& [key, matrix] : {std::pair{"M", &M}, std::pair{"C", &C}, std::pair{"K", &K},
                                    std::pair{"input_map", &B}, std::pair{"output_map", &L}}) {
    auto read = matrix_of(request, key, *constants, problems);
    if (!read) return nullptr;
    *matrix = std::move(*read);
  }
  const std::size_t n = M.rows;
  if (C.rows == 0) C = zeros(n, n);
  if (K.rows == 0) K = zeros(n, n);
  if (B.rows == 0) {  // a force at each coordinate
    B = zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) B.values[i * n + i] = 1.0;
  }
  if (L.rows == 0) {  // where the forces act: their work is f·Lq̇
    L = zeros(B.columns, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < B.columns; ++k) L.values[k * n + i] = B.at(i, k);
    }
  }
  bool ok = n > 0 && has_size(M, n, n, "M", request, problems);
  ok = has_size(C, n, n, "C", request, problems) && ok;
  ok = has_size(K, n, n, "K", request, problems) && ok;
  ok = has_size(B, n, B.columns, "input_map", request, problems) && ok;
  ok = has_size(L, L.rows, n, "output_map", request, problems) && ok;
  const auto x = start_values("x", n, request, problems);
  const auto v = start_values("v", n, request, problems);
  if (!ok || !x || !v) return nullptr;
  const Dense mass = dense(M);
  const Eigen::LLT<Dense> factor(mass);
  if (!is_symmetric(mass) || factor.info() != Eigen::Success) {
    problems.error(request.parameters.where("M", request.where),
                   fmt::format("'{}': 'M' is not symmetric and positive definite.", request.name),
                   "A mass matrix is; other equations fit into equations.state_space.");
    return nullptr;
  }
  if (!is_symmetric(dense(K))) {
    problems.error(request.parameters.where("K", request.where),
                   fmt::format("'{}': 'K' is not symmetric, so it stores no energy.", request.name),
                   "Use equations.state_space for it.");
    return nullptr;
  }
  // Where C is not positive semi-definite, dampers bring energy in at some velocities.
  const Dense damping = 0.5 * (dense(C) + dense(C).transpose());
  const double least = Eigen::SelfAdjointEigenSolver<Dense>(damping).eigenvalues().minCoeff();
  const bool supplies = least < -1e-12 * damping.cwiseAbs().maxCoeff();

  EquationSystem system;
  const std::size_t m = B.columns;
  std::vector<expression::Term> q, rates, f;
  auto& graph = system.graph;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    (i < n ? q : rates).push_back(graph.symbol(static_cast<std::uint32_t>(i)));
    system.states.push_back(
        {fmt::format("{}{}", i < n ? "x" : "v", i % n + 1), i < n ? (*x)[i] : (*v)[i - n], 0});
  }
  system.inputs = {{"force", Unit::of("N"), m, "generalised forces, by the input map"}};
  const std::size_t outputs = L.rows;
  system.outputs = {{"position", Unit::of("m"), outputs, "coordinates, by the output map"},
                    {"velocity", Unit::of("m/s"), outputs, "their rates"}};
  for (std::size_t i = 0; i < m; ++i) f.push_back(graph.symbol(system.input_symbol(i)));
  // M⁻¹ (B f − C q̇ − K q)
  const auto solved = [&](const MatrixValues& matrix) {
    const Dense result = factor.solve(dense(matrix));
    return MatrixValues{matrix.rows, matrix.columns,
                        std::vector<double>(result.data(), result.data() + result.size())};
  };
  const MatrixValues by_force = solved(B), by_rate = solved(C), by_position = solved(K);
  using expression::Operation;
  for (std::size_t i = 0; i < n; ++i) {
    system.states[i].rate = rates[i];
    const auto pull =
        system.plus(system.combination(by_position.row(i), q), system.combination(by_rate.row(i), rates));
    system.states[n + i].rate = graph.make(Operation::subtract, system.combination(by_force.row(i), f), pull);
  }
  for (std::size_t k = 0; k < L.rows; ++k) system.output_terms.push_back(system.combination(L.row(k), q));
  for (std::size_t k = 0; k < L.rows; ++k) system.output_terms.push_back(system.combination(L.row(k), rates));
  const auto quadratic = [&](const MatrixValues& matrix, const std::vector<expression::Term>& y) {
    auto sum = graph.constant(0.0);
    for (std::size_t i = 0; i < n; ++i)
      sum = system.plus(sum, graph.make(Operation::multiply, y[i], system.combination(matrix.row(i), y)));
    return sum;
  };
  EquationSystem::Energy energy;
  energy.kinetic = system.scaled(0.5, quadratic(M, rates));
  energy.stored = system.plus(energy.kinetic, system.scaled(0.5, quadratic(K, q)));
  const auto lost = quadratic(C, rates);
  const auto zero = graph.constant(0.0);
  energy.supplies = supplies;
  energy.dissipated = supplies ? graph.make(Operation::maximum, lost, zero) : lost;
  energy.supplied =
      supplies ? graph.make(Operation::maximum, graph.make(Operation::negate, lost), zero) : zero;
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> column;
    for (std::size_t i = 0; i < n; ++i) column.push_back(B.at(i, k));
    energy.received.push_back(
        graph.make(Operation::multiply, f[k], system.combination(column.data(), rates)));
  }
  system.energy = std::move(energy);
  return make_equations(std::move(system), request, problems);
}

std::unique_ptr<Subsystem> make_transfer_function(const ModelRequest& request, ProblemList& problems) {
  std::vector<double> b = request.parameters.list("numerator");
  std::vector<double> a = request.parameters.list("denominator");
  const auto drop_zeros = [](std::vector<double>& p) {
    p.erase(p.begin(), std::find_if(p.begin(), p.end(), [](double c) { return c != 0.0; }));
  };
  drop_zeros(a);
  drop_zeros(b);
  if (a.size() < 2 || b.empty() || b.size() > a.size()) {
    problems.error(request.parameters.where("denominator", request.where),
                   fmt::format("'{}': the degrees of numerator and denominator are {} and {}.", request.name,
                               static_cast<int>(b.size()) - 1, static_cast<int>(a.size()) - 1),
                   "The denominator has at least degree 1, and no less than the numerator. Coefficients "
                   "begin with the highest power.");
    return nullptr;
  }
  // Controllable canonical form: ẋ_i = x_{i+1}, ẋ_n = (u − Σ a x)/a₀, y = Σ (b − b₀/a₀·a) x + b₀/a₀ u with b₀ of sⁿ.
  const std::size_t n = a.size() - 1;
  LinearSystem linear;
  linear.A = zeros(n, n);
  linear.B = zeros(n, 1);
  linear.C = zeros(1, n);
  linear.D = zeros(1, 1);
  b.insert(b.begin(), a.size() - b.size(), 0.0);
  const double direct = b[0] / a[0];
  linear.D.values[0] = direct;
  for (std::size_t i = 0; i < n; ++i) {
    if (i + 1 < n) linear.A.values[i * n + i + 1] = 1.0;
    linear.A.values[(n - 1) * n + i] = -a[n - i] / a[0];
    linear.C.values[i] = (b[n - i] - direct * a[n - i]) / a[0];
  }
  linear.B.values[n - 1] = 1.0;
  linear.start.assign(n, 0.0);
  linear.inputs = {{"in", {}, 1, "any signal"}};
  linear.outputs = {{"out", {}, 1, "the filtered signal"}};
  return make_equations(equations_of(linear), request, problems);
}

using List = std::vector<double>;

}  // namespace

ModelInfo state_space_model() {
  ModelInfo info;
  info.name = "equations.state_space";
  info.summary =
      "linear equations x' = A x + B u, y = C x + D u; with a sample time those of a discrete system";
  info.parameters = {
      {"A", "", "-1", "rows of formulas of constants, as in \"0, 1; -k/m, -c/m\", or a CSV file"},
      {"B", "", "1", "likewise; empty: no input"},
      {"C", "", "", "likewise; empty: all states are outputs"},
      {"D", "", "", "likewise; empty: 0"},
      constants_parameter(),
      {"inputs", "", "", "names and units of inputs, as in \"force [N]\"; empty: one port u"},
      {"outputs", "", "", "those of outputs, as in \"x [m], v [m/s]\"; empty: one port y"},
      {"sample_time", "s", 0.0, "of a discrete system; 0: continuous", {}, 0.0}};
  info.initial = {{"x", "", List{0.0}, "state at the start: one number for each, or one for all"}};
  info.extend = extend_by_constants;
  info.make = make_state_space;
  const GivenParameters oscillator = {{"A", {"0, 1; -k/m, -c/m", {}}},
                                      {"B", {"0, 0; 1/m, 2", {}}},
                                      {"C", {"1, 0; 0, 1; -k, -c", {}}},
                                      {"D", {"0, 0; 0, 0; 1, 0.5", {}}},
                                      {"constants", {"m = 2, c = 0.3, k = 40", {}}}};
  info.examples = {{"oscillator", oscillator, {{"x", {List{0.2, -1.0}, {}}}}},
                   {"sampled",
                    {{"A", {"0.9, 0.1; -0.2, 0.7", {}}},
                     {"B", {"0.1; 0.4", {}}},
                     {"C", {"1, 2", {}}},
                     {"D", {"0.5", {}}},
                     {"inputs", {"force [N]", {}}},
                     {"outputs", {"response [m]", {}}},
                     {"sample_time", {1e-3, {}}}},
                    {{"x", {List{1.0, -1.0}, {}}}}}};
  return info;
}

ModelInfo mechanical_model() {
  ModelInfo info;
  info.name = "equations.mechanical";
  info.summary = "M q'' + C q' + K q = B f, with its energy account";
  info.parameters = {
      {"M", "", "1", "mass matrix: rows as in \"m1, 0; 0, m2\", or a CSV file"},
      {"C", "", "", "damping matrix; empty: 0"},
      {"K", "", "", "stiffness matrix; empty: 0"},
      {"input_map", "", "", "B, a row per coordinate; empty: one force at each"},
      {"output_map", "", "", "L, a row per output; empty: where the forces act (transpose of B)"},
      constants_parameter()};
  info.initial = {{"x", "m", List{0.0}, "coordinates at the start: one number for each, or one for all"},
                  {"v", "m/s", List{0.0}, "their rates"}};
  info.extend = extend_by_constants;
  info.make = make_mechanical;
  const GivenParameters two = {
      {"M", {"m1, 0.1; 0.1, m2", {}}},
      {"C", {"c1 + cc, -cc; -cc, c2 + cc", {}}},
      {"K", {"k1 + kc, -kc; -kc, k2 + kc", {}}},
      {"constants", {"m1 = 1, m2 = 2, k1 = 10, kc = 100, k2 = 50, c1 = 0.1, cc = 0.2, c2 = 0.3", {}}}};
  const GivenParameters initial = {{"x", {List{0.1, -0.2}, {}}}, {"v", {List{1.0, -1.0}, {}}}};
  info.examples = {
      {"two masses", two, initial}, {"one force", two, initial}, {"negative damping", two, initial}};
  info.examples[1].parameters["input_map"] = {"1; -0.5", {}};
  info.examples[1].parameters["output_map"] = {"1, 0; 0, 1", {}};
  info.examples[2].parameters["c1"] = {-3.0, {}};
  return info;
}

ModelInfo transfer_function_model() {
  ModelInfo info;
  info.name = "equations.transfer_function";
  info.summary = "a linear filter by its transfer function, at rest at the start";
  info.parameters = {{"numerator", "", List{1.0}, "coefficients, the highest power of s first"},
                     {"denominator", "", List{1.0, 1.0}, "likewise; no lower degree than the numerator"}};
  info.make = make_transfer_function;
  info.examples = {
      {"second order", {{"numerator", {List{1.0, 3.0}, {}}}, {"denominator", {List{0.5, 0.4, 9.0}, {}}}}},
      {"lead", {{"numerator", {List{0.2, 1.0}, {}}}, {"denominator", {List{0.05, 1.0}, {}}}}}};
  return info;
}

}  // namespace ergon
