#include "ergon/scenario/expand/expand.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "ergon/scenario/expand/references.hpp"
#include "ergon/scenario/expand/templates.hpp"
#include "ergon/scenario/file/scenario_text.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 16;

bool is_list_of_tables(const Value& value) {
  return value.kind == Value::Kind::list &&
         std::all_of(value.items.begin(), value.items.end(),
                     [](const Value& item) { return item.kind == Value::Kind::table; });
}

void remove_key(Value& table, std::string_view key) {
  std::erase_if(table.entries, [&](const Entry& entry) { return entry.key == key; });
}

/// `later` joins `document`: its entries come behind those of the same list, its keys win.
void join(Value& document, Value later) {
  for (Entry& entry : later.entries) {
    Entry* there = document.find(entry.key);
    if (there == nullptr) {
      document.entries.push_back(std::move(entry));
    } else if (there->value.kind == Value::Kind::list && is_list_of_tables(entry.value)) {
      for (Value& item : entry.value.items) there->value.items.push_back(std::move(item));
    } else if (there->value.kind == Value::Kind::table && entry.value.kind == Value::Kind::table) {
      there->where = entry.where;
      there->value.where = entry.value.where;
      for (Entry& inner : entry.value.entries) {
        remove_key(there->value, inner.key);
        there->value.entries.push_back(std::move(inner));
      }
    } else {
      *there = std::move(entry);
    }
  }
}

class Expander {
 public:
  Expander(std::vector<std::string>& files, ProblemList& problems) : files_(files), problems_(problems) {}

  /// `settings` replace constants of the document.
  std::shared_ptr<const Constants> expand(Value& document, const fs::path& path, const Value* settings) {
    chain_.push_back(path.lexically_normal());
    std::set<fs::path> included = {chain_.back()};
    include(document, path, included);
    if (settings != nullptr) {
      const Entry* own = document.find("constants");
      refuse_unknown(*settings, own == nullptr ? nullptr : &own->value);
      Value changed;
      changed.entries.push_back({"constants", settings->where, *settings});
      join(document, std::move(changed));
    }
    std::shared_ptr<const Constants> constants;
    if (const Entry* table = document.find("constants")) {
      if (table->value.kind == Value::Kind::table) {
        constants = read_constants(table->value, nullptr, problems_);
      } else {
        problems_.error(table->where, "'constants' must be a table of numbers.",
                        "Write [constants] above them, as in: mass = 2.0");
      }
      remove_key(document, "constants");
    }
    expand_templates(document, constants, problems_);
    use_systems(document, path);
    chain_.pop_back();
    return constants;
  }

 private:
  /// The constants of a system are what is declared in it: another one would have no effect.
  void refuse_unknown(const Value& settings, const Value* declared) {
    for (const Entry& entry : settings.entries) {
      if (declared != nullptr && declared->find(entry.key) != nullptr) continue;
      std::vector<std::string> names;
      if (declared != nullptr) {
        for (const Entry& one : declared->entries) names.push_back(one.key);
      }
      problems_.error(entry.where,
                      fmt::format("There is no constant '{}' in {}.", entry.key, chain_.back().string()),
                      did_you_mean(entry.key, names));
    }
  }

  std::optional<Value> read(const fs::path& path, const SourceLocation& where) {
    if (std::find(chain_.begin(), chain_.end(), path.lexically_normal()) != chain_.end()) {
      problems_.error(where, fmt::format("{} uses itself.", path.string()), "Remove this key.");
      return std::nullopt;
    }
    if (chain_.size() >= deepest) {
      problems_.error(where, fmt::format("Files use each other more than {} deep.", deepest),
                      "Put some of them together.");
      return std::nullopt;
    }
    const auto known = documents_.find(path.lexically_normal());
    if (known != documents_.end()) return known->second;
    ProblemList found;
    const auto text = read_scenario_file(path.string(), found);
    auto document = text ? parse_document(*text, path.string(), found) : std::nullopt;
    for (const Problem& p : found.all()) {
      // That there is no such file is a mistake of the line that names it.
      const bool of_the_name = p.where.line == 0;
      problems_.error(of_the_name ? where : p.where,
                      of_the_name ? fmt::format("{}: {}", p.where.file, p.what) : p.what, p.remedy);
    }
    files_.push_back(path.string());
    return documents_[path.lexically_normal()] = std::move(document);
  }

