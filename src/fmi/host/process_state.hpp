#pragma once

#include <string>

namespace ergon::fmi {

/// What belongs to the whole process and FMUs in it must leave alone: working folder, locale, mode of new files (umask). What was
/// changed is restored, and a warning names the FMU; where it was found only between two points, all that run in this process.
class ProcessState {
 public:
  /// An instance in this process and the library that it is of, from before its first call to after its last.
  class Resident {
   public:
    Resident(const std::string& name, std::string library);
    ~Resident();
    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& library() const { return library_; }

   private:
    const std::string& name_;
    std::string library_;
  };

  /// Takes the present folder and locale for those that are wanted.
  static void remember();
  /// After a call of `name`: folder and locale.
  static void check_after(const std::string& name);
  /// Who the code at `address` belongs to; where that is not known, all of them.
  static std::string residents_at(const void* address);
};

}  // namespace ergon::fmi
