// Who computes which outputs where work-items take turns (D, K) and are numbered in another order
// (N), against TVM's definition of virtual threads.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "tests/base/random.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;

namespace {

using Place = std::array<std::int64_t, 2>;    ///< column and row of a texel
using WorkItem = std::array<std::int64_t, 6>; ///< local id, group id
using Output = std::array<std::int64_t, 3>;   ///< co / 4, ow, oh
using Outputs = std::set<Output>;

/// Where each texel of the output lies.
std::map<Place, Output> texels_of(const Operand& output)
{
    const auto& shape = output.tensor.shape; // N, OH, OW, CO
    std::map<Place, Output> places;
    for (std::int64_t h = 0; h < shape[1]; ++h) {
        for (std::int64_t w = 0; w < shape[2]; ++w) {
            for (std::int64_t c = 0; c < shape[3]; c += 4) {
                const std::vector<std::int64_t> at{0, h, w, c};
                places[{output.x.evaluate(at), output.y.evaluate(at)}] = {c / 4, w, h};
            }
        }
    }
    return places;
}

/// The outputs that a work-item writes, by the expressions of the nest.
Outputs written_by(const LoopNest& nest, const WorkItem& item,
                   const std::map<Place, Output>& texels)
{
    std::vector<std::int64_t> values(LoopNest::first_index_slot, 0);
    std::ranges::copy(item, values.begin());
    for (const NestIndex& name : nest.names) {
        values[static_cast<std::size_t>(name.variable.slot)] = name.definition.evaluate(values);
    }
    const auto holds = [&](const Guard& guard) {
        const std::int64_t value = guard.value.evaluate(values);
        return value >= 0 && value < guard.bound;
    };
    Outputs outputs;
    if (!std::ranges::all_of(nest.guards, holds)) {
        return outputs;
    }
    for (const NestStatement& statement : nest.epilogue) {
        const auto* const write = std::get_if<NestWrite>(&statement);
        if (write != nullptr && std::ranges::all_of(write->guards, holds)) {
            const Place place{write->x.evaluate(values), write->y.evaluate(values)};
            REQUIRE(texels.contains(place));
            REQUIRE(outputs.insert(texels.at(place)).second);
        }
    }
    return outputs;
}

} // namespace

TEST_CASE("Work-items that take turns compute what TVM's virtual threads do")
{
    test::Random random(58);
    for (int i = 0; i < 40; ++i) {
        // tile_fc, tile_y, tile_x = block, v, t, inner: output ((b * v + vi) * t + ti) * inner + ii
        struct Split {
            std::int64_t b, v, t, inner;
            [[nodiscard]] std::int64_t extent() const { return b * v * t * inner; }
        };
        const auto split = [&] {
            return Split{random.between(1, 3), random.between(1, 3), random.between(1, 4),
                         random.between(1, 2)};
        };
        const std::array<Split, 3> s{split(), split(), split()}; // channels / 4, width, height
        const Operator op =
            parse_operator("conv2d", fmt::format("1,{},{},8,{},1,1,1", s[2].extent(), s[1].extent(),
                                                 4 * s[0].extent()));
        const std::string text = fmt::format(
            "A=row,row;T={}x{}x{};D={}x{}x{};K={}x{}x{};G={}x{}x{};N=yzx;F=tvm,tvm,tvm;E=off",
            4 * s[0].v * s[0].inner, s[1].v * s[1].inner, s[2].v * s[2].inner, s[0].t, s[1].t,
            s[2].t, 4 * s[0].inner, s[1].inner, s[2].inner, s[0].t, s[1].t, s[2].t);
        CAPTURE(to_string(op), text);
        const LoopNest nest = loop_nest(op, parse_schedule(text));
        // threadIdx.x is along the width, y along the height, z along the channels
        REQUIRE(nest.local == Dim3{static_cast<std::int32_t>(s[1].t),
                                   static_cast<std::int32_t>(s[2].t),
                                   static_cast<std::int32_t>(s[0].t)});
        REQUIRE(nest.groups == Dim3{static_cast<std::int32_t>(s[1].b),
                                    static_cast<std::int32_t>(s[2].b),
                                    static_cast<std::int32_t>(s[0].b)});
        const auto texels = texels_of(nest.output);
        const auto along = [&](std::size_t axis, std::int64_t b, std::int64_t t) {
            std::vector<std::int64_t> outputs;
            for (std::int64_t v = 0; v < s[axis].v; ++v) {
                for (std::int64_t ii = 0; ii < s[axis].inner; ++ii) {
                    outputs.push_back(((b * s[axis].v + v) * s[axis].t + t) * s[axis].inner + ii);
                }
            }
            return outputs;
        };
        for (int draw = 0; draw < 20; ++draw) {
            WorkItem item{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                item[axis] = random.between(0, nest.local[axis] - 1);
                item[3 + axis] = random.between(0, nest.groups[axis] - 1);
            }
            Outputs expected;
            for (const std::int64_t c : along(0, item[5], item[2])) {
                for (const std::int64_t w : along(1, item[3], item[0])) {
                    for (const std::int64_t h : along(2, item[4], item[1])) {
                        expected.insert({c, w, h});
                    }
                }
            }
            CHECK(written_by(nest, item, texels) == expected);
        }
    }
}

