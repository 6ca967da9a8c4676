// The table of all operators. Each row has the name, the names of its sizes, an example, and a
// function that makes the operator from sizes and padding; command line, documents and window go by
// the rows.

#include "codegen/operators/operator.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/conv.hpp"
#include "codegen/operators/formula_operator.hpp"
#include "codegen/operators/layernorm.hpp"
#include "codegen/operators/matmul.hpp"
#include "codegen/operators/softmax.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace texelscope::codegen {
namespace {

using Sizes = std::vector<std::int64_t>;

/// An operator that the command line knows.
struct OperatorRow {
    OperatorInfo info;
    /// From as many sizes as `sizes` names, and the padding; checks their values.
    std::function<Operator(const Sizes&, const std::string&)> build;
};

OperatorRow conv_entry(const ConvFamily& family, Pass pass, const std::string& example)
{
    const auto build = [=](const Sizes& s, const std::string& padding) {
        return conv_operator(convolution(family, pass, s, padding));
    };
    return {{Convolution{.family = family, .pass = pass}.name(), conv_sizes(family), example, true},
            build};
}

OperatorRow row_entry(const std::string& name,
                      Operator (*build)(std::int64_t rows, std::int64_t cols))
{
    return {{name, "ROWS,COLS", "64,256", false},
            [=](const Sizes& s, const auto&) { return build(s[0], s[1]); }};
}

/// All operators, in the order of the documentation. Adding one is adding a line.
std::vector<OperatorRow> table()
{
    constexpr auto dx = Pass::first_gradient;
    constexpr auto dw = Pass::second_gradient;
    return {
        {{"matmul", "M,N,K", "64,64,64", false},
         [](const Sizes& s, const auto&) { return matmul(s[0], s[1], s[2]); }},
        conv_entry(conv2d_family, Pass::forward, "1,14,14,32,32,3,3,1"),
        conv_entry(dwconv2d_family, Pass::forward, "1,28,28,32,3,3,1"),
        conv_entry(deconv2d_family, Pass::forward, "1,7,7,32,32,3,3,2"),
        conv_entry(conv3d_family, Pass::forward, "1,4,8,8,16,16,3,3,3,1"),
        row_entry("softmax", softmax),
        row_entry("layernorm", layernorm),
        {{"matmul_da", "M,N,K", "64,64,64", false},
         [](const Sizes& s, const auto&) { return matmul_da(s[0], s[1], s[2]); }},
        {{"matmul_db", "M,N,K", "64,64,64", false},
         [](const Sizes& s, const auto&) { return matmul_db(s[0], s[1], s[2]); }},
        conv_entry(conv2d_family, dx, "1,14,14,32,32,3,3,1"),
        conv_entry(conv2d_family, dw, "1,14,14,32,32,3,3,1"),
        conv_entry(dwconv2d_family, dx, "1,28,28,32,3,3,1"),
        conv_entry(dwconv2d_family, dw, "1,28,28,32,3,3,1"),
        conv_entry(deconv2d_family, dx, "1,7,7,32,32,3,3,2"),
        conv_entry(deconv2d_family, dw, "1,7,7,32,32,3,3,2"),
        row_entry("softmax_dx", softmax_dx),
        row_entry("layernorm_dx", layernorm_dx),
        row_entry("layernorm_dgamma", layernorm_dgamma),
        row_entry("layernorm_dbeta", layernorm_dbeta),
    };
}

OperatorRow row_of(const std::string& name)
{
    for (OperatorRow& row : table()) {
        if (row.info.name == name) {
            return std::move(row);
        }
    }
    throw bad_input("there is no operator '" + name + "'", "--op",
                    fmt::format("operators are {}; or state one as a formula: O[m,n] = sum(k) "
                                "A[m,k] * B[k,n]",
                                fmt::join(operator_names(), ", ")));
}

Sizes parse_sizes(const std::string& text, const std::string& names, const std::string& where)
{
    const std::string usage = "give " + names;
    Sizes sizes;
    std::string_view rest = text;
    while (true) {
        const auto comma = rest.find(',');
        const std::string_view field = rest.substr(0, comma);
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), size);
        if (error != std::errc{} || end != field.data() + field.size()) {
            throw bad_input(fmt::format("'{}' is not a whole number", field), where, usage);
        }
        sizes.push_back(size);
        if (comma == std::string_view::npos) {
            break;
        }
        rest.remove_prefix(comma + 1);
    }
    const auto expected = static_cast<std::size_t>(std::count(names.begin(), names.end(), ',')) + 1;
    if (sizes.size() != expected) {
        throw bad_input(fmt::format("{} sizes", sizes.size()), where, usage);
    }
    return sizes;
}

} // namespace

Operator parse_operator(const std::string& name, const std::string& shape,
                        const std::string& padding)
{
    if (is_formula(name)) {
        if (!padding.empty()) {
            throw bad_input("a formula has its padding in its indices", "--padding " + padding,
                            "write X[h+kh-1] for one zero in front, and leave --padding out");
        }
        return formula_operator(name, shape);
    }
    const OperatorRow row = row_of(name);
    const Sizes sizes =
        parse_sizes(shape, row.info.sizes, fmt::format("--op {} --shape {}", name, shape));
    if (!row.info.takes_padding && !padding.empty()) {
        throw bad_input(name + " takes no padding", "--padding " + padding, "leave it out");
    }
    return row.build(sizes, padding);
}

std::vector<OperatorInfo> operators()
{
    std::vector<OperatorInfo> infos;
    for (const OperatorRow& entry : table()) {
        infos.push_back(entry.info);
    }
    return infos;
}

OperatorInfo operator_info(const std::string& name)
{
    return is_formula(name) ? formula_info(name) : row_of(name).info;
}

std::vector<std::string> operator_names()
{
    std::vector<std::string> names;
    for (const OperatorInfo& info : operators()) {
        names.push_back(info.name);
    }
    return names;
}

std::string to_string(const Operator& op)
{
    const bool usual = op.padding.empty() || op.padding == "same";
    return fmt::format("{} {}{}", op.name, fmt::join(op.shape, ","),
                       usual ? "" : " --padding " + op.padding);
}

LoopNest Operator::nest(const Schedule& schedule, const GivenLayouts& given) const
{
    return lower(schedule, given);
}

LoopNest loop_nest(const Operator& op, const Schedule& schedule, const GivenLayouts& given)
{
    return op.nest(schedule, given);
}

void check_sizes(const std::string& operator_name, const std::vector<std::int64_t>& sizes,
                 const std::string& usage)
{
    for (const std::int64_t size : sizes) {
        if (size < 1 || size > largest_size) {
            throw bad_input(fmt::format("the size {} is not between 1 and {}", size, largest_size),
                            fmt::format("{} {}", operator_name, fmt::join(sizes, ",")),
                            "give " + usage);
        }
    }
}

void check_tensors(const std::string& where, const std::vector<Tensor>& tensors)
{
    for (const Tensor& tensor : tensors) {
        std::int64_t elements = 1;
        for (const std::int64_t size : tensor.shape) {
            if (size > most_elements / elements) {
                throw bad_input(fmt::format("the tensor {} of {} has more than {} elements",
                                            tensor.name, fmt::join(tensor.shape, "x"),
                                            most_elements),
                                where, "take smaller sizes");
            }
            elements *= size;
        }
    }
}

} // namespace texelscope::codegen
