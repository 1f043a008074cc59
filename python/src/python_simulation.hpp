#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "ergon/run/simulation.hpp"
#include "python_call.hpp"

namespace ergon::python {

/// A communication point, as an observer in Python sees it; valid during the call alone.
class Point {
 public:
  Point(const Simulation& simulation, const StepRecord& record)
      : simulation_(&simulation), record_(&record) {}
  [[nodiscard]] double time() const { return valid().time_s(); }
  [[nodiscard]] py::object value(const std::string& name) const;
  void expire() { record_ = nullptr; }

 private:
  [[nodiscard]] const StepRecord& valid() const;
  const Simulation* simulation_;
  const StepRecord* record_;
};

class PythonSimulation;
/// A saved run; it keeps the run alive that it belongs to.
struct PythonSnapshot {
  std::shared_ptr<PythonSimulation> owner;
  SimulationSnapshot snapshot;
};

/// Simulation (ergon/run/simulation.hpp) for Python: the interpreter lock is released while C++ runs, Ctrl-C ends the run with what it
/// has, and a second thread that calls into the same simulation gets an exception.
class PythonSimulation : public std::enable_shared_from_this<PythonSimulation> {
 public:
  PythonSimulation(const std::string& file, ScenarioOverrides overrides, const py::object& resolve);
  explicit PythonSimulation(Simulation simulation)
      : simulation_(std::make_unique<Simulation>(std::move(simulation))) {}
  ~PythonSimulation();

  void start();
  bool advance();
  /// To the end, or to the first point at or after `until`.
  void run(const py::object& until, const py::object& progress);
  void observe(py::function function);
  void check_motion();
  void write_to(const std::string& directory);
  /// Checkpoints where they can be kept.
  void keep_checkpoints(const py::object& every_s);
  void set_parameter(const std::string& name, const py::object& value);

  [[nodiscard]] double time();
  [[nodiscard]] double start_time();
  [[nodiscard]] double stop_time();
  [[nodiscard]] bool over() const { return simulation_->over(); }
  [[nodiscard]] py::object value(const std::string& name);
  [[nodiscard]] std::vector<std::string> outputs() const;
  [[nodiscard]] std::vector<std::string> problems() const;
  [[nodiscard]] std::string summary_json();
  [[nodiscard]] std::string status();
  [[nodiscard]] py::object failure();
  [[nodiscard]] std::vector<std::string> write_errors();

  [[nodiscard]] std::unique_ptr<PythonSnapshot> save();
  void restore(const PythonSnapshot& snapshot);
  [[nodiscard]] std::shared_ptr<PythonSimulation> another();
  /// The run again with smaller steps, where the accuracy that was asked for is missed; nothing where it is met.
  [[nodiscard]] std::shared_ptr<PythonSimulation> more_accurate();

 private:
  class Use;
  std::unique_ptr<Simulation> simulation_;
  std::vector<std::unique_ptr<SharedObject>> observers_;
  std::atomic<bool> in_use_{false};
};

void bind_simulation(py::module_& module);

}  // namespace ergon::python
