#include "base/error.hpp"
#include "base/zstd_stream.hpp"
#include "tests/fuzz/mutation.hpp"
#include "tests/traces/gzip.hpp"
#include "traces/native/file_stream.hpp"

#include <iterator>
#include <sstream>

namespace texelscope::fuzz {
namespace {

std::string in_zstd(const std::string& text)
{
    std::string packed;
    base::ZstdWriter writer([&](std::string_view bytes) { packed += bytes; });
    writer.write(text);
    writer.finish();
    return packed;
}

} // namespace

std::string mutate_packed(const std::string& input, Mutation& mutation)
{
    constexpr std::size_t most_text = std::size_t{1} << 17;
    std::string text;
    try {
        std::istringstream in(input);
        traces::read_stream(in, "input", [&](std::istream& unpacked) {
            text.resize(most_text);
            unpacked.read(text.data(), static_cast<std::streamsize>(most_text));
            text.resize(static_cast<std::size_t>(unpacked.gcount()));
        });
    } catch (const base::Error&) {
        return mutation.bytes(input, mutation.most);
    }
    std::string changed = text.size() > mutation.most ? text : mutation.bytes(text, mutation.most);
    for (std::size_t doubled = mutation.below(8); doubled > 5 && changed.size() < most_text;
         --doubled) {
        changed += changed;
    }
    switch (mutation.below(4)) {
    case 0:
        return test::in_gzip(changed) + (mutation.below(4) == 0 ? test::in_gzip(text) : "");
    case 1:
        return in_zstd(changed) + (mutation.below(4) == 0 ? in_zstd(text) : "");
    case 2:
        return in_zstd(test::in_gzip(changed));
    default:
        return changed;
    }
}

} // namespace texelscope::fuzz
