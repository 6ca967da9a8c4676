#pragma once

namespace llvm {
class CallInst;
} // namespace llvm

namespace oclgrind {
class WorkItem;
} // namespace oclgrind

namespace texelscope::traces {

/// Whether a work-item that is at a call could come to the call at which the other is, by the
/// branches of the kernel's text, around loops, too.
[[nodiscard]] bool leads_to(const oclgrind::WorkItem& item, const llvm::CallInst* from,
                            const oclgrind::WorkItem& other, const llvm::CallInst* to);

/// Whether a work-item that is at a call could come to it again, by a loop around it.
[[nodiscard]] bool repeats(const oclgrind::WorkItem& item, const llvm::CallInst* call);

} // namespace texelscope::traces
