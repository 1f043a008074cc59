#include "ergon/coupling/start/static_equilibrium.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <set>

#include "ergon/coupling/start/start_evaluation.hpp"
#include "ergon/coupling/state/subsystem_failure.hpp"
#include "ergon/numerics/nonlinear_solver.hpp"

// A static equilibrium at t₀: the derivatives of all states vanish, with outputs and feed-through loops evaluated as at
// any start. Equations are the derivatives, unknowns the free quantities. There are usually more equations than unknowns
// (q̇ = v holds wherever v = 0), so:
//   1. the derivatives' Jacobian at the first guess tells which equations depend on the free quantities; pivoting picks as
//      many independent ones as there are unknowns, else the system is not square
//   2. Newton's method solves these
//   3. all other derivatives must vanish there, too: else too little is free, or what is held is not an equilibrium

namespace ergon {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Of the largest pivot: rows that differ by less are not separate equations.
constexpr double rank_tolerance = 1e-9;
/// An equation that the free quantities move by less than this part of what all states could do to it does not depend on
/// them: it is the round-off of the difference quotients.
constexpr double dependence = 1e-8;
/// Relative step of difference quotients: errors of 1e-6 of the second derivative, and 1e-10 by round-off.
constexpr double difference = 1e-6;
/// A derivative is zero if it is this little against what its state variables could do to it: 1e-6, so that angles may be
/// given with seven digits.
constexpr double stillness = 1e-6;

/// The states of one subsystem among all of them.
struct Part {
  StateDerivative* model = nullptr;
  Index node = 0;
  const double* inputs = nullptr;
  std::size_t first = 0;
  std::vector<std::string> names;
};

/// Something that may be free: a state, or an unconnected input.
struct Quantity {
  std::string name;
  double* value = nullptr;            ///< in the vector of states
  std::optional<SlotAddress> slot{};  ///< of an input
};

std::string list(const std::vector<std::string>& names) {
  return fmt::format("'{}'", fmt::join(names, "', '"));
}

class Equilibrium {
 public:
  Equilibrium(const CouplingPlan& plan, CouplingState& state, const EquilibriumRequest& request)
      : plan_(plan), system_(plan.system()), state_(state), request_(request) {}

  void solve(ProblemList& problems) {
    collect_parts(problems);
    choose_free(problems);
    if (problems.has_errors()) return;
    if (!choose_equations(problems) || !find_root(problems)) return;
    check_stillness(problems);
  }

 private:
  template <class Call>
  decltype(auto) blame(Index node, Call&& call) const {
    return blaming(system_.nodes[node].name, plan_.grid().time_s(0), call);
  }

