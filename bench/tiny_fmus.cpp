#include "tiny_fmus.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "ergon/core/system_graph.hpp"

namespace ergon::bench {
namespace {

const char* const description = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="tiny2" guid="tiny">
  <CoSimulation modelIdentifier="tiny2" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions>
    <Unit name="N"><BaseUnit kg="1" m="1" s="-2"/></Unit><Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit>
  </UnitDefinitions>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="0" unit="@IN@"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="1" causality="output" initial="calculated"><Real unit="@OUT@"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="2" dependencies=""/></Outputs><InitialUnknowns><Unknown index="2"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

void pack_tiny(const std::filesystem::path& file, const std::string& library, const std::string& input_unit,
               const std::string& output_unit) {
  std::ifstream stream(library, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  const std::string binary = bytes.str();
  const std::string xml = with(with(description, "@IN@", input_unit), "@OUT@", output_unit);
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  zip_file_add(archive, "modelDescription.xml", zip_source_buffer(archive, xml.data(), xml.size(), 0), 0);
  zip_file_add(archive, "binaries/linux64/tiny2.so",
               zip_source_buffer(archive, binary.data(), binary.size(), 0), 0);
  if (zip_close(archive) != 0) throw std::runtime_error("the FMU cannot be written");
}

std::unique_ptr<Subsystem> make_tiny(const std::shared_ptr<const fmi::FmuModel>& model, std::size_t number,
                                     bool isolate) {
  ProblemList problems;
  fmi::FmuRequest request;
  request.name = fmt::format("m{:05}", number);
  request.options.isolate = isolate;
  request.options.refresh = false;
  auto subsystem = fmi::make_fmu_subsystem(model, request, problems);
  if (!subsystem) throw InputError(problems);
  return subsystem;
}

Chain::Chain(const std::shared_ptr<const fmi::FmuModel>& force,
             const std::shared_ptr<const fmi::FmuModel>& velocity, std::size_t count, bool bonds,
             bool isolate) {
  SystemGraph graph;
  const Rational step = *Rational::from_double(fmu_step_s);
  for (std::size_t i = 0; i < count; ++i)
    graph.add(fmt::format("m{:05}", i), make_tiny(i % 2 == 1 ? velocity : force, i, isolate), step);
  for (std::size_t i = 0; i < count; ++i) {
    if (bonds) {
      if (i % 2 == 1) continue;
      BondSpec bond;
      bond.name = fmt::format("b{:05}", i);
      bond.a.effort = {fmt::format("m{:05}.u", i)};
      bond.a.flow = {fmt::format("m{:05}.y", i)};
      bond.b.effort = {fmt::format("m{:05}.y", i + 1)};
      bond.b.flow = {fmt::format("m{:05}.u", i + 1)};
      graph.bond(std::move(bond));
    } else {
      ConnectionSpec spec;
      spec.from = {fmt::format("m{:05}.y", (i + count - 1) % count)};
      spec.to = fmt::format("m{:05}.u", i);
      graph.connect(std::move(spec));
    }
  }
  ProblemList problems;
  system = graph.freeze(problems);
  if (problems.has_errors()) throw InputError(problems);
  const std::vector<Rational> steps = {step};
  engine = Engine::make(*system, TimeGrid(Rational(), step * Rational(100'000'000, 1), steps),
                        CouplingOptions{}, problems);
  if (engine) engine->initialize(problems);
  if (problems.has_errors()) throw InputError(problems);
  if (bonds) {
    verdict.emplace(*system, VerdictOptions{.stale_bonds = engine->bonds_with_stale_efforts()});
    verdict->inspect(engine->record());
  }
}

void Chain::run(std::size_t points) {
  for (std::size_t p = 0; p < points; ++p) {
    if (engine->advance()) throw std::runtime_error("the chain failed");
    if (verdict) verdict->inspect(engine->record());
  }
}

}  // namespace ergon::bench
