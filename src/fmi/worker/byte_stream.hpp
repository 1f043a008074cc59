#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ergon::fmi {

/// Writes values one after another into memory that both processes see. What does not fit is counted, not written.
class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::byte> memory) : memory_(memory) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { raw(&value, sizeof value); }
  template <class T>
  void put_list(const T* values, std::size_t count) {
    raw(values, count * sizeof(T));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    put_list(values.data(), values.size());
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    raw(text.data(), text.size());
  }
  void put(const std::vector<std::string>& texts) {
    put(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts) put(text);
  }
  void skip(std::size_t count) { size_ += count; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool fits() const { return size_ <= memory_.size(); }
  [[nodiscard]] std::size_t room() const { return fits() ? memory_.size() - size_ : 0; }

 private:
  void raw(const void* from, std::size_t count) {
    if (count > 0 && fits() && count <= memory_.size() - size_)
      std::memcpy(memory_.data() + size_, from, count);
    size_ += count;
  }
  std::span<std::byte> memory_;
  std::size_t size_ = 0;
};

/// Reads what a ByteWriter wrote. The other side is not trusted: beyond the end there are zeros, and `good` is false. The other side
/// may also write while this one reads: every number is copied once, and what is checked is the copy.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> memory) : memory_(memory) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) {
    raw(&value, sizeof value);
    // From here on the compiler has to take the copy: read again, the memory might hold another number than the one that was checked.
    asm volatile("" : : "r"(&value) : "memory");
  }
  /// Any other byte than 0 and 1 is not a bool.
  void get(bool& value) {
    const auto byte = get<std::uint8_t>();
    value = byte == 1;
    if (byte > 1) fail();
  }
  /// One of the values up to `last`.
  template <class E>
  requires std::is_enum_v<E>
  void get(E& value, E last) {
    static_assert(std::is_unsigned_v<std::underlying_type_t<E>>);
    const auto number = get<std::underlying_type_t<E>>();
    const bool known = number <= static_cast<std::underlying_type_t<E>>(last);
    value = known ? static_cast<E>(number) : E{};
    if (!known) fail();
  }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  template <class T>
  void get_list(T* values, std::size_t count) {
    raw(values, count * sizeof(T));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(std::vector<T>& values) {
    const auto count = get<std::uint64_t>();
    if (count > left() / sizeof(T)) return fail();
    values.resize(count);
    get_list(values.data(), count);
  }
  /// A list of so many, as was agreed: another number is a failure, and `values` stay.
  template <class List>
  void get_agreed(List& values, std::size_t agreed) {
    std::uint64_t count = 0;
    get(count);
    if (count != agreed) return fail();
    if constexpr (std::is_same_v<typename List::value_type, std::string>) {
      if (count > left() / sizeof(std::uint64_t)) return fail();
      if constexpr (requires { values.resize(agreed); }) values.resize(agreed);
      for (std::string& text : values) get(text);
    } else {
      if (count > left() / sizeof(typename List::value_type)) return fail();
      if constexpr (requires { values.resize(agreed); }) values.resize(agreed);
      get_list(values.data(), agreed);
    }
  }
  void get(std::string& text) {
    const auto count = get<std::uint64_t>();
    if (count > left()) return fail();
    text.assign(reinterpret_cast<const char*>(memory_.data() + at_), count);
    at_ += count;
  }
  void get(std::vector<std::string>& texts) {
    const auto count = get<std::uint64_t>();
    if (count > left() / sizeof(std::uint64_t)) return fail();
    texts.resize(count);
    for (std::string& text : texts) get(text);
  }
  void fail() {
    good_ = false;
    at_ = memory_.size();
  }
  [[nodiscard]] bool good() const { return good_; }
  /// Everything was read, and nothing was missing.
  [[nodiscard]] bool is_complete() const { return good_ && left() == 0; }
  [[nodiscard]] std::size_t left() const { return memory_.size() - at_; }

 private:
  void raw(void* to, std::size_t count) {
    if (count > left()) {
      std::memset(to, 0, count);
      return fail();
    }
    if (count > 0) std::memcpy(to, memory_.data() + at_, count);
    at_ += count;
  }
  std::span<const std::byte> memory_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace ergon::fmi
