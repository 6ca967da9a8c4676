#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::devices {

/// Writes a job file (docs/reference/job-files.md): the version, the number of jobs,
/// then each job with a checksum. Each job is checked first (check_job()). The caller must check
/// the state of `out` afterwards.
void write_jobs(std::ostream& out, const std::vector<Job>& jobs);

/// Reads a job file, one job at a time. All members throw bad_input where the file is cut off,
/// damaged, or contains something that is no job.
class JobFileReader {
public:
    /// Reads the head of the file. `where` is the file's name, for messages. The stream must
    /// outlive the reader.
    JobFileReader(std::istream& in, std::string where);

    /// Number of jobs according to the head.
    [[nodiscard]] std::int64_t jobs() const { return jobs_; }
    /// The next job, or nothing after the last. Throws where the file continues after the last job.
    [[nodiscard]] std::optional<Job> next();
    /// Checksum of all bytes read so far; after the last job it identifies the file.
    [[nodiscard]] std::uint64_t fingerprint() const { return reader_.fingerprint(); }

private:
    RecordReader reader_;
    std::int64_t jobs_ = 0;
    std::int64_t done_ = 0;
};

/// Reads all jobs of a stream.
[[nodiscard]] std::vector<Job> read_jobs(std::istream& in, const std::string& where);

} // namespace texelscope::devices
