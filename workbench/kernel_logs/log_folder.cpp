#include "workbench/kernel_logs/log_folder.hpp"

#include "base/error.hpp"
#include "traces/native/file_stream.hpp"
#include "traces/native/trace_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace texelscope::workbench::kernel_logs {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_below(const std::string& path)
{
    std::error_code error;
    if (!fs::exists(path, error)) {
        throw bad_input("there is no such file or folder", path, "check the path");
    }
    if (!fs::is_directory(path)) {
        return {path};
    }
    std::vector<std::string> files;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(path, options, error), end; !error && at != end;
         at.increment(error)) {
        if (at->is_regular_file(error)) {
            files.push_back(at->path().string());
        }
    }
    if (error) {
        throw bad_input("cannot be read: " + error.message(), path, "check the folder");
    }
    std::ranges::sort(files);
    return files;
}

} // namespace

std::string log_device(const std::string& path)
{
    const fs::path whole(path);
    for (const fs::path& part : whole) {
        const std::string name = part.string();
        if (name == "logs_8gen2" || name.starts_with("logs_8gen2_")) {
            return "adreno-740";
        }
        if (name == "logs_gen1" || name.starts_with("logs_gen1_")) {
            return "adreno-730";
        }
        if (name == "logs") {
            return "adreno-660";
        }
    }
    return {};
}

LogFolder read_logs(const std::string& path, const std::string& device)
{
    LogFolder folder;
    for (const std::string& file : files_below(path)) {
        // A native trace is no text.
        const std::string text = traces::is_native_trace(file) ? "" : traces::read_text(file);
        if (!is_autotvm_log(text)) {
            folder.others.push_back(file);
            continue;
        }
        folder.logs.push_back(
            {file, device.empty() ? log_device(file) : device, parse_autotvm_log(text)});
    }
    return folder;
}

} // namespace texelscope::workbench::kernel_logs
