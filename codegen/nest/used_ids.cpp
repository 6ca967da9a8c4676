#include "codegen/nest/used_ids.hpp"

namespace texelscope::codegen {
namespace {

class IdsInUse {
public:
    void note(const std::vector<NestStatement>& body)
    {
        for (const NestStatement& statement : body) {
            std::visit([this](const auto& s) { note(s); }, statement);
        }
    }
    void note(const std::vector<Guard>& guards)
    {
        for (const Guard& guard : guards) {
            note(guard.value);
        }
    }
    void note(const NestIndex& index) { note(index.definition); }

    [[nodiscard]] const std::array<bool, 6>& used() const { return used_; }

private:
    void note(const IndexExpr& expression)
    {
        if (!expression.uses_slots(0, slots::first_loop_slot)) {
            return; // nearly all of a body
        }
        for (int slot = 0; slot < slots::first_loop_slot; ++slot) {
            bool& used = used_[static_cast<std::size_t>(slot)];
            used = used || expression.uses_slots(slot, slot + 1);
        }
    }
    void note(const NestRead& read)
    {
        note(read.access.x);
        note(read.access.y);
    }
    void note(const NestWrite& write)
    {
        note(write.x);
        note(write.y);
        note(write.guards);
    }
    void note(const NestLocalRead& read) { note(read.at); }
    void note(const NestLocalWrite& write) { note(write.at); }
    void note(const NestLoop& loop) { note(loop.body); }
    void note(const NestCompute& /*text*/) {}
    void note(const NestMultiplyAdd& /*values*/) {}

    std::array<bool, 6> used_{};
};

} // namespace

std::array<bool, 6> used_work_item_ids(const LoopNest& nest)
{
    IdsInUse ids;
    for (const LoopNest::Named& named : nest.names) {
        ids.note(named);
    }
    ids.note(nest.guards);
    ids.note(nest.prologue);
    ids.note(nest.body);
    ids.note(nest.epilogue);
    return ids.used();
}

} // namespace texelscope::codegen
