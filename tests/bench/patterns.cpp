#include "tests/bench/patterns.hpp"

#include "sim/cache/processor_clones.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace texelscope::bench {
using namespace traces;

namespace {

constexpr int lanes = 64;

Image image()
{
    return {"A", {side, side}, Bytes{16}, AddressMode::border};
}

Variable loop_variable(int number, std::int64_t extent)
{
    return {slots::first_loop_slot + number, "v" + std::to_string(number), {0, extent - 1}};
}

TEXELSCOPE_AVX512_CLONES
void next_reads(std::uint32_t* __restrict states, std::int32_t* __restrict x, std::int32_t y,
                LaneRead* reads)
{
    static_assert(sizeof(LaneRead) == 12 && std::endian::native == std::endian::little);
    // of the reads: written as numbers of one type, which vectors can do
    std::array<std::int32_t, 3 * lanes> words;
    for (std::int32_t lane = 0; lane < lanes; ++lane) {
        // A generator for each lane, so that no lane waits for another: Numerical Recipes' 32-bit
        // congruential one.
        states[lane] = states[lane] * 1664525U + 1013904223U;
        const auto tenth = static_cast<std::int32_t>((states[lane] >> 16) * 10 >> 16);
        x[lane] = (x[lane] + 1 + (tenth >= 2) + (tenth >= 5) + (tenth >= 9)) & (side - 1);
    }
    for (std::int32_t lane = 0; lane < lanes; ++lane) {
        words[static_cast<std::size_t>(3 * lane)] = x[lane];
        words[static_cast<std::size_t>(3 * lane + 1)] = y + lane;
        words[static_cast<std::size_t>(3 * lane + 2)] = lane << 16; // image 0
    }
    std::memcpy(static_cast<void*>(reads), words.data(), sizeof words);
}

class RandomWalks final : public TraceSource {
public:
    RandomWalks(std::int64_t passes, std::uint64_t seed)
        : steps_(passes * side * side / lanes), seed_(seed)
    {}

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] std::span<const Image> images() const override { return {&image_, 1}; }
    [[nodiscard]] std::int64_t group_count() const override { return 1; }
    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t, int) const override { return {0}; }
    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t, std::int32_t, int) const override
    {
        return std::make_unique<Stream>(steps_, seed_);
    }

private:
    class Stream final : public WarpStream {
    public:
        Stream(std::int64_t steps, std::uint64_t seed) : steps_(steps)
        {
            std::uint64_t state = seed * 2 + 1;
            for (std::uint32_t& one : states_) {
                state = state * 6364136223846793005ULL + 1442695040888963407ULL;
                one = static_cast<std::uint32_t>(state >> 32);
            }
        }
        bool next(WarpAccess& access) override
        {
            if (step_ == steps_) {
                return false;
            }
            access.step = static_cast<std::uint32_t>(step_);
            access.lanes.resize(lanes);
            const auto band = static_cast<std::int32_t>(step_ / side % (side / lanes)) * lanes;
            next_reads(states_.data(), x_.data(), band, access.lanes.data());
            ++step_;
            return true;
        }

    private:
        std::int64_t steps_;
        std::int64_t step_ = 0;
        std::array<std::uint32_t, lanes> states_{};
        std::array<std::int32_t, lanes> x_{};
    };

    std::string name_ = "rand";
    Image image_ = image();
    std::int64_t steps_;
    std::uint64_t seed_;
};

} // namespace

Launch pattern_launch(const std::string& pattern, std::int64_t passes)
{
    Launch launch;
    launch.kernel = pattern;
    launch.images = {image()};
    launch.local = pattern == "tile8" ? Dim3{8, 8, 1} : Dim3{lanes, 1, 1};
    const auto ids = work_item_variables(launch.groups, launch.local);
    const IndexExpr lx(ids[slots::local_x]);
    const IndexExpr ly(ids[slots::local_y]);
    const auto nest = [&](std::int64_t outer, std::int64_t inner, std::vector<Statement> body) {
        body = {Loop{loop_variable(2, inner), std::move(body)}};
        body = {Loop{loop_variable(1, outer), std::move(body)}};
        launch.body = {Loop{loop_variable(0, passes), std::move(body)}};
    };
    if (pattern == "row") {
        const IndexExpr band(loop_variable(1, side / lanes));
        const IndexExpr x(loop_variable(2, side));
        nest(side / lanes, side, {AccessFunction{0, x, band * lanes + lx}});
    } else if (pattern == "blk4") {
        const IndexExpr band(loop_variable(1, side / lanes / 4));
        const IndexExpr x(loop_variable(2, side));
        std::vector<Statement> body;
        for (int row = 0; row < 4; ++row) {
            body.emplace_back(AccessFunction{0, x, band * (4 * lanes) + lx * 4 + row});
        }
        nest(side / lanes / 4, side, std::move(body));
    } else if (pattern == "tile8") {
        const IndexExpr down(loop_variable(1, side / 8));
        const IndexExpr across(loop_variable(2, side / 8));
        nest(side / 8, side / 8, {AccessFunction{0, across * 8 + lx, down * 8 + ly}});
    } else {
        throw std::invalid_argument("no pattern " + pattern);
    }
    return launch;
}

std::unique_ptr<TraceSource> random_walks(std::int64_t passes, std::uint64_t seed)
{
    return std::make_unique<RandomWalks>(passes, seed);
}

std::vector<std::uint64_t> addresses_of(const TraceSource& source, std::int32_t block)
{
    std::vector<std::uint64_t> addresses;
    const auto stream = source.open(0, 0, lanes);
    WarpAccess access;
    while (stream->next(access)) {
        for (const LaneRead& read : access.lanes) {
            const std::int64_t tile =
                std::int64_t{read.texel.y / block} * (side / block) + read.texel.x / block;
            const std::int64_t inside =
                std::int64_t{read.texel.y % block} * block + read.texel.x % block;
            addresses.push_back(static_cast<std::uint64_t>(16 * (tile * block * block + inside)));
        }
    }
    return addresses;
}

} // namespace texelscope::bench
