#include "ergon/hdf5/module/table_columns.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ergon::hdf5 {
namespace {

constexpr const char* scale_name = "time";

const char* type_name(PortType type) {
  switch (type) {
    case PortType::real:
      return "real";
    case PortType::integer:
      return "integer";
    case PortType::boolean:
      return "boolean";
    case PortType::enumeration:
      return "enumeration";
    case PortType::text:
      return "text";
    case PortType::binary:
      break;
  }
  return "binary";
}

PortType type_of(const std::string& name) {
  for (const PortType type :
       {PortType::integer, PortType::boolean, PortType::enumeration, PortType::text, PortType::binary})
    if (name == type_name(type)) return type;
  return PortType::real;
}

Handle column_properties(std::size_t chunk_rows, int compression) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no memory");
  const hsize_t chunk = chunk_rows;
  checked(H5Pset_chunk(properties, 1, &chunk), "no chunks");
  checked(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), "no chunks");
  checked(H5Pset_obj_track_times(properties, false), "no chunks");  // the same run makes the same file
  if (compression > 0) {
    checked(H5Pset_shuffle(properties), "no shuffling");
    checked(H5Pset_deflate(properties, static_cast<unsigned>(compression)), "no compression");
  }
  return properties;
}

/// What a dimension scale says of the datasets that it belongs to, as the HDF5 Dimension Scale Specification has it. Written at once:
/// the function of the library rewrites it with every dataset.
struct ScaleUser {
  hobj_ref_t dataset;
  int dimension;
};

void write_references(hid_t scale, const std::vector<ScaleUser>& users) {
  const Handle type(H5Tcreate(H5T_COMPOUND, sizeof(ScaleUser)), H5Tclose, "no memory");
  checked(H5Tinsert(type, "dataset", HOFFSET(ScaleUser, dataset), H5T_STD_REF_OBJ), "no references");
  checked(H5Tinsert(type, "dimension", HOFFSET(ScaleUser, dimension), H5T_NATIVE_INT), "no references");
  const hsize_t count = users.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(scale, "REFERENCE_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "a scale cannot be made");
  checked(H5Awrite(attribute, type, users.data()), "a scale cannot be written");
}

/// The names of these two are given by that specification, and their form: of fixed length.
void write_fixed_attribute(hid_t object, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "no memory");
  checked(H5Tset_size(type, text.size() + 1), "no texts");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "an attribute cannot be made");
  checked(H5Awrite(attribute, type, text.c_str()), "an attribute cannot be written");
}

void attach_scale(hid_t dataset, const hobj_ref_t& scale) {
  const Handle type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose, "no memory");
  const hsize_t dimensions = 1;
  const Handle space(H5Screate_simple(1, &dimensions, nullptr), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(dataset, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, "a scale cannot be attached");
  hobj_ref_t reference = scale;
  const hvl_t list{1, &reference};
  checked(H5Awrite(attribute, type, &list), "a scale cannot be attached");
}

hobj_ref_t reference_to(hid_t group, const char* dataset) {
  hobj_ref_t reference{};
  checked(H5Rcreate(&reference, group, dataset, H5R_OBJECT, -1), "a reference cannot be made");
  return reference;
}

std::string items_text(const std::vector<EnumerationItem>& items) {
  std::string text;
  for (const EnumerationItem& item : items) text += std::to_string(item.value) + " " + item.name + "\n";
  return text;
}

std::vector<EnumerationItem> items_of(const std::string& text) {
  std::vector<EnumerationItem> items;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    if (space != line.npos) items.push_back({line.substr(space + 1), std::atoll(line.c_str())});
  }
  return items;
}

