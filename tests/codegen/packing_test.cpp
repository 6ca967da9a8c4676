#include "codegen/nest/packing.hpp"
#include "codegen/nest/side_packing.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <set>
#include <vector>

using namespace texelscope;
using namespace texelscope::codegen;

namespace {

PackedDim random_dim(test::Random& random, std::int64_t largest)
{
    PackedDim dim;
    dim.extent = random.between(1, largest);
    const bool leaves = random.one_in(2);
    dim.asked = {leaves ? -random.between(0, 3) : 0,
                 dim.extent - 1 + (leaves ? random.between(0, 3) : 0)};
    return dim;
}

/// Calls `visit(values)` for every combination of asked values.
template <class Visit>
void for_each_asked(const std::vector<PackedDim>& dims, const Visit& visit)
{
    std::vector<std::int64_t> values;
    for (const PackedDim& dim : dims) {
        values.push_back(dim.asked.min);
    }
    while (true) {
        visit(values);
        std::size_t d = dims.size();
        while (d-- > 0) {
            if (++values[d] <= dims[d].asked.max) {
                break;
            }
            values[d] = dims[d].asked.min;
        }
        if (d == static_cast<std::size_t>(-1)) {
            return;
        }
    }
}

/// One for each dimension, never of a single value.
std::vector<IndexExpr> variables_of(const std::vector<PackedDim>& dims)
{
    std::vector<IndexExpr> variables;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        variables.emplace_back(Variable{static_cast<int>(d),
                                        "v" + std::to_string(d),
                                        {std::min<std::int64_t>(dims[d].asked.min, 0),
                                         std::max(dims[d].asked.max, dims[d].extent)}});
    }
    return variables;
}

/// Stored texels have places of their own within the extent; what is asked for beside them is at
/// none of these.
void check_places(const std::vector<PackedDim>& dims, const Placement& at, Memory memory,
                  Extent2D extent)
{
    const auto place = [&](const std::vector<std::int64_t>& values) {
        return Texel{static_cast<std::int32_t>(at.x.evaluate(values)),
                     static_cast<std::int32_t>(at.y.evaluate(values))};
    };
    const auto is_stored = [&](const std::vector<std::int64_t>& values) {
        for (std::size_t d = 0; d < dims.size(); ++d) {
            if (values[d] < 0 || values[d] >= dims[d].extent) {
                return false;
            }
        }
        return true;
    };
    std::set<Texel> stored;
    bool inside = true;
    bool distinct = true;
    for_each_asked(dims, [&](const auto& values) {
        if (is_stored(values)) {
            inside = inside && extent.contains(place(values));
            distinct = stored.insert(place(values)).second && distinct;
        }
    });
    bool meets_zero = true;
    bool in_buffer = true;
    for_each_asked(dims, [&](const auto& values) {
        if (!is_stored(values)) {
            meets_zero = meets_zero && !stored.contains(place(values));
            in_buffer = in_buffer && (memory == Memory::image || extent.contains(place(values)));
        }
    });
    CHECK(inside);
    CHECK(distinct);
    CHECK(meets_zero);
    CHECK(in_buffer);
}

} // namespace

TEST_CASE(
    "Every stored texel has a place of its own, and what is asked for beside them meets zeros")
{
    bool folded = false;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        test::Random random(seed);
        const AccessPattern pattern = random.pick(
            std::vector<AccessPattern>(all_access_patterns.begin(), all_access_patterns.end()));
        const Memory memory = random.one_in(2) ? Memory::buffer : Memory::image;
        // thread, reduction
        std::vector<PackedDim> dims{random_dim(random, 7), random_dim(random, 9)};
        const bool many = seed % 40 == 0; // so many planes that an image must fold them
        const int outer = many ? 2 : random.small(0, 2);
        for (int i = 0; i < outer; ++i) {
            dims.push_back(random_dim(random, 4));
            dims.back().asked.max += many ? 110 : 0;
            dims.back().extent += many ? 110 : 0;
        }
        const std::vector<PackedDim> outer_dims(dims.begin() + 2, dims.end());
        const Packing packing(pattern, memory, dims[0], dims[1], outer_dims, "X");
        const std::vector<IndexExpr> variables = variables_of(dims);
        const Placement at =
            packing.at(variables[0], variables[1], {variables.begin() + 2, variables.end()});
        CAPTURE(seed, to_string(pattern), to_string(memory), packing.extent().width,
                packing.extent().height);
        folded =
            folded || (memory == Memory::image &&
                       packing.extent().width >= 2 * (dims[0].with_gap() + dims[1].with_gap()));

        check_places(dims, at, memory, packing.extent());
        CHECK((memory == Memory::buffer || packing.extent().height <= Packing::most_rows));
    }
    CHECK(folded);
}

TEST_CASE("By sides, too, every stored texel has a place of its own, and what is asked for beside "
          "them meets zeros")
{
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        test::Random random(seed);
        const Memory memory = random.one_in(2) ? Memory::buffer : Memory::image;
        std::vector<PackedDim> across(static_cast<std::size_t>(random.small(0, 3)));
        std::vector<PackedDim> down(static_cast<std::size_t>(random.small(0, 2)));
        std::vector<PackedDim> dims;
        for (auto* side : {&across, &down}) {
            for (PackedDim& dim : *side) {
                dim = random_dim(random, 6);
                dims.push_back(dim);
            }
        }
        const SidePacking packing(memory, across, down, "X");
        const std::vector<IndexExpr> variables = variables_of(dims);
        const auto first_down = variables.begin() + static_cast<std::ptrdiff_t>(across.size());
        const Placement at =
            packing.at({variables.begin(), first_down}, {first_down, variables.end()});
        CAPTURE(seed, to_string(memory), across.size(), packing.extent().width,
                packing.extent().height);
        check_places(dims, at, memory, packing.extent());
    }
}

TEST_CASE("Sides without gaps are as long as their dimensions' extents multiplied")
{
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        test::Random random(seed);
        std::array<std::vector<PackedDim>, 2> sides;
        std::array<std::int64_t, 2> lengths{1, 1};
        for (std::size_t side = 0; side < 2; ++side) {
            for (int i = random.small(0, 3); i > 0; --i) {
                const std::int64_t extent = random.between(1, 9);
                sides[side].push_back({extent, {0, extent - 1}});
                lengths[side] *= extent;
            }
        }
        CHECK(
            SidePacking(Memory::image, sides[0], sides[1], "X").extent() ==
            Extent2D{static_cast<std::int32_t>(lengths[0]), static_cast<std::int32_t>(lengths[1])});
        CHECK(SidePacking(Memory::buffer, sides[0], sides[1], "X").extent() ==
              Extent2D{static_cast<std::int32_t>(lengths[0] * lengths[1]), 1});
    }
}
