#include <cmath>
#include <set>

#include "ergon/fmi/host/hosted_instance.hpp"
#include "ergon/fmi/subsystem/fmu_subsystem.hpp"
#include "ergon/fmi/worker/worker.hpp"

namespace ergon::fmi {
namespace {

/// A value of a usual size beside the start value of a component of a port.
double perturbed(const FmuModel& model, const Port& port, double start) {
  const Variable* const variable = model.find(port.name);
  double change = 0.1 * std::max(port.nominal, std::abs(start));
  if (variable != nullptr && variable->maximum && start + change > *variable->maximum) change = -change;
  return start + change;
}

}  // namespace

bool finds_refresh(const FmuKind& kind, const std::vector<StartValue>& values) {
  const Description& d = *kind.description;
  const ValueCounts inputs = count_values(d.inputs);
  std::vector<double> u0(inputs.reals);
  std::vector<double> u1(inputs.reals);
  std::vector<std::int64_t> integers(inputs.integers);
  std::vector<std::string> texts(inputs.texts);
  std::size_t real = 0;
  std::size_t integer = 0;
  std::size_t text = 0;
  for (const Port& port : d.inputs) {
    for (std::size_t e = 0; e < port.size; ++e) {
      switch (value_kind_of(port.type)) {
        case ValueKind::real:
          u0[real] = port.start_of(e);
          u1[real++] = perturbed(*kind.model, port, port.start_of(e));
          break;
        case ValueKind::integer:
          integers[integer++] = port.integer_start_of(e);
          break;
        case ValueKind::text:
          texts[text++] = port.text_start_of(e);
          break;
      }
    }
  }
  // Real outputs that claim to follow a real input.
  std::set<std::size_t> followers;
  std::vector<std::size_t> first_real(d.outputs.size());
  std::size_t place = 0;
  for (std::size_t o = 0; o < d.outputs.size(); ++o) {
    first_real[o] = place;
    if (value_kind_of(d.outputs[o].type) == ValueKind::real) place += d.outputs[o].size;
  }
  const auto follow = [&](std::size_t output) {
    if (value_kind_of(d.outputs[output].type) != ValueKind::real) return;
    for (std::size_t e = 0; e < d.outputs[output].size; ++e) followers.insert(first_real[output] + e);
  };
  for (const FeedthroughPair& pair : d.feedthrough) {
    if (value_kind_of(d.inputs[pair.input].type) == ValueKind::real) follow(pair.output);
  }
  if (inputs.reals > 0) {
    for (const std::size_t output : d.outputs_of_all_inputs) follow(output);
  }
  if (followers.empty()) return false;

  // One that exists once per process must not be met there by this trial.
  const bool apart =
      kind.options.isolate || declared_interface(kind.model->description(), kind.interface).once_per_process;
  WorkerOptions worker;
  worker.call_limit_s = kind.options.call_limit_s;
  worker.environment = kind.options.environment;
  const auto instance =
      apart ? make_worker_instance(kind.setup, "trial", worker) : make_hosted_instance(kind.setup, "trial");
  instance->mute();
  StartSettings settings;
  settings.values = values;
  settings.start_s = kind.model->description().experiment.start_s.value_or(0.0);
  std::vector<double> before(kind.setup->outputs.real_count);
  std::vector<double> after(before.size());
  if (!instance->instantiate() || !instance->initialize(settings)) return false;
  instance->set_discrete(integers.data(), texts.data());
  if (!instance->outputs(settings.start_s, u0.data(), before.data(), true) ||
      !instance->finish_initialization() ||
      !instance->outputs(settings.start_s, u0.data(), before.data(), false) ||
      !instance->outputs(settings.start_s, u1.data(), after.data(), true))
    return false;
  for (const std::size_t o : followers) {
    if (o < before.size() && before[o] != after[o]) return true;
  }
  return false;
}

}  // namespace ergon::fmi
