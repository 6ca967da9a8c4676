#include "codegen/matmul.hpp"

#include "codegen/work_item_grid.hpp"
#include "traces/error.hpp"

#include <fmt/format.h>

#include <limits>

namespace texelscope {
namespace {

constexpr std::int64_t components = 4; ///< of a texel

std::int64_t ceil_div(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

/// One input as the nest sees it: a matrix over a free index f (row of A, column of B) and k. Its texels pack four
/// neighbouring k (then one texel serves one f for four k) or four neighbouring f (then one k).
struct Factor {
    std::string name;
    char prefix = 'a';     ///< of its registers
    std::int64_t free = 1; ///< extent of f
    std::int64_t k = 1;
    std::int64_t free_stride = 1; ///< of the tensor's elements
    std::int64_t k_stride = 1;
    std::int32_t tile = 1; ///< f of one work-item
    IndexExpr tile_number; ///< which tile of f
    AccessPattern pattern = AccessPattern::row;
    bool packs_k = true;
    Tensor tensor;
    int image = 0;

    [[nodiscard]] std::int64_t threads() const { return packs_k ? free : ceil_div(free, components); }
    [[nodiscard]] std::int64_t reductions() const { return packs_k ? ceil_div(k, components) : k; }
    /// Texels of one work-item for one k (or four).
    [[nodiscard]] std::int64_t texels() const { return packs_k ? tile : tile / components; }

    [[nodiscard]] Operand operand() const
    {
        Operand operand;
        operand.tensor = tensor;
        operand.image = {name, packed_extent(pattern, threads(), reductions()), Bytes{16}, AddressMode::border};
        operand.element = [f = *this](Texel texel, int component) -> std::int64_t {
            const auto [thread, reduction] = stored_at(f.pattern, texel);
            const std::int64_t free_index = f.packs_k ? thread : thread * components + component;
            const std::int64_t k_index = f.packs_k ? reduction * components + component : reduction;
            return free_index < f.free && k_index < f.k ? free_index * f.free_stride + k_index * f.k_stride : -1;
        };
        return operand;
    }

    [[nodiscard]] std::string target(std::int64_t i, std::int64_t step) const
    {
        return packs_k ? fmt::format("{}{}", prefix, i) : fmt::format("{}{}_{}", prefix, i, step);
    }

    /// Appends the reads for reduction step r (four k), or for k = 4*r + step where a texel packs f.
    void read(const IndexExpr& r, std::int64_t step, std::vector<NestStatement>& body) const
    {
        const IndexExpr reduction = packs_k ? r : r * components + step;
        for (std::int64_t i = 0; i < texels(); ++i) {
            const Placement at = place(pattern, tile_number * texels() + i, reduction);
            body.emplace_back(NestRead{target(i, step), AccessFunction{image, at.x, at.y}});
        }
    }
};

} // namespace

MatMul::MatMul(std::int64_t m, std::int64_t n, std::int64_t k) : m_(m), n_(n), k_(k)
{
    for (const std::int64_t size : {m, n, k}) {
        if (size < 1 || size > (1 << 24)) {
            throw bad_input(fmt::format("the size {} is not between 1 and {}", size, 1 << 24),
                            fmt::format("matmul shape {},{},{}", m, n, k), "give M,N,K");
        }
    }
}

std::vector<Tensor> MatMul::inputs() const
{
    return {{"A", {m_, k_}}, {"B", {k_, n_}}};
}

Tensor MatMul::output() const
{
    return {"C", {m_, n_}};
}

Schedule MatMul::default_schedule() const
{
    return {{AccessPattern::row, AccessPattern::column}, {4, 4}, {8, 8}, {8, 8, 1}};
}

LoopNest MatMul::nest(const Schedule& schedule) const
{
    const std::string where = "configuration '" + to_string(schedule) + "' of matmul";
    if (schedule.patterns.size() != 2) {
        throw bad_input(fmt::format("{} access patterns", schedule.patterns.size()), where,
                        "give one for A and one for B");
    }
    if (schedule.tile.size() != 2) {
        throw bad_input(fmt::format("a tile with {} sizes", schedule.tile.size()), where,
                        "give columns x rows, for example T=4x4");
    }
    const std::int32_t tx = schedule.tile[0];
    const std::int32_t ty = schedule.tile[1];
    constexpr std::int32_t most_outputs = 1024;
    if (std::int64_t{tx} * ty > most_outputs) {
        throw bad_input(fmt::format("a tile of {}x{} outputs", tx, ty), where,
                        fmt::format("a work-item computes at most {}", most_outputs));
    }
    // What the four components of an output texel are: columns, rows, or (one used) neither.
    const bool vector_columns = tx % components == 0;
    const bool vector_rows = !vector_columns && ty % components == 0;

    const WorkItemGrid grid = work_item_grid(schedule, {ceil_div(n_, tx), ceil_div(m_, ty), 1});
    const Factor a{.name = "A",
                   .prefix = 'a',
                   .free = m_,
                   .k = k_,
                   .free_stride = k_,
                   .k_stride = 1,
                   .tile = ty,
                   .tile_number = grid.tile[1],
                   .pattern = schedule.patterns[0],
                   .packs_k = !vector_rows,
                   .tensor = inputs()[0],
                   .image = 0};
    const Factor b{.name = "B",
                   .prefix = 'b',
                   .free = n_,
                   .k = k_,
                   .free_stride = 1,
                   .k_stride = n_,
                   .tile = tx,
                   .tile_number = grid.tile[0],
                   .pattern = schedule.patterns[1],
                   .packs_k = !vector_columns,
                   .tensor = inputs()[1],
                   .image = 1};

    LoopNest nest;
    nest.name = "matmul";
    nest.operator_text = fmt::format("matmul {},{},{}", m_, n_, k_);
    nest.schedule_text = to_string(schedule);
    nest.inputs = {a.operand(), b.operand()};
    nest.groups = grid.groups;
    nest.local = schedule.group;
    nest.names = grid.names;
    nest.guards = grid.guards;

    // Output texels of one work-item: `across` x `down`, each four columns, four rows or one element.
    const std::int64_t across = vector_columns ? tx / components : tx;
    const std::int64_t down = vector_rows ? ty / components : ty;
    const bool dot = !vector_columns && !vector_rows;
    const std::int64_t columns = vector_columns ? ceil_div(n_, components) : n_;
    const std::int64_t rows = vector_rows ? ceil_div(m_, components) : m_;
    nest.output.tensor = output();
    nest.output.image = {
        "C", {static_cast<std::int32_t>(columns), static_cast<std::int32_t>(rows)}, Bytes{16}, AddressMode::border};
    nest.output.element = [=, m = m_, n = n_](Texel texel, int component) -> std::int64_t {
        const std::int64_t row = vector_rows ? texel.y * components + component : texel.y;
        const std::int64_t column = vector_columns ? texel.x * components + component : texel.x;
        return row < m && column < n && !(dot && component > 0) ? row * n + column : -1;
    };

    const auto sum = [](std::int64_t i, std::int64_t j) { return fmt::format("c{}_{}", i, j); };
    const auto each_sum = [&](const auto& text_of) {
        std::string text;
        for (std::int64_t i = 0; i < down; ++i) {
            for (std::int64_t j = 0; j < across; ++j) {
                text += text_of(i, j);
            }
        }
        return NestCompute{text};
    };
    nest.body.emplace_back(each_sum([&](std::int64_t i, std::int64_t j) {
        return dot ? fmt::format("float {} = 0.0f;\n", sum(i, j))
                   : fmt::format("float4 {} = (float4)(0.0f);\n", sum(i, j));
    }));

    const Variable r{slots::first_loop_slot, "r", {0, ceil_div(k_, components) - 1}};
    NestLoop loop{r, {}};
    if (a.packs_k) {
        a.read(IndexExpr(r), 0, loop.body);
    }
    if (b.packs_k) {
        b.read(IndexExpr(r), 0, loop.body);
    }
    if (dot) {
        loop.body.emplace_back(each_sum([&](std::int64_t i, std::int64_t j) {
            return fmt::format("{} += dot({}, {});\n", sum(i, j), a.target(i, 0), b.target(j, 0));
        }));
    }
    for (std::int64_t step = 0; step < components && !dot; ++step) {
        (vector_columns ? b : a).read(IndexExpr(r), step, loop.body);
        constexpr std::string_view component_names = "xyzw";
        const auto component = component_names[static_cast<std::size_t>(step)];
        loop.body.emplace_back(each_sum([&](std::int64_t i, std::int64_t j) {
            return vector_columns
                       ? fmt::format("{} += {}.{} * {};\n", sum(i, j), a.target(i, step), component, b.target(j, step))
                       : fmt::format("{} += {} * {}.{};\n", sum(i, j), a.target(i, step), b.target(j, step), component);
        }));
    }
    nest.body.emplace_back(std::move(loop));

    for (std::int64_t i = 0; i < down; ++i) {
        for (std::int64_t j = 0; j < across; ++j) {
            const IndexExpr x = grid.tile[0] * across + j;
            const IndexExpr y = grid.tile[1] * down + i;
            nest.body.emplace_back(
                NestWrite{x,
                          y,
                          {{x, columns}, {y, rows}},
                          dot ? fmt::format("(float4)({}, 0.0f, 0.0f, 0.0f)", sum(i, j)) : sum(i, j)});
        }
    }

    // Live at once: the sums, the texels of the operand that stays for four k, those of the other for one k, addresses.
    constexpr int addressing = 8;
    const std::int64_t texels_a = components * a.texels();
    const std::int64_t texels_b = components * b.texels();
    nest.registers_per_item = static_cast<int>(std::int64_t{tx} * ty + texels_a + texels_b) + addressing;
    nest.multiply_adds_per_item = static_cast<double>(ceil_div(k_, components) * components) * tx * ty;
    nest.flops = 2.0 * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
    return nest;
}

std::vector<float> MatMul::reference(const std::vector<std::vector<float>>& inputs) const
{
    std::vector<float> c(static_cast<std::size_t>(m_ * n_));
    std::vector<double> row(static_cast<std::size_t>(n_));
    for (std::int64_t m = 0; m < m_; ++m) {
        std::fill(row.begin(), row.end(), 0.0);
        for (std::int64_t k = 0; k < k_; ++k) {
            const double a = inputs[0][static_cast<std::size_t>(m * k_ + k)];
            for (std::int64_t n = 0; n < n_; ++n) {
                row[static_cast<std::size_t>(n)] += a * inputs[1][static_cast<std::size_t>(k * n_ + n)];
            }
        }
        for (std::int64_t n = 0; n < n_; ++n) {
            c[static_cast<std::size_t>(m * n_ + n)] = static_cast<float>(row[static_cast<std::size_t>(n)]);
        }
    }
    return c;
}

double MatMul::tolerance() const
{
    // |error| <= gamma_K * sum |a||b|, gamma_K = K u / (1 - K u), u = 2^-24 (Higham, Accuracy and Stability of Numerical
    // Algorithms, 2002, section 3.1); K is rounded up to whole texels.
    const double u = std::numeric_limits<float>::epsilon() / 2;
    const double terms = static_cast<double>(ceil_div(k_, components) * components) + 1;
    return terms * u / (1 - terms * u);
}

} // namespace texelscope
