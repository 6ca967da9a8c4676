// Estimated registers against those that compilers took for the kernels that are shipped, and the
// numbers of the table against made-up kernels.

#include "experiments/judges/register_estimates.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::experiments;
using texelscope::test::finding_of;

namespace {

EstimatedKernel kernel(CompilerFamily family, int compiled, int live, int estimated)
{
    return {family == CompilerFamily::adreno ? "adreno-740" : "mali-g610",
            "matmul",
            family,
            compiled,
            live,
            estimated};
}

} // namespace

TEST_CASE("Registers of random kernels are estimated as compilers take them")
{
    const std::vector<CompiledRow> all = compiled_kernels();
    std::map<std::string, std::vector<CompiledRow>> by_gpu;
    const std::size_t every = test::random_cases(5, 1) == 1 ? 1 : 5;
    std::size_t number = 0;
    for (const CompiledRow& row : all) {
        if (number++ % every == 0) {
            by_gpu[row.gpu].push_back(row);
        }
    }
    REQUIRE(by_gpu.size() == 6);
    for (const auto& [gpu, rows] : by_gpu) {
        INFO(gpu);
        std::set<std::string> operators;
        for (const CompiledRow& row : rows) {
            operators.insert(row.op);
        }
        CHECK(operators.size() == operator_names().size());
        const std::vector<EstimatedKernel> kernels = estimate_kernels(rows);
        const EstimateQuality now = quality_of(kernels),
                              before = quality_of(kernels, &EstimatedKernel::live);
        CHECK(now.median_error <= 0.15);
        CHECK(now.median_error < before.median_error);
        CHECK(now.exact > before.exact);
        if (find_compiler_gpu(gpu).family == CompilerFamily::mali) {
            CHECK(now.halving_wrong < before.halving_wrong);
        }
    }
}

TEST_CASE("What an estimate is worth: the median, the same number, the right side of 32")
{
    const std::vector<EstimatedKernel> kernels{
        kernel(CompilerFamily::mali, 32, 40, 32), kernel(CompilerFamily::mali, 40, 20, 33),
        kernel(CompilerFamily::mali, 64, 64, 64), kernel(CompilerFamily::mali, 20, 30, 40)};
    const EstimateQuality live = quality_of(kernels, &EstimatedKernel::live);
    CHECK(live.kernels == 4);
    CHECK(live.median_error == Approx((0.25 + 0.5) / 2));
    CHECK(live.exact == 0.25);
    CHECK(live.halving_wrong == 0.5);
    const EstimateQuality now = quality_of(kernels);
    CHECK(now.median_error == Approx(7.0 / 40 / 2));
    CHECK(now.exact == 0.5);
    CHECK(now.halving_wrong == 0.25);
    CHECK(quality_of({}).kernels == 0);
}

TEST_CASE("Findings of the estimates follow the data, family by family")
{
    std::vector<EstimatedKernel> kernels(3, kernel(CompilerFamily::adreno, 48, 20, 64));
    CHECK(finding_of(register_estimate_findings(kernels), "adreno").verdict ==
          Verdict::does_not_hold);
    CHECK(register_estimate_findings(kernels).size() == 1);
    kernels.assign(20, kernel(CompilerFamily::mali, 40, 20, 40));
    kernels.front().estimated = 30;
    CHECK(finding_of(register_estimate_findings(kernels), "mali: registers").verdict ==
          Verdict::holds);
    CHECK(finding_of(register_estimate_findings(kernels), "mali: whether").verdict ==
          Verdict::holds);
    kernels.back().estimated = 30;
    CHECK(finding_of(register_estimate_findings(kernels), "mali: whether").verdict ==
          Verdict::does_not_hold);
}
