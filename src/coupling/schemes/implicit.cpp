#include "ergon/coupling/schemes/implicit/solving_scheme.hpp"

namespace ergon {
namespace {

class ImplicitScheme final : public SolvingScheme {
 public:
  [[nodiscard]] std::string_view name() const override { return "implicit"; }
  [[nodiscard]] std::string_view help() const override {
    return "Newton iteration until the coupling variables agree";
  }

 private:
  [[nodiscard]] bool iterates() const override { return true; }
};

}  // namespace

const Scheme& implicit_scheme() {
  static const ImplicitScheme scheme;
  return scheme;
}

}  // namespace ergon
