#include "python_call.hpp"

namespace ergon::python {

std::string text_of(const py::error_already_set& error) {
  try {
    const py::object format = py::module_::import("traceback").attr("format_exception");
    const py::object trace = error.trace() ? py::object(error.trace()) : py::object(py::none());
    std::string text = py::str(py::str("").attr("join")(format(error.type(), error.value(), trace)));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  } catch (const std::exception&) {
    return "a Python exception that cannot be shown";
  }
}

Method method_of(const py::dict& plan, const char* name) {
  Method method;
  if (!plan.contains(name) || plan[name].is_none()) return method;
  const py::tuple planned = plan[name];
  method.callable = planned[0];
  for (const py::handle item : py::list(planned[1])) {
    const py::tuple argument = py::reinterpret_borrow<py::tuple>(item);
    method.arguments.push_back(
        {static_cast<ArgumentKind>(argument[0].cast<int>()), argument[1].cast<std::size_t>()});
  }
  if (method.arguments.size() > Method::most_arguments)
    throw std::runtime_error(std::string(name) + "() has more than 64 arguments");
  return method;
}

}  // namespace ergon::python
