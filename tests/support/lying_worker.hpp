#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ergon/fmi/instance/fmu_log.hpp"
#include "ergon/fmi/instance/instance_setup.hpp"
#include "ergon/fmi/worker/channel.hpp"
#include "ergon/fmi/worker/setup_stream.hpp"

namespace ergon::fmi {

/// Every kind of value that an exchange can have.
inline std::shared_ptr<const InstanceSetup> setup_of_all_kinds() {
  auto setup = std::make_shared<InstanceSetup>();
  setup->version = FmiVersion::fmi3;
  setup->fmu = "lying.fmu";
  setup->can_save_state = setup->can_serialize_state = true;
  std::uint32_t reference = 0;
  const auto all = [&](const std::vector<std::pair<VariableType, std::size_t>>& types) {
    std::vector<ExchangedVariable> list;
    for (const auto& [type, count] : types) list.push_back({reference++, type, count, false});
    return make_batches(list);
  };
  setup->inputs = all({{VariableType::float64, 2}, {VariableType::int32, 1}, {VariableType::text, 1}});
  setup->outputs = all({{VariableType::float64, 3},
                        {VariableType::int8, 2},
                        {VariableType::boolean, 1},
                        {VariableType::uint32, 1},
                        {VariableType::enumeration, 1},
                        {VariableType::text, 2},
                        {VariableType::binary, 1}});
  return setup;
}

/// A worker without an FMU: its replies are what the protocol wants, and their values are always the same.
class HonestWorker {
 public:
  struct Reply {
    std::vector<std::byte> bytes;
    std::uint32_t ok = 1;
  };
  static double real(std::size_t i) { return 0.5 + static_cast<double>(i); }
  static std::int64_t integer(std::size_t i) { return i % 2 == 0 ? 1 : 0; }
  static std::string text(std::size_t i) { return "text " + std::to_string(i); }

  explicit HonestWorker(std::shared_ptr<const InstanceSetup> setup = nullptr) : setup_(std::move(setup)) {}
  [[nodiscard]] const std::string& name() const { return name_; }

  /// `is_failing`: what it was asked could not be done; `messages`: so many come with the reply.
  Reply answer(Request request, std::span<const std::byte> asked, bool is_failing = false,
               std::uint64_t messages = 0) {
    ByteReader in(asked);
    std::vector<std::byte> memory(std::size_t{1} << 14);
    ByteWriter out(memory);
    out.put(std::uint64_t{0});
    if (is_failing) {
      out.put(std::string("it could not be done"));
      out.put(false);
    } else {
      write_answer(request, in, out);
    }
    const std::uint64_t size = out.size();
    std::memcpy(memory.data(), &size, sizeof size);
    if (messages > 0) {
      out.put(messages);
      for (std::uint64_t i = 0; i < messages; ++i) {
        out.put(FmuStatus::warning);
        out.put(std::string("category"));
        out.put(std::string("a message"));
        out.put(0.25);
      }
    }
    memory.resize(out.size());
    return {std::move(memory), is_failing ? 0U : 1U};
  }

 private:
  void write_outputs(ByteWriter& out) const {
    for (std::size_t i = 0; i < setup_->outputs.real_count; ++i) out.put(real(i));
    write_discrete(out);
  }
  void write_discrete(ByteWriter& out) const {
    const Batches& b = setup_->outputs;
    if (b.integer_count + b.text_count == 0) return;
    std::vector<std::int64_t> integers;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < b.integer_count; ++i) integers.push_back(integer(i));
    for (std::size_t i = 0; i < b.text_count; ++i) texts.push_back(text(i));
    out.put(integers);
    out.put(texts);
  }
  void write_answer(Request request, ByteReader& in, ByteWriter& out) {
    switch (request) {
      case Request::instantiate: {
        auto setup = std::make_shared<InstanceSetup>();
        in.get(name_);
        read(in, *setup);
        setup_ = setup;
        return;
      }
      case Request::step:
        write_outputs(out);
        return out.put(0.0);  // what it took
      case Request::outputs:
        return write_outputs(out);
      case Request::discrete_outputs:
        return write_discrete(out);
      case Request::get_value: {
        StartValue value;
        read(in, value);
        return write(out, value);
      }
      case Request::make_slot:
        return out.put(slots_++);
      case Request::serialize:
        return out.put(std::vector<std::byte>(24));
      case Request::directional_derivative: {
        std::vector<std::uint32_t> unknowns;
        in.get(unknowns);
        return out.put(std::vector<double>(unknowns.size(), 1.0));
      }
      case Request::output_derivatives: {
        std::vector<std::uint32_t> references;
        in.get(references);
        return out.put(std::vector<double>(references.size(), 1.0));
      }
      default:
        return;
    }
  }

  std::shared_ptr<const InstanceSetup> setup_;
  std::string name_;
  std::uint64_t slots_ = 0;
};

/// Damages replies at random, most of all the numbers that others rely on.
class Liar {
 public:
  explicit Liar(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  /// What the head says the size is can differ from what was written. False: nothing was changed.
  bool damage(HonestWorker::Reply& reply, std::uint64_t& size) {
    size = reply.bytes.size();
    switch (below(8)) {
      case 0:
        return false;
      case 1:  // bytes
        for (std::uint64_t i = 0, count = 1 + below(4); i < count; ++i)
          reply.bytes[below(reply.bytes.size())] ^= static_cast<std::byte>(1 + below(255));
        return true;
      case 2:
      case 3: {  // a number
        const std::uint64_t number = odd_number();
        const std::uint64_t at = below(reply.bytes.size());
        std::memcpy(reply.bytes.data() + at, &number, std::min(sizeof number, reply.bytes.size() - at));
        return true;
      }
      case 4:  // cut short
        size = below(reply.bytes.size());
        return true;
      case 5:  // longer than it is
        size += 1 + below(1000);
        reply.bytes.resize(size, static_cast<std::byte>(below(256)));
        return true;
      case 6:
        size = odd_number();
        if (below(2) == 0) reply.ok = static_cast<std::uint32_t>(odd_number());
        return true;
      default:  // nothing of it is as it was
        for (std::byte& b : reply.bytes) b = static_cast<std::byte>(below(256));
        reply.ok = static_cast<std::uint32_t>(below(2));
        return true;
    }
  }

 private:
  std::uint64_t odd_number() {
    constexpr std::uint64_t one = 1;
    const std::uint64_t numbers[] = {0,
                                     1,
                                     2,
                                     7,
                                     8,
                                     9,
                                     201,
                                     one << 20,
                                     one << 28,
                                     (one << 28) + 1,
                                     one << 31,
                                     one << 32,
                                     one << 61,
                                     one << 63,
                                     ~std::uint64_t{0},
                                     ~std::uint64_t{0} - 7};
    const std::uint64_t kind = below(std::size(numbers) + 2);
    if (kind < std::size(numbers)) return numbers[kind];
    return kind == std::size(numbers) ? below(64) : random_();
  }
  std::mt19937_64 random_;
};

}  // namespace ergon::fmi
