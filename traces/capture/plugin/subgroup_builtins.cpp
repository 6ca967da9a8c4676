// Sub-groups for Oclgrind, which runs each work-item by itself up to a barrier. A work-item that
// calls a sub-group function may need values that others have not come to yet. So its call drives
// the others of the sub-group:
//
//     drive   each runs (WorkItem::step) until it calls such a function, too, where it is parked;
//             or until it has returned or waits at a barrier of the work-group
//     choose  the call that is completed first, where work-items are at several
//     complete it: the results of all work-items at that call. Is the driver among them, it goes
//             on; else the others are driven further.
//
// A call is parked by an exception that leaves WorkItem::step before the instruction counts as
// done: the next step calls again, and finds its result ready or drives the others itself. So
// accesses come up in the order of each work-item, and there are none but the kernel's own.

#include "traces/capture/plugin/subgroup_builtins.hpp"

#include "traces/capture/plugin/call_order.hpp"
#include "traces/capture/plugin/llvm_values.hpp"
#include "traces/capture/plugin/next_function.hpp"
#include "traces/capture/plugin/recorder.hpp"
#include "traces/capture/subgroup_functions.hpp"

#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::traces {
namespace {

using oclgrind::BuiltinFunction;
using oclgrind::Size3;
using oclgrind::TypedValue;
using oclgrind::WorkGroup;
using oclgrind::WorkItem;

/// Runs a kernel to its end whose sub-groups have no known size; its launch is not recorded.
constexpr std::size_t size_when_unknown = 64;

/// Of the launch that runs; one launch runs at a time.
struct LaunchSubgroups {
    std::size_t size = 0;   ///< 0: not known
    Size3 local;            ///< the local size asked for
    std::size_t number = 0; ///< counts the launches of the process, from 1 on
};
LaunchSubgroups& launch_subgroups()
{
    static LaunchSubgroups subgroups;
    return subgroups;
}

/// N of `__attribute__((intel_reqd_sub_group_size(N)))`, or 0.
std::size_t required_size(const llvm::Function* kernel)
{
    void* const context = LLVMGetTypeContext(LLVMTypeOf(llvm_handle(kernel)));
    constexpr const char name[] = "intel_reqd_sub_group_size";
    const unsigned kind = LLVMGetMDKindIDInContext(context, name, sizeof name - 1);
    std::size_t count = 0;
    void* const entries = LLVMGlobalCopyAllMetadata(llvm_handle(kernel), &count);
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (LLVMValueMetadataEntriesGetKind(entries, i) == kind) {
            void* const node =
                LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i));
            void* value = nullptr;
            if (LLVMGetMDNodeNumOperands(node) == 1) {
                LLVMGetMDNodeOperands(node, &value);
            }
            size = value == nullptr ? 0 : LLVMConstIntGetZExtValue(value);
        }
    }
    LLVMDisposeValueMetadataEntries(entries);
    return size;
}

std::size_t items_of(const Size3& size)
{
    return size.x * size.y * size.z;
}

/// A sub-group of the work-group that runs: work-items by their linear local number.
struct Subgroup {
    WorkGroup* group = nullptr;
    SubgroupPlace place;
    std::size_t lanes = 0;

    [[nodiscard]] WorkItem* item(std::size_t lane) const
    {
        const Size3 size = group->getGroupSize();
        const std::size_t linear = place.number * place.max_size + lane;
        return group->getWorkItem(
            {linear % size.x, linear / size.x % size.y, linear / size.x / size.y});
    }
};

std::size_t linear_number(const WorkItem& item)
{
    const Size3 size = item.getWorkGroup()->getGroupSize();
    const Size3 at = item.getLocalID();
    return at.x + size.x * (at.y + size.y * at.z);
}

Subgroup subgroup_of(const WorkItem& item)
{
    const LaunchSubgroups& launch = launch_subgroups();
    const std::size_t max = launch.size != 0 ? launch.size : size_when_unknown;
    const auto count = [max](std::size_t items) { return (items + max - 1) / max; };
    Subgroup out;
    out.group = const_cast<WorkGroup*>(item.getWorkGroup());
    const std::size_t items = items_of(out.group->getGroupSize());
    out.place = {max, linear_number(item) / max, count(items), count(items_of(launch.local))};
    out.lanes = std::min(max, items - out.place.number * max);
    return out;
}

/// The simulated program runs on; only its launch is not recorded.
void give_up(const std::string& reason)
{
    RunningGroup& group = running_group();
    if (group.launch != nullptr) {
        group.recorder->give_up(reason);
        group.launch = nullptr;
    }
}

