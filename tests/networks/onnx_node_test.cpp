// Operators against ONNX's own tests of them, which nobody here wrote (Debian's libonnx-testdata).

#include "networks/operators/node_operator.hpp"
#include "tests/networks/node_cases.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

using namespace texelscope::networks;
using namespace texelscope::networks::test;
using Catch::Matchers::Contains;

TEST_CASE("What is understood of ONNX's node tests is computed as they say, the rest is refused in "
          "a line")
{
    std::set<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(TEXELSCOPE_ONNX_TESTS)) {
        folders.insert(entry.path().string());
    }
    REQUIRE(folders.size() > 900);
    std::map<NodeCase::Outcome, int> counts;
    std::map<std::string, NodeCase> cases;
    for (const std::string& folder : folders) {
        const NodeCase found =
            run_node_case(folder, [](const Graph& graph, const std::vector<Reals>& inputs) {
                return reference_values(graph, inputs);
            });
        CAPTURE(found.name, found.line);
        CHECK(found.outcome != NodeCase::Outcome::wrong);
        if (found.outcome == NodeCase::Outcome::refused) {
            CHECK_FALSE(found.line.empty());
            CHECK(found.line.find('\n') == std::string::npos);
        }
        ++counts[found.outcome];
        cases.emplace(found.name, found);
    }
    WARN(counts[NodeCase::Outcome::passed] << " pass, " << counts[NodeCase::Outcome::refused]
                                           << " are refused, " << counts[NodeCase::Outcome::wrong]
                                           << " are wrong");
    CHECK(counts[NodeCase::Outcome::passed] >= 514);
    // Of operators that networks here consist of, none is refused.
    for (const char* name : {"test_conv_with_strides_and_asymmetric_padding",
                             "test_convtranspose_autopad_same",
                             "test_convtranspose_3d",
                             "test_gemm_all_attributes",
                             "test_matmul_4d",
                             "test_batchnorm_epsilon",
                             "test_layer_normalization_4d_axis1",
                             "test_softmax_axis_0",
                             "test_maxpool_2d_ceil",
                             "test_maxpool_2d_dilations",
                             "test_averagepool_2d_same_lower",
                             "test_globalaveragepool",
                             "test_reduce_mean_negative_axes_keepdims_random",
                             "test_reshape_negative_dim",
                             "test_transpose_all_permutations_4",
                             "test_concat_3d_axis_negative_3",
                             "test_slice_neg_steps",
                             "test_gather_2d_indices",
                             "test_constant_pad",
                             "test_depthtospace_crd_mode",
                             "test_prelu_broadcast",
                             "test_clip_default_min",
                             "test_hardswish",
                             "test_unsqueeze_three_axes",
                             "test_split_variable_parts_2d",
                             "test_expand_dim_changed",
                             "test_flatten_negative_axis4",
                             "test_squeeze_negative_axes",
                             "test_resize_downsample_scales_cubic",
                             "test_resize_upsample_sizes_nearest_ceil_half_pixel",
                             "test_upsample_nearest",
                             "test_lrn",
                             "test_reflect_pad",
                             "test_quantizelinear_axis",
                             "test_dequantizelinear_axis",
                             "test_cast_FLOAT16_to_FLOAT"}) {
        CAPTURE(name);
        REQUIRE(cases.contains(name));
        CHECK(cases.at(name).outcome == NodeCase::Outcome::passed);
    }
    CHECK_THAT(cases.at("test_lstm_defaults").line,
               Contains("(LSTM, operator set ") && Contains("not understood"));
    CHECK_THAT(cases.at("test_add_uint8").line, Contains("uint8"));
}

TEST_CASE("The page on ONNX files names every operator of the table")
{
    std::ifstream in(std::string(TEXELSCOPE_SOURCE) + "/docs/reference/onnx.md");
    const std::string page{std::istreambuf_iterator<char>(in), {}};
    const std::size_t begin = page.find("## Operators");
    REQUIRE(begin != std::string::npos);
    const std::string table = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    std::vector<std::string> missing;
    for (const NodeOperator& row : node_operators()) {
        const std::regex word("\\b" + row.name + "\\b");
        if (row.onnx && !std::regex_search(table, word)) {
            missing.push_back(row.name);
        }
    }
    CHECK(missing == std::vector<std::string>{});
}