Handle create_column(hid_t group, const std::string& dataset, const StoredColumn& column, hid_t properties) {
  const hsize_t rows = 0;
  const hsize_t most = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(1, &rows, &most), H5Sclose, "no memory");
  const Handle type = stored_type(column.type);
  Handle made(H5Dcreate2(group, dataset.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
              "a dataset cannot be made");
  if (dataset != column.name) write_text_attribute(made, "NAME", column.name);
  if (!column.unit.empty()) write_text_attribute(made, "UNIT", column.unit);
  if (!column.description.empty()) write_text_attribute(made, "COMMENT", column.description);
  if (column.type != PortType::real) write_text_attribute(made, "TYPE", type_name(column.type));
  if (column.type == PortType::enumeration) write_text_attribute(made, "ITEMS", items_text(column.items));
  return made;
}

}  // namespace

Handle stored_type(PortType type) {
  if (type == PortType::real) return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose, "no memory"};
  if (type != PortType::boolean) return {H5Tcopy(H5T_STD_I64LE), H5Tclose, "no memory"};
  Handle boolean(H5Tenum_create(H5T_STD_I8LE), H5Tclose, "no memory");
  for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}})
    checked(H5Tenum_insert(boolean, value == 0 ? "FALSE" : "TRUE", &value), "no booleans");
  return boolean;
}

std::size_t stored_bytes(PortType type) {
  return type == PortType::boolean ? 1 : 8;
}

std::vector<std::string> object_names(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string object;
    for (const char c : name) {
      const bool is_digit = c >= '0' && c <= '9';
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (object.empty() && !is_letter) object = "v";
      object += is_digit || is_letter ? c : '_';
    }
    if (object.empty()) object = "v";
    std::string unique = object;
    for (int number = 2; !taken.insert(unique).second; ++number)
      unique = object + "_" + std::to_string(number);
    result.push_back(std::move(unique));
  }
  return result;
}

void create_table(hid_t file, const std::string& group_name, const StoredTable& table, std::size_t chunk_rows,
                  int compression) {
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "no memory");
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "no order");
  checked(H5Pset_obj_track_times(creation, false), "no order");
  const Handle group(H5Gcreate2(file, group_name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose,
                     "a group cannot be made");
  if (group_name != table.name) write_text_attribute(group, "NAME", table.name);
  const Handle properties = column_properties(chunk_rows, compression);
  const Handle time = create_column(group, scale_name, {scale_name, "s", "time"}, properties);
  write_fixed_attribute(time, "CLASS", "DIMENSION_SCALE");
  write_fixed_attribute(time, "NAME", scale_name);
  const hobj_ref_t scale = reference_to(group, scale_name);
  std::vector<std::string> names{scale_name};
  for (const StoredColumn& column : table.columns) names.push_back(column.name);
  names = object_names(names);
  std::vector<ScaleUser> users;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Handle made = create_column(group, names[i + 1], table.columns[i], properties);
    attach_scale(made, scale);
    users.push_back({reference_to(group, names[i + 1].c_str()), 0});
  }
  if (!users.empty()) write_references(time, users);
}

std::vector<FoundTable> tables_in(hid_t file) {
  std::vector<FoundTable> found;
  for (const std::string& name : members_of(file)) {
    H5O_info_t info;
    checked(H5Oget_info_by_name(file, name.c_str(), &info, H5P_DEFAULT), "the file cannot be read");
    if (info.type != H5O_TYPE_GROUP) continue;
    const Handle group = open_group(file, name);
    if (H5Lexists(group, scale_name, H5P_DEFAULT) <= 0) continue;
    FoundTable table;
    table.group = name;
    table.table.name = text_attribute(group, "NAME");
    if (table.table.name.empty()) table.table.name = name;
    table.datasets = {scale_name};
    for (const std::string& member : members_of(group)) {
      if (member == scale_name) continue;
      const Handle dataset = open_dataset(group, member);
      StoredColumn column{text_attribute(dataset, "NAME"), text_attribute(dataset, "UNIT"),
                          text_attribute(dataset, "COMMENT"), type_of(text_attribute(dataset, "TYPE")),
                          items_of(text_attribute(dataset, "ITEMS"))};
      if (column.name.empty()) column.name = member;
      table.table.columns.push_back(std::move(column));
      table.datasets.push_back(member);
    }
    found.push_back(std::move(table));
  }
  return found;
}

}  // namespace ergon::hdf5
