#include "python_subsystem.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

namespace ergon::python {
namespace {

Port port_from(const py::dict& given) {
  Port port;
  port.name = given["name"].cast<std::string>();
  const auto unit = given["unit"].cast<std::string>();
  const auto parsed = Unit::parse(unit);
  if (!parsed && !unit.empty())
    throw std::runtime_error("the unit '" + unit + "' of port '" + port.name + "' is not known");
  if (parsed) port.unit = *parsed;
  port.size = given["size"].cast<std::size_t>();
  port.description = given["description"].cast<std::string>();
  port.start = given["start"].cast<double>();
  port.optional = given["optional"].cast<bool>();
  return port;
}

double number(PyObject* value, const char* what) {
  const double result = PyFloat_CheckExact(value) ? PyFloat_AS_DOUBLE(value) : PyFloat_AsDouble(value);
  if (result == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw std::runtime_error(std::string(what) + " returned a " + Py_TYPE(value)->tp_name +
                             " where a number belongs");
  }
  return result;
}

/// A copy: it may be kept.
PyObject* array(const double* values, std::size_t count) {
  return py::array_t<double>(static_cast<py::ssize_t>(count), values).release().ptr();
}

/// The numbers of a sequence into `y`, as many as belong there.
void read_numbers(PyObject* values, std::size_t count, double* y, const char* what) {
  const auto fast = py::reinterpret_steal<py::object>(PySequence_Fast(values, "not a sequence"));
  if (!fast) {
    PyErr_Clear();
    throw std::runtime_error(std::string(what) + " returned a " + Py_TYPE(values)->tp_name + ", not " +
                             std::to_string(count) + " numbers");
  }
  const auto size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast.ptr()));
  if (size != count)
    throw std::runtime_error(std::string(what) + " returned " + std::to_string(size) + " values, not " +
                             std::to_string(count));
  for (std::size_t i = 0; i < count; ++i)
    y[i] = number(PySequence_Fast_GET_ITEM(fast.ptr(), static_cast<Py_ssize_t>(i)), what);
}

}  // namespace

PythonSubsystem::PythonSubsystem(const py::dict& plan) : calls_(std::make_unique<Calls>()) {
  for (const py::handle port : py::list(plan["inputs"]))
    description_.inputs.push_back(port_from(py::reinterpret_borrow<py::dict>(port)));
  for (const py::handle port : py::list(plan["outputs"]))
    description_.outputs.push_back(port_from(py::reinterpret_borrow<py::dict>(port)));
  for (const py::handle pair : py::list(plan["feedthrough"])) {
    const auto both = pair.cast<std::pair<std::size_t, std::size_t>>();
    description_.feedthrough.push_back({both.first, both.second});
  }
  description_.samples_input =
      plan["follows_inputs"].cast<bool>() ? InputSampling::continuous : InputSampling::start;
  description_.kind = plan["kind"].cast<std::string>();
  description_.thread_safe = false;  // the interpreter lock allows one at a time
  for (const Port& port : description_.inputs) {
    first_input_.push_back(input_count_);
    input_count_ += port.size;
  }
  for (const Port& port : description_.outputs) output_count_ += port.size;
  calls_->initialize = method_of(plan, "initialize_method");
  calls_->step = method_of(plan, "step_method");
  calls_->derivatives = method_of(plan, "derivatives_method");
  calls_->outputs = method_of(plan, "outputs_method");
  calls_->energy = method_of(plan, "energy_method");
  calls_->jacobian = method_of(plan, "jacobian_method");
  const auto optional = [&plan](const char* name) {
    return plan.contains(name) && !plan[name].is_none() ? py::object(plan[name]) : py::object();
  };
  calls_->save = optional("save");
  calls_->restore = optional("restore");
  calls_->serialize = optional("serialize");
  calls_->deserialize = optional("deserialize");
  has_account_ = static_cast<bool>(calls_->energy);
  has_jacobian_ = static_cast<bool>(calls_->jacobian);
  energy_of_inputs_ = std::any_of(
      calls_->energy.arguments.begin(), calls_->energy.arguments.end(),
      [](const Argument& a) { return a.kind == ArgumentKind::input || a.kind == ArgumentKind::all_inputs; });
  if (!plan["through"].is_none()) through_ = first_input_.at(plan["through"].cast<std::size_t>());
}

PythonSubsystem::~PythonSubsystem() {
  if (Py_IsInitialized() == 0) {
    static_cast<void>(calls_.release());  // the interpreter is gone, and its objects with it
    return;
  }
  const py::gil_scoped_acquire lock;
  calls_.reset();
}

PyObject* PythonSubsystem::argument(const Argument& argument, const Moment& moment) const {
  switch (argument.kind) {
    case ArgumentKind::time:
      return PyFloat_FromDouble(moment.t);
    case ArgumentKind::step:
      return PyFloat_FromDouble(moment.h);
    case ArgumentKind::all_states:
      return array(state_row(), state_size());
    case ArgumentKind::state:
      return PyFloat_FromDouble(state_row()[argument.number]);
    case ArgumentKind::input:
      return input(argument.number, moment.u);
    case ArgumentKind::all_inputs:
      break;
  }
  const std::size_t count = description_.inputs.size();
  PyObject* const all = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (std::size_t i = 0; all != nullptr && i < count; ++i)
    PyTuple_SET_ITEM(all, static_cast<Py_ssize_t>(i), input(i, moment.u));
  return all;
}