TEST_CASE("Every output is computed once, whoever takes turns and however they are numbered")
{
    test::Random random(59);
    int cases = 0;
    for (int i = 0; i < 60; ++i) {
        const Operator op =
            parse_operator("conv2d", fmt::format("1,{},{},3,{},1,1,1", random.between(1, 13),
                                                 random.between(1, 13), 4 * random.between(1, 7)));
        const std::vector<std::int32_t> sides{1, 2, 3, 4};
        const auto three = [&](int most) {
            return fmt::format("{}x{}x{}", random.small(1, most), random.small(1, most),
                               random.small(1, most));
        };
        const std::string text =
            fmt::format("A=row,row;T={}x{}x{};D={};G={};N={};E=off", 4 * random.small(1, 3),
                        random.pick(sides), random.pick(sides), three(5), three(3),
                        random.pick<std::string>({"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}));
        CAPTURE(to_string(op), text);
        const LoopNest nest = loop_nest(op, parse_schedule(text));
        const auto texels = texels_of(nest.output);
        std::map<Output, int> times;
        for (WorkItem item{}; item[5] < nest.groups[2];) {
            for (const Output& output : written_by(nest, item, texels)) {
                ++times[output];
            }
            for (std::size_t id = 0; id < 6; ++id) { // the next work-item
                const std::int64_t most = id < 3 ? nest.local[id] : nest.groups[id - 3];
                if (++item[id] < most || id == 5) {
                    break;
                }
                item[id] = 0;
            }
        }
        CHECK(times.size() == texels.size());
        CHECK(std::ranges::all_of(times, [](const auto& each) { return each.second == 1; }));
        ++cases;
    }
    CHECK(cases == 60);
}

TEST_CASE("Turns and orders that make no sense are refused with the reason")
{
    const Operator op = parse_operator("conv2d", "1,8,8,8,8,3,3,1");
    const auto refused = [&](const std::string& text, const char* because) {
        CAPTURE(text);
        CHECK_THROWS_WITH(loop_nest(op, parse_schedule("A=row,row;G=4x4x1;" + text)),
                          Contains(because));
    };
    refused("T=8x2;K=3x1", "turns of 3 outputs");
    refused("T=8x2;K=2x1", "turns of 2 outputs");
    refused("T=4x2;D=2x2x2", "D of 3 sizes");
    refused("T=4x2;N=yzx;S=4", "numbered in another order");
    refused("T=4x2;N=yyx", "'yyx'");
    refused("T=4x2;L=ci/3,kh,kw,ci", "do not go in blocks of 3");
    refused("T=4x2;L=kh,kw,ci,ci/2", "outside of their loop");
    refused("T=4x2;L=ci/2,kh,kw", "leaves out ci");
    refused("T=4x2;L=ci/0,kh,kw,ci", "no loop over blocks");
    refused("T=4x2;L=ci/2x,kh,kw,ci", "no loop over blocks");
    refused("T=4x2;U=ci/2", "no loop over blocks of ci that is 'ci/2'");
    refused("T=4x2;C=fp16", "P=fp16");
    refused("T=4x2;F=tvm,tvm", "layouts of 2 tensors");
    refused("T=4x2;F=tvm,tflite,tvm", "keeps weights in no image");
    refused("T=1x4;F=own,own,tvm", "vectors do not go along");
    CHECK_THROWS_WITH(loop_nest(parse_operator("matmul", "8,8,8"),
                                parse_schedule("A=row,row;T=4x4;G=4x4;F=tvm,own,own")),
                      Contains("images and weights of convolutions"));
    CHECK_THROWS_WITH(
        loop_nest(parse_operator("softmax", "8,8"), parse_schedule("A=row;T=4x1;G=1x8;D=1x2")),
        Contains("sums of products"));
}
