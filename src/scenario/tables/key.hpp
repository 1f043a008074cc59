#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ergon/scenario/file/table_reader.hpp"
#include "ergon/scenario/setting_names.hpp"
#include "ergon/scenario/tables/toml_values.hpp"

namespace ergon {

namespace key_detail {

template <class T>
struct OptionalOf : std::false_type {
  using Inner = T;
};
template <class T>
struct OptionalOf<std::optional<T>> : std::true_type {
  using Inner = T;
};
template <class T>
struct SaidOf : std::false_type {};
template <class T>
struct SaidOf<Said<T>> : std::true_type {};

/// Keeps the place of a value where the target has room for it.
template <class Target, class V>
void assign(Target& target, Said<V> said) {
  using Inner = typename OptionalOf<Target>::Inner;
  if constexpr (SaidOf<Inner>::value) {
    target = std::move(said);
  } else {
    target = static_cast<Inner>(std::move(said.value));
  }
}

/// Nothing for an empty option and for an empty text: they were not given.
template <class V>
std::optional<Value> to_value(const V& value) {
  if constexpr (OptionalOf<V>::value) {
    return value ? to_value(*value) : std::nullopt;
  } else if constexpr (SaidOf<V>::value) {
    return to_value(value.value);
  } else if constexpr (std::is_same_v<V, bool>) {
    return boolean_value(value);
  } else if constexpr (std::is_integral_v<V>) {
    return integer_value(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_same_v<V, double>) {
    return number_value(value);
  } else if constexpr (std::is_same_v<V, Rational>) {
    return time_value(value);
  } else if constexpr (std::is_same_v<V, std::string>) {
    return value.empty() ? std::nullopt : std::optional(text_value(value));
  } else {
    return text_list(value);
  }
}

}  // namespace key_detail

/// One key of a table that is kept in a `T`: its name, how it is read and how it is written, said once. The reader, the writer
/// of resolved scenarios, the command line (`--set`), "did you mean" and the test of the documentation go by these.
///
/// `at` in the makers below is a member of `T`, or a function from `T&` to what is meant.
template <class T>
struct Key {
  std::string name;
  /// Empty: whoever reads the table reads it together with another key.
  std::function<void(TableReader&, T&)> read{};
  /// Gives nothing where it is left out. Empty: never written, as another key says the same.
  std::function<std::optional<Value>(const T&, const Scenario&)> write{};

  template <class At>
  static Key text(std::string name, At at) {
    return made(std::move(name), at, [](TableReader& r, const std::string& key) { return r.text(key); });
  }
  /// One of the names that `available()` lists.
  template <class At>
  static Key word(std::string name, At at, std::function<Names()> available) {
    return made(std::move(name), at,
                [available](TableReader& r, const std::string& key) { return r.choice(key, available()); });
  }
  template <class At>
  static Key number(std::string name, At at) {
    return made(std::move(name), at, [](TableReader& r, const std::string& key) { return r.number(key); });
  }
  template <class At>
  static Key positive(std::string name, At at) {
    return made(std::move(name), at, [](TableReader& r, const std::string& key) { return r.positive(key); });
  }
  /// A whole number from 1 to `limit`.
  template <class At>
  static Key count(std::string name, At at, std::int64_t limit) {
    return made(std::move(name), at,
                [limit](TableReader& r, const std::string& key) { return r.count(key, limit); });
  }
  /// In seconds.
  template <class At>
  static Key time(std::string name, At at) {
    return made(std::move(name), at, [](TableReader& r, const std::string& key) { return r.time_s(key); });
  }
  /// In seconds, > 0.
  template <class At>
  static Key step(std::string name, At at) {
    return made(std::move(name), at, [](TableReader& r, const std::string& key) { return r.step_s(key); });
  }
  template <class At>
  static Key flag(std::string name, At at) {
    return made(std::move(name), at, [](TableReader& r, const std::string& key) -> std::optional<Said<bool>> {
      const auto said = r.flag(key);
      return said ? std::optional(Said<bool>{*said, {}}) : std::nullopt;
    });
  }
  /// An enumeration by its names.
  template <class At, class E, std::size_t N>
  static Key choice(std::string name, At at, const SettingNames<E, N>& names) {
    Key key{std::move(name)};
    key.read = [at, names, key = key.name](TableReader& reader, T& entry) {
      if (const auto said = reader.choice(key, names.all()))
        std::invoke(at, entry) = names.value(said->value);
    };
    key.write = [at, names](const T& entry, const Scenario&) -> std::optional<Value> {
      const std::optional<E> value = std::invoke(at, entry);
      return value ? std::optional(text_value(std::string(names.name(*value)))) : std::nullopt;
    };
    return key;
  }
  /// `count`, which the long form of a scenario does not have (expand_document): known, so that a slip is told its right name.
  static Key counter() {
    Key key{"count"};
    key.read = [](TableReader& reader, T&) { reader.entry("count"); };
    return key;
  }
  /// A text or a list of texts.
  template <class At>
  static Key texts(std::string name, At at) {
    Key key{std::move(name)};
    key.read = [at, key = key.name](TableReader& reader, T& entry) {
      if (!reader.entry(key)) return;
      auto& target = std::invoke(at, entry);
      target.clear();
      for (Said<std::string>& text : reader.texts(key)) {
        if constexpr (std::is_same_v<std::decay_t<decltype(target)>, std::vector<std::string>>) {
          target.push_back(std::move(text.value));
        } else {
          target.push_back({std::move(text.value), std::move(text.where)});
        }
      }
    };
    key.write = [at](const T& entry, const Scenario&) {
      return key_detail::to_value(std::invoke(at, entry));
    };
    return key;
  }

