#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ergon/hdf5/module/handles.hpp"
#include "ergon/hdf5/result_store.hpp"

namespace ergon::hdf5 {

/// How values of a type are stored: reals as doubles, booleans as h5py does, all else as 64-bit integers.
[[nodiscard]] Handle stored_type(PortType type);
[[nodiscard]] std::size_t stored_bytes(PortType type);

/// Letters, digits and underscores, a letter first, as the Scientific Data Format wants it; different for different names.
[[nodiscard]] std::vector<std::string> object_names(const std::vector<std::string>& names);

/// Makes a group with its time and its columns, all empty, with units, descriptions and dimension scales.
void create_table(hid_t file, const std::string& group, const StoredTable& table, std::size_t chunk_rows,
                  int compression);

/// What the attributes of a group and its datasets say.
struct FoundTable {
  StoredTable table;
  std::string group;
  std::vector<std::string> datasets;  ///< of its columns, the time first
};
[[nodiscard]] std::vector<FoundTable> tables_in(hid_t file);

}  // namespace ergon::hdf5
