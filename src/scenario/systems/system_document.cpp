#include "ergon/scenario/systems/system_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ergon/scenario/osp/read_osp.hpp"
#include "ergon/scenario/ssp/read_ssp.hpp"
#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

/// "a.ssp#b" → where the '#' is; npos where no archive is named before one.
std::size_t end_of_archive(const std::string& name) {
  for (std::size_t at = name.find('#'); at != std::string::npos; at = name.find('#', at + 1)) {
    if (lower_extension(name.substr(0, at)) == ".ssp") return at;
  }
  return std::string::npos;
}

/// What a folder holds that can be run.
std::optional<std::string> system_in_folder(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return std::nullopt;
  for (const char* name : {"OspSystemStructure.xml", "SystemStructure.ssd"}) {
    if (fs::exists(fs::path(path) / name, ignored)) return (fs::path(path) / name).string();
  }
  return std::nullopt;
}

}  // namespace

std::optional<ArchivedFile> find_archived(const std::string& name, const std::string& base_directory,
                                          ProblemList& problems) {
  constexpr int most_nested = 8;  // archives in archives
  ArchivedFile found;
  found.path = base_directory;
  std::string rest = name;
  for (int depth = 0; depth < most_nested; ++depth) {
    const std::size_t end = end_of_archive(rest);
    found.path /= rest.substr(0, end);
    if (end == std::string::npos) return found;
    rest = fmi::safe_entry_path(rest.substr(end + 1));
    if (rest.empty()) {
      problems.error({name, 0, 0}, "The name does not denote a file inside of the archive.",
                     "Write it as in: system.ssp#resources/a.fmu");
      return std::nullopt;
    }
    auto archive = fmi::UnpackedFmu::open(found.path, problems);
    if (!archive) return std::nullopt;
    found.path = archive->folder();
    found.archives.push_back(std::move(archive));
  }
  problems.error({name, 0, 0}, fmt::format("Archives lie in each other, more than {} deep.", most_nested),
                 "Do not trust this file.");
  return std::nullopt;
}

std::string outermost_file(const std::string& name) {
  return name.substr(0, end_of_archive(name));
}

std::string SystemNames::add(const std::string& wanted, const SourceLocation& where, ProblemList& problems) {
  std::string name = wanted;
  for (char& c : name) {
    const bool fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '_' || c == '-' || c == ' ' || c == '/';
    if (!fits) c = '_';
  }
  if (name.empty()) name = "unnamed";
  for (char* edge : {&name.front(), &name.back()}) {
    if (*edge == ' ' || *edge == '/') *edge = '_';
  }
  const std::string plain = name;
  for (int number = 2; !taken_.insert(name).second; ++number) name = fmt::format("{}_{}", plain, number);
  if (name != wanted) problems.note(where, fmt::format("'{}' is called '{}' in this run.", wanted, name));
  return name;
}

std::shared_ptr<const fmi::FmuModel> peek_fmu(const std::string& name, const std::string& base_directory) {
  ProblemList reported_where_it_is_read;
  const auto file = find_archived(name, base_directory, reported_where_it_is_read);
  return file ? fmi::FmuModel::load(file->path, reported_where_it_is_read, false) : nullptr;
}

std::optional<std::string> file_of_uri(const std::string& uri) {
  std::string text = uri;
  const std::size_t scheme = text.find("://");
  if (scheme != std::string::npos) {
    if (text.substr(0, scheme) != "file") return std::nullopt;
    text.erase(0, text.find('/', scheme + 3) == std::string::npos ? text.size() : text.find('/', scheme + 3));
  } else if (text.starts_with("file:")) {
    text.erase(0, 5);
  }
  std::string file;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    if (text[i] == '%' && digit(i + 1) && digit(i + 2)) {
      const char code = static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      if (code == '\0') return std::nullopt;
      file += code;
      i += 2;
    } else {
      file += text[i];
    }
  }
  return file;
}

std::optional<std::string> file_of_local_proxy(const std::string& uri) {
  for (const std::string_view head : {"proxyfmu://localhost?file=", "proxyfmu://127.0.0.1?file="}) {
    if (uri.starts_with(head)) return file_of_uri("file:" + uri.substr(head.size()));
  }
  return std::nullopt;
}

bool is_same_unit(const Unit& from, const Unit& to) {
  // Base units of one name differ between tools that leave some of them out.
  if (from.is_unspecified() || to.is_unspecified() || from.text == to.text) return true;
  if (!from.same_dimension(to)) return false;
  const UnitConversion c = conversion(from, to);
  return c.gain == 1.0 && c.offset == 0.0;
}

void drop_values_of_fed_inputs(Value& document) {
  std::set<std::string> fed;
  const auto list_of = [&](const char* key) -> std::vector<Value>* {
    Entry* entry = document.find(key);
    return entry == nullptr ? nullptr : &entry->value.items;
  };
  const auto add = [&](const Value& ports) {
    if (ports.kind == Value::Kind::text) fed.insert(ports.text);
    for (const Value& port : ports.items) fed.insert(port.text);
  };
  if (const auto* connections = list_of("connection")) {
    for (const Value& c : *connections) {
      if (const Entry* to = c.find("to")) add(to->value);
    }
  }
  if (const auto* bonds = list_of("bond")) {
    for (const Value& bond : *bonds) {
      for (const char* side : {"a", "b"}) {
        const Entry* end = bond.find(side);
        if (end == nullptr) continue;
        for (const Entry& ports : end->value.entries) add(ports.value);
      }
    }
  }
  auto* subsystems = list_of("subsystem");
  if (subsystems == nullptr) return;
  for (Value& subsystem : *subsystems) {
    const Entry* name = subsystem.find("name");
    Entry* values = subsystem.find("values");
    if (name == nullptr || values == nullptr) continue;
    std::erase_if(values->value.entries,
                  [&](const Entry& e) { return fed.contains(name->value.text + "." + e.key); });
  }
}

std::string base_directory_of(const std::string& path) {
  if (system_in_folder(path)) return path;
  const fs::path file = outermost_file(path);
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

bool is_foreign_system(const std::string& path) {
  if (end_of_archive(path) != std::string::npos || system_in_folder(path)) return true;
  const std::string extension = lower_extension(path);
  return extension == ".ssp" || extension == ".ssd" || extension == ".xml";
}

std::optional<SystemDocument> read_system(const std::string& path, ProblemList& problems) {
  if (const auto inside = system_in_folder(path)) return read_system(*inside, problems);
  const std::string extension = lower_extension(outermost_file(path));
  if (extension == ".xml") return read_osp(path, problems);
  return read_ssp(path, problems);
}

}  // namespace ergon
