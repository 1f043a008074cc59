#pragma once

#include "python_call.hpp"

namespace ergon::python {

/// `read_csv(path, names) → {name: array}`: the columns of a result file as arrays of doubles. Columns of names that are not asked for are
/// passed over. A cell that is not a number makes its column a list of texts; an incomplete last line is left out.
void bind_csv(py::module_& module);

}  // namespace ergon::python
