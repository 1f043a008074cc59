#include "python_source.hpp"

#include <pybind11/stl.h>

#include "python_subsystem.hpp"

namespace ergon::python {
namespace {

ParameterValue value_from(const py::object& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value)) return value.cast<double>();
  return value.cast<std::vector<double>>();
}

py::object value_for_python(const ParameterValue& value, bool whole) {
  if (const double* number = std::get_if<double>(&value))
    return whole ? py::object(py::int_(static_cast<long long>(*number))) : py::object(py::float_(*number));
  return std::visit([](const auto& v) -> py::object { return py::cast(v); }, value);
}

ParameterInfo parameter_from(const py::dict& given, bool& whole) {
  ParameterInfo info;
  info.name = given["name"].cast<std::string>();
  info.unit = given["unit"].cast<std::string>();
  info.help = given["help"].cast<std::string>();
  info.standard = value_from(given["default"]);
  whole = given["whole"].cast<bool>();
  if (!given["minimum"].is_none()) info.minimum = given["minimum"].cast<double>();
  return info;
}

/// Message and remedy of an error that the Python side raises on purpose: the text of the exception, without a traceback.
std::string message_of(const py::error_already_set& error) {
  if (error.matches(PyExc_LookupError) || error.matches(PyExc_TypeError) || error.matches(PyExc_ValueError))
    return py::str(error.value());
  return text_of(error);
}

}  // namespace

std::shared_ptr<const ModelInfo> PythonSource::find(const std::string& name,
                                                    const std::string& base_directory,
                                                    const SourceLocation& where,
                                                    ProblemList& problems) const {
  const py::gil_scoped_acquire lock;
  try {
    const py::dict model = resolve_->object(name, base_directory);
    auto info = std::make_shared<ModelInfo>();
    info->name = model["name"].cast<std::string>();
    info->summary = model["summary"].cast<std::string>();
    info->integrated = false;  // it brings its own rule, so it takes no integrator
    std::map<std::string, bool> whole;
    for (const py::handle parameter : py::list(model["parameters"])) {
      bool is_whole = false;
      info->parameters.push_back(parameter_from(py::reinterpret_borrow<py::dict>(parameter), is_whole));
      whole[info->parameters.back().name] = is_whole;
    }
    const auto plan = std::make_shared<SharedObject>(model["plan"]);
    info->make = [plan, whole](const ModelRequest& request,
                               ProblemList& found) -> std::unique_ptr<Subsystem> {
      const py::gil_scoped_acquire making;
      try {
        py::dict values;
        for (const auto& [parameter, value] : request.parameters.values())
          values[py::str(parameter)] = value_for_python(value, whole.at(parameter));
        return make_python_subsystem(plan->object(values));
      } catch (const py::error_already_set& error) {
        found.error(request.where, "'" + request.name + "' cannot be made: " + message_of(error),
                    "Correct the class, or its parameters.");
      } catch (const std::exception& error) {
        found.error(request.where, "'" + request.name + "' cannot be made: " + error.what(),
                    "Correct the class, or its parameters.");
      }
      return nullptr;
    };
    return info;
  } catch (const py::error_already_set& error) {
    problems.error(where, "python = \"" + name + "\": " + message_of(error),
                   "Write \"module:Class\"; the module is looked for beside the scenario and on sys.path.");
  } catch (const std::exception& error) {
    problems.error(where, "python = \"" + name + "\": " + error.what(), "Correct the class.");
  }
  return nullptr;
}

}  // namespace ergon::python
