#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ergon/fmi/subsystem/fmu_subsystem.hpp"

namespace ergon::fmi {

/// A test FMU by its name (tests/fmus/README.md).
inline std::string kit_file(const std::string& name) {
  return std::string(ERGON_TEST_FMUS) + "/" + name + ".fmu";
}

inline std::string text_of(const ProblemList& problems) {
  std::string text;
  for (const Problem& p : problems.all()) text += to_string(p) + "\n";
  return text;
}

/// A test FMU with arrays for all that goes in and comes out, by name.
class KitInstance {
 public:
  KitInstance(const std::string& name, const ForeignOptions& options, std::vector<StartValue> values = {}) {
    ProblemList problems;
    model = FmuModel::load(kit_file(name), problems);
    if (model) subsystem = make_fmu_subsystem(model, {"kit", options, std::move(values), {}}, problems);
    said = text_of(problems);
    if (!subsystem) return;
    description = subsystem->shared_description();
    const ValueCounts in = count_values(description->inputs);
    const ValueCounts out = count_values(description->outputs);
    u.resize(in.reals);
    integers_in.resize(in.integers);
    texts_in.resize(in.texts);
    y.resize(out.reals);
    integers_out.resize(out.integers);
    texts_out.resize(out.texts);
    for (const Port& p : description->inputs) {
      for (std::size_t i = 0; i < p.size; ++i) {
        if (p.type == PortType::real) (&real_in(p.name))[i] = p.start_of(i);
        if (value_kind_of(p.type) == ValueKind::integer) (&integer_in(p.name))[i] = p.integer_start_of(i);
      }
    }
  }

  StepStatus initialize(double start = 0.0, double end = 1.0) {
    return subsystem->initialize({start, end, {}});
  }
  StepStatus step(double t, double h) {
    set_discrete();
    const StepStatus status = subsystem->step(t, h, InputView{u.data(), u.size(), 0});
    if (status.ok) outputs(t + h);
    return status;
  }
  void outputs(double t) {
    set_discrete();
    subsystem->outputs(t, u.data(), y.data());
    if (auto* discrete = subsystem->discrete_ports())
      discrete->discrete_outputs(t, u.data(), {integers_out.data(), texts_out.data()});
  }
  void set_discrete() {
    if (auto* discrete = subsystem->discrete_ports())
      discrete->set_discrete_inputs({integers_in.data(), texts_in.data()});
  }

  double& real_in(const std::string& name) { return u.at(place(description->inputs, name)); }
  double& real(const std::string& name) { return y.at(place(description->outputs, name)); }
  std::int64_t& integer_in(const std::string& name) {
    return integers_in.at(place(description->inputs, name));
  }
  std::int64_t& integer(const std::string& name) {
    return integers_out.at(place(description->outputs, name));
  }
  std::string& text_in(const std::string& name) { return texts_in.at(place(description->inputs, name)); }
  std::string& text(const std::string& name) { return texts_out.at(place(description->outputs, name)); }

  /// A value to give before the run.
  [[nodiscard]] static StartValue given(const FmuModel& model, const std::string& name, double value) {
    const Variable* v = model.find(name);
    if (v == nullptr) throw std::runtime_error("no variable " + name);
    StartValue start{v->reference, v->type, v->causality == Causality::structural_parameter, {}, {}, {}};
    if (lane_number(v->type) == 0)
      start.reals = {value};
    else
      start.integers = {static_cast<std::int64_t>(value)};
    return start;
  }

  std::shared_ptr<const FmuModel> model;
  std::unique_ptr<Subsystem> subsystem;
  std::shared_ptr<const Description> description;
  std::string said;
  std::vector<double> u, y;
  std::vector<std::int64_t> integers_in, integers_out;
  std::vector<std::string> texts_in, texts_out;

 private:
  static std::size_t place(const std::vector<Port>& ports, const std::string& name) {
    std::map<ValueKind, std::size_t> first;
    for (const Port& p : ports) {
      if (p.name == name) return first[value_kind_of(p.type)];
      first[value_kind_of(p.type)] += p.size;
    }
    throw std::runtime_error("no port " + name);
  }
};

}  // namespace ergon::fmi
