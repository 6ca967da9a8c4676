#include "codegen/operators/layernorm.hpp"
#include "codegen/operators/softmax.hpp"
#include "tests/codegen/compiled_c.hpp"
#include "tests/traces/random.hpp"
#include "traces/error.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <optional>
#include <set>

using namespace texelscope;
using Catch::Matchers::Contains;

namespace {

/// An operator of this file's kind, and how often each input is read.
struct Case {
    Operator (*make)(std::int64_t, std::int64_t);
    bool owns_rows = true; ///< a work-item owns rows, else columns
    std::vector<int> passes;
};

const std::vector<Case>& cases()
{
    static const std::vector<Case> all{{softmax, true, {3}},
                                       {softmax_dx, true, {2, 2}},
                                       {layernorm, true, {3, 1, 1}},
                                       {layernorm_dx, true, {4, 2, 2}},
                                       {layernorm_dgamma, false, {1, 1, 1, 1}},
                                       {layernorm_dbeta, false, {1}}};
    return all;
}

Schedule random_schedule(test::Random& random, const Operator& op)
{
    const std::vector<AccessPattern> patterns(all_access_patterns.begin(), all_access_patterns.end());
    Schedule schedule;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        schedule.patterns.push_back(random.pick(patterns));
    }
    schedule.tile = {random.pick(std::vector<std::int32_t>{4, 8, 12, 16}), random.small(1, 4)};
    schedule.split = random.one_in(2) ? 1 : random.pick(std::vector<std::int32_t>{2, 3, 4, 8});
    schedule.eliminate_addresses = random.one_in(2);
    do {
        schedule.warp = {random.small(1, 4), random.small(1, 4)};
        schedule.group = {schedule.warp[0] * random.small(1, 3), schedule.warp[1] * random.small(1, 3),
                          random.one_in(4) ? 2 : 1};
    } while (schedule.group[0] * schedule.group[1] * schedule.group[2] > 64);
    return schedule;
}

std::vector<float> random_values(test::Random& random, std::int64_t size, double centre, double spread)
{
    std::vector<float> values(static_cast<std::size_t>(size));
    for (float& value : values) {
        value = static_cast<float>(centre + spread * static_cast<double>(random.between(-1000, 1000)) / 1000);
    }
    return values;
}

/// Where a texel comes from: a line and a place along it, both counted in texels or rows.
struct LineTexel {
    std::int64_t line = 0;
    std::int64_t place = 0;

    auto operator<=>(const LineTexel&) const = default;
};

/// The texels of an input that hold elements.
std::map<Texel, LineTexel> texels_of(const Operand& operand, bool owns_rows)
{
    const auto& shape = operand.tensor.shape;
    const bool matrix = shape.size() == 2;
    std::map<Texel, LineTexel> texels;
    for (std::int64_t e = 0; e < operand.tensor.size(); ++e) {
        const std::int64_t row = matrix ? e / shape[1] : 0;
        const std::int64_t column = matrix ? e % shape[1] : e;
        const std::vector<std::int64_t> index = matrix ? std::vector{row, column} : std::vector{e};
        const Texel texel{static_cast<std::int32_t>(operand.x.evaluate(index)),
                          static_cast<std::int32_t>(operand.y.evaluate(index))};
        texels[texel] = matrix ? (owns_rows ? LineTexel{row, column / 4} : LineTexel{column / 4, row})
                               : LineTexel{0, owns_rows ? e / 4 : e};
    }
    return texels;
}

/// The loss sum(dY * Y) of a forward pass in double precision, for differences.
template <class Forward>
double loss(const std::vector<double>& x, const std::vector<float>& dy, const Forward& forward)
{
    const std::vector<double> y = forward(x);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        sum += dy[i] * y[i];
    }
    return sum;
}

/// Derivative of the loss by each x, by central differences.
template <class Forward>
std::vector<double> differences(const std::vector<float>& x, const std::vector<float>& dy, const Forward& forward)
{
    constexpr double step = 1e-5;
    std::vector<double> at(x.begin(), x.end());
    std::vector<double> slopes;
    for (double& value : at) {
        const double centre = value;
        value = centre + step;
        const double above = loss(at, dy, forward);
        value = centre - step;
        const double below = loss(at, dy, forward);
        value = centre;
        slopes.push_back((above - below) / (2 * step));
    }
    return slopes;
}

