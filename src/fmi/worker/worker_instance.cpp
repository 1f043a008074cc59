#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "ergon/fmi/worker/setup_stream.hpp"
#include "ergon/fmi/worker/worker.hpp"
#include "ergon/fmi/worker/worker_process.hpp"

namespace ergon::fmi {
namespace {

/// The master's side: every call is written into the shared memory and answered there.
class WorkerInstance final : public FmuInstance {
 public:
  WorkerInstance(std::shared_ptr<const InstanceSetup> setup, std::string name, const WorkerOptions& options)
      : setup_(std::move(setup)), name_(std::move(name)), process_(options) {
    integers_.resize(setup_->inputs.integer_count);
    texts_.resize(setup_->inputs.text_count);
    y_.resize(setup_->outputs.real_count);
    u_.resize(setup_->inputs.real_count);
  }
  ~WorkerInstance() override {
    // An FMU that crashes while it is freed has given its results before.
    if (process_.is_running() && is_instantiated_) (void)process_.call(Request::quit, 0);
  }

  bool instantiate() override {
    if (std::string why = process_.start(); !why.empty()) return fail(std::move(why));
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
    const std::size_t n = u_.size();
    const bool ok = call(
        Request::step,
        [&](ByteWriter& out) {
          out.put(t);
          out.put(h);
          out.put(static_cast<std::int32_t>(u.degree));
          for (int d = 0; d <= u.degree; ++d)
            out.put_list(u.coefficients + static_cast<std::size_t>(d) * u.stride, n);
          write_discrete(out);
        },
        [&](ByteReader& in) { read_outputs(in); });
    if (!ok) return StepEnd::failed;
    std::copy_n(u.coefficients, n, u_.begin());
    knows_outputs_ = true;
    return StepEnd::done;
  }

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
    if (output_integers_.size() != setup_->outputs.integer_count ||
        output_texts_.size() != setup_->outputs.text_count) {
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
        [&](ByteReader& in) {
          StartValue answer;
          read(in, answer);
          value = std::move(answer);
        });
  }

  std::size_t make_slot() override {
    std::uint64_t slot = 0;
    if (!call(Request::make_slot, Nothing{}, [&](ByteReader& in) { in.get(slot); }))
      throw std::runtime_error(reason_);  // the engine makes it a failure of this subsystem
    return slot;
  }
  void free_slot(std::size_t slot) override { (void)with_slot(Request::free_slot, slot); }
  bool save(std::size_t slot) override { return with_slot(Request::save, slot); }
  bool restore(std::size_t slot) override {
    knows_outputs_ = false;
    output_integers_.clear();
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
        [&](ByteReader& in) { read_into(in, sensitivity); });
  }
  bool output_derivatives(std::span<const std::uint32_t> references, std::span<double> values) override {
    return call(
        Request::output_derivatives,
        [&](ByteWriter& out) { out.put(std::vector(references.begin(), references.end())); },
        [&](ByteReader& in) { read_into(in, values); });
  }

  void mute() override { muted_ = true; }

 private:
  bool fail(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  static void read_into(ByteReader& in, std::span<double> values) {
    std::vector<double> list;
    in.get(list);
    for (std::size_t i = 0; i < values.size() && i < list.size(); ++i) values[i] = list[i];
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
    if (setup_->outputs.integer_count + setup_->outputs.text_count == 0) return;
    in.get(output_integers_);
    in.get(output_texts_);
  }

  struct Nothing {};

  template <class Write = Nothing, class Read = Nothing>
  bool call(Request request, const Write& put = {}, const Read& get = {}) {
    ByteWriter out(process_.channel().memory());
    if constexpr (!std::is_same_v<Write, Nothing>) put(out);
    if (!out.fits()) return fail("what is to be told to its worker is too large");
    if (std::string how = process_.call(request, out.size()); !how.empty()) [[unlikely]] {
      lost_ = true;
      return fail(std::move(how));
    }
    has_stepped_ = has_stepped_ || request == Request::step;
    // The worker is not trusted: every size it says is checked.
    const ChannelHead& head = process_.channel().head();
    const std::size_t size = std::min<std::size_t>(head.size, process_.channel().memory().size());
    const auto memory = process_.channel().memory().first(size);
    std::uint64_t answer_size = 0;
    if (size >= sizeof answer_size) std::memcpy(&answer_size, memory.data(), sizeof answer_size);
    if (answer_size < sizeof answer_size || answer_size > size) return fail("its worker answers nonsense");
    ByteReader in(memory.first(answer_size).subspan(sizeof answer_size));
    if (answer_size < size && !muted_) forward_messages(memory.subspan(answer_size));
    if (head.ok == 0) {
      std::string why;
      in.get(why);
      lost_ = in.get<bool>();
      return fail(std::move(why));
    }
    if constexpr (!std::is_same_v<Read, Nothing>) get(in);
    return in.good() || fail("its worker answers nonsense");
  }

  void forward_messages(std::span<const std::byte> bytes) const {
    ByteReader in(bytes);
    const auto count = in.get<std::uint64_t>();
    for (std::uint64_t i = 0; i < count && in.good(); ++i) {
      LogMessage message;
      message.instance = name_;
      in.get(message.status);
      in.get(message.category);
      in.get(message.text);
      in.get(message.time_s);
      if (in.good()) log_message(message);
    }
  }

  std::shared_ptr<const InstanceSetup> setup_;
  std::string name_;
  WorkerProcess process_;
  bool is_instantiated_ = false;
  bool muted_ = false;
  bool has_stepped_ = false;
  bool knows_outputs_ = false;
  bool discrete_changed_ = false;
  std::vector<double> u_;
  std::vector<double> y_;
  std::vector<std::int64_t> integers_;
  std::vector<std::string> texts_;
  std::vector<std::int64_t> output_integers_;
  std::vector<std::string> output_texts_;
};

}  // namespace

std::unique_ptr<FmuInstance> make_worker_instance(std::shared_ptr<const InstanceSetup> setup,
                                                  const std::string& name, const WorkerOptions& options) {
  return std::make_unique<WorkerInstance>(std::move(setup), name, options);
}

}  // namespace ergon::fmi
