// Several processes at one store, and processes that are killed.

#include "tests/base/temporary_folder.hpp"
#include "tests/workbench/store/random_result.hpp"
#include "workbench/store/result_store.hpp"

#include <catch2/catch.hpp>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <thread>

using namespace texelscope::workbench::store;
using namespace texelscope::test;

namespace {

/// Runs work in a process of its own, which ends with 0 where it does not throw. The child never
/// comes back from here.
pid_t in_child(const std::function<void()>& work)
{
    const pid_t child = fork();
    if (child == 0) {
        try {
            work();
        } catch (const std::exception& error) {
            (void)!write(STDERR_FILENO, error.what(), std::string(error.what()).size());
            _exit(1);
        }
        _exit(0);
    }
    REQUIRE(child > 0);
    return child;
}

int status_of(pid_t child)
{
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
}

void check_integrity(const std::string& path)
{
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
    std::string answer;
    sqlite3_exec(
        handle, "PRAGMA integrity_check",
        [](void* into, int, char** values, char**) {
            *static_cast<std::string*>(into) += values[0];
            return 0;
        },
        &answer, nullptr);
    CHECK(answer == "ok");
    sqlite3_close(handle);
}

} // namespace

TEST_CASE("Processes that write to one new store at once lose nothing")
{
    const TemporaryFolder folder;
    const std::string path = folder.file("store");
    constexpr int processes = 4;
    constexpr int rows = 50;
    std::vector<pid_t> children;
    for (int process = 0; process < processes; ++process) {
        children.push_back(in_child([&, process] {
            ResultStore store(path);
            for (int i = 0; i < rows; ++i) {
                store.put(numbered_result(7, process * rows + i)); // of its own
                store.put(numbered_result(8, i));                  // the same ones in all processes
            }
        }));
    }
    for (const pid_t child : children) {
        CHECK(status_of(child) == 0);
    }
    const ResultStore store(path, StoreOpening::existing);
    CHECK(store.count() == processes * rows + rows);
    for (int i = 0; i < processes * rows; ++i) {
        const StoredResult row = numbered_result(7, i);
        const auto found = store.find(row.key);
        REQUIRE(found);
        CHECK(text_of(*found) == text_of(row));
    }
    check_integrity(path);
}

TEST_CASE("A reader sees whole transactions while another process writes")
{
    const TemporaryFolder folder;
    const std::string path = folder.file("store");
    constexpr int batch = 10;
    ResultStore store(path);
    const pid_t child = in_child([&] {
        ResultStore writer(path);
        for (int i = 0; i < 40; ++i) {
            std::vector<StoredResult> rows;
            for (int j = 0; j < batch; ++j) {
                rows.push_back(numbered_result(9, batch * i + j));
            }
            writer.put(rows);
        }
    });
    std::int64_t last = 0;
    while (last < 40 * batch) {
        const std::int64_t count = store.count();
        CHECK(count >= last);
        CHECK(count % batch == 0);
        last = count;
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) {
            CHECK(status == 0);
            CHECK(store.count() == 40 * batch);
            return;
        }
    }
    CHECK(status_of(child) == 0);
}

TEST_CASE("A store outlives the killing of its writer with everything that was put")
{
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 13)));
    CAPTURE(seed);
    Random random(seed);
    const TemporaryFolder folder;
    const std::string path = folder.file("store");
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    const auto number = [&](int i) { // large rows, so that many pages are under way
        StoredResult row = numbered_result(seed, i);
        row.samples_ns.resize(static_cast<std::size_t>(1 + i * 37 % 3000), i);
        return row;
    };
    const pid_t child = in_child([&] {
        ResultStore store(path);
        for (int i = 0;; ++i) {
            store.put(number(i));
            if (write(ends[1], &i, sizeof i) != sizeof i) {
                return;
            }
        }
    });
    close(ends[1]);
    int done = -1;
    const int enough = random.small(0, 60);
    while (done < enough) {
        REQUIRE(read(ends[0], &done, sizeof done) == sizeof done);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.between(0, 5000)));
    kill(child, SIGKILL);
    CHECK(WIFSIGNALED(status_of(child)));
    while (read(ends[0], &done, sizeof done) == sizeof done) { // what it still said that it had put
    }
    close(ends[0]);

    check_integrity(path);
    ResultStore store(path);
    const auto count = static_cast<int>(store.count());
    CHECK(count >= done + 1);
    CHECK(count <= done + 2); // one may have been put without having been reported
    for (int i = 0; i < count; ++i) {
        const auto found = store.find(number(i).key);
        REQUIRE(found);
        CHECK(text_of(*found) == text_of(number(i)));
    }
    store.put(number(count));
    CHECK(store.count() == count + 1);
}

TEST_CASE("Killing a process while it makes a store, or puts many rows, leaves all of them or none")
{
    const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 21)));
    CAPTURE(seed);
    Random random(seed);
    const TemporaryFolder folder;
    const std::string path = folder.file("store");
    constexpr int batch = 300;
    std::vector<StoredResult> rows;
    for (int i = 0; i < batch; ++i) {
        rows.push_back(numbered_result(seed, i));
    }
    const pid_t child = in_child([&] { ResultStore(path).put(rows); });
    std::this_thread::sleep_for(std::chrono::microseconds(random.between(0, 25'000)));
    kill(child, SIGKILL);
    (void)status_of(child);
    ResultStore store(path);
    const std::int64_t count = store.count();
    CHECK((count == 0 || count == batch));
    store.put(rows);
    CHECK(store.count() == batch);
    check_integrity(path);
}
