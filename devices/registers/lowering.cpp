// Lowers a nest to scalar instructions as Mesa's compilers have them before scheduling. The aim is
// only which values are live where: instructions carry their kind, what they use and make, and
// their issue cycles, but not what they compute.

#include "devices/registers/lowering.hpp"

#include "codegen/nest/arithmetic.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/registers/dead_code.hpp"
#include "devices/registers/loop_unrolling.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace texelscope::devices {
namespace {

constexpr MachineValue none = -1;
constexpr std::int8_t half = 1, full = 2, pair = 4; // half registers

/// The result of lowering an index expression: a value plus a constant.
struct Address {
    MachineValue value = none;
    std::int64_t constant = 0;
};

class Lowering {
public:
    Lowering(const LoopNest& nest, Precision arithmetic, bool vectors, const UnrollRule& unroll)
        : nest_(nest), half_(arithmetic == Precision::fp16), vectors_(vectors), unroll_(unroll),
          numbers_(nest.values.size())
    {
        code_.blocks.emplace_back();
        const auto ids = work_item_variables(nest.groups, nest.local);
        const std::array<bool, 6> used = used_work_item_ids(nest);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (used[i]) {
                const bool of_group = i >= 3;
                variable(ids[i].slot) = {new_value(full, of_group, of_group), 0};
            }
        }
        for (const NestIndex& named : nest.names) {
            lower(named);
        }
        for (const Guard& guard : nest.guards) {
            (void)address(guard.value); // what it shares with later addresses is calculated here
        }
        lower(nest.prologue);
        if (!nest.guards.empty()) {
            start_block();
        }
        lower(nest.body);
        lower(nest.epilogue);
    }

    MachineCode take() { return std::move(code_); }

private:
    /// What a value is calculated from. A value that is asked for again under the same key is the
    /// one that was calculated before: common subexpressions are calculated once.
    enum class Operation {
        multiply,
        add,
        add_constant,
        divide,
        remainder,
        to_float,
        to_vector,
        pointer
    };
    using Key = std::tuple<Operation, std::int64_t, std::int64_t>;

    MachineValue new_value(std::int8_t half_registers, bool uniform = false, bool shared = false)
    {
        code_.values.push_back({half_registers, uniform, shared});
        return static_cast<MachineValue>(code_.values.size()) - 1;
    }
    MachineValues new_values(std::size_t count, std::int8_t half_registers)
    {
        MachineValues made(count);
        std::generate(made.begin(), made.end(), [&] { return new_value(half_registers); });
        return made;
    }
    [[nodiscard]] const MachineCode::Value& of(MachineValue value) const
    {
        return code_.values[static_cast<std::size_t>(value)];
    }

    void start_block()
    {
        if (!code_.blocks.back().empty()) {
            code_.blocks.emplace_back();
        }
    }

    // A value that is used twice by an instruction is one operand for liveness.
    void emit(MachineKind kind, const MachineValues& uses, const MachineValues& makes,
              int cycles = 1)
    {
        MachineInstruction& instruction = code_.blocks.back().emplace_back();
        instruction.kind = kind;
        instruction.makes = makes;
        instruction.cycles = cycles;
        MachineValues& once = instruction.uses;
        std::copy_if(uses.begin(), uses.end(), std::back_inserter(once),
                     [](MachineValue use) { return use != none; });
        std::sort(once.begin(), once.end());
        once.erase(std::unique(once.begin(), once.end()), once.end());
    }
    MachineValue arithmetic(const MachineValues& uses, std::int8_t half_registers, int cycles = 1)
    {
        const MachineValue made = new_value(half_registers);
        emit(MachineKind::arithmetic, uses, {made}, cycles);
        return made;
    }
    /// Emits integer arithmetic. If all operands are uniform, so is the result: it is calculated
    /// once for all work-items.
    MachineValue integer(const MachineValues& uses, std::int8_t half_registers = full,
                         int cycles = 1)
    {
        const bool uniform =
            std::all_of(uses.begin(), uses.end(), [&](MachineValue v) { return of(v).uniform; });
        const MachineValue made = new_value(half_registers, uniform, uniform);
        emit(MachineKind::arithmetic, uses, {made}, cycles);
        return made;
    }

    template <class Make>
    MachineValue once(Operation operation, std::int64_t a, std::int64_t b, const Make& make)
    {
        const auto [found, fresh] = known_.try_emplace(Key{operation, a, b}, none);
        if (fresh) {
            found->second = make();
        }
        return found->second;
    }

