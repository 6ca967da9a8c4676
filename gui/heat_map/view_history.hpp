#pragma once

#include "gui/heat_map/viewport.hpp"

#include <optional>
#include <vector>

namespace texelscope::gui {

/// The views that were left, oldest first, and those that were undone. One entry a gesture.
class ViewHistory {
public:
    struct Entry {
        Viewport view;
        bool fitted = false; ///< follows the size of the widget
    };

    /// A gesture begins: `now` is what it leaves. What was undone is forgotten.
    void remember(const Entry& now);
    /// The view before `now`; nothing where there is none.
    [[nodiscard]] std::optional<Entry> undo(const Entry& now) { return move(past_, future_, now); }
    /// The view that was undone last.
    [[nodiscard]] std::optional<Entry> redo(const Entry& now) { return move(future_, past_, now); }
    void clear();

private:
    static std::optional<Entry> move(std::vector<Entry>& from, std::vector<Entry>& to, const Entry& now);

    std::vector<Entry> past_;
    std::vector<Entry> future_;
};

} // namespace texelscope::gui
