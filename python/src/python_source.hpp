#pragma once

#include "ergon/scenario/sources/model_source.hpp"
#include "python_call.hpp"

namespace ergon::python {

/// The key `python` of [[subsystem]]: "module:Class", or what a program has registered ("#3").
///   [[subsystem]]
///   name = "load"
///   python = "my_models:Load"
///   parameters = { m = 2.0 }
/// `resolve(name, base_directory)` is the Python side: it returns the parameters and a function that plans an instance.
class PythonSource final : public ModelSource {
 public:
  explicit PythonSource(py::object resolve) : resolve_(std::make_shared<SharedObject>(std::move(resolve))) {}
  [[nodiscard]] std::string_view key() const override { return "python"; }
  [[nodiscard]] std::shared_ptr<const ModelInfo> find(const std::string& name,
                                                      const std::string& base_directory,
                                                      const SourceLocation& where,
                                                      ProblemList& problems) const override;

 private:
  std::shared_ptr<SharedObject> resolve_;
};

}  // namespace ergon::python
