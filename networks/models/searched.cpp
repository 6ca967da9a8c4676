#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"

#include <utility>
#include <vector>

namespace texelscope::networks {
namespace {

/// Zoph et al., CVPR 2018: cells found by search (figure 4, NASNet-A), put together as in figure 2
/// for ImageNet. Stem, strides and how older values are shrunk are as in appendix A and in the
/// released network. Each convolution has its activation before it and its normalisation behind it.
class Nasnet {
public:
    Nasnet(const std::string& name, std::uint64_t seed) : net_(name, seed) {}

    /// `stem`: channels of the first convolution; `repeats`: normal cells of each stage; `filters`:
    /// channels of a branch in the first stage, which double from stage to stage.
    Graph make(std::int64_t batch, std::int64_t stem, int repeats, std::int64_t filters)
    {
        const ValueId image = net_.input("image", {batch, 3, 224, 224});
        const Input first = input(net_.conv_norm(image, {stem, {3, 3}, 2}, ""));
        State state{first, first};
        state = {input(reduction_cell(state, filters / 4)), state.last};
        state = {input(reduction_cell(state, filters / 2)), state.last};
        for (int stage = 0; stage < 3; ++stage, filters *= 2) {
            if (stage > 0) {
                state = {input(reduction_cell(state, filters)), state.last};
            }
            for (int i = 0; i < repeats; ++i) {
                state = {input(normal_cell(state, filters)), state.last};
            }
        }
        const ValueId features = net_.node("GlobalAveragePool", {state.last.active});
        return std::move(net_).finish(net_.gemm(net_.node("Flatten", {features}), 1000));
    }

private:
    /// A value, and its ReLU, which convolutions read.
    struct Input {
        ValueId value;
        ValueId active;
    };
    /// What a cell reads: the outputs of the two cells before it.
    struct State {
        Input last;
        Input before;
    };

    [[nodiscard]] std::int64_t channels(ValueId x) const { return net_.shape(x)[1]; }
    [[nodiscard]] std::int64_t side(ValueId x) const { return net_.shape(x)[2]; }
    ValueId relu(ValueId x) { return net_.node("Relu", {x}); }
    Input input(ValueId x) { return {x, relu(x)}; }
    ValueId add(ValueId a, ValueId b) { return net_.node("Add", {a, b}); }
    ValueId joined(std::vector<ValueId> parts)
    {
        Attributes axis;
        axis.set("axis", std::int64_t{1});
        return net_.node("Concat", std::move(parts), axis);
    }

    /// SAME padding makes the output ceil(side / stride) long. With a stride of 2 and an even side
    /// the total padding is odd, and the place in front is the one that is left out.
    [[nodiscard]] std::int64_t less_in_front(ValueId x, std::int64_t stride) const
    {
        return stride == 2 && side(x) % 2 == 0 ? 1 : 0;
    }

    ValueId pool(const std::string& op, ValueId x, std::int64_t stride)
    {
        return net_.pool(x, op, 3, stride, 1, false, less_in_front(x, stride));
    }

    /// A separable convolution, depthwise and then 1x1, applied twice. The first has the stride.
    ValueId separable(const Input& x, std::int64_t filters, std::int64_t kernel,
                      std::int64_t stride = 1)
    {
        const auto once = [&](ValueId from, std::int64_t step) {
            const std::int64_t all = channels(from);
            const ValueId windows = net_.conv(from, {all,
                                                     {kernel, kernel},
                                                     step,
                                                     {kernel / 2, kernel / 2},
                                                     all,
                                                     false,
                                                     less_in_front(from, step)});
            return net_.conv_norm(windows, {filters}, "");
        };
        return once(relu(once(x.active, stride)), 1);
    }

    /// The older input as large as the newer one, with that many channels. Where it is larger, half
    /// of the channels come from every other place, half from the places between them.
    ValueId adjusted(const State& state, std::int64_t filters)
    {
        const auto [x, active] = state.before;
        if (x == state.last.value) {
            return x;
        }
        if (side(x) != side(state.last.value)) {
            // The odd places: everything moves by one towards the front, with a zero behind.
            Attributes by_one;
            by_one.set("pads", std::vector<std::int64_t>{0, 0, -1, -1, 0, 0, 1, 1});
            const ValueId moved = net_.node("Pad", {active}, std::move(by_one));
            const ValueId even = net_.conv(active, {filters / 2, {1, 1}, 2});
            const ValueId odd = net_.conv(moved, {filters / 2, {1, 1}, 2});
            return net_.batch_norm(joined({even, odd}));
        }
        return channels(x) == filters ? x : net_.conv_norm(active, {filters}, "");
    }

    /// Figure 4 left: five sums of pairs, concatenated with the older input. `p` is the input
    /// before the last, `h` the last, both with `filters` channels.
    ValueId normal_cell(const State& state, std::int64_t filters)
    {
        const Input p = input(adjusted(state, filters));
        const Input h = input(net_.conv_norm(state.last.active, {filters}, ""));
        const ValueId first = add(separable(h, filters, 5), separable(p, filters, 3));
        const ValueId second = add(separable(p, filters, 5), separable(p, filters, 3));
        const ValueId third = add(pool("AveragePool", h.value, 1), p.value);
        const ValueId fourth =
            add(pool("AveragePool", p.value, 1), pool("AveragePool", p.value, 1));
        const ValueId fifth = add(separable(h, filters, 3), h.value);
        return joined({p.value, first, second, third, fourth, fifth});
    }

    /// Figure 4 right: the same with a stride of 2, so that the sides halve.
    ValueId reduction_cell(const State& state, std::int64_t filters)
    {
        const Input p = input(adjusted(state, filters));
        const Input h = input(net_.conv_norm(state.last.active, {filters}, ""));
        const ValueId first = add(separable(h, filters, 5, 2), separable(p, filters, 7, 2));
        const ValueId second = add(pool("MaxPool", h.value, 2), separable(p, filters, 7, 2));
        const ValueId third = add(pool("AveragePool", h.value, 2), separable(p, filters, 5, 2));
        const ValueId fourth = add(pool("AveragePool", first, 1), second);
        const ValueId fifth = add(separable(input(first), filters, 3), pool("MaxPool", h.value, 2));
        return joined({second, third, fourth, fifth});
    }

    Builder net_;
};

} // namespace

std::vector<BuiltInModel> searched_models()
{
    return {{"nasnet-mobile",
             "Zoph et al., CVPR 2018, NASNet-A (4 @ 1056)",
             {1, 3, 224, 224},
             [](std::int64_t batch, std::uint64_t seed) {
                 return Nasnet("nasnet-mobile", seed).make(batch, 32, 4, 44);
             }}};
}

} // namespace texelscope::networks
