#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace ergon {

/// How many numbers the parts of a StateRow have.
class RowSizes {
 public:
  /// `carried`: what a method takes along beside the state itself. `supplied`: 1 where the model has sources of energy inside.
  RowSizes(std::size_t positions, std::size_t velocities, std::size_t inputs, std::size_t carried = 0,
           std::size_t supplied = 0)
      : positions_(positions),
        velocities_(velocities),
        inputs_(inputs),
        carried_(carried),
        supplied_(supplied) {}
  [[nodiscard]] std::size_t positions() const { return positions_; }
  [[nodiscard]] std::size_t velocities() const { return velocities_; }
  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t carried() const { return carried_; }
  [[nodiscard]] std::size_t supplied() const { return supplied_; }
  /// Numbers of w.
  [[nodiscard]] std::size_t accounts() const { return 1 + inputs_ + supplied_; }

 private:
  std::size_t positions_, velocities_, inputs_, carried_, supplied_;
};

/// The same as constants: the row then lies inside the subsystem, and loops over it are straight-line code.
template <std::size_t n_positions, std::size_t n_velocities, std::size_t n_inputs, std::size_t n_supplied = 0>
struct ConstantRowSizes {
  static constexpr std::size_t positions() { return n_positions; }
  static constexpr std::size_t velocities() { return n_velocities; }
  static constexpr std::size_t inputs() { return n_inputs; }
  static constexpr std::size_t carried() { return 0; }
  static constexpr std::size_t supplied() { return n_supplied; }
  static constexpr std::size_t accounts() { return 1 + n_inputs + n_supplied; }
};

template <typename Sizes>
concept AreConstant = requires {
  typename std::integral_constant<std::size_t, Sizes::positions()>;
};

/// Everything that a native model carries from one step to the next, as one row of numbers:
///   [q, v, w (1 + inputs + supplied), u_last (inputs), q_before (as q), h_last, carried]
///   w         cumulative energies: dissipated, then received through each input, then supplied where there are sources inside
///   u_last    the inputs that the state last felt
///   q_before  q before its last motion (of a leapfrog; else q)
///   h_last    how far v is behind q, twice (of a leapfrog; else 0)
/// q, v and w lie one behind the other, so that methods of first order take them for one vector.
template <typename Sizes>
class StateRow {
 public:
  static constexpr bool is_constant = AreConstant<Sizes>;

  explicit StateRow(const Sizes& sizes) : sizes_(sizes) {
    if constexpr (!is_constant) values_.resize(size_with(sizes));
  }

  /// With these values.
  StateRow(const Sizes& sizes, const double* values) requires(is_constant)
      : sizes_(sizes), values_(copied(values)) {}
  /// Of all values.
  static constexpr std::size_t bytes() requires(is_constant) { return sizeof(double) * size_with(Sizes{}); }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] std::span<double> values() { return values_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }

  double* q() { return values_.data(); }
  double* v() { return q() + sizes_.positions(); }
  double* w() { return v() + sizes_.velocities(); }
  double* u_last() { return w() + sizes_.accounts(); }
  double* q_before() { return u_last() + sizes_.inputs(); }
  double& h_last() { return q_before()[sizes_.positions()]; }
  double* carried() { return q_before() + sizes_.positions() + 1; }
  [[nodiscard]] const double* q() const { return values_.data(); }
  [[nodiscard]] const double* v() const { return q() + sizes_.positions(); }
  [[nodiscard]] const double* w() const { return v() + sizes_.velocities(); }
  [[nodiscard]] const double* u_last() const { return w() + sizes_.accounts(); }
  [[nodiscard]] const double* q_before() const { return u_last() + sizes_.inputs(); }
  [[nodiscard]] double h_last() const { return q_before()[sizes_.positions()]; }
  [[nodiscard]] const double* carried() const { return q_before() + sizes_.positions() + 1; }

 private:
  static constexpr std::size_t size_with(const Sizes& sizes) {
    return 2 * sizes.positions() + sizes.velocities() + sizes.accounts() + sizes.inputs() + 1 +
           sizes.carried();
  }
  static constexpr auto storage() {
    if constexpr (is_constant) {
      return std::array<double, size_with(Sizes{})>{};
    } else {
      return std::vector<double>{};
    }
  }

  [[gnu::always_inline]] static auto copied(const double* values) requires(is_constant) {
    decltype(storage()) copy;
    std::memcpy(copy.data(), values, bytes());
    return copy;
  }

  [[no_unique_address]] Sizes sizes_;
  decltype(storage()) values_{};
};

}  // namespace ergon
