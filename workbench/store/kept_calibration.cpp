#include "workbench/store/kept_calibration.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/program_folder.hpp"
#include "base/sha256.hpp"
#include "base/user_cache.hpp"
#include "workbench/store/calibration_json.hpp"
#include "workbench/study/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

namespace texelscope::workbench::store {
namespace {

namespace fs = std::filesystem;

/// A digest of everything that a calibration depends on. A new version of the program, or a changed
/// setting, therefore finds no file and calibrates again.
std::string file_name(const DeviceProfile& device, std::uint64_t seed)
{
    std::string text = fmt::format("{}\nseed={}\n", base::program_stamp(), seed);
    for (const Setting& setting : settings(device.simulation.machine)) {
        text += fmt::format("{}={}\n", setting.key, get(device.simulation, setting.key));
    }
    return base::sha256(text) + ".json";
}

/// Whether file_name() could have given it: the folder may turn out to hold more, or to be a link
/// to another one.
bool is_own(const fs::path& file)
{
    constexpr std::size_t digits = 64;
    const std::string stem = file.stem().string();
    return file.extension() == ".json" && stem.size() == digits &&
           stem.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Deletes all of our files but those that were used last.
void keep_most_recent(const fs::path& folder)
{
    constexpr std::size_t most = 64;
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
        if (is_own(file.path())) {
            files.emplace_back(file.last_write_time(), file.path());
        }
    }
    std::ranges::sort(files, std::greater{});
    for (std::size_t i = most; i < files.size(); ++i) {
        fs::remove(files[i].second);
    }
}

} // namespace

Calibration kept_calibration(const DeviceProfile& device, std::uint64_t seed,
                             const std::string& folder, const StopToken& stop)
{
    if (folder.empty()) {
        return calibrate_profile(device, seed, stop);
    }
    const fs::path path = fs::path(folder) / file_name(device, seed);
    std::error_code none;
    if (fs::exists(path, none)) {
        try {
            NamedCalibration kept =
                parse_calibration(std::string(base::map_file(path)->view()), path);
            fs::last_write_time(path, fs::file_time_type::clock::now(), none);
            return std::move(kept.calibration);
        } catch (const Error&) { // damaged: it is made again
        }
    }
    NamedCalibration made{device.name, calibrate_profile(device, seed, stop)};
    try {
        fs::create_directories(folder);
        base::write_file_atomically(path, calibration_text(made));
        keep_most_recent(folder);
    } catch (const Error&) { // then it is not kept, which costs time only
    } catch (const fs::filesystem_error&) {
    }
    return std::move(made.calibration);
}

std::string calibrations_folder()
{
    const auto cache = base::user_cache_folder();
    return cache ? *cache + "/calibrations" : std::string();
}

} // namespace texelscope::workbench::store