std::vector<double> softmax_row(const std::vector<double>& x)
{
    std::vector<double> y;
    double sum = 0;
    for (const double value : x) {
        y.push_back(std::exp(value));
        sum += y.back();
    }
    for (double& value : y) {
        value /= sum;
    }
    return y;
}

/// (x - mean) / sqrt(variance + 1e-5), the variance as mean of squares less square of the mean.
std::vector<double> normalized_row(const std::vector<double>& x)
{
    const auto n = static_cast<double>(x.size());
    double mean = 0;
    double squares = 0;
    for (const double value : x) {
        mean += value / n;
        squares += value * value / n;
    }
    std::vector<double> y;
    for (const double value : x) {
        y.push_back((value - mean) / std::sqrt(squares - mean * mean + 1e-5));
    }
    return y;
}

} // namespace

TEST_CASE("Packing and unpacking the tensors of row operators gives them back, and padding is zero")
{
    test::Random random(101);
    for (int i = 0; i < 90; ++i) {
        const Operator op = random.pick(cases()).make(random.between(1, 20), random.between(1, 20));
        Schedule schedule = random_schedule(random, op);
        if (random.one_in(2)) {
            schedule.memory.assign(op.inputs.size() + 1, Memory::buffer);
        }
        const LoopNest nest = loop_nest(op, schedule);
        std::vector<Operand> operands = nest.inputs;
        operands.push_back(nest.output);
        for (const Operand& operand : operands) {
            std::vector<float> values(static_cast<std::size_t>(operand.tensor.size()));
            for (std::size_t e = 0; e < values.size(); ++e) {
                values[e] = static_cast<float>(e + 1);
            }
            CAPTURE(nest.operator_text, nest.schedule_text, operand.image.name);
            const std::vector<float> texels = pack(operand, values);
            CHECK(unpack(operand, texels) == values);
            const std::multiset<float> stored(texels.begin(), texels.end());
            CHECK(stored.size() - stored.count(0.0F) == values.size());
        }
    }
}

TEST_CASE("Each texel of a line is read once a pass, by the work-item that owns the line and that part of it")
{
    test::Random random(103);
    for (int i = 0; i < 150; ++i) {
        const Case& tested = random.pick(cases());
        const Operator op = tested.make(random.between(1, 30), random.between(1, 40));
        const Schedule schedule = random_schedule(random, op);
        const LoopNest nest = loop_nest(op, schedule);
        const Launch launch = launch_of(nest);
        CAPTURE(nest.operator_text, nest.schedule_text);

        const std::int64_t texels_across = (op.shape[1] + 3) / 4;
        const std::int64_t lines = tested.owns_rows ? op.shape[0] : texels_across;
        const std::int64_t places = tested.owns_rows ? texels_across : op.shape[0];
        const std::int64_t own = tested.owns_rows ? schedule.tile[1] : schedule.tile[0] / 4;
        const std::int64_t tiles = (lines + own - 1) / own;
        const std::int64_t tiles_of_group = std::int64_t{schedule.group[0]} * schedule.group[1] * schedule.group[2];
        CHECK(launch.group_count() == (tiles + tiles_of_group - 1) / tiles_of_group);
        CHECK(launch.group_size() == tiles_of_group * schedule.split);

        std::vector<std::map<Texel, LineTexel>> texels;
        for (const Operand& input : nest.inputs) {
            texels.push_back(texels_of(input, tested.owns_rows));
        }
        using Reader = std::pair<std::int64_t, std::int64_t>; // tile, part
        std::vector<std::map<LineTexel, std::map<Reader, int>>> readers(texels.size());
        std::map<Reader, std::int64_t> outside;
        std::set<std::int64_t> seen_tiles;
        const auto [bx, by, bz] = launch.local;
        for (int g = 0; g < launch.group_count(); ++g) {
            const Dim3 group{g % launch.groups[0], g / launch.groups[0] % launch.groups[1],
                             g / (launch.groups[0] * launch.groups[1])};
            for (int l = 0; l < launch.group_size(); ++l) {
                const auto reads = item_reads(launch, group, {l % bx, l / bx % by, l / (bx * by)});
                const std::int64_t part = l / tiles_of_group; // parts lie along z, the slowest
                std::optional<std::int64_t> tile;
                std::int64_t missed = 0;
                for (const ItemRead& read : reads) {
                    const auto image = static_cast<std::size_t>(read.image);
                    const auto found = texels[image].find(read.texel);
                    if (found == texels[image].end()) {
                        ++missed;
                    } else if (op.inputs[image].shape.size() == 2) {
                        const std::int64_t at = found->second.line / own;
                        CHECK(tile.value_or(at) == at); // one tile for one work-item
                        tile = at;
                    }
                }
                if (!tile) {
                    continue; // beyond the lines, or its part has no place
                }
                seen_tiles.insert(*tile);
                CHECK(*tile / tiles_of_group == g);
                outside[{*tile, part}] += missed;
                for (const ItemRead& read : reads) {
                    const auto image = static_cast<std::size_t>(read.image);
                    const auto found = texels[image].find(read.texel);
                    if (found != texels[image].end()) {
                        CHECK(found->second.place % schedule.split == part);
                        ++readers[image][found->second][{*tile, part}];
                    }
                }
            }
        }
        CHECK(static_cast<std::int64_t>(seen_tiles.size()) == tiles);
        std::int64_t passes_over_matrices = 0;
        for (std::size_t input = 0; input < texels.size(); ++input) {
            const bool matrix = op.inputs[input].shape.size() == 2;
            passes_over_matrices += matrix ? tested.passes[input] : 0;
            REQUIRE(readers[input].size() == texels[input].size());
            for (const auto& [texel, by_whom] : readers[input]) {
                CHECK(static_cast<std::int64_t>(by_whom.size()) == (matrix ? 1 : tiles));
                for (const auto& [who, times] : by_whom) {
                    CHECK(times == tested.passes[input]);
                    CHECK((!matrix || who.first == texel.line / own));
                }
            }
        }
        if (schedule.split == 1) { // what is read outside is what the last tile lacks in lines
            for (const auto& [who, missed] : outside) {
                const std::int64_t there = std::min(own, lines - who.first * own);
                CHECK(missed == (own - there) * places * passes_over_matrices);
            }
        }
    }
}

