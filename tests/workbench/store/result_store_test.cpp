#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/workbench/store/random_result.hpp"
#include "workbench/store/result_store.hpp"

#include <catch2/catch.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

using namespace texelscope::workbench::store;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

/// Empty where it is no file.
std::string bytes_of(const std::string& path)
{
    if (!std::filesystem::is_regular_file(path)) {
        return "";
    }
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// SQLite itself on a file, without the store.
void sql(const std::string& path, const std::string& text)
{
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closer(handle, sqlite3_close);
    REQUIRE(sqlite3_exec(handle, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
}

std::vector<StoredResult> numbered(std::uint64_t seed, int rows)
{
    std::vector<StoredResult> results;
    for (int i = 0; i < rows; ++i) {
        results.push_back(numbered_result(seed, i));
    }
    return results;
}

auto order_of(const StoredResult& r)
{
    return std::tie(r.op, r.shape, r.padding, r.key.device, r.key.judge, r.config, r.key.driver,
                    r.key.program, r.key.settings, r.key.kernel);
}

} // namespace

TEST_CASE("Rows come back bit by bit, in another process of the file as well")
{
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 13)));
    CAPTURE(seed);
    const TemporaryFolder folder;
    const std::vector<StoredResult> rows = numbered(seed, 40);
    {
        ResultStore store(folder.file("store"));
        CHECK(store.count() == 0);
        CHECK(store.select().empty());
        CHECK_FALSE(store.find(rows[0].key));
        store.put(rows[0]);
        store.put(std::vector(rows.begin() + 1, rows.end()));
    }
    CHECK(folder.entries() == std::vector<std::string>{"store"}); // the log is written back
    const ResultStore store(folder.file("store"), StoreOpening::existing);
    CHECK(store.count() == 40);
    for (const StoredResult& row : rows) {
        const auto found = store.find(row.key);
        REQUIRE(found);
        CHECK(text_of(*found) == text_of(row));
    }
    // Every part of a key counts.
    for (std::string ResultKey::*part :
         {&ResultKey::kernel, &ResultKey::judge, &ResultKey::device, &ResultKey::driver,
          &ResultKey::program, &ResultKey::settings}) {
        ResultKey other = rows[3].key;
        other.*part += "x";
        CHECK_FALSE(store.find(other));
    }
}

TEST_CASE("A selection is what a filter over all rows gives, in one order")
{
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(20, 26)));
    CAPTURE(seed);
    const TemporaryFolder folder;
    std::vector<StoredResult> rows = numbered(seed, 60);
    ResultStore forward(folder.file("forward"));
    forward.put(rows);
    ResultStore backward(folder.file("backward"));
    backward.put(std::vector(rows.rbegin(), rows.rend()));
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });

    Random random(seed);
    for (int i = 0; i < 30; ++i) {
        const ResultFilter filter{
            random.pick<std::string>({"", "matmul", "conv2d", "none"}),
            random.pick<std::string>({"", "64,64,64"}),
            random.pick<std::string>({"", "", "same"}),
            random.pick<std::string>({"", "A' OR 1=1", "größe"}),
            random.pick<std::string>({"", "model"}),
            random.pick<std::string>({"", "", "1"}),
            random.pick<std::string>({"", "0.1.0"}),
            random.pick<std::string>({"", settings_digest("").substr(0, 6), "zz"})};
        std::vector<StoredResult> expected;
        std::copy_if(
            rows.begin(), rows.end(), std::back_inserter(expected), [&](const StoredResult& row) {
                const auto fits = [](const std::string& wanted, const std::string& value) {
                    return wanted.empty() || wanted == value;
                };
                return fits(filter.op, row.op) && fits(filter.shape, row.shape) &&
                       fits(filter.padding, row.padding) && fits(filter.device, row.key.device) &&
                       fits(filter.judge, row.key.judge) && fits(filter.driver, row.key.driver) &&
                       fits(filter.program, row.key.program) &&
                       row.key.settings.starts_with(filter.settings);
            });
        CHECK(texts_of(forward.select(filter)) == texts_of(expected));
        CHECK(texts_of(backward.select(filter)) == texts_of(expected));
        CHECK(forward.count(filter) == static_cast<std::int64_t>(expected.size()));
    }
}

