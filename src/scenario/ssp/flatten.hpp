#pragma once

#include "ergon/scenario/ssp/ssp_structure.hpp"

namespace ergon {

/// Makes subsystems and connections of a structure: names of systems go before those of their elements ("car/wheel"), connections
/// through connectors of systems and signal dictionaries are followed from each input back to the output that feeds it, and values
/// of parameter sets reach the variables that they name.
class SspFlattener {
 public:
  SspFlattener(const SspStructure& structure, Value& document, ProblemList& problems)
      : structure_(structure), document_(document), problems_(problems) {}
  void flatten();
  [[nodiscard]] std::vector<std::shared_ptr<const fmi::FmuModel>> take_fmus() { return std::move(fmus_); }

 private:
  /// A place where signals meet: a connector of an element, or an entry of a signal dictionary.
  using Pin = std::pair<const void*, std::string>;
  struct Edge {
    Pin from, to;
    const SspConnection* connection;
  };
  /// A connector with what is known of it.
  struct Plug {
    Pin pin;
    const SspElement* element = nullptr;  ///< that owns it; nothing: a dictionary
    Unit unit;
    bool may_send = false;  ///< seen from the connection
    bool may_receive = false;
  };
  struct Leaf {
    const SspElement* element;
    std::string name;  ///< in the scenario
    Value table;
    std::map<std::string, SspParameter> values;
  };
  struct PinValue {
    Value value;
    Unit unit;
  };
  /// What a signal goes through: number_out = gain·number_in + offset.
  struct Path {
    Pin origin;
    double gain = 1.0, offset = 0.0;                ///< of numbers, units included
    double linear_gain = 1.0, linear_offset = 0.0;  ///< of transformations alone
    double unit_gain = 1.0, unit_offset = 0.0;      ///< of conversions alone
    bool is_conversion_last = false;                ///< a conversion follows a transformation
    const SspConnection* first = nullptr;
  };

  void add_leaves(const SspElement& element, const std::string& path, std::optional<double> step_s);
  void add_edges(const SspElement& system);
  std::optional<Plug> plug(const SspElement& system, const std::string& element, const std::string& connector,
                           const SspConnection& connection);
  void apply_parameters(const SspElement& element);
  std::size_t assign(const SspElement& element, const std::string& name, const SspParameter& parameter);
  std::optional<Path> trace(const Pin& sink);
  void connect_inputs(Leaf& leaf);
  void connect(Leaf& leaf, const std::string& variable, const Path& path);
  void expose(Leaf& leaf, const char* key, const std::string& variable, const SourceLocation& where);
  void write_values(Leaf& leaf);
  [[nodiscard]] Unit unit_of_pin(const Pin& pin) const;
  [[nodiscard]] std::string text_of_pin(const Pin& pin) const;
  Leaf* leaf_of(const void* element);

  const SspStructure& structure_;
  Value& document_;
  ProblemList& problems_;
  SystemNames names_;
  std::vector<Leaf> leaves_;
  std::map<const void*, std::size_t> leaf_places_;
  std::map<Pin, std::vector<Edge>> incoming_;
  std::map<Pin, Unit> units_;
  std::map<Pin, std::string> texts_;
  std::map<Pin, PinValue> pin_values_;
  std::vector<std::shared_ptr<const fmi::FmuModel>> fmus_;
};

}  // namespace ergon
