#pragma once

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

namespace ergon::hdf5 {

/// Throws std::runtime_error with what the library says about its last failure.
[[noreturn]] void throw_last_error(const char* what);

/// The identifier, or what went wrong as an exception.
template <class Number>
Number checked(Number result, const char* what) {
  if (result < 0) throw_last_error(what);
  return result;
}

/// An identifier of the library that is closed with its owner, by the function of its kind.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(checked(id, what)), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    reset();
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
    close_ = other.close_;
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  // NOLINTNEXTLINE(google-explicit-constructor): it stands for its identifier.
  operator hid_t() const { return id_; }
  /// Whether closing went well.
  bool reset() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

[[nodiscard]] Handle open_group(hid_t at, const std::string& name);
[[nodiscard]] Handle open_dataset(hid_t at, const std::string& name);
[[nodiscard]] Handle open_file(const std::string& file, unsigned flags, hid_t access, const char* what);
/// For files of the newest form, which can be read while they are written; locks are those of Ergon (output_directory.hpp).
[[nodiscard]] Handle file_access();

void write_text_attribute(hid_t object, const char* name, const std::string& text);
/// Empty where there is none.
[[nodiscard]] std::string text_attribute(hid_t object, const char* name);

/// Names of what is in a group, in the order in which it was made.
[[nodiscard]] std::vector<std::string> members_of(hid_t group);
[[nodiscard]] hsize_t extent_of(hid_t dataset);
/// All of a dataset of bytes.
[[nodiscard]] std::string bytes_of(hid_t dataset);

}  // namespace ergon::hdf5
