#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <thread>

#include "ergon/core/grouped_steps.hpp"
#include "ergon/fmi/worker/setup_stream.hpp"
#include "ergon/fmi/worker/worker.hpp"
#include "ergon/fmi/worker/worker_process.hpp"

namespace ergon::fmi {
namespace {

constexpr const char* invalid_reply = "its worker sent an invalid reply";

template <class C>
bool is_within(std::int64_t value) {
  return value >= static_cast<std::int64_t>(std::numeric_limits<C>::min()) &&
         value <= static_cast<std::int64_t>(std::numeric_limits<C>::max());
}

/// Whether a variable of this type can have the value: before FMI 3 Booleans and enumerations are integers.
bool can_have(VariableType type, FmiVersion version, std::int64_t value) {
  switch (type) {
    case VariableType::int8:
      return is_within<std::int8_t>(value);
    case VariableType::uint8:
      return is_within<std::uint8_t>(value);
    case VariableType::int16:
      return is_within<std::int16_t>(value);
    case VariableType::uint16:
      return is_within<std::uint16_t>(value);
    case VariableType::int32:
      return is_within<std::int32_t>(value);
    case VariableType::uint32:
      return is_within<std::uint32_t>(value);
    case VariableType::boolean:
      return version == FmiVersion::fmi3 ? value == 0 || value == 1 : is_within<std::int32_t>(value);
    case VariableType::enumeration:
      return version == FmiVersion::fmi3 || is_within<std::int32_t>(value);
    default:
      return true;
  }
}

/// Steps that workers of this process have begun. Where all cores are theirs, who waits does not spin.
std::atomic<unsigned> steps_under_way{0};

[[nodiscard]] bool may_spin() {
  static const unsigned cores = std::thread::hardware_concurrency();
  return steps_under_way.load(std::memory_order_relaxed) < cores;
}

/// The master's side: every call is written into the shared memory and answered there.
class WorkerInstance final : public FmuInstance, private AsyncSteps {
 public:
  WorkerInstance(std::shared_ptr<const InstanceSetup> setup, std::string name,
                 std::unique_ptr<WorkerLink> link)
      : setup_(std::move(setup)), name_(std::move(name)), link_(std::move(link)) {
    integers_.resize(setup_->inputs.integer_count);
    texts_.resize(setup_->inputs.text_count);
    y_.resize(setup_->outputs.real_count);
    u_.resize(setup_->inputs.real_count);
  }
  ~WorkerInstance() override {
    // An FMU that crashes while it is freed has given its results before.
    if ((is_under_way_ && !abandon_step()) || !link_->is_running() || !is_instantiated_) return;
    link_->send(Request::quit, 0);
    (void)link_->wait(true);
  }

  bool instantiate() override {
    if (std::string why = link_->start(); !why.empty()) return fail(std::move(why));
    is_instantiated_ = call(Request::instantiate, [&](ByteWriter& out) {
      out.put(name_);
      write(out, *setup_);
    });
    return is_instantiated_;
  }
  bool initialize(const StartSettings& settings) override {
    discrete_changed_ = !integers_.empty() || !texts_.empty();
    return call(Request::initialize, [&](ByteWriter& out) { write(out, settings); });
  }

  bool finish_initialization() override { return call(Request::finish_initialization); }

  StepEnd step(double t, double h, const InputView& u) override {
    return (is_under_way_ || send_step(t, h, u, false)) && end_step(u.coefficients) ? StepEnd::done
                                                                                    : StepEnd::failed;
  }
  [[nodiscard]] AsyncSteps* async_steps() override { return this; }

  bool outputs(double t, const double* u, double* y, bool may_set) override {
    // Those of a step came with its answer.
    const bool same = u_.empty() || std::memcmp(u, u_.data(), u_.size() * sizeof(double)) == 0;
    if (!knows_outputs_ || (may_set && (!same || discrete_changed_))) {
      const bool ok = call(
          Request::outputs,
          [&](ByteWriter& out) {
            out.put(t);
            out.put(may_set);
            out.put_list(u, u_.size());
            write_discrete(out);
          },
          [&](ByteReader& in) { read_outputs(in); });
      if (!ok) return false;
      std::copy_n(u, u_.size(), u_.begin());
      knows_outputs_ = has_stepped_;
    }
    std::copy(y_.begin(), y_.end(), y);
    return true;
  }