    MachineValue times(MachineValue value, std::int64_t factor)
    {
        if (factor == 1) {
            return value;
        }
        // Multiplying by a power of two is a shift; other products of 32-bit integers take several
        // instructions.
        const bool shift = factor > 0 && (factor & (factor - 1)) == 0;
        return once(Operation::multiply, value, factor,
                    [&] { return integer({value}, full, shift ? 1 : 3); });
    }
    MachineValue plus(MachineValue a, MachineValue b)
    {
        return once(Operation::add, std::min(a, b), std::max(a, b), [&] {
            return integer({a, b});
        });
    }
    MachineValue plus_constant(MachineValue value, std::int64_t constant)
    {
        return constant == 0 ? value : once(Operation::add_constant, value, constant, [&] {
            return integer({value});
        });
    }

    Address quotient_or_remainder(const IndexAtom& atom)
    {
        const Address of = address(*atom.operand);
        const bool divides = atom.kind == IndexAtom::Kind::floor_div;
        if (of.value == none) {
            return {none, divides ? floor_div(of.constant, atom.divisor)
                                  : floor_mod(of.constant, atom.divisor)};
        }
        const MachineValue operand = plus_constant(of.value, of.constant);
        // Division by a constant becomes a multiplication by its reciprocal and shifts.
        const bool shift = (atom.divisor & (atom.divisor - 1)) == 0;
        const int cycles = shift ? 1 : divides ? 4 : 6;
        return {once(divides ? Operation::divide : Operation::remainder, operand, atom.divisor,
                     [&] { return integer({operand}, full, cycles); }),
                0};
    }

    Address& variable(int slot)
    {
        const auto number = static_cast<std::size_t>(slot);
        variables_.resize(std::max(variables_.size(), number + 1));
        return variables_[number];
    }
    Address address(const IndexExpr& expression)
    {
        Address sum{none, expression.constant()};
        for (const IndexTerm& term : expression.terms()) {
            const Address part = term.atom.kind == IndexAtom::Kind::variable
                                     ? variable(term.atom.variable.slot)
                                     : quotient_or_remainder(term.atom);
            sum.constant += term.factor * part.constant;
            if (part.value != none) {
                const MachineValue scaled = times(part.value, term.factor);
                sum.value = sum.value == none ? scaled : plus(sum.value, scaled);
            }
        }
        return sum;
    }
    /// In a register; none where it is a constant, which stands in the instruction.
    MachineValue in_register(const Address& at)
    {
        return at.value == none ? none : plus_constant(at.value, at.constant);
    }

    /// A coordinate in a register of the work-item's own. With a sampler it is a float, half a
    /// texel on.
    MachineValue coordinate(const Address& address, bool with_sampler)
    {
        MachineValue at = in_register(address);
        if (at == none) {
            return none;
        }
        // With a sampler, coordinates are floats at the centre of a texel.
        if (with_sampler) {
            at = once(Operation::to_float, at, 0, [&] { return integer({integer({at})}); });
        }
        // A texture read takes coordinates from the registers of the work-item, so uniform values
        // are copied.
        return of(at).shared
                   ? once(Operation::to_vector, at, 0, [&] { return arithmetic({at}, full); })
                   : at;
    }
    MachineValue coordinates(MachineValue x, MachineValue y, std::int8_t size = pair)
    {
        const MachineValue made = new_value(size);
        emit(MachineKind::collect, {x, y}, {made}, 0);
        return made;
    }
    /// The 64-bit address of a texel of the buffer number `image` (-1: the output).
    MachineValue pointer(const IndexExpr& expression, std::int64_t image)
    {
        // Addresses without a value of the work-item's are constants; they get negative keys of
        // their own.
        const Address at = address(expression);
        const std::int64_t which =
            at.value == none ? -1 - at.constant : plus_constant(at.value, at.constant);
        return once(Operation::pointer, which, image, [&] {
            return at.value == none
                       ? integer({}, pair, 2)
                       : integer({integer({static_cast<MachineValue>(which)})}, pair, 4);
        });
    }

