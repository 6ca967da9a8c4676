#include "devices/registers/loop_unrolling.hpp"

#include "codegen/nest/arithmetic.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <cstdint>

namespace texelscope::devices {
namespace {

// fitted: what is calculated from constants alone is gone by then
constexpr double more_by_vectors = 1.3;

/// Instructions of a body, where the loops within it are written out or stay.
struct BodyCost {
    double instructions = 0; ///< the counter's, and what every iteration has
    bool loop_stays = false;
};

class BodyCounter {
public:
    BodyCounter(const LoopNest& nest, bool vectors, const UnrollRule& rule)
        : nest_(nest), vectors_(vectors), rule_(rule)
    {}

    [[nodiscard]] BodyCost cost(const std::vector<NestStatement>& body) const
    {
        BodyCost cost{vectors_ ? 4.0 : 8.0};
        for (const NestStatement& statement : body) {
            std::visit([&](const auto& s) { add(s, cost); }, statement);
        }
        return cost;
    }

    [[nodiscard]] bool written_out(const NestLoop& loop, const BodyCost& body) const
    {
        const double most_instructions = (vectors_ ? more_by_vectors : 1.0) * rule_.instructions;
        const std::int64_t iterations = loop.variable.extent();
        return iterations == 1 ||
               (!body.loop_stays && iterations <= rule_.iterations &&
                body.instructions * static_cast<double>(iterations) <= most_instructions);
    }

private:
    [[nodiscard]] int numbers(NestValue value) const
    {
        return nest_.values[static_cast<std::size_t>(value)].registers;
    }

    void add(const NestRead& read, BodyCost& cost) const
    {
        const Operand& input = nest_.inputs[static_cast<std::size_t>(read.access.image)];
        if (input.memory == Memory::buffer) {
            cost.instructions += 4 + 3 * std::max(1, numbers(read.target) / 4);
        } else {
            cost.instructions += always_inside(read.access, input.image) ? 3 : 5;
        }
    }
    void add(const NestMultiplyAdd& product, BodyCost& cost) const
    {
        // The numbers in this class were fitted to how Mesa decided on compiled kernels
        // (loop_unrolling.hpp).
        cost.instructions += vectors_      ? (product.dot ? 2 : 1)
                             : product.dot ? 4.5
                                           : 0.9 * numbers(product.sum);
    }
    /// An expression whose widest value has so many numbers.
    [[nodiscard]] double instructions(const Arithmetic& arithmetic, int most) const
    {
        constexpr double exponential = 21; // of a number
        return arithmetic.exponentials > 0 ? exponential * arithmetic.exponentials
               : vectors_                  ? 1
                                           : most;
    }
    template <class Statement>
    [[nodiscard]] int most_numbers(const Statement& statement) const
    {
        int most = 0;
        for_each_used(statement, [&](NestValue value) { most = std::max(most, numbers(value)); });
        return most;
    }
    void add(const NestDeclare& declare, BodyCost& cost) const
    {
        if (const int most = most_numbers(declare); most > 0 && !joins_values(declare.value)) {
            cost.instructions += instructions(arithmetic_of(declare.value, nest_), most);
        }
    }
    void add(const NestAssign& assign, BodyCost& cost) const
    {
        cost.instructions += instructions(arithmetic_of(assign, nest_), most_numbers(assign));
    }
    void add(const NestCarry& carry, BodyCost& cost) const
    {
        cost.instructions += vectors_ ? 1 : most_numbers(carry);
    }
    void add(const NestBarrier&, BodyCost& cost) const { cost.instructions += 1; }
    void add(const NestMeet&, BodyCost& cost) const { cost.instructions += 1; }
    void add(const NestText&, BodyCost&) const {}
    void add(const NestIndex&, BodyCost&) const {}
    void add(const NestWrite& write, BodyCost& cost) const
    {
        const Arithmetic arithmetic = arithmetic_of(write.value, nest_);
        cost.instructions +=
            4 + (arithmetic.exponentials > 0
                     ? 21 * arithmetic.exponentials
                     : arithmetic.operations / (vectors_ ? arithmetic.numbers : 1));
    }
    void add(const NestLocalRead&, BodyCost& cost) const { cost.instructions += 4; }
    void add(const NestLocalWrite&, BodyCost& cost) const { cost.instructions += 4; }
    void add(const NestLoop& loop, BodyCost& cost) const
    {
        const BodyCost body = this->cost(loop.body);
        const bool out = written_out(loop, body);
        cost.instructions +=
            body.instructions * static_cast<double>(out ? loop.variable.extent() : 1);
        cost.loop_stays |= !out;
    }

    const LoopNest& nest_;
    bool vectors_; ///< an operation counts once for all numbers of a vector
    UnrollRule rule_;
};

} // namespace

bool is_written_out(const LoopNest& nest, const NestLoop& loop, bool vectors,
                    const UnrollRule& rule)
{
    const BodyCounter counter(nest, vectors, rule);
    return counter.written_out(loop, counter.cost(loop.body));
}

} // namespace texelscope::devices
