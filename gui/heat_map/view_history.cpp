#include "gui/heat_map/view_history.hpp"

namespace texelscope::gui {

void ViewHistory::remember(const Entry& now)
{
    constexpr std::size_t most = 200;
    if (past_.size() == most) {
        past_.erase(past_.begin());
    }
    past_.push_back(now);
    future_.clear();
}

void ViewHistory::clear()
{
    past_.clear();
    future_.clear();
}

std::optional<ViewHistory::Entry> ViewHistory::move(std::vector<Entry>& from, std::vector<Entry>& to, const Entry& now)
{
    if (from.empty()) {
        return std::nullopt;
    }
    const Entry entry = from.back();
    from.pop_back();
    to.push_back(now);
    return entry;
}

} // namespace texelscope::gui
