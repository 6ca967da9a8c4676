#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::codegen {
namespace {

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
