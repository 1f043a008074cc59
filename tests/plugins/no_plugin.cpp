// A shared object without the function of a plug-in.
extern "C" __attribute__((visibility("default"))) int not_ergon_plugin() {
  return 0;
}
