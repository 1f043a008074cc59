// States of subsystems in Python: in the object, or kept here and integrated.
#include <pybind11/stl.h>

#include <algorithm>
#include <cassert>

#include "python_subsystem.hpp"

namespace ergon::python {
namespace {

/// A state as the object has saved it.
struct ObjectSlot final : StateSlot {
  std::unique_ptr<SharedObject> saved;
};

}  // namespace

StepStatus SteppedSubsystem::step(double t, double h, const InputView& u) {
  // Planes of a stage are longer than the inputs of one subsystem.
  at_start_.resize(input_count());
  for (std::size_t i = 0; i < input_count(); ++i) at_start_[i] = u.start(i);
  with_python([&] { static_cast<void>(call(calls_->step, {t, h, at_start_.data()})); });
  return {};
}

std::unique_ptr<StateSlot> SteppedSubsystem::make_slot() const {
  return std::make_unique<ObjectSlot>();
}

void SteppedSubsystem::save(StateSlot& slot) const {
  with_python([&] { static_cast<ObjectSlot&>(slot).saved = std::make_unique<SharedObject>(calls_->save()); });
}

void SteppedSubsystem::restore(const StateSlot& slot) {
  const auto& saved = static_cast<const ObjectSlot&>(slot).saved;
  assert(saved != nullptr);
  with_python([&] { calls_->restore(saved->object); });
}

void SteppedSubsystem::serialize(const StateSlot& slot, std::vector<std::byte>& bytes) const {
  const auto& saved = static_cast<const ObjectSlot&>(slot).saved;
  assert(saved != nullptr);
  with_python([&] {
    const py::bytes text = calls_->serialize(saved->object);
    const auto view = static_cast<std::string_view>(text);
    const auto row = std::as_bytes(std::span(view));
    bytes.assign(row.begin(), row.end());
  });
}

bool SteppedSubsystem::deserialize(std::span<const std::byte> bytes, StateSlot& slot) const {
  const py::gil_scoped_acquire lock;
  try {
    py::object state =
        calls_->deserialize(py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    static_cast<ObjectSlot&>(slot).saved = std::make_unique<SharedObject>(std::move(state));
    return true;
  } catch (const py::error_already_set&) {
    return false;
  }
}

IntegratedSubsystem::IntegratedSubsystem(const py::dict& plan) : PythonSubsystem(plan) {
  names_ = plan["state_names"].cast<std::vector<std::string>>();
  initial_ = plan["state_values"].cast<std::vector<double>>();
  substeps_ = plan["substeps"].cast<std::size_t>();
  x_ = initial_;
  at_ = x_.data();
  for (std::vector<double>* row : {&stage_, &k1_, &k2_, &k3_, &k4_}) row->resize(x_.size());
}

void IntegratedSubsystem::evaluate(double t, const double* x, const double* u, double* rates) const {
  at_ = x;
  const auto back = [this] { at_ = x_.data(); };
  try {
    const py::object returned = call(calls_->derivatives, {t, 0.0, u});
    const auto values = py::reinterpret_steal<py::object>(PySequence_Fast(returned.ptr(), "not a sequence"));
    if (!values && x_.size() == 1 && PyNumber_Check(returned.ptr()) != 0) {
      PyErr_Clear();
      rates[0] = returned.cast<double>();
    } else {
      if (!values || static_cast<std::size_t>(PySequence_Fast_GET_SIZE(values.ptr())) != x_.size()) {
        PyErr_Clear();
        throw std::runtime_error("derivatives() must return " + std::to_string(x_.size()) +
                                 " numbers, one per state");
      }
      for (std::size_t i = 0; i < x_.size(); ++i) {
        rates[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i)));
        if (rates[i] == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
      }
    }
  } catch (...) {
    back();
    throw;
  }
  back();
}

// Classical Runge–Kutta method of order 4: x₊ = x + h/6 (k₁ + 2k₂ + 2k₃ + k₄), with inputs along their polynomials.
StepStatus IntegratedSubsystem::step(double t, double h, const InputView& u) {
  with_python([&] {
    const std::size_t n = x_.size();
    u_.resize(input_count());
    const auto inputs_at = [&](double tau) {
      for (std::size_t i = 0; i < input_count(); ++i) u_[i] = u(i, tau);
      return u_.data();
    };
    const auto at_stage = [&](const std::vector<double>& k, double length) {
      for (std::size_t i = 0; i < n; ++i) stage_[i] = x_[i] + length * k[i];
      return stage_.data();
    };
    std::vector<double> before = x_;
    const double length = h / static_cast<double>(substeps_);
    try {
      for (std::size_t s = 0; s < substeps_; ++s) {
        const double tau = length * static_cast<double>(s);
        evaluate(t + tau, x_.data(), inputs_at(tau), k1_.data());
        evaluate(t + tau + 0.5 * length, at_stage(k1_, 0.5 * length), inputs_at(tau + 0.5 * length),
                 k2_.data());
        evaluate(t + tau + 0.5 * length, at_stage(k2_, 0.5 * length), inputs_at(tau + 0.5 * length),
                 k3_.data());
        evaluate(t + tau + length, at_stage(k3_, length), inputs_at(tau + length), k4_.data());
        for (std::size_t i = 0; i < n; ++i)
          x_[i] += length / 6.0 * (k1_[i] + 2.0 * k2_[i] + 2.0 * k3_[i] + k4_[i]);
      }
    } catch (...) {
      std::copy(before.begin(), before.end(), x_.begin());  // a step that fails leaves the state as it was
      throw;
    }
  });
  return {};
}

void IntegratedSubsystem::states(double* z) const {
  std::copy(x_.begin(), x_.end(), z);
}

void IntegratedSubsystem::set_states(const double* z) {
  std::copy_n(z, x_.size(), x_.begin());
}

bool IntegratedSubsystem::derivative(double t, const double* u, double* z_dot) const {
  with_python([&] { evaluate(t, x_.data(), u, z_dot); });
  return true;
}

void IntegratedSubsystem::write_row(std::span<double> row) const {
  std::copy(x_.begin(), x_.end(), row.begin());
}

void IntegratedSubsystem::read_row(std::span<const double> row) {
  std::copy(row.begin(), row.end(), x_.begin());
}

}  // namespace ergon::python
