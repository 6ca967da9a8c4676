// Probes of what no simulator has - copies, streams, local memory, conditions - on a target whose
// times are formulas.

#include "base/error.hpp"
#include "base/random.hpp"
#include "tests/workbench/probes/bare_target.hpp"
#include "workbench/probes/probe.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace texelscope;
using namespace texelscope::workbench::probes;
using Catch::Matchers::Contains;

namespace {

/// Each sample is off by 5 %, independently.
class FormulaTarget : public test::BareTarget {
public:
    FormulaTarget()
        : BareTarget({.name = "formulas",
                      .compute_units = 3,
                      .max_work_group = 128,
                      .largest_image = {8192, 8192},
                      .local_memory = 32768,
                      .clock_mhz = 500})
    {}

    [[nodiscard]] std::vector<double> chase(const Chase& chase, int samples) override
    {
        REQUIRE(chase.memory == MemorySpace::local);
        return around(40, samples);
    }
    [[nodiscard]] std::vector<double> run(const ReadKernel&, int samples) override
    {
        return around(1, samples);
    }
    [[nodiscard]] std::vector<double> run(const Arithmetic& kernel, int samples) override
    {
        return around(static_cast<double>(kernel.turns), samples);
    }
    /// Numbers a nanosecond: 50 from buffers of up to 64 KB in vectors of 4, a tenth from larger
    /// ones, half in others.
    [[nodiscard]] std::vector<double> run(const Stream& stream, int samples) override
    {
        if (stream.memory == MemorySpace::image && stream.type == TexelType::fp16 &&
            stream.width == 2) {
            throw missing("unsupported: no such format", info().name);
        }
        double rate = stream.width == 4 ? 50 : 25;
        if (stream.memory == MemorySpace::image) {
            rate = stream.type == TexelType::fp32 ? 10 * stream.width : 20 * stream.width;
        } else if (stream.memory == MemorySpace::constant) {
            if (reads_left_out) {
                return around(3000, samples);
            }
            rate = stream.same ? 400 : 4;
        } else if (stream.memory == MemorySpace::local) {
            rate = stream.width == 2 ? 300 : 200;
        } else if (stream.elements * stream.width * 4 > 65536) {
            rate /= 10;
        }
        const double numbers =
            static_cast<double>(stream.reads) * stream.width * stream.local * stream.groups;
        return around(3000 + numbers / rate, samples);
    }
    /// 30 us, and 4 GB/s there, 2 GB/s back; images at half of that.
    [[nodiscard]] std::vector<double> copy(const Transfer& transfer, int samples) override
    {
        const double rate =
            (transfer.to_device ? 4.0 : 2.0) / (transfer.memory == Memory::image ? 2 : 1);
        return around(30000 + static_cast<double>(transfer.bytes) / rate, samples);
    }
    [[nodiscard]] std::vector<double> launch_overhead(int samples) override
    {
        return around(9000, samples);
    }
    [[nodiscard]] Conditions conditions() override
    {
        Conditions now;
        if (clock_readable) {
            now.clock_hz = 400'000'000 + 1'000'000 * ++asked_;
            now.clock_source = "the file";
        }
        return now;
    }

    bool clock_readable = true;
    bool reads_left_out = false; ///< constant memory is read at compile time

private:
    std::vector<double> around(double value, int samples)
    {
        std::vector<double> all;
        for (int i = 0; i < samples; ++i) {
            all.push_back(value * std::exp(0.05 * standard_normal(random_)));
        }
        return all;
    }

    std::mt19937_64 random_{7};
    int asked_ = 0;
};

const Probe& probe_named(const std::string& name)
{
    return *std::find_if(probes().begin(), probes().end(),
                         [&](const Probe& probe) { return probe.name == name; });
}

Known values(const ProbeResult& result)
{
    Known known;
    for (const ProbeFinding& finding : result.findings) {
        UNSCOPED_INFO(finding.key << " = " << finding.value);
        CHECK_FALSE(finding.how.empty());
        known[finding.key] = finding.value;
    }
    return known;
}

constexpr double within = 0.07; // the line through ten sizes, and differences of two launches

} // namespace

