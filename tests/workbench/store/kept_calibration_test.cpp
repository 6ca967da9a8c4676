#include "tests/base/temporary_folder.hpp"
#include "workbench/store/calibration_json.hpp"
#include "workbench/store/kept_calibration.hpp"
#include "workbench/study/prediction.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace texelscope;
using namespace texelscope::workbench::store;
namespace fs = std::filesystem;

namespace {

std::string text_of(const Calibration& calibration)
{
    return calibration_text({"device", calibration});
}

std::vector<fs::path> files_of(const std::string& folder)
{
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(folder)) {
        files.push_back(file.path());
    }
    return files;
}

std::string content(const fs::path& path)
{
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("A calibration that is kept is the one that was made, and is made once")
{
    const test::TemporaryFolder folder;
    const std::string kept = folder.file("cache/calibrations");
    const DeviceProfile device = find_profile("adreno-740");
    const std::string made = text_of(calibrate_profile(device, 1));
    CHECK(text_of(kept_calibration(device, 1, kept)) == made);
    REQUIRE(files_of(kept).size() == 1);
    CHECK(text_of(kept_calibration(device, 1, kept)) == made);
    CHECK(text_of(kept_calibration(device, 1, "")) == made);

    // It is the file that is read: another number in it comes back.
    Calibration other = kept_calibration(device, 1, kept);
    other.thrash.d = 1.5;
    std::ofstream(files_of(kept).front()) << text_of(other);
    CHECK(kept_calibration(device, 1, kept).thrash.d == 1.5);
}

TEST_CASE("What a calibration depends on has a file of its own each")
{
    const test::TemporaryFolder folder;
    const std::string kept = folder.file("");
    DeviceProfile device = find_profile("mali-g77");
    (void)kept_calibration(device, 1, kept);
    (void)kept_calibration(device, 2, kept);
    CHECK(files_of(kept).size() == 2);
    device.simulation.machine.l1().latency =
        Cycles{device.simulation.machine.l1().latency.value + 1};
    CHECK(text_of(kept_calibration(device, 1, kept)) == text_of(calibrate_profile(device, 1)));
    CHECK(files_of(kept).size() == 3);
    device.name = "renamed";
    (void)kept_calibration(device, 1, kept);
    CHECK(files_of(kept).size() == 3);
}

TEST_CASE(
    "A damaged file is made again, and a folder that cannot be written costs nothing but time")
{
    const test::TemporaryFolder folder;
    const std::string kept = folder.file("kept");
    const DeviceProfile device = find_profile("mali-g77");
    const std::string made = text_of(kept_calibration(device, 1, kept));
    const fs::path file = files_of(kept).front();
    for (const std::string& damage :
         {std::string(), std::string("{}"), content(file).substr(0, 1000)}) {
        std::ofstream(file) << damage;
        CHECK(text_of(kept_calibration(device, 1, kept)) == made);
        CHECK(text_of(parse_calibration(content(file), "kept").calibration) == made);
    }
    std::ofstream(folder.file("file")) << "no folder";
    CHECK(text_of(kept_calibration(device, 1, folder.file("file/calibrations"))) == made);
}

TEST_CASE("The folder keeps the calibrations that were used last")
{
    const test::TemporaryFolder folder;
    const std::string kept = folder.file("kept");
    const DeviceProfile device = find_profile("mali-g77");
    (void)kept_calibration(device, 1, kept);
    const fs::path mine = files_of(kept).front();
    const auto of_number = [&](int number) {
        const std::string digits = std::to_string(number);
        return fs::path(kept) / (std::string(64 - digits.size(), '0') + digits + ".json");
    };
    // What is none of its own stays, however old.
    const fs::path foreign = fs::path(kept) / "thesis.json";
    std::ofstream(foreign) << "{}";
    fs::last_write_time(foreign, fs::file_time_type::clock::now() - std::chrono::hours(1000));
    for (int i = 0; i < 80; ++i) {
        const fs::path other = of_number(i);
        std::ofstream(other) << "{}";
        fs::last_write_time(other, fs::file_time_type::clock::now() - std::chrono::hours(1 + i));
    }
    (void)kept_calibration(device, 2, kept);
    CHECK(files_of(kept).size() == 65);
    CHECK(fs::exists(foreign));
    CHECK(fs::exists(mine));
    CHECK(fs::exists(of_number(61)));
    CHECK_FALSE(fs::exists(of_number(62)));
}
