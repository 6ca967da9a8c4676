#include "codegen/nest/packing.hpp"
#include "tests/traces/random.hpp"

#include <catch2/catch.hpp>

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
    dim.asked = {leaves ? -random.between(0, 3) : 0, dim.extent - 1 + (leaves ? random.between(0, 3) : 0)};
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

} // namespace

TEST_CASE("Every stored texel has a place of its own, and what is asked for beside them meets zeros")
{
    bool folded = false;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        test::Random random(seed);
        const AccessPattern pattern =
            random.pick(std::vector<AccessPattern>(all_access_patterns.begin(), all_access_patterns.end()));
        const Memory memory = random.one_in(2) ? Memory::buffer : Memory::image;
        std::vector<PackedDim> dims{random_dim(random, 7), random_dim(random, 9)}; // thread, reduction
        const bool many = seed % 40 == 0; // so many planes that an image must fold them
        const int outer = many ? 2 : random.small(0, 2);
        for (int i = 0; i < outer; ++i) {
            dims.push_back(random_dim(random, 4));
            dims.back().asked.max += many ? 110 : 0;
            dims.back().extent += many ? 110 : 0;
        }
        const std::vector<PackedDim> outer_dims(dims.begin() + 2, dims.end());
        const Packing packing(pattern, memory, dims[0], dims[1], outer_dims, "X");
        std::vector<IndexExpr> variables;
        for (std::size_t d = 0; d < dims.size(); ++d) {
            variables.emplace_back(Variable{static_cast<int>(d),
                                            "v" + std::to_string(d),
                                            {std::min<std::int64_t>(dims[d].asked.min, 0),
                                             std::max(dims[d].asked.max, dims[d].extent)}}); // never a single value
        }
        const Placement at = packing.at(variables[0], variables[1], {variables.begin() + 2, variables.end()});
        CAPTURE(seed, to_string(pattern), to_string(memory), packing.extent().width, packing.extent().height);
        folded = folded ||
                 (memory == Memory::image && packing.extent().width >= 2 * (dims[0].with_gap() + dims[1].with_gap()));

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
                inside = inside && packing.extent().contains(place(values));
                distinct = stored.insert(place(values)).second && distinct;
            }
        });
        bool meets_zero = true;
        bool in_buffer = true;
        for_each_asked(dims, [&](const auto& values) {
            if (!is_stored(values)) {
                meets_zero = meets_zero && !stored.contains(place(values));
                in_buffer = in_buffer && (memory == Memory::image || packing.extent().contains(place(values)));
            }
        });
        CHECK(inside);
        CHECK(distinct);
        CHECK(meets_zero);
        CHECK(in_buffer);
        CHECK((memory == Memory::buffer || packing.extent().height <= Packing::most_rows));
    }
    CHECK(folded);
}