TEST_CASE("The line through copies by size is the one that made them")
{
    FormulaTarget target;
    // 512^3 multiply-adds at 200 a nanosecond.
    const ProbeResult result = probe_named("host").run(target, {{"fp32.multiply_adds", 200}}, {});
    Known found = values(result);
    CHECK(found["launch.overhead"] == Approx(9000).epsilon(within));
    CHECK(found["copy.buffer.to.rate"] == Approx(4).epsilon(within));
    CHECK(found["copy.buffer.from.rate"] == Approx(2).epsilon(within));
    CHECK(found["copy.image.to.rate"] == Approx(2).epsilon(within));
    CHECK(found["copy.image.from.rate"] == Approx(1).epsilon(within));
    for (const char* key : {"copy.buffer.to.fixed", "copy.buffer.from.fixed", "copy.image.to.fixed",
                            "copy.image.from.fixed"}) {
        CHECK(found[key] == Approx(30000).epsilon(within));
    }
    const double bytes = 512.0 * 512 * 4;
    const double copying = 2 * (30000 + bytes / 4) + 30000 + bytes / 2;
    CHECK(found["copy.over_compute.sgemm512"] ==
          Approx(copying / (512.0 * 512 * 512 / 200)).epsilon(within));

    const ProbeResult without = probe_named("host").run(target, {}, {});
    CHECK(values(without).count("copy.over_compute.sgemm512") == 0);
    CHECK_THAT(without.notes.back(), Contains("needs fp32.multiply_adds"));
}

TEST_CASE("Rates of streams are those of the target, without what a launch starts with")
{
    FormulaTarget target;
    Known found = values(probe_named("buffer-bandwidth").run(target, {}, {}));
    // the best of several, so a little too good
    CHECK(found["bandwidth.buffer"] == Approx(200).epsilon(2 * within));
    CHECK(found["bandwidth.buffer.large"] == Approx(20).epsilon(within));
    CHECK(found["buffer.vector"] == 4);
    CHECK(found["bandwidth.constant.same"] == Approx(1600).epsilon(2 * within));
    CHECK(found["bandwidth.constant.own"] == Approx(16).epsilon(2 * within));

    found = values(probe_named("local-memory").run(target, {}, {}));
    CHECK(found["latency.local.ns"] == Approx(40).epsilon(within));
    CHECK(found["latency.local"] == Approx(20).epsilon(within));
    CHECK(found["bandwidth.local"] == Approx(1200).epsilon(2 * within));

    const ProbeResult formats =
        probe_named("texel-formats").run(target, {{"l1.capacity", 4096}}, {});
    found = values(formats);
    CHECK(found["texels.rgba.fp32"] == Approx(10).epsilon(within));
    CHECK(found["texels.rgba.uint8"] == Approx(20).epsilon(within));
    CHECK(found["texels.r.fp16"] == Approx(20).epsilon(within));
    CHECK(found.size() == 11);
    REQUIRE(formats.notes.size() == 1);
    CHECK_THAT(formats.notes[0], Contains("fp16 texels, 2 numbers") && Contains("no such format"));
}

TEST_CASE("A rate is not told where the time does not grow with the reads")
{
    FormulaTarget target;
    target.reads_left_out = true;
    const ProbeResult result = probe_named("buffer-bandwidth").run(target, {}, {});
    const Known found = values(result);
    CHECK(found.count("bandwidth.constant.same") == 0);
    CHECK(found.count("bandwidth.constant.own") == 0);
    CHECK(found.at("bandwidth.buffer.large") == Approx(20).epsilon(within));
    REQUIRE(result.notes.size() == 10);
    CHECK_THAT(result.notes[0],
               Contains("constant, same element, 1024 bytes") && Contains("no rate follows"));
    CHECK(result.curves.size() == 2);
}

TEST_CASE("Conditions are told from before to after, and what cannot be read is said")
{
    FormulaTarget target;
    const ProbeResult result = probe_named("conditions").run(target, {}, {});
    Known found = values(result);
    CHECK(found["clock.before"] == 401);
    CHECK(found["clock.after"] == 411);
    CHECK(found.count("temperature.before") == 0);
    CHECK_THAT(result.notes.at(0),
               Contains("before: clock 401 MHz") && Contains("temperature not readable"));
    target.clock_readable = false;
    const ProbeResult nothing = probe_named("conditions").run(target, {}, {});
    CHECK(nothing.findings.empty());
    CHECK_THAT(nothing.notes.at(1), Contains("after: clock not readable"));
}
