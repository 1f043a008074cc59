#include "ergon/coupling/schemes/implicit/solving_scheme.hpp"

namespace ergon {
namespace {

class SemiImplicitScheme final : public SolvingScheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "semi-implicit"; }
  [[nodiscard]] std::string_view help() const override {
    return "one Newton step for the coupling variables; steps are taken several times";
  }

 private:
  [[nodiscard]] bool iterates() const override { return false; }
};

}  // namespace

const Scheme& semi_implicit_scheme() {
  static const SemiImplicitScheme scheme;
  return scheme;
}

}  // namespace ergon
