#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/expression_text.hpp"
#include "devices/kernels/texel_self_test.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <array>
#include <map>

using namespace texelscope::devices;

namespace {

using Float4 = std::array<float, 4>;

/// How an interpreted read may go wrong.
enum class Fault { none, wraps_at_the_right, garbage_above, wrong_pitch, leaves_output };

Float4 read(const Image& image, const std::vector<float>& texels, Texel at, Fault fault)
{
    const Extent2D extent = image.extent;
    if (fault == Fault::garbage_above && at.y < 0) {
        return {1, 1, 1, 1};
    }
    if (fault == Fault::wraps_at_the_right && at.x >= extent.width && at.y >= 0 &&
        at.y + 1 < extent.height) {
        at = {0, at.y + 1};
    }
    if (!extent.contains(at)) {
        return {};
    }
    const std::int64_t pitch = fault == Fault::wrong_pitch ? extent.width / 4 * 4 : extent.width;
    Float4 value{};
    for (std::size_t i = 0; i < 4; ++i) {
        value[i] = texels[static_cast<std::size_t>(at.y * pitch + at.x) * 4 + i];
    }
    return value;
}

/// Runs a nest of one work-group whose writes are all "2.0f * A + B" for texels A and B.
Measurement interpret(const LoopNest& nest, const std::vector<std::vector<float>>& inputs,
                      Fault fault)
{
    Measurement result;
    const Extent2D extent = nest.output.image.extent;
    result.output.assign(static_cast<std::size_t>(extent.area() * 4), -1.0F);
    for (std::int32_t ly = 0; ly < nest.local[1]; ++ly) {
        for (std::int32_t lx = 0; lx < nest.local[0]; ++lx) {
            std::vector<std::int64_t> ids(LoopNest::first_named_slot + nest.names.size());
            ids[slots::local_x] = lx;
            ids[slots::local_y] = ly;
            for (const LoopNest::Named& named : nest.names) {
                ids[static_cast<std::size_t>(named.variable.slot)] = named.definition.evaluate(ids);
            }
            const auto texel = [&](const IndexExpr& x, const IndexExpr& y) {
                return Texel{static_cast<std::int32_t>(x.evaluate(ids)),
                             static_cast<std::int32_t>(y.evaluate(ids))};
            };
            std::map<std::string, Float4> values;
            for (const NestStatement& statement : nest.body) {
                if (const auto* r = std::get_if<NestRead>(&statement)) {
                    const auto image = static_cast<std::size_t>(r->access.image);
                    values[nest.name_of(r->target)] = read(nest.inputs[image].image, inputs[image],
                                                           texel(r->access.x, r->access.y), fault);
                } else if (const auto* w = std::get_if<NestWrite>(&statement)) {
                    if (fault == Fault::leaves_output && lx == 0 && ly == 0) {
                        continue;
                    }
                    const Texel to = texel(w->x, w->y);
                    REQUIRE(extent.contains(to));
                    int matches = 0;
                    for (const auto& [a, first] : values) {
                        for (const auto& [b, second] : values) {
                            if (opencl_text(w->value, nest) ==
                                fmt::format("2.0f * {} + {}", a, b)) {
                                ++matches;
                                for (std::size_t i = 0; i < 4; ++i) {
                                    const auto at =
                                        static_cast<std::size_t>(to.y * extent.width + to.x) * 4 +
                                        i;
                                    result.output[at] = 2 * first[i] + second[i];
                                }
                            }
                        }
                    }
                    REQUIRE(matches == 1);
                }
            }
        }
    }
    return result;
}

bool agrees(Fault native, Fault candidate)
{
    return reads_agree(
        [&](const auto& nest, const auto& inputs, TexelBackend backend) {
            return interpret(nest, inputs, backend == TexelBackend::native ? native : candidate);
        },
        TexelBackend::pocl_descriptor);
}

} // namespace

TEST_CASE("the self-test passes reads that are right")
{
    CHECK(agrees(Fault::none, Fault::none));
}

TEST_CASE("the self-test rejects reads that are wrong in any one way")
{
    for (const Fault fault : {Fault::wraps_at_the_right, Fault::garbage_above, Fault::wrong_pitch,
                              Fault::leaves_output}) {
        CHECK_FALSE(agrees(Fault::none, fault));
        CHECK_FALSE(agrees(fault, Fault::none));
        CHECK_FALSE(agrees(fault, fault)); // equal to each other, but not to what the host wrote
    }
}

TEST_CASE("the self-test rejects a back end that does not run")
{
    CHECK_FALSE(reads_agree(
        [](const auto& nest, const auto& inputs, TexelBackend backend) {
            Measurement result = interpret(nest, inputs, Fault::none);
            if (backend == TexelBackend::pocl_descriptor) {
                result.status = RunStatus::failed;
            }
            return result;
        },
        TexelBackend::pocl_descriptor));
}
