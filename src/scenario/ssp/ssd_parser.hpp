#pragma once

#include <set>
#include <utility>

#include "ergon/scenario/ssp/ssp_structure.hpp"
#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {

/// Where relative names of a file start: in a folder of the disk, or of an archive.
struct SspPlace {
  std::filesystem::path
      root;                ///< on the disk: the folder of the first file, or that an archive was unpacked to
  std::string archive;     ///< "system.ssp#", or empty
  std::string folder;      ///< inside of it
  std::string shown_root;  ///< for messages

  struct File {
    std::string name;  ///< as a scenario names it: "system.ssp#resources/a.fmu"
    std::filesystem::path path;
    std::string shown;
    std::string folder;  ///< that holds it, as `folder` of a place
  };
  /// Nothing where `uri` leaves an archive or is not a file.
  [[nodiscard]] std::optional<File> locate(const std::string& uri) const;
};

/// Units that a file defines; names that it does not are read as they stand.
class SspUnits {
 public:
  SspUnits() = default;
  SspUnits(const XmlView& view, const pugi::xml_node& owner);
  /// Unspecified where the text is empty or is not known.
  [[nodiscard]] std::optional<Unit> find(const std::string& name) const;

 private:
  std::map<std::string, Unit> units_;
};

/// Reads .ssd files, those that they name as components, and their parameter sets and mappings.
class SsdParser {
 public:
  explicit SsdParser(ProblemList& problems) : problems_(problems) {}
  /// Nothing after reporting why it cannot be read at all.
  std::optional<SspStructure> parse(const SspPlace& place, const std::string& file);

 private:
  /// A file that is being read.
  struct Source {
    const SspPlace& place;
    const XmlView& view;
    SspUnits units;
    pugi::xml_node root;
  };
  std::unique_ptr<SspElement> parse_file(const SspPlace& place, const std::string& file,
                                         const std::string& system_id, bool is_top);
  void read_system(const Source& source, const pugi::xml_node& node, SspElement& system);
  void read_component(const Source& source, const pugi::xml_node& node, SspElement& parent);
  /// The system that a component of type .ssd or .ssp is.
  std::unique_ptr<SspElement> nested(const Source& source, const pugi::xml_node& node,
                                     const std::string& type, const std::string& uri);
  void read_connectors(const Source& source, const pugi::xml_node& node, SspElement& element);
  void read_connections(const Source& source, const pugi::xml_node& node, SspElement& system);
  void read_dictionaries(const Source& source, const pugi::xml_node& node, SspElement& system);
  SspTransformation read_transformation(const XmlView& view, const pugi::xml_node& owner);
  Unit unit_named(const XmlView& view, const pugi::xml_node& node, const std::string& name,
                  std::initializer_list<const SspUnits*> known);
  void read_annotations(const Source& source, const pugi::xml_node& owner, SspElement* element, bool is_root);

  // parameter_sets.cpp
  void read_bindings(const Source& source, const pugi::xml_node& owner, SspElement& element);
  void read_binding(const Source& source, const pugi::xml_node& binding, SspElement& element);
  std::optional<SspPlace::File> binding_file(const Source& source, const pugi::xml_node& node,
                                             const SspElement& element);
  void read_set(const Source& source, const XmlView& view, const pugi::xml_node& set,
                const std::string& prefix, std::vector<SspParameter>& parameters);
  std::vector<SspParameter> mapped(const XmlView& view, const pugi::xml_node& mapping,
                                   const std::vector<SspParameter>& parameters);

  ProblemList& problems_;
  SspExperiment experiment_;
  std::vector<std::pair<std::string, SourceLocation>> scenarios_;
  std::vector<std::string> files_;
  std::vector<std::shared_ptr<const fmi::UnpackedFmu>> archives_;
  std::vector<std::string> open_files_;  ///< a system that contains itself has no end
  std::set<std::pair<std::string, std::string>> undefined_units_;  ///< by file: each is warned of once
  std::size_t elements_ = 0;
};

}  // namespace ergon
