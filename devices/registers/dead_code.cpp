#include "devices/registers/dead_code.hpp"

#include <algorithm>

namespace texelscope::devices {

void remove_dead_code(MachineCode& code)
{
    std::vector<bool> needed(code.values.size(), false);
    bool more = true;
    const auto need = [&](MachineValue value) {
        more |= !needed[static_cast<std::size_t>(value)];
        needed[static_cast<std::size_t>(value)] = true;
    };
    const auto is_needed = [&](MachineValue value) {
        return needed[static_cast<std::size_t>(value)];
    };
    // Instructions that make nothing act on memory or other work-items: they always stay.
    const auto is_live = [&](const MachineInstruction& instruction) {
        return instruction.makes.empty() ||
               std::any_of(instruction.makes.begin(), instruction.makes.end(), is_needed);
    };
    while (more) { // again where a loop hands on what its end needs
        more = false;
        // Backwards, so that what a needed instruction uses is known before the instruction that
        // makes it.
        for (auto block = code.blocks.rbegin(); block != code.blocks.rend(); ++block) {
            for (auto instruction = block->rbegin(); instruction != block->rend(); ++instruction) {
                if (is_live(*instruction)) {
                    std::for_each(instruction->uses.begin(), instruction->uses.end(), need);
                }
            }
        }
        for (const MachineLoop& loop : code.loops) {
            for (const auto& [in, out] : loop.carried) {
                if (is_needed(in)) {
                    need(out);
                }
            }
        }
    }
    for (MachineBlock& block : code.blocks) {
        std::erase_if(block,
                      [&](const MachineInstruction& instruction) { return !is_live(instruction); });
    }
    for (MachineLoop& loop : code.loops) {
        std::erase_if(loop.carried,
                      [&](const auto& carried) { return !is_needed(carried.second); });
    }
}

} // namespace texelscope::devices
