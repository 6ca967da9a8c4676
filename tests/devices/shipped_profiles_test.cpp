#include "base/error.hpp"
#include "devices/profile/builtin_profiles.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/options/occupancy.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace texelscope::devices;
using Catch::Matchers::Contains;

TEST_CASE("the shipped profiles are there, by name in ascending order")
{
    const auto names = profile_names();
    CHECK(std::is_sorted(names.begin(), names.end()));
    for (const char* name :
         {"adreno-540", "adreno-630", "adreno-640", "adreno-650", "adreno-740", "adreno-750",
          "mali-g71", "mali-g72", "mali-g76", "mali-g77", "mali-g77-tmmodel", "mali-g78",
          "mali-g710", "nvidia-h100", "nvidia-h200", "pocl-cpu"}) {
        CHECK(std::count(names.begin(), names.end(), name) == 1);
    }
    CHECK(names.size() == builtin_profiles().size());
    CHECK_THROWS_WITH(find_profile("adreno-6400"), Contains("adreno-640,") && Contains("pocl-cpu"));
}

TEST_CASE("every shipped profile gives every key of a device, each with a source")
{
    // These belong to a kernel or to a run, or say how random replacement is seeded.
    const std::set<std::string> not_of_a_device{"registers.per_item",
                                                "registers.warps",
                                                "registers.spilled",
                                                "registers.spill_accesses",
                                                "local.warps",
                                                "cores.simulated",
                                                "occupancy",
                                                "mode",
                                                "misses.kinds",
                                                "jump",
                                                "l1.seed",
                                                "alu.cycles_per_step",
                                                "l2.seed"};
    for (const std::string& name : profile_names()) {
        INFO(name);
        const DeviceProfile profile = find_profile(name);
        CHECK(profile.name == name);
        CHECK_FALSE(profile.description.empty());
        CHECK_NOTHROW(validate(profile.simulation));
        for (const Setting& setting : profile_keys()) {
            INFO(setting.key);
            if (setting.key.starts_with("model.")) {
                continue; // known of one device
            }
            if ((!name.starts_with("adreno") || name == "adreno-540") &&
                (setting.key.starts_with("limits.local_memory") ||
                 setting.key == "limits.instruction_cache")) {
                continue; // Mesa states them for Adreno from the 6xx on
            }
            if (name == "pocl-cpu" && setting.key == "limits.registers_per_item") {
                continue; // what finds no register of a CPU is in its first-level cache
            }
            CHECK(profile.values.contains(setting.key) != not_of_a_device.contains(setting.key));
        }
        for (const auto& [key, value] : profile.values) {
            INFO(key);
            CHECK(value.source.size() > 3);
        }
        DeviceProfile from_file = profile;
        from_file.machines.clear(); // which are files of their own
        CHECK(parse_profile(to_xml(profile), name) == from_file);
    }
}

TEST_CASE("the Adreno 740's profile points to the published layout of its generation")
{
    const DeviceProfile profile = find_profile("adreno-740");
    CHECK(to_string(profile.simulation.machine.layout) == "4x4:morton,2x4:row,row");
    const std::string name = "adreno-a6xx-a7xx-tile3-8ch";
    CHECK_THAT(profile.values.at("layout").source, Contains("layout=" + name));
    CHECK(parse_layout(name) == LayoutSpec(NamedLayout{name}));
}

TEST_CASE("the Adreno 640's profile has what its publications say")
{
    const SimulationOptions options = find_profile("adreno-640").simulation;
    CHECK(options.machine.l1().geometry.capacity == Bytes{1024});
    CHECK(options.machine.l1().geometry.line == Bytes{32});
    CHECK(options.machine.l1().geometry.sets() == 2);
    CHECK(options.machine.l2().geometry.capacity == Bytes{128 * 1024});
    // 130.1 ns at 585 MHz, to the nearest cycle.
    CHECK(static_cast<double>(options.machine.l1().latency.value) ==
          Approx(130.1 * 585 / 1000).margin(0.5));
    CHECK(*options.machine.registers_per_core * 4 == 294912);
}

TEST_CASE("the two Mali-G77 profiles differ where their sources do")
{
    const SimulationOptions datasheet = find_profile("mali-g77").simulation;
    SimulationOptions paper = find_profile("mali-g77-tmmodel").simulation;
    CHECK(datasheet.machine.l1().geometry.capacity == Bytes{32768});
    CHECK(paper.machine.l1().geometry.capacity == Bytes{8192});
    CHECK(datasheet.machine.warp_size * datasheet.machine.warps_per_core ==
          paper.machine.warp_size * paper.machine.warps_per_core);
    paper.machine.l1().geometry.capacity = datasheet.machine.l1().geometry.capacity;
    paper.machine.warp_size = datasheet.machine.warp_size;
    paper.machine.warps_per_core = datasheet.machine.warps_per_core;
    CHECK(paper == datasheet);
}