  void collect_parts(ProblemList& problems) {
    for (Index s = 0; s < plan_.stages().size(); ++s) {
      for (const Member& m : plan_.stage(s).members) {
        const Node& node = plan_.node_of(m);
        if (node.description->algebraic) continue;
        StateDerivative* model = m.subsystem->state_derivative();
        if (model != nullptr) {
          const double* inputs = state_.stage(s).coefficients() + m.first_input;
          parts_.push_back({model, m.node, inputs, 0, blame(m.node, [&] { return model->state_names(); })});
          continue;
        }
        // A road, a cable, an FMU: what it sends at the start acts on the others all the same.
        problems.note(
            node.where,
            fmt::format("'{}' does not provide the derivative of its state: it starts as given, and "
                        "whether it is at rest is not checked.",
                        node.name));
      }
    }
    // By name: which equations are picked must not depend on the stages.
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.node < b.node; });
    std::size_t count = 0;
    for (Part& part : parts_) {
      part.first = count;
      count += part.names.size();
      for (const std::string& name : part.names)
        state_names_.push_back(system_.nodes[part.node].name + "." + name);
    }
    states_.resize(count);
    for (const Part& part : parts_)
      blame(part.node, [&] { part.model->states(states_.data() + part.first); });
    for (const double value : states_) sizes_.push_back(value != 0.0 ? std::abs(value) : 1.0);
  }

  std::optional<Quantity> find(const EquilibriumRequest::Quantity& wanted, ProblemList& problems) {
    const auto state = std::find(state_names_.begin(), state_names_.end(), wanted.name);
    if (state != state_names_.end())
      return Quantity{wanted.name, &states_[static_cast<std::size_t>(state - state_names_.begin())]};
    const auto input = system_.find_input(wanted.name);
    if (input && system_.inputs[*input].type != PortType::real) {
      problems.error(wanted.where,
                     fmt::format("[initialization] names '{}', an input that is not a real.", wanted.name),
                     "Only reals can be solved for.");
      return std::nullopt;
    }
    if (input && !system_.links[*input]) return Quantity{wanted.name, nullptr, plan_.input(*input)};
    if (input) {
      problems.error(
          wanted.where,
          fmt::format("[initialization] names '{}', an input that something is connected to.", wanted.name),
          "Name a state of the subsystem that it comes from.");
      return std::nullopt;
    }
    std::vector<std::string> names = state_names_;
    for (Index i = 0; i < system_.inputs.size(); ++i) {
      if (!system_.links[i] && system_.inputs[i].type == PortType::real)
        names.push_back(system_.inputs[i].text);
    }
    problems.error(
        wanted.where,
        fmt::format("[initialization] names '{}', which is neither a state nor an unconnected input.",
                    wanted.name),
        did_you_mean(wanted.name, names));
    return std::nullopt;
  }

  void choose_free(ProblemList& problems) {
    std::set<std::string> seen;
    const auto read = [&](const std::vector<EquilibriumRequest::Quantity>& wanted, bool free) {
      for (const EquilibriumRequest::Quantity& quantity : wanted) {
        const auto found = find(quantity, problems);
        if (!found) continue;
        if (!seen.insert(quantity.name).second) {
          problems.error(quantity.where, fmt::format("[initialization] names '{}' twice.", quantity.name),
                         "Name it once, in 'free' or in 'hold'.");
        } else if (free) {
          free_.push_back(*found);
        }
      }
    };
    read(request_.free, true);
    read(request_.hold, false);
    x_.resize(static_cast<Eigen::Index>(free_.size()));
    scale_.resize(x_.size());
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      x_[i] = free_[j].slot ? slot_value(*free_[j].slot) : *free_[j].value;
      scale_[i] = x_[i] != 0.0 ? std::abs(x_[i]) : 1.0;
    }
  }

  double& slot_value(SlotAddress a) { return state_.stage(a.stage).point_inputs()[a.offset]; }

  /// All derivatives with the free quantities as given; false where they have none.
  bool derivatives(const double* x, double* z_dot) {
    for (std::size_t j = 0; j < free_.size(); ++j) {
      if (free_[j].slot) {
        slot_value(*free_[j].slot) = x[j];
      } else {
        *free_[j].value = x[j];
      }
    }
    return derivatives_at_states(z_dot);
  }
  bool derivatives_at_states(double* z_dot) {
    for (const Part& part : parts_)
      blame(part.node, [&] { part.model->set_states(states_.data() + part.first); });
    undefined_.clear();
    ProblemList unheard;  // a trial that fails is no problem
    if (StartEvaluation(plan_, state_).evaluate(unheard) || unheard.has_errors()) return false;
    for (const Part& part : parts_) {
      if (blame(part.node, [&] {
            return part.model->derivative(plan_.grid().time_s(0), part.inputs, z_dot + part.first);
          }))
        continue;
      undefined_ = system_.nodes[part.node].name;
      return false;
    }
    return std::all_of(z_dot, z_dot + states_.size(), [](double rate) { return std::isfinite(rate); });
  }

  bool choose_equations(ProblemList& problems) {
    const auto m = static_cast<Eigen::Index>(states_.size());
    const Eigen::Index n = x_.size();
    if (n == 0) return true;
    Vector at_guess(m), beside(m);
    bool defined = derivatives(x_.data(), at_guess.data());
    Matrix J(m, n);
    for (Eigen::Index j = 0; defined && j < n; ++j) {
      Vector x = x_;
      x[j] += difference * scale_[j];
      defined = derivatives(x.data(), beside.data());
      J.col(j) = (beside - at_guess) / difference;  // per scale of the unknown
    }
    if (!defined) {
      report_undefined("with the first guesses", problems);
      return false;
    }
    row_scale_ = J.cwiseAbs().rowwise().sum();
    derivatives(x_.data(), at_guess.data());
    const std::vector<double> reach = reach_of_states(at_guess.data());
    Matrix scaled = Matrix::Zero(m, n);
    for (Eigen::Index i = 0; i < m; ++i) {
      if (row_scale_[i] > dependence * reach[static_cast<std::size_t>(i)])
        scaled.row(i) = J.row(i) / row_scale_[i];
    }
    Eigen::ColPivHouseholderQR<Matrix> qr(scaled.transpose());
    qr.setThreshold(rank_tolerance);
    if (qr.rank() < n) return refuse_free_ones(scaled, qr.rank(), problems);
    for (Eigen::Index k = 0; k < n; ++k) rows_.push_back(qr.colsPermutation().indices()[k]);
    return true;
  }

  void report_undefined(const std::string& where, ProblemList& problems) const {
    problems.error(
        request_.where,
        fmt::format("The static equilibrium cannot be looked for: {}, {}.", where,
                    undefined_.empty() ? std::string("outputs or derivatives cannot be evaluated")
                                       : fmt::format("'{}' is outside of what it can be in", undefined_)),
        "Give other start values in 'initial'; a run with mode = \"given\" shows what is wrong.");
  }

  bool refuse_free_ones(const Matrix& scaled, Eigen::Index rank, ProblemList& problems) {
    std::vector<std::string> names, idle;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      names.push_back(free_[j].name);
      if (scaled.col(static_cast<Eigen::Index>(j)).cwiseAbs().maxCoeff() == 0.0)
        idle.push_back(free_[j].name);
    }
    problems.error(
        request_.where,
        fmt::format(
            "The static equilibrium is not determined: {} free quantities, {}, but only {} independent "
            "equations depend on them at the first guesses.{}",
            free_.size(), list(names), rank,
            idle.empty() ? "" : fmt::format(" No derivative depends on {}.", list(idle))),
        "Free fewer quantities, or give other first guesses in 'initial'.");
    return false;
  }

  bool find_root(ProblemList& problems) {
    const std::size_t n = free_.size();
    std::vector<double> all(states_.size());
    std::vector<double> x(n);
    const auto at = [](std::size_t j) { return static_cast<Eigen::Index>(j); };
    const auto residual = [&](const double* y, double* r) {
      for (std::size_t j = 0; j < n; ++j) x[j] = y[j] * scale_[at(j)];
      if (!derivatives(x.data(), all.data())) return false;
      for (std::size_t k = 0; k < n; ++k)
        r[k] = all[static_cast<std::size_t>(rows_[k])] / row_scale_[rows_[k]];
      return true;
    };
    std::vector<double> y(n);
    for (std::size_t j = 0; j < n; ++j) y[j] = x_[at(j)] / scale_[at(j)];
    const auto result = numerics::solve_nonlinear(n, residual, y.data());
    for (std::size_t j = 0; j < n; ++j) x_[at(j)] = y[j] * scale_[at(j)];
    if (result.converged) {
      if (derivatives(x_.data(), all.data())) return true;
      report_undefined("at " + values(), problems);
      return false;
    }
    problems.error(request_.where,
                   fmt::format("No static equilibrium was found after {} iterations: {}. Last: {}.",
                               result.iterations, result.reason, values()),
                   "Give first guesses in 'initial' that are nearer to it, or free other quantities.");
    return false;
  }

  [[nodiscard]] std::string values() const {
    std::vector<std::string> texts;
    for (std::size_t j = 0; j < free_.size(); ++j)
      texts.push_back(fmt::format("{} = {:.9g}", free_[j].name, x_[static_cast<Eigen::Index>(j)]));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  /// What the states could do to each derivative, by changes as large as they are, or were at the first guess: an
  /// equilibrium may well be at zero.
  std::vector<double> reach_of_states(const double* rates) {
    const std::size_t m = states_.size();
    std::vector<double> beside(m), reach(m, 0.0);
    for (std::size_t k = 0; k < m; ++k) {
      const double value = states_[k];
      states_[k] = value + difference * std::max(std::abs(value), sizes_[k]);
      if (derivatives_at_states(beside.data())) {
        for (std::size_t i = 0; i < m; ++i) reach[i] += std::abs(beside[i] - rates[i]) / difference;
      }
      states_[k] = value;
    }
    return reach;
  }

  void check_stillness(ProblemList& problems) {
    const std::size_t m = states_.size();
    std::vector<double> rates(m);
    if (!derivatives(x_.data(), rates.data())) {
      report_undefined("at " + values(), problems);
      return;
    }
    const std::vector<double> reach = reach_of_states(rates.data());
    std::vector<std::string> moving;
    for (std::size_t i = 0; i < m; ++i) {
      if (std::abs(rates[i]) > stillness * reach[i])
        moving.push_back(fmt::format("{} changes by {:.6g} per second", state_names_[i], rates[i]));
    }
    derivatives(x_.data(), rates.data());
    if (moving.empty()) {
      if (!free_.empty()) problems.note(request_.where, "Static equilibrium: " + values() + ".");
      return;
    }
    problems.error(
        request_.where,
        fmt::format("What is held is not a static equilibrium{}: {}.",
                    free_.empty() ? "" : ", whatever the free quantities are", fmt::join(moving, "; ")),
        "Free one more quantity for each, or hold others.");
  }

  const CouplingPlan& plan_;
  const CoupledSystem& system_;
  CouplingState& state_;
  const EquilibriumRequest& request_;
  std::vector<Part> parts_;
  std::vector<std::string> state_names_;
  std::vector<double> states_;
  std::vector<double> sizes_;  ///< of the states at the first guess; 1 for what is zero there
  std::string undefined_;      ///< the subsystem whose derivatives could not be had last
  std::vector<Quantity> free_;
  Vector x_;          ///< the free quantities
  Vector scale_;      ///< their sizes
  Vector row_scale_;  ///< of each derivative: what the free quantities could do to it
  std::vector<Eigen::Index> rows_;
};

}  // namespace

void solve_equilibrium(const CouplingPlan& plan, CouplingState& state, const EquilibriumRequest& request,
                       ProblemList& problems) {
  Equilibrium(plan, state, request).solve(problems);
}

}  // namespace ergon
