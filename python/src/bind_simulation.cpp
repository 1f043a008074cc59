#include <pybind11/stl.h>

#include "python_simulation.hpp"

namespace ergon::python {

void bind_simulation(py::module_& module) {
  py::class_<ScenarioOverrides>(module, "Overrides")
      .def(py::init<>())
      .def_readwrite("settings", &ScenarioOverrides::settings)
      .def_readwrite("parameter_files", &ScenarioOverrides::parameter_files)
      .def_readwrite("start_time", &ScenarioOverrides::start_time)
      .def_readwrite("stop_time", &ScenarioOverrides::stop_time)
      .def_readwrite("step_size", &ScenarioOverrides::step_size)
      .def_readwrite("threads", &ScenarioOverrides::threads)
      .def_readwrite("check", &ScenarioOverrides::check)
      .def_readwrite("accuracy", &ScenarioOverrides::accuracy)
      .def_readwrite("isolate", &ScenarioOverrides::isolate)
      .def_readwrite("sandbox", &ScenarioOverrides::sandbox)
      .def_readwrite("bonds", &ScenarioOverrides::bonds)
      .def_readwrite("events", &ScenarioOverrides::events)
      .def_readwrite("plugins", &ScenarioOverrides::plugins)
      .def_readwrite("trusted", &ScenarioOverrides::trusted);
  py::class_<Point, std::shared_ptr<Point>>(module, "Point")
      .def_property_readonly("time", &Point::time)
      .def("__getitem__", &Point::value, py::arg("name"));
  py::class_<PythonSnapshot>(module, "Snapshot");
  py::class_<PythonSimulation, std::shared_ptr<PythonSimulation>>(module, "Simulation")
      .def(py::init<const std::string&, ScenarioOverrides, const py::object&>(), py::arg("file"),
           py::arg("overrides"), py::arg("resolve"))
      .def("start", &PythonSimulation::start)
      .def("advance", &PythonSimulation::advance)
      .def("run", &PythonSimulation::run, py::arg("until") = py::none(), py::arg("progress") = py::none())
      .def("observe", &PythonSimulation::observe, py::arg("function"))
      .def("check_motion", &PythonSimulation::check_motion)
      .def("write_to", &PythonSimulation::write_to, py::arg("directory"))
      .def("keep_checkpoints", &PythonSimulation::keep_checkpoints, py::arg("every") = py::none())
      .def("set_parameter", &PythonSimulation::set_parameter, py::arg("name"), py::arg("value"))
      .def_property_readonly("time", &PythonSimulation::time)
      .def_property_readonly("start_time", &PythonSimulation::start_time)
      .def_property_readonly("stop_time", &PythonSimulation::stop_time)
      .def_property_readonly("over", &PythonSimulation::over)
      .def_property_readonly("status", &PythonSimulation::status)
      .def_property_readonly("failure", &PythonSimulation::failure)
      .def_property_readonly("outputs", &PythonSimulation::outputs)
      .def_property_readonly("problems", &PythonSimulation::problems)
      .def_property_readonly("write_errors", &PythonSimulation::write_errors)
      .def("value", &PythonSimulation::value, py::arg("name"))
      .def("summary_json", &PythonSimulation::summary_json)
      .def("save", &PythonSimulation::save)
      .def("restore", &PythonSimulation::restore, py::arg("snapshot"))
      .def("another", &PythonSimulation::another)
      .def("more_accurate", &PythonSimulation::more_accurate);
}

}  // namespace ergon::python
