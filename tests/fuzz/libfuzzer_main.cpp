// What libFuzzer calls. One program holds all readers; its name, fuzz_NAME, says which one it is.

#include "tests/fuzz/entries.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace texelscope::fuzz;

/// Where the counts of lines go, unless LLVM_PROFILE_FILE says so: nowhere.
extern "C" const char __llvm_profile_filename[] =
    "/dev/null"; // NOLINT(bugprone-reserved-identifier)

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const Reader* chosen = nullptr;
const bool only_good = std::getenv("TEXELSCOPE_FUZZ_ACCEPT") != nullptr;

std::string text_of(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

std::string mutated_bytes(std::string bytes, std::size_t most)
{
    const std::size_t size = std::min(bytes.size(), most);
    bytes.resize(std::max<std::size_t>(most, 1));
    bytes.resize(
        LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
    return bytes;
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** arguments)
{
    const std::string program((*arguments)[0]);
    const std::string file = program.substr(program.find_last_of('/') + 1);
    constexpr std::string_view prefix = "fuzz_";
    for (const Reader& reader : readers()) {
        if (file.starts_with(prefix) && file.substr(prefix.size()) == reader.name) {
            chosen = &reader;
            return 0;
        }
    }
    std::fprintf(stderr, "%s: there is no such reader; run it by a link that is called fuzz_NAME\n",
                 file.c_str());
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const bool good = chosen->entry({reinterpret_cast<const char*>(data), size});
    if (only_good && !good) { // tools/fuzz_coverage names what it keeps by this
        std::_Exit(1);
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    constexpr unsigned blindly = 8; // one in so many
    if (chosen->mutator == nullptr || seed % blindly == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    Mutation mutation{std::minstd_rand(seed), most, mutated_bytes};
    const std::string input = text_of(data, size);
    std::string changed = chosen->mutator(input, mutation);
    if (changed.size() > most || changed == input) {
        return LLVMFuzzerMutate(data, size, most);
    }
    std::memcpy(data, changed.data(), changed.size());
    return changed.size();
}
