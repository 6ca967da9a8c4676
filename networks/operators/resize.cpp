#include "networks/operators/resize.hpp"

#include "base/error.hpp"
#include "networks/operators/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace texelscope::networks {
namespace {

/// Numbers of an output, beyond any network: scales of a file could ask for more.
constexpr double most_numbers = 1e10;

/// The axes that scales, or sizes, belong to: all of them, unless the attribute says.
std::vector<std::size_t> axes_of(const Node& node, const Shape& input, std::size_t given)
{
    std::vector<std::size_t> axes;
    for (const std::int64_t axis : node.attributes.integers("axes")) {
        axes.push_back(axis_in(axis, input.size()));
    }
    for (std::size_t d = 0; !node.attributes.has("axes") && d < input.size(); ++d) {
        axes.push_back(d);
    }
    if (axes.size() != given) {
        throw bad_input(
            fmt::format("{} scales or sizes are given for {} axes", given, axes.size()));
    }
    return axes;
}

std::string coordinates_of(const Node& node)
{
    return node.attributes.word("coordinate_transformation_mode", "half_pixel");
}

/// Where a place of the output lies in the input (coordinate_transformation_mode).
double place_in_input(const std::string& mode, const ResizedAxis& axis, std::int64_t output)
{
    const auto o = static_cast<double>(output);
    const auto in = static_cast<double>(axis.in), out = static_cast<double>(axis.out);
    if (mode == "asymmetric") {
        return o / axis.scale;
    }
    if (mode == "align_corners") {
        return axis.out == 1 ? 0 : o * (in - 1) / (out - 1);
    }
    const double half_pixel = (o + 0.5) / axis.scale - 0.5;
    if (mode == "half_pixel") {
        return half_pixel;
    }
    if (mode == "pytorch_half_pixel") {
        return axis.out > 1 ? half_pixel : 0;
    }
    if (mode == "half_pixel_symmetric") {
        // What rounding the extent has cut away is shared by both ends.
        return in / 2 * (1 - out / (axis.scale * in)) + half_pixel;
    }
    if (mode == "tf_half_pixel_for_nn") {
        return (o + 0.5) / axis.scale;
    }
    throw bad_input("coordinate_transformation_mode " + mode + " is not understood");
}

std::int64_t nearest(const std::string& mode, double place)
{
    // Places are quotients of numbers that files have in fp32; what is so near to a half or a whole
    // number is one.
    const double rounding = 1e-6 * (1 + std::abs(place));
    const double whole = std::round(place);
    const double exact = std::abs(place - whole) < rounding ? whole : place;
    const double half = std::floor(place) + 0.5;
    const bool is_half = std::abs(place - half) < rounding;
    const auto result = [](double number) { return static_cast<std::int64_t>(number); };
    if (mode == "round_prefer_floor") {
        return result(is_half ? half - 0.5 : std::round(exact));
    }
    if (mode == "round_prefer_ceil") {
        return result(is_half ? half + 0.5 : std::round(exact));
    }
    if (mode == "floor") {
        return result(std::floor(exact));
    }
    if (mode == "ceil") {
        return result(std::ceil(exact));
    }
    throw bad_input("nearest_mode " + mode + " is not known");
}

/// Of a cubic convolution (Keys, 1981), for the four places around one that lies `behind` the
/// second.
std::vector<double> cubic_weights(double behind, double a)
{
    const auto near = [a](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [a](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    return {far(behind + 1), near(behind), near(1 - behind), far(2 - behind)};
}

NodeOperator resize()
{
    NodeOperator row{
        .name = "Resize", .since = 10, .parameters = {{1, "roi"}, {2, "scales"}, {3, "sizes"}}};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        (void)resized_places(node, {}); // throws for words that it does not know
        Shape shape;
        for (const ResizedAxis& axis : resized_axes(node, *in[0])) {
            shape.push_back(axis.out);
        }
        return std::vector<Shape>{shape};
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        Reals from = *in[0];
        const std::vector<ResizedAxis> axes = resized_axes(node, from.shape);
        for (std::size_t d = 0; d < axes.size(); ++d) {
            if (!axes[d].changes()) {
                continue;
            }
            const std::vector<ResizedPlace> places = resized_places(node, axes[d]);
            Reals to{from.shape, {}};
            to.shape[d] = axes[d].out;
            to.values.assign(static_cast<std::size_t>(element_count(to.shape)), 0.0);
            const std::int64_t inner = row_major_strides(from.shape)[d];
            for (std::size_t at = 0; at < to.values.size(); ++at) {
                const auto number = static_cast<std::int64_t>(at);
                const std::int64_t outer = number / inner / axes[d].out;
                const auto output = static_cast<std::size_t>(number / inner % axes[d].out);
                for (const ResizeTap& tap : places[output].taps) {
                    const std::int64_t place =
                        (outer * axes[d].in + tap.place) * inner + number % inner;
                    to.values[at] += tap.weight * from.values[static_cast<std::size_t>(place)];
                }
            }
            from = std::move(to);
        }
        return std::vector{std::move(from)};
    };
    return row;
}

} // namespace

std::vector<ResizedAxis> resized_axes(const Node& node, const Shape& input)
{
    const std::vector<double> scales = node.attributes.reals("scales");
    const std::vector<std::int64_t> sizes = node.attributes.has("sizes")
                                                ? node.attributes.integers("sizes")
                                                : std::vector<std::int64_t>();
    if (scales.empty() == sizes.empty()) {
        throw bad_input("either scales or sizes have to be given");
    }
    const std::string policy = node.attributes.word("keep_aspect_ratio_policy", "stretch");
    if (node.attributes.integer("antialias", 0) != 0 || policy != "stretch") {
        throw bad_input("antialias and keep_aspect_ratio_policy are not understood");
    }
    std::vector<ResizedAxis> axes;
    for (const std::int64_t extent : input) {
        axes.push_back({extent, extent, 1});
    }
    const std::vector<std::size_t> given =
        axes_of(node, input, std::max(scales.size(), sizes.size()));
    double numbers = 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        ResizedAxis& axis = axes[given[i]];
        const auto in = static_cast<double>(axis.in);
        double out = in;
        if (!scales.empty()) {
            // A scale is a number of fp32; what it lacks to a whole output is not its meaning.
            constexpr double rounding = 1e-6;
            axis.scale = scales[i];
            out = std::floor(in * axis.scale * (1 + rounding));
        } else {
            out = static_cast<double>(sizes[i]);
            axis.scale = axis.in == 0 || sizes[i] == 0 ? 1 : out / in;
        }
        numbers *= out;
        if (!(axis.scale > 0) || !(out >= 0) || !(numbers <= most_numbers) ||
            (axis.in == 0 && out > 0)) {
            throw bad_input(
                fmt::format("{} is not resized by a scale of {}", to_string(input), axis.scale));
        }
        axis.out = static_cast<std::int64_t>(out);
        // ONNX's own tests divide by the extent before it is made whole, and ONNX Runtime by the
        // one behind.
        constexpr double nearly = 1e-4;
        const double exact = in * axis.scale;
        if (coordinates_of(node) == "align_corners" && axis.out > 1 &&
            std::abs(exact - std::round(exact)) > nearly) {
            throw bad_input(fmt::format("align_corners is not understood of a scale of {}, which "
                                        "makes no whole extent of {}",
                                        axis.scale, axis.in));
        }
    }
    return axes;
}

