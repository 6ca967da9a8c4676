#pragma once

#include "workbench/store/stored_result.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::store {

// The kernels of collections that phones measured (docs/reference/phones.md): JSON with
// "schema": "texelscope.phones/1" and a list of phones, each with its device and its kernels.

inline constexpr const char* phones_schema = "texelscope.phones/1";

/// One measurement of a kernel as a collection has it.
[[nodiscard]] nlohmann::ordered_json phone_kernel_json(const StoredResult& result);
/// The inverse; `key` has everything but the kernel. Throws nlohmann's exceptions and bad_input
/// where phone_kernel_json() did not write it.
[[nodiscard]] StoredResult phone_kernel_result(const nlohmann::ordered_json& json, ResultKey key);

/// What all kernels of a phone have in common, by its member of the collection. The settings name
/// the phone by the digest of its kernels, so that those of two phones of one kind stay apart and
/// the same ones, given twice, are the same.
[[nodiscard]] ResultKey phone_key(const nlohmann::ordered_json& phone);

/// Calls `visit` with each phone of a collection. Throws bad_input, naming `where`, where the text
/// is no collection, or where `visit` throws nlohmann's exceptions.
void for_each_phone(const std::string& text, const std::string& where,
                    const std::function<void(const nlohmann::ordered_json& phone)>& visit);

/// The kernels of all phones of a collection, one result of each (at_highest_clock()). Throws
/// bad_input, naming `where`, where it is no collection.
[[nodiscard]] std::vector<StoredResult> parse_phone_results(const std::string& text,
                                                            const std::string& where);

} // namespace texelscope::workbench::store
