#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "ergon/models/nonsmooth/machine_description.hpp"
#include "ergon/scenario/file/table_reader.hpp"

namespace ergon {

/// Larger numbers are not lengths, masses or stiffnesses of a machine: their squares and products leave the range of doubles.
constexpr double largest_machine_number = 1e15;

/// Reports, at the number itself, one that is not finite or too large.
inline bool check_machine_number(const Value& value, const std::string& key, TableReader& reader) {
  const double number = value.number;
  if (std::isfinite(number) && std::abs(number) <= largest_machine_number) return true;
  reader.error(value.where,
               std::isfinite(number)
                   ? fmt::format("'{}' in {} is {}, which is out of range.", key, reader.title(), number)
                   : fmt::format("'{}' in {} is {}, which is not finite.", key, reader.title(), number),
               fmt::format("Give a number between -{0:g} and {0:g}, in SI units.", largest_machine_number));
  return false;
}

/// One table of a machine file, read into the fields of its description.
class PartReader {
 public:
  PartReader(const Value& table, const std::string& kind, std::size_t number, ProblemList& problems)
      : reader_(table, title(table, kind, number), problems), table_(table), problems_(problems) {}

  TableReader& table() { return reader_; }
  [[nodiscard]] const SourceLocation& where() const { return table_.where; }

  std::string name() { return needed_text("name", "\"boom\""); }
  std::string needed_text(const char* key, const char* example) {
    if (!reader_.entry(key)) {
      reader_.missing(key, fmt::format("Give it, as in: {} = {}", key, example));
      return {};
    }
    const auto said = reader_.text(key);
    return said ? said->value : std::string();
  }
  void text(const char* key, std::string& value) {
    if (const auto said = reader_.text(key)) value = said->value;
  }
  void number(const char* key, double& value) {
    if (const auto said = reader_.number(key); said && is_in_range(key)) value = said->value;
  }
  void number(const char* key, std::optional<double>& value) {
    if (const auto said = reader_.number(key); said && is_in_range(key)) value = said->value;
  }
  void needed_number(const char* key, double& value, const char* example) {
    if (!reader_.entry(key)) reader_.missing(key, fmt::format("Give it, as in: {} = {}", key, example));
    number(key, value);
  }
  void flag(const char* key, bool& value) {
    const Entry* entry = reader_.entry(key);
    if (!entry) return;
    if (entry->value.kind == Value::Kind::boolean) {
      value = entry->value.boolean;
    } else {
      reader_.error(entry->value.where,
                    fmt::format("'{}' in {} is {}.", key, reader_.title(), entry->value.describe()),
                    "Write true or false.");
    }
  }
  void vector(const char* key, std::optional<Eigen::Vector3d>& value) {
    const auto said = list(key, {3});
    if (said) value = Eigen::Vector3d((*said)[0], (*said)[1], (*said)[2]);
  }
  void vector(const char* key, Eigen::Vector3d& value) {
    std::optional<Eigen::Vector3d> said;
    vector(key, said);
    if (said) value = *said;
  }
  void needed_vector(const char* key, Eigen::Vector3d& value) {
    if (!reader_.entry(key)) reader_.missing(key, fmt::format("Give it, as in: {} = [0, 0, 1]", key));
    vector(key, value);
  }
  /// A list of one of these lengths.
  std::optional<std::vector<double>> list(const char* key, std::initializer_list<std::size_t> lengths) {
    const auto said = reader_.numbers(key);
    if (!said) return std::nullopt;
    for (const Value& item : reader_.entry(key)->value.items)
      if (!check_machine_number(item, key, reader_)) return std::nullopt;
    for (const std::size_t length : lengths)
      if (said->value.size() == length) return said->value;
    std::string wanted;
    for (const std::size_t length : lengths)
      wanted += fmt::format("{}{}", wanted.empty() ? "" : " or ", length);
    reader_.error(said->where,
                  fmt::format("'{}' in {} has {} numbers.", key, reader_.title(), said->value.size()),
                  fmt::format("Give {}.", wanted));
    return std::nullopt;
  }
  /// `orientation`, a quaternion, or `rotation` about an axis.
  void orientation(Eigen::Quaterniond& value) {
    if (const auto e = list("orientation", {4})) {
      const Eigen::Quaterniond turn((*e)[0], (*e)[1], (*e)[2], (*e)[3]);
      if (turn.norm() > 0.0) {
        value = turn.normalized();
      } else {
        reader_.error(reader_.entry("orientation")->where,
                      fmt::format("'orientation' in {} is 0.", reader_.title()),
                      "Give a quaternion; [1, 0, 0, 0] turns nothing.");
      }
    }
    const Value* rotation = reader_.table("rotation");
    if (!rotation) return;
    PartReader turn(*rotation, "'rotation' of " + reader_.title(), problems_);
    Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
    double degrees = 0.0;
    turn.needed_vector("axis", axis);
    turn.needed_number("angle_deg", degrees, "30");
    if (turn.finish() && axis.norm() > 0.0) {
      value = Eigen::Quaterniond(Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis.normalized()));
    } else if (turn.reader_.ok()) {
      reader_.error(rotation->where, "The axis of a rotation is 0.", "Give a direction.");
    }
    ok_ = turn.reader_.ok() && ok_;
  }
  /// A table of a joint, by its key; nothing where it is not there. `read` gets a reader of it.
  template <class Read>
  void inner_part(const char* key, Read read) {
    const Value* said = reader_.table(key);
    if (!said) return;
    PartReader inner(*said, fmt::format("'{}' of {}", key, reader_.title()), problems_);
    read(inner);
    ok_ = inner.finish() && ok_;
  }
  /// A list of names out of a few; each is given to `each`.
  template <class Each>
  void choices(const char* key, const Names& available, Each each) {
    for (const auto& said : reader_.texts(key)) {
      if (std::find(available.begin(), available.end(), said.value) != available.end()) {
        each(said.value);
      } else {
        reader_.error(said.where, fmt::format("{} has no output '{}'.", reader_.title(), said.value),
                      did_you_mean(said.value, available));
      }
    }
  }
  std::optional<Drive> drive() {
    const Value* said = reader_.table("drive");
    if (!said) return std::nullopt;
    PartReader part(*said, "'drive' of " + reader_.title(), problems_);
    Drive drive;
    part.needed_number("angle", drive.angle_rad, "0.5");
    part.needed_number("start", drive.start_s, "1.0");
    part.needed_number("end", drive.end_s, "2.0");
    ok_ = part.finish() && ok_;
    return drive;
  }
  bool finish() { return reader_.finish() && ok_; }

 private:
  bool is_in_range(const char* key) { return check_machine_number(reader_.entry(key)->value, key, reader_); }
  PartReader(const Value& table, std::string title, ProblemList& problems)
      : reader_(table, std::move(title), problems), table_(table), problems_(problems) {}
  static std::string title(const Value& table, const std::string& kind, std::size_t number) {
    const Entry* name = table.find("name");
    if (name && name->value.kind == Value::Kind::text)
      return fmt::format("[[{}]] '{}'", kind, name->value.text);
    return fmt::format("[[{}]] no. {}", kind, number);
  }

  TableReader reader_;
  const Value& table_;
  ProblemList& problems_;
  bool ok_ = true;
};

}  // namespace ergon
