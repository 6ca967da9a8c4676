#pragma once

#include "base/layers.hpp"

#include <iosfwd>
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

/// What is left to read of a stream. What its buffer throws comes through: std::ios_base::failure
/// of a file.
[[nodiscard]] std::string rest_of(std::istream& in);
/// The same. Throws bad_input, naming `path`, where reading fails, which is not the end of the
/// file.
[[nodiscard]] std::string rest_of(std::istream& in, const std::string& path);

} // namespace texelscope::base
