#pragma once

#include "workbench/probes/probe.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace texelscope::workbench::probes {

/// What became of a probe.
struct ProbeRecord {
    enum class Status {
        done,
        failed,  ///< the device refused, or what it measured makes no sense; the others go on
        skipped, ///< it makes no sense there, or lacks what another one should have found
    };
    std::string name;
    Status status = Status::done;
    std::string reason; ///< empty where done
    double seconds = 0;
    ProbeResult result;
};

[[nodiscard]] std::string to_string(ProbeRecord::Status status);

/// With every sample.
[[nodiscard]] nlohmann::ordered_json to_json(const ProbeRecord& record);
/// Throws bad_input, naming `where`, for what to_json() has not written.
[[nodiscard]] ProbeRecord record_from_json(const nlohmann::ordered_json& json,
                                           const std::string& where);

[[nodiscard]] nlohmann::ordered_json to_json(const TargetInfo& info);
/// Of what to_json() has written.
[[nodiscard]] TargetInfo info_from_json(const nlohmann::ordered_json& json);

} // namespace texelscope::workbench::probes
