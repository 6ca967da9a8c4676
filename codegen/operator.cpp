#include "codegen/operator.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace texelscope {
namespace {

std::vector<std::int64_t> parse_shape(const std::string& text, std::size_t count, const std::string& where,
                                      const std::string& usage)
{
    std::vector<std::int64_t> sizes;
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
    if (sizes.size() != count) {
        throw bad_input(fmt::format("{} sizes", sizes.size()), where, usage);
    }
    return sizes;
}

} // namespace

Operator parse_operator(const std::string& name, const std::string& shape)
{
    const std::string where = fmt::format("--op {} --shape {}", name, shape);
    if (name == "matmul") {
        const auto s = parse_shape(shape, 3, where, "give M,N,K, for example 64,64,64");
        return MatMul(s[0], s[1], s[2]);
    }
    throw bad_input("there is no operator '" + name + "'", "--op", "operators are matmul");
}

std::string name(const Operator& op)
{
    return std::visit([](const auto& o) { return o.name(); }, op);
}

std::vector<std::int64_t> shape(const Operator& op)
{
    return std::visit([](const auto& o) { return o.shape(); }, op);
}

std::string to_string(const Operator& op)
{
    return fmt::format("{} {}", name(op), fmt::join(shape(op), ","));
}

std::vector<Tensor> inputs(const Operator& op)
{
    return std::visit([](const auto& o) { return o.inputs(); }, op);
}

Tensor output(const Operator& op)
{
    return std::visit([](const auto& o) { return o.output(); }, op);
}

LoopNest loop_nest(const Operator& op, const Schedule& schedule)
{
    return std::visit([&](const auto& o) { return o.nest(schedule); }, op);
}

std::vector<float> reference(const Operator& op, const std::vector<std::vector<float>>& inputs)
{
    return std::visit([&](const auto& o) { return o.reference(inputs); }, op);
}

double tolerance(const Operator& op)
{
    return std::visit([](const auto& o) { return o.tolerance(); }, op);
}

Schedule default_schedule(const Operator& op)
{
    return std::visit([](const auto& o) { return o.default_schedule(); }, op);
}

} // namespace texelscope