/// A work-item and its call of a sub-group function.
struct Caller {
    enum class State {
        apart,  ///< it is at no such call
        parked, ///< it waits at the call
        ready,  ///< `result` is there, and the call has to be made again to get it
    };
    State state = State::apart;
    const SubgroupFunction* function = nullptr;
    WorkItem* item = nullptr;
    const llvm::CallInst* instruction = nullptr;
    std::optional<SubgroupType> type;
    TypedValue operands[3] = {};
    std::vector<unsigned char> result;

    [[nodiscard]] bool is_parked() const { return state == State::parked; }
    /// The same call of the kernel's text, reached through the same calls of its functions.
    [[nodiscard]] bool together_with(const Caller& other) const
    {
        return instruction == other.instruction &&
               item->getCallStack() == other.item->getCallStack();
    }
};

void park(Caller& caller, WorkItem* item, const llvm::CallInst* instruction,
          const SubgroupFunction& function, const std::string& overload, const TypedValue& result)
{
    caller = {Caller::State::parked, &function, item, instruction, subgroup_type(overload), {}, {}};
    caller.result.resize(std::size_t{result.size} * result.num);
    for (unsigned i = 0; i < std::min(call_arguments(instruction), 3U); ++i) {
        caller.operands[i] = item->getOperand(call_argument(instruction, i));
    }
}

/// What the work-item does instead of coming to the call, in words.
std::string instead(const WorkItem& item, const Caller& caller)
{
    if (caller.is_parked()) {
        return "is at a call of " + caller.function->name;
    }
    return item.getState() == WorkItem::BARRIER ? "waits at a barrier" : "has returned";
}

/// The work-items of the work-group that this thread runs.
struct RunningSubgroups {
    std::size_t launch = 0;
    std::size_t group = 0;
    std::vector<Caller> callers; ///< by linear local number
    /// Of each sub-group, who took part in a call that is in a loop, by lane.
    std::map<std::pair<std::size_t, const llvm::CallInst*>, std::vector<bool>> took_part;
};
RunningSubgroups& running_subgroups(const WorkGroup& group)
{
    thread_local RunningSubgroups running;
    const std::size_t launch = launch_subgroups().number;
    if (running.launch != launch || running.group != group.getGroupIndex()) {
        running = {launch, group.getGroupIndex(), {}, {}};
        running.callers.resize(items_of(group.getGroupSize()));
    }
    return running;
}

/// A work-item that leaves a call out in one turn of a loop comes to it in the next, where the
/// others are a turn behind. That shows where not the same take part in every turn.
void check_turns(const Subgroup& subgroup, const Caller& chosen,
                 std::span<const SubgroupLane> lanes)
{
    if (!repeats(*chosen.item, chosen.instruction)) {
        return;
    }
    std::vector<bool> takes_part;
    for (const SubgroupLane& lane : lanes) {
        takes_part.push_back(lane.calls);
    }
    const auto [before, is_new] =
        running_subgroups(*subgroup.group)
            .took_part.try_emplace({subgroup.place.number, chosen.instruction}, takes_part);
    if (!is_new && before->second != takes_part) {
        give_up("a work-item calls " + chosen.function->name +
                " in some turns of a loop only: it cannot be told which turns belong together");
    }
}

/// Computes the results of the parked calls that belong together with `chosen`.
void complete(const Subgroup& subgroup, std::span<Caller> callers, const Caller& chosen)
{
    const SubgroupFunction& function = *chosen.function;
    std::vector<SubgroupLane> lanes(callers.size());
    std::vector<Caller*> together;
    for (std::size_t i = 0; i < callers.size(); ++i) {
        Caller& caller = callers[i];
        if (caller.is_parked() && caller.together_with(chosen)) {
            lanes[i] = {true,
                        {caller.operands[0].data, caller.operands[1].data, caller.operands[2].data},
                        caller.result.data()};
            together.push_back(&caller);
        }
    }
    for (std::size_t i = 0; function.everyone && i < callers.size(); ++i) {
        if (!lanes[i].calls) {
            const WorkItem& other = *subgroup.item(i);
            give_up(function.name + " is called by " + std::to_string(together.size()) +
                    " of the " + std::to_string(callers.size()) + " work-items of sub-group " +
                    std::to_string(subgroup.place.number) + " of work-group " +
                    std::to_string(subgroup.group->getGroupIndex()) + ", while work-item " +
                    std::to_string(linear_number(other)) + " " + instead(other, callers[i]));
            break;
        }
    }
    check_turns(subgroup, chosen, lanes);
    try {
        call_subgroup(function, chosen.type,
                      std::size_t{chosen.operands[0].size} * chosen.operands[0].num, subgroup.place,
                      lanes);
    } catch (const std::exception& error) {
        give_up(error.what()); // the results stay 0
    }
    for (Caller* caller : together) {
        caller->state = Caller::State::ready;
    }
}

