#include "traces/capture/plugin/call_order.hpp"

#include "traces/capture/plugin/llvm_values.hpp"

#include <oclgrind/WorkItem.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <stack>
#include <vector>

namespace texelscope::traces {
namespace {

/// The calls that the work-item is inside of, the kernel's own first, and then `last`.
std::vector<void*> chain_of(const oclgrind::WorkItem& item, const llvm::CallInst* last)
{
    std::vector<void*> chain;
    for (auto calls = item.getCallStack(); !calls.empty(); calls.pop()) {
        chain.insert(chain.begin(), llvm_handle(calls.top()));
    }
    chain.push_back(llvm_handle(last));
    return chain;
}

/// Whether one instruction of a function can come after another.
bool reaches(void* from, void* to)
{
    void* const goal = LLVMGetInstructionParent(to);
    std::vector<void*> open{LLVMGetInstructionParent(from)};
    if (open[0] == goal) {
        for (void* next = from; next != nullptr; next = LLVMGetNextInstruction(next)) {
            if (next == to) {
                return true;
            }
        }
    }
    std::set<void*> seen;
    while (!open.empty()) {
        void* const end = LLVMGetBasicBlockTerminator(open.back());
        open.pop_back();
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); ++i) {
            void* const next = LLVMGetSuccessor(end, i);
            if (next == goal) {
                return true;
            }
            if (seen.insert(next).second) {
                open.push_back(next);
            }
        }
    }
    return false;
}

} // namespace

bool leads_to(const oclgrind::WorkItem& item, const llvm::CallInst* from,
              const oclgrind::WorkItem& other, const llvm::CallInst* to)
{
    const std::vector<void*> here = chain_of(item, from);
    const std::vector<void*> there = chain_of(other, to);
    // Where the chains part, they are in one function.
    std::size_t level = 0;
    while (level + 1 < here.size() && level + 1 < there.size() && here[level] == there[level]) {
        ++level;
    }
    return reaches(here[level], there[level]);
}

bool repeats(const oclgrind::WorkItem& item, const llvm::CallInst* call)
{
    const std::vector<void*> chain = chain_of(item, call);
    return std::any_of(chain.begin(), chain.end(),
                       [](void* each) { return reaches(LLVMGetNextInstruction(each), each); });
}

} // namespace texelscope::traces
