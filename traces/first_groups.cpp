#include "traces/first_groups.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::traces {
namespace {

class FirstGroups final : public TraceSource {
public:
    FirstGroups(std::shared_ptr<const TraceSource> source, std::int64_t end)
        : source_(std::move(source)), end_(std::min(end, source_->group_count()))
    {}

    [[nodiscard]] const std::string& name() const override { return source_->name(); }
    [[nodiscard]] std::span<const Image> images() const override { return source_->images(); }
    [[nodiscard]] std::int64_t group_count() const override { return end_; }
    [[nodiscard]] std::int64_t next_group(std::int64_t from) const override
    {
        return std::min(source_->next_group(from), end_);
    }
    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t group, int warp_size) const override
    {
        return source_->warps(group, warp_size);
    }
    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp,
                                                   int warp_size) const override
    {
        return source_->open(group, warp, warp_size);
    }

private:
    std::shared_ptr<const TraceSource> source_;
    std::int64_t end_;
};

} // namespace

std::unique_ptr<TraceSource> first_groups(std::shared_ptr<const TraceSource> source,
                                          std::int64_t end)
{
    return std::make_unique<FirstGroups>(std::move(source), end);
}

} // namespace texelscope::traces
