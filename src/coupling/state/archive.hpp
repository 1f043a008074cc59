#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ergon/core/api.hpp"

namespace ergon {

/// Bytes that do not fit what they are read into: of another system, another version, or damaged.
class ERGON_API ArchiveError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The one visitor of all that changes while running. A class lists its changing members once, in
///   void archive(Archive& archive) { archive(a_); archive(b_); … }
/// and the same list serves to write them (a snapshot, a checkpoint file, a message to another process) and to read them
/// back. Writing again into the same bytes allocates nothing where sizes have not grown.
class Archive {
 public:
  /// Replaces what is in `bytes`.
  static Archive writing(std::vector<std::byte>& bytes) {
    bytes.clear();
    return Archive(&bytes, {});
  }
  static Archive reading(std::span<const std::byte> bytes) { return Archive(nullptr, bytes); }

  [[nodiscard]] bool reads() const { return out_ == nullptr; }
  /// Of reading: nothing is left.
  [[nodiscard]] bool at_end() const { return next_ == in_.size(); }

  /// A mark between parts: reading finds out here, and not by nonsense later, that something else was written.
  void section(std::string_view name) {
    std::uint32_t mark = 2166136261U;  // FNV-1a
    for (const char c : name) mark = (mark ^ static_cast<unsigned char>(c)) * 16777619U;
    std::uint32_t found = mark;
    (*this)(found);
    if (found != mark)
      throw ArchiveError("the saved state does not fit: '" + std::string(name) + "' is missing");
  }

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& value) { copy(std::as_writable_bytes(std::span<T>(&value, 1))); }
  /// As long as it is: the length is not part of the archive.
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void operator()(std::span<T> values) { copy(std::as_writable_bytes(values)); }
  void operator()(std::string& text) {
    std::uint64_t size = text.size();
    (*this)(size);
    if (reads()) {
      if (size > in_.size() - next_) throw ArchiveError("the saved state ends too early");
      text.resize(static_cast<std::size_t>(size));
    }
    (*this)(std::span<char>(text));
  }
  /// With its length.
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void operator()(std::vector<T>& values) {
    std::uint64_t size = values.size();
    (*this)(size);
    if (reads()) {
      if (size > (in_.size() - next_) / sizeof(T)) throw ArchiveError("the saved state ends too early");
      values.resize(static_cast<std::size_t>(size));
    }
    (*this)(std::span<T>(values));
  }

 private:
  Archive(std::vector<std::byte>* out, std::span<const std::byte> in) : out_(out), in_(in) {}

  void copy(std::span<std::byte> bytes) {
    if (!reads()) {
      out_->insert(out_->end(), bytes.begin(), bytes.end());
      return;
    }
    if (bytes.size() > in_.size() - next_) throw ArchiveError("the saved state ends too early");
    if (!bytes.empty()) std::memcpy(bytes.data(), in_.data() + next_, bytes.size());
    next_ += bytes.size();
  }

  std::vector<std::byte>* out_;
  std::span<const std::byte> in_;
  std::size_t next_ = 0;
};

}  // namespace ergon
