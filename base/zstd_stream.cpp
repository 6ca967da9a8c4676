#include "base/zstd_stream.hpp"

#include "base/error.hpp"
#include "base/zstd_result.hpp"

#include <zstd.h>

#include <cstdint>
#include <utility>

namespace texelscope::base {
namespace {

constexpr auto checked = checked_zstd<std::ios_base::failure>;

} // namespace

void check_unpacked(std::uint64_t unpacked, std::uint64_t packed, const std::string& name,
                    const std::string& program)
{
    constexpr std::uint64_t always = std::uint64_t{64} << 20, most_times = 4096;
    if (unpacked > always && unpacked / most_times > packed) {
        throw bad_input("it unpacks to more than 4,096 times its size", name,
                        "unpack it with " + program + " -d first");
    }
}

struct ZstdSource::State {
    State(std::istream& stream, std::string file)
        : in(stream), name(std::move(file)), packed(ZSTD_DStreamInSize(), '\0')
    {}

    std::istream& in;
    std::string name;
    std::uint64_t packed_bytes = 0, unpacked_bytes = 0; ///< so far
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context =
        zstd_context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
    std::string packed;
    ZSTD_inBuffer input{packed.data(), 0, 0};
    bool within_frame = true; ///< no frame at all is no zstd either
};

ZstdSource::ZstdSource(std::istream& in, std::string name)
    : state_(std::make_shared<State>(in, std::move(name)))
{}

std::streamsize ZstdSource::read(char* bytes, std::streamsize count)
{
    State& state = *state_;
    ZSTD_outBuffer output{bytes, static_cast<std::size_t>(count), 0};
    while (output.pos == 0 && count > 0) {
        if (state.input.pos == state.input.size) {
            state.in.read(state.packed.data(), static_cast<std::streamsize>(state.packed.size()));
            state.input = {state.packed.data(), static_cast<std::size_t>(state.in.gcount()), 0};
            state.packed_bytes += state.input.size;
        }
        const bool ended = state.input.size == 0;
        // The end of the input is only an end between frames.
        if (ended && !state.within_frame) {
            return -1;
        }
        const std::size_t wanted =
            checked(ZSTD_decompressStream(state.context.get(), &output, &state.input));
        state.within_frame = wanted != 0;
        if (ended && output.pos == 0 && state.within_frame) {
            throw std::ios_base::failure("the last frame is cut off");
        }
    }
    state.unpacked_bytes += output.pos;
    check_unpacked(state.unpacked_bytes, state.packed_bytes, state.name, "zstd");
    return static_cast<std::streamsize>(output.pos);
}

struct ZstdWriter::State {
    void put(std::string_view bytes, ZSTD_EndDirective directive)
    {
        ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
        // The library may need several turns to get rid of what it holds.
        for (bool more = true; more;) {
            ZSTD_outBuffer output{packed.data(), packed.size(), 0};
            const std::size_t left =
                checked(ZSTD_compressStream2(context.get(), &output, &input, directive));
            sink(std::string_view(packed).substr(0, output.pos));
            more = directive == ZSTD_e_end ? left != 0 : input.pos < input.size;
        }
    }

    Sink sink;
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context =
        zstd_context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    std::string packed = std::string(ZSTD_CStreamOutSize(), '\0');
};

ZstdWriter::ZstdWriter(Sink sink) : state_(std::make_unique<State>())
{
    state_->sink = std::move(sink);
    (void)checked(ZSTD_CCtx_setParameter(state_->context.get(), ZSTD_c_checksumFlag, 1));
}

ZstdWriter::~ZstdWriter() = default;

void ZstdWriter::write(std::string_view bytes)
{
    state_->put(bytes, ZSTD_e_continue);
}

void ZstdWriter::finish()
{
    state_->put({}, ZSTD_e_end);
}

} // namespace texelscope::base
