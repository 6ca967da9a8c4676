#pragma once

#include "devices/jobs/device_listing.hpp"
#include "model/walks/measured_walks.hpp"
#include "workbench/probes/probe_record.hpp"
#include "workbench/store/stored_result.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::phones {

/// All that was measured on one phone, raw: what others need to draw conclusions of their own. It
/// holds nothing that tells one phone from another of its kind, or whose it is: no serial number,
/// address, path or time of day.
struct PhoneRecord {
    std::string program; ///< version of the program that measured
    std::string month;   ///< when: "2026-11"
    bool simulated = false;
    ListedDevice device;
    std::vector<ProbeRecord> probes;
    std::optional<MeasuredWalks> walks;
    std::string no_walks; ///< why there are none; empty where there are
    /// Every measurement of a kernel, in the order of measuring: a kernel has several.
    std::vector<StoredResult> kernels;
};

/// The JSON of one phone, as a collection has it (docs/reference/phones.md).
[[nodiscard]] nlohmann::ordered_json to_json(const PhoneRecord& record);
/// The inverse. Throws nlohmann's exceptions and bad_input, naming `where`, where to_json() did not
/// write it.
[[nodiscard]] PhoneRecord phone_from_json(const nlohmann::ordered_json& json,
                                          const std::string& where);

/// A collection of phones as a file has it, compressed where the name ends in .gz, .xz or .zst.
void write_phones(const std::string& path, const std::vector<PhoneRecord>& phones);
/// Reads a collection. Throws bad_input where it is none or cannot be read.
[[nodiscard]] std::vector<PhoneRecord> read_phones(const std::string& path);

/// The phones of several files, each once, in their order.
[[nodiscard]] std::vector<PhoneRecord> merged_phones(const std::vector<std::string>& paths);

} // namespace texelscope::workbench::phones
