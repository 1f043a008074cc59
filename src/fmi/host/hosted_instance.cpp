#include "ergon/fmi/host/hosted_instance.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "ergon/fmi/host/process_state.hpp"
#include "ergon/fmi/instance/call_guard.hpp"

namespace ergon::fmi {
namespace {

class HostedInstance final : public FmuInstance {
 public:
  HostedInstance(std::shared_ptr<const InstanceSetup> setup, const std::string& name)
      : setup_(setup),
        name_(name),
        resident_(name_, setup->library),
        inner_(make_local_instance(std::move(setup), name)) {}
  ~HostedInstance() override {
    if (has_exited_) {
      (void)inner_.release();  // in the middle of a call: nothing of it can be freed
      return;
    }
    if (CallGuard::run([&] { inner_.reset(); })) return;
    CallGuard::note(name_, setup_->fmu);
    warn(exit_text());
  }

  bool instantiate() override {
    return checked([&] { return inner_->instantiate(); });
  }
  bool initialize(const StartSettings& settings) override {
    return checked([&] { return inner_->initialize(settings); });
  }
  bool finish_initialization() override {
    return checked([&] { return inner_->finish_initialization(); });
  }
  StepEnd step(double t, double h, const InputView& u) override {
    StepEnd end = StepEnd::failed;
    (void)call([&] { return (end = inner_->step(t, h, u)) == StepEnd::done; });
    return has_exited_ ? StepEnd::failed : end;
  }
  // Guarded by themselves: one guard for all members.
  [[nodiscard]] Subsystem::Grouped grouped_steps() override { return inner_->grouped_steps(); }
  void forget_inputs() override { inner_->forget_inputs(); }
  bool outputs(double t, const double* u, double* y, bool may_set) override {
    return call([&] { return inner_->outputs(t, u, y, may_set); });
  }
  void set_discrete(const std::int64_t* integers, const std::string* texts) override {
    inner_->set_discrete(integers, texts);
  }
  bool discrete_outputs(std::int64_t* integers, std::string* texts) override {
    return call([&] { return inner_->discrete_outputs(integers, texts); });
  }
  bool set_value(const StartValue& value) override {
    return call([&] { return inner_->set_value(value); });
  }
  bool get_value(StartValue& value) override {
    return call([&] { return inner_->get_value(value); });
  }
  std::size_t make_slot() override { return inner_->make_slot(); }
  void free_slot(std::size_t slot) override {
    (void)call([&] {
      inner_->free_slot(slot);
      return true;
    });
  }
  bool save(std::size_t slot) override {
    return call([&] { return inner_->save(slot); });
  }
  bool restore(std::size_t slot) override {
    return call([&] { return inner_->restore(slot); });
  }
  bool serialize(std::size_t slot, std::vector<std::byte>& bytes) override {
    return call([&] { return inner_->serialize(slot, bytes); });
  }
  bool deserialize(std::span<const std::byte> bytes, std::size_t slot) override {
    return call([&] { return inner_->deserialize(bytes, slot); });
  }
  bool directional_derivative(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                              std::span<const double> seed, std::span<double> sensitivity) override {
    return call([&] { return inner_->directional_derivative(unknowns, knowns, seed, sensitivity); });
  }
  bool output_derivatives(std::span<const std::uint32_t> references, std::span<double> values) override {
    return call([&] { return inner_->output_derivatives(references, values); });
  }
  bool states(std::span<double> values) override {
    return call([&] { return inner_->states(values); });
  }
  bool set_states(std::span<const double> values) override {
    return call([&] { return inner_->set_states(values); });
  }
  bool state_rates(double t, const double* u, std::span<double> rates) override {
    return call([&] { return inner_->state_rates(t, u, rates); });
  }
  void mute() override {
    is_muted_ = true;
    inner_->mute();
  }

 private:
  [[nodiscard]] static std::string exit_text() {
    return fmt::format("it called exit({}), which would have ended this process", CallGuard::exit_code());
  }
  void warn(std::string text) const {
    if (!is_muted_) log_message({name_, FmuStatus::warning, "", std::move(text), 0.0});
  }
  template <class Work>
  bool call(const Work& work) {
    if (has_exited_) return false;
    const FloatControl before = FloatControl::now();
    bool ok = false;
    const bool is_back = CallGuard::run([&] { ok = work(); });
    if (FloatControl::now() != before) [[unlikely]] {
      before.restore();
      if (!is_warned_) warn(float_control_text);
      is_warned_ = true;
    }
    if (is_back && ok) [[likely]]
      return true;
    has_exited_ = !is_back;
    if (has_exited_) CallGuard::note(name_, setup_->fmu);
    lost_ = has_exited_ || inner_->is_lost();
    reason_ = has_exited_ ? exit_text() : inner_->reason();
    return false;
  }
  /// Calls that are made once may look after the whole process.
  template <class Work>
  bool checked(const Work& work) {
    const bool ok = call(work);
    ProcessState::check_after(name_);
    return ok;
  }

  std::shared_ptr<const InstanceSetup> setup_;
  std::string name_;
  ProcessState::Resident resident_;
  std::unique_ptr<FmuInstance> inner_;
  bool has_exited_ = false;
  bool is_warned_ = false;
  bool is_muted_ = false;
};

}  // namespace

std::unique_ptr<FmuInstance> make_hosted_instance(std::shared_ptr<const InstanceSetup> setup,
                                                  const std::string& name) {
  return std::make_unique<HostedInstance>(std::move(setup), name);
}

}  // namespace ergon::fmi
