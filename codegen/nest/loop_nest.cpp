#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace texelscope::codegen {
namespace {

/// Calls `visit(element, at)` for every element of the tensor, in order; `at` is its place in
/// memory, counted in components from the first texel's on. Index expressions are evaluated for a
/// whole row of elements at a time.
template <class Visit>
void for_each_element(const Operand& operand, const Visit& visit)
{
    const std::vector<std::int64_t> scalar{1};
    const std::vector<std::int64_t>& shape =
        operand.tensor.shape.empty() ? scalar : operand.tensor.shape;
    const auto row = static_cast<std::size_t>(shape.back());
    const std::size_t rank = shape.size();
    std::vector<std::vector<std::int32_t>> columns(rank, std::vector<std::int32_t>(row, 0));
    std::iota(columns.back().begin(), columns.back().end(), 0);
    const std::vector<std::span<const std::int32_t>> spans(columns.begin(), columns.end());
    std::vector<std::int32_t> x(row);
    std::vector<std::int32_t> y(row);
    std::vector<std::int32_t> component(row);
    const auto width = static_cast<std::size_t>(operand.image.extent.width);
    const auto size = static_cast<std::size_t>(operand.tensor.size());
    for (std::size_t first = 0; first < size; first += row) {
        std::size_t rest = first / row;
        for (std::size_t d = rank - 1; d-- > 0;) {
            const auto extent = static_cast<std::size_t>(shape[d]);
            std::fill(columns[d].begin(), columns[d].end(),
                      static_cast<std::int32_t>(rest % extent));
            rest /= extent;
        }
        operand.x.evaluate(spans, x);
        operand.y.evaluate(spans, y);
        operand.component.evaluate(spans, component);
        for (std::size_t i = 0; i < row; ++i) {
            visit(first + i,
                  (static_cast<std::size_t>(y[i]) * width + static_cast<std::size_t>(x[i])) * 4 +
                      static_cast<std::size_t>(component[i]));
        }
    }
}

/// Collects which work-item ids occur in index expressions, see used_work_item_ids().
class IdsInUse {
public:
    void note(const std::vector<NestStatement>& body)
    {
        for (const NestStatement& statement : body) {
            std::visit([this](const auto& s) { note(s); }, statement);
            for_each_index(statement, [this](const IndexExpr& index) { note(index); });
        }
    }
    void note(const std::vector<Guard>& guards)
    {
        for (const Guard& guard : guards) {
            note(guard.value);
        }
    }
    void note(const NestIndex& index) { note(index.definition); }

    [[nodiscard]] const std::array<bool, 6>& used() const { return used_; }

private:
    void note(const IndexExpr& expression)
    {
        if (!expression.uses_slots(0, slots::first_loop_slot)) {
            return; // true of nearly all expressions of a body
        }
        for (int slot = 0; slot < slots::first_loop_slot; ++slot) {
            bool& used = used_[static_cast<std::size_t>(slot)];
            used = used || expression.uses_slots(slot, slot + 1);
        }
    }
    void note(const NestRead& read)
    {
        note(read.access.x);
        note(read.access.y);
    }
    void note(const NestWrite& write)
    {
        note(write.x);
        note(write.y);
        note(write.guards);
    }
    void note(const NestLocalRead& read) { note(read.at); }
    void note(const NestLocalWrite& write) { note(write.at); }
    void note(const NestLoop& loop) { note(loop.body); }
    template <class Statement>
    void note(const Statement& /*no coordinates*/)
    {}

    std::array<bool, 6> used_{};
};

} // namespace

std::int64_t LoopNest::LocalArray::count_for(std::int64_t items) const
{
    if (of_item == 0) {
        return count;
    }
    constexpr std::int64_t float_bytes = 4;
    return items *
           (room == 0 ? of_item
                      : std::clamp<std::int64_t>(room / (items * width * float_bytes), 1, of_item));
}

std::int64_t Tensor::size() const
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<float> pack(const Operand& operand, std::span<const float> values)
{
    std::vector<float> texels(static_cast<std::size_t>(operand.image.extent.area()) * 4, 0.0F);
    for_each_element(operand,
                     [&](std::size_t element, std::size_t at) { texels[at] = values[element]; });
    return texels;
}

std::vector<float> unpack(const Operand& operand, std::span<const float> texels)
{
    std::vector<float> values(static_cast<std::size_t>(operand.tensor.size()), 0.0F);
    for_each_element(operand,
                     [&](std::size_t element, std::size_t at) { values[element] = texels[at]; });
    return values;
}

std::vector<Variable> tensor_index(const Tensor& tensor)
{
    std::vector<Variable> variables;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        variables.push_back({static_cast<int>(d), fmt::format("d{}", d), {0, tensor.shape[d] - 1}});
    }
    return variables;
}

Operand texel_operand(const std::string& name, Extent2D extent)
{
    Operand operand;
    operand.tensor = {name, {extent.height, extent.width, 4}};
    operand.image = {.name = name, .extent = extent};
    const std::vector<Variable> index = tensor_index(operand.tensor);
    operand.y = IndexExpr(index[0]);
    operand.x = IndexExpr(index[1]);
    operand.component = IndexExpr(index[2]);
    return operand;
}

NestValue LoopNest::add_value(std::string value_name, int numbers)
{
    values.push_back({std::move(value_name), numbers, numbers});
    return {static_cast<std::int32_t>(values.size()) - 1};
}

NestValue LoopNest::add_factor(std::string value_name, int numbers)
{
    values.push_back({std::move(value_name), numbers, half_sums ? (numbers + 1) / 2 : numbers,
                      NumberType::factor});
    return {static_cast<std::int32_t>(values.size()) - 1};
}

std::vector<int> launch_images(const LoopNest& nest)
{
    std::vector<int> numbers;
    int next = 0;
    for (const Operand& input : nest.inputs) {
        numbers.push_back(input.memory == Memory::image ? next++ : -1);
    }
    return numbers;
}

bool always_inside(const AccessFunction& access, const Image& image)
{
    const Range x = access.x.bounds();
    const Range y = access.y.bounds();
    return x.min >= 0 && x.max < image.extent.width && y.min >= 0 && y.max < image.extent.height;
}

std::array<bool, 6> used_work_item_ids(const LoopNest& nest)
{
    IdsInUse ids;
    for (const LoopNest::Named& named : nest.names) {
        ids.note(named);
    }
    ids.note(nest.guards);
    ids.note(nest.prologue);
    ids.note(nest.body);
    ids.note(nest.epilogue);
    return ids.used();
}

} // namespace texelscope::codegen
