#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

using namespace texelscope;
using namespace texelscope::base;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string contents(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace

TEST_CASE("an atomic write creates and replaces files and leaves nothing else")
{
    const TemporaryFolder folder;
    const std::string path = folder.file("result.bin");
    std::string bytes(100'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(i * 7U % 251U);
    }
    write_file_atomically(path, bytes);
    CHECK(contents(path) == bytes);
    write_file_atomically(path, "short");
    CHECK(contents(path) == "short");
    write_file_atomically(path, "");
    CHECK(contents(path).empty());
    CHECK(folder.entries() == std::vector<std::string>{"result.bin"});
}

TEST_CASE("a file whose name is as long as a name can be is written")
{
    const TemporaryFolder folder;
    const std::string name(255, 'n');
    write_file_atomically(folder.file(name), "x");
    CHECK(contents(folder.file(name)) == "x");
    CHECK(folder.entries() == std::vector<std::string>{name});
}

TEST_CASE("permissions and links outlive an atomic write")
{
    const TemporaryFolder folder;
    put(folder.file("real"), "old");
    REQUIRE(::chmod(folder.file("real").c_str(), 0640) == 0);
    fs::create_symlink("real", folder.file("link"));
    write_file_atomically(folder.file("link"), "new");
    CHECK(fs::is_symlink(folder.file("link")));
    CHECK_FALSE(fs::is_symlink(folder.file("real")));
    CHECK(contents(folder.file("real")) == "new");
    struct stat status {};
    REQUIRE(::stat(folder.file("real").c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == 0640U);
    CHECK(folder.entries() == std::vector<std::string>{"link", "real"});
}

TEST_CASE("a directory in the way stays, and the error names it")
{
    const TemporaryFolder folder;
    fs::create_directory(folder.file("taken"));
    put(folder.file("taken") + "/inside", "kept");
    CHECK_THROWS_WITH(write_file_atomically(folder.file("taken"), "x"),
                      Catch::Contains(folder.file("taken")) && Catch::Contains("Is a directory"));
    CHECK(contents(folder.file("taken") + "/inside") == "kept");
    CHECK(folder.entries() == std::vector<std::string>{"taken"});
}

TEST_CASE("a folder that does not exist is an error that names the path")
{
    const TemporaryFolder folder;
    const std::string path = folder.file("absent/file");
    CHECK_THROWS_WITH(write_file_atomically(path, "x"),
                      Catch::Contains(path) && Catch::Contains("No such file or directory"));
    CHECK_THROWS_AS(write_file_atomically("", "x"), Error);
    CHECK(folder.entries().empty());
}

TEST_CASE("a folder that may not be written to keeps the old file")
{
    if (::geteuid() == 0) {
        WARN("not run: root may write everywhere");
        return;
    }
    const TemporaryFolder folder;
    put(folder.file("file"), "old");
    REQUIRE(::chmod(folder.file("").c_str(), 0555) == 0);
    CHECK_THROWS_WITH(write_file_atomically(folder.file("file"), "new"),
                      Catch::Contains("Permission denied"));
    REQUIRE(::chmod(folder.file("").c_str(), 0755) == 0);
    CHECK(contents(folder.file("file")) == "old");
    CHECK(folder.entries() == std::vector<std::string>{"file"});
}

TEST_CASE("a write that fails half-way keeps the old file and leaves no temporary")
{
    // Writes past the limit on the size of files fail for every user, root included; in a process
    // of its own, since the limit and its signal hold for the whole process.
    const TemporaryFolder folder;
    put(folder.file("file"), "old");
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const struct rlimit limit {
            4096, 4096
        };
        ::signal(SIGXFSZ, SIG_IGN);
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) {
            ::_exit(3);
        }
        try {
            write_file_atomically(folder.file("file"), std::string(100'000, 'x'));
        } catch (const Error& error) {
            ::_exit(std::string(error.what()).find("File too large") != std::string::npos ? 0 : 1);
        }
        ::_exit(2); // no error
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(contents(folder.file("file")) == "old");
    CHECK(folder.entries() == std::vector<std::string>{"file"});
}

TEST_CASE("a process that is killed while it writes leaves the old file alone")
{
    const TemporaryFolder folder;
    const int unnamed = ::open(folder.file("").c_str(), O_WRONLY | O_TMPFILE, 0600);
    if (unnamed < 0) {
        WARN("not run: this file system has no files without a name");
        return;
    }
    ::close(unnamed);
    put(folder.file("file"), "old");
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        AtomicFile file(folder.file("file"));
        file.write("half of it");
        ::kill(::getpid(), SIGKILL);
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(contents(folder.file("file")) == "old");
    CHECK(folder.entries() == std::vector<std::string>{"file"});
}

TEST_CASE("a device is written to, not replaced")
{
    const TemporaryFolder folder;
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    std::string read;
    std::thread reader([&] { read = contents(folder.file("pipe")); });
    write_file_atomically(folder.file("pipe"), "through");
    reader.join();
    CHECK(read == "through");
    CHECK(fs::is_fifo(folder.file("pipe")));
    CHECK(folder.entries() == std::vector<std::string>{"pipe"});
}

TEST_CASE("a leftover temporary of an interrupted run is not in the way")
{
    const TemporaryFolder folder;
    const std::string leftover = ".texelscope-" + std::to_string(::getpid()) + "-0.tmp";
    put(folder.file(leftover), "leftover");
    write_file_atomically(folder.file("file"), "x");
    CHECK(contents(folder.file("file")) == "x");
    CHECK(contents(folder.file(leftover)) == "leftover");
}

TEST_CASE("writers at the same time leave the whole text of one of them")
{
    const TemporaryFolder folder;
    std::vector<std::thread> writers;
    for (char letter = 'a'; letter < 'e'; ++letter) {
        writers.emplace_back([&folder, letter] {
            for (int i = 0; i < 20; ++i) {
                write_file_atomically(folder.file("file"), std::string(10'000, letter));
            }
        });
    }
    for (std::thread& writer : writers) {
        writer.join();
    }
    const std::string text = contents(folder.file("file"));
    REQUIRE(text.size() == 10'000);
    CHECK(text == std::string(10'000, text.front()));
    CHECK(folder.entries() == std::vector<std::string>{"file"});
}
