#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/capabilities.hpp"

namespace ergon {

/// Saving, restoring and serialising for a subsystem whose whole state is one row of numbers. A stateless one has an empty row.
/// Bytes are the numbers as they lie in memory: for the same machine, not for an archive.
class ERGON_API FlatState : public Rewindable, public Serializable {
 public:
  [[nodiscard]] std::unique_ptr<StateSlot> make_slot() const final {
    return std::make_unique<Slot>(row_size());
  }
  void save(StateSlot& slot) const final { write_row(row_of(slot)); }
  void restore(const StateSlot& slot) final { read_row(row_of(slot)); }

  void serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const final {
    const auto row = std::as_bytes(row_of(slot));
    bytes.assign(row.begin(), row.end());
  }
  bool deserialize(std::span<const std::byte> bytes, StateSlot& slot) const final {
    const auto row = std::as_writable_bytes(row_of(slot));
    if (bytes.size() != row.size()) return false;
    if (!bytes.empty()) std::memcpy(row.data(), bytes.data(), bytes.size());
    return true;
  }

 protected:
  [[nodiscard]] virtual std::size_t row_size() const = 0;
  virtual void write_row(std::span<double> row) const = 0;
  virtual void read_row(std::span<const double> row) = 0;

 private:
  struct Slot final : StateSlot {
    explicit Slot(std::size_t size) : row(size) {}
    std::vector<double> row;
  };
  [[nodiscard]] std::span<double> row_of(StateSlot& slot) const {
    std::vector<double>& row = static_cast<Slot&>(slot).row;
    assert(row.size() == row_size());
    return row;
  }
  [[nodiscard]] std::span<const double> row_of(const StateSlot& slot) const {
    return row_of(const_cast<StateSlot&>(slot));
  }
};

/// A subsystem without states: nothing to save, and never in motion.
class NoState : public FlatState, public StateDerivative {
 public:
  [[nodiscard]] std::vector<std::string> state_names() const override { return {}; }
  void states(double* /*z*/) const override {}
  void set_states(const double* /*z*/) override {}
  bool derivative(double /*t*/, const double* /*u*/, double* /*z_dot*/) const override { return true; }

 protected:
  [[nodiscard]] std::size_t row_size() const override { return 0; }
  void write_row(std::span<double> /*row*/) const override {}
  void read_row(std::span<const double> /*row*/) override {}
};

}  // namespace ergon
