#include "base/error.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"

namespace texelscope::fuzz {
using namespace networks;

bool onnx(std::string_view input)
{
    if (input.find("location") != std::string_view::npos) { // weights in a file beside it
        const test::TemporaryFolder folder;
        (void)folder.write("w.bin", std::string(64, '\1'));
        const std::string path = folder.write("model.onnx", std::string(input));
        (void)accepted([&] { return read_onnx(path, {.batch = 2}); });
    }
    const auto graph = accepted([&] { return graph_of(parse_onnx(input), {.batch = 2}); });
    if (!graph) {
        return false;
    }
    check_graph(*graph);                                  // reading has done so
    if (input.find("shaped") != std::string_view::npos) { // other shapes than the file's
        (void)accepted([&] {
            return graph_of(parse_onnx(input), {.shapes = {{"shaped", {1, 2, 3}}}});
        });
    }
    // A few things of old versions cannot be said in the new one.
    if (const auto again = accepted([&] { return graph_of(parse_onnx(onnx_bytes(*graph))); })) {
        require(again->nodes.size() == graph->nodes.size(),
                "a network that is written has other nodes when it is read");
    }
    return true;
}

bool onnx_tensor(std::string_view input)
{
    const auto read = accepted([&] { return parse_onnx_tensor(input); });
    if (!read) {
        return false;
    }
    const Array& array = read->second;
    const std::size_t there = array.is_integer() ? array.integers().size() : array.reals().size();
    std::int64_t count = 1;
    for (const std::int64_t extent : array.shape) {
        count *= extent;
    }
    require(there == static_cast<std::size_t>(count),
            "a tensor has another number of elements than its shape says");
    // Two of four bits share a byte.
    require(there <= 2 * input.size(), "a tensor has more elements than its file has half bytes");
    return true;
}

} // namespace texelscope::fuzz
