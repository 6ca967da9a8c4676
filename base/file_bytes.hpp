#pragma once

#include "base/layers.hpp"

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace texelscope::base {

/// The bytes of a file, mapped into memory or held in a string.
class FileBytes {
public:
    virtual ~FileBytes() = default;
    [[nodiscard]] virtual std::string_view view() const = 0;
};
/// Throws bad_input where the file cannot be read.
[[nodiscard]] std::unique_ptr<FileBytes> map_file(const std::string& path);
[[nodiscard]] std::unique_ptr<FileBytes> held_bytes(std::string bytes);

/// Everything that is left to read of a stream. Exceptions of its buffer are passed on, such as
/// std::ios_base::failure where reading a file fails.
[[nodiscard]] std::string rest_of(std::istream& in);
/// Everything that is left to read of a stream. Throws bad_input, naming `path`, where reading
/// fails, other than at the end of the file.
[[nodiscard]] std::string rest_of(std::istream& in, const std::string& path);

} // namespace texelscope::base
