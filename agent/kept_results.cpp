// The log of results on disk. It is locked while an agent writes it, and every record is synced
// before the next step, so a job whose result is there is really done, whatever happens next.

#include "agent/kept_results.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace texelscope::agent {
namespace {

constexpr const char* room = "make room on its disk and check it, or give another name";

} // namespace

KeptResults::KeptResults(std::string path, std::int64_t jobs, std::uint64_t fingerprint,
                         bool resume)
    : path_(std::move(path)), jobs_(jobs), fingerprint_(fingerprint)
{
    do {
        file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    } while (file_ < 0 && errno == EINTR);
    if (file_ < 0) {
        throw bad_input(std::string("cannot be written: ") + std::strerror(errno), path_, room);
    }
    try {
        while (flock(file_, LOCK_EX) != 0) {
            if (errno != EINTR) {
                throw bad_input(std::string("cannot be locked: ") + std::strerror(errno), path_,
                                "give another name");
            }
        }
        take_over(resume);
    } catch (...) {
        close(file_);
        throw;
    }
}

KeptResults::~KeptResults()
{
    leave();
}

void KeptResults::leave()
{
    if (file_ >= 0) {
        close(file_);
        file_ = -1;
    }
}

void KeptResults::take_over(bool resume)
{
    std::ifstream in(path_, std::ios::binary);
    if (!resume) {
        if (in.peek() != std::ifstream::traits_type::eof()) {
            throw bad_input("holds something already", path_,
                            "give --resume to go on with it, or another name");
        }
        return;
    }
    ResultLog log = read_result_log(in, path_);
    if (!log.head) {
        return;
    }
    if (log.head->fingerprint != fingerprint_ || log.head->jobs != jobs_) {
        throw bad_input("holds results of other jobs", path_, "give another name for the results");
    }
    // Removes a record that was cut off by a crash.
    if (ftruncate(file_, log.good_bytes) != 0 || lseek(file_, 0, SEEK_END) < 0) {
        throw bad_input(std::string("cannot be shortened: ") + std::strerror(errno), path_, room);
    }
    device_ = to_string(log.head->device);
    next_ = static_cast<std::int64_t>(log.results.size());
    under_way_ = log.under_way.has_value();
    if (under_way_) {
        JobResult crashed;
        crashed.status = RunStatus::crashed;
        crashed.reason = "the agent or its machine went down while the job was under way";
        finished(crashed);
    }
}

void KeptResults::append(const std::string& record)
{
    for (std::size_t done = 0; done < record.size();) {
        const ssize_t count = write(file_, record.data() + done, record.size() - done);
        if (count < 0 && errno != EINTR) {
            throw bad_input(std::string("cannot be written: ") + std::strerror(errno), path_, room);
        }
        done += count < 0 ? 0 : static_cast<std::size_t>(count);
    }
    // A full or failing disk shows here at the latest.
    while (fdatasync(file_) != 0) {
        if (errno == EIO || errno == ENOSPC || errno == EDQUOT) {
            throw bad_input(std::string("cannot be kept: ") + std::strerror(errno), path_, room);
        }
        if (errno != EINTR) {
            break; // the file system cannot: the record is as safe as it can be
        }
    }
}

void KeptResults::opened(const OpenClDeviceInfo& info)
{
    const std::string device = to_string(info);
    if (device_.empty()) {
        ResultLogHead head;
        head.device = info;
        head.jobs = jobs_;
        head.fingerprint = fingerprint_;
        append(head_record(head));
        device_ = device;
    } else if (device != device_) {
        throw bad_input("the results so far are of '" + device_ + "', not of '" + device + "'",
                        path_, "choose that device, or give another name for the results");
    }
}

void KeptResults::started()
{
    append(started_record(next_));
    under_way_ = true;
}

void KeptResults::finished(const JobResult& result)
{
    finished_record(result_record(next_, result));
}

void KeptResults::finished_record(const std::string& record)
{
    append(record);
    under_way_ = false;
    ++next_;
}

} // namespace texelscope::agent
