// Kernels of network nodes on a device, against those who have computed the same before.

#include "networks/passes/decompose.hpp"
#include "tests/networks/device_run.hpp"
#include "tests/networks/node_cases.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::networks;
using namespace texelscope::networks::test;

namespace {

/// How many of every `step`-th of the tests pass; none may be wrong.
int passed(int step)
{
    const devices::OpenClDevice device("pocl");
    std::set<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(TEXELSCOPE_ONNX_TESTS)) {
        folders.insert(entry.path().string());
    }
    std::map<NodeCase::Outcome, int> counts;
    int number = 0;
    for (const std::string& folder : folders) {
        if (number++ % step != 0) {
            continue;
        }
        CAPTURE(folder);
        const NodeCase found =
            run_node_case(folder, [&](const Graph& graph, const std::vector<Reals>& inputs) {
                return run_on(device, starting_plan(decomposed(graph)), inputs);
            });
        CAPTURE(found.line);
        CHECK(found.outcome != NodeCase::Outcome::wrong);
        ++counts[found.outcome];
    }
    WARN(counts[NodeCase::Outcome::passed] << " pass, " << counts[NodeCase::Outcome::refused]
                                           << " are refused, " << counts[NodeCase::Outcome::wrong]
                                           << " are wrong");
    return counts[NodeCase::Outcome::passed];
}

} // namespace

TEST_CASE("Kernels compute ONNX's node tests on PoCL as they say, or refuse them: every eighth",
          "[opencl]")
{
    CHECK(passed(8) >= 30);
}

TEST_CASE("Kernels compute ONNX's node tests on PoCL as they say, or refuse them: all",
          "[opencl][long]")
{
    CHECK(passed(1) >= 367);
}

TEST_CASE(
    "What no kernel computes at once is made of what kernels compute, and is the same network")
{
    for (const auto& entry : std::filesystem::directory_iterator(TEXELSCOPE_ONNX_TESTS)) {
        const std::string name = entry.path().filename().string();
        const bool concerned = name.find("normalization") != std::string::npos ||
                               name.find("instancenorm") != std::string::npos ||
                               name == "test_constant_pad" || name == "test_gather_2d_indices" ||
                               name.find("resize") != std::string::npos ||
                               name.find("zero_size") != std::string::npos;
        if (!concerned) {
            continue;
        }
        CAPTURE(name);
        const NodeCase found = run_node_case(
            entry.path().string(), [](const Graph& graph, const std::vector<Reals>& inputs) {
                return reference_values(decomposed(graph), inputs, true);
            });
        CAPTURE(found.line);
        CHECK(found.outcome != NodeCase::Outcome::wrong);
    }
}
