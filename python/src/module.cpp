// _ergon: what of libergon.so the package `ergon` needs. Users import the package.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "csv_columns.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/models/registry.hpp"
#include "ergon/plugin/load_plugin.hpp"
#include "ergon/run/command_line.hpp"
#include "ergon/run/version.hpp"
#include "python_corrector.hpp"
#include "python_simulation.hpp"

namespace ergon::python {
namespace {

int command(const std::vector<std::string>& arguments) {
  std::vector<std::string> texts{"ergon"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const py::gil_scoped_release unlocked;
  return command_line(static_cast<int>(texts.size()), pointers.data());
}

py::list model_list() {
  py::list list;
  for (const ModelInfo& model : models()) list.append(py::make_tuple(model.name, model.summary));
  return list;
}

}  // namespace

PYBIND11_MODULE(_ergon, module) {
  module.doc() = "Bindings of libergon.so; import the package ergon instead.";
  static py::exception<InputError> input_error(module, "InputError", PyExc_ValueError);
  input_error.attr("__doc__") =
      "The input cannot be run: every finding with file, line, what is wrong and what to do.";
  input_error.attr("__module__") = "ergon";
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const InputError& error) {
      input_error(error.what());
    }
  });
  module.def("version", &version);
  module.def("command", &command, py::arg("arguments"));
  module.def("models", &model_list);
  module.def(
      "load_plugin", [](const std::string& file) { load_plugin(file); }, py::arg("file"));
  bind_simulation(module);
  bind_correctors(module);
  bind_csv(module);
}

}  // namespace ergon::python
