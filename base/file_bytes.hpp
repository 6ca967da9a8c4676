#pragma once

#include "base/layers.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace texelscope::base {

/// The bytes of a file, mapped or held.
class FileBytes {
public:
    virtual ~FileBytes() = default;
    [[nodiscard]] virtual std::string_view view() const = 0;
};
/// Throws bad_input where the file cannot be read.
[[nodiscard]] std::unique_ptr<FileBytes> map_file(const std::string& path);
[[nodiscard]] std::unique_ptr<FileBytes> held_bytes(std::string bytes);

} // namespace texelscope::base