  void set_discrete(const std::int64_t* integers, const std::string* texts) override {
    if (!std::equal(integers_.begin(), integers_.end(), integers)) {
      std::copy_n(integers, integers_.size(), integers_.begin());
      discrete_changed_ = true;
    }
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i] == texts[i]) continue;
      texts_[i] = texts[i];
      discrete_changed_ = true;
    }
  }
  bool discrete_outputs(std::int64_t* integers, std::string* texts) override {
    if (!knows_discrete_) {
      if (!call(Request::discrete_outputs, Nothing{}, [&](ByteReader& in) { read_discrete(in); }))
        return false;
    }
    std::copy(output_integers_.begin(), output_integers_.end(), integers);
    for (std::size_t i = 0; i < output_texts_.size(); ++i) texts[i] = output_texts_[i];
    return true;
  }

  bool set_value(const StartValue& value) override {
    knows_outputs_ = false;
    return call(Request::set_value, [&](ByteWriter& out) { write(out, value); });
  }
  bool get_value(StartValue& value) override {
    return call(
        Request::get_value, [&](ByteWriter& out) { write(out, value); },
        [&](ByteReader& in) { read_value(in, value); });
  }

  std::size_t make_slot() override {
    std::uint64_t slot = 0;
    const bool ok = call(Request::make_slot, Nothing{}, [&](ByteReader& in) {
      in.get(slot);
      // Slots that are free are given again, and else the next.
      if (slot > slots_.size() || (slot < slots_.size() && slots_[slot])) in.fail();
    });
    if (!ok) throw std::runtime_error(reason_);  // the engine makes it a failure of this subsystem
    if (slot == slots_.size()) slots_.push_back(true);
    slots_[slot] = true;
    return slot;
  }
  void free_slot(std::size_t slot) override {
    if (with_slot(Request::free_slot, slot)) slots_[slot] = false;
  }
  bool save(std::size_t slot) override { return with_slot(Request::save, slot); }
  bool restore(std::size_t slot) override {
    knows_outputs_ = false;
    knows_discrete_ = false;
    discrete_changed_ = !integers_.empty() || !texts_.empty();
    return with_slot(Request::restore, slot);
  }
  bool serialize(std::size_t slot, std::vector<std::byte>& bytes) override {
    return call(
        Request::serialize, [&](ByteWriter& out) { out.put(static_cast<std::uint64_t>(slot)); },
        [&](ByteReader& in) { in.get(bytes); });
  }
  bool deserialize(std::span<const std::byte> bytes, std::size_t slot) override {
    return call(Request::deserialize, [&](ByteWriter& out) {
      out.put(static_cast<std::uint64_t>(slot));
      out.put(static_cast<std::uint64_t>(bytes.size()));
      out.put_list(bytes.data(), bytes.size());
    });
  }
  bool directional_derivative(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                              std::span<const double> seed, std::span<double> sensitivity) override {
    return call(
        Request::directional_derivative,
        [&](ByteWriter& out) {
          out.put(std::vector(unknowns.begin(), unknowns.end()));
          out.put(std::vector(knowns.begin(), knowns.end()));
          out.put(std::vector(seed.begin(), seed.end()));
        },
        [&](ByteReader& in) { in.get_agreed(sensitivity, sensitivity.size()); });
  }
  bool output_derivatives(std::span<const std::uint32_t> references, std::span<double> values) override {
    return call(
        Request::output_derivatives,
        [&](ByteWriter& out) { out.put(std::vector(references.begin(), references.end())); },
        [&](ByteReader& in) { in.get_agreed(values, values.size()); });
  }

  bool states(std::span<double> values) override {
    return call(Request::states, Nothing{}, [&](ByteReader& in) { in.get_agreed(values, values.size()); });
  }
  bool set_states(std::span<const double> values) override {
    knows_outputs_ = false;
    knows_discrete_ = false;
    return call(Request::set_states,
                [&](ByteWriter& out) { out.put(std::vector(values.begin(), values.end())); });
  }
  bool state_rates(double t, const double* u, std::span<double> rates) override {
    knows_outputs_ = false;
    return call(
        Request::state_rates,
        [&](ByteWriter& out) {
          out.put(t);
          out.put_list(u, u_.size());
        },
        [&](ByteReader& in) { in.get_agreed(rates, rates.size()); });
  }

  void mute() override { muted_ = true; }

 private:
  bool fail(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  bool with_slot(Request request, std::size_t slot) {
    return call(request, [&](ByteWriter& out) { out.put(static_cast<std::uint64_t>(slot)); });
  }
  void write_discrete(ByteWriter& out) {
    out.put(discrete_changed_);
    if (!discrete_changed_) return;
    discrete_changed_ = false;
    out.put(integers_);
    out.put(texts_);
  }
  void read_outputs(ByteReader& in) {
    in.get_list(y_.data(), y_.size());
    read_discrete(in);
  }
  void read_discrete(ByteReader& in) {
    const Batches& b = setup_->outputs;
    if (b.integer_count + b.text_count == 0) return;
    in.get_agreed(output_integers_, b.integer_count);
    in.get_agreed(output_texts_, b.text_count);
    if (!in.good() || !are_possible(b.integers) || !are_possible(b.clocked_integers) || !are_plain(b.texts) ||
        !are_plain(b.clocked_texts))
      return in.fail();
    knows_discrete_ = true;
  }
  [[nodiscard]] bool are_possible(const std::vector<Batch>& batches) const {
    return std::all_of(batches.begin(), batches.end(), [&](const Batch& batch) {
      return std::all_of(batch.elements.begin(), batch.elements.end(), [&](std::uint32_t element) {
        return can_have(batch.type, setup_->version, output_integers_[element]);
      });
    });
  }
  /// Strings of FMUs end with their first zero; bytes may have any.
  [[nodiscard]] bool are_plain(const std::vector<Batch>& batches) const {
    return std::all_of(batches.begin(), batches.end(), [&](const Batch& batch) {
      return batch.type != VariableType::text ||
             std::all_of(batch.elements.begin(), batch.elements.end(), [&](std::uint32_t element) {
               return output_texts_[element].find('\0') == std::string::npos;
             });
    });
  }
  /// The same variable with as many values as were asked for.
  void read_value(ByteReader& in, StartValue& value) const {
    const auto reference = in.get<std::uint32_t>();
    const auto type = in.get<std::underlying_type_t<VariableType>>();
    bool structural = false;
    in.get(structural);
    if (reference != value.reference ||
        type != static_cast<std::underlying_type_t<VariableType>>(value.type) ||
        structural != value.structural)
      return in.fail();
    StartValue answer = value;
    in.get_agreed(answer.reals, value.reals.size());
    in.get_agreed(answer.integers, value.integers.size());
    in.get_agreed(answer.texts, value.texts.size());
    const auto possible = [&](std::int64_t v) { return can_have(value.type, setup_->version, v); };
    if (!std::all_of(answer.integers.begin(), answer.integers.end(), possible)) return in.fail();
    if (in.good()) value = std::move(answer);
  }

  // AsyncSteps
  void begin_step(double t, double h, const InputView& u, bool is_timed) override {
    (void)send_step(t, h, u, is_timed);
  }
  [[nodiscard]] bool is_under_way() const override { return is_under_way_; }
  [[nodiscard]] double step_cost_s() const override { return step_cost_s_; }

  bool send_step(double t, double h, const InputView& u, bool is_timed) {
    const bool is_sent = send(Request::step, [&](ByteWriter& out) {
      out.put(is_timed);
      out.put(t);
      out.put(h);
      out.put(static_cast<std::int32_t>(u.degree));
      for (int d = 0; d <= u.degree; ++d)
        out.put_list(u.coefficients + static_cast<std::size_t>(d) * u.stride, u_.size());
      write_discrete(out);
    });
    if (!is_sent) return false;
    is_under_way_ = true;
    steps_under_way.fetch_add(1, std::memory_order_relaxed);
    step_cost_s_ = 0.0;
    sent_at_ = is_timed ? Clock::now() : Clock::time_point{};
    return true;
  }
  bool end_step(const double* u) {
    const bool spins = may_spin();
    note_step_end();
    const bool ok = receive(
        [&](ByteReader& in) {
          read_outputs(in);
          read_cost(in);
        },
        spins);
    if (!ok) return false;
    std::copy_n(u, u_.size(), u_.begin());
    knows_outputs_ = true;
    return true;
  }
  void note_step_end() {
    is_under_way_ = false;
    steps_under_way.fetch_sub(1, std::memory_order_relaxed);
  }
  /// Only what was asked for, and not more than has passed since.
  void read_cost(ByteReader& in) {
    const auto cost_s = in.get<double>();
    const bool is_timed = sent_at_ != Clock::time_point{};
    if (!std::isfinite(cost_s) || cost_s < 0.0 || (!is_timed && cost_s != 0.0)) return in.fail();
    if (!is_timed) return;
    const double passed_s = std::chrono::duration<double>(Clock::now() - std::exchange(sent_at_, {})).count();
    step_cost_s_ = std::min(cost_s, passed_s);
  }
  /// Waits for a step that nobody waits for any more. Its reply is not even read.
  bool abandon_step() {
    const bool spins = may_spin();
    note_step_end();
    sent_at_ = {};
    if (std::string how = link_->wait(spins); !how.empty()) {
      lost_ = true;
      return fail(std::move(how));
    }
    return true;
  }

  struct Nothing {};

  template <class Write = Nothing, class Read = Nothing>
  bool call(Request request, const Write& put = {}, const Read& get = {}) {
    return send(request, put) && receive(get);
  }
  template <class Write = Nothing>
  bool send(Request request, const Write& put = {}) {
    if (is_under_way_ && !abandon_step()) [[unlikely]]
      return false;
    ByteWriter out(link_->channel().memory());
    if constexpr (!std::is_same_v<Write, Nothing>) put(out);
    if (!out.fits()) return fail("a message to its worker is too large");
    link_->send(request, out.size());
    has_stepped_ = has_stepped_ || request == Request::step;
    return true;
  }
  template <class Read = Nothing>
  bool receive(const Read& get = {}, bool spins = true) {
    if (std::string how = link_->wait(spins); !how.empty()) [[unlikely]] {
      lost_ = true;
      return fail(std::move(how));
    }
    // The worker is not trusted: each number is loaded once, and then checked.
    const ChannelHead& head = link_->channel().head();
    const std::uint64_t size = head.size.load(std::memory_order_relaxed);
    const std::uint32_t ok = head.ok.load(std::memory_order_relaxed);
    std::uint64_t answer_size = 0;
    if (size > link_->channel().memory().size() || size < sizeof answer_size || ok > 1) return refuse_reply();
    const auto memory = link_->channel().memory().first(size);
    ByteReader(memory).get(answer_size);
    if (answer_size < sizeof answer_size || answer_size > size) return refuse_reply();
    ByteReader in(memory.first(answer_size).subspan(sizeof answer_size));
    if (answer_size < size && !forward_messages(memory.subspan(answer_size))) return refuse_reply();
    if (ok == 0) {
      std::string why;
      bool lost = false;
      if (in.left() <= max_reason_bytes + sizeof(std::uint64_t) + 1) in.get(why);
      in.get(lost);
      if (!in.is_complete()) return refuse_reply();
      lost_ = lost;
      return fail(std::move(why));
    }
    if constexpr (!std::is_same_v<Read, Nothing>) get(in);
    return in.is_complete() || refuse_reply();
  }
  /// A worker that does not keep to the protocol has lost its mind, or was made to: nothing more is asked of it.
  bool refuse_reply() {
    link_->end();
    lost_ = true;
    return fail(invalid_reply);
  }

  [[nodiscard]] bool forward_messages(std::span<const std::byte> bytes) const {
    ByteReader in(bytes);
    std::uint64_t count = 0;
    in.get(count);
    if (count > max_messages_per_reply) return false;
    for (std::uint64_t i = 0; i < count && in.good(); ++i) {
      LogMessage message;
      message.instance = name_;
      in.get(message.status, FmuStatus::pending);
      in.get(message.category);
      in.get(message.text);
      in.get(message.time_s);
      if (in.good() && !muted_) log_message(message);
    }
    return in.is_complete();
  }

  std::shared_ptr<const InstanceSetup> setup_;
  std::string name_;
  std::unique_ptr<WorkerLink> link_;
  bool is_instantiated_ = false;
  bool muted_ = false;
  bool has_stepped_ = false;
  bool is_under_way_ = false;
  double step_cost_s_ = 0.0;
  using Clock = std::chrono::steady_clock;
  Clock::time_point sent_at_{};  ///< of a step that is timed
  bool knows_outputs_ = false;
  bool knows_discrete_ = false;
  bool discrete_changed_ = false;
  std::vector<double> u_;
  std::vector<double> y_;
  std::vector<std::int64_t> integers_;
  std::vector<std::string> texts_;
  std::vector<std::int64_t> output_integers_;
  std::vector<std::string> output_texts_;
  std::vector<bool> slots_;  ///< of the worker: whether each is in use
};

}  // namespace

std::unique_ptr<FmuInstance> make_linked_instance(std::shared_ptr<const InstanceSetup> setup,
                                                  const std::string& name, std::unique_ptr<WorkerLink> link) {
  return std::make_unique<WorkerInstance>(std::move(setup), name, std::move(link));
}

std::unique_ptr<FmuInstance> make_worker_instance(std::shared_ptr<const InstanceSetup> setup,
                                                  const std::string& name, const WorkerOptions& options) {
  return make_linked_instance(std::move(setup), name, std::make_unique<WorkerProcess>(options));
}

}  // namespace ergon::fmi
