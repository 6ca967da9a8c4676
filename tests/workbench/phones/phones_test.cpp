// Phones without a phone: which profile is nearest, what a record keeps on its way through a file,
// and which measurements count.

#include "base/error.hpp"
#include "tests/base/random.hpp"
#include "tests/base/temporary_folder.hpp"
#include "workbench/phones/nearest_profile.hpp"
#include "workbench/phones/phone_kernels.hpp"
#include "workbench/phones/phone_record.hpp"
#include "workbench/phones/phone_tasks.hpp"
#include "workbench/store/phone_results.hpp"
#include "workbench/store/result_clocks.hpp"
#include "workbench/store/result_files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace texelscope::test;
using namespace texelscope::workbench::phones;
using Catch::Matchers::Contains;

namespace {

OpenClDeviceInfo device(const std::string& name, const std::string& vendor = {})
{
    OpenClDeviceInfo info;
    info.name = name;
    info.vendor = vendor;
    info.driver = "1.0";
    info.max_work_group = 1024;
    info.max_work_item_sizes = {1024, 1024, 1024};
    info.images = true;
    info.image_width = info.image_height = 16384;
    info.local_memory = 32768;
    return info;
}

StoredResult result(const std::string& kernel, double ns, ReferenceTimes reference = {},
                    RunStatus status = RunStatus::ok)
{
    StoredResult one;
    one.key = {kernel, "device", "Adreno 740", "1.0", "0.1", "s"};
    one.op = "matmul";
    one.shape = "64,64,64";
    one.config = "A=row,column;T=4x4;W=8x8;G=8x8x1";
    one.status = status;
    one.check.passed = status == RunStatus::ok;
    one.samples_ns = {ns, 2 * ns, 3 * ns};
    one.reference = reference;
    return one;
}

PhoneRecord random_phone(Random& random)
{
    PhoneRecord phone;
    phone.program = "0.1";
    phone.month = "2026-11";
    phone.simulated = random.between(0, 1) == 1;
    phone.device.info =
        device("GPU \"" + std::to_string(random.between(0, 999)) + "\"", "a <vendor>");
    phone.device.info.index = 0;
    phone.device.extensions = {"cl_khr_fp16", "cl_khr_x"};
    phone.device.formats = {"CL_RGBA CL_FLOAT"};
    ProbeRecord probe;
    probe.name = "image-caches";
    probe.seconds = 1.5;
    probe.result.findings = {{"l1.capacity", 1024, "B", "a step", {}}};
    phone.probes = {probe};
    if (random.between(0, 1) == 1) {
        MeasuredWalks walks;
        walks.extent = {64, 32};
        walks.walks = {{3, {{1, 2}, {63, 31}}}, {7, {{0, 0}}}};
        walks.ns_per_read = {81.25, 90};
        phone.walks = walks;
    } else {
        phone.no_walks = "no images";
    }
    for (int i = 0; i < 5; ++i) {
        StoredResult one =
            result("k" + std::to_string(i), 1000.0 + static_cast<double>(random.between(0, 999)),
                   {150e3, 1.01});
        one.key.device = phone.device.info.name;
        phone.kernels.push_back(one);
    }
    return phone;
}

} // namespace

TEST_CASE("the nearest profile of a device is its own, or one of its family with all assumed")
{
    const std::map<std::string, std::pair<std::string, bool>> nearest{
        {"QUALCOMM Adreno(TM) 740", {"adreno-740", true}},
        {"QUALCOMM Adreno(TM) 725", {"adreno-730", false}},
        {"QUALCOMM Adreno(TM) 830", {"adreno-750", false}},
        {"QUALCOMM Adreno(TM) 506", {"adreno-540", false}},
        {"Mali-G77", {"mali-g77", true}},
        {"Mali-G57 MC2", {"mali-g77", false}},
        {"Mali-G68", {"mali-g78", false}},
        {"Mali-G715-Immortalis MC11", {"mali-g710", false}},
        {"NVIDIA A100", {"nvidia-h100", false}}};
    for (const auto& [name, expected] : nearest) {
        CAPTURE(name);
        const NearestProfile found = nearest_profile(device(name));
        CHECK(found.profile.name == expected.first);
        CHECK(found.same == expected.second);
        const bool all_assumed = std::ranges::all_of(found.profile.values, [](const auto& value) {
            return value.second.provenance == Provenance::assumed &&
                   value.second.source.starts_with("of ");
        });
        CHECK(all_assumed == !expected.second);
        // What it computes with is what the values say, and a file keeps it.
        CHECK(parse_profile(to_xml(found.profile), "there").values == found.profile.values);
    }
    CHECK_THROWS_WITH(nearest_profile(device("PowerVR Rogue")),
                      Contains("nothing is known") && Contains("--base"));
}

