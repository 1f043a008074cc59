#include "python_simulation.hpp"

#include <chrono>

#include "ergon/run/motion/accuracy_runs.hpp"
#include "python_source.hpp"

namespace ergon::python {
namespace {

using Clock = std::chrono::steady_clock;

py::object value_of(const CoupledSystem& system, const StepRecord& record, Index output) {
  switch (system.output_port(output).type) {
    case PortType::real:
      return py::float_(record.output(output));
    case PortType::boolean:
      return py::bool_(record.integer_output(output) != 0);
    case PortType::integer:
    case PortType::enumeration:
      return py::int_(record.integer_output(output));
    case PortType::text:
      return py::str(record.text_output(output));
    case PortType::binary:
      break;
  }
  return py::bytes(record.text_output(output));
}

TypedValue typed(const py::object& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) return value.cast<std::int64_t>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  return value.cast<double>();
}

ModelSources sources_with(const py::object& resolve) {
  ModelSources sources = standard_sources();
  if (!resolve.is_none()) sources.push_back(std::make_shared<PythonSource>(resolve));
  return sources;
}

/// Ctrl-C, and progress, without asking the interpreter at every point.
class Interpreter {
 public:
  Interpreter(const Simulation& simulation, py::object progress)
      : simulation_(simulation), progress_(std::move(progress)) {}

  std::optional<StopReason> look() {
    constexpr unsigned points_between = 64;
    if (++points_ % points_between != 0) return std::nullopt;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return std::nullopt;
    last_ = now;
    const py::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress_.is_none()) progress_(simulation_.record().time_s());
    } catch (py::error_already_set& error) {
      raised_ = std::make_unique<py::error_already_set>(error);
      return StopReason::interrupted;
    }
    return std::nullopt;
  }
  /// With the interpreter lock.
  void raise() const {
    if (raised_) throw py::error_already_set(*raised_);
  }

 private:
  const Simulation& simulation_;
  py::object progress_;
  unsigned points_ = 0;
  Clock::time_point last_ = Clock::now();
  std::unique_ptr<py::error_already_set> raised_;
};

}  // namespace

const StepRecord& Point::valid() const {
  if (record_ == nullptr) throw std::runtime_error("a point is valid during the call of its observer alone");
  return *record_;
}

py::object Point::value(const std::string& name) const {
  const StepRecord& record = valid();
  return value_of(simulation_->system(), record, simulation_->output(name));
}

