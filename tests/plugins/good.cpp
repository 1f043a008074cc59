// A corrector, a scheme and a model. Whoever loads it leaves a mark.
#include <cstdlib>
#include <fstream>
#include <utility>

#include "ergon/plugin/plugin.hpp"

namespace {

const bool marked = [] {
  if (const char* const file = std::getenv("ERGON_TEST_MARK")) std::ofstream(file) << "loaded\n";
  return true;
}();

class Nothing final : public ergon::Corrector {
 public:
  bool correct(const ergon::ReceiverStep& /*step*/, std::span<double> next) override {
    for (double& correction : next) correction = 0.0;
    return false;
  }
};

class JacobiOfPlugin final : public ergon::Scheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "plugin-jacobi"; }
  [[nodiscard]] std::string_view help() const override { return "for this test"; }
  [[nodiscard]] ergon::SchemeLayout layout(const ergon::SchemeRequest& request,
                                           ergon::ProblemList& problems) const override {
    return ergon::jacobi_scheme().layout(request, problems);
  }
  [[nodiscard]] std::unique_ptr<ergon::Stepper> make_stepper(const ergon::SteppingContext& context,
                                                             ergon::ProblemList& problems) const override {
    return ergon::jacobi_scheme().make_stepper(context, problems);
  }
};

void register_all() {
  static const JacobiOfPlugin scheme;
  ergon::register_scheme(scheme);
  ergon::CorrectorInfo corrector;
  corrector.name = "plugin-nothing";
  corrector.help = "for this test";
  corrector.make = [](ergon::CorrectorPlace&, const ergon::CorrectionSettings&,
                      ergon::ProblemList&) -> std::unique_ptr<ergon::Corrector> {
    return std::make_unique<Nothing>();
  };
  ergon::register_corrector(std::move(corrector));
  ergon::ModelInfo model = *ergon::find_model("oscillator.mass");
  model.name = "plugin.mass";
  ergon::register_model(std::move(model));
}

}  // namespace

ERGON_PLUGIN(register_all)