    [[nodiscard]] const LoopNest::Value& nest_value(NestValue value) const
    {
        return nest_.values[static_cast<std::size_t>(value)];
    }
    [[nodiscard]] std::size_t numbers_of(NestValue value) const
    {
        return static_cast<std::size_t>(nest_value(value).registers);
    }
    /// Size of each number of a value, in half registers. For a sum that is carried it covers both
    /// of its sums.
    [[nodiscard]] std::int8_t size_of(NestValue value) const
    {
        const LoopNest::Value& v = nest_value(value);
        return half_ ? static_cast<std::int8_t>(
                           std::max<int>(half, 2 * v.half_registers / std::max(1, v.registers)))
                     : full;
    }
    MachineValues& numbers(NestValue value) { return numbers_[static_cast<std::size_t>(value)]; }
    /// Scalar `i` of a value, or its last one if it has fewer; none if the value is not defined
    /// yet.
    MachineValue number(NestValue value, std::size_t i)
    {
        const MachineValues& all = numbers(value);
        return all.empty() ? none : all[std::min(i, all.size() - 1)];
    }
    MachineValue number(const NestFactor& factor, std::size_t i)
    {
        return number(factor.value,
                      factor.component >= 0 ? static_cast<std::size_t>(factor.component) : i);
    }
    MachineValues all_numbers(const std::vector<NestValue>& values)
    {
        MachineValues all;
        for (const NestValue value : values) {
            all.insert(all.end(), numbers(value).begin(), numbers(value).end());
        }
        return all;
    }

    void lower(const std::vector<NestStatement>& body)
    {
        for (const NestStatement& statement : body) {
            std::visit([&](const auto& s) { lower(s); }, statement);
        }
    }
    void lower(const NestIndex& index)
    {
        variable(index.variable.slot) = address(index.definition);
    }
    void lower(const NestRead& read)
    {
        const Operand& input = nest_.inputs[static_cast<std::size_t>(read.access.image)];
        MachineValues made;
        if (input.memory == Memory::image) {
            made = texel(read, !always_inside(read.access, input.image));
        } else {
            made = new_values(numbers_of(read.target), size_of(read.target));
            const MachineValue from = pointer(read.access.x, read.access.image);
            constexpr std::size_t at_once = 4;
            for (std::size_t first = 0; first < made.size(); first += at_once) {
                const auto begin = made.begin() + static_cast<std::ptrdiff_t>(first);
                emit(MachineKind::load, {from},
                     {begin,
                      begin + static_cast<std::ptrdiff_t>(std::min(at_once, made.size() - first))});
            }
        }
        numbers(read.target) = made;
    }
    /// Emits a read, unless the same texel was read before in an unrolled loop.
    MachineValues texel(const NestRead& read, bool with_sampler)
    {
        const Address x = address(read.access.x), y = address(read.access.y);
        MachineValues& made =
            texels_[{read.access.image, x.value, x.constant, y.value, y.constant}];
        if (made.empty()) {
            const MachineValue at_x = coordinate(x, with_sampler);
            const MachineValue at =
                coordinates(at_x, coordinate(y, with_sampler), vectors_ ? 2 * pair : pair);
            made = new_values(numbers_of(read.target), size_of(read.target));
            emit(MachineKind::texture, {at}, made);
        }
        return made;
    }
    void lower(const NestMultiplyAdd& product)
    {
        MachineValues& sum = numbers(product.sum);
        const std::int8_t size = size_of(product.sum);
        if (!product.dot) {
            for (std::size_t i = 0; i < sum.size(); ++i) {
                sum[i] = arithmetic({sum[i], number(product.a, i), number(product.b, i)}, size);
            }
            return;
        }
        MachineValue dot = none;
        for (std::size_t i = 0;
             i < std::max(numbers(product.a.value).size(), numbers(product.b.value).size()); ++i) {
            dot =
                arithmetic({dot, number(product.a, i), number(product.b, i)}, std::min(size, full));
        }
        for (MachineValue& one : sum) {
            one = arithmetic({one, dot}, size);
        }
    }

