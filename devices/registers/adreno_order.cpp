#include "devices/registers/adreno_order.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <limits>

namespace texelscope::devices {
namespace {

constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();
// Issue slots that an answer is taken to need: of a texture, of a buffer.
constexpr int texture_delay = 39, load_delay = 88;
// Issue slots from arithmetic to what uses its result: other arithmetic, memory.
constexpr int arithmetic_delay = 3, memory_delay = 6;

bool reads_memory(MachineKind kind)
{
    return kind == MachineKind::texture || kind == MachineKind::load;
}

/// The values that a block defines. Their numbers lie close together, because a block is lowered in
/// one go.
class OwnValues {
public:
    explicit OwnValues(const MachineBlock& block)
    {
        for (const MachineInstruction& instruction : block) {
            for (const MachineValue value : instruction.makes) {
                first_ = last_ < first_ ? value : std::min(first_, value);
                last_ = std::max(last_, value);
            }
        }
    }

    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(last_ - first_ + 1); }
    /// Others that are numbered between them count as well.
    [[nodiscard]] bool has(MachineValue value) const { return value >= first_ && value <= last_; }
    [[nodiscard]] std::size_t index(MachineValue value) const
    {
        return static_cast<std::size_t>(value - first_);
    }

private:
    MachineValue first_ = 0, last_ = -1;
};

/// A list scheduler in the manner of ir3_sched.c: take() chooses one instruction after the other
/// among those whose operands are ready. In order of preference: one that takes no registers, then
/// the one whose result is used soonest; deferred ones only where there are no others.
class BlockOrder {
public:
    BlockOrder(const MachineCode& code, const Liveness& liveness, std::size_t block,
               int reads_at_once)
        : liveness_(liveness), block_(block), reads_at_once_(reads_at_once),
          instructions_(code.blocks[block]), own_(instructions_), states_(instructions_.size()),
          made_by_(own_.count(), nothing), uses_left_(own_.count(), 0),
          first_user_(own_.count() + 1, 0), taken_(instructions_.size(), 0)
    {
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            for (const MachineValue value : instructions_[i].uses) {
                if (!own_.has(value)) {
                    continue; // values of other blocks are available from the start
                }
                ++uses_left_[own_.index(value)];
                if (const std::size_t maker = made_by_[own_.index(value)]; maker != nothing) {
                    add_edge(maker, i);
                }
            }
            for (const MachineValue value : instructions_[i].makes) {
                made_by_[own_.index(value)] = i;
            }
            reads_left_ += reads_memory(instructions_[i].kind) ? 1 : 0;
        }
        keep_memory_at_its_side_of_barriers();
        list_users();
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            taken_[i] = registers_taken(i);
            if (states_[i].waits_for == 0) {
                make_ready(i);
            }
        }
    }

    std::vector<std::size_t> take()
    {
        std::vector<std::size_t> order;
        order.reserve(instructions_.size());
        while (!ready_.empty()) {
            Place next = cheapest(true);
            next = next != ready_.end() ? next : soonest_used(true);
            next = next != ready_.end() ? next : cheapest(false);
            next = next != ready_.end() ? next : soonest_used(false);
            const Ready ready = *next;
            ready_.erase(next);
            issue(ready);
            order.push_back(ready.number);
        }
        return order;
    }

