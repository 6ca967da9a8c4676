#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::devices {

/// The head of a log of results: which jobs ran on which device.
struct ResultLogHead {
    OpenClDeviceInfo device;       ///< the device that the jobs ran on
    std::int64_t jobs = 0;         ///< number of jobs in the job file
    std::uint64_t fingerprint = 0; ///< JobFileReader::fingerprint() of the job file
};

/// The records of a log of results (docs/reference/job-files.md): first the head; then,
/// for each job in the order of the job file, a record that it has started and one with its result.
/// Each record has its own checksum, so that a log that was cut off is still valid up to there.
[[nodiscard]] std::string head_record(const ResultLogHead& head);
[[nodiscard]] std::string started_record(std::int64_t job);
[[nodiscard]] std::string result_record(std::int64_t job, const JobResult& result);

/// Reads the result from such a record. Throws bad_input, naming `where`, if it is damaged.
[[nodiscard]] JobResult read_result_record(const std::string& record, const std::string& where);

/// The undamaged part of a log.
struct ResultLog {
    std::optional<ResultLogHead> head; ///< not set if the file is empty
    std::vector<JobResult> results;
    std::optional<std::int64_t> under_way; ///< number of a job that was started and has no result
    std::int64_t good_bytes = 0;           ///< length of the undamaged records together
    std::string broken; ///< why reading stopped; empty if it reached the end of the file
};

/// Reads a log up to its end or to the first damaged record. Throws bad_input if the file is not
/// empty and has no valid head.
[[nodiscard]] ResultLog read_result_log(std::istream& in, const std::string& where);

} // namespace texelscope::devices
