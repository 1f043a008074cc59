#include "ergon/hdf5/module/text_store.hpp"

#include <algorithm>

namespace ergon::hdf5 {
namespace {

constexpr const char* group_name = "texts";
/// Texts that are known by their number; beyond, one that comes again is stored again, so that memory stays bounded.
constexpr std::size_t most_known = 65536;

std::vector<std::uint64_t> ends_in(hid_t dataset, std::uint64_t bytes) {
  std::vector<std::uint64_t> ends(extent_of(dataset));
  if (!ends.empty())
    checked(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ends.data()),
            "the texts cannot be read");
  // Of a killed run the one may have come further than the other.
  std::uint64_t before = 0;
  std::size_t whole = 0;
  while (whole < ends.size() && ends[whole] >= before && ends[whole] <= bytes) before = ends[whole++];
  ends.resize(whole);
  return ends;
}

}  // namespace

void write_behind(hid_t dataset, hid_t type, std::uint64_t first, std::uint64_t count, const void* values) {
  const hsize_t extent = first + count;
  checked(H5Dset_extent(dataset, &extent), "a dataset cannot grow");
  if (count == 0) return;
  const hsize_t begin = first;
  const hsize_t length = count;
  const Handle in_file(H5Dget_space(dataset), H5Sclose, "a dataset has no extent");
  checked(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &begin, nullptr, &length, nullptr), "no selection");
  const Handle in_memory(H5Screate_simple(1, &length, nullptr), H5Sclose, "no memory");
  checked(H5Dwrite(dataset, type, in_memory, in_file, H5P_DEFAULT, values), "a dataset cannot be written");
}

void create_bytes(hid_t at, const char* name, hid_t type, std::size_t chunk) {
  const hsize_t length = 0;
  const hsize_t most = H5S_UNLIMITED;
  const hsize_t chunk_length = chunk;
  const Handle space(H5Screate_simple(1, &length, &most), H5Sclose, "no memory");
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no memory");
  checked(H5Pset_chunk(properties, 1, &chunk_length), "no chunks");
  checked(H5Pset_obj_track_times(properties, false), "no chunks");
  const Handle made(H5Dcreate2(at, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
                    "a dataset cannot be made");
}

void TextStore::create(hid_t file) {
  const Handle group(H5Gcreate2(file, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                     "a group cannot be made");
  write_text_attribute(group, "COMMENT",
                       "texts of columns: number n ends at ends[n] of bytes, and begins where n - 1 ends");
  create_bytes(group, "bytes", H5T_STD_U8LE, 4096);
  create_bytes(group, "ends", H5T_STD_U64LE, 512);
}

void TextStore::open(hid_t file) {
  if (H5Lexists(file, group_name, H5P_DEFAULT) <= 0) return;
  const Handle group = open_group(file, group_name);
  bytes_ = open_dataset(group, "bytes");
  ends_ = open_dataset(group, "ends");
  const std::vector<std::uint64_t> ends = ends_in(ends_, extent_of(bytes_));
  texts_written_ = ends.size();
  bytes_written_ = ends.empty() ? 0 : ends.back();
  new_bytes_.clear();
  new_ends_.clear();
  numbers_.clear();
}

std::int64_t TextStore::number_of(const std::string& text) {
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  if (numbers_.size() == most_known) numbers_.clear();
  const auto number = static_cast<std::int64_t>(texts_written_ + new_ends_.size());
  new_bytes_ += text;
  new_ends_.push_back(bytes_written_ + new_bytes_.size());
  numbers_.emplace(text, number);
  return number;
}

void TextStore::write() {
  if (new_ends_.empty()) return;
  write_behind(bytes_, H5T_NATIVE_UINT8, bytes_written_, new_bytes_.size(), new_bytes_.data());
  write_behind(ends_, H5T_NATIVE_UINT64, texts_written_, new_ends_.size(), new_ends_.data());
  bytes_written_ += new_bytes_.size();
  texts_written_ += new_ends_.size();
  new_bytes_.clear();
  new_ends_.clear();
}

std::vector<std::string> TextStore::read(hid_t file) {
  std::vector<std::string> texts;
  if (H5Lexists(file, group_name, H5P_DEFAULT) <= 0) return texts;
  const Handle group = open_group(file, group_name);
  const std::string bytes = bytes_of(open_dataset(group, "bytes"));
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends_in(open_dataset(group, "ends"), bytes.size())) {
    texts.push_back(bytes.substr(begin, end - begin));
    begin = end;
  }
  return texts;
}

}  // namespace ergon::hdf5