TEST_CASE("Work-items that share a line meet in local memory, all of them, as often as something is summed up")
{
    const std::map<std::string, int> meetings{{"softmax", 2},      {"softmax_dx", 1},       {"layernorm", 2},
                                              {"layernorm_dx", 4}, {"layernorm_dgamma", 1}, {"layernorm_dbeta", 1}};
    for (const Case& tested : cases()) {
        const Operator op = tested.make(10, 30);
        Schedule schedule = op.default_schedule;
        CHECK(loop_nest(op, schedule).local_arrays.empty());
        CHECK_FALSE(loop_nest(op, schedule).collective);
        schedule.split = 4;
        const LoopNest nest = loop_nest(op, schedule);
        CAPTURE(op.name);
        CHECK(nest.collective);
        CHECK(nest.guards.empty());
        REQUIRE(nest.local_arrays.size() == 1);
        CHECK(nest.local_arrays[0].count == 256);
        int meets = 0;
        for (const NestStatement& statement : nest.body) {
            if (const auto* compute = std::get_if<NestCompute>(&statement)) {
                meets += compute->text.find("barrier") != std::string::npos ? 1 : 0;
            }
        }
        CHECK(meets == meetings.at(op.name));
    }
}

TEST_CASE("Components beyond the last column are left out where they would count, and only there")
{
    const auto selects = [](const LoopNest& nest) {
        int count = 0;
        const auto in_text = [&](const std::string& text) { count += text.find("select(") != std::string::npos; };
        for (const NestStatement& statement : nest.body) {
            if (const auto* compute = std::get_if<NestCompute>(&statement)) {
                in_text(compute->text);
            } else if (const auto* write = std::get_if<NestWrite>(&statement)) {
                in_text(write->value);
            } else if (const auto* loop = std::get_if<NestLoop>(&statement)) {
                for (const NestStatement& inner : loop->body) {
                    const auto* in_loop = std::get_if<NestCompute>(&inner);
                    CHECK((in_loop == nullptr || in_loop->text.find("select(") == std::string::npos));
                }
            }
        }
        return count;
    };
    CHECK(selects(loop_nest(softmax(3, 64), parse_schedule("A=row;T=8x1;G=1x4"))) == 0);
    CHECK(selects(loop_nest(softmax(3, 63), parse_schedule("A=row;T=8x1;G=1x4"))) == 3); // maximum, sum, output
    CHECK(selects(loop_nest(softmax(3, 63), parse_schedule("A=row;T=8x2;G=1x4"))) == 6);
    CHECK(selects(loop_nest(softmax(3, 64), parse_schedule("A=row;T=4x1;G=1x4;R=4"))) == 0);
    CHECK(selects(loop_nest(softmax(3, 64), parse_schedule("A=row;T=4x1;G=1x4;R=3"))) == 3); // 16 texels for 3 parts
}

