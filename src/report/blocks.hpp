#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ergon::report {

/// Takes the text of a page piece by piece.
using PageSink = std::function<void(std::string_view)>;

/// Lists of numbers in the form in which a page carries them (docs/adr/0023): differences of the bit patterns of neighbours, by
/// planes of bytes, deflated, as base64. Numbers are kept as float32 distances from the first one, or with all their bits where
/// `exact`.
class Blocks {
 public:
  explicit Blocks(bool exact) : exact_(exact) {}

  /// Returns the number of the block.
  std::size_t add(std::span<const double> numbers, bool exact = false);
  [[nodiscard]] bool exact() const { return exact_; }
  /// One element of the page per block.
  void write_html(const PageSink& sink) const;

 private:
  bool exact_;
  std::vector<std::vector<unsigned char>> blocks_;  ///< deflated
};

[[nodiscard]] std::string base64(std::span<const unsigned char> bytes);

/// What is inside a block before it is deflated: the size of a number (4 or 8), the offset, the planes.
[[nodiscard]] std::vector<unsigned char> packed(std::span<const double> numbers, bool exact);

}  // namespace ergon::report
