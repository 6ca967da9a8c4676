#include "base/error.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"
#include "tests/fuzz/entries.hpp"

#include <stdexcept>

namespace texelscope::fuzz {

bool onnx(std::string_view input)
{
    using namespace networks;
    Graph graph;
    try {
        graph = graph_of(parse_onnx(input), {.batch = 2});
    } catch (const Error&) {
        return false;
    }
    check_graph(graph); // reading has done so
    try {
        if (graph_of(parse_onnx(onnx_bytes(graph))).nodes.size() != graph.nodes.size()) {
            throw std::logic_error("a network that is written has other nodes when it is read");
        }
    } catch (const Error&) { // a few things of old versions cannot be said in the new one
    }
    return true;
}

} // namespace texelscope::fuzz