/// The parked call that no other leads to. In a branch and behind it, that is the one in the
/// branch; in two branches, any. Where each leads to the other, around a loop, OpenCL does not
/// say which work-items meet.
const Caller& choose(std::span<const Caller> callers)
{
    const Caller* chosen = nullptr;
    for (const Caller& caller : callers) {
        if (!caller.is_parked() || (chosen != nullptr && caller.together_with(*chosen))) {
            continue;
        }
        if (chosen == nullptr ||
            leads_to(*caller.item, caller.instruction, *chosen->item, chosen->instruction)) {
            if (chosen != nullptr &&
                leads_to(*chosen->item, chosen->instruction, *caller.item, caller.instruction)) {
                give_up("work-items of a sub-group are at " + chosen->function->name + " and at " +
                        caller.function->name + " of one loop: it cannot be told which meet");
            }
            chosen = &caller;
        }
    }
    return *chosen;
}

/// While it is there, another work-item than the one that Oclgrind knows of runs.
class ActingItem {
public:
    explicit ActingItem(const WorkItem* item) { running_group().acting = item; }
    ~ActingItem() { running_group().acting = nullptr; }
    ActingItem(const ActingItem&) = delete;
    ActingItem& operator=(const ActingItem&) = delete;
};

/// Leaves WorkItem::step from a call that is parked.
struct Parked {};

/// A call that waits for nobody.
void answer(const Subgroup& subgroup, std::size_t lane, Caller& mine)
{
    std::vector<SubgroupLane> lanes(subgroup.lanes);
    lanes[lane] = {
        true, {mine.operands[0].data, mine.operands[1].data, nullptr}, mine.result.data()};
    call_subgroup(*mine.function, mine.type, 0, subgroup.place, lanes);
}

/// Runs the others of the sub-group until the parked call of lane `driver` is completed.
void drive(const Subgroup& subgroup, std::span<Caller> callers, std::size_t driver)
{
    while (callers[driver].is_parked()) {
        for (std::size_t lane = 0; lane < callers.size(); ++lane) {
            WorkItem* const item = subgroup.item(lane);
            const ActingItem acting(item);
            try {
                while (lane != driver && !callers[lane].is_parked() &&
                       item->getState() == WorkItem::READY) {
                    item->step();
                }
            } catch (const Parked&) {
                // It is at its call.
            }
        }
        complete(subgroup, callers, choose(callers));
    }
}

void subgroup_builtin(WorkItem* item, const llvm::CallInst* instruction, const std::string&,
                      const std::string& overload, TypedValue& result, void* op)
{
    const auto& function = *static_cast<const SubgroupFunction*>(op);
    if (launch_subgroups().size == 0) {
        give_up("it calls " + function.name +
                ", and nothing says how large a sub-group is: give --subgroup-size");
    }
    const Subgroup subgroup = subgroup_of(*item);
    const std::size_t lane = linear_number(*item) % subgroup.place.max_size;
    const std::span<Caller> callers =
        std::span(running_subgroups(*subgroup.group).callers)
            .subspan(subgroup.place.number * subgroup.place.max_size, subgroup.lanes);
    Caller& mine = callers[lane];
    if (mine.state != Caller::State::ready) {
        park(mine, item, instruction, function, overload, result);
        if (!function.waits_for_others()) {
            answer(subgroup, lane, mine);
        } else if (running_group().acting != nullptr) {
            throw Parked{};
        } else {
            drive(subgroup, callers, lane);
        }
    }
    std::copy(mine.result.begin(), mine.result.end(), result.data);
    mine.state = Caller::State::apart;
}

} // namespace

void add_subgroup_builtins()
{
    // Never destroyed: they outlive every context.
    static auto* const functions = new std::vector<SubgroupFunction>(subgroup_functions());
    for (SubgroupFunction& function : *functions) {
        oclgrind::workItemBuiltins.emplace(function.name,
                                           BuiltinFunction(subgroup_builtin, &function));
    }
}

void subgroups_of(const oclgrind::KernelInvocation& launch)
{
    std::size_t size = required_size(launch.getKernel()->getFunction());
    if (const char* told = std::getenv(spool::variable::subgroup_size); size == 0 && told) {
        size = std::strtoull(told, nullptr, 10);
    }
    launch_subgroups() = {size, launch.getLocalSize(), launch_subgroups().number + 1};
}

} // namespace texelscope::traces

// Takes the place of Oclgrind's own, as the library that it is in is loaded before Oclgrind's: who
// accesses memory, as plugins are told (this one, and Oclgrind's that look for races).
[[gnu::visibility("default")]] const oclgrind::WorkItem*
oclgrind::KernelInvocation::getCurrentWorkItem() const
{
    static auto* const original =
        texelscope::traces::next_function<const WorkItem*(const KernelInvocation*)>(
            "_ZNK8oclgrind16KernelInvocation18getCurrentWorkItemEv");
    const WorkItem* const acting = texelscope::traces::running_group().acting;
    return acting != nullptr || original == nullptr ? acting : original(this);
}
