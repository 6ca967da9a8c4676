#include "networks/operators/window.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::networks {
namespace {

// Bound of all extents and attributes, far beyond any network: their sums and products of two then
// fit into 64 bits.
constexpr std::int64_t largest = std::int64_t{1} << 31;

/// One number for each spatial dimension, or `otherwise` where the attribute says nothing. A window
/// always has three dimensions, so those of fewer stand at the end: rows and columns of a plane are
/// d = 1 and 2.
Window::Extents extents(const std::vector<std::int64_t>& given, std::size_t rank,
                        std::int64_t otherwise, std::int64_t least, const char* name)
{
    Window::Extents all{otherwise, otherwise, otherwise};
    if (!given.empty() && given.size() != rank) {
        throw bad_input(
            fmt::format("{} has {} numbers for {} spatial dimensions", name, given.size(), rank));
    }
    for (std::size_t d = 0; d < given.size(); ++d) {
        if (given[d] < least || given[d] > largest) {
            throw bad_input(fmt::format("{} has {}, which is not between {} and {}", name, given[d],
                                        least, largest));
        }
        all[3 - rank + d] = given[d];
    }
    return all;
}

/// The window without padding and output, which depend on whether it is transposed.
Window begun(const Attributes& attributes, const Shape& input,
             const std::vector<std::int64_t>& kernel)
{
    if (input.size() < 3 || input.size() > 5) {
        throw bad_input(fmt::format("the input {} has {} dimensions, 3 to 5 are understood",
                                    to_string(input), input.size()));
    }
    Window window;
    window.rank = input.size() - 2;
    for (std::size_t d = 0; d < window.rank; ++d) {
        window.in[3 - window.rank + d] = input[2 + d];
    }
    window.kernel = extents(kernel, window.rank, 1, 1, "the kernel");
    window.stride = extents(attributes.integers("strides"), window.rank, 1, 1, "strides");
    window.dilation = extents(attributes.integers("dilations"), window.rank, 1, 1, "dilations");
    return window;
}

/// Places that a window spans, gaps of the dilation included.
std::int64_t reach(const Window& window, std::size_t d)
{
    return (window.kernel[d] - 1) * window.dilation[d] + 1;
}

/// ONNX's pads: all beginnings, then all ends.
void set_pads(Window& window, const Attributes& attributes)
{
    const std::vector<std::int64_t> pads = attributes.integers("pads");
    if (!pads.empty() && pads.size() != 2 * window.rank) {
        throw bad_input(
            fmt::format("pads has {} numbers for {} spatial dimensions", pads.size(), window.rank));
    }
    for (std::size_t d = 0; d < pads.size() / 2; ++d) {
        const std::int64_t before = pads[d];
        const std::int64_t after = pads[d + window.rank];
        if (std::min(before, after) < 0 || std::max(before, after) > largest) {
            throw bad_input("pads has a number that is negative or too large");
        }
        window.before[3 - window.rank + d] = before;
        window.after[3 - window.rank + d] = after;
    }
}

/// The padding of auto_pad: half of the total on either side. If it is odd, SAME_LOWER has the
/// larger half in front, SAME_UPPER behind.
void share_padding(Window& window, std::size_t d, std::int64_t total, bool lower)
{
    window.before[d] = lower ? total - total / 2 : total / 2;
    window.after[d] = total - window.before[d];
}

/// A window that is longer than the padded input has no output, which no kernel could compute.
void require_output(const Window& window)
{
    for (std::size_t d = 0; d < 3; ++d) {
        if (window.out[d] < 1 || window.out[d] > largest || window.in[d] < 1) {
            throw bad_input("the window leaves no output");
        }
    }
}

} // namespace

Shape Window::shape(std::int64_t batch, std::int64_t channels, const Extents& spatial) const
{
    Shape shape{batch, channels};
    shape.insert(shape.end(), spatial.end() - static_cast<std::ptrdiff_t>(rank), spatial.end());
    return shape;
}

Window::Extents tap_strides(const Window& window)
{
    // Wider than the kernel by the stride: a transposed window looks for taps behind the kernel's
    // end, by less than a stride, and these must not be mistaken for taps of the next row.
    const std::int64_t columns = window.kernel[2] + window.stride[2];
    return {(window.kernel[1] + window.stride[1]) * columns, columns, 1};
}

