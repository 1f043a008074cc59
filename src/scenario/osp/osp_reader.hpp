#pragma once

#include <map>

#include "ergon/scenario/osp/variable_groups.hpp"
#include "ergon/scenario/systems/system_document.hpp"
#include "ergon/scenario/systems/xml_view.hpp"

namespace ergon {

/// One OspSystemStructure.xml on its way to a document. Functions become the elements `gain` and `sum`, connections keep numbers as
/// they are: libcosim converts no units.
class OspReader {
 public:
  explicit OspReader(ProblemList& problems) : problems_(problems), view_(xml_, problems) {}
  /// False after reporting why the file cannot be read at all.
  bool read(const std::string& path);
  SystemDocument take() { return std::move(result_); }

 private:
  struct Simulator {
    std::string name;  ///< in the scenario; empty after a reported problem
    std::shared_ptr<const fmi::FmuModel> fmu;
    std::vector<VariableGroup> groups;
    SourceLocation where;
  };
  struct Function {
    std::string kind;
    std::vector<std::string> elements;  ///< one per component
    std::size_t inputs = 1;
  };
  /// One end of a connection of single signals.
  struct End {
    std::string port;                 ///< "instance.port"
    const Simulator* simulator{};     ///< nothing: a function
    const fmi::Variable* variable{};  ///< where the FMU is known
    bool is_source = false;           ///< of a function, or as the FMU declares it
    bool is_sink = false;
    std::string name;
  };
  /// Two connections that share the name of a power bond.
  struct EccoBond {
    struct Way {
      End from, to;
    };
    std::vector<Way> ways;
    SourceLocation where;
  };

  void read_times(const pugi::xml_node& root);
  void read_ecco(const pugi::xml_node& ecco, Value& simulation);
  void read_simulator(const pugi::xml_node& node);
  void read_step(const pugi::xml_node& node, double hint_s, Value& subsystem);
  void read_initial_value(const pugi::xml_node& node, const Simulator& simulator, Value& subsystem);
  void read_groups(const std::filesystem::path& fmu_file, Simulator& simulator);
  [[nodiscard]] std::map<std::string, std::string> simulators_by_file_name() const;

  void read_functions(const pugi::xml_node& functions);
  void read_connections(const pugi::xml_node& connections);
  /// The ends of one element of a connection, several for a group. Nothing after reporting what is wrong.
  std::optional<std::vector<End>> ends_of(const pugi::xml_node& node);
  std::optional<std::vector<End>> ends_of_simulator(const pugi::xml_node& node, bool is_group);
  std::optional<std::vector<End>> ends_of_function(const pugi::xml_node& node);
  void connect(const pugi::xml_node& node, const End& one, const End& other);
  void connect_plainly(const SourceLocation& where, const End& from, const End& to);
  void expose(const End& end, const char* key, const SourceLocation& where);
  void make_bonds();
  /// Which way carries the effort; nothing where neither units nor groups say so.
  [[nodiscard]] std::optional<std::size_t> effort_way(const EccoBond& bond) const;

  ProblemList& problems_;
  fmi::XmlFile xml_;
  XmlView view_;
  std::string path_, base_;
  std::optional<double> base_step_s_;
  std::optional<SourceLocation> ecco_where_;
  SystemNames names_;
  std::map<std::string, Simulator> simulators_;  ///< by the names of the file
  std::map<std::string, Function> functions_;
  std::vector<std::pair<std::string, EccoBond>> bonds_;
  SystemDocument result_;
};

}  // namespace ergon
