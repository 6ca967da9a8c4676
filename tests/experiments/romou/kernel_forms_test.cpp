// Kernels with and without a form: what pairs differ in, their times against simulations and closed
// forms of their own, runs on PoCL, the findings against made-up times.

#include "codegen/nest/loop_nest.hpp"
#include "experiments/romou/kernel_forms.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;
using test::finding_of;

namespace {

FormOptions small()
{
    FormOptions options;
    options.convolutions = {"1,8,8,16,16,1,1,1"};
    options.fully_connected = {"1,64,128"};
    options.sizes = {32};
    options.runs = 6;
    options.sample = options.close_sample = 2'000;
    options.run = {.warm_up = 1, .samples = 2};
    options.rounds = 3;
    return options;
}

FormPair pair_of(KernelForm form, const char* with, const char* without)
{
    return {form, parse_operator("matmul", "64,64,64"), parse_schedule(with),
            parse_schedule(without)};
}

JudgedPair made_up(KernelForm form, double simulated, std::vector<double> rounds = {},
                   bool same = true)
{
    const char* config = "A=row,column;T=4x4;W=8x8;G=8x8x1";
    JudgedPair judged{pair_of(form, config, config), {Nanoseconds{100}, Nanoseconds{100}}, {}, {}};
    judged.pair.same = same;
    const FormTimes times{Nanoseconds{100}, Nanoseconds{100 * simulated}};
    (form == KernelForm::addresses || form == KernelForm::scalars ? judged.as_written.emplace()
                                                                  : judged.simulated) = times;
    if (!rounds.empty()) {
        judged.measured = {Nanoseconds{100}, Nanoseconds{100 * rounds[rounds.size() / 2]}};
        judged.rounds = std::move(rounds);
    }
    return judged;
}

} // namespace

TEST_CASE("Pairs differ in the form that they are of")
{
    const DeviceProfile device = find_profile("adreno-640");
    std::set<KernelForm> forms;
    for (const FormPair& pair : form_pairs(device, small())) {
        CAPTURE(to_string(pair.form), to_string(pair.with), to_string(pair.without));
        forms.insert(pair.form);
        CHECK(pair.with.eliminate_addresses);
        CHECK(pair.without.eliminate_addresses == (pair.form != KernelForm::addresses));
        CHECK_FALSE(pair.with.splat);
        CHECK(pair.without.splat == (pair.form == KernelForm::scalars));
        CHECK((pair.with.split > 1) == (pair.form == KernelForm::split));
        CHECK(pair.without.split == 1);
        CHECK((pair.with.stage > 0) == (pair.form == KernelForm::blocks));
        CHECK(pair.without.stage == 0);
        Schedule same = pair.without;
        same.eliminate_addresses = true;
        same.splat = false;
        same.split = pair.with.split;
        same.stage = pair.with.stage;
        CHECK((!pair.same || same == pair.with));
        CHECK((pair.same || pair.form == KernelForm::split));
    }
    CHECK(forms.size() == all_kernel_forms.size());
}

TEST_CASE("As written, what a kernel takes that arithmetic bounds follows from the operations in "
          "its text")
{
    // 8 reads and 64 multiply-adds in an iteration of a tile of 4x4, everything else is little; one
    // lane and no latencies.
    DeviceProfile device = find_profile("adreno-640");
    device.simulation.machine.timing.alu_lanes = 1;
    device.simulation.machine.timing.half_lanes = 2;
    device.simulation.machine.instructions.gap = 1;
    const Operator op = parse_operator("matmul", "64,64,512");
    const auto time = [&](const char* more) {
        const Schedule schedule =
            parse_schedule(std::string("A=row,column;T=4x4;W=8x8;G=8x8x1") + more);
        return simulated_as_written(loop_nest(op, schedule), device, 0).value;
    };
    // Operations on addresses in the loop. 4 * k4 and three sums for B, three sums for A; without
    // elimination 4 * k4 and 4 * tile_y four times each, and the sums.
    constexpr double reads = 8, sums = 64, common = 1 + 3 + 3, repeated = 2 * (4 + 3);
    CHECK(time(";E=off") / time("") ==
          Approx((reads + repeated + sums) / (reads + common + sums)).epsilon(0.02));
    CHECK(time(";B=splat") / time("") ==
          Approx((reads + common + 2 * sums) / (reads + common + sums)).epsilon(0.02));
    // In half precision sums take half as long, addresses and reads as long as before.
    CHECK(time(";P=fp16;E=off") / time(";P=fp16") ==
          Approx((reads + repeated + sums / 2) / (reads + common + sums / 2)).epsilon(0.02));
}

