#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ergon/fmi/instance/fmu_log.hpp"
#include "ergon/fmi/instance/instance_setup.hpp"

namespace ergon::fmi {

/// The lanes of one direction.
struct LaneValues {
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;
  void resize(const Batches& batches) {
    reals.resize(batches.real_count);
    integers.resize(batches.integer_count);
    texts.resize(batches.text_count);
  }
};

/// Moves values between lanes (doubles, 64-bit integers, strings) and the C types that an FMU wants, through one buffer that is
/// made once. Api is Fmi1Api, Fmi2Api or Fmi3Api: a Boolean has four bytes in FMI 2 and one in the
/// others.
template <class Api>
class LaneTransfer {
 public:
  void reserve(std::size_t most_values) {
    buffer_.resize(most_values);
    pointers_.resize(most_values);
    sizes_.resize(most_values);
  }

  FmuStatus set(const Api& api, const Batch& batch, const double* reals, const std::int64_t* integers,
                const std::string* texts) {
    switch (batch.type) {
      case VariableType::float64:
        return set_as<double>(api, batch, reals);
      case VariableType::float32:
        return set_as<float>(api, batch, reals);
      case VariableType::text:
        for (std::size_t i = 0; i < batch.elements.size(); ++i)
          pointers_[i] = texts[batch.elements[i]].c_str();
        return api.set(batch.type, batch.references.data(), batch.references.size(), pointers_.data(),
                       batch.elements.size());
      case VariableType::binary:
        for (std::size_t i = 0; i < batch.elements.size(); ++i) {
          pointers_[i] = texts[batch.elements[i]].data();
          sizes_[i] = texts[batch.elements[i]].size();
        }
        return api.set_binary(batch.references.data(), batch.references.size(), sizes_.data(),
                              reinterpret_cast<const std::uint8_t* const*>(pointers_.data()),
                              batch.elements.size());
      default:
        return for_integer(batch.type,
                           [&](auto typed) { return set_as<decltype(typed)>(api, batch, integers); });
    }
  }

  FmuStatus get(const Api& api, const Batch& batch, double* reals, std::int64_t* integers,
                std::string* texts) {
    switch (batch.type) {
      case VariableType::float64:
        return get_as<double>(api, batch, reals);
      case VariableType::float32:
        return get_as<float>(api, batch, reals);
      case VariableType::text: {
        std::fill_n(pointers_.begin(), batch.elements.size(), nullptr);
        const FmuStatus status = api.get(batch.type, batch.references.data(), batch.references.size(),
                                         pointers_.data(), batch.elements.size());
        if (status > FmuStatus::warning) return status;
        for (std::size_t i = 0; i < batch.elements.size(); ++i)
          texts[batch.elements[i]].assign(pointers_[i] != nullptr ? static_cast<const char*>(pointers_[i])
                                                                  : "");
        return status;
      }
      case VariableType::binary: {
        std::fill_n(pointers_.begin(), batch.elements.size(), nullptr);
        std::fill_n(sizes_.begin(), batch.elements.size(), 0);
        const FmuStatus status =
            api.get_binary(batch.references.data(), batch.references.size(), sizes_.data(),
                           reinterpret_cast<const std::uint8_t**>(pointers_.data()), batch.elements.size());
        if (status > FmuStatus::warning) return status;
        for (std::size_t i = 0; i < batch.elements.size(); ++i) {
          if (pointers_[i] != nullptr)
            texts[batch.elements[i]].assign(static_cast<const char*>(pointers_[i]), sizes_[i]);
          else
            texts[batch.elements[i]].clear();
        }
        return status;
      }
      default:
        return for_integer(batch.type,
                           [&](auto typed) { return get_as<decltype(typed)>(api, batch, integers); });
    }
  }

 private:
  template <class C, class Lane>
  FmuStatus set_as(const Api& api, const Batch& batch, const Lane* lane) {
    C* const values = reinterpret_cast<C*>(buffer_.data());
    for (std::size_t i = 0; i < batch.elements.size(); ++i)
      values[i] = static_cast<C>(batch.is_negated(i) ? -lane[batch.elements[i]] : lane[batch.elements[i]]);
    return api.set(batch.type, batch.references.data(), batch.references.size(), values,
                   batch.elements.size());
  }
  template <class C, class Lane>
  FmuStatus get_as(const Api& api, const Batch& batch, Lane* lane) {
    C* const values = reinterpret_cast<C*>(buffer_.data());
    const FmuStatus status =
        api.get(batch.type, batch.references.data(), batch.references.size(), values, batch.elements.size());
    if (status > FmuStatus::warning) return status;
    for (std::size_t i = 0; i < batch.elements.size(); ++i) {
      const auto value = static_cast<Lane>(values[i]);
      lane[batch.elements[i]] = batch.is_negated(i) ? -value : value;
    }
    return status;
  }
  template <class Work>
  static FmuStatus for_integer(VariableType type, const Work& work) {
    switch (type) {
      case VariableType::int8:
        return work(std::int8_t{});
      case VariableType::uint8:
        return work(std::uint8_t{});
      case VariableType::int16:
        return work(std::int16_t{});
      case VariableType::uint16:
        return work(std::uint16_t{});
      case VariableType::int32:
        return work(std::int32_t{});
      case VariableType::uint32:
        return work(std::uint32_t{});
      case VariableType::int64:
        return work(std::int64_t{});
      case VariableType::uint64:
        return work(std::uint64_t{});
      case VariableType::boolean:
        return work(typename Api::Boolean{});
      case VariableType::enumeration:
        return work(typename Api::Enumeration{});
      default:
        return FmuStatus::error;
    }
  }

  std::vector<std::uint64_t> buffer_;  // eight bytes for a value of any number type
  std::vector<const void*> pointers_;
  std::vector<std::size_t> sizes_;
};

}  // namespace ergon::fmi