TEST_CASE("A row replaces the one of its key")
{
    const TemporaryFolder folder;
    ResultStore store(folder.file("store"));
    StoredResult row = numbered_result(1, 1);
    store.put(row);
    row.samples_ns = {1, 2, 3};
    row.status = RunStatus::wrong_output;
    row.check.passed = false;
    row.reason = "second";
    store.put(row);
    CHECK(store.count() == 1);
    CHECK(text_of(*store.find(row.key)) == text_of(row));
}

TEST_CASE("Merging keeps the later of two rows, in any order")
{
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(40, 46)));
    CAPTURE(seed);
    const TemporaryFolder folder;
    Random random(seed);
    const std::vector<StoredResult> all = numbered(seed, 30);
    std::map<std::string, StoredResult> latest; // by kernel, which is different in all of them
    std::vector<ResultStore> stores;
    for (int i = 0; i < 3; ++i) {
        stores.emplace_back(folder.file(std::to_string(i)));
        for (StoredResult row : all) {
            if (random.one_in(2)) {
                row.timestamp = "2026-11-22T07:41:0" + std::to_string(i) + "Z";
                row.reason = "store " + std::to_string(i);
                stores.back().put(row);
                latest[row.key.kernel] = row; // later stores have later stamps
            }
        }
    }
    const auto merged = [&](std::vector<std::size_t> order, const std::string& name) {
        ResultStore into(folder.file(name));
        MergeCounts sum;
        std::int64_t rows = 0;
        for (const std::size_t i : order) {
            const MergeCounts counts = into.merge(stores[i]);
            CHECK(counts.added + counts.replaced + counts.kept == stores[i].count());
            sum.added += counts.added;
            rows += stores[i].count();
        }
        CHECK(sum.added == static_cast<std::int64_t>(latest.size()));
        const MergeCounts again = into.merge(stores[order[0]]);
        CHECK(again.added + again.replaced == 0);
        CHECK(into.merge(into).kept == into.count());
        for (const StoredResult& row : into.select()) {
            CHECK(text_of(row) == text_of(latest.at(row.key.kernel)));
        }
        CHECK(into.count() == static_cast<std::int64_t>(latest.size()));
    };
    merged({0, 1, 2}, "up");
    merged({2, 1, 0}, "down");
    merged({1, 2, 0}, "round");
    ResultStore same(folder.file("0")); // a second one on the file
    CHECK(same.merge(stores[0]).kept == stores[0].count());
}

TEST_CASE("Files that are no store are refused in one line and left alone")
{
    const TemporaryFolder folder;
    const std::string ours = folder.file("ours");
    ResultStore(ours).put(numbered(1, 20));

    const std::string text = folder.write("text", "This is a text, and no database at all.\n");
    const std::string page = folder.write("page", std::string(8192, 'x'));
    const std::string foreign = folder.file("foreign");
    sql(foreign, "CREATE TABLE results (kernel TEXT); INSERT INTO results VALUES ('x');");
    const std::string newer = folder.file("newer");
    std::filesystem::copy(ours, newer);
    sql(newer, "PRAGMA user_version = 4");
    const std::string empty = folder.write("empty", "");

    struct Case {
        std::string path, message;
        StoreOpening opening = StoreOpening::create;
    };
    const std::vector<Case> cases{{text, "not a database"},
                                  {page, "not a database"},
                                  {foreign, "a database of another program"},
                                  {newer, "the store has version 4, and this program knows 1 to 3"},
                                  {empty, "the store is empty", StoreOpening::existing},
                                  {folder.file("none"), "no such store", StoreOpening::existing},
                                  {folder.file("no/where"), "unable to open"},
                                  {folder.file(""), "unable to open"},
                                  {"", "has no name"}};
    for (const auto& [path, message, opening] : cases) {
        CAPTURE(path);
        const std::string before = bytes_of(path);
        const auto entries = folder.entries();
        try {
            const ResultStore store(path, opening);
            FAIL("it was opened");
        } catch (const Error& error) {
            CHECK(error.kind() == Error::Kind::bad_input);
            CHECK_THAT(error.what(), Contains(message) && Contains(path));
            CHECK(std::string(error.what()).find('\n') == std::string::npos);
        }
        CHECK(bytes_of(path) == before);
        CHECK(folder.entries() == entries);
    }
    ResultStore(empty).put(numbered_result(1, 1)); // an empty file becomes a store
    CHECK(ResultStore(empty).count() == 1);
}

