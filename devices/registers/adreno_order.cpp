#include "devices/registers/adreno_order.hpp"

#include <algorithm>
#include <limits>

namespace texelscope::devices {
namespace {

constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();
constexpr int reads_at_once = 8;
// Issue slots that an answer is taken to need: of a texture, of a buffer.
constexpr int texture_delay = 39, load_delay = 88;
// Issue slots from arithmetic to what uses its result: other arithmetic, memory.
constexpr int arithmetic_delay = 3, memory_delay = 6;

bool reads_memory(MachineKind kind)
{
    return kind == MachineKind::texture || kind == MachineKind::load;
}

class BlockOrder {
public:
    BlockOrder(const MachineCode& code, const Liveness& liveness, std::size_t block)
        : liveness_(liveness), block_(block), instructions_(code.blocks[block]), states_(instructions_.size()),
          made_by_(code.values.size(), nothing), uses_left_(code.values.size(), 0)
    {
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            for (const MachineValue value : instructions_[i].uses) {
                ++uses_left_[index(value)];
                if (const std::size_t maker = made_by_[index(value)]; maker != nothing) {
                    add_edge(maker, i);
                }
            }
            for (const MachineValue value : instructions_[i].makes) {
                made_by_[index(value)] = i;
            }
            reads_left_ += reads_memory(instructions_[i].kind) ? 1 : 0;
        }
        keep_memory_at_its_side_of_barriers();
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            if (states_[i].waits_for == 0) {
                ready_.push_back(i);
            }
        }
    }

    std::vector<std::size_t> take()
    {
        std::vector<std::size_t> order;
        order.reserve(instructions_.size());
        while (!ready_.empty()) {
            std::size_t next = cheapest(true);
            next = next != nothing ? next : soonest_used(true);
            next = next != nothing ? next : cheapest(false);
            next = next != nothing ? next : soonest_used(false);
            issue(next);
            order.push_back(next);
        }
        return order;
    }

private:
    struct State {
        std::vector<std::size_t> followers;
        int waits_for = 0;         ///< instructions that come before it
        int earliest = 0;          ///< slot in which it can be issued without waiting
        int read = -1;             ///< its number among the reads that were issued
        bool follows_read = false; ///< it uses what a read brings
    };

    static std::size_t index(MachineValue value) { return static_cast<std::size_t>(value); }

