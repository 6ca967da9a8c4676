#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/result_log.hpp"

#include <cstdint>
#include <string>

namespace texelscope::agent {

/// The log of results as a file that this process alone writes. Every record is on disk before the
/// next thing happens, so that neither a crash of the process nor one of the machine takes a
/// finished job along.
class KeptResults {
public:
    /// Opens and locks the file; where another agent has it, waits until that one is done. Without
    /// `resume` the file may not hold anything yet. With it, what was cut off is removed, and a job
    /// that was under way gets the result `crashed`. Throws bad_input where the file cannot be
    /// written, is no log, or belongs to other jobs.
    KeptResults(std::string path, std::int64_t jobs, std::uint64_t fingerprint, bool resume);
    ~KeptResults();
    KeptResults(const KeptResults&) = delete;
    KeptResults& operator=(const KeptResults&) = delete;

    /// Lets go of the file in a child process, which would otherwise keep it locked after its
    /// parent's end.
    void leave();

    [[nodiscard]] std::int64_t next() const { return next_; } ///< the first job without a result
    [[nodiscard]] bool done() const { return next_ == jobs_; }
    [[nodiscard]] bool under_way() const { return under_way_; } ///< job next() was started

    /// Writes the head, or compares: throws bad_input where the results so far are of another
    /// device.
    void opened(const OpenClDeviceInfo& device);
    void started();
    void finished(const JobResult& result);
    /// The same, for what result_record() wrote of job next().
    void finished_record(const std::string& record);

private:
    void append(const std::string& record);
    void take_over(bool resume);

    std::string path_;
    int file_ = -1;
    std::int64_t jobs_ = 0;
    std::uint64_t fingerprint_ = 0;
    std::int64_t next_ = 0;
    bool under_way_ = false;
    std::string device_; ///< empty: no head yet
};

} // namespace texelscope::agent