TEST_CASE("Nothing that a store from elsewhere holds beside its rows is run")
{
    const TemporaryFolder folder;
    const std::string view = folder.file("view");
    ResultStore(view).put(numbered(1, 3));
    // It could as well select without end.
    sql(view, "ALTER TABLE results RENAME TO hidden; CREATE VIEW results AS SELECT * FROM hidden");
    CHECK_THROWS_WITH(ResultStore(view, StoreOpening::existing).select({}),
                      Contains("that this program makes") && Contains(view));

    const std::string trigger = folder.file("trigger");
    ResultStore(trigger).put(numbered_result(1, 0));
    sql(trigger, "CREATE TRIGGER clears AFTER INSERT ON results BEGIN DELETE FROM results; END");
    ResultStore(trigger).put(numbered_result(1, 1));
    CHECK(ResultStore(trigger).count() == 2);
}

TEST_CASE("A damaged store says so, and never ends the program")
{
    const TemporaryFolder folder;
    const std::string ours = folder.file("ours");
    ResultStore(ours).put(numbered(2, 200));
    const std::string good = bytes_of(ours);
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 61)));
    CAPTURE(seed);
    Random random(seed);
    std::string bad = good;
    const auto at =
        static_cast<std::size_t>(random.between(100, static_cast<std::int64_t>(good.size()) - 1));
    if (random.one_in(3)) {
        bad.resize(at);
    } else {
        const auto end =
            std::min(bad.size(), at + static_cast<std::size_t>(random.between(1, 3000)));
        std::generate(bad.begin() + static_cast<std::ptrdiff_t>(at),
                      bad.begin() + static_cast<std::ptrdiff_t>(end),
                      [&] { return static_cast<char>(random.between(0, 255)); });
    }
    const std::string path = folder.write("bad", bad);
    try {
        const ResultStore store(path, StoreOpening::existing);
        for (const StoredResult& row : store.select()) {
            (void)row.median_ns();
        }
    } catch (const Error& error) {
        CHECK(error.kind() == Error::Kind::bad_input);
        CHECK_THAT(error.what(), Contains(path));
    }
}

TEST_CASE("A store of an earlier version is read as it is, and goes on as one of this version")
{
    // Version 2 knows of no reference kernel, 1 of no wall clock either.
    const int version = GENERATE(1, 2);
    CAPTURE(version);
    const TemporaryFolder folder;
    const std::string path = folder.file("store");
    std::vector<StoredResult> rows = numbered(4, 12);
    for (StoredResult& row : rows) {
        row.wall_clock = false;
        row.reference = {};
    }
    ResultStore(path).put(rows);
    sql(path, "ALTER TABLE results DROP COLUMN reference_ns; "
              "ALTER TABLE results DROP COLUMN reference_spread; PRAGMA user_version = 2");
    if (version == 1) {
        sql(path, "ALTER TABLE results DROP COLUMN wall_clock; PRAGMA user_version = 1");
    }
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
    const std::string before = bytes_of(path);
    const auto read = ResultStore(path, StoreOpening::existing).select();
    CHECK(texts_of(read) == texts_of(rows));
    CHECK(bytes_of(path) == before);

    StoredResult another = numbered_result(5, 1);
    another.wall_clock = true;
    another.reference = {1.5e5, 1.25};
    ResultStore store(path);
    store.put(another);
    CHECK(text_of(*store.find(another.key)) == text_of(another));
    CHECK(text_of(*store.find(rows[0].key)) == text_of(rows[0]));
    CHECK(ResultStore(path, StoreOpening::existing).count() == 13);
}