/// One thread at a time, and no call from inside of another: of an observer, or of a subsystem in Python.
class PythonSimulation::Use {
 public:
  explicit Use(PythonSimulation& simulation) : in_use_(simulation.in_use_) {
    if (in_use_.exchange(true))
      throw std::runtime_error(
          "this simulation is in use: by another thread, or by the call that is under way");
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { in_use_ = false; }

 private:
  std::atomic<bool>& in_use_;
};

PythonSimulation::PythonSimulation(const std::string& file, ScenarioOverrides overrides,
                                   const py::object& resolve) {
  const ModelSources sources = sources_with(resolve);
  const py::gil_scoped_release unlocked;
  simulation_ = std::make_unique<Simulation>(file, overrides, sources);
}

PythonSimulation::~PythonSimulation() {
  const py::gil_scoped_release unlocked;  // threads of the run may wait for the lock to end theirs
  simulation_.reset();
}

void PythonSimulation::start() {
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  simulation_->start();
}

bool PythonSimulation::advance() {
  const Use use(*this);
  bool goes_on = false;
  {
    const py::gil_scoped_release unlocked;
    goes_on = simulation_->advance();
  }
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return goes_on;
}

void PythonSimulation::run(const py::object& until, const py::object& progress) {
  const Use use(*this);
  Interpreter interpreter(*simulation_, progress);
  std::optional<double> end;
  if (!until.is_none()) end = until.cast<double>();
  {
    const py::gil_scoped_release unlocked;
    if (!end) {
      simulation_->run([&] { return interpreter.look(); });
    } else {
      simulation_->start();
      while (!simulation_->over() && simulation_->record().time_s() < *end) {
        if (interpreter.look() || !simulation_->advance()) break;
      }
    }
  }
  interpreter.raise();
}

void PythonSimulation::observe(py::function function) {
  const Use use(*this);
  observers_.push_back(std::make_unique<SharedObject>(std::move(function)));
  simulation_->observe([this, called = observers_.back().get()](const StepRecord& record) {
    with_python([&] {
      auto point = std::make_shared<Point>(*simulation_, record);
      try {
        called->object(point);
      } catch (...) {
        point->expire();
        throw;
      }
      point->expire();
    });
  });
}

void PythonSimulation::check_motion() {
  const Use use(*this);
  simulation_->check_motion(MotionCheck::automatic);
}

void PythonSimulation::write_to(const std::string& directory) {
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  simulation_->write_to(directory);
}

void PythonSimulation::keep_checkpoints(const py::object& every_s) {
  const Use use(*this);
  CheckpointOptions options;
  if (!every_s.is_none()) options.every = std::chrono::duration<double>(every_s.cast<double>());
  const py::gil_scoped_release unlocked;
  if (!simulation_->why_no_checkpoints()) simulation_->keep_checkpoints(std::move(options));
}

void PythonSimulation::set_parameter(const std::string& name, const py::object& value) {
  const Use use(*this);
  const TypedValue given = typed(value);
  const py::gil_scoped_release unlocked;
  simulation_->set_parameter(name, given);
}

double PythonSimulation::time() {
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  simulation_->start();
  return simulation_->record().time_s();
}

double PythonSimulation::start_time() {
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  simulation_->start();
  return simulation_->engine().grid().time_s(0);
}

double PythonSimulation::stop_time() {
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  simulation_->start();
  return simulation_->engine().grid().time_s(simulation_->engine().grid().end());
}

py::object PythonSimulation::value(const std::string& name) {
  const Use use(*this);
  {
    const py::gil_scoped_release unlocked;
    simulation_->start();
  }
  return value_of(simulation_->system(), simulation_->record(), simulation_->output(name));
}

std::vector<std::string> PythonSimulation::outputs() const {
  std::vector<std::string> names;
  for (const SignalName& output : simulation_->system().outputs) names.push_back(output.text);
  return names;
}

std::vector<std::string> PythonSimulation::problems() const {
  std::vector<std::string> texts;
  for (const Problem& problem : simulation_->problems().all()) texts.push_back(to_string(problem));
  return texts;
}

std::string PythonSimulation::summary_json() {
  const Use use(*this);
  return to_json(simulation_->summary());
}

std::string PythonSimulation::status() {
  const Use use(*this);
  if (!simulation_->over()) return "under way";
  switch (simulation_->outcome().status) {
    case RunStatus::finished:
      return "finished";
    case RunStatus::failed:
      return "failed";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::stopped:
      return "stopped";
    case RunStatus::ended:
      break;
  }
  return "ended";
}

py::object PythonSimulation::failure() {
  const Use use(*this);
  if (!simulation_->over() || !simulation_->outcome().failure) return py::none();
  const Failure& failure = *simulation_->outcome().failure;
  return py::make_tuple(failure.subsystem, failure.time_s, failure.what,
                        simulation_->outcome().reached_time_s);
}

std::vector<std::string> PythonSimulation::write_errors() {
  const Use use(*this);
  return simulation_->write_errors();
}

std::unique_ptr<PythonSnapshot> PythonSimulation::save() {
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  return std::make_unique<PythonSnapshot>(PythonSnapshot{shared_from_this(), simulation_->save()});
}

void PythonSimulation::restore(const PythonSnapshot& snapshot) {
  if (snapshot.owner.get() != this) throw py::value_error("this snapshot is of another simulation");
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  simulation_->restore(snapshot.snapshot);
}

std::shared_ptr<PythonSimulation> PythonSimulation::another() {
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  return std::make_shared<PythonSimulation>(simulation_->another());
}

std::shared_ptr<PythonSimulation> PythonSimulation::more_accurate() {
  const Use use(*this);
  const py::gil_scoped_release unlocked;
  auto next = ergon::more_accurate(*simulation_);
  return next ? std::make_shared<PythonSimulation>(std::move(*next)) : nullptr;
}

}  // namespace ergon::python
