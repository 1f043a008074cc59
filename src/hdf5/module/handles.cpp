#include "ergon/hdf5/module/handles.hpp"

#include <stdexcept>

namespace ergon::hdf5 {
namespace {

/// The innermost message that names a cause of the operating system, or else the innermost one.
herr_t look_at_error(unsigned number, const H5E_error2_t* error, void* found) {
  auto& text = *static_cast<std::string*>(found);
  if (error->desc == nullptr) return 0;
  const std::string here = error->desc;
  const auto begin = here.find("error message = '");
  if (begin != here.npos) {
    const auto from = begin + std::string("error message = '").size();
    text = here.substr(from, here.find('\'', from) - from);
    return 1;
  }
  if (number == 0) text = here;
  return 0;
}

herr_t note_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

void throw_last_error(const char* what) {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at_error, &text);
  H5Eclear2(H5E_DEFAULT);
  throw std::runtime_error(text.empty() ? std::string(what) : std::string(what) + ": " + text);
}

Handle open_group(hid_t at, const std::string& name) {
  return {H5Gopen2(at, name.c_str(), H5P_DEFAULT), H5Gclose, "a group cannot be opened"};
}
Handle open_dataset(hid_t at, const std::string& name) {
  return {H5Dopen2(at, name.c_str(), H5P_DEFAULT), H5Dclose, "a dataset cannot be opened"};
}
Handle open_file(const std::string& file, unsigned flags, hid_t access, const char* what) {
  return {H5Fopen(file.c_str(), flags, access), H5Fclose, what};
}

Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no memory");
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "no newest form");
  // Chunks are written and read whole: a cache for each of thousands of datasets would take memory for nothing.
  checked(H5Pset_cache(access, 0, 1, 0, 0.75), "no cache");
#if H5_VERSION_GE(1, 10, 7)
  checked(H5Pset_file_locking(access, 0, 1), "no locking");
#endif
  return access;
}

void write_text_attribute(hid_t object, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "no memory");
  checked(H5Tset_size(type, H5T_VARIABLE), "no texts");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "no UTF-8");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "an attribute cannot be made");
  const char* const characters = text.c_str();
  checked(H5Awrite(attribute, type, &characters), "an attribute cannot be written");
}

std::string text_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "an attribute cannot be opened");
  const Handle file_type(H5Aget_type(attribute), H5Tclose, "an attribute has no type");
  if (H5Tget_class(file_type) != H5T_STRING || H5Tis_variable_str(file_type) <= 0) return {};
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "no memory");
  checked(H5Tset_size(type, H5T_VARIABLE), "no texts");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "no UTF-8");
  char* characters = nullptr;
  checked(H5Aread(attribute, type, &characters), "an attribute cannot be read");
  const std::string text = characters != nullptr ? characters : "";
  H5free_memory(characters);
  return text;
}

std::vector<std::string> members_of(hid_t group) {
  std::vector<std::string> names;
  hsize_t at = 0;
  if (H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, note_name, &names) < 0) {
    H5Eclear2(H5E_DEFAULT);
    names.clear();
    at = 0;
    checked(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, note_name, &names), "a group cannot be read");
  }
  return names;
}

hsize_t extent_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "a dataset has no extent");
  if (H5Sget_simple_extent_ndims(space) != 1) throw std::runtime_error("a dataset is not a column");
  hsize_t length = 0;
  checked(H5Sget_simple_extent_dims(space, &length, nullptr), "a dataset has no extent");
  return length;
}

std::string bytes_of(hid_t dataset) {
  std::string bytes(extent_of(dataset), '\0');
  if (!bytes.empty())
    checked(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
            "a text cannot be read");
  return bytes;
}

}  // namespace ergon::hdf5
