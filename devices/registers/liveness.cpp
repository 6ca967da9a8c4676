// Values are live from the block that makes them to their last use, in units of blocks, with loops:
// a value from outside that a loop uses is live until the loop's end, because the next iteration
// needs it. Within a block, pressure() counts instruction by instruction.

#include "devices/registers/liveness.hpp"

#include <algorithm>

namespace texelscope::devices {

Liveness::Liveness(const MachineCode& code, const RegisterKinds& kinds)
    : code_(code), kinds_(kinds), used_(code.values.size(), false), dies_(code.values.size(), 0),
      through_(code.blocks.size(), 0)
{
    for (const MachineCode::Value& value : code.values) {
        sizes_.push_back(kinds.shared && value.shared ? 0 : value.half_registers);
    }
    const auto use = [&](MachineValue value, std::size_t place) {
        used_[index(value)] = true;
        dies_[index(value)] = std::max(dies_[index(value)], place);
    };
    // What the work-item starts with is there as the first block is entered, hence 0. For others,
    // this is the first block that they can be live into.
    std::vector<std::size_t> entered(code.values.size(), 0);
    for (std::size_t block = 0; block < code.blocks.size(); ++block) {
        for (const MachineInstruction& instruction : code.blocks[block]) {
            for (const MachineValue value : instruction.uses) {
                use(value, at(block));
            }
            for (const MachineValue value : instruction.makes) {
                entered[index(value)] = block + 1;
            }
        }
    }
    // An inner loop comes before the one around it.
    for (const MachineLoop& loop : code.loops) {
        std::vector<bool> replaced(code.values.size(), false);
        for (const auto& [in, out] : loop.carried) {
            replaced[index(in)] = in != out;
            use(out, behind(loop.last));
        }
        for (std::size_t value = 0; value < code.values.size(); ++value) {
            if (used_[value] && !replaced[value] && entered[value] <= loop.first &&
                dies_[value] >= at(loop.first)) {
                // the next iteration needs it again
                dies_[value] = std::max(dies_[value], behind(loop.last));
            }
        }
    }
    for (std::size_t value = 0; value < code.values.size(); ++value) {
        for (std::size_t block = entered[value];
             used_[value] && block < code.blocks.size() && at(block) <= dies_[value]; ++block) {
            through_[block] += sizes_[value];
        }
    }
}

/// What each instruction, in that order, reads from registers: each value once.
std::vector<MachineValues> Liveness::sources(std::size_t block,
                                             std::span<const std::size_t> order) const
{
    const MachineBlock& instructions = code_.blocks[block];
    std::vector<MachineValues> all;
    all.reserve(order.size());
    if (!kinds_.aliases) {
        for (const std::size_t i : order) {
            all.push_back(instructions[i].uses);
        }
        return all;
    }
    // With aliases, a texture read takes its coordinates from wherever they are: the instruction
    // that collects them needs no registers, and the read uses what was collected.
    std::vector<bool> aliased(code_.values.size(), false);
    for (const MachineInstruction& instruction : instructions) {
        for (const MachineValue value : instruction.uses) {
            aliased[index(value)] =
                aliased[index(value)] || instruction.kind == MachineKind::texture;
        }
    }
    std::vector<const MachineInstruction*> collected(code_.values.size(), nullptr);
    for (const std::size_t i : order) {
        const MachineInstruction& instruction = instructions[i];
        MachineValues& uses = all.emplace_back();
        if (instruction.kind == MachineKind::collect && aliased[index(instruction.makes.front())]) {
            collected[index(instruction.makes.front())] = &instruction;
            continue;
        }
        for (const MachineValue value : instruction.uses) {
            if (const MachineInstruction* const from = collected[index(value)]; from != nullptr) {
                uses.insert(uses.end(), from->uses.begin(), from->uses.end());
            } else {
                uses.push_back(value);
            }
        }
        std::sort(uses.begin(), uses.end());
        uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    }
    return all;
}

int Liveness::pressure(std::size_t block, std::span<const std::size_t> order) const
{
    const std::vector<MachineValues> uses = sources(block, order);
    // the number of its instruction, from 1; 0: none here
    std::vector<std::size_t> last_use(code_.values.size(), 0);
    for (std::size_t at = 0; at < uses.size(); ++at) {
        for (const MachineValue value : uses[at]) {
            last_use[index(value)] = at + 1;
        }
    }
    int live = through_[block];
    int most = live;
    for (std::size_t at = 0; at < order.size(); ++at) {
        int freed = 0;
        for (const MachineValue value : uses[at]) {
            freed += last_use[index(value)] == at + 1 && !outlives(value, block) ? size(value) : 0;
        }
        int made = 0;
        for (const MachineValue value : code_.blocks[block][order[at]].makes) {
            made += last_use[index(value)] > 0 || (is_used(value) && outlives(value, block))
                        ? size(value)
                        : 0;
        }
        // An instruction may write what it makes over what it uses last.
        most = std::max(most, live + std::max(0, made - freed));
        live += made - freed;
    }
    return most;
}

} // namespace texelscope::devices