    void add_edge(std::size_t from, std::size_t to)
    {
        std::vector<std::size_t>& followers = states_[from].followers;
        if (followers.empty() || followers.back() != to) {
            followers.push_back(to);
            ++states_[to].waits_for;
        }
        states_[to].follows_read |= reads_memory(instructions_[from].kind);
    }
    void keep_memory_at_its_side_of_barriers()
    {
        std::size_t barrier = nothing;
        std::vector<std::size_t> since;
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            const MachineKind kind = instructions_[i].kind;
            const bool is_barrier = kind == MachineKind::barrier;
            if (!is_barrier && kind != MachineKind::load && kind != MachineKind::local_load &&
                kind != MachineKind::local_store) {
                continue;
            }
            if (barrier != nothing) {
                add_edge(barrier, i);
            }
            if (is_barrier) {
                for (const std::size_t earlier : since) {
                    add_edge(earlier, i);
                }
                since.clear();
                barrier = i;
            } else {
                since.push_back(i);
            }
        }
    }

    /// Whether it uses what a read has not brought yet.
    [[nodiscard]] bool waits_for_read(std::size_t i) const
    {
        return states_[i].follows_read &&
               std::any_of(instructions_[i].uses.begin(), instructions_[i].uses.end(), [&](MachineValue value) {
                   const std::size_t maker = made_by_[index(value)];
                   return maker != nothing && states_[maker].read >= first_under_way_;
               });
    }
    /// What would wait while there are reads to issue, and a read too many.
    [[nodiscard]] bool is_deferred(std::size_t i) const
    {
        return (answer_in_ > 0 && reads_left_ > 0 && waits_for_read(i)) ||
               (reads_memory(instructions_[i].kind) && reads_issued_ - first_under_way_ >= reads_at_once);
    }
    /// Registers that it takes, less those of this block's values that it is the last to use.
    [[nodiscard]] int registers_taken(std::size_t i) const
    {
        int taken = 0;
        for (const MachineValue value : instructions_[i].makes) {
            taken += liveness_.is_used(value) ? liveness_.size(value) : 0;
        }
        for (const MachineValue value : instructions_[i].uses) {
            const bool last = uses_left_[index(value)] == 1 && !liveness_.outlives(value, block_);
            taken -= last && made_by_[index(value)] != nothing ? liveness_.size(value) : 0;
        }
        return taken;
    }

    /// Of those that take no registers one that frees some, rather one that need not wait.
    [[nodiscard]] std::size_t cheapest(bool defer) const
    {
        std::size_t best = nothing;
        int best_rank = -1;
        for (const std::size_t i : ready_) {
            if (defer && is_deferred(i)) {
                continue;
            }
            const int taken = registers_taken(i);
            const int rank = (taken < 0 ? 2 : 0) + (states_[i].earliest <= slot_ ? 1 : 0);
            if (taken <= 0 && rank > best_rank) {
                best = i;
                best_rank = rank;
            }
        }
        return best;
    }
    /// The one whose result is used soonest in source order, rather one that need not wait.
    [[nodiscard]] std::size_t soonest_used(bool defer) const
    {
        std::size_t best = nothing;
        std::size_t best_use = 0;
        bool best_at_once = false;
        for (const std::size_t i : ready_) {
            if (defer && is_deferred(i)) {
                continue;
            }
            const bool at_once = states_[i].earliest <= slot_;
            const auto& followers = states_[i].followers; // none is issued before it
            const auto soonest = std::min_element(followers.begin(), followers.end());
            const std::size_t use = soonest != followers.end() ? *soonest : nothing;
            if (best == nothing || (at_once && !best_at_once) || (at_once == best_at_once && use < best_use)) {
                best = i;
                best_use = use;
                best_at_once = at_once;
            }
        }
        return best;
    }

    void issue(std::size_t i)
    {
        const MachineInstruction& instruction = instructions_[i];
        State& state = states_[i];
        for (const MachineValue value : instruction.uses) {
            --uses_left_[index(value)];
        }
        const bool is_arithmetic = instruction.kind == MachineKind::arithmetic;
        slot_ = std::max(slot_, state.earliest) + (is_arithmetic ? instruction.cycles : 0);
        for (const std::size_t follower : state.followers) {
            const MachineKind kind = instructions_[follower].kind;
            const bool memory = reads_memory(kind) || kind == MachineKind::store;
            const int delay = !is_arithmetic ? 0 : memory ? memory_delay : arithmetic_delay;
            states_[follower].earliest = std::max(states_[follower].earliest, slot_ + delay);
            if (--states_[follower].waits_for == 0) {
                ready_.push_back(follower);
            }
        }
        if (reads_memory(instruction.kind)) {
            answer_in_ = instruction.kind == MachineKind::texture ? texture_delay : load_delay;
            state.read = reads_issued_++;
            --reads_left_;
        } else if (instruction.kind != MachineKind::collect && waits_for_read(i)) {
            answer_in_ = 0; // the wait is for all of them
            first_under_way_ = reads_issued_;
        } else {
            answer_in_ = std::max(0, answer_in_ - instruction.cycles);
        }
        ready_.erase(std::find(ready_.begin(), ready_.end(), i));
    }

    const Liveness& liveness_;
    std::size_t block_;
    const MachineBlock& instructions_;
    std::vector<State> states_;
    std::vector<std::size_t> made_by_; ///< of each value, the instruction of this block
    std::vector<int> uses_left_;       ///< of each value, by instructions of this block
    std::vector<std::size_t> ready_;   ///< in the order in which they became it
    int slot_ = 0;
    int answer_in_ = 0; ///< slots until the last read is taken to be answered
    int reads_left_ = 0, reads_issued_ = 0, first_under_way_ = 0;
};

} // namespace

std::vector<std::size_t> adreno_order(const MachineCode& code, const Liveness& liveness, std::size_t block)
{
    return BlockOrder(code, liveness, block).take();
}

} // namespace texelscope::devices
