#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/coupled_system.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/core/rational.hpp"
#include "ergon/core/subsystem.hpp"

namespace ergon {

/// A signal path: `to` gets offset + gain · Σ from. Ports are "instance.port", "instance.port[2]" or
/// "instance.port[0:3]" (from the first up to, not including, the last).
struct ConnectionSpec {
  std::vector<std::string> from;
  std::string to;
  double gain = 1.0;
  double offset = 0.0;
  std::optional<int> degree;
  SourceLocation where;
  bool geometry = false;  ///< see Link::geometry
  /// False: `to` receives the number as it is, whatever units both ports have.
  bool converts_units = true;
};

struct BondEnd {
  std::vector<std::string> effort;
  std::vector<std::string> flow;          ///< may be empty at the end that only sends its displacement
  std::vector<std::string> displacement;  ///< may be empty
};

/// How a bond joins ends of different domains or speeds. Power passes unchanged.
///   transformer   f_a = r·f_b,  e_b = r·e_a   (gear, lever, pump, piston)
///   gyrator       e_a = r·f_b,  e_b = r·f_a   (motor constant): effort and flow change places
enum class BondKind { transformer, gyrator };

/// r of a bond. Without a unit it is a number between quantities of one dimension, both in SI units.
struct ERGON_API BondRatio {
  double value = 1.0;
  Unit unit{};

  /// "10", "0.05 V.s/rad"; nothing if it is neither.
  static std::optional<BondRatio> parse(std::string_view text);
  [[nodiscard]] double in_SI() const { return unit.is_unspecified() ? value : value * unit.to_SI(); }
};

/// A power bond: makes its connections and the bookkeeping. Causality comes from the ports.
struct BondSpec {
  std::string name;
  BondEnd a;
  BondEnd b;
  std::optional<FeedthroughMode> feedthrough;
  std::optional<int> degree;
  std::string
      predictor{};  ///< of flows and displacements, where it is not a polynomial; efforts then are held
  std::optional<double> scale;  ///< factor that makes effort × flow a power, where the units alone do not
  SourceLocation where;
  /// One factor per effort, or none: −1 for a reaction, the opposite of an effort that is sent once to both ends.
  std::vector<double> effort_gain{};
  bool law_booked_once = false;  ///< see PowerBond
  BondKind kind = BondKind::transformer;
  std::optional<BondRatio> ratio{};  ///< of a transformer 1 unless given; a gyrator needs it
  bool effort_of_a_opposite =
      false;  ///< of a gyrator: e_a = −r·f_b, where both ends count power that they take in

  [[nodiscard]] bool ratio_has_unit() const { return ratio && !ratio->unit.is_unspecified(); }
};

/// All wiring, by name, as the user says it. `freeze` checks everything and turns names into indices.
class ERGON_API SystemGraph {
 public:
  void add(std::string name, std::unique_ptr<Subsystem> subsystem, const Rational& step_s,
           SourceLocation where = {});
  void add_element(std::string name, std::unique_ptr<Element> element,
                   EvaluateAt evaluate = EvaluateAt::sources, SourceLocation where = {});
  void connect(ConnectionSpec spec) { connections_.push_back(std::move(spec)); }
  void bond(BondSpec spec) { bonds_.push_back(std::move(spec)); }
  /// The user states the value of an input at t₀: used where it is unconnected, checked where it is connected.
  void set_input_start(const std::string& port, std::vector<TypedValue> values, SourceLocation where = {});

  /// Finds everything that is wrong, all at once. Returns nothing if there is an error.
  /// The graph gives its subsystems away: freeze once.
  std::unique_ptr<CoupledSystem> freeze(ProblemList& problems);

 private:
  friend class Freezer;
  struct InputStart {
    std::string port;
    std::vector<TypedValue> values;
    SourceLocation where;
  };
  std::vector<Node> nodes_;
  std::vector<ConnectionSpec> connections_;
  std::vector<BondSpec> bonds_;
  std::vector<InputStart> input_starts_;
};

}  // namespace ergon
