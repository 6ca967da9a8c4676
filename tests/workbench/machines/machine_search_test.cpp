#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "model/statistics/least_deviation.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/workbench/machines/random_kernels.hpp"
#include "workbench/machines/identified_machines.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/machines/prepared_kernel.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

namespace texelscope::workbench::machines {
namespace {

constexpr int threads = 2;

/// Kernels of several tasks, with the times that a machine takes for them by the model.
std::vector<MeasuredKernel> kernels_of(const DeviceProfile& device, const PricedMachine& machine,
                                       std::size_t of_task, std::mt19937_64& random)
{
    std::vector<MeasuredKernel> kernels;
    for (const auto& [name, shape] :
         std::vector<std::pair<std::string, std::string>>{{"matmul", "128,96,160"},
                                                          {"matmul", "256,64,64"},
                                                          {"conv2d", "1,28,28,32,32,3,3,1"},
                                                          {"conv2d", "1,40,40,16,48,1,1,1"},
                                                          {"dwconv2d", "1,56,56,32,3,3,1"},
                                                          {"dwconv2d", "1,28,28,64,5,5,1"}}) {
        const Operator op = parse_operator(name, shape);
        for (MeasuredKernel& kernel : random_kernels(op, device, of_task, random)) {
            PreparedKernel prepared(kernel.op, kernel.schedule, device);
            if (const auto ns = prepared.ns(machine)) {
                kernel.ns = *ns;
                kernels.push_back(std::move(kernel));
            }
        }
    }
    return kernels;
}

/// A device whose values are known but for some.
MachinesQuestion small_question(std::uint64_t seed)
{
    const DeviceProfile device = find_profile("adreno-750");
    std::mt19937_64 random(seed);
    const std::vector<Unknown> unknowns = unknowns_of(device);
    const PricedMachine truth =
        *machine_of(device, unknowns, random_machine(device, unknowns, random));
    MachinesQuestion question{.device = device,
                              .kernels = kernels_of(device, truth, 3, random),
                              .hold_out = {"dwconv2d 1,28"},
                              .threads = threads};
    question.search = {.seed = seed, .evaluations = 400, .machines = 16};
    return question;
}

/// How many values of machines lie within what was identified of them.
struct Found {
    double values = 0;
    double inside = 0;    ///< of the whole set's range
    double inside_80 = 0; ///< of the middle 80 % of the set
};

/// Identifies machines that are drawn from the prior, of which nothing is given but times.
Found identify_drawn_machines(const std::vector<std::uint64_t>& seeds, std::int64_t evaluations)
{
    const DeviceProfile device = find_profile("adreno-750");
    const std::vector<Unknown> unknowns = unknowns_of(device);
    REQUIRE(unknowns.size() > 20);
    Found found;
    for (const std::uint64_t seed : seeds) {
        CAPTURE(seed);
        std::mt19937_64 random(100 * seed);
        const std::vector<std::string> truth = random_machine(device, unknowns, random);
        const PricedMachine machine = *machine_of(device, unknowns, truth);
        MachinesQuestion question{.device = device,
                                  .kernels = kernels_of(device, machine, 10, random),
                                  .hold_out = {"matmul 256", "dwconv2d 1,28"},
                                  .threads = threads};
        question.search = {.seed = seed, .evaluations = evaluations, .start_anywhere = true};
        const MachineSet set = identified_machines(question);
        // What it was not identified on is foreseen, which the profile does not do.
        CHECK(set.held_out->tau > 0.5);
        CHECK(set.held_out->error < 0.25);
        CHECK(set.nominal->error > 0.5);
        CHECK(set.nominal->tau < set.held_out->tau);
        CHECK(*set.together->coverage > 0.45);
        CHECK(std::ranges::count_if(set.values, &MachineSet::Value::told) > 10);
        for (std::size_t i = 0; i < unknowns.size(); ++i) {
            std::vector<std::pair<double, double>> places;
            for (const IdentifiedMachine& one : set.machines) {
                places.emplace_back(unknowns[i].place(one.values[i]), one.weight);
            }
            const double at = unknowns[i].place(truth[i]);
            found.values += 1;
            found.inside +=
                std::ranges::min(places).first <= at && at <= std::ranges::max(places).first;
            found.inside_80 +=
                weighted_quantile(places, 0.1) <= at && at <= weighted_quantile(places, 0.9);
        }
    }
    return found;
}

TEST_CASE("A set of machines has the one in it whose times it was identified on", "[machines]")
{
    (void)identify_drawn_machines({1}, 20'000);
}

TEST_CASE("Sets of machines have those in them whose times they were identified on",
          "[machines][long]")
{
    // Caches of some sizes and lines miss alike, so that a few are found in another's place; and
    // the walks are too short to spread values that make no difference over all of their prior.
    for (const Found& found :
         {identify_drawn_machines({1}, 60'000), identify_drawn_machines({2, 3, 4, 5}, 100'000)}) {
        CHECK(found.inside / found.values > 0.7);
        CHECK(found.inside_80 / found.values > 0.5);
    }
}

TEST_CASE("Whoever asks again gets the same machines, on any number of threads", "[machines]")
{
    MachinesQuestion question = small_question(3);
    const MachineSet set = identified_machines(question);
    question.threads = 1;
    CHECK(identified_machines(question) == set);
    question.search.seed = 4;
    CHECK_FALSE(identified_machines(question).machines == set.machines);
    double weights = 0;
    for (const IdentifiedMachine& machine : set.machines) {
        CHECK(machine.loss <= set.limit);
        CHECK(machine.loss >= set.machines.front().loss);
        weights += machine.weight;
    }
    CHECK(weights == Approx(1));
    CHECK(parse_machines(machines_text(set), "set.json") == set);
}

TEST_CASE("A search that is interrupted goes on where it stopped", "[machines]")
{
    const test::TemporaryFolder folder;
    MachinesQuestion question = small_question(5);
    const MachineSet whole = identified_machines(question);
    question.state_file = (std::filesystem::path(folder.path()) / "state.json").string();
    int stopped = 0;
    for (int after = 3;; after += 3) { // the more often it is asked, the later it stops
        int asked = 0;
        try {
            const MachineSet set =
                identified_machines(question, {}, [&] { return ++asked > 7 * after; });
            CHECK(set == whole);
            break;
        } catch (const Interrupted&) {
            ++stopped;
        }
        REQUIRE(stopped < 200);
    }
    CHECK(stopped > 2);
    // The state of another question is refused, not gone on from.
    question.search.seed = 6;
    CHECK_THROWS_AS(identified_machines(question), Error);
}

TEST_CASE("Folds foretell each task from the others, and leave the set as it is", "[machines]")
{
    MachinesQuestion question = small_question(8);
    question.hold_out.clear();
    const MachineSet whole = identified_machines(question);
    CHECK_FALSE(whole.held_out);
    const std::vector<Task> tasks = tasks_of(question.kernels);
    question.folds = tasks.size();
    const MachineSet folded = identified_machines(question);
    CHECK(folded.machines == whole.machines);
    REQUIRE(folded.held_out);
    CHECK(folded.held_out->tasks == std::ssize(tasks));
    CHECK(folded.held_out->kernels == std::ssize(question.kernels));
    // The same as holding them out one by one.
    question.folds = 1;
    double tau = 0;
    for (const Task& task : tasks) {
        question.hold_out = {task.name};
        tau += identified_machines(question).held_out->tau / static_cast<double>(tasks.size());
    }
    CHECK(folded.held_out->tau == Approx(tau));
    CHECK(parse_machines(machines_text(folded), "set.json") == folded);
    question.folds = 2; // and held out as well
    CHECK_THROWS_AS(identified_machines(question), Error);
}

TEST_CASE("The profile of a set has its best machine's values, with their ranges", "[machines]")
{
    const MachinesQuestion question = small_question(7);
    const MachineSet set = identified_machines(question);
    const DeviceProfile device = identified_device(set, question.device);
    for (std::size_t i = 0; i < set.values.size(); ++i) {
        const MachineSet::Value& value = set.values[i];
        const ProfileValue& now = device.values.at(value.key);
        CHECK(now.text == set.machines.front().values[i]);
        CHECK((now.provenance == Provenance::identified) == value.told());
        CHECK(now.source.find(value.low) != std::string::npos);
    }
    // It prices as the machine does.
    KernelPrices prices(question.kernels, device, threads);
    const std::vector<Unknown> none;
    CHECK(prices.ns({*machine_of(device, none, {})}) ==
          prices.ns({priced_machines(set, question.device).front()}));
    CHECK(device.values.at("cores") == question.device.values.at("cores"));
    // Values that were set by hand stay.
    const auto by_hand =
        priced_machines(set, with_overrides(question.device, {"latency.l1=33"}, "--set"));
    CHECK(std::ranges::all_of(by_hand, [](const PricedMachine& machine) {
        return machine.device.simulation.machine.l1().latency == Cycles{33};
    }));
}

TEST_CASE("Machines that agree by model and simulator come first", "[machines]")
{
    MachinesQuestion question = small_question(11);
    question.search.evaluations = 200;
    question.hold_out.emplace_back("conv2d");
    const MachineSet by_model = identified_machines(question);
    CHECK_FALSE(by_model.simulated);
    question.simulated = 7;
    question.simulated_kernels = 5;
    question.sample = 2000;
    const MachineSet set = identified_machines(question);
    const std::vector<MeasuredKernel> known = split(question.kernels, question.hold_out).known;
    const std::vector<MeasuredKernel> some = thinned(known, 5, question.search.seed);
    const LossFunction loss(known, {});
    const LossFunction loss_of_some(some, {});
    const std::vector<Unknown> unknowns = unknowns_of(question.device);
    KernelPrices prices(known, question.device, 2);
    std::size_t simulated = 0;
    double before = 0;
    for (const IdentifiedMachine& machine : set.machines) {
        if (!machine.simulated_loss) {
            break;
        }
        const DeviceProfile device = with_values(question.device, unknowns, machine.values);
        std::vector<double> ns;
        for (const MeasuredKernel& kernel : some) {
            ns.push_back(simulated_time(loop_nest(kernel.op, kernel.schedule), device, 2000).value);
        }
        CHECK(*machine.simulated_loss == Approx(loss_of_some(ns, device).all));
        const PricedMachine priced = *machine_of(question.device, unknowns, machine.values);
        CHECK(machine.loss == Approx(loss(prices.ns({priced}).front(), device).all));
        const double both = machine.loss + *machine.simulated_loss;
        CHECK(both >= before);
        before = both;
        ++simulated;
    }
    CHECK(simulated == 7);
    // Behind them those of the model's search, in their order.
    for (std::size_t m = simulated; m < set.machines.size(); ++m) {
        CHECK(set.machines[m].values == by_model.machines[m - simulated].values);
        CHECK_FALSE(set.machines[m].simulated_loss);
    }
    CHECK(set.simulated->kernels == std::ssize(some));
    CHECK(set.simulated_held_out->kernels > 0);

    // What only the simulator knows is told by machines that were simulated alone.
    const auto queue = [](const MachineSet& of) {
        return *std::ranges::find(of.values, "texture.queue", &MachineSet::Value::key);
    };
    CHECK(queue(by_model).spread == 1);
    CHECK(queue(set).spread < 1);

    // A set that is known already takes the place of the model's search.
    MachinesQuestion again = question;
    again.set = by_model;
    const MachineSet from_set = identified_machines(again);
    CHECK(from_set.machines.size() == set.machines.size());
    CHECK(from_set.simulated->kernels == set.simulated->kernels);
}

TEST_CASE("A search by the simulator goes on where it was interrupted", "[machines]")
{
    MachinesQuestion question = small_question(12);
    question.search.evaluations = 100;
    question.simulated = 6;
    question.simulated_kernels = 3;
    question.sample = 1000;
    question.hold_out.clear();
    question.folds = 2;
    const MachineSet at_once = identified_machines(question);
    CHECK(at_once.simulated_held_out->kernels == at_once.simulated->kernels);
    const test::TemporaryFolder folder;
    question.state_file = folder.file("state");
    std::size_t simulated = 0;
    const Progress count = [&](const std::string& what, double) {
        if (what.starts_with("simulating")) {
            ++simulated;
        }
    };
    CHECK_THROWS_AS(identified_machines(question, count, [&] { return simulated > 3; }),
                    Interrupted);
    const std::size_t so_far = simulated;
    CHECK(identified_machines(question, count) == at_once);
    CHECK(simulated < 2 * so_far + 6);
}

TEST_CASE("Values that a data sheet or a driver tells are taken for known", "[machines]")
{
    const DeviceProfile device = find_profile("adreno-750");
    for (const Unknown& unknown : unknowns_of(device)) {
        const auto value = device.values.find(unknown.key);
        CAPTURE(unknown.key);
        CHECK(
            (value == device.values.end() || (value->second.provenance != Provenance::driver &&
                                              value->second.provenance != Provenance::datasheet)));
    }
    const auto has = [](const std::vector<Unknown>& unknowns, const std::string& key) {
        return std::ranges::find(unknowns, key, &Unknown::key) != unknowns.end();
    };
    CHECK_FALSE(has(unknowns_of(device), "issue.reads_in_flight")); // Mesa's source says it
    CHECK(has(unknowns_of(device, {"issue.reads_in_flight"}), "issue.reads_in_flight"));
    CHECK(has(unknowns_of(device), "l1.capacity"));
    CHECK_FALSE(has(unknowns_of(device, {}, {"l1.capacity"}), "l1.capacity"));
    CHECK_THROWS_AS(unknowns_of(device, {"cores"}), Error);
}

TEST_CASE("Every place stands for a value in range, and the value for that place", "[machines]")
{
    const DeviceProfile device = find_profile("nvidia-h100");
    std::mt19937_64 random(9);
    for (const Unknown& unknown : unknowns_of(device)) {
        CAPTURE(unknown.key);
        for (int i = 0; i < 50; ++i) {
            const double place = uniform_real(random);
            const std::string text = unknown.text(place);
            CHECK(unknown.text(unknown.place(text)) == text);
            if (!unknown.is_choice()) {
                CHECK(std::stod(text) >= unknown.low * 0.999);
                CHECK(std::stod(text) <= unknown.high * 1.001);
            }
        }
        CHECK_FALSE(unknown.row->why.empty());
    }
}

} // namespace
} // namespace texelscope::workbench::machines
