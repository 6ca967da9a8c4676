#include "base/file_bytes.hpp"

#include "base/error.hpp"

#include <boost/iostreams/device/mapped_file.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <system_error>
#include <utility>

namespace texelscope::base {
namespace {

class MappedBytes final : public FileBytes {
public:
    explicit MappedBytes(const std::string& path) : file_(path) {}
    [[nodiscard]] std::string_view view() const override { return {file_.data(), file_.size()}; }

private:
    boost::iostreams::mapped_file_source file_;
};

class HeldBytes final : public FileBytes {
public:
    explicit HeldBytes(std::string bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] std::string_view view() const override { return bytes_; }

private:
    std::string bytes_;
};

} // namespace

std::unique_ptr<FileBytes> map_file(const std::string& path)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        throw bad_input("this is a folder", path, "name a trace file");
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw bad_input(
            fmt::format("cannot open the file: {}", std::generic_category().message(errno)), path,
            "check the path");
    }
    // What is empty, or no regular file (a pipe), cannot be mapped and is read instead.
    if (std::filesystem::is_regular_file(path, error) &&
        std::filesystem::file_size(path, error) > 0) {
        try {
            return std::make_unique<MappedBytes>(path);
        } catch (const std::exception&) {
            throw bad_input(
                fmt::format("cannot map the file: {}", std::generic_category().message(errno)),
                path, "check the disk and the memory that there is");
        }
    }
    return held_bytes(rest_of(in, path));
}

std::unique_ptr<FileBytes> held_bytes(std::string bytes)
{
    return std::make_unique<HeldBytes>(std::move(bytes));
}

std::string rest_of(std::istream& in)
{
    in.exceptions(std::ios::badbit); // or a failure would look like the end
    std::string text;
    std::array<char, 1 << 14> part{};
    do {
        in.read(part.data(), static_cast<std::streamsize>(part.size()));
        text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    } while (in);
    return text;
}

std::string rest_of(std::istream& in, const std::string& path)
{
    try {
        return rest_of(in);
    } catch (const std::ios_base::failure& failure) {
        throw bad_input(fmt::format("cannot be read: {}", failure.code().message()), path,
                        "check the disk");
    }
}

} // namespace texelscope::base
