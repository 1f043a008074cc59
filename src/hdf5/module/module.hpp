#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ergon/hdf5/result_store.hpp"

namespace ergon::hdf5 {

[[nodiscard]] std::unique_ptr<ResultWriter> create_results(const std::filesystem::path& file,
                                                           const std::vector<StoredTable>& tables,
                                                           const StoreOptions& options);
[[nodiscard]] std::unique_ptr<ResultWriter> reopen_results(const std::filesystem::path& file,
                                                           const std::vector<std::string>& tables);
[[nodiscard]] std::unique_ptr<ResultReader> open_results(const std::filesystem::path& file);

}  // namespace ergon::hdf5