TEST_CASE(
    "Judged pairs have their kernels' simulated times, and measured ones where outputs are right",
    "[opencl]")
{
    const DeviceProfile device = find_profile("adreno-640");
    const FormOptions options = small();
    std::vector<FormPair> pairs = form_pairs(device, options);
    // A work-group that PoCL does not take.
    pairs.push_back(
        pair_of(KernelForm::blocks, "A=row,column;T=1x1;G=128x64x1", "A=row,column;T=1x1;G=8x8x1"));
    const OpenClDevice on("pocl");
    const std::vector<JudgedPair> judged = judge_forms(pairs, {device, &on}, options);
    REQUIRE(judged.size() == pairs.size());
    for (std::size_t i = 0; i < judged.size(); ++i) {
        const JudgedPair& one = judged[i];
        CAPTURE(to_string(one.pair.form), to_string(one.pair.op), to_string(one.pair.with),
                one.failure);
        const auto time = [&](const Schedule& schedule) {
            return simulated_time(loop_nest(one.pair.op, schedule), device, options.close_sample);
        };
        CHECK(one.simulated.with == time(one.pair.with));
        CHECK(one.simulated.without == time(one.pair.without));
        CHECK(one.as_written.has_value() ==
              (one.pair.form == KernelForm::addresses || one.pair.form == KernelForm::scalars));
        const bool runs = i + 1 < judged.size();
        CHECK(one.measured.has_value() == runs);
        CHECK(one.failure.empty() == runs);
        CHECK(one.rounds.size() == (runs ? 3U : 0U));
    }
    const std::vector<JudgedPair> simulated = judge_forms({pairs[0]}, {device}, options);
    CHECK(simulated[0].simulated.with == judged[0].simulated.with);
    CHECK_FALSE(simulated[0].measured);
    CHECK(simulated[0].failure.empty());
}

TEST_CASE("Findings on forms follow the times")
{
    const std::string addresses =
        "simulated: calculating common parts of addresses once makes each";
    const auto verdict = [](const std::vector<JudgedPair>& pairs, const std::string& start) {
        return finding_of(form_findings(pairs, "GPU"), start).verdict;
    };
    CHECK(verdict({made_up(KernelForm::addresses, 1.2), made_up(KernelForm::addresses, 5)},
                  addresses) == Verdict::holds);
    CHECK(verdict({made_up(KernelForm::addresses, 1), made_up(KernelForm::addresses, 5)},
                  addresses) == Verdict::does_not_hold);
    const std::string six =
        "simulated: calculating common parts of addresses once makes one 6 times";
    CHECK(verdict({made_up(KernelForm::addresses, 1), made_up(KernelForm::addresses, 5)}, six) ==
          Verdict::holds);
    CHECK(verdict({made_up(KernelForm::addresses, 3)}, six) == Verdict::does_not_hold);
    CHECK(verdict({}, six) == Verdict::not_tested);
    // Each at its best decides of split reductions.
    const std::string split = "simulated: sharing a reduction";
    const std::vector<JudgedPair> splits{made_up(KernelForm::split, 4),
                                         made_up(KernelForm::split, 0.9, {}, false)};
    CHECK(verdict(splits, split + " among work-items makes each") == Verdict::does_not_hold);
    CHECK(verdict(splits, split + " among work-items makes one 2.2 times") ==
          Verdict::does_not_hold);
    CHECK_THAT(finding_of(form_findings(splits, ""), split + " among work-items makes each").ours,
               Contains("each at its best 0.90 times") && Contains("with and without 4.00"));
    // Runs that differ leave it open, unless another pair decides.
    const std::string blocks = "on GPU: copying blocks to local memory makes each";
    CHECK(verdict({made_up(KernelForm::blocks, 1, {1.2, 1.3, 1.4})}, blocks) == Verdict::holds);
    CHECK(verdict({made_up(KernelForm::blocks, 1, {0.9, 1.3, 1.4})}, blocks) ==
          Verdict::not_tested);
    CHECK(verdict({made_up(KernelForm::blocks, 1, {0.9, 1.3, 1.4}),
                   made_up(KernelForm::blocks, 1, {0.7, 0.8, 0.9})},
                  blocks) == Verdict::does_not_hold);
    CHECK(verdict({made_up(KernelForm::blocks, 1)}, blocks) == Verdict::not_tested);
    CHECK_THAT(
        finding_of(form_findings({made_up(KernelForm::blocks, 1, {1.2, 1.3, 1.4})}, "GPU"), blocks)
            .ours,
        Contains("1.30 (1.20 to 1.40) times"));
    // Without a device there is nothing of one.
    for (const Finding& finding : form_findings(splits, "")) {
        CHECK(finding.claim.starts_with("simulated: "));
    }
}
