// The one function that the module shows.
#include <hdf5.h>

#include "ergon/hdf5/module/module.hpp"

extern "C" __attribute__((visibility("default"))) const ergon::hdf5::Hdf5Module* ergon_hdf5_module();

const ergon::hdf5::Hdf5Module* ergon_hdf5_module() {
  // Failures are exceptions, not lines on the terminal. What is open at the end of a process stays as it was flushed; where another
  // user of libhdf5 in this process, such as h5py, came first, the end is its affair and this call fails.
  static const bool ready = [] {
    static_cast<void>(H5dont_atexit());
    return H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  }();
  static const ergon::hdf5::Hdf5Module module = {ready ? ergon::hdf5::module_interface : 0,
                                                 ergon::hdf5::create_results, ergon::hdf5::reopen_results,
                                                 ergon::hdf5::open_results};
  return &module;
}
