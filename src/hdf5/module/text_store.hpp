#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ergon/hdf5/module/handles.hpp"

namespace ergon::hdf5 {

/// Texts of columns: their bytes behind each other, and where each ends. A column has their numbers.
class TextStore {
 public:
  /// An empty one in the group `texts`.
  static void create(hid_t file);
  /// Of a file that is being written.
  void open(hid_t file);
  void close() { bytes_.reset(), ends_.reset(); }
  [[nodiscard]] bool is_open() const { return bytes_ >= 0; }

  [[nodiscard]] std::int64_t number_of(const std::string& text);
  /// What is new goes to the file: before the columns that name it.
  void write();

  [[nodiscard]] static std::vector<std::string> read(hid_t file);

 private:
  Handle bytes_;
  Handle ends_;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t texts_written_ = 0;
  std::string new_bytes_;
  std::vector<std::uint64_t> new_ends_;
  std::unordered_map<std::string, std::int64_t> numbers_;
};

/// Appends to a one-dimensional dataset, or replaces what is behind `first`.
void write_behind(hid_t dataset, hid_t type, std::uint64_t first, std::uint64_t count, const void* values);

/// A dataset of bytes that a text fills later.
void create_bytes(hid_t at, const char* name, hid_t type, std::size_t chunk);

}  // namespace ergon::hdf5
