#include "cli/network_arguments.hpp"

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "networks/models/models.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <map>

namespace texelscope::cli {
namespace {

/// NAME=N,... as a name and a shape. A name may have "=" in it; "NAME=" is a scalar. Throws
/// bad_input for another text.
std::pair<std::string, Shape> named_shape(const std::string& text)
{
    constexpr std::int64_t largest = std::int64_t{1} << 31;
    const auto equals = text.rfind('=');
    const auto refuse = [&] {
        return bad_input("'" + text + "' is not the shape of an input", "--shape",
                         "write NAME=N,N,..., such as x=1,3,224,224");
    };
    if (equals == std::string::npos || equals == 0) {
        throw refuse();
    }
    Shape shape;
    const char* at = text.data() + equals + 1;
    const char* const end = text.data() + text.size();
    while (at != end) {
        std::int64_t extent = 0;
        const auto [next, error] = std::from_chars(at, end, extent);
        if (error != std::errc() || extent < 0 || extent > largest ||
            (next != end && (*next != ',' || next + 1 == end))) {
            throw refuse();
        }
        shape.push_back(extent);
        at = next == end ? end : next + 1;
    }
    return {text.substr(0, equals), std::move(shape)};
}

} // namespace

void ModelSource::add_to(CLI::App& parser)
{
    parser.add_option("model", model, "name of a built-in network, or an ONNX file")->required();
    parser
        .add_option("--batch", batch,
                    "extent of the first dimension, where the file leaves it open")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{65536}));
    add_repeatable(parser, "--shape", shapes,
                   "NAME=N,N,...: the shape of an input, where the file leaves dimensions open");
}

Graph ModelSource::graph(std::uint64_t seed) const
{
    std::map<std::string, Shape> given;
    for (const std::string& text : shapes) {
        auto [name, shape] = named_shape(text);
        if (!given.emplace(name, std::move(shape)).second) {
            throw bad_input("the shape of '" + name + "' is given twice", "--shape",
                            "give it once");
        }
    }
    return networks::open_network(model, batch, seed, given);
}

} // namespace texelscope::cli
