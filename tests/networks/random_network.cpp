#include "tests/networks/random_network.hpp"

#include "networks/models/builder.hpp"
#include "tests/base/random.hpp"

#include <utility>
#include <vector>

namespace texelscope::networks::test {

Graph random_network(std::uint64_t seed)
{
    texelscope::test::Random random(seed);
    Builder net("random", seed);
    std::vector<ValueId> made{net.input(
        "image", {1, random.between(1, 9), random.between(5, 17), random.between(5, 17)})};
    const auto conv = [&](ValueId x, std::int64_t channels) {
        const std::int64_t half = random.between(0, 2);
        const std::int64_t stride =
            net.shape(x)[2] > 6 && net.shape(x)[3] > 6 && random.one_in(3) ? 2 : 1;
        return net.conv(x, {channels, {2 * half + 1, 2 * half + 1}, stride, {half, half}, 1, true});
    };
    const auto same_size = [&](ValueId a, ValueId b) {
        return net.shape(a)[2] == net.shape(b)[2] && net.shape(a)[3] == net.shape(b)[3];
    };
    for (int i = 0; i < 6; ++i) {
        const ValueId x = random.one_in(3) ? random.pick(made) : made.back();
        const ValueId y = random.pick(made);
        const std::int64_t kind = random.between(0, 4);
        if (kind == 0 && same_size(x, y)) {
            Attributes axis;
            axis.set("axis", std::int64_t{1});
            made.push_back(net.node("Concat", {x, y}, std::move(axis)));
        } else if (kind == 1) {
            made.push_back(net.node("Add", {x, net.conv(x, {net.shape(x)[1], {3, 3}, 1, {1, 1}})}));
        } else if (kind == 2) {
            made.push_back(net.pool(x, random.one_in(2) ? "MaxPool" : "AveragePool", 3, 1, 1));
        } else {
            made.push_back(net.node("Relu", {conv(x, random.between(1, 13))}));
        }
    }
    return std::move(net).finish(net.node("GlobalAveragePool", {made.back()}));
}

} // namespace texelscope::networks::test
