#include "devices/registers/mali_order.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <limits>

namespace texelscope::devices {
namespace {

constexpr std::size_t no_instruction = std::numeric_limits<std::size_t>::max();

class BackwardOrder {
public:
    BackwardOrder(const MachineCode& code, const Liveness& liveness, std::size_t block)
        : liveness_(liveness), instructions_(code.blocks[block]), before_(instructions_.size()),
          followers_(instructions_.size(), 0), taken_(instructions_.size(), 0),
          live_(code.values.size(), false), namers_(code.values.size())
    {
        std::vector<std::size_t> made_by(code.values.size(), no_instruction);
        std::size_t write = no_instruction;
        std::vector<std::size_t> reads;
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            const MachineInstruction& instruction = instructions_[i];
            for (const MachineValue value : instruction.uses) {
                add_edge(made_by[index(value)], i);
                live_[index(value)] = live_[index(value)] || liveness.outlives(value, block);
            }
            for (const MachineValue value : instruction.makes) {
                made_by[index(value)] = i;
                live_[index(value)] = liveness.is_used(value) && liveness.outlives(value, block);
            }
            switch (instruction.kind) { // memory keeps its order, but for reads among themselves
            case MachineKind::load:
            case MachineKind::local_load:
                add_edge(write, i);
                reads.push_back(i);
                break;
            case MachineKind::store:
            case MachineKind::local_store:
            case MachineKind::barrier:
                add_edge(write, i);
                for (const std::size_t read : reads) {
                    add_edge(read, i);
                }
                reads.clear();
                write = i;
                break;
            default:
                break;
            }
        }
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            list_namer(i, instructions_[i].uses);
            list_namer(i, instructions_[i].makes);
            taken_[i] = registers_taken(i);
        }
        for (std::size_t i = instructions_.size(); i-- > 0;) {
            if (followers_[i] == 0) {
                ready_.push_back(i);
            }
        }
    }

    std::vector<std::size_t> take()
    {
        std::vector<std::size_t> order;
        while (!ready_.empty()) {
            const auto best =
                std::min_element(ready_.begin(), ready_.end(), [&](std::size_t a, std::size_t b) {
                    return taken_[a] < taken_[b];
                });
            const std::size_t i = *best;
            ready_.erase(best);
            order.push_back(i);
            for (const MachineValue value : instructions_[i].makes) {
                set_live(value, false);
            }
            for (const MachineValue value : instructions_[i].uses) {
                set_live(value, true);
            }
            for (const std::size_t earlier : before_[i]) {
                if (--followers_[earlier] == 0) {
                    ready_.push_back(earlier);
                }
            }
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

private:
    static std::size_t index(MachineValue value) { return static_cast<std::size_t>(value); }

    void add_edge(std::size_t from, std::size_t to)
    {
        if (from != no_instruction && (before_[to].empty() || before_[to].back() != from)) {
            before_[to].push_back(from);
            ++followers_[from];
        }
    }
    /// Registers that are live in front of the instruction, less those live behind it.
    [[nodiscard]] int registers_taken(std::size_t i) const
    {
        int taken = 0;
        for (const MachineValue value : instructions_[i].makes) {
            taken -= live_[index(value)] ? liveness_.size(value) : 0;
        }
        for (const MachineValue value : instructions_[i].uses) {
            taken += live_[index(value)] ? 0 : liveness_.size(value);
        }
        return taken;
    }

    void list_namer(std::size_t i, const MachineValues& values)
    {
        for (const MachineValue value : values) {
            namers_[index(value)].push_back(i);
        }
    }
    /// Marks a value as live or not. For the instructions that name it, this changes what they take
    /// by its size.
    void set_live(MachineValue value, bool live)
    {
        if (live_[index(value)] != live) {
            live_[index(value)] = live;
            for (const std::size_t i : namers_[index(value)]) {
                taken_[i] -= live ? liveness_.size(value) : -liveness_.size(value);
            }
        }
    }

    const Liveness& liveness_;
    const MachineBlock& instructions_;
    std::vector<std::vector<std::size_t>> before_; ///< of each instruction, those that it needs
    /// Those that need it and are not in the order yet.
    std::vector<int> followers_;
    /// registers_taken() of each instruction, kept up to date.
    std::vector<int> taken_;
    std::vector<bool> live_; ///< values that what is in the order needs
    /// Of each value, instructions with it.
    std::vector<boost::container::small_vector<std::size_t, 4>> namers_;
    std::vector<std::size_t> ready_;
};

} // namespace

std::vector<std::size_t> mali_order(const MachineCode& code, const Liveness& liveness,
                                    std::size_t block)
{
    return BackwardOrder(code, liveness, block).take();
}

} // namespace texelscope::devices