TEST_CASE("A store has a write-ahead log, a version, and rows that SQLite's own tools read")
{
    const TemporaryFolder folder;
    // nothing that SQLite takes for more than a name
    const std::string path = folder.file("a?b=c#:memory:");
    StoredResult row = numbered_result(3, 3);
    row.samples_ns = {4, 1, 2, 3};
    ResultStore(path).put(row);
    CHECK(folder.entries() == std::vector<std::string>{"a?b=c#:memory:"});

    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closer(handle, sqlite3_close);
    const auto value = [&](const char* query) {
        sqlite3_stmt* statement = nullptr;
        REQUIRE(sqlite3_prepare_v2(handle, query, -1, &statement, nullptr) == SQLITE_OK);
        REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
        const std::string text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        sqlite3_finalize(statement);
        return text;
    };
    CHECK(value("PRAGMA journal_mode") == "wal");
    CHECK(value("PRAGMA user_version") == "3");
    CHECK(value("PRAGMA integrity_check") == "ok");
    CHECK(value("SELECT median FROM results") == "2.5");
    CHECK(value("SELECT status FROM results") == to_string(row.status));
    CHECK(value("SELECT length(samples) FROM results") == "32");
}

TEST_CASE("The median of a row")
{
    StoredResult row;
    CHECK(row.median_ns() == 0);
    row.samples_ns = {3};
    CHECK(row.median_ns() == 3);
    row.samples_ns = {5, 1, 2};
    CHECK(row.median_ns() == 2);
    row.samples_ns = {5, std::numeric_limits<double>::quiet_NaN(), 2};
    CHECK(row.median_ns() != row.median_ns());
}

TEST_CASE("A run as a row")
{
    const Operator op = parse_operator("conv2d", "1,8,8,4,4,3,3,1", "same");
    const Schedule schedule = op.default_schedule;
    CheckedRun run;
    run.measurement.samples_ns = {3, 1, 2};
    run.check = {true, 0.5, 1e-7, 1e-6};
    const auto status = [&] { return stored_result({}, op, schedule, run).status; };
    const StoredResult row =
        stored_result({"k", "device", "GPU", "1", "0.1.0", "s"}, op, schedule, run);
    CHECK(row.key == ResultKey{"k", "device", "GPU", "1", "0.1.0", "s"});
    CHECK(row.op == "conv2d");
    CHECK(row.shape == "1,8,8,4,4,3,3,1");
    CHECK(row.padding == "same");
    CHECK(row.config == to_string(schedule));
    CHECK(row.status == RunStatus::ok);
    CHECK(row.reason.empty());
    CHECK(row.median_ns() == 2);
    run.check.passed = false;
    CHECK(status() == RunStatus::wrong_output);
    CHECK_THAT(stored_result({}, op, schedule, run).reason, Contains("differs from the reference"));
    run.measurement.status = RunStatus::timed_out;
    CHECK(status() == RunStatus::timed_out);
    run.measurement.status = RunStatus::unsupported;
    CHECK(status() == RunStatus::unsupported);
    run.measurement.status = RunStatus::failed;
    CHECK(status() == RunStatus::failed);
    run.measurement.status = RunStatus::crashed;
    CHECK(status() == RunStatus::failed);
    run.measurement.status = RunStatus::build_failed;
    CHECK(status() == RunStatus::build_failed);
}

TEST_CASE("The digest of a kernel is of all that runs")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    const auto digest = [&](const char* config) {
        return kernel_digest(loop_nest(op, parse_schedule(config)), TexelBackend::native);
    };
    CHECK(digest("A=row,row;T=4x4;W=8x8;G=8x8x1").size() == 64);
    CHECK(digest("A=row,row;T=4x4;W=8x8;G=8x8x1") == digest("G=8x8;A=row,row;W=8x8;T=4x4"));
    CHECK(digest("A=row,row;T=4x4;W=8x8;G=8x8x1") != digest("A=row,row;T=4x4;W=8x4;G=8x8x1"));
    CHECK(digest("A=row,row;T=4x4;W=8x8;G=8x8x1") != digest("A=row,column;T=4x4;W=8x8;G=8x8x1"));
    const LoopNest nest = loop_nest(op, op.default_schedule);
    CHECK(kernel_digest(nest, TexelBackend::native) != kernel_digest(nest, TexelBackend::record));
}
