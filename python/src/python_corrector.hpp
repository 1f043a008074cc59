#pragma once

#include "python_call.hpp"

namespace ergon::python {

/// `register_corrector(name, help, factory)`: a correction of power bonds that is written in Python, for scenarios of this process.
void bind_correctors(py::module_& module);

}  // namespace ergon::python