TEST_CASE("softmax of logarithms is the share in their sum, and of equal numbers 1 / COLS")
{
    TensorValues input{{}};
    for (int k = 1; k <= 7; ++k) {
        input[0].push_back(static_cast<float>(std::log(k)));
    }
    input[0].insert(input[0].end(), 7, 300.0F); // exp(300) is beyond float32
    const std::vector<float> y = softmax(2, 7).reference(input);
    for (std::size_t k = 0; k < 7; ++k) {
        CHECK(y[k] == Approx(static_cast<double>(k + 1) / 28).epsilon(1e-6));
        CHECK(y[7 + k] == Approx(1.0 / 7).epsilon(1e-6));
    }
}

TEST_CASE("layernorm of two numbers is plus and minus one but for epsilon, scaled and shifted")
{
    const std::vector<float> y = layernorm(2, 2).reference({{1, 3, 1000, 1000}, {2, 3}, {10, 20}});
    const double h = 1 / std::sqrt(1 + layernorm_epsilon);
    CHECK(y[0] == Approx(10 - 2 * h));
    CHECK(y[1] == Approx(20 + 3 * h));
    CHECK(y[2] == 10.0F); // no variance: the mean
    CHECK(y[3] == 20.0F);
}

TEST_CASE("The gradients of softmax and layernorm are the slopes of a loss")
{
    test::Random random(107);
    for (int i = 0; i < 20; ++i) {
        const std::int64_t cols = random.between(1, 12);
        const auto x = random_values(random, cols, 0.5, 2);
        const auto dy = random_values(random, cols, 0, 1);
        const auto gamma = random_values(random, cols, 1, 1);
        CAPTURE(cols);

        std::vector<float> y;
        for (const double value : softmax_row({x.begin(), x.end()})) {
            y.push_back(static_cast<float>(value));
        }
        const auto softmax_slopes = differences(x, dy, softmax_row);
        const auto softmax_gradient = softmax_dx(1, cols).reference({y, dy});

        const auto scaled = [&](const std::vector<double>& at) {
            std::vector<double> h = normalized_row(at);
            for (std::size_t c = 0; c < h.size(); ++c) {
                h[c] *= gamma[c];
            }
            return h;
        };
        const auto layernorm_slopes = differences(x, dy, scaled);
        const auto layernorm_gradient = layernorm_dx(1, cols).reference({x, dy, gamma});
        for (std::size_t c = 0; c < x.size(); ++c) {
            CHECK(softmax_gradient[c] == Approx(softmax_slopes[c]).margin(1e-5));
            if (cols > 1) { // one column has no variance, and differences see epsilon's steep slope
                CHECK(layernorm_gradient[c] == Approx(layernorm_slopes[c]).epsilon(1e-3).margin(1e-4));
            }
        }
    }
}

TEST_CASE("The gradients by gamma and beta are sums down the columns")
{
    const std::vector<float> x{1, 2, 3, 4};
    const std::vector<float> dy{10, 20, 30, 40};
    CHECK(layernorm_dgamma(2, 2).reference({x, dy, {1, 2}, {2, 0.5F}}) == std::vector<float>{15, 80});
    CHECK(layernorm_dbeta(2, 2).reference({dy}) == std::vector<float>{40, 60});
    CHECK(layernorm_dbeta(2, 2).magnitude({{1, -2, -3, 4}}) == std::vector<float>{4, 6});
}

