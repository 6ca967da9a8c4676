// Every operator, with random shapes and random configurations, computes what its reference says:
// on PoCL, by both ways to read texels, and on rusticl, which has another compiler. The outputs are
// poisoned, so a texel that nobody writes is found out.

#include "codegen/nest/loop_nest.hpp"
#include "tests/codegen/random_formula.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "tests/devices/rusticl.hpp"
#include "tests/random_cases.hpp"
#include "workbench/study/checked_run.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::study;

namespace {

/// Of an operator's name, or of the formula of that number.
Operator random_operator(test::Random& random, const std::string& name, std::size_t formula)
{
    if (name != "formula") {
        return test::random_operator(random, name);
    }
    const auto& [text, sizes] = test::formulas[formula % test::formulas.size()];
    return parse_operator(text, test::random_sizes(random, sizes));
}

void check_kernels(const std::string& name, const OpenClDevice& device, int count)
{
    for (int i = 0; i < count; ++i) {
        test::Random random(static_cast<std::uint64_t>(i) + 1);
        const Operator op = random_operator(random, name, static_cast<std::size_t>(i));
        const Schedule schedule = test::random_schedule(random, op);
        const LoopNest nest = loop_nest(op, schedule);
        const auto values = as_stored(random_inputs(op, 42), schedule.storage);
        RunOptions options;
        options.warm_up = 0;
        options.samples = 1;
        options.optimise = i % 8 == 0;
        options.native_reads = i % 2 == 0;
        const CheckedRun run = run_checked(op, nest, device, values,
                                           make_reference(op, values, schedule.storage), options);
        CAPTURE(device.info().platform, i, to_string(op), to_string(schedule),
                run.measurement.reason, run.measurement.build_log, run.check.max_rel,
                run.check.tolerance);
        REQUIRE(run.measurement.status == RunStatus::ok);
        CHECK(run.check.passed);
    }
}

void check_operator(const std::string& name)
{
    check_kernels(name, OpenClDevice("pocl"), test::kernel_cases(10, 60));
    check_kernels(name, OpenClDevice(test::rusticl()), test::kernel_cases(2, 60));
}

const std::vector<std::string> tested{
    "matmul",     "conv2d",       "dwconv2d",         "deconv2d",       "conv3d",
    "softmax",    "layernorm",    "matmul_da",        "matmul_db",      "conv2d_dx",
    "conv2d_dw",  "dwconv2d_dx",  "dwconv2d_dw",      "deconv2d_dx",    "deconv2d_dw",
    "softmax_dx", "layernorm_dx", "layernorm_dgamma", "layernorm_dbeta"};

} // namespace

TEST_CASE("Every operator has a test of its generated kernels")
{
    const std::vector<std::string> names = operator_names();
    CHECK(std::set<std::string>(names.begin(), names.end()) ==
          std::set<std::string>(tested.begin(), tested.end()));
}

TEST_CASE("Random kernels of matmul compute it", "[opencl]")
{
    check_operator("matmul");
}

TEST_CASE("Random kernels of conv2d compute it", "[opencl]")
{
    check_operator("conv2d");
}

TEST_CASE("Random kernels of dwconv2d compute it", "[opencl]")
{
    check_operator("dwconv2d");
}

TEST_CASE("Random kernels of deconv2d compute it", "[opencl]")
{
    check_operator("deconv2d");
}

TEST_CASE("Random kernels of conv3d compute it", "[opencl]")
{
    check_operator("conv3d");
}

TEST_CASE("Random kernels of softmax compute it", "[opencl]")
{
    check_operator("softmax");
}

TEST_CASE("Random kernels of layernorm compute it", "[opencl]")
{
    check_operator("layernorm");
}

TEST_CASE("Random kernels of matmul_da compute it", "[opencl]")
{
    check_operator("matmul_da");
}

TEST_CASE("Random kernels of matmul_db compute it", "[opencl]")
{
    check_operator("matmul_db");
}

TEST_CASE("Random kernels of conv2d_dx compute it", "[opencl]")
{
    check_operator("conv2d_dx");
}

TEST_CASE("Random kernels of conv2d_dw compute it", "[opencl]")
{
    check_operator("conv2d_dw");
}

TEST_CASE("Random kernels of dwconv2d_dx compute it", "[opencl]")
{
    check_operator("dwconv2d_dx");
}

TEST_CASE("Random kernels of dwconv2d_dw compute it", "[opencl]")
{
    check_operator("dwconv2d_dw");
}

TEST_CASE("Random kernels of deconv2d_dx compute it", "[opencl]")
{
    check_operator("deconv2d_dx");
}

TEST_CASE("Random kernels of deconv2d_dw compute it", "[opencl]")
{
    check_operator("deconv2d_dw");
}

TEST_CASE("Random kernels of softmax_dx compute it", "[opencl]")
{
    check_operator("softmax_dx");
}

TEST_CASE("Random kernels of layernorm_dx compute it", "[opencl]")
{
    check_operator("layernorm_dx");
}

TEST_CASE("Random kernels of layernorm_dgamma compute it", "[opencl]")
{
    check_operator("layernorm_dgamma");
}

TEST_CASE("Random kernels of layernorm_dbeta compute it", "[opencl]")
{
    check_operator("layernorm_dbeta");
}

TEST_CASE("Random kernels of formulas compute them", "[opencl]")
{
    const auto all = static_cast<int>(test::formulas.size());
    check_kernels("formula", OpenClDevice("pocl"), test::kernel_cases(2 * all, 6 * all));
    check_kernels("formula", OpenClDevice(test::rusticl()), test::kernel_cases(all / 2, 2 * all));
}