    [[nodiscard]] std::vector<NestValue> values_of(const NumberExpr& expression) const
    {
        std::vector<NestValue> values;
        expression.for_each_value([&](NestValue value) { values.push_back(value); });
        return values;
    }
    void lower(const NestText&) {}
    void lower(const NestBarrier&) { emit(MachineKind::barrier, {}, {}); }
    void lower(const NestCarry& carry)
    {
        for (const NestValue sum : carry.sums) {
            for (MachineValue& one : numbers(sum)) {
                one = arithmetic({one}, size_of(sum));
            }
        }
    }
    void lower(const NestDeclare& declare)
    {
        const std::size_t count = numbers_of(declare.target);
        const std::vector<NestValue> values = values_of(declare.value);
        MachineValues made;
        if (values.empty()) {
            made = new_values(count, size_of(declare.target));
            for (const MachineValue one : made) {
                emit(MachineKind::arithmetic, {}, {one});
            }
        } else if (joins_values(declare.value)) {
            made = all_numbers(values);
            made.resize(std::min(made.size(), count));
        } else {
            const Arithmetic arithmetic = arithmetic_of(declare.value, nest_);
            for (std::size_t i = 0; i < count; ++i) {
                made.push_back(count == 1
                                   ? reduced(all_numbers(values), arithmetic.chain())
                                   : chain(numbers_at(values, i), arithmetic, arithmetic.chain()));
            }
        }
        numbers(declare.target) = made;
    }
    /// Joins several scalars to one, two at a time.
    MachineValue reduced(const MachineValues& numbers, int operations)
    {
        MachineValue result = none;
        for (const MachineValue one : numbers) {
            result = result == none ? one : arithmetic({result, one}, full);
        }
        for (auto done = static_cast<int>(numbers.size()); done < operations; ++done) {
            result = arithmetic({result}, full);
        }
        return numbers.size() <= 1 && operations <= 1 ? arithmetic({result}, full) : result;
    }
    /// One number of a vector: the first operation has all that it is made of.
    MachineValue chain(const MachineValues& numbers, const Arithmetic& of, int operations)
    {
        MachineValue result = arithmetic(numbers, full);
        for (int done = 1; done < operations; ++done) {
            MachineValues uses{result};
            if (vectors_ && of.exponentials > 0 && done + 1 == operations) {
                const MachineValues& constants = exponential_constants();
                uses.insert(uses.end(), constants.begin(), constants.end());
            }
            result = arithmetic(uses, full);
        }
        return result;
    }
    /// Of the series of an exponential: once in each block.
    const MachineValues& exponential_constants()
    {
        constexpr std::size_t count = 11;
        if (constants_of_ != code_.blocks.size()) {
            constants_of_ = code_.blocks.size();
            constants_ = new_values(count, full);
            for (const MachineValue constant : constants_) {
                emit(MachineKind::arithmetic, {}, {constant});
            }
        }
        return constants_;
    }
    MachineValues numbers_at(const std::vector<NestValue>& values, std::size_t i)
    {
        MachineValues all;
        for (const NestValue value : values) {
            all.push_back(number(value, i));
        }
        return all;
    }
    /// The value that is there joins last, so that the chain before it does not wait for it.
    void lower(const NestAssign& assign)
    {
        const Arithmetic of = arithmetic_of(assign, nest_);
        const std::vector<NestValue> values = values_of(assign.value);
        MachineValues& all = numbers(assign.target);
        for (std::size_t i = 0; i < all.size(); ++i) {
            MachineValues uses = all.size() == 1 ? all_numbers(values) : numbers_at(values, i);
            if (of.chain() > 1) {
                uses = {chain(uses, of, of.chain() - 1)};
            }
            uses.push_back(all[i]);
            all[i] = arithmetic(uses, size_of(assign.target));
        }
    }
    /// Work-items of a group add up what each of them has, through local memory: everything is
    /// stored, and after a barrier each part reads what the others stored.
    void lower(const NestMeet& meet)
    {
        for (const NestValue value : meet.values) {
            emit(MachineKind::local_store, numbers(value), {});
        }
        emit(MachineKind::barrier, {}, {});
        start_block();
        constexpr std::int64_t most_written_out = 32;
        for (std::int64_t other = 1; other < std::min(meet.parts, most_written_out + 1); ++other) {
            for (const NestValue value : meet.values) {
                MachineValues& all = numbers(value);
                const MachineValues read = new_values(all.size(), full);
                emit(MachineKind::local_load, {}, read);
                for (std::size_t i = 0; i < all.size(); ++i) {
                    all[i] = arithmetic({all[i], read[i]}, size_of(value));
                }
            }
        }
        start_block();
    }

