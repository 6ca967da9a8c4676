// TMModel's table 3: averages by hand, the paper's own means, findings from made-up times.

#include "experiments/tmmodel/kernel_shapes.hpp"
#include "experiments/tmmodel/kernel_speedups.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

TimedChoice choice_taking(double ns)
{
    return {{}, Nanoseconds{ns}};
}

/// Our shortlist takes 100 ns, the model as printed `literal`, and the frameworks what is given.
ComparedChoices made_up(std::array<std::optional<double>, 5> frameworks, double literal = 100)
{
    ComparedChoices choices{parse_operator("matmul", "8,8,8"),
                            choice_taking(100),
                            choice_taking(literal),
                            choice_taking(120),
                            {}};
    for (std::size_t f = 0; f < frameworks.size(); ++f) {
        if (frameworks[f]) {
            choices.frameworks[f] = choice_taking(*frameworks[f]);
        }
    }
    return choices;
}

} // namespace

TEST_CASE("Kernel speedups: average and peak over the shapes, and geometric means over the kernels")
{
    const KernelSpeedups one{"MatMul",
                             {made_up({200, {}, 150, 100, 100}), made_up({400, {}, 50, 100, 100})}};
    const FrameworkSpeedups means = one.means();
    CHECK(means[0]->average == Approx(3));
    CHECK(means[0]->peak == Approx(4));
    CHECK_FALSE(means[1]);
    CHECK(means[2]->average == Approx(1));
    CHECK(means[2]->peak == Approx(1.5));
    CHECK(one.means(&ComparedChoices::bottleneck)[0]->average == Approx(2.5));

    const KernelSpeedups other{"SoftMax", {made_up({1200, 300, 400, 100, 100})}};
    const std::vector<FrameworkSpeedups> both{means, other.means()};
    const FrameworkSpeedups overall = geometric_means(both);
    CHECK(overall[0]->average == Approx(6));
    CHECK(overall[1]->average == Approx(3)); // of the one kernel that it has
    CHECK(overall[2]->average == Approx(2));
}

TEST_CASE("Kernel speedups: the paper's rows have the paper's geometric means")
{
    std::vector<FrameworkSpeedups> rows;
    for (const PaperKernel& kernel : table3_kernels()) {
        rows.push_back(paper_speedups(kernel.name));
    }
    const FrameworkSpeedups means = geometric_means(rows);
    const std::array<std::array<double, 2>, 5> printed{
        {{2.31, 3.08}, {2.86, 4.82}, {2.91, 6.06}, {1.48, 3.61}, {1.83, 3.30}}};
    for (std::size_t f = 0; f < printed.size(); ++f) {
        CHECK(means[f]->average == Approx(printed[f][0]).margin(0.03));
        CHECK(means[f]->peak == Approx(printed[f][1]).margin(0.05));
    }
    CHECK_FALSE(paper_speedups("Conv3D")[0]);
    CHECK_FALSE(paper_speedups("nothing")[0]);
}

TEST_CASE("Kernel speedups: findings follow the data")
{
    const std::vector<KernelSpeedups> good{{"MatMul", {made_up({231, 286, 291, 148, 183})}}};
    const auto verdict = [](const std::vector<KernelSpeedups>& kernels, const std::string& claim) {
        return finding_of(kernel_speedup_findings(kernels), claim).verdict;
    };
    for (const char* claim : {"our choices", "the choices of the model as printed", "for no kernel",
                              "the gains", "TFLite"}) {
        CHECK(verdict(good, claim) == Verdict::holds);
    }
    const std::vector<KernelSpeedups> bad{{"MatMul", {made_up({231, 286, 95, 600, 183}, 300)}}};
    for (const char* claim : {"our choices", "the choices of the model as printed", "for no kernel",
                              "the gains", "TFLite"}) {
        CHECK(verdict(bad, claim) == Verdict::does_not_hold);
    }
    test::check_nothing_clipped(kernel_speedup_plot(bad, {find_profile("adreno-740")}));
    CHECK_THAT(finding_of(kernel_speedup_findings(bad), "for no kernel").ours,
               Catch::Contains("MatMul over TVM"));
}
