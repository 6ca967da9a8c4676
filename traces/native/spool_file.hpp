#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace texelscope::traces {

/// Bytes on disk that nobody else sees and that go away with it.
class SpoolFile {
public:
    /// In the folder of the file at `beside`. Throws bad_input where it cannot be created.
    explicit SpoolFile(const std::string& beside);
    ~SpoolFile();
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;

    /// Where the bytes are.
    std::int64_t append(std::string_view bytes);
    [[nodiscard]] std::string read(std::int64_t position, std::size_t count) const;
    void clear();

private:
    int descriptor_;
    std::int64_t size_ = 0;
    std::string shown_;
};

} // namespace texelscope::traces
