#include "codegen/passes/register_footprint.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <map>

namespace texelscope::codegen {
namespace {

/// Something that holds registers from its definition to its last use, both places of statements in
/// program order.
struct Interval {
    int registers = 0;
    int first = -1;
    int last = -1;
};

// Walks through the statements once and notes, for every value and index variable, where it is
// defined and where it was used last; most() then finds the place where the most registers are
// live.
class Liveness {
public:
    Liveness(const LoopNest& nest, Precision arithmetic) : values_(nest.values.size())
    {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const LoopNest::Value& value = nest.values[i];
            values_[i].registers =
                arithmetic == Precision::fp16 ? value.half_registers : value.registers;
        }
        for (const NestIndex& named : nest.names) {
            define(named.variable);
            use(named.definition);
        }
        walk(nest.prologue);
        walk(nest.body);
        walk(nest.epilogue);
    }

    [[nodiscard]] int most() const
    {
        // Registers that come and go at each place.
        std::vector<int> change(static_cast<std::size_t>(place_) + 2, 0);
        const auto count = [&](const Interval& interval) {
            if (interval.first >= 0) {
                change[static_cast<std::size_t>(interval.first)] += interval.registers;
                change[static_cast<std::size_t>(std::max(interval.first, interval.last)) + 1] -=
                    interval.registers;
            }
        };
        std::for_each(values_.begin(), values_.end(), count);
        std::for_each(indices_.begin(), indices_.end(),
                      [&](const auto& index) { count(index.second); });
        int live = 0;
        int most = 0;
        for (const int step : change) {
            live += step;
            most = std::max(most, live);
        }
        return most;
    }

private:
    void define(NestValue value) { values_[static_cast<std::size_t>(value)].first = place_; }
    void define(const Variable& variable) { indices_[variable.slot] = {1, place_, place_}; }

    void use(Interval& interval) { interval.last = place_; }
    void use(const IndexExpr& expression)
    {
        for (const IndexTerm& term : expression.terms()) {
            if (term.atom.kind != IndexAtom::Kind::variable) {
                use(*term.atom.operand);
            } else if (const auto found = indices_.find(term.atom.variable.slot);
                       found != indices_.end()) {
                use(found->second);
            }
        }
    }

    void walk(const std::vector<NestStatement>& body)
    {
        for (const NestStatement& statement : body) {
            ++place_;
            std::visit(
                [&](const auto& s) {
                    for_each_used(
                        s, [&](NestValue value) { use(values_[static_cast<std::size_t>(value)]); });
                    visit(s);
                },
                statement);
            for_each_index(statement, [&](const IndexExpr& index) { use(index); });
        }
    }
    void visit(const NestRead& read)
    {
        use(read.access.x);
        use(read.access.y);
        define(read.target);
    }
    void visit(const NestDeclare& declare) { define(declare.target); }
    void visit(const NestIndex& index)
    {
        use(index.definition);
        define(index.variable);
    }
    void visit(const NestWrite& write)
    {
        use(write.x);
        use(write.y);
        for (const Guard& guard : write.guards) {
            use(guard.value);
        }
    }
    void visit(const NestLocalRead& read)
    {
        use(read.at);
        define(read.target);
    }
    void visit(const NestLocalWrite& write) { use(write.at); }
    template <class Statement>
    void visit(const Statement& /*values alone*/)
    {}
    void visit(const NestLoop& loop)
    {
        const int start = place_;
        define(loop.variable);
        walk(loop.body);
        ++place_;
        // What came from outside and is used inside must last until the loop's end: the next
        // iteration needs it.
        const auto keep = [&](Interval& interval) {
            if (interval.first >= 0 && interval.first <= start && interval.last > start) {
                interval.last = place_;
            }
        };
        std::for_each(values_.begin(), values_.end(), keep);
        std::for_each(indices_.begin(), indices_.end(), [&](auto& index) { keep(index.second); });
        use(indices_.at(loop.variable.slot));
    }

    std::vector<Interval> values_;
    std::map<int, Interval> indices_; ///< by slot
    int place_ = 0;
};

} // namespace

int register_footprint(const LoopNest& nest, Precision arithmetic)
{
    return Liveness(nest, arithmetic).most() + addressing_registers;
}

} // namespace texelscope::codegen
