#include "python_corrector.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "ergon/coupling/correctors/register_corrector.hpp"

namespace ergon::python {
namespace {

py::array_t<double> array_of(std::span<const double> values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// ReceiverStep (ergon/coupling/correctors/corrector.hpp), copied: it may be kept.
py::dict step_as_dict(const ReceiverStep& step) {
  using namespace py::literals;
  return py::dict("H"_a = step.H_s, "effort0"_a = array_of(step.effort0),
                  "effort1"_a = array_of(step.effort1), "flow0"_a = array_of(step.flow0),
                  "flow1"_a = array_of(step.flow1), "moved"_a = array_of(step.moved),
                  "applied"_a = array_of(step.applied));
}

/// The object of Python answers `correct(step, state)` with the effort to add; what it has to remember it writes into `state`, so that a
/// step that is set back can be repeated.
class PythonCorrector final : public Corrector {
 public:
  PythonCorrector(py::object object, py::object wrap) : object_(std::move(object)), wrap_(std::move(wrap)) {
    state_.resize(object_.object.attr("state_size").cast<std::size_t>());
  }
  bool correct(const ReceiverStep& step, std::span<double> next) override {
    return with_python([&] {
      const py::array_t<double> state = array_of(state_);
      const auto efforts = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(
          object_.object.attr("correct")(wrap_.object(step_as_dict(step)), state));
      if (!efforts || static_cast<std::size_t>(efforts.size()) != next.size()) {
        PyErr_Clear();
        throw std::runtime_error("correct() must return " + std::to_string(next.size()) +
                                 " numbers, the effort to add");
      }
      std::copy_n(efforts.data(), next.size(), next.begin());
      if (static_cast<std::size_t>(state.size()) != state_.size())
        throw std::runtime_error("correct() must not change the size of its state");
      std::copy_n(state.data(), state_.size(), state_.begin());
      return false;
    });
  }
  [[nodiscard]] std::span<double> state() override { return state_; }

 private:
  SharedObject object_;
  SharedObject wrap_;
  std::vector<double> state_;
};

/// A registry entry makes its correctors by a plain function, so each of a fixed number of places has one of its own.
struct Place {
  std::string name, help;
  std::unique_ptr<SharedObject> factory, wrap;
};
std::deque<Place>& places() {
  static auto* const all = new std::deque<Place>;  // outlives the interpreter
  return *all;
}

template <std::size_t number>
std::unique_ptr<Corrector> make_corrector(CorrectorPlace& place, const CorrectionSettings& settings,
                                          ProblemList& problems) {
  const py::gil_scoped_acquire lock;
  try {
    const Place& registered = places().at(number);
    return std::make_unique<PythonCorrector>(registered.factory->object(place.components, place.stale),
                                             registered.wrap->object);
  } catch (const py::error_already_set& error) {
    problems.error(settings.where(),
                   "The correction of bond '" + settings.bond() + "' cannot be made: " + text_of(error),
                   "Correct the class.");
    return nullptr;
  }
}

using Make = std::unique_ptr<Corrector> (*)(CorrectorPlace&, const CorrectionSettings&, ProblemList&);
template <std::size_t... numbers>
constexpr std::array<Make, sizeof...(numbers)> makers(std::index_sequence<numbers...> /*all*/) {
  return {&make_corrector<numbers>...};
}
constexpr std::size_t most_correctors = 16;
constexpr auto maker = makers(std::make_index_sequence<most_correctors>());

}  // namespace

void bind_correctors(py::module_& module) {
  module.def("register_corrector",
             [](const std::string& name, const std::string& help, py::object factory, py::object wrap) {
               if (places().size() == most_correctors)
                 throw std::runtime_error("at most 16 corrections can be registered in one process");
               places().push_back({name, help, std::make_unique<SharedObject>(std::move(factory)),
                                   std::make_unique<SharedObject>(std::move(wrap))});
               const Place& place = places().back();
               try {
                 CorrectorInfo info;
                 info.name = place.name;
                 info.help = place.help;
                 info.make = maker[places().size() - 1];
                 ergon::register_corrector(std::move(info));
               } catch (...) {
                 places().pop_back();
                 throw;
               }
             });
}

}  // namespace ergon::python
