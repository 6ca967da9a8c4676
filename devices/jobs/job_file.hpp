#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::devices {

/// Writes a job file (docs/reference/machines.md, "Job files"): version, number of jobs, then each
/// with a checksum. Checks each job. Whether `out` took it all is the caller's to ask.
void write_jobs(std::ostream& out, const std::vector<Job>& jobs);

/// Reads a job file job by job. Everything throws bad_input on what is cut off, damaged or no job.
class JobFileReader {
public:
    /// Reads the head. `where`: the file's name, for errors. The stream must outlive the reader.
    JobFileReader(std::istream& in, std::string where);

    [[nodiscard]] std::int64_t jobs() const { return jobs_; } ///< that the head promises
    /// Nothing after the last; throws where the file goes on after it.
    [[nodiscard]] std::optional<Job> next();
    /// Of all bytes so far; after the last job it tells this file from others.
    [[nodiscard]] std::uint64_t fingerprint() const { return reader_.fingerprint(); }

private:
    RecordReader reader_;
    std::int64_t jobs_ = 0;
    std::int64_t done_ = 0;
};

/// All jobs of a stream.
[[nodiscard]] std::vector<Job> read_jobs(std::istream& in, const std::string& where);

} // namespace texelscope::devices
