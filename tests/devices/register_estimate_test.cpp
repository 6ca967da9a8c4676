// What estimates of registers are made of: lowering, liveness, order; on kernels small enough to
// count by hand.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/registers/adreno_order.hpp"
#include "devices/registers/loop_unrolling.hpp"
#include "devices/registers/lowering.hpp"
#include "devices/registers/mali_order.hpp"
#include "devices/registers/register_estimate.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace texelscope;
using namespace texelscope::devices;

namespace {

LoopNest nest_of(const std::string& op, const std::string& shape, const std::string& config)
{
    return loop_nest(parse_operator(op, shape), parse_schedule(config));
}

std::size_t count(const MachineCode& code, MachineKind kind)
{
    std::size_t found = 0;
    for (const MachineBlock& block : code.blocks) {
        found += static_cast<std::size_t>(std::count_if(
            block.begin(), block.end(), [&](const auto& one) { return one.kind == kind; }));
    }
    return found;
}

std::vector<std::size_t> source_order(const MachineBlock& block)
{
    std::vector<std::size_t> order(block.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

/// The same as Liveness::pressure() for code without loops, slowly: a value is live from where it
/// is made to its last use.
int most_live(const MachineCode& code, const std::vector<std::vector<std::size_t>>& orders,
              const RegisterKinds& kinds)
{
    std::vector<const MachineInstruction*> all;
    for (std::size_t block = 0; block < code.blocks.size(); ++block) {
        for (const std::size_t i : orders[block]) {
            all.push_back(&code.blocks[block][i]);
        }
    }
    const auto place = static_cast<int>(all.size());
    std::map<MachineValue, int> made, last;
    for (int i = 0; i < place; ++i) {
        for (const MachineValue value : all[static_cast<std::size_t>(i)]->uses) {
            made.try_emplace(value, -1); // there from the start
            last[value] = i;
        }
        for (const MachineValue value : all[static_cast<std::size_t>(i)]->makes) {
            made[value] = i;
        }
    }
    int most = 0;
    for (int i = 0; i < place; ++i) { // what a result takes, what it was made of may give
        int live = 0;
        for (const auto& [value, end] : last) {
            const MachineCode::Value& v = code.values[static_cast<std::size_t>(value)];
            live +=
                made[value] <= i && end > i && !(kinds.shared && v.shared) ? v.half_registers : 0;
        }
        most = std::max(most, live);
    }
    return most;
}

bool keeps_dependences(const MachineBlock& block, const std::vector<std::size_t>& order)
{
    std::set<MachineValue> of_block, made;
    for (const MachineInstruction& instruction : block) {
        of_block.insert(instruction.makes.begin(), instruction.makes.end());
    }
    for (const std::size_t i : order) {
        for (const MachineValue value : block[i].uses) {
            if (of_block.contains(value) && !made.contains(value)) {
                return false;
            }
        }
        made.insert(block[i].makes.begin(), block[i].makes.end());
    }
    // Local memory stays on its side of each barrier.
    std::vector<std::size_t> place(block.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
        place[order[at]] = at;
    }
    const auto is_local = [](MachineKind kind) {
        return kind == MachineKind::local_load || kind == MachineKind::local_store ||
               kind == MachineKind::barrier;
    };
    for (std::size_t barrier = 0; barrier < block.size(); ++barrier) {
        for (std::size_t i = 0; block[barrier].kind == MachineKind::barrier && i < block.size();
             ++i) {
            if (is_local(block[i].kind) && (i < barrier) != (place[i] < place[barrier]) &&
                i != barrier) {
                return false;
            }
        }
    }
    return order.size() == block.size() &&
           std::set<std::size_t>(order.begin(), order.end()).size() == order.size();
}

} // namespace

TEST_CASE("loops are written out up to 32 iterations and 832 instructions")
{
    const auto innermost = [](const LoopNest& nest) {
        const std::vector<NestStatement>* body = &nest.body;
        const NestLoop* found = nullptr;
        for (bool more = true; more;) {
            more = false;
            for (const NestStatement& statement : *body) {
                if (const auto* loop = std::get_if<NestLoop>(&statement)) {
                    found = loop;
                    body = &loop->body;
                    more = true;
                    break;
                }
            }
        }
        REQUIRE(found != nullptr);
        return *found;
    };
    const auto out = [&](const LoopNest& nest, bool vectors) {
        return is_written_out(nest, innermost(nest), vectors);
    };
    // 32 iterations
    const LoopNest small = nest_of("matmul", "16,16,128", "A=row,row;T=1x1;W=4x4;G=4x4x1");
    const LoopNest longer = nest_of("matmul", "16,16,132", "A=row,row;T=1x1;W=4x4;G=4x4x1"); // 33
    // 16 of many instructions
    const LoopNest large = nest_of("matmul", "64,64,64", "A=row,block4;T=8x8;W=4x4;G=4x4x1");
    CHECK(out(small, false));
    CHECK_FALSE(out(longer, false));
    CHECK_FALSE(out(large, false));
    // Counted by vectors, more is.
    const LoopNest middle = nest_of("matmul", "64,64,64", "A=row,block4;T=4x4;W=4x4;G=4x4x1");
    CHECK_FALSE(out(middle, false));
    CHECK(out(middle, true));
}

TEST_CASE("kernels are lowered to the reads, products and writes that they have")
{
    const LoopNest nest = nest_of("matmul", "64,64,256", "A=row,block4;T=4x4;W=4x4;G=4x4x1");
    const MachineCode code = machine_code(nest, Precision::fp32, false);
    REQUIRE(code.loops.size() == 1);
    CHECK(count(code, MachineKind::texture) == 8); // 4 of either matrix for each 4 of the sum
    CHECK(count(code, MachineKind::store) == 4);
    std::size_t products = 0;
    for (std::size_t block = code.loops[0].first; block <= code.loops[0].last; ++block) {
        for (const MachineInstruction& instruction : code.blocks[block]) {
            products += static_cast<std::size_t>(instruction.kind == MachineKind::arithmetic &&
                                                 instruction.uses.size() == 3);
        }
    }
    CHECK(products == 64);
    // Sums and the counter go from one iteration to the next.
    CHECK(code.loops[0].carried.size() == 17);

    SECTION("what is never written is not calculated")
    {
        // Three channels of four fill one texel of two.
        const LoopNest wide =
            nest_of("dwconv2d", "1,8,8,3,3,3,1", "A=column,row;T=8x2;W=1x4;G=1x4x1");
        const LoopNest narrow =
            nest_of("dwconv2d", "1,8,8,3,3,3,1", "A=column,row;T=4x2;W=1x4;G=1x4x1");
        CHECK(reads_per_item(launch_of(wide).body) > reads_per_item(launch_of(narrow).body));
        for (const MachineKind kind : {MachineKind::store, MachineKind::texture}) {
            CHECK(count(machine_code(wide, Precision::fp32, false), kind) ==
                  count(machine_code(narrow, Precision::fp32, false), kind));
        }
    }
    SECTION("a texel that is read three times by loops that are written out is read once")
    {
        const MachineCode softmax = machine_code(
            nest_of("softmax", "8,16", "A=row;T=4x1;W=1x4;G=1x4x1"), Precision::fp32, false);
        CHECK(softmax.loops.empty());
        CHECK(count(softmax, MachineKind::texture) == 4);
    }
}

TEST_CASE("orders keep what depends on what, and pressure is what is live")
{
    const int cases = test::random_cases(40, 400);
    for (int i = 0; i < cases; ++i) {
        test::Random random(static_cast<std::uint64_t>(7000 + i));
        const std::vector<std::string> names = operator_names();
        const Operator op =
            test::random_operator(random, names[static_cast<std::size_t>(i) % names.size()]);
        const Schedule schedule = test::random_schedule(random, op, 64);
        INFO(op.name << " " << to_string(schedule));
        const MachineCode code = machine_code(loop_nest(op, schedule), Precision::fp32, false);
        const RegisterKinds kinds{i % 2 == 0, false};
        const Liveness liveness(code, kinds);
        std::vector<std::vector<std::size_t>> source, adreno;
        int of_source = 0, of_adreno = 0;
        for (std::size_t block = 0; block < code.blocks.size(); ++block) {
            source.push_back(source_order(code.blocks[block]));
            adreno.push_back(adreno_order(code, liveness, block));
            const std::vector<std::size_t> mali = mali_order(code, liveness, block);
            CHECK(keeps_dependences(code.blocks[block], adreno.back()));
            CHECK(keeps_dependences(code.blocks[block], mali));
            of_source = std::max(of_source, liveness.pressure(block, source.back()));
            of_adreno = std::max(of_adreno, liveness.pressure(block, adreno.back()));
        }
        if (code.loops.empty()) {
            CHECK(of_source == most_live(code, source, kinds));
            CHECK(of_adreno == most_live(code, adreno, kinds));
        }
    }
}

TEST_CASE("what a loop needs is live to its end, and not into the next one")
{
    // Block 0 makes a and b; block 1, a loop, uses a; block 2, another, uses b; block 3 uses
    // neither.
    const auto make = [](MachineValue value) {
        return MachineInstruction{MachineKind::arithmetic, {}, {value}};
    };
    const auto use = [](MachineValue value) {
        return MachineInstruction{MachineKind::store, {value}, {}};
    };
    MachineCode code;
    code.values.resize(3);
    code.blocks = {{make(0), make(1)}, {use(0)}, {use(1)}, {make(2), use(2)}};
    code.loops = {{1, 1, {}}, {2, 2, {}}};
    const Liveness liveness(code, {});
    std::vector<int> most;
    for (std::size_t block = 0; block < code.blocks.size(); ++block) {
        most.push_back(liveness.pressure(block, source_order(code.blocks[block])) / 2);
    }
    CHECK(most == std::vector<int>{2, 2, 1, 1});
    CHECK(liveness.outlives(0, 1)); // for the next iteration
    CHECK(liveness.outlives(1, 1));
    CHECK_FALSE(liveness.outlives(0, 2));

    SECTION("what a loop hands on takes the place of what came in")
    {
        // Block 1 makes 2 of 0 and hands it on as 0.
        code.blocks = {
            {make(0), make(1)}, {{MachineKind::arithmetic, {0}, {2}}, use(1)}, {use(2)}, {}};
        code.loops = {{1, 1, {{0, 2}}}};
        const Liveness carried(code, {});
        CHECK(carried.pressure(1, source_order(code.blocks[1])) / 2 == 2);
        CHECK_FALSE(carried.outlives(0, 1));
        CHECK(carried.outlives(2, 1));
        CHECK(carried.pressure(2, source_order(code.blocks[2])) / 2 == 1);
    }
    SECTION("coordinates of a texture read that takes them from where they are need no place of "
            "their own")
    {
        code.values.resize(6);
        code.values[2].half_registers = 4;
        code.blocks = {{make(0),
                        make(1),
                        {MachineKind::collect, {0, 1}, {2}},
                        {MachineKind::texture, {2}, {3}},
                        use(0),
                        use(3)}};
        code.loops = {};
        const std::vector<std::size_t> order = source_order(code.blocks[0]);
        CHECK(Liveness(code, {false, false}).pressure(0, order) / 2 == 3);
        CHECK(Liveness(code, {false, true}).pressure(0, order) / 2 == 2);
        code.blocks[0][3].kind = MachineKind::store; // which wants them side by side
        code.blocks[0][3].makes = {};
        code.blocks[0].pop_back();
        CHECK(Liveness(code, {false, true}).pressure(0, source_order(code.blocks[0])) / 2 == 3);
    }
}

TEST_CASE("sums take registers once, though a loop hands them on")
{
    const MachineCode code = machine_code(
        nest_of("matmul", "64,64,256", "A=row,block4;T=4x4;W=4x4;G=4x4x1"), Precision::fp32, false);
    const Liveness liveness(code, {});
    const std::size_t body = code.loops[0].first;
    // 16 sums, 4 texels of one matrix and one of the other, two coordinates of each, the counter,
    // and what addresses start from.
    const int registers = liveness.pressure(body, source_order(code.blocks[body])) / 2;
    CHECK(registers >= 16 + 20);
    CHECK(registers <= 16 + 20 + 10);
}

TEST_CASE("Adreno hands out as many registers as leave the warps that a kernel has")
{
    // As Mesa took them (tests/data/compilers); its 660 has two thirds of the file.
    const LoopNest nest = nest_of("matmul", "256,256,256", "A=row,block4;T=4x4;W=4x16;G=4x16x1");
    CHECK(estimated_registers(nest, Precision::fp32, find_compiler_gpu("adreno-740")) == 64);
    CHECK(estimated_registers(nest, Precision::fp32, find_compiler_gpu("adreno-660")) == 64);
    // With barriers all warps of a group must have room: 1,024 work-items are 16 of 64, 96 / 8
    // registers of four each.
    const LoopNest split =
        nest_of("matmul", "256,256,256", "A=row,block4;T=8x8;W=4x16;G=4x16x1;R=16");
    CHECK(estimated_registers(split, Precision::fp32, find_compiler_gpu("adreno-740")) <= 48);
    // A device that no compiler of Mesa's knows: live values, and texels on their way, of which the
    // text has two.
    CHECK(estimated_registers(nest, find_profile("nvidia-h100")) ==
          nest.registers_per_item + 4 * (8 - 2));
    CHECK(estimated_registers(nest, find_profile("pocl-cpu")) == nest.registers_per_item);
    CHECK(estimated_registers(nest, find_profile("adreno-740")) == 64);
}
