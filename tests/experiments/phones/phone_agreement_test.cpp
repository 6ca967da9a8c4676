// Agreement with times measured on phones: worked examples.

#include "base/random.hpp"
#include "experiments/phones/phone_agreement.hpp"
#include "experiments/phones/phone_baselines.hpp"
#include "experiments/phones/phone_residuals.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace texelscope::base;
using namespace texelscope::experiments;
using texelscope::workbench::kernel_logs::KernelCounts;

TEST_CASE("phones: a worked example of agreement", "[phones]")
{
    // Orders agree in 5 of 6 pairs; the first choice is the second best; with 1 added, the errors
    // are 0, 1/4, 0 and 1/2.
    const std::vector<double> judged{1, 2, 4, 5}, measured{2, 1.5, 5, 4};
    const PhoneAgreement agreement = agreement_of_times(judged, measured);
    REQUIRE(agreement.tau);
    CHECK(*agreement.tau == Approx(2.0 / 6));
    CHECK(agreement.choice == Approx(2 / 1.5));
    const PhoneAgreement scaled = agreement_of_counts({judged}, measured);
    CHECK(scaled.tau == agreement.tau);
    const std::vector<double> twice{4, 3, 10, 8};
    CHECK(agreement_of_counts(measured, twice).error == Approx(0).margin(1e-12));
    CHECK(agreement_of_times(measured, twice).error > 0.1);
}

TEST_CASE("phones: ridge within the task foretells what it did not see", "[phones]")
{
    std::mt19937_64 random(8);
    const auto one_of = [&](std::initializer_list<double> values) {
        return values.begin()[uniform_below(random, values.size())];
    };
    std::vector<KernelCounts> kernels(200);
    std::vector<double> measured, noise;
    for (KernelCounts& k : kernels) {
        k.tile = {one_of({1, 2, 4}), one_of({1, 2, 4}), one_of({1, 2})};
        k.group = {one_of({2, 8}), one_of({4, 8}), one_of({1, 4})};
        k.group_size = k.group[0] * k.group[1] * k.group[2];
        k.outputs = 4 * k.tile[0] * k.tile[1] * k.tile[2];
        k.groups = 1e6 / k.outputs / k.group_size;
        k.unrolled = one_of({1, 3});
        k.data_reads = 1e6 / k.tile[0];
        k.weight_reads = 1e6 / k.tile[1];
        k.multiply_adds = 1e8;
        measured.push_back(k.reads() * std::pow(k.group_size, -0.3) *
                           std::exp(0.05 * standard_normal(random)));
        noise.push_back(std::exp(standard_normal(random)));
    }
    const std::vector<PhoneBaseline> baselines = phone_baselines(kernels, measured, 1);
    REQUIRE(baselines.size() == 3);
    CHECK(baselines[2].name == "ridge");
    CHECK(*baselines[2].agreement.tau > 0.85);
    CHECK(*baselines[0].agreement.tau > 0.3);
    CHECK_FALSE(baselines[1].agreement.tau); // always the same arithmetic
    // What follows from nothing cannot be foretold: the folds do not leak.
    CHECK(std::abs(*phone_baselines(kernels, noise, 1)[2].agreement.tau) < 0.15);
    kernels.resize(39);
    measured.resize(39);
    CHECK(phone_baselines(kernels, measured, 1).size() == 2);
}

TEST_CASE("phones: of the first ten the best counts", "[phones]")
{
    // Judged in this order; the best of all comes eleventh, the best of the first ten third.
    std::vector<double> judged, measured;
    for (int i = 0; i < 12; ++i) {
        judged.push_back(i + 1);
        measured.push_back(i == 2 ? 30 : i == 10 ? 20 : 100 + i);
    }
    CHECK(agreement_of_times(judged, measured).ten == Approx(1.5));
    CHECK(agreement_of_times(judged, measured).choice == Approx(5));
    CHECK(agreement_of_times(std::vector{1.0, 2.0}, std::vector{9.0, 3.0}).ten == Approx(1));
}

TEST_CASE("phones: residuals are told apart by what kernels have in common", "[phones]")
{
    // Kernels with spills are judged at half of their time, those with many outputs as they are,
    // and what only three or all but three have tells nothing.
    std::mt19937_64 random(5);
    std::vector<std::vector<std::string>> traits(100);
    std::vector<double> judged, measured;
    for (std::size_t i = 0; i < traits.size(); ++i) {
        measured.push_back(std::exp(2 * standard_normal(random)));
        judged.push_back(measured.back() * (i % 3 == 0 ? 0.5 : 1.0));
        traits[i] = {"same"};
        if (i % 3 == 0) {
            traits[i].emplace_back("spills");
        }
        if (i % 2 == 0) {
            traits[i].emplace_back("outputs");
        }
        if (i < 3) {
            traits[i].emplace_back("rare");
        }
    }
    const std::vector<PhoneResidual> residuals = residuals_by_trait(traits, judged, measured);
    REQUIRE(residuals.size() == 2);
    CHECK(residuals[0].trait == "spills");
    CHECK(residuals[0].kernels == 34);
    CHECK(residuals[0].with == Approx(0.5));
    CHECK(residuals[0].without == Approx(1));
    CHECK(residuals[1].trait == "outputs");
    CHECK(residuals[1].with == Approx(residuals[1].without));
    CHECK(residuals_by_trait({}, {}, {}).empty());
}
