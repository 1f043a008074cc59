// pack_test_fmus LIBRARIES SOURCES TARGET: packs the test FMUs, good and bad ones, from the libraries that CMake compiled and the
// descriptions beside this file. Every archive is made here, so that this list is the list of test FMUs (README.md).
#include <zip.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct File {
  std::string name;
  std::string content;
  bool link = false;  ///< a symbolic link to `content`
};
using Files = std::vector<File>;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_archive(const fs::path& target, const Files& files) {
  fs::remove(target);
  int error = 0;
  zip_t* archive = zip_open(target.c_str(), ZIP_CREATE | ZIP_EXCL, &error);
  if (archive == nullptr) throw std::runtime_error("cannot write " + target.string());
  for (const File& file : files) {
    zip_source_t* source = zip_source_buffer(archive, file.content.data(), file.content.size(), 0);
    const zip_int64_t entry = zip_file_add(archive, file.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (source == nullptr || entry < 0) throw std::runtime_error("cannot add " + file.name);
    constexpr zip_uint32_t link_mode = 0120777U;
    if (file.link)
      zip_file_set_external_attributes(archive, static_cast<zip_uint64_t>(entry), 0, ZIP_OPSYS_UNIX,
                                       link_mode << 16U);
  }
  if (zip_close(archive) != 0) throw std::runtime_error(zip_strerror(archive));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// One test FMU with nothing wrong in its archive: a library of kit2.c or kit3.c and what its description says.
struct Kit {
  int version = 2;
  std::string name;     ///< of its library, its model and its file
  std::string library;  ///< the compiled variant
  std::map<std::string, std::string> capabilities;
  std::string token;
  std::string family = "kit";  ///< of its description: kit2.xml, plain2.xml
  std::string description = "a mass on a spring, and variables of every type";
  std::map<std::string, std::string> insertions{};  ///< of the places that kit3.xml leaves open
};

class Packer {
 public:
  Packer(fs::path libraries, fs::path sources, fs::path target)
      : libraries_(std::move(libraries)), sources_(std::move(sources)), target_(std::move(target)) {
    fs::create_directories(target_);
  }

  static Kit kit(int version, const std::string& variant) {
    Kit kit;
    kit.version = version;
    kit.name = "kit" + std::to_string(version) + (variant.empty() ? "" : "_" + variant);
    kit.library = kit.name;
    kit.token = version == 2 ? "{kit-2}" : "{kit-3}";
    const bool two = version < 3;
    kit.capabilities = {{"canHandleVariableCommunicationStepSize", "true"},
                        {two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", "true"},
                        {two ? "canSerializeFMUstate" : "canSerializeFMUState", "true"},
                        {two ? "providesDirectionalDerivative" : "providesDirectionalDerivatives", "true"},
                        {"maxOutputDerivativeOrder", "1"}};
    if (!two) kit.capabilities["hasEventMode"] = "true";
    return kit;
  }

  /// As `kit` says, but without what needs the functions for states.
  static Kit stateless(Kit kit) {
    const std::string step = "canHandleVariableCommunicationStepSize";
    kit.capabilities = {{step, "true"}};
    return kit;
  }

  [[nodiscard]] std::string description(const Kit& kit) const {
    std::string said;
    for (const auto& [name, value] : kit.capabilities) {
      if (!said.empty()) said += ' ';
      said.append(name).append("=\"").append(value).append("\"");
    }
    std::string text = read(sources_ / (kit.family + std::to_string(kit.version) + ".xml"));
    text = replaced(text, "@NAME@", kit.name);
    text = replaced(text, "@TOKEN@", kit.token);
    text = replaced(text, "@DESCRIPTION@", kit.description);
    text = replaced(text, "@CAPABILITIES@", said);
    for (const char* place :
         {"SAMPLED", "TICKS", "CLOCK", "CLOCKED_OUTPUTS", "CLOCKED_UNKNOWNS", "INTERMEDIATE", "EXPERIMENT"}) {
      const auto insertion = kit.insertions.find(place);
      text = replaced(text, "@" + std::string(place) + "@",
                      insertion == kit.insertions.end() ? "" : insertion->second);
    }
    return text;
  }

  static std::string binary_name(const Kit& kit) {
    return (kit.version < 3 ? "binaries/linux64/" : "binaries/x86_64-linux/") + kit.name + ".so";
  }

  [[nodiscard]] Files files(const Kit& kit) const {
    return {{"modelDescription.xml", description(kit)},
            {binary_name(kit), read(libraries_ / (kit.library + ".so"))},
            {"resources/note.txt", "a file that the FMU does not need\n"}};
  }

  void pack(const std::string& name, const Files& files) const {
    write_archive(target_ / (name + ".fmu"), files);
  }
  void pack(const Kit& kit) const { pack(kit.name, files(kit)); }
  [[nodiscard]] const fs::path& target() const { return target_; }

 private:
  fs::path libraries_;
  fs::path sources_;
  fs::path target_;
};

void pack_variants(const Packer& packer, int version) {
  const auto kit = [&](const char* variant) { return Packer::kit(version, variant); };
  packer.pack(kit(""));
  for (const char* fault : {"segfault",     "abort",         "exit",
                            "hang",         "nan",           "error",
                            "fatal",        "discard",       "terminate",
                            "no_instance",  "error_in_init", "segfault_at_free",
                            "noisy",        "slow",          "restless_environment",
                            "missing_step", "sluggish",      "exit_inside",
                            "exit_later",   "exit_in_init",  "exit_from_thread",
                            "exit_at_load", "children",      "children_hang",
                            "rounding",     "folder",        "locale",
                            "umask",        "commits",       "curious",
                            "own_symbols",  "strict_stop",   "late_start",
                            "licensed",     "meeting"}) {
    packer.pack(kit(fault));
  }
  packer.pack(Packer::stateless(kit("no_states")));
  Kit claims = kit("claims_states");  // says that it can save states, but lacks the functions
  claims.library = kit("no_states").library;
  packer.pack(claims);
  Kit once = kit("only_once");
  once.capabilities["canBeInstantiatedOnlyOncePerProcess"] = "true";
  packer.pack(once);
  Kit follows = kit("follows_inputs");
  follows.capabilities[follows.version == 2 ? "canInterpolateInputs" : "providesIntermediateUpdate"] = "true";
  follows.insertions["INTERMEDIATE"] = " intermediateUpdate=\"true\"";
  packer.pack(follows);
  Kit portless = kit("no_ports");
  portless.library = kit("").library;
  Files files = packer.files(portless);
  for (const char* causality : {"input", "output"})
    files[0].content =
        replaced(files[0].content, "causality=\"" + std::string(causality) + "\"", "causality=\"local\"");
  const auto begin = files[0].content.find("<ModelStructure>");
  files[0].content.replace(begin, files[0].content.find("</ModelStructure>") - begin, "<ModelStructure>");
  packer.pack(portless.name, files);
  // The healthy library with a wrong description.
  Kit token = kit("wrong_token");
  token.library = kit("").library;
  token.token = "{another}";
  packer.pack(token);
}

/// Descriptions and archives as other exporters write them, around the healthy library of FMI 2.0.
void pack_unusual(const Packer& packer) {
  const auto named = [](const std::string& variant) {
    Kit kit = Packer::kit(2, variant);
    kit.library = "kit2";
    return kit;
  };
  Files files = packer.files(named("bracket_names"));
  files[0].content = replaced(files[0].content, "name=\"force\"", "name=\"input[1]\"");
  files[0].content = replaced(files[0].content, "name=\"position\"", "name=\"a.b[2].c\"");
  packer.pack("kit2_bracket_names", files);

  // A file twice (a test turns the names into one), and another one.
  files = packer.files(named("repeated"));
  for (const char* const name : {"first", "again"})
    files.push_back({std::string("resources/") + name + ".txt", "the same\n"});
  files.push_back({"resources/other.txt", "another text\n"});
  packer.pack("kit2_repeated", files);

  // A folder for this machine without a library in it.
  files = packer.files(named("empty_platform"));
  files[1].name = "binaries/linux64/readme.txt";
  packer.pack("kit2_empty_platform", files);

  Kit mute;
  mute.name = "plain2_no_outputs";
  mute.library = "plain2";
  mute.family = "plain";
  mute.capabilities = {{"canHandleVariableCommunicationStepSize", "true"}};
  files = packer.files(mute);
  files[0].content = replaced(files[0].content, "causality=\"output\" initial=\"calculated\"",
                              "causality=\"local\" initial=\"calculated\"");
  files[0].content =
      replaced(files[0].content, "<Outputs><Unknown index=\"2\" dependencies=\"\"/></Outputs>", "");
  packer.pack(mute.name, files);
}

/// FMI 1.0: for co-simulation, and one whose description has no implementation, for model exchange.
void pack_fmi1(const Packer& packer) {
  const std::string step = "canHandleVariableCommunicationStepSize";
  for (const std::string variant :
       {"", "warning_without_step", "discard", "pending", "warning", "follows_inputs", "rests"}) {
    Kit kit = Packer::kit(1, variant);
    kit.capabilities = {{step, "true"}, {"maxOutputDerivativeOrder", "1"}};
    if (variant == "follows_inputs") kit.capabilities["canInterpolateInputs"] = "true";
    packer.pack(kit);
  }
  Kit exchange = Packer::kit(1, "model_exchange");
  exchange.library = "kit1";
  Files files = packer.files(exchange);
  std::string& text = files[0].content;
  const std::string end = "</Implementation>";
  const std::size_t begin = text.find("<Implementation>");
  text.erase(begin, text.find(end) + end.size() - begin);
  packer.pack(exchange.name, files);
}

/// Nothing but doubles, with and without states that can be saved.
void pack_plain(const Packer& packer, int version) {
  Kit plain;
  plain.version = version;
  plain.family = "plain";
  plain.name = plain.library = "plain" + std::to_string(version);
  plain.capabilities = {{"canHandleVariableCommunicationStepSize", "true"}};
  if (version == 3) plain.capabilities["mightReturnEarlyFromDoStep"] = "true";
  packer.pack(plain);
  plain.name += "_states";
  plain.capabilities[version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState"] = "true";
  packer.pack(plain);

  // A solver inside, which keeps to a tolerance, and one that says to have steps of its own.
  Kit solver;
  solver.version = version;
  solver.family = "plain";
  solver.name = solver.library = "plain" + std::to_string(version) + "_solver";
  solver.capabilities = {{"canHandleVariableCommunicationStepSize", "true"}};
  Kit fixed = solver;
  solver.insertions["EXPERIMENT"] = "  <DefaultExperiment tolerance=\"0.01\"/>\n";
  packer.pack(solver);
  if (version == 2) return;
  fixed.name = "plain3_fixed_solver";
  fixed.capabilities["fixedInternalStepSize"] = "0.1";
  packer.pack(fixed);
}

/// Faults of one version only, or that need more than a library.
void pack_special(const Packer& packer) {
  Kit fixed = Packer::kit(2, "fixed_step");
  fixed.capabilities["canHandleVariableCommunicationStepSize"] = "false";
  packer.pack(fixed);
  Kit tool = Packer::kit(2, "needs_tool");
  tool.library = "kit2";
  tool.capabilities["needsExecutionTool"] = "true";
  packer.pack(tool);

  for (const bool any : {true, false}) {
    Kit internal = Packer::kit(3, any ? "internal_step" : "fixed_internal_step");
    internal.library = "kit3";
    internal.capabilities["canHandleVariableCommunicationStepSize"] = any ? "true" : "false";
    internal.capabilities["fixedInternalStepSize"] = "0.1";
    packer.pack(internal);
  }
  Kit early = Packer::kit(3, "early_return");
  early.capabilities["mightReturnEarlyFromDoStep"] = "true";
  packer.pack(early);
  packer.pack(Packer::kit(3, "events"));
  packer.pack(Packer::kit(3, "refuses_events"));
  Kit clock = Packer::kit(3, "clock");
  clock.insertions = {
      {"SAMPLED",
       "\n    <Float64 name=\"sampled\" valueReference=\"14\" causality=\"output\" variability=\"discrete\" "
       "clocks=\"1300\" unit=\"m\"/>"},
      {"TICKS", "\n    <Int32 name=\"ticks\" valueReference=\"604\" causality=\"output\"/>"},
      {"CLOCK",
       "\n    <Clock name=\"clock\" valueReference=\"1300\" causality=\"input\" "
       "intervalVariability=\"constant\" intervalDecimal=\"0.1\"/>"},
      {"CLOCKED_OUTPUTS",
       "    <Output valueReference=\"14\" dependencies=\"\"/>\n    <Output valueReference=\"604\" "
       "dependencies=\"\"/>"},
      {"CLOCKED_UNKNOWNS",
       "    <InitialUnknown valueReference=\"14\"/>\n    <InitialUnknown valueReference=\"604\"/>"}};
  packer.pack(clock);
  Kit meeting = clock;
  meeting.name = meeting.library = "kit3_meeting_clock";
  packer.pack(meeting);
  const auto with_interval = [&clock](const std::string& name, const std::string& of) {
    Kit kit = clock;
    kit.name = name;
    kit.insertions["CLOCK"] =
        "\n    <Clock name=\"clock\" valueReference=\"1300\" causality=\"input\" " + of + "/>";
    return kit;
  };
  // Whose interval and shift the importer sets, and one that takes none and has its own.
  for (const std::string kind : {"fixed", "tunable"}) {
    Kit told =
        with_interval("kit3_" + kind + "_clock",
                      "intervalVariability=\"" + kind + "\" intervalDecimal=\"0.05\" shiftDecimal=\"0.02\"");
    told.library = "kit3_fixed_clock";
    packer.pack(told);
  }
  packer.pack(with_interval("kit3_stubborn_clock", "intervalVariability=\"fixed\" intervalDecimal=\"0.1\""));
  Kit integer = clock;  // the number of ticks belongs to the clock, too
  integer.name = "kit3_clocked_integer";
  integer.insertions["TICKS"] =
      "\n    <Int32 name=\"ticks\" valueReference=\"604\" causality=\"output\" clocks=\"1300\"/>";
  packer.pack(integer);
  Kit text = clock;  // texts and bytes that belong to the clock
  text.name = "kit3_clocked_text";
  Files text_files = packer.files(text);
  for (const std::string output :
       {"valueReference=\"1101\" causality=\"output\"", "valueReference=\"1201\" causality=\"output\""})
    text_files[0].content = replaced(text_files[0].content, output, output + " clocks=\"1300\"");
  packer.pack(text.name, text_files);
  Kit large = Packer::kit(3, "large_integers");  // start values that are not doubles
  large.library = "kit3";
  Files large_files = packer.files(large);
  for (const char* const type : {"int", "uint"}) {
    const std::string input = std::string("name=\"") + type + "64_in\" valueReference=\"" +
                              (type[0] == 'i' ? "800" : "900") + "\" causality=\"input\" start=\"";
    large_files[0].content = replaced(large_files[0].content, input + "0", input + "9007199254740993");
  }
  packer.pack(large.name, large_files);
  // One integer and one text each way: counts that cancel out.
  Kit even = Packer::kit(3, "even");
  Files even_files = packer.files(even);
  std::istringstream lines(even_files[0].content);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    bool others = false;
    for (const char* const reference :
         {"200", "201", "300", "301", "400", "401", "500", "501",  "602",  "603",  "700",
          "701", "800", "801", "802", "803", "900", "901", "1000", "1001", "1200", "1201"})
      others = others || line.find("valueReference=\"" + std::string(reference) + "\"") != std::string::npos;
    if (!others) kept += line + "\n";
  }
  const std::string int32_start = "name=\"int32_in\" valueReference=\"600\" causality=\"input\" start=\"";
  even_files[0].content = replaced(kept, int32_start + "0", int32_start + "7");
  packer.pack(even.name, even_files);
  // An array whose components begin with values of their own: three, as many as it has unless somebody says otherwise.
  Kit starts = Packer::kit(3, "array_starts");
  starts.library = "kit3";
  Files starts_files = packer.files(starts);
  const std::string array_start = "name=\"array_in\" valueReference=\"50\" causality=\"input\" start=\"";
  starts_files[0].content = replaced(starts_files[0].content, array_start + "0", array_start + "1 20 300");
  packer.pack(starts.name, starts_files);
  // Of a kind that we refuse.
  packer.pack(with_interval("kit3_triggered_clock", "intervalVariability=\"triggered\""));
}

/// Archives that are wrong in themselves, and descriptions of unusual bytes.
void pack_archives(const Packer& packer, int version) {
  const std::string kit_name = "kit" + std::to_string(version);
  const auto named = [&](const std::string& variant) {
    Kit kit = Packer::kit(version, variant);
    kit.library = kit_name;
    return kit;
  };
  Kit kit = named("latin1");
  kit.description =
      "Gr\xF6\xDF"
      "e";  // Größe in ISO-8859-1
  Files files = packer.files(kit);
  files[0].content = replaced(files[0].content, "encoding=\"UTF-8\"", "encoding=\"ISO-8859-1\"");
  packer.pack(kit.name, files);

  kit = named("backslash");
  files = packer.files(kit);
  for (File& file : files) file.name = replaced(file.name, "/", "\\");
  packer.pack(kit.name, files);

  kit = named("dot_slash");
  files = packer.files(kit);
  for (File& file : files) file.name = "./" + file.name;
  packer.pack(kit.name, files);

  kit = named("other_platform");
  files = packer.files(kit);
  files[1].name = (version == 2 ? "binaries/win64/" : "binaries/x86_64-windows/") + kit.name + ".dll";
  packer.pack(kit.name, files);

  kit = named("garbage_binary");
  files = packer.files(kit);
  files[1].content = "this is not a shared library\n";
  packer.pack(kit.name, files);

  kit = named("path_escape");
  files = packer.files(kit);
  files.push_back({"../../escaped.txt", "outside\n"});
  packer.pack(kit.name, files);

  // A library beside the folder of the FMU, and where another archive may have put one.
  for (const std::string outside : {"../../../outside", "/tmp/ergon-outside", "..", "sub/inside"}) {
    kit = named("identifier_" + std::to_string(outside.size()));
    files = packer.files(kit);
    files[0].content = replaced(files[0].content, "modelIdentifier=\"" + kit.name + "\"",
                                "modelIdentifier=\"" + outside + "\"");
    packer.pack(kit.name, files);
  }

  kit = named("backslash_escape");
  files = packer.files(kit);
  files.push_back({"resources\\..\\..\\..\\escaped.txt", "outside\n"});
  packer.pack(kit.name, files);

  kit = named("absolute_path");
  files = packer.files(kit);
  files.push_back({"/tmp/ergon-escaped.txt", "outside\n"});
  packer.pack(kit.name, files);

  kit = named("link");
  files = packer.files(kit);
  files.push_back({"resources/link", "/etc/passwd", true});
  packer.pack(kit.name, files);

  kit = named("no_description");
  files = packer.files(kit);
  files.erase(files.begin());
  packer.pack(kit.name, files);

  kit = named("broken_description");
  files = packer.files(kit);
  files[0].content.resize(files[0].content.size() / 2);
  packer.pack(kit.name, files);

  kit = named("xml_bomb");
  files = packer.files(kit);
  files[0].content = replaced(
      files[0].content, "?>\n<fmiModelDescription",
      "?>\n<!DOCTYPE bomb [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;\">]>\n"
      "<fmiModelDescription");
  files[0].content = replaced(files[0].content, kit.description, "&c;");
  packer.pack(kit.name, files);

  kit = named("zip_bomb");
  files = packer.files(kit);
  constexpr std::size_t bomb_bytes = std::size_t{256} << 20U;  // a quarter of a megabyte in the archive
  files.push_back({"resources/zeros", std::string(bomb_bytes, '\0')});
  packer.pack(kit.name, files);

  kit = named("truncated");
  const fs::path truncated = packer.target() / (kit.name + ".fmu");
  packer.pack(kit);
  fs::resize_file(truncated, fs::file_size(truncated) / 2);
}

/// For model exchange (exchange.h).
void pack_exchange(const Packer& packer, int version) {
  for (const char* model : {"ball", "oscillator", "stair", "pendulum", "relay"}) {
    const bool two = version < 3;
    Kit kit;
    kit.version = version;
    kit.family = model;
    kit.name = kit.library = model + std::to_string(version);
    kit.capabilities = {{two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", "true"},
                        {two ? "canSerializeFMUstate" : "canSerializeFMUState", "true"}};
    if (kit.family == "oscillator")
      kit.capabilities[two ? "providesDirectionalDerivative" : "providesDirectionalDerivatives"] = "true";
    // Opposite defaults: one has to be said in each version.
    const bool wants_steps = kit.family == "pendulum" || kit.family == "relay";
    if (two && !wants_steps) kit.capabilities["completedIntegratorStepNotNeeded"] = "true";
    if (!two && wants_steps) kit.capabilities["needsCompletedIntegratorStep"] = "true";
    packer.pack(kit);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: pack_test_fmus LIBRARIES SOURCES TARGET\n";
    return 2;
  }
  try {
    const Packer packer(argv[1], argv[2], argv[3]);
    for (const int version : {2, 3}) {
      pack_variants(packer, version);
      pack_archives(packer, version);
      pack_plain(packer, version);
      pack_exchange(packer, version);
    }
    pack_unusual(packer);
    pack_fmi1(packer);
    pack_special(packer);
  } catch (const std::exception& error) {
    std::cerr << "pack_test_fmus: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
