#pragma once

#include "base/layers.hpp"

#include <QString>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::gui {

/// Where one thread leaves what it finds out about configurations, by their numbers in a space, for
/// another one to take.
template <class Found>
class RowInbox {
public:
    void put(std::int64_t index, Found found)
    {
        const std::scoped_lock lock(mutex_);
        found_.emplace_back(index, std::move(found));
    }
    /// What has come since the last time.
    [[nodiscard]] std::vector<std::pair<std::int64_t, Found>> take()
    {
        const std::scoped_lock lock(mutex_);
        return std::exchange(found_, {});
    }

private:
    std::mutex mutex_;
    std::vector<std::pair<std::int64_t, Found>> found_;
};

/// What became of work on several configurations.
struct RowCount {
    std::size_t done = 0;
    std::string error; ///< why the first one that failed did; empty where none did
    bool stopped = false;

    /// For the line below the table; `done` `in_words`, as in "3 simulated".
    [[nodiscard]] QString text(const QString& in_words) const;
};

} // namespace texelscope::gui
