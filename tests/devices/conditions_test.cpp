#include "devices/jobs/conditions.hpp"
#include "devices/runners/cool_down.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace texelscope;
using namespace texelscope::devices;
using texelscope::test::TemporaryFolder;

namespace {

/// A tree of files as in /sys.
class FakeSystem {
public:
    void put(const std::string& path, const std::string& text) const
    {
        const std::filesystem::path file(folder_.file(path));
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text << '\n';
    }
    [[nodiscard]] std::string path() const { return folder_.file("."); }

private:
    TemporaryFolder folder_;
};

} // namespace

TEST_CASE("where nothing can be read, that is said")
{
    const FakeSystem system;
    const Conditions conditions = read_conditions(system.path());
    CHECK_FALSE(conditions.clock_hz.has_value());
    CHECK_FALSE(conditions.millidegrees.has_value());
    CHECK(to_string(conditions) == "clock not readable, temperature not readable");
    CHECK(to_string(read_conditions(system.path() + "/absent")) ==
          "clock not readable, temperature not readable");
}

TEST_CASE("an Adreno's clock is read before any other, a Samsung's in MHz")
{
    const FakeSystem system;
    system.put("kernel/gpu/gpu_clock", "702");
    CHECK(read_conditions(system.path()).clock_hz == 702'000'000);
    system.put("class/devfreq/soc:bus/cur_freq", "1000");
    system.put("class/devfreq/13000000.mali/cur_freq", "848000000");
    CHECK(read_conditions(system.path()).clock_hz == 848'000'000);
    system.put("class/kgsl/kgsl-3d0/gpuclk", "585000000");
    CHECK(read_conditions(system.path()).clock_hz == 585'000'000);
    system.put("class/kgsl/kgsl-3d0/gpuclk", "Permission denied");
    CHECK(read_conditions(system.path()).clock_hz == 848'000'000);
}

TEST_CASE("the temperature is that of the GPU's hottest zone, or else of the hottest")
{
    const FakeSystem system;
    const auto zone = [&](int number, const std::string& type, const std::string& temperature) {
        system.put("class/thermal/thermal_zone" + std::to_string(number) + "/type", type);
        system.put("class/thermal/thermal_zone" + std::to_string(number) + "/temp", temperature);
    };
    zone(0, "cpu-0-0", "61200");
    zone(1, "battery", "33"); // whole degrees
    zone(2, "broken", "-274000");
    zone(3, "absent", "2147483647");
    CHECK(read_conditions(system.path()).millidegrees == 61'200);
    zone(1, "battery", "70");
    CHECK(read_conditions(system.path()).millidegrees == 70'000);
    zone(4, "gpuss-0", "45000");
    zone(5, "gpuss-1", "47450");
    zone(6, "gpuss-2", "46000");
    CHECK(read_conditions(system.path()).millidegrees == 47'450);
    CHECK(to_string(read_conditions(system.path())).find("47.4 C") != std::string::npos);
}

TEST_CASE("a rest waits for the temperature where it can be read, and not for ever")
{
    const FakeSystem system;
    int naps = 0;
    const auto count = [&](double) { ++naps; };
    rest({0, 50'000, 300}, system.path(), count);
    CHECK(naps == 0);
    system.put("class/thermal/thermal_zone0/temp", "50000");
    rest({0, 50'000, 300}, system.path(), count);
    CHECK(naps == 0);
    system.put("class/thermal/thermal_zone0/temp", "50001");
    rest({0, 50'000, 0.02}, system.path(), count);
    CHECK(naps == 1);
    rest({0, 50'000, 300}, system.path(), [&](double) {
        ++naps;
        system.put("class/thermal/thermal_zone0/temp", "49000");
    });
    CHECK(naps == 2);
    rest({0.01, {}, 300}, system.path(), count);
    CHECK(naps == 3);
}