TEST_CASE("kernels for a phone are of seven operators and both memories, within its limits")
{
    OpenClDeviceInfo small = device("Adreno 740");
    small.max_work_group = 128;
    const auto kernels = phone_kernels(find_profile("adreno-740"), small, 60, 1);
    CHECK(kernels.size() == 60);
    std::map<std::string, int> operators;
    std::set<std::string> different;
    int buffers = 0;
    for (const PhoneKernel& kernel : kernels) {
        ++operators[kernel.op.name];
        different.insert(to_string(kernel.op) + to_string(kernel.schedule));
        buffers += kernel.schedule.memory.empty() ? 0 : 1;
        CHECK(kernel.schedule.group[0] * kernel.schedule.group[1] * kernel.schedule.group[2] *
                  kernel.schedule.split <=
              128);
    }
    CHECK(operators.size() == 7);
    CHECK(different.size() == 60);
    CHECK(buffers >= 20);
    CHECK(buffers <= 40);
    CHECK(phone_kernels(find_profile("adreno-740"), small, 60, 1)[40].schedule ==
          kernels[40].schedule);
}

TEST_CASE("of several measurements of a kernel those at the highest clock count, together")
{
    const ReferenceTimes fast{100e3, 1.01}, nearly{104e3, 1.02}, slow{309e3, 1.01},
        changed{100e3, 2.5};
    const std::vector<StoredResult> best = at_highest_clock(
        {result("a", 10, slow), result("a", 3, fast), result("a", 4, nearly), result("b", 9, slow),
         result("b", 5, changed), result("c", 5, changed), result("d", 0, {}, RunStatus::failed),
         result("d", 7, slow), result("e", 8)});
    REQUIRE(best.size() == 5);
    CHECK(best[0].samples_ns == std::vector<double>{3, 6, 9, 4, 8, 12});
    CHECK(best[1].samples_ns.front() == 9);
    CHECK(best[2].samples_ns.front() == 5);
    CHECK(best[3].status == RunStatus::ok);
    CHECK(best[4].samples_ns.front() == 8);
    const auto clocks = result_clocks(
        {result("a", 1, fast), result("b", 1, slow), result("c", 1, changed), result("d", 1)});
    CHECK(clocks[0].highest());
    CHECK(clocks[1].clock == Approx(1 / 3.09));
    CHECK_FALSE(clocks[1].highest());
    CHECK_FALSE(clocks[2].steady);
    CHECK(clocks[3].highest());
}

TEST_CASE("a phone comes back from a file as it was, and is in a merged file once")
{
    Random random(5);
    const TemporaryFolder folder;
    std::vector<PhoneRecord> phones;
    for (int i = 0; i < 4; ++i) {
        phones.push_back(random_phone(random));
    }
    write_phones(folder.file("a.json.zst"), {phones[0], phones[1]});
    write_phones(folder.file("b.json"), {phones[1], phones[2], phones[3]});
    const auto merged = merged_phones({folder.file("a.json.zst"), folder.file("b.json")});
    REQUIRE(merged.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(to_json(merged[i]) == to_json(phones[i]));
    }
    write_phones(folder.file("all.json.gz"), merged);
    // Those who want the kernels alone read the same file.
    const auto results = read_results(folder.file("all.json.gz"));
    CHECK(results.size() == 20);
    std::set<std::string> settings;
    for (const StoredResult& one : results) {
        settings.insert(one.key.settings);
    }
    CHECK(settings.size() == 4); // phones stay apart
    CHECK_THROWS_WITH(read_phones(folder.write("c.json", "{\"phones\": []}")),
                      Contains("c.json") && Contains("no collection of phones"));
    CHECK_THROWS_WITH(
        read_phones(
            folder.write("d.json", "{\"schema\": \"texelscope.phones/2\", \"phones\": []}")),
        Contains("texelscope.phones/2") && Contains("this program reads texelscope.phones/1"));
}

TEST_CASE("results become tasks of the device that a profile describes")
{
    std::vector<StoredResult> results;
    for (int i = 0; i < 6; ++i) {
        results.push_back(result("k", 100 + i, {100e3, 1}));
    }
    results[4].config = "A=row,column;T=4x1;W=8x8;G=8x8x1";
    results[5].config = "A=row,column;T=4x2;W=8x8;G=8x8x1";
    StoredResult other = results[0];
    other.key.device = "Nobody's GPU";
    results.push_back(other);
    results.push_back(result("slow", 900, {300e3, 1}));
    results.push_back(result("failed", 900, {}, RunStatus::failed));
    std::map<std::string, std::int64_t> left_out;
    const auto tasks = tasks_of_results(results, "", left_out);
    REQUIRE(tasks.size() == 1);
    CHECK(tasks[0].device == "adreno-740");
    CHECK(tasks[0].op == "matmul");
    CHECK(tasks[0].dtype == "float32");
    REQUIRE(tasks[0].kernels.size() == 3);
    CHECK(tasks[0].kernels[0].ns == 2 * 101.5); // the median of four phones
    const auto& counts = tasks[0].kernels[0].kernel.counts;
    CHECK(counts.multiply_adds == 64. * 64 * 64);
    CHECK(counts.work_items == 16 * 16);
    CHECK(counts.outputs == 16);
    // Four rows of A and four texels' columns of B for each of 64 steps of four.
    CHECK(counts.reads() == 16 * 16 * 64. * 2);
    CHECK(left_out.size() == 3);
    for (const auto& [reason, count] : left_out) {
        CHECK(count == 1);
    }
    const auto on_named = tasks_of_results(results, "mali-g77", left_out);
    REQUIRE(on_named.size() == 1);
    CHECK(on_named[0].device == "mali-g77");
}
