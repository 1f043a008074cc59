#include "ergon/coupling/schemes/implicit/variable_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ergon/core/unit_kinds.hpp"

namespace ergon {
namespace {

/// Below this a variable counts as zero, and then is measured by `size_of_zero`.
constexpr double nothing = 1e-12;
constexpr double size_of_zero = 1e-4;
/// Of the largest variable of the same dimension: none is measured by less.
constexpr double floor_of_weights = 1e-3;
/// What is larger, or no number, is not finite.
constexpr double most = std::numeric_limits<double>::max();

/// max |g|/size
template <typename Size>
double largest_part(const Eigen::VectorXd& g, const Size& size) {
  const double* residual = g.data();
  const auto n = static_cast<std::size_t>(g.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double part = std::abs(residual[i]) / size(i);
    if (!(part <= most)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, part);
  }
  return largest;
}

}  // namespace

VariableSizes::VariableSizes(const CoupledSystem& system, const InterfaceStructure& structure) {
  const auto& unknowns = structure.unknowns;
  UnitKinds kinds;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const SignalName& signal = system.outputs[unknowns[i].output];
    const SignalName* last = i > 0 ? &system.outputs[unknowns[i - 1].output] : nullptr;
    if (last == nullptr || last->node != signal.node || last->port != signal.port) {
      ports_.push_back({i, i, kinds.of(system.nodes[signal.node].description->outputs[signal.port].unit)});
    }
    ++ports_.back().end;
    ports_are_scalar_ = ports_are_scalar_ && ports_.back().end == ports_.back().first + 1;
  }
  largest_of_kind_.resize(kinds.count());
  const auto n = static_cast<Eigen::Index>(unknowns.size());
  accepted_.setZero(n);
  weights_.setOnes(n);
  of_increments_.setOnes(n);
}

void VariableSizes::begin(const Eigen::VectorXd& u, const Eigen::VectorXd& g) {
  if (ports_are_scalar_)
    begin<true>(u.data(), g.data());
  else
    begin<false>(u.data(), g.data());
}

/// Of one port: calls `with(i)` for each of its variables.
template <bool scalar, typename With>
void VariableSizes::each(const Port& port, const With& with) {
  if constexpr (scalar) {
    with(port.first);
  } else {
    for (std::size_t i = port.first; i < port.end; ++i) with(i);
  }
}

template <bool scalar>
void VariableSizes::begin(const double* u, const double* g) {
  const double* accepted = accepted_.data();
  double* weights = weights_.data();
  double* of_increments = of_increments_.data();
  std::fill(largest_of_kind_.begin(), largest_of_kind_.end(), 0.0);
  for (Port& port : ports_) {
    double size = 0.0;
    each<scalar>(port, [&](std::size_t i) { size = std::max(std::max(size, accepted[i]), std::abs(u[i])); });
    // Of something that has been zero so far, what is evaluated is the only hint.
    if (!(size > nothing)) {
      each<scalar>(port, [&](std::size_t i) { size = std::max(size, std::abs(u[i] - g[i])); });
    }
    port.size = size;
    double& largest = largest_of_kind_[port.kind];
    if (size > largest && size <= most) largest = size;
  }
  for (const Port& port : ports_) {
    // Forces are measured by the largest force: one that begins to act must not look infinite beside what it was.
    const double largest = largest_of_kind_[port.kind];
    const bool known = port.size <= most && port.size > nothing;
    double weight = std::max(known ? port.size : 0.0, (known ? floor_of_weights : 1.0) * largest);
    if (!(weight > nothing)) weight = 1.0;
    // Differences must stand out of the rounding of Y, which may be larger than u.
    double of_increment = weight;
    each<scalar>(port, [&](std::size_t i) {
      const double y = std::abs(u[i] - g[i]);
      if (y > of_increment && y <= most) of_increment = y;
    });
    each<scalar>(port, [&](std::size_t i) {
      weights[i] = weight;
      of_increments[i] = of_increment;
    });
  }
}

void VariableSizes::accept(const Eigen::VectorXd& u, const Eigen::VectorXd& g) {
  if (ports_are_scalar_)
    accept<true>(u.data(), g.data());
  else
    accept<false>(u.data(), g.data());
}

template <bool scalar>
void VariableSizes::accept(const double* u, const double* g) {
  double* accepted = accepted_.data();
  for (const Port& port : ports_) {
    double size = 0.0;
    each<scalar>(port, [&](std::size_t i) {
      const double of_both = std::max(std::abs(u[i]), std::abs(u[i] - g[i]));
      size = std::max(std::max(size, accepted[i]), of_both);
    });
    each<scalar>(port, [&](std::size_t i) { accepted[i] = size; });
  }
}

double VariableSizes::weighted_residual(const Eigen::VectorXd& g) const {
  return largest_part(g, [weights = weights_.data()](std::size_t i) { return weights[i]; });
}

double VariableSizes::relative_residual(const Eigen::VectorXd& u, const Eigen::VectorXd& g) const {
  return largest_part(g, [accepted = accepted_.data(), trial = u.data()](std::size_t i) {
    const double size = std::max(accepted[i], std::abs(trial[i]));
    return size > nothing ? size : size_of_zero;
  });
}

void VariableSizes::archive(Archive& archive) {
  archive(std::span<double>(accepted_.data(), static_cast<std::size_t>(accepted_.size())));
}

}  // namespace ergon
