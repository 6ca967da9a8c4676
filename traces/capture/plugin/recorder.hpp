#pragma once

#include "traces/capture/plugin/recorded_launch.hpp"
#include "traces/capture/spool_format.hpp"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace llvm {
class Instruction;
} // namespace llvm

namespace oclgrind {
class WorkGroup;
class WorkItem;
} // namespace oclgrind

namespace texelscope::traces {

/// What to record, from the environment (spool::variable).
struct RecorderOptions {
    std::string folder;
    std::string kernel; ///< empty: all
    std::int64_t first_group = 0;
    std::int64_t last_group = INT64_MAX; ///< exclusive
    bool buffers = false;
    bool operations = false; ///< count what work-items execute
};
/// The options; nullopt where the plugin was not loaded by the capture command.
[[nodiscard]] std::optional<RecorderOptions> options_from_environment();

class Recorder;

/// The accesses of the group that this thread runs.
struct RunningGroup {
    Recorder* recorder = nullptr;
    const RecordedLaunch* launch = nullptr; ///< null while nothing is recorded
    std::int64_t number = 0;                ///< linear number of the group
    std::size_t local[3] = {1, 1, 1};       ///< size of the group in work-items
    /// The thread is inside of an image built-in: loads and stores are accesses to the image.
    bool in_image_builtin = false;
    /// The work-item that runs where Oclgrind takes it for another (subgroup_builtins.cpp).
    const oclgrind::WorkItem* acting = nullptr;
    std::vector<spool::SpooledEvent> events;
    ExecutedOperations executed;
    /// What instructions of the launch that runs count, as far as the thread has met them.
    std::unordered_map<const llvm::Instruction*, ExecutedOperations> known;
    std::uint32_t known_launch = 0;

    void count(const llvm::Instruction& instruction);
    void add(const oclgrind::WorkItem* item, spool::SpooledEvent event);
};
/// The running group of this thread. Oclgrind runs groups on several threads, so each has its own.
[[nodiscard]] RunningGroup& running_group();

/// Writes the spool file of this process. One launch runs at a time (serial_opencl.cpp sees to it),
/// its groups on several threads.
class Recorder {
public:
    explicit Recorder(RecorderOptions options) : options_(std::move(options)) {}
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    [[nodiscard]] bool buffers() const { return options_.buffers; }
    [[nodiscard]] bool counts_operations() const { return options_.operations; }

    void launch_begins(const oclgrind::KernelInvocation& invocation);
    void launch_ends();
    void group_begins(const oclgrind::WorkGroup& group);
    void group_ends(const oclgrind::WorkGroup& group);
    /// Writes what the thread's group has done so far, and frees the memory for it.
    void flush(RunningGroup& group);
    /// Gives the launch up: it cannot be recorded after all.
    void give_up(const std::string& reason);

private:
    void write(spool::RecordType type, const void* payload, std::size_t bytes, std::int64_t group);
    void write_all(const void* data, std::size_t bytes);
    void open_file();

    RecorderOptions options_;
    std::mutex mutex_;
    int file_ = -1;
    pid_t process_ = 0; ///< the process that opened the file; a forked child opens its own
    std::uint32_t launches_ = 0;
    std::map<std::thread::id, std::int64_t> threads_;
    std::unique_ptr<RecordedLaunch> launch_; ///< the launch that runs and is recorded
    std::int64_t groups_to_come_ = 0;
    bool given_up_ = false;       ///< that launch was given up
    ExecutedOperations executed_; ///< by the groups of that launch that have ended
};

} // namespace texelscope::traces
