#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace ergon::python {

namespace py = pybind11;

/// The traceback and message of the Python exception that was caught, as one text. Needs the interpreter lock.
[[nodiscard]] std::string text_of(const py::error_already_set& error);

/// Runs `body` with the interpreter lock; a Python exception becomes one of C++ that holds no Python objects.
template <class Body>
auto with_python(const Body& body) {
  const py::gil_scoped_acquire lock;
  try {
    return body();
  } catch (const py::error_already_set& error) {
    throw std::runtime_error(text_of(error));
  }
}

/// Gives the object back with the interpreter lock, whoever destroys it.
struct SharedObject {
  explicit SharedObject(py::object object_) : object(std::move(object_)) {}
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  ~SharedObject() {
    if (Py_IsInitialized() == 0) {
      static_cast<void>(object.release());  // the interpreter is gone, and its objects with it
      return;
    }
    const py::gil_scoped_acquire lock;
    object = py::object();
  }
  py::object object;
};

/// What an argument of a method of a subsystem is.
enum class ArgumentKind { time, step, all_states, state, input, all_inputs };
struct Argument {
  ArgumentKind kind = ArgumentKind::time;
  std::size_t number = 0;  ///< of a state or an input port
};

/// A bound method and the arguments that its author has named.
struct Method {
  py::object callable{};  ///< empty: there is none
  std::vector<Argument> arguments{};

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(callable); }
  /// `make(argument)`: a new reference.
  template <class Make>
  [[nodiscard]] py::object call(const Make& make) const {
    std::array<PyObject*, most_arguments + 1> values{};
    const std::size_t count = arguments.size();
    PyObject* result = nullptr;
    std::size_t made = 0;
    for (; made < count; ++made) {
      values[made + 1] = make(arguments[made]);
      if (values[made + 1] == nullptr) break;
    }
    if (made == count)
      result = PyObject_Vectorcall(callable.ptr(), values.data() + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                   nullptr);
    for (std::size_t i = 1; i <= made; ++i) Py_DECREF(values[i]);
    if (result == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(result);
  }
  static constexpr std::size_t most_arguments = 64;
};

/// "name": the method as the Python side has planned it, (callable, [(kind, number), …]) or None.
[[nodiscard]] Method method_of(const py::dict& plan, const char* name);

}  // namespace ergon::python
