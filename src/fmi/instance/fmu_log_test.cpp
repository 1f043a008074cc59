#include "ergon/fmi/instance/fmu_log.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "ergon/core/companion_scope.hpp"

namespace ergon::fmi {
namespace {

TEST(FmuLog, MarksWhatACompanionIsToldAndKeepsItFromTheTerminal) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "ergon-companion-fmu.log";
  std::string shown;
  FmuLog& log = FmuLog::instance();
  log.finish();
  log.show_with([&](const std::string& line) { shown += line + '\n'; });
  log.write_to(file);
  const auto speak = [](const char* text) {
    const double clock_s = 0.0;
    LogTarget target("pump", clock_s);
    LogTarget::say(target.environment(), "pump", FmuStatus::warning, "logAll", text);
  };
  speak("hot");
  std::thread([&] {
    const CompanionScope scope;
    speak("hotter");
  }).join();
  speak("cold");
  log.finish();
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  EXPECT_EQ(text.str(),
            "pump t=0 warning [logAll] hot\npump (check run) t=0 warning [logAll] hotter\npump t=0 warning "
            "[logAll] cold\n");
  EXPECT_NE(shown.find("cold"), std::string::npos);
  EXPECT_EQ(shown.find("hotter"), std::string::npos) << shown;
  log.show_with([](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
}

}  // namespace
}  // namespace ergon::fmi
