// The plugin that Oclgrind loads. Built without run-time type information, like Oclgrind itself.

#include "traces/capture/plugin/half_numbers.hpp"
#include "traces/capture/plugin/image_builtins.hpp"
#include "traces/capture/plugin/missing_functions.hpp"
#include "traces/capture/plugin/recorder.hpp"
#include "traces/capture/plugin/subgroup_builtins.hpp"
#include "traces/native/trace_record.hpp"

#include <oclgrind/Context.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>

#include <list>
#include <memory>
#include <mutex>

namespace texelscope::traces {
namespace {

class CapturePlugin final : public oclgrind::Plugin {
public:
    CapturePlugin(const oclgrind::Context* context, Recorder& recorder)
        : Plugin(context), recorder_(recorder)
    {}

    [[nodiscard]] bool isThreadSafe() const override { return true; }
    [[nodiscard]] const oclgrind::Context* context() const { return m_context; }

    void kernelBegin(const oclgrind::KernelInvocation* invocation) override
    {
        subgroups_of(*invocation);
        recorder_.launch_begins(*invocation);
    }
    void kernelEnd(const oclgrind::KernelInvocation*) override { recorder_.launch_ends(); }
    void workGroupBegin(const oclgrind::WorkGroup* group) override
    {
        recorder_.group_begins(*group);
    }
    void workGroupComplete(const oclgrind::WorkGroup* group) override
    {
        recorder_.group_ends(*group);
    }

    void instructionExecuted(const oclgrind::WorkItem*, const llvm::Instruction* instruction,
                             const oclgrind::TypedValue&) override
    {
        if (recorder_.counts_operations()) {
            running_group().count(*instruction);
        }
    }

    void memoryLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, size_t address,
                    size_t size) override
    {
        record(memory, item, address, size, AccessKind::buffer_read);
    }
    // A copy of the whole group (async_work_group_copy) counts for its first work-item.
    void memoryLoad(const oclgrind::Memory* memory, const oclgrind::WorkGroup*, size_t address,
                    size_t size) override
    {
        record(memory, nullptr, address, size, AccessKind::buffer_read);
    }
    void memoryStore(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, size_t address,
                     size_t size, const uint8_t*) override
    {
        record(memory, item, address, size, AccessKind::buffer_write);
    }
    void memoryStore(const oclgrind::Memory* memory, const oclgrind::WorkGroup*, size_t address,
                     size_t size, const uint8_t*) override
    {
        record(memory, nullptr, address, size, AccessKind::buffer_write);
    }
    void memoryAtomicLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem* item,
                          oclgrind::AtomicOp, size_t address, size_t size) override
    {
        record(memory, item, address, size, AccessKind::buffer_read);
    }
    void memoryAtomicStore(const oclgrind::Memory* memory, const oclgrind::WorkItem* item,
                           oclgrind::AtomicOp, size_t address, size_t size) override
    {
        record(memory, item, address, size, AccessKind::buffer_write);
    }

private:
    void record(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, size_t address,
                size_t size, AccessKind kind) const
    {
        // Local and private memory is not traced: only global memory goes through the caches.
        if (!recorder_.buffers() || memory->getAddressSpace() != oclgrind::AddrSpaceGlobal) {
            return;
        }
        RunningGroup& group = running_group();
        if (group.launch == nullptr || group.in_image_builtin) {
            return;
        }
        const size_t number = memory->extractBuffer(address);
        const auto& buffers = group.launch->buffers;
        for (size_t i = 0; i < buffers.size(); ++i) {
            if (buffers[i].number == number) {
                const auto offset = static_cast<std::uint64_t>(memory->extractOffset(address));
                const auto event = spool::buffer_event(static_cast<std::uint8_t>(kind),
                                                       static_cast<std::uint8_t>(i), offset, size);
                if (event) {
                    group.add(item, *event);
                } else {
                    recorder_.give_up("an access to a buffer is larger than 2 GiB");
                    group.launch = nullptr;
                }
                return;
            }
        }
    }

    Recorder& recorder_;
};

/// All contexts of the process write to one recorder. Never destroyed: contexts may outlive static
/// objects.
struct Process {
    std::mutex mutex;
    std::unique_ptr<Recorder> recorder;
    std::list<CapturePlugin> plugins;
};
Process& process()
{
    static auto* const the_process = new Process;
    return *the_process;
}

} // namespace
} // namespace texelscope::traces

extern "C" __attribute__((visibility("default"))) void initializePlugins(oclgrind::Context* context)
{
    using namespace texelscope::traces;
    Process& all = process();
    const std::lock_guard lock(all.mutex);
    // Without the variables that `trace capture` sets there is nothing to record.
    if (all.recorder == nullptr) {
        auto options = options_from_environment();
        if (!options) {
            return;
        }
        all.recorder = std::make_unique<Recorder>(std::move(*options));
        add_half_builtins();
        record_image_builtins();
        add_missing_functions();
        add_subgroup_builtins();
    }
    context->registerPlugin(&all.plugins.emplace_back(context, *all.recorder));
}

extern "C" __attribute__((visibility("default"))) void releasePlugins(oclgrind::Context* context)
{
    using namespace texelscope::traces;
    Process& all = process();
    const std::lock_guard lock(all.mutex);
    all.plugins.remove_if([context](CapturePlugin& plugin) {
        const bool its = plugin.context() == context;
        if (its) {
            context->unregisterPlugin(&plugin);
        }
        return its;
    });
}