PyObject* PythonSubsystem::input(std::size_t port, const double* u) const {
  const double* const values = u + first_input_[port];
  const std::size_t size = description_.inputs[port].size;
  return size == 1 ? PyFloat_FromDouble(*values) : array(values, size);
}

py::object PythonSubsystem::call(const Method& method, const Moment& moment) const {
  return method.call([&](const Argument& a) { return argument(a, moment); });
}

StepStatus PythonSubsystem::initialize(const Experiment& experiment) {
  return with_python([&] {
    set_initial_state();
    initial_J_.reset();
    if (calls_->initialize) static_cast<void>(call(calls_->initialize, {experiment.start_s, 0.0, nullptr}));
    return StepStatus{};
  });
}

void PythonSubsystem::outputs(double t, const double* u, double* y) {
  with_python([&] { read_outputs(call(calls_->outputs, {t, 0.0, u}), y); });
}

void PythonSubsystem::read_outputs(const py::object& returned, double* y) const {
  constexpr const char* what = "outputs()";
  const auto& ports = description_.outputs;
  PyObject* const values = returned.ptr();
  if (ports.size() == 1 && ports[0].size == 1 && PyFloat_CheckExact(values)) {
    y[0] = PyFloat_AS_DOUBLE(values);
    return;
  }
  if (ports.size() == 1) {
    if (PySequence_Check(values) == 0 && ports[0].size == 1)
      y[0] = number(values, what);
    else
      read_numbers(values, ports[0].size, y, what);
    return;
  }
  if (output_count_ == ports.size()) {
    read_numbers(values, output_count_, y, what);
    return;
  }
  const auto fast = py::reinterpret_steal<py::object>(PySequence_Fast(values, "not a sequence"));
  if (!fast || static_cast<std::size_t>(PySequence_Fast_GET_SIZE(fast.ptr())) != ports.size()) {
    PyErr_Clear();
    throw std::runtime_error("outputs() must return one value for each of " + std::to_string(ports.size()) +
                             " output ports");
  }
  for (std::size_t p = 0; p < ports.size(); ++p) {
    PyObject* const item = PySequence_Fast_GET_ITEM(fast.ptr(), static_cast<Py_ssize_t>(p));
    if (ports[p].size == 1)
      *y = number(item, what);
    else
      read_numbers(item, ports[p].size, y, what);
    y += ports[p].size;
  }
}

PythonSubsystem::Energy PythonSubsystem::energy_at(double t, const double* u) const {
  const py::object returned = call(calls_->energy, {t, 0.0, u});
  Energy energy;
  if (PyFloat_Check(returned.ptr()) || PyLong_Check(returned.ptr())) {
    energy.stored = energy.synchronised = number(returned.ptr(), "energy()");
    return energy;
  }
  const auto field = [&returned](const char* name, double otherwise) {
    const py::object value = returned.attr(name);
    return value.is_none() ? otherwise : number(value.ptr(), "energy()");
  };
  energy.stored = field("stored", 0.0);
  energy.dissipated = field("dissipated", 0.0);
  energy.supplied = field("supplied", 0.0);
  energy.kinetic = field("kinetic", 0.0);
  energy.synchronised = field("synchronised", energy.stored);
  const py::object received = returned.attr("received");
  if (!received.is_none()) {
    std::vector<double> work(input_count_);
    read_numbers(received.ptr(), input_count_, work.data(), "energy().received");
    energy.received = std::move(work);
  }
  return energy;
}

void PythonSubsystem::sample(const AccountInputs& inputs, AccountSample& sample) const {
  with_python([&] {
    const Energy used = energy_at(inputs.t_s, inputs.used);
    const Energy newest = energy_of_inputs_ ? energy_at(inputs.t_s, inputs.newest) : used;
    sample.stored_J = used.stored;
    sample.dissipated_J = used.dissipated;
    sample.supplied_J = used.supplied;
    sample.synchronised_J = newest.synchronised;
    sample.kinetic_J = newest.kinetic;
    if (!initial_J_) initial_J_ = used.stored;
    if (sample.received_J.empty()) return;
    std::fill(sample.received_J.begin(), sample.received_J.end(), 0.0);
    if (newest.received)
      std::copy(newest.received->begin(), newest.received->end(), sample.received_J.begin());
    else if (through_)  // the balance closes: Δstored + Δdissipated = Δreceived + Δsupplied
      sample.received_J[*through_] = newest.stored - *initial_J_ + newest.dissipated - newest.supplied;
  });
}

void PythonSubsystem::output_jacobian(double t, const double* u, double* jacobian) const {
  with_python([&] {
    const auto matrix = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(
        call(calls_->jacobian, {t, 0.0, u}));
    if (!matrix || static_cast<std::size_t>(matrix.size()) != output_count_ * input_count_) {
      PyErr_Clear();
      throw std::runtime_error("output_jacobian() must return " + std::to_string(output_count_) + " × " +
                               std::to_string(input_count_) + " numbers");
    }
    std::copy_n(matrix.data(), output_count_ * input_count_, jacobian);
  });
}

std::unique_ptr<Subsystem> make_python_subsystem(const py::dict& plan) {
  if (!plan["derivatives_method"].is_none()) return std::make_unique<IntegratedSubsystem>(plan);
  return std::make_unique<SteppedSubsystem>(plan);
}

}  // namespace ergon::python