  /// Its absence is reported, with this remedy.
  [[nodiscard]] Key required(std::string remedy) && {
    read = [inner = std::move(read), key = name, remedy = std::move(remedy)](TableReader& reader, T& entry) {
      if (!reader.entry(key)) reader.missing(key, remedy);
      inner(reader, entry);
    };
    return std::move(*this);
  }
  /// Whoever reads the table reads it first, as others depend on it.
  [[nodiscard]] Key read_elsewhere() && {
    read = {};
    return std::move(*this);
  }
  [[nodiscard]] Key written_as(std::optional<Value> (*function)(const T&, const Scenario&)) && {
    write = function;
    return std::move(*this);
  }
  /// Elsewhere it is an unknown key.
  template <class Condition>
  [[nodiscard]] Key known_if(Condition condition) && {
    read = [inner = std::move(read), condition](TableReader& reader, T& entry) {
      if (condition(reader, entry)) inner(reader, entry);
    };
    return std::move(*this);
  }
  /// Left out of resolved scenarios elsewhere.
  template <class Condition>
  [[nodiscard]] Key written_if(Condition condition) && {
    write = [inner = std::move(write), condition](const T& entry, const Scenario& scenario) {
      return std::invoke(condition, entry) ? inner(entry, scenario) : std::nullopt;
    };
    return std::move(*this);
  }

 private:
  /// What one function of the reader gives, where it gives something.
  template <class At, class Read>
  static Key made(std::string name, At at, Read read) {
    Key key{std::move(name)};
    key.read = [at, read, key = key.name](TableReader& reader, T& entry) {
      if (auto said = read(reader, key)) key_detail::assign(std::invoke(at, entry), std::move(*said));
    };
    key.write = [at](const T& entry, const Scenario&) {
      return key_detail::to_value(std::invoke(at, entry));
    };
    return key;
  }
};

template <class T>
using Keys = std::vector<Key<T>>;

/// In the order of their declaration: a key may depend on earlier ones.
template <class T>
void read_keys(TableReader& reader, const Keys<T>& keys, T& entry) {
  for (const Key<T>& key : keys) {
    if (key.read) key.read(reader, entry);
  }
}

template <class T>
void write_keys(TableWriter& table, const Keys<T>& keys, const T& entry, const Scenario& scenario) {
  for (const Key<T>& key : keys) {
    if (!key.write) continue;
    if (auto value = key.write(entry, scenario)) table.add(key.name, std::move(*value));
  }
}

template <class T>
Value table_of(const Keys<T>& keys, const T& entry, const Scenario& scenario) {
  TableWriter table;
  write_keys(table, keys, entry, scenario);
  return table.take();
}

template <class T>
Names names_of(const Keys<T>& keys) {
  Names names;
  for (const Key<T>& key : keys) names.push_back(key.name);
  return names;
}

}  // namespace ergon