    void lower(const NestWrite& write)
    {
        bool conditional = false;
        for (const Guard& guard : write.guards) {
            if (guard.value.bounds().min >= guard.bound) {
                return; // it never holds
            }
            if (guard.value.bounds().max >= guard.bound) {
                conditional = true;
                (void)address(guard.value); // in front of the branch
            }
        }
        if (conditional) {
            start_block();
        }
        MachineValues uses;
        const std::vector<NestValue> values = values_of(write.value);
        if (const Arithmetic of = arithmetic_of(write.value, nest_); of.chain() > 0) {
            constexpr std::size_t numbers = 4;
            for (std::size_t i = 0; i < numbers; ++i) {
                uses.push_back(chain(numbers_at(values, i), of, of.chain()));
            }
        } else {
            uses = all_numbers(values);
        }
        if (nest_.output.memory == Memory::image) {
            const MachineValue x = in_register(address(write.x));
            uses.push_back(coordinates(x, in_register(address(write.y))));
        } else {
            uses.push_back(pointer(write.x, -1));
        }
        emit(MachineKind::store, uses, {});
        if (conditional) {
            start_block();
        }
    }
    void lower(const NestLocalRead& read)
    {
        MachineValues made = new_values(numbers_of(read.target), size_of(read.target));
        emit(MachineKind::local_load, {in_register(address(read.at))}, made);
        numbers(read.target) = made;
    }
    void lower(const NestLocalWrite& write)
    {
        MachineValues uses = numbers(write.value);
        uses.push_back(in_register(address(write.at)));
        emit(MachineKind::local_store, uses, {});
    }

    void lower(const NestLoop& loop)
    {
        const int slot = loop.variable.slot;
        if (is_written_out(nest_, loop, vectors_, unroll_)) {
            for (std::int64_t i = 0; i < loop.variable.extent(); ++i) {
                variable(slot) = {none, i};
                lower(loop.body);
            }
            return;
        }
        start_block();
        MachineLoop stays{code_.blocks.size() - 1, 0, {}};
        // What came into the loop is compared with what leaves an iteration: values that the body
        // changes are carried from one iteration to the next.
        const std::vector<MachineValues> before = numbers_;
        const MachineValue counter = new_value(full, true);
        emit(MachineKind::arithmetic, {}, {counter});
        variable(slot) = {counter, 0};
        lower(loop.body);
        const MachineValue next = new_value(full, true);
        emit(MachineKind::arithmetic, {counter}, {next});
        stays.carried.emplace_back(counter, next);
        for (std::size_t value = 0; value < before.size(); ++value) {
            const MachineValues& came_in = before[value];
            if (!came_in.empty() &&
                is_changed(loop.body, NestValue{static_cast<std::int32_t>(value)})) {
                for (std::size_t i = 0; i < came_in.size(); ++i) {
                    stays.carried.emplace_back(came_in[i], numbers_[value][i]);
                }
            }
        }
        stays.last = code_.blocks.size() - 1;
        code_.loops.push_back(std::move(stays));
        start_block();
    }
    /// Whether an iteration hands the value on, rather than defining it anew.
    static bool is_changed(const std::vector<NestStatement>& body, NestValue value)
    {
        return std::any_of(body.begin(), body.end(), [&](const NestStatement& statement) {
            if (const auto* product = std::get_if<NestMultiplyAdd>(&statement)) {
                return product->sum == value;
            }
            if (const auto* assign = std::get_if<NestAssign>(&statement)) {
                return assign->target == value;
            }
            if (const auto* meet = std::get_if<NestMeet>(&statement)) {
                return std::count(meet->values.begin(), meet->values.end(), value) > 0;
            }
            if (const auto* carry = std::get_if<NestCarry>(&statement)) {
                return std::count(carry->sums.begin(), carry->sums.end(), value) > 0;
            }
            const auto* loop = std::get_if<NestLoop>(&statement);
            return loop != nullptr && is_changed(loop->body, value);
        });
    }

    const LoopNest& nest_;
    bool half_;
    /// Mali: loops are counted by vectors, and a read takes four registers side by side, with the
    /// texture's name.
    bool vectors_;
    UnrollRule unroll_;
    MachineCode code_;
    std::vector<Address> variables_; ///< by slot
    std::map<Key, MachineValue> known_;
    std::vector<MachineValues> numbers_; ///< of each value of the nest, as it is now
    MachineValues constants_;
    std::size_t constants_of_ = 0; ///< the block that they are in, from 1
    /// By image and both coordinates.
    std::map<std::tuple<int, MachineValue, std::int64_t, MachineValue, std::int64_t>, MachineValues>
        texels_;
};

} // namespace

MachineCode machine_code(const LoopNest& nest, Precision arithmetic, bool vectors,
                         const UnrollRule& unroll)
{
    MachineCode code = Lowering(nest, arithmetic, vectors, unroll).take();
    remove_dead_code(code);
    return code;
}

} // namespace texelscope::devices
