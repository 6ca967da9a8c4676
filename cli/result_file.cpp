#include "cli/result_file.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace texelscope::cli {

void make_output_folder(const std::string& path, const std::string& option)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!std::filesystem::is_directory(path)) {
        throw bad_input("this folder cannot be made" +
                            (error ? ": " + error.message() : std::string()),
                        option + " " + path, "name another one");
    }
}

std::string read_whole_file(const std::string& path, const std::string& remedy)
{
    if (std::filesystem::is_directory(path)) {
        throw bad_input("this is a folder", path, remedy);
    }
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open()) {
        throw bad_input(std::string("cannot be read: ") + std::strerror(errno), path, remedy);
    }
    return rest_of(file, path);
}

JsonResult read_result_file(const std::string& path)
{
    return parse_json_result(read_whole_file(path, "give a file that --json wrote"), path);
}

} // namespace texelscope::cli