TEST_CASE("Plain float32 arithmetic stays within the tolerance, also where the mean is large")
{
    test::Random random(109);
    for (int i = 0; i < 60; ++i) {
        const std::int64_t cols = random.between(1, 200);
        const double centre = random.pick(std::vector<double>{0, 10, 1000});
        const double spread = random.pick(std::vector<double>{0, 0.01, 1, 40});
        const auto x = random_values(random, cols, centre, spread);
        const auto gamma = random_values(random, cols, 1, 2);
        const auto beta = random_values(random, cols, 0, 1);
        const auto n = static_cast<float>(cols);
        CAPTURE(cols, centre, spread);
        const auto within = [](const Operator& op, const TensorValues& in, std::size_t c, float value) {
            const double allowed = op.tolerance * op.magnitude(in)[c];
            return std::abs(double{value} - op.reference(in)[c]) <= allowed;
        };

        float top = x[0];
        float mean = 0;
        for (const float value : x) {
            top = std::max(top, value);
            mean += value;
        }
        mean /= n;
        float sum = 0;
        float variance = 0;
        for (const float value : x) {
            sum += std::exp(value - top);
            variance += (value - mean) * (value - mean);
        }
        const float rstd = 1 / std::sqrt(variance / n + 1e-5F);
        const Operator soft = softmax(1, cols);
        const Operator norm = layernorm(1, cols);
        for (std::size_t c = 0; c < x.size(); c += 7) {
            const float y = std::exp(x[c] - top) / sum;
            CHECK(within(soft, {x}, c, y));
            CHECK(
                (y < 1e-30F || !within(soft, {x}, c, y * 1.01F))); // the tolerance is not so wide that anything passes
            CHECK(within(norm, {x, gamma, beta}, c, (x[c] - mean) * rstd * gamma[c] + beta[c]));
        }
    }
}

TEST_CASE("The C text of the references of row operators computes the same, compiled as strict C99")
{
    test::Random random(113);
    std::vector<Operator> ops;
    std::string text = "#include <math.h>\n";
    for (const Case& tested : cases()) {
        ops.push_back(tested.make(random.between(1, 12), random.between(1, 12)));
        const std::string number = std::to_string(ops.size() - 1);
        std::string arguments;
        for (std::size_t i = 0; i < ops.back().inputs.size(); ++i) {
            arguments += "in[" + std::to_string(i) + "], ";
        }
        const std::string head = "void case" + number + "(const float *const *in, double *out, double *magnitude)";
        text += "#define reference reference" + number + "\n" + ops.back().reference_c() + head + ";\n" + head +
                "\n{\n    reference(" + arguments + "out, magnitude);\n}\n#undef reference\n";
    }
    const test::CompiledC compiled(text);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        CAPTURE(to_string(ops[i]));
        TensorValues inputs;
        std::vector<const float*> pointers;
        for (const Tensor& input : ops[i].inputs) {
            inputs.push_back(random_values(random, input.size(), 1, 3));
        }
        for (const auto& input : inputs) {
            pointers.push_back(input.data());
        }
        std::vector<double> output(static_cast<std::size_t>(ops[i].output.size()), -1);
        std::vector<double> magnitude = output;
        using Function = void (*)(const float* const*, double*, double*);
        compiled.function<Function>("case" + std::to_string(i))(pointers.data(), output.data(), magnitude.data());
        const auto expected = ops[i].reference(inputs);
        const auto expected_magnitude = ops[i].magnitude(inputs);
        for (std::size_t e = 0; e < output.size(); ++e) {
            CHECK(output[e] == Approx(expected[e]).epsilon(1e-6).margin(1e-12));
            CHECK(magnitude[e] == Approx(expected_magnitude[e]).epsilon(1e-6));
        }
    }
}

TEST_CASE("Illegal shapes and schedules of row operators are refused with a reason")
{
    CHECK_THROWS_WITH(softmax(0, 4), Contains("size 0"));
    CHECK_THROWS_WITH(layernorm(4, -1), Contains("size -1"));
    const Operator op = layernorm(8, 8);
    const auto lower = [&](const std::string& text) { return loop_nest(op, parse_schedule("A=row,row,row;" + text)); };
    CHECK_NOTHROW(lower("T=4x1;G=1x8"));
    CHECK_THROWS_WITH(loop_nest(op, parse_schedule("A=row;T=4x1;G=1x8")),
                      Contains("1 access patterns") && Contains("X, gamma, beta"));
    CHECK_THROWS_WITH(lower("T=2x1;G=1x8"), Contains("multiple of four"));
    CHECK_THROWS_WITH(lower("T=4x1x1;G=1x8"), Contains("tile with 3 sizes"));
    CHECK_THROWS_WITH(lower("T=64x64;G=1x8"), Contains("at most 1024"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;R=257"), Contains("at most 256"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;L=c"), Contains("leave L and U out"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;U=c"), Contains("leave L and U out"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;B=splat"), Contains("B=splat"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;M=buffer,image"), Contains("memory of 2 tensors"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;W=2x1"), Contains("does not tile"));
}
