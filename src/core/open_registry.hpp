#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergon {

/// What is found by its name: what the project brings along, and behind it what programs add (docs/library.md). Whoever holds an entry
/// may keep its address: there is room from the beginning.
template <class Entry>
class OpenRegistry {
 public:
  OpenRegistry(std::string_view kind, std::vector<Entry> built_in) : kind_(kind) {
    entries_.reserve(built_in.size() + room_);
    for (Entry& entry : built_in) entries_.push_back(std::move(entry));
    limit_ = entries_.size() + room_;
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  /// `name_of` gives the name of an entry. Throws std::invalid_argument where the name is taken.
  template <class NameOf>
  void add(Entry entry, NameOf name_of) {
    const std::string name(name_of(entry));
    const auto is_it = [&](const Entry& other) { return name_of(other) == name; };
    if (std::any_of(entries_.begin(), entries_.end(), is_it))
      throw std::invalid_argument("the name '" + name + "' is taken by another " + kind_);
    if (entries_.size() == limit_) throw std::length_error("there is no room for another " + kind_);
    entries_.push_back(std::move(entry));
  }

 private:
  static constexpr std::size_t room_ = 1000;
  std::string kind_;
  std::vector<Entry> entries_;
  std::size_t limit_ = 0;
};

}  // namespace ergon
