#pragma once

#include "workbench/probes/probe.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace texelscope::workbench::probes {

/// The outcome of a probe: its result, or why there is none.
struct ProbeRecord {
    enum class Status {
        done,
        failed, ///< the device refused, or the measurements make no sense; other probes go on
        /// It makes no sense on the device, or lacks a value that another probe should have found.
        skipped,
    };
    std::string name;
    Status status = Status::done;
    std::string reason; ///< empty where done
    double seconds = 0;
    ProbeResult result;
};

[[nodiscard]] std::string to_string(ProbeRecord::Status status);

/// The record as JSON, with every sample.
[[nodiscard]] nlohmann::ordered_json to_json(const ProbeRecord& record);
/// The record of such JSON. Throws bad_input, naming `where`, where to_json() did not write it.
[[nodiscard]] ProbeRecord record_from_json(const nlohmann::ordered_json& json,
                                           const std::string& where);

[[nodiscard]] nlohmann::ordered_json to_json(const TargetInfo& info);
/// The info of JSON that to_json() wrote.
[[nodiscard]] TargetInfo info_from_json(const nlohmann::ordered_json& json);

} // namespace texelscope::workbench::probes