private:
    struct State {
        boost::container::small_vector<std::size_t, 4> followers;
        int waits_for = 0; ///< instructions that come before it
        int earliest = 0;  ///< slot in which it can be issued without waiting
        int read = -1;     ///< its number among the reads that were issued
        bool issued = false;
    };
    /// An instruction that is ready: all that must come before it have been issued.
    struct Ready {
        std::size_t number = 0;
        /// The first of those that follow it in source order; none is issued before it.
        std::size_t soonest_use = nothing;
        int earliest = 0;
        int last_read = -1; ///< whose result it uses, by number among the reads that were issued
        bool reads = false;
    };

    // `from` has to be issued before `to`.
    void add_edge(std::size_t from, std::size_t to)
    {
        auto& followers = states_[from].followers;
        if (followers.empty() || followers.back() != to) {
            followers.push_back(to);
            ++states_[to].waits_for;
        }
    }
    void list_users()
    {
        for (std::size_t value = 0; value < uses_left_.size(); ++value) {
            first_user_[value + 1] =
                first_user_[value] + static_cast<std::size_t>(uses_left_[value]);
        }
        users_.resize(first_user_.back());
        std::vector<std::size_t> next(first_user_.begin(), first_user_.end() - 1);
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            for (const MachineValue value : instructions_[i].uses) {
                if (own_.has(value)) {
                    users_[next[own_.index(value)]++] = i;
                }
            }
        }
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

    void make_ready(std::size_t i)
    {
        const auto& followers = states_[i].followers;
        Ready ready{.number = i,
                    .earliest = states_[i].earliest,
                    .reads = reads_memory(instructions_[i].kind)};
        ready.soonest_use = followers.empty() ? nothing : *std::ranges::min_element(followers);
        for (const MachineValue value : instructions_[i].uses) {
            const std::size_t maker = own_.has(value) ? made_by_[own_.index(value)] : nothing;
            ready.last_read =
                maker == nothing ? ready.last_read : std::max(ready.last_read, states_[maker].read);
        }
        ready_.push_back(ready);
    }
    /// Whether it uses the result of a read that has not arrived yet.
    [[nodiscard]] bool waits_for_read(const Ready& ready) const
    {
        return ready.last_read >= first_under_way_;
    }
    /// What would wait while there are reads to issue, and a read too many.
    [[nodiscard]] bool is_deferred(const Ready& ready) const
    {
        return (answer_in_ > 0 && reads_left_ > 0 && waits_for_read(ready)) ||
               (ready.reads && reads_issued_ - first_under_way_ >= reads_at_once_);
    }
    /// Registers that it takes, less those of this block's values that it is the last to use.
    [[nodiscard]] int registers_taken(std::size_t i) const
    {
        int taken = 0;
        for (const MachineValue value : instructions_[i].makes) {
            taken += liveness_.is_used(value) ? liveness_.size(value) : 0;
        }
        for (const MachineValue value : instructions_[i].uses) {
            taken -=
                own_.has(value) && uses_left_[own_.index(value)] == 1 ? freed_by_last(value) : 0;
        }
        return taken;
    }
    [[nodiscard]] int freed_by_last(MachineValue value) const
    {
        return !liveness_.outlives(value, block_) && made_by_[own_.index(value)] != nothing
                   ? liveness_.size(value)
                   : 0;
    }

    using Place = std::vector<Ready>::const_iterator;

    /// Of those that take no registers one that frees some, rather one that need not wait.
    [[nodiscard]] Place cheapest(bool defer) const
    {
        constexpr int highest = 3;
        Place best = ready_.end();
        int best_rank = -1;
        for (Place one = ready_.begin(); one != ready_.end() && best_rank < highest; ++one) {
            const int taken = taken_[one->number];
            const int rank = (taken < 0 ? 2 : 0) + (one->earliest <= slot_ ? 1 : 0);
            if (taken <= 0 && rank > best_rank && !(defer && is_deferred(*one))) {
                best = one;
                best_rank = rank;
            }
        }
        return best;
    }
    /// The one whose result is used soonest in source order, rather one that need not wait.
    [[nodiscard]] Place soonest_used(bool defer) const
    {
        Place best = ready_.end();
        bool best_at_once = false;
        for (Place one = ready_.begin(); one != ready_.end(); ++one) {
            if (defer && is_deferred(*one)) {
                continue;
            }
            const bool at_once = one->earliest <= slot_;
            if (best == ready_.end() || (at_once && !best_at_once) ||
                (at_once == best_at_once && one->soonest_use < best->soonest_use)) {
                best = one;
                best_at_once = at_once;
            }
        }
        return best;
    }

    void issue(const Ready& ready)
    {
        const std::size_t i = ready.number;
        const MachineInstruction& instruction = instructions_[i];
        State& state = states_[i];
        state.issued = true;
        for (const MachineValue value : instruction.uses) {
            // whoever is left is the last
            if (own_.has(value) && --uses_left_[own_.index(value)] == 1) {
                const auto begin =
                    users_.begin() + static_cast<std::ptrdiff_t>(first_user_[own_.index(value)]);
                const auto end = users_.begin() +
                                 static_cast<std::ptrdiff_t>(first_user_[own_.index(value) + 1]);
                const auto last = std::find_if(
                    begin, end, [&](std::size_t user) { return !states_[user].issued; });
                // the instruction itself; it is not asked for any more
                taken_[last == end ? i : *last] -= freed_by_last(value);
            }
        }
        const bool is_arithmetic = instruction.kind == MachineKind::arithmetic;
        slot_ = std::max(slot_, state.earliest) + (is_arithmetic ? instruction.cycles : 0);
        if (ready.reads) {
            answer_in_ = instruction.kind == MachineKind::texture ? texture_delay : load_delay;
            state.read = reads_issued_++;
            --reads_left_;
        } else if (instruction.kind != MachineKind::collect && waits_for_read(ready)) {
            answer_in_ = 0; // the wait is for all of them
            first_under_way_ = reads_issued_;
        } else {
            answer_in_ = std::max(0, answer_in_ - instruction.cycles);
        }
        for (const std::size_t follower : state.followers) {
            const MachineKind kind = instructions_[follower].kind;
            const bool memory = reads_memory(kind) || kind == MachineKind::store;
            const int delay = !is_arithmetic ? 0 : memory ? memory_delay : arithmetic_delay;
            states_[follower].earliest = std::max(states_[follower].earliest, slot_ + delay);
            if (--states_[follower].waits_for == 0) {
                make_ready(follower);
            }
        }
    }

    const Liveness& liveness_;
    std::size_t block_;
    int reads_at_once_;
    const MachineBlock& instructions_;
    OwnValues own_;
    std::vector<State> states_;
    /// For each value of this block, the instruction that makes it.
    std::vector<std::size_t> made_by_;
    std::vector<int> uses_left_;          ///< of each own value, by instructions of this block
    std::vector<std::size_t> first_user_; ///< of each own value, among the users
    /// Those instructions, value by value; twice where one uses it twice.
    std::vector<std::size_t> users_;
    /// registers_taken() of each instruction, kept up to date.
    std::vector<int> taken_;
    std::vector<Ready> ready_; ///< ready instructions, in the order in which they became ready
    int slot_ = 0;
    int answer_in_ = 0; ///< slots until the last read is taken to be answered
    int reads_left_ = 0, reads_issued_ = 0, first_under_way_ = 0;
};

} // namespace

std::vector<std::size_t> adreno_order(const MachineCode& code, const Liveness& liveness,
                                      std::size_t block, int reads_at_once)
{
    return BlockOrder(code, liveness, block, reads_at_once).take();
}

} // namespace texelscope::devices
