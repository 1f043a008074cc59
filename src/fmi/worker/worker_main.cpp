// What runs in a worker: one instance, and nothing of the master's but the memory they share.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "ergon/fmi/worker/channel.hpp"
#include "ergon/fmi/worker/guardian.hpp"
#include "ergon/fmi/worker/sandbox.hpp"
#include "ergon/fmi/worker/setup_stream.hpp"
#include "ergon/fmi/worker/worker.hpp"

namespace ergon::fmi {
namespace {

constexpr int memory_descriptor = 3;
constexpr int lifeline_descriptor = 4;

void limit(__rlimit_resource_t resource, std::uint64_t value) {
  const rlimit both{value, value};
  (void)::setrlimit(resource, &both);
}

/// Where the master is gone there is nobody to work for.
void end_with_master() {
  std::thread([] {
    char byte = 0;
    while (::read(lifeline_descriptor, &byte, 1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
  }).detach();
}

/// A crash is to be seen as the signal that it is: what this program has installed for itself (the sanitizers do) would end the
/// process in another way.
void crash_by_signal() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
}

class Worker {
 public:
  explicit Worker(const Channel& channel) : channel_(channel) {
    set_log_sink([this](const LogMessage& message) {
      if (messages_.size() < max_messages_per_reply)
        messages_.push_back(message);
      else
        ++dropped_;
    });
  }

  void run() {
    while (true) {
      while (!channel_.wait_for(ChannelHead::worker, std::chrono::seconds(3600))) {
      }
      const ChannelHead& head = channel_.head();
      const std::size_t size = head.size;
      if (size > channel_.memory().size()) ::_exit(3);
      const auto request = static_cast<Request>(head.request.load());
      ByteReader in(channel_.memory().first(size));
      answer(request, in);
      channel_.hand_to(ChannelHead::master);
      if (request == Request::quit) ::_exit(0);
    }
  }

 private:
  /// Requests are read to their end before the answer is written into the same memory.
  void answer(Request request, ByteReader& in) {
    ByteWriter out(channel_.memory());
    out.skip(sizeof(
        std::uint64_t));  // size of the answer without messages; the request begins there, and is read first
    bool ok = handle(request, in, out);
    if (!out.fits()) {
      ok = false;
      reason_ = "its answer is too large for the memory shared with its worker";
    }
    if (!ok) {
      out = ByteWriter(channel_.memory());
      out.put(std::uint64_t{0});
      std::string reason = reason_.empty() && instance_ ? instance_->reason() : reason_;
      if (reason.size() > max_reason_bytes) reason.resize(max_reason_bytes);
      out.put(reason);
      out.put(instance_ && instance_->is_lost());
      reason_.clear();
    }
    channel_.head().ok = ok ? 1 : 0;
    const std::uint64_t size = out.size();
    std::memcpy(channel_.memory().data(), &size, sizeof size);
    if (messages_.empty()) {
      channel_.head().size = size;
      return;
    }
    out.put(static_cast<std::uint64_t>(messages_.size()));
    for (const LogMessage& m : messages_) {
      out.put(m.status);
      out.put(m.category);
      out.put(m.text);
      out.put(m.time_s);
    }
    messages_.clear();
    channel_.head().size = out.fits() ? out.size() : size;
  }

  bool read_discrete(ByteReader& in) {
    if (!in.get<bool>()) return true;
    in.get(integers_);
    in.get(texts_);
    if (in.good()) instance_->set_discrete(integers_.data(), texts_.data());
    return in.good();
  }
  bool write_outputs(ByteWriter& out, double t, const double* u, bool may_set) {
    y_.resize(setup_->outputs.real_count);
    if (!instance_->outputs(t, u, y_.data(), may_set)) return false;
    out.put_list(y_.data(), y_.size());
    return write_discrete(out);
  }
  bool write_discrete(ByteWriter& out) {
    const Batches& b = setup_->outputs;
    if (b.integer_count + b.text_count == 0) return true;
    output_integers_.resize(b.integer_count);
    output_texts_.resize(b.text_count);
    if (!instance_->discrete_outputs(output_integers_.data(), output_texts_.data())) return false;
    out.put(output_integers_);
    out.put(output_texts_);
    return true;
  }

  bool handle(Request request, ByteReader& in, ByteWriter& out) {
    switch (request) {
      case Request::quit:
        instance_.reset();
        return true;
      case Request::instantiate: {
        std::string name;
        auto setup = std::make_shared<InstanceSetup>();
        in.get(name);
        read(in, *setup);
        setup_ = setup;
        // Of <folder>/binaries/<platform>/<name>.so.
        const auto folder = std::filesystem::path(setup->library).parent_path().parent_path().parent_path();
        if (const std::string why = enter_sandbox(setup->sandbox, folder.string()); !why.empty()) {
          reason_ = "its sandbox could not be set up: " + why;
          return false;
        }
        instance_ = make_local_instance(setup_, name);
        return instance_->instantiate();
      }
      case Request::initialize: {
        StartSettings settings;
        read(in, settings);
        return instance_->initialize(settings);
      }
      case Request::finish_initialization:
        return instance_->finish_initialization();
      case Request::step: {
        const bool is_timed = in.get<bool>();
        const auto t = in.get<double>();
        const auto h = in.get<double>();
        const auto degree = in.get<std::int32_t>();
        if (degree < 0 || degree > 16) return false;
        u_.resize(setup_->inputs.real_count * static_cast<std::size_t>(degree + 1));
        in.get_list(u_.data(), u_.size());
        if (!read_discrete(in)) return false;
        const InputView view{u_.data(), setup_->inputs.real_count, degree};
        using Clock = std::chrono::steady_clock;
        const auto begin = is_timed ? Clock::now() : Clock::time_point{};
        if (instance_->step(t, h, view) != StepEnd::done || !write_outputs(out, t + h, u_.data(), false))
          return false;
        out.put(is_timed ? std::chrono::duration<double>(Clock::now() - begin).count() : 0.0);
        return true;
      }
      case Request::outputs: {
        const auto t = in.get<double>();
        const bool may_set = in.get<bool>();
        u_.resize(setup_->inputs.real_count);
        in.get_list(u_.data(), u_.size());
        return read_discrete(in) && write_outputs(out, t, u_.data(), may_set);
      }
      case Request::discrete_outputs:
        return write_discrete(out);
      case Request::set_value: {
        StartValue value;
        read(in, value);
        return instance_->set_value(value);
      }
      case Request::get_value: {
        StartValue value;
        read(in, value);
        const bool ok = instance_->get_value(value);
        write(out, value);
        return ok;
      }
      default:
        return handle_state(request, in, out);
    }
  }

  bool handle_state(Request request, ByteReader& in, ByteWriter& out) {
    switch (request) {
      case Request::make_slot:
        out.put(static_cast<std::uint64_t>(instance_->make_slot()));
        return true;
      case Request::free_slot:
        instance_->free_slot(in.get<std::uint64_t>());
        return true;
      case Request::save:
        return instance_->save(in.get<std::uint64_t>());
      case Request::restore:
        return instance_->restore(in.get<std::uint64_t>());
      case Request::serialize: {
        std::vector<std::byte> bytes;
        const bool ok = instance_->serialize(in.get<std::uint64_t>(), bytes);
        out.put(bytes);
        return ok;
      }
      case Request::deserialize: {
        const auto slot = in.get<std::uint64_t>();
        std::vector<std::byte> bytes;
        in.get(bytes);
        return instance_->deserialize(bytes, slot);
      }
      case Request::directional_derivative: {
        std::vector<std::uint32_t> unknowns;
        std::vector<std::uint32_t> knowns;
        std::vector<double> seed;
        in.get(unknowns);
        in.get(knowns);
        in.get(seed);
        std::vector<double> sensitivity(unknowns.size());
        const bool ok = instance_->directional_derivative(unknowns, knowns, seed, sensitivity);
        out.put(sensitivity);
        return ok;
      }
      case Request::output_derivatives: {
        std::vector<std::uint32_t> references;
        in.get(references);
        std::vector<double> values(references.size());
        const bool ok = instance_->output_derivatives(references, values);
        out.put(values);
        return ok;
      }
      case Request::states:
      case Request::set_states:
      case Request::state_rates:
        return setup_->exchange && handle_continuous_states(request, in, out);
      default:
        reason_ = "a request that is not known";
        return false;
    }
  }

  bool handle_continuous_states(Request request, ByteReader& in, ByteWriter& out) {
    std::vector<double> values(setup_->exchange->state_count);
    if (request == Request::set_states) {
      in.get(values);
      return instance_->set_states(values);
    }
    double t = 0.0;
    if (request == Request::state_rates) {
      t = in.get<double>();
      u_.resize(setup_->inputs.real_count);
      in.get_list(u_.data(), u_.size());
    }
    const bool ok =
        request == Request::states ? instance_->states(values) : instance_->state_rates(t, u_.data(), values);
    out.put(values);
    return ok;
  }

  const Channel& channel_;
  std::shared_ptr<const InstanceSetup> setup_;
  std::unique_ptr<FmuInstance> instance_;
  std::string reason_;
  std::vector<LogMessage> messages_;
  std::size_t dropped_ = 0;
  std::vector<double> u_;
  std::vector<double> y_;
  std::vector<std::int64_t> integers_;
  std::vector<std::string> texts_;
  std::vector<std::int64_t> output_integers_;
  std::vector<std::string> output_texts_;
};

/// The arguments after `worker_argument`, from the kernel: this is called from wherever main is.
std::uint64_t argument(std::size_t number) {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  std::size_t at = 0;
  for (std::size_t i = 0; i < number && at != std::string::npos; ++i) {
    at = all.find('\0', at);
    if (at != std::string::npos) ++at;
  }
  std::uint64_t value = 0;
  if (at != std::string::npos) std::from_chars(all.data() + at, all.data() + all.size(), value);
  return value;
}

}  // namespace

void run_worker() {
  const std::uint64_t memory_bytes = argument(2);
  const std::uint64_t file_bytes = argument(3);
  limit(RLIMIT_CORE, 0);
  const bool is_started =
      ::fcntl(memory_descriptor, F_GETFD) >= 0 && ::fcntl(lifeline_descriptor, F_GETFD) >= 0;
  const bool is_guarded = is_started && split_off_guardian(lifeline_descriptor);
  const Channel channel = Channel::attach(memory_descriptor);
  if (!channel.good()) {
    std::fputs("ergon: a worker is started by the command itself, not by hand\n", stderr);
    ::_exit(2);
  }
  ::fcntl(memory_descriptor, F_SETFD, FD_CLOEXEC);
  ::fcntl(lifeline_descriptor, F_SETFD, FD_CLOEXEC);
  limit(RLIMIT_NOFILE, 1024);
  if (file_bytes > 0) limit(RLIMIT_FSIZE, file_bytes);
  if (memory_bytes > 0) limit(RLIMIT_AS, memory_bytes);
  std::setlocale(LC_ALL, "C");
  crash_by_signal();
  if (is_guarded) {
    ::close(lifeline_descriptor);
  } else {
    end_with_master();
  }
  Worker(channel).run();
  ::_exit(0);
}

}  // namespace ergon::fmi
