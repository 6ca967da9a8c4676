#pragma once

#include "tests/traces/random_expr.hpp"
#include "traces/launch.hpp"

#include <functional>
#include <vector>

namespace texelscope::test {
using namespace traces;

/// A launch built twice: as Launch, and as plain nested functions.
struct TwinLaunch {
    Launch launch;
    std::function<bool(const Values&)> passes; ///< the guards
    /// Appends the reads of the work-item whose ids are in the first six values.
    std::function<void(Values&, std::vector<ItemRead>&)> run;

    std::vector<ItemRead> reads(Dim3 group, Dim3 local) const
    {
        Values values{local[0], local[1], local[2], group[0], group[1], group[2]};
        std::vector<ItemRead> result;
        if (passes(values)) {
            run(values, result);
        }
        return result;
    }
};

namespace detail {

using Body = std::vector<std::function<void(Values&, std::vector<ItemRead>&)>>;

inline void random_body(Random& random, std::vector<Variable>& variables, int depth, int images,
                        std::vector<Statement>& statements, Body& twin)
{
    const int count = random.small(depth == 0 ? 1 : 0, 3);
    for (int i = 0; i < count; ++i) {
        if (depth < 3 && random.one_in(2)) {
            const Variable v{static_cast<int>(variables.size()),
                             "k" + std::to_string(variables.size()),
                             {0, random.between(0, 3)}};
            variables.push_back(v);
            Loop loop{v, {}};
            Body inner;
            random_body(random, variables, depth + 1, images, loop.body, inner);
            variables.pop_back();
            statements.emplace_back(loop);
            twin.push_back([v, inner](Values& values, std::vector<ItemRead>& out) {
                const auto slot = static_cast<std::size_t>(v.slot);
                values.resize(slot + 1);
                for (std::int64_t k = 0; k <= v.range.max; ++k) {
                    values[slot] = k;
                    for (const auto& statement : inner) {
                        statement(values, out);
                    }
                }
                values.resize(slot);
            });
        } else {
            const int image = random.small(0, images - 1);
            const TwinExpr x = random_expr(random, variables, 3);
            const TwinExpr y = random_expr(random, variables, 3);
            statements.emplace_back(AccessFunction{image, x.expr, y.expr});
            twin.push_back([image, x, y](Values& values, std::vector<ItemRead>& out) {
                const auto tx = static_cast<std::int32_t>(x.value(values));
                const auto ty = static_cast<std::int32_t>(y.value(values));
                out.push_back({image, {tx, ty}});
            });
        }
    }
}

} // namespace detail

inline TwinLaunch random_launch(Random& random)
{
    TwinLaunch twin;
    Launch& launch = twin.launch;
    launch.kernel = "random";
    const int images = random.small(1, 3);
    for (int i = 0; i < images; ++i) {
        const Extent2D extent{random.small(1, 40), random.small(1, 40)};
        launch.images.push_back({std::string(1, static_cast<char>('A' + i)), extent});
    }
    for (std::size_t d = 0; d < 3; ++d) {
        launch.groups[d] = random.small(1, 3);
        launch.local[d] = random.small(1, d == 0 ? 9 : 3);
    }
    const auto ids = work_item_variables(launch.groups, launch.local);
    std::vector<Variable> variables(ids.begin(), ids.end());
    detail::Body body;
    detail::random_body(random, variables, 0, images, launch.body, body);
    twin.run = [body](Values& values, std::vector<ItemRead>& out) {
        for (const auto& statement : body) {
            statement(values, out);
        }
    };
    std::vector<std::pair<TwinExpr, std::int64_t>> guards;
    for (int i = random.small(0, 2); i > 0; --i) {
        const TwinExpr value = random_expr(random, variables, 2);
        const Range range = value.expr.bounds();
        const std::int64_t bound = random.between(range.min, range.max + 1);
        launch.guards.push_back({value.expr, bound});
        guards.emplace_back(value, bound);
    }
    twin.passes = [guards](const Values& values) {
        for (const auto& [value, bound] : guards) {
            if (value.value(values) >= bound) {
                return false;
            }
        }
        return true;
    };
    return twin;
}

} // namespace texelscope::test
