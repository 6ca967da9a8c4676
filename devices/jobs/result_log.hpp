#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::devices {

/// What a log of results begins with.
struct ResultLogHead {
    OpenClDeviceInfo device;       ///< that the jobs ran on
    std::int64_t jobs = 0;         ///< of the job file
    std::uint64_t fingerprint = 0; ///< of the job file
};

/// Records of a log of results (docs/reference/machines.md, "Job files"): the head; then for each
/// job in the order of its file "it is under way" and its result. Each is complete with a checksum,
/// so a log that was cut off keeps what it had.
[[nodiscard]] std::string head_record(const ResultLogHead& head);
[[nodiscard]] std::string started_record(std::int64_t job);
[[nodiscard]] std::string result_record(std::int64_t job, const JobResult& result);

/// The result of such a record. Throws bad_input, naming `where`, where it is damaged.
[[nodiscard]] JobResult read_result_record(const std::string& record, const std::string& where);

/// A log as far as it is whole.
struct ResultLog {
    std::optional<ResultLogHead> head; ///< nothing: the file is empty
    std::vector<JobResult> results;
    std::optional<std::int64_t> under_way; ///< a job that was started and has no result
    std::int64_t good_bytes = 0;           ///< whole records
    std::string broken;                    ///< why reading stopped; empty at the end of the file
};

/// Reads to the end or to the first thing that is no record. Throws bad_input where a file that is
/// not empty has no head.
[[nodiscard]] ResultLog read_result_log(std::istream& in, const std::string& where);

} // namespace texelscope::devices
