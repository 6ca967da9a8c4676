#include "model/statistics/fit_error.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>

using namespace texelscope::model;

TEST_CASE("errors of a fit by hand")
{
    // Residuals 1, -1, 0, 2; mean 5, squares about it 9 + 1 + 1 + 9 = 20.
    const std::vector<double> truth{2, 4, 6, 8};
    const FitError error = fit_error(truth, std::vector<double>{3, 3, 6, 10});
    CHECK(error.mape == Approx((0.5 + 0.25 + 0 + 0.25) / 4));
    CHECK(error.worst == Approx(0.5));
    CHECK(error.r2 == Approx(1 - 6.0 / 20));
    CHECK(error.samples == 4);
}

TEST_CASE("errors at the edges: no samples, a perfect fit, a constant truth")
{
    CHECK(fit_error({}, {}).samples == 0);
    const std::vector<double> truth{3, 5};
    CHECK(fit_error(truth, truth).r2 == 1);
    CHECK(fit_error(truth, truth).worst == 0);
    const std::vector<double> constant{4, 4};
    CHECK(fit_error(constant, constant).r2 == 1);
    CHECK(fit_error(constant, std::vector<double>{4, 5}).r2 == 0);
}

TEST_CASE("a quarter is held out, each sample is on one side, and the seed chooses")
{
    for (const std::size_t count : {8U, 9U, 11U, 100U, 301U}) {
        const HoldOut split = hold_out_quarter(count, 5);
        CHECK(split.held_out.size() == count / 4);
        std::vector<std::size_t> all;
        std::merge(split.training.begin(), split.training.end(), split.held_out.begin(),
                   split.held_out.end(), std::back_inserter(all));
        REQUIRE(all.size() == count);
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(all[i] == i);
        }
    }
    CHECK(hold_out_quarter(100, 5).held_out == hold_out_quarter(100, 5).held_out);
    CHECK(hold_out_quarter(100, 5).held_out != hold_out_quarter(100, 6).held_out);
}