std::int64_t tap_number(const Window& window, std::int64_t tap)
{
    const Window::Extents strides = tap_strides(window);
    const std::int64_t column = tap % window.kernel[2],
                       row = tap / window.kernel[2] % window.kernel[1];
    return tap / window.kernel[2] / window.kernel[1] * strides[0] + row * strides[1] + column;
}

Window window_of(const Attributes& attributes, const Shape& input,
                 const std::vector<std::int64_t>& kernel)
{
    Window window = begun(attributes, input, kernel);
    const std::string pad = attributes.word("auto_pad", "NOTSET");
    const bool same = pad == "SAME_UPPER" || pad == "SAME_LOWER";
    if (!same && pad != "NOTSET" && pad != "VALID") {
        throw bad_input("auto_pad " + pad + " is not known");
    }
    if (pad == "NOTSET") {
        set_pads(window, attributes);
    }
    for (std::size_t d = 3 - window.rank; d < 3; ++d) {
        if (same) {
            // SAME: as many outputs as the input has strides, rounded up; the padding follows from
            // that.
            window.out[d] = (window.in[d] + window.stride[d] - 1) / window.stride[d];
            const std::int64_t total =
                (window.out[d] - 1) * window.stride[d] + reach(window, d) - window.in[d];
            share_padding(window, d, std::max<std::int64_t>(total, 0), pad == "SAME_LOWER");
            continue;
        }
        const std::int64_t room =
            window.in[d] + window.before[d] + window.after[d] - reach(window, d);
        // The names are those of the convolution that this one transposes, so the node's input is
        // `out` and its output `in`.
        window.out[d] = room < 0 ? 0 : room / window.stride[d] + 1;
        // Rounded up (ceil_mode): one more window, unless it would begin in the padding behind.
        if (attributes.integer("ceil_mode", 0) != 0 && room >= 0 && room % window.stride[d] != 0 &&
            window.out[d] * window.stride[d] < window.in[d] + window.before[d]) {
            ++window.out[d];
        }
    }
    require_output(window);
    return window;
}

Window transposed_window_of(const Attributes& attributes, const Shape& input,
                            const std::vector<std::int64_t>& kernel)
{
    Window window = begun(attributes, input, kernel);
    std::swap(window.in, window.out); // of the convolution
    const std::string pad = attributes.word("auto_pad", "NOTSET");
    const bool same = pad == "SAME_UPPER" || pad == "SAME_LOWER";
    const auto more =
        extents(attributes.integers("output_padding"), window.rank, 0, 0, "output_padding");
    const auto wanted =
        extents(attributes.integers("output_shape"), window.rank, 0, 1, "output_shape");
    set_pads(window, attributes);
    for (std::size_t d = 3 - window.rank; d < 3; ++d) {
        // ONNX: output = stride (input - 1) + output_padding + reach - padding. With output_shape,
        // or auto_pad SAME, the output is given and the padding is worked out.
        const std::int64_t whole =
            window.stride[d] * (window.out[d] - 1) + more[d] + reach(window, d);
        if (same || wanted[d] > 0) {
            window.in[d] = wanted[d] > 0 ? wanted[d] : window.out[d] * window.stride[d];
            share_padding(window, d, std::max<std::int64_t>(whole - window.in[d], 0),
                          pad != "SAME_UPPER");
        } else {
            window.in[d] = whole - window.before[d] - window.after[d];
        }
    }
    require_output(window);
    return window;
}

std::vector<float> window_shares(const Window& window, bool with_padding)
{
    // A window's places are a box: in each dimension so many taps count, and the box is their
    // product.
    std::array<std::vector<std::int64_t>, 3> taps;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t before = with_padding ? -window.before[d] : 0;
        const std::int64_t behind = window.in[d] + (with_padding ? window.after[d] : 0);
        for (std::int64_t output = 0; output < window.out[d]; ++output) {
            std::int64_t count = 0;
            for (std::int64_t tap = 0; tap < window.kernel[d]; ++tap) {
                const std::int64_t place = window.place(d, output, tap);
                count += place >= before && place < behind ? 1 : 0;
            }
            taps[d].push_back(count);
        }
    }
    std::vector<float> all;
    for (const std::int64_t a : taps[0]) {
        for (const std::int64_t b : taps[1]) {
            for (const std::int64_t c : taps[2]) {
                all.push_back(1.0F / static_cast<float>(a * b * c));
            }
        }
    }
    // A single number is enough where no window is cut at an edge.
    const bool same = std::ranges::all_of(all, [&](float share) { return share == all.front(); });
    return same ? std::vector{all.front()} : all;
}

} // namespace texelscope::networks
