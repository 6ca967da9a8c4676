// Reads clock and temperature from the files of Linux's sysfs. Each vendor has places and units of
// its own, and most phones let only some of them be read; so the places are tried in turn, and the
// file that answered is reported beside the number.

#include "devices/jobs/conditions.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace texelscope::devices {
namespace {

namespace fs = std::filesystem;

/// The first word of a file, empty where it cannot be read.
std::string first_word(const fs::path& file)
{
    std::ifstream in(file);
    std::string word;
    in >> word;
    return word;
}

std::optional<std::int64_t> number_in(const fs::path& file)
{
    std::int64_t number = 0;
    return parse_integer(first_word(file), number) ? std::optional<std::int64_t>(number)
                                                   : std::nullopt;
}

/// What is in a folder, in the order of names; empty where it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder)
{
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        entries.push_back(it->path());
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

bool names_a_gpu(const std::string& text)
{
    const std::string lower = lower_case(text);
    return lower.find("gpu") != std::string::npos || lower.find("kgsl") != std::string::npos ||
           lower.find("mali") != std::string::npos || lower.find("g3d") != std::string::npos;
}

struct ClockFile {
    fs::path file;
    std::int64_t unit_hz;
};

// The places of a clock, with the hertz that one unit of the file stands for. Adreno first, then
// Mali, then other drivers that name a GPU, then Samsung's, which counts in MHz.
std::vector<ClockFile> clock_files(const fs::path& sysfs)
{
    std::vector<ClockFile> files{{sysfs / "class/kgsl/kgsl-3d0/gpuclk", 1},
                                 {sysfs / "class/kgsl/kgsl-3d0/devfreq/cur_freq", 1}};
    for (const fs::path& mali : entries_of(sysfs / "class/misc/mali0/device/devfreq")) {
        files.push_back({mali / "cur_freq", 1});
    }
    for (const fs::path& device : entries_of(sysfs / "class/devfreq")) {
        if (names_a_gpu(device.filename().string())) {
            files.push_back({device / "cur_freq", 1});
        }
    }
    files.push_back({sysfs / "kernel/gpu/gpu_clock", 1'000'000});
    return files;
}

void read_clock(Conditions& conditions, const fs::path& sysfs)
{
    for (const ClockFile& clock : clock_files(sysfs)) {
        if (const auto number = number_in(clock.file); number && *number > 0) {
            conditions.clock_hz = *number * clock.unit_hz;
            conditions.clock_source = clock.file.string();
            return;
        }
    }
}

/// Zones give thousandths of a degree; some drivers give whole degrees.
std::int64_t as_millidegrees(std::int64_t reading)
{
    constexpr std::int64_t no_chip_is_that_hot = 200;
    return reading > no_chip_is_that_hot ? reading : reading * 1000;
}

void read_temperature(Conditions& conditions, const fs::path& sysfs)
{
    constexpr std::int64_t hottest_credible = 150'000; // zones without a sensor give nonsense
    bool of_gpu = false;
    for (const fs::path& zone : entries_of(sysfs / "class/thermal")) {
        const auto reading = number_in(zone / "temp");
        if (!reading || *reading <= 0 || as_millidegrees(*reading) > hottest_credible) {
            continue;
        }
        const std::int64_t here = as_millidegrees(*reading);
        const bool gpu = names_a_gpu(first_word(zone / "type"));
        // A zone of the GPU wins over any other; among equals the hotter one does.
        if (!conditions.millidegrees || (gpu && !of_gpu) ||
            (gpu == of_gpu && here > *conditions.millidegrees)) {
            conditions.millidegrees = here;
            conditions.temperature_source = (zone / "temp").string();
            of_gpu = of_gpu || gpu;
        }
    }
}

} // namespace

Conditions read_conditions(const std::string& sysfs)
{
    Conditions conditions;
    read_clock(conditions, sysfs);
    read_temperature(conditions, sysfs);
    return conditions;
}

std::string to_string(const Conditions& conditions)
{
    std::string text = "clock not readable";
    if (conditions.clock_hz) {
        text = "clock " + std::to_string(*conditions.clock_hz / 1'000'000) + " MHz (" +
               conditions.clock_source + ")";
    }
    if (!conditions.millidegrees) {
        return text + ", temperature not readable";
    }
    const std::int64_t tenths = *conditions.millidegrees / 100;
    return text + ", " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " C (" +
           conditions.temperature_source + ")";
}

void write_conditions(RecordText& record, const std::string& key, const Conditions& conditions)
{
    record.line(key, {conditions.clock_hz.value_or(not_readable),
                      conditions.millidegrees.value_or(not_readable)});
    record.block("clock_source", conditions.clock_source);
    record.block("temperature_source", conditions.temperature_source);
}

Conditions read_conditions(RecordReader& reader, const std::string& key)
{
    const auto known = [](std::int64_t number) {
        return number == not_readable ? std::nullopt : std::optional<std::int64_t>(number);
    };
    const std::vector<std::int64_t> numbers = reader.numbers(key, 2);
    Conditions conditions;
    conditions.clock_hz = known(numbers[0]);
    conditions.millidegrees = known(numbers[1]);
    conditions.clock_source = reader.block("clock_source");
    conditions.temperature_source = reader.block("temperature_source");
    return conditions;
}

} // namespace texelscope::devices
