#include "tests/sim/launch_with_work.hpp"

#include "sim/options/occupancy.hpp"

#include <utility>

namespace texelscope::test {
using namespace sim;

namespace {

std::vector<Statement> with_work(Random& random, std::vector<Statement> body, bool barriers)
{
    std::vector<Statement> out;
    int reads = 0; // in a row, up to here
    for (Statement& statement : body) {
        if (auto* loop = std::get_if<Loop>(&statement)) {
            loop->body = with_work(random, std::move(loop->body), barriers);
            reads = 0;
        } else {
            ++reads;
        }
        out.push_back(std::move(statement));
        while (random.one_in(2)) {
            Work work;
            work.operations = random.small(1, 9);
            work.stored = Bytes{random.one_in(8) ? 16 : 0};
            work.local = Bytes{random.one_in(3) ? 16 : 0};
            work.barrier = barriers && random.one_in(4);
            work.reads_since = reads > 0 && !random.one_in(6) ? random.small(0, reads - 1) : -1;
            out.emplace_back(work);
        }
    }
    return out;
}

} // namespace

void add_work(Random& random, LaunchCase& c)
{
    c.options.kernel.alu_cycles_per_step = 0;
    Instructions& instructions = c.options.machine.instructions;
    instructions.reads_in_flight = random.small(1, 6);
    instructions.partitions = random.pick(std::vector<int>{1, 2, 4});
    instructions.read = random.pick(std::vector<double>{1, 1, 3});
    instructions.store = random.small(0, 3);
    instructions.gap = random.pick(std::vector<double>{1, 1, 2});
    c.options.machine.timing.local_bytes_per_cycle =
        unless_0(random.pick(std::vector<double>{0, 16, 64})); // whole cycles for a warp of four
    instructions.unroll_iterations = random.pick(std::vector<int>{0, 2, 8});
    instructions.unroll_size = random.pick(std::vector<double>{20, 200});
    if (random.one_in(2)) {
        c.options.machine.group_schedule = GroupSchedule::whole;
        c.options.machine.groups_per_core = unless_0(random.small(0, 3));
    }
    // Work-items can meet only where a core holds all of a work-group.
    const std::int64_t warps =
        (c.launch.group_size() + c.options.machine.warp_size - 1) / c.options.machine.warp_size;
    const bool can_meet = c.options.machine.group_schedule != GroupSchedule::refill &&
                          warps <= occupancy(c.options).warps;
    c.launch.body = with_work(random, std::move(c.launch.body), can_meet && random.one_in(2));
    c.launch.body.emplace_back(Work{.operations = 1});
}

} // namespace texelscope::test