TEST_CASE("layouts that Adreno profiles point to are published ones")
{
    const std::string pointer = "layout=";
    int pointing = 0;
    for (const std::string& name : profile_names()) {
        const std::string source = find_profile(name).values.at("layout").source;
        const auto at = source.find(pointer);
        if (at != std::string::npos) {
            INFO(name);
            const std::string rest = source.substr(at + pointer.size());
            const std::string layout = rest.substr(0, rest.find_first_of(", "));
            CHECK(parse_layout(layout) == LayoutSpec(NamedLayout{layout}));
            ++pointing;
        }
    }
    CHECK(pointing >= 5);
}

TEST_CASE("measured rates are those of their publications, by the clock of the profile")
{
    const auto per_second = [](const char* name, const char* key) {
        const DeviceProfile profile = find_profile(name);
        return std::stod(profile.values.at(key).text) * std::stod(profile.values.at("clock").text) *
               1e6;
    };
    // Romou, section 5.2 and table 2: Adreno 630
    CHECK(per_second("adreno-630", "bandwidth.lookups") * 32 * 2 == Approx(145e9).epsilon(0.02));
    CHECK(per_second("adreno-630", "bandwidth.l2") == Approx(79e9).epsilon(0.01));
    CHECK(per_second("adreno-630", "bandwidth.memory") == Approx(26e9).epsilon(0.01));
    // section 5.3 and table 2: Mali G76; 190 GFLOPS
    CHECK(per_second("mali-g76", "bandwidth.l2") == Approx(30e9).epsilon(0.01));
    CHECK(per_second("mali-g76", "bandwidth.memory") == Approx(11e9).epsilon(0.01));
    CHECK(per_second("mali-g76", "alu.lanes") * 2 * 5 == Approx(190e9).epsilon(0.02));
    // Jiang et al., table 1: Mali G72 MP12, 220.2 GFLOPS
    CHECK(per_second("mali-g72", "alu.lanes") * 2 * 12 == Approx(220.2e9).epsilon(0.01));
    // What probes measured on the H100 is near the peaks of its white paper, 67 TFLOPS and 3.35
    // TB/s, and not above them.
    const auto share = [](double measured, double peak) { return measured / peak; };
    const double arithmetic = share(per_second("nvidia-h100", "alu.lanes") * 2 * 132, 67e12);
    CHECK((arithmetic > 0.9 && arithmetic < 1));
    const double memory = share(per_second("nvidia-h100", "bandwidth.memory"), 3.35e12);
    CHECK((memory > 0.8 && memory < 1));
    // experiments/measurements/h100-probe: 60.07 ns, 180.13 ns, 382.95 ns
    const SimulationOptions h100 = find_profile("nvidia-h100").simulation;
    CHECK(static_cast<double>(h100.machine.l1().latency.value) == Approx(60.07 * 1.98).margin(0.5));
    CHECK(static_cast<double>(h100.machine.l2().latency.value) ==
          Approx(180.13 * 1.98).margin(0.5));
    CHECK(static_cast<double>(h100.machine.timing.memory_latency.value) ==
          Approx(382.95 * 1.98).margin(0.5));
}

TEST_CASE("registers and resident threads of the Mali profiles fit each other")
{
    for (const char* name :
         {"mali-g71", "mali-g72", "mali-g76", "mali-g77", "mali-g78", "mali-g710"}) {
        INFO(name);
        const SimulationOptions options = find_profile(name).simulation;
        const auto threads =
            static_cast<std::int64_t>(options.machine.warp_size) * options.machine.warps_per_core;
        const std::int64_t registers = *options.machine.registers_per_core;
        // As many threads as the core holds have 32 registers each, or all of the 64 that a thread
        // can have.
        CHECK((registers == 32 * threads || registers == 64 * threads));
        CHECK(options.machine.l1().geometry.line == Bytes{64});
    }
}

TEST_CASE("the occupancy of Mali profiles is the datasheet's: all threads up to 32 registers, half "
          "of them above")
{
    struct Row {
        const char* name;
        int warps, warps_above_32;
    };
    // Threads over those of a warp: 384 / 4, 768 / 8, 1024 / 16, 2048 / 16, and 1024 / 32 in the
    // paper's view of the G77.
    for (const auto& [name, warps, above] :
         {Row{"mali-g71", 96, 96}, Row{"mali-g72", 96, 96}, Row{"mali-g76", 96, 48},
          Row{"mali-g77", 64, 32}, Row{"mali-g77-tmmodel", 32, 16}, Row{"mali-g78", 64, 32},
          Row{"mali-g710", 128, 64}}) {
        SimulationOptions options = find_profile(name).simulation;
        for (const int registers : {17, 32, 33, 47, 64, 113}) {
            CAPTURE(name, registers);
            options.kernel.registers_per_item = registers;
            CHECK(occupancy(options).warps == (registers <= 32 ? warps : above));
        }
    }
    // 73728 registers in two parts, by fours
    SimulationOptions adreno = find_profile("adreno-640").simulation;
    adreno.kernel.registers_per_item = 113;
    CHECK(occupancy(adreno).warps == 73728 / 2 / (116 * 64) * 2);
}
