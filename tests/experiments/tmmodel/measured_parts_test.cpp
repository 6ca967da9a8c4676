// Kernels of all parts of a schedule, measured on an NVIDIA H100, by the judges that have not seen
// them.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/launch/limits.hpp"
#include "model/statistics/kendall.hpp"
#include "workbench/store/shipped_measurements.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace texelscope::workbench::tuning;

namespace {

struct Judged {
    std::vector<double> measured, said;

    void add(double ns, double by_judge)
    {
        measured.push_back(ns);
        said.push_back(by_judge);
    }
    [[nodiscard]] double tau() const { return kendall_tau_b(said, measured).value(); }
    [[nodiscard]] double median_error() const
    {
        std::vector<double> errors;
        for (std::size_t i = 0; i < said.size(); ++i) {
            errors.push_back(std::abs(said[i] / measured[i] - 1));
        }
        std::nth_element(errors.begin(), errors.begin() + std::ssize(errors) / 2, errors.end());
        return errors[errors.size() / 2];
    }
};

bool has(const StoredResult& result, const char* part)
{
    return result.config.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("What an H100 ran, its profile allows")
{
    const DeviceProfile device = find_profile("nvidia-h100");
    for (const StoredResult& result : h100_parts()) {
        CAPTURE(result.op, result.shape, result.config);
        const Operator op = parse_operator(result.op, result.shape, result.padding);
        CHECK_NOTHROW(check_limits(loop_nest(op, parse_schedule(result.config)), device));
    }
}

TEST_CASE("Buffers, copied blocks and split reductions on an H100: the judges' times are near to "
          "those that were measured")
{
    const DeviceProfile device = find_profile("nvidia-h100");
    const std::vector<StoredResult> results = h100_parts();
    CHECK(results.size() == 954);
    std::map<std::string, Judged> by_model, by_simulator;
    std::map<std::string, int> of_part;
    int number = 0;
    for (const StoredResult& result : results) {
        if (has(result, "P=fp16")) {
            continue; // what the compiler makes of halves is another matter
        }
        const Operator op = parse_operator(result.op, result.shape, result.padding);
        const Schedule schedule = parse_schedule(result.config);
        for (const char* part : {"M=", "R=", "S=", "V="}) {
            of_part[part] += has(result, part) ? 1 : 0;
        }
        const ConfigurationSpace one = space_of({schedule});
        const Ranking ranking = rank_by_model({op, device, one, {}, ModelVariant::bottleneck}, 1);
        INFO(result.op << " " << result.shape << " " << result.config << ": " << ranking.refusal);
        REQUIRE(ranking.best.size() == 1);
        const std::string shape = result.op + " " + result.shape;
        by_model[shape].add(result.median_ns(), ranking.best.front().cost.value);
        constexpr int every = 5; // the simulator takes its time
        if (number++ % every == 0) {
            constexpr std::int64_t accesses = 10'000;
            by_simulator[shape].add(
                result.median_ns(),
                simulated_time(loop_nest(op, schedule), device, accesses).value);
        }
    }
    CHECK(of_part["M="] > 400);
    CHECK(of_part["R="] > 300);
    CHECK(of_part["S="] > 50);
    CHECK(of_part["V="] > 50);
    CHECK(by_model.size() == 8);
    for (const auto& [shape, judged] : by_model) {
        CAPTURE(shape);
        CHECK(judged.tau() > 0.55);
        CHECK(judged.median_error() < 0.35);
    }
    Judged all;
    for (const auto& [shape, judged] : by_simulator) {
        CAPTURE(shape);
        CHECK(judged.tau() > 0.4);
        for (std::size_t i = 0; i < judged.said.size(); ++i) {
            all.add(judged.measured[i], judged.said[i]);
        }
    }
    CHECK(all.median_error() < 0.25);
}