  void include(Value& document, const fs::path& path, std::set<fs::path>& included) {
    const Entry* said = document.find("include");
    if (said == nullptr) return;
    const Value names = said->value;
    remove_key(document, "include");
    const auto is_text = [](const Value& value) { return value.kind == Value::Kind::text; };
    const bool is_list =
        names.kind == Value::Kind::list && std::all_of(names.items.begin(), names.items.end(), is_text);
    if (!is_text(names) && !is_list) {
      problems_.error(names.where, fmt::format("'include' must name files, but is {}.", names.describe()),
                      "Write it above all tables, as in: include = \"common.toml\", or a list of names.");
      return;
    }
    Value whole;
    whole.where = document.where;
    for (const Value& name : is_list ? names.items : std::vector<Value>{names}) {
      const fs::path file = path.parent_path() / name.text;
      if (included.contains(file.lexically_normal()) && file.lexically_normal() != chain_.back()) continue;
      auto other = read(file, name.where);
      if (!other) continue;
      included.insert(file.lexically_normal());
      chain_.push_back(file.lexically_normal());
      include(*other, file, included);
      chain_.pop_back();
      relocate_files(*other, path.parent_path(), file.parent_path());
      join(whole, std::move(*other));
    }
    join(whole, std::move(document));
    document = std::move(whole);
  }

  void use_systems(Value& document, const fs::path& path) {
    Entry* list = document.find("subsystem");
    if (list == nullptr || list->value.kind != Value::Kind::list) return;
    const auto is_system = [](const Value& item) { return item.find("system") != nullptr; };
    if (std::none_of(list->value.items.begin(), list->value.items.end(), is_system)) return;
    std::vector<Value> entries = std::move(list->value.items);
    list->value.items.clear();
    Value parts;
    std::vector<Value> own;
    for (Value& entry : entries) {
      if (!is_system(entry)) {
        own.push_back(std::move(entry));
        continue;
      }
      auto system = use(entry, path);
      if (!system) continue;
      // In the order in which they stand: it is that of a Gauss-Seidel sweep.
      if (Entry* inner = system->find("subsystem")) {
        for (Value& item : inner->value.items) own.push_back(std::move(item));
        remove_key(*system, "subsystem");
      }
      join(parts, std::move(*system));
    }
    list->value.items = std::move(own);
    join(document, std::move(parts));
  }

  /// The lists of the system that an entry uses, with its name before theirs.
  std::optional<Value> use(const Value& entry, const fs::path& path) {
    const Value& file = entry.find("system")->value;
    const Entry* name = entry.find("name");
    if (file.kind != Value::Kind::text || name == nullptr || name->value.kind != Value::Kind::text) {
      problems_.error(entry.where, "A [[subsystem]] with 'system' needs a name and a file.",
                      "Write it as in: name = \"car\", system = \"car.toml\"");
      return std::nullopt;
    }
    const Value* settings = nullptr;
    Value evaluated;
    bool ok = true;
    for (const Entry& key : entry.entries) {
      if (key.key == "name" || key.key == "system") continue;
      if (key.key == "constants" && key.value.kind == Value::Kind::table) {
        evaluated = evaluated_constants(key.value, ok);
        settings = &evaluated;
        continue;
      }
      problems_.error(
          key.where, fmt::format("'{}' has no effect on a system.", key.key),
          "Beside name and system there may be constants = { … } and count; keys of its parts are "
          "in its file.");
      ok = false;
    }
    const fs::path at = path.parent_path() / file.text;
    auto system = ok ? read(at, file.where) : std::nullopt;
    if (!system) return std::nullopt;
    expand(*system, at, settings);
    std::erase_if(system->entries, [](const Entry& one) {
      const auto& lists = counted_lists();
      return std::find(lists.begin(), lists.end(), one.key) == lists.end();
    });
    prefix_names(*system, name->value.text + "/");
    relocate_files(*system, path.parent_path(), at.parent_path());
    return system;
  }

  /// Formulas of what holds where the system is used, as numbers: names mean something else in its file.
  Value evaluated_constants(const Value& given, bool& ok) {
    Value numbers = given;
    for (Entry& entry : numbers.entries) {
      if (entry.value.kind != Value::Kind::text) continue;
      const auto number = number_of(entry.value);
      if (const auto* error = std::get_if<expression::FormulaError>(&number)) {
        const auto [where, caret] = place_of(*error, entry.value);
        problems_.error(where, fmt::format("'{}' in 'constants': {}", entry.key, error->what),
                        "Give a number or a formula." + caret);
        ok = false;
        continue;
      }
      const Number& found = std::get<Number>(number);
      const SourceLocation where = entry.value.where;
      entry.value = found.exact ? text_value(found.exact->text()) : number_value(found.value);
      entry.value.where = where;
    }
    return numbers;
  }

  std::vector<std::string>& files_;
  ProblemList& problems_;
  std::vector<fs::path> chain_;  ///< files that are being read, the outermost first
  std::map<fs::path, std::optional<Value>> documents_;
};

}  // namespace

std::shared_ptr<const Constants> expand_document(Value& document, const std::string& path,
                                                 const std::vector<ConstantSetting>& settings,
                                                 std::vector<std::string>& files, ProblemList& problems) {
  Value changed;
  for (const ConstantSetting& setting : settings) {
    remove_key(changed, setting.name);
    changed.entries.push_back({setting.name, setting.value.where, setting.value});
    changed.where = setting.value.where;
  }
  return Expander(files, problems).expand(document, path, settings.empty() ? nullptr : &changed);
}

}  // namespace ergon