double resized_distance(const Node& node, const ResizedAxis& axis)
{
    const std::string mode = coordinates_of(node);
    return place_in_input(mode, axis, 1) - place_in_input(mode, axis, 0);
}

std::vector<ResizedPlace> resized_places(const Node& node, const ResizedAxis& axis)
{
    const std::string coordinates = coordinates_of(node);
    const std::string mode = node.attributes.word("mode", "nearest");
    const std::string nearest_mode = node.attributes.word("nearest_mode", "round_prefer_floor");
    const bool exclude = node.attributes.integer("exclude_outside", 0) != 0;
    if (exclude && mode != "cubic") {
        throw bad_input("exclude_outside is of cubic alone");
    }
    std::vector<ResizedPlace> places;
    for (std::int64_t o = 0; o < axis.out; ++o) {
        const double place = place_in_input(coordinates, axis, o);
        const double before = std::floor(place);
        ResizedPlace made{static_cast<std::int64_t>(before), {}};
        std::vector<double> weights;
        if (mode == "nearest") {
            made.first = nearest(nearest_mode, place);
            weights = {1};
        } else if (mode == "linear") {
            weights = {1 - (place - before), place - before};
        } else if (mode == "cubic") {
            constexpr double usual = -0.75;
            made.first -= 1;
            weights = cubic_weights(place - before, node.attributes.real("cubic_coeff_a", usual));
        } else {
            throw bad_input("mode " + mode + " is not understood");
        }
        // Places beyond an end are the last one there, or, with exclude_outside, do not count.
        std::map<std::int64_t, double> shares;
        double sum = 0;
        for (std::size_t t = 0; t < weights.size(); ++t) {
            const std::int64_t tap = made.first + static_cast<std::int64_t>(t);
            const bool outside = tap < 0 || tap >= axis.in;
            if (!(exclude && outside)) {
                shares[std::clamp<std::int64_t>(tap, 0, axis.in - 1)] += weights[t];
                sum += weights[t];
            }
        }
        for (const auto& [tap, weight] : shares) {
            if (weight != 0) {
                made.taps.push_back({tap, exclude ? weight / sum : weight});
            }
        }
        places.push_back(std::move(made));
    }
    return places;
}

std::vector<NodeOperator> resize_operators()
{
    return {resize()};
}

} // namespace texelscope::networks
