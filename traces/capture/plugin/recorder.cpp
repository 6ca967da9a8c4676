// Writes what the plugin sees into the spool file of this process (spool_format.hpp). Groups run on
// several threads: each collects its events by itself (RunningGroup, one for each thread) and hands
// them over under the lock.

#include "traces/capture/plugin/recorder.hpp"

#include "traces/capture/plugin/executed_operations.hpp"

#include <fcntl.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <system_error>

namespace texelscope::traces {
namespace {

/// Most events that a group keeps before it hands them over (16 MiB).
constexpr std::size_t most_events = std::size_t{1} << 20;

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

} // namespace

std::optional<RecorderOptions> options_from_environment()
{
    RecorderOptions options;
    options.folder = variable(spool::variable::folder);
    if (options.folder.empty()) {
        return std::nullopt;
    }
    options.kernel = variable(spool::variable::kernel);
    options.buffers = variable(spool::variable::buffers) == "1";
    options.operations = variable(spool::variable::operations) == "1";
    const std::string groups = variable(spool::variable::groups);
    if (const auto colon = groups.find(':'); colon != std::string::npos) {
        options.first_group = std::strtoll(groups.c_str(), nullptr, 10);
        options.last_group = std::strtoll(groups.c_str() + colon + 1, nullptr, 10);
    }
    return options;
}

// Oclgrind runs a work-group from its beginning to its end on one thread.
RunningGroup& running_group()
{
    thread_local RunningGroup group;
    return group;
}

void RunningGroup::count(const llvm::Instruction& instruction)
{
    if (launch == nullptr) {
        return;
    }
    auto found = known.find(&instruction);
    if (found == known.end()) {
        found = known.emplace(&instruction, operations_of(instruction)).first;
    }
    executed += found->second;
}

void RunningGroup::add(const oclgrind::WorkItem* item, spool::SpooledEvent event)
{
    // Without a work-item, the access is of the whole group and counts for item 0.
    if (item != nullptr) {
        const oclgrind::Size3 id = item->getLocalID();
        event.item = static_cast<std::uint32_t>(id.x + local[0] * (id.y + local[1] * id.z));
    }
    events.push_back(event);
    if (events.size() >= most_events) {
        recorder->flush(*this);
    }
}

Recorder::~Recorder()
{
    if (file_ >= 0) {
        ::close(file_);
    }
}

void Recorder::open_file()
{
    // Compared at every launch, because the program may have forked: the child needs a file of its
    // own.
    if (process_ == ::getpid()) {
        return; // open, or failed and said so
    }
    if (file_ >= 0) {
        ::close(file_); // the parent's
    }
    process_ = ::getpid();
    launches_ = 0;
    threads_.clear();
    const std::string path = options_.folder + "/" + std::to_string(process_);
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file_ < 0) {
        std::fprintf(stderr, "texelscope-capture: %s: %s; nothing is recorded\n", path.c_str(),
                     std::generic_category().message(errno).c_str());
        return;
    }
    if (::lseek(file_, 0, SEEK_END) == 0) {
        write_all(spool::magic, sizeof spool::magic);
    }
}

void Recorder::write_all(const void* data, std::size_t bytes)
{
    const auto* next = static_cast<const char*>(data);
    while (bytes > 0 && file_ >= 0) {
        const ssize_t done = ::write(file_, next, bytes);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            std::fprintf(stderr,
                         "texelscope-capture: %s: %s; the launch that runs now and later ones are "
                         "not recorded\n",
                         options_.folder.c_str(), std::generic_category().message(errno).c_str());
            // The reader takes this bit as the sign that records are missing.
            (void)::fchmod(file_, 0600 | spool::given_up);
            ::close(file_);
            file_ = -1;
            return;
        }
        next += done;
        bytes -= static_cast<std::size_t>(done);
    }
}

void Recorder::write(spool::RecordType type, const void* payload, std::size_t bytes,
                     std::int64_t group)
{
    const spool::RecordHeader header{type, launches_, bytes, group};
    write_all(&header, sizeof header);
    write_all(payload, bytes);
}

void Recorder::launch_begins(const oclgrind::KernelInvocation& invocation)
{
    const std::lock_guard lock(mutex_);
    open_file();
    ++launches_;
    const std::int64_t thread =
        threads_.try_emplace(std::this_thread::get_id(), static_cast<std::int64_t>(threads_.size()))
            .first->second;
    const std::string& name = invocation.getKernel()->getName();
    if (!options_.kernel.empty() && name != options_.kernel) {
        write(spool::RecordType::skipped, name.data(), name.size(), thread);
        return;
    }
    try {
        launch_ = std::make_unique<RecordedLaunch>(describe_launch(invocation, options_.buffers));
    } catch (const std::exception& error) {
        const std::string reason = name + ": " + error.what();
        write(spool::RecordType::failed, reason.data(), reason.size(), thread);
        return;
    }
    const std::int64_t count = launch_->group_count();
    const std::int64_t first = std::min(options_.first_group, count);
    const std::int64_t last = std::clamp(options_.last_group, first, count);
    // A launch counts as complete only when all of these have ended; otherwise launch_ends() writes
    // no end, and the reader reports the launch as failed.
    groups_to_come_ = last - first;
    given_up_ = false;
    executed_ = {};
    const std::string text = launch_->text(first, last);
    write(spool::RecordType::launch, text.data(), text.size(), thread);
}

void Recorder::launch_ends()
{
    const std::lock_guard lock(mutex_);
    if (launch_ != nullptr && !given_up_ && groups_to_come_ == 0) {
        write(spool::RecordType::end, &executed_, options_.operations ? sizeof executed_ : 0, 0);
    }
    launch_ = nullptr;
}

void Recorder::give_up(const std::string& reason)
{
    const std::lock_guard lock(mutex_);
    if (launch_ != nullptr && !given_up_) {
        const std::string text = launch_->kernel + ": " + reason;
        write(spool::RecordType::failed, text.data(), text.size(), 0);
        given_up_ = true; // said once, though several threads may come to it
    }
}

void Recorder::group_begins(const oclgrind::WorkGroup& group)
{
    // The launch does not change while its groups run: no lock.
    RunningGroup& running = running_group();
    running.recorder = this;
    running.launch = nullptr;
    running.in_image_builtin = false;
    running.acting = nullptr;
    running.events.clear();
    if (launch_ == nullptr) {
        return;
    }
    const oclgrind::Size3 id = group.getGroupID();
    running.number =
        static_cast<std::int64_t>(id.x + launch_->groups[0] * (id.y + launch_->groups[1] * id.z));
    if (running.number < options_.first_group || running.number >= options_.last_group) {
        return;
    }
    const oclgrind::Size3 size = group.getGroupSize();
    for (unsigned d = 0; d < 3; ++d) {
        running.local[d] = size[d];
    }
    running.launch = launch_.get();
    running.executed = {};
    // Instructions of a program that is gone may lie where those of another one lay.
    if (running.known_launch != launches_) {
        running.known.clear();
        running.known_launch = launches_;
    }
}

void Recorder::flush(RunningGroup& group)
{
    if (group.events.empty()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    write(spool::RecordType::group, group.events.data(),
          group.events.size() * sizeof(spool::SpooledEvent), group.number);
    group.events.clear();
}

void Recorder::group_ends(const oclgrind::WorkGroup&)
{
    RunningGroup& running = running_group();
    if (running.launch == nullptr) {
        return;
    }
    flush(running);
    running.launch = nullptr;
    const std::lock_guard lock(mutex_);
    executed_ += running.executed;
    --groups_to_come_;
}

} // namespace texelscope::traces
