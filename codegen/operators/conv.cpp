#include "codegen/operators/conv.hpp"

#include "codegen/operators/contraction_operator.hpp"
#include "codegen/operators/conv_contraction.hpp"
#include "codegen/operators/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

namespace texelscope::codegen {
namespace {

/// Along one axis: the fine index of a coarse index and a kernel index, or -1 where it lies in the padding.
std::int64_t fine_index(const ConvAxis& axis, std::int64_t coarse, std::int64_t tap)
{
    const std::int64_t fine = coarse * axis.stride + tap - axis.before;
    return fine < axis.fine ? fine : -1;
}

/// Calls visit(element of X, of W, of Y) for every product, straight from the definition.
template <class Visit>
void for_each_product(const Convolution& conv, const Visit& visit)
{
    const std::array<ConvAxis, 3> axes = conv.axes.size() == 3 ? std::array{conv.axes[0], conv.axes[1], conv.axes[2]}
                                                               : std::array{ConvAxis{}, conv.axes[0], conv.axes[1]};
    const ConvAxis& d = axes[0];
    const ConvAxis& h = axes[1];
    const ConvAxis& w = axes[2];
    const auto visit_channels = [&](std::int64_t fine, std::int64_t coarse, std::int64_t tap) {
        const std::int64_t in = conv.family.transposed ? coarse : fine;
        const std::int64_t out = conv.family.transposed ? fine : coarse;
        const auto visit_pair = [&](std::int64_t ci, std::int64_t co, std::int64_t weight) {
            visit(static_cast<std::size_t>(in * conv.in_channels + ci), static_cast<std::size_t>(weight),
                  static_cast<std::size_t>(out * conv.out_channels + co));
        };
        for (std::int64_t ci = 0; ci < conv.in_channels; ++ci) {
            if (conv.family.depthwise) {
                visit_pair(ci, ci, tap * conv.in_channels + ci);
                continue;
            }
            for (std::int64_t co = 0; co < conv.out_channels; ++co) {
                visit_pair(ci, co, (tap * conv.in_channels + ci) * conv.out_channels + co);
            }
        }
    };
    const auto visit_taps = [&](std::int64_t n, std::int64_t od, std::int64_t oh, std::int64_t ow) {
        const std::int64_t coarse = ((n * d.coarse + od) * h.coarse + oh) * w.coarse + ow;
        for (std::int64_t kd = 0; kd < d.kernel; ++kd) {
            for (std::int64_t kh = 0; kh < h.kernel; ++kh) {
                for (std::int64_t kw = 0; kw < w.kernel; ++kw) {
                    const std::int64_t fd = fine_index(d, od, kd);
                    const std::int64_t fh = fine_index(h, oh, kh);
                    const std::int64_t fw = fine_index(w, ow, kw);
                    if (fd >= 0 && fh >= 0 && fw >= 0) {
                        visit_channels(((n * d.fine + fd) * h.fine + fh) * w.fine + fw, coarse,
                                       (kd * h.kernel + kh) * w.kernel + kw);
                    }
                }
            }
        }
    };
    for (std::int64_t n = 0; n < conv.batch; ++n) {
        for (std::int64_t od = 0; od < d.coarse; ++od) {
            for (std::int64_t oh = 0; oh < h.coarse; ++oh) {
                for (std::int64_t ow = 0; ow < w.coarse; ++ow) {
                    visit_taps(n, od, oh, ow);
                }
            }
        }
    }
}

} // namespace

Operator conv_operator(const Convolution& conv)
{
    const BilinearMap map = conv.tensors();
    check_tensors(fmt::format("{} {}", conv.name(), fmt::join(conv.shape, ",")), {map.first, map.second, map.result});
    ContractionOperator parts;
    parts.shape = conv.shape;
    parts.padding = conv.padding;
    parts.contraction = conv_contraction(conv);
    parts.products = conv.products();
    parts.reference = sum_of_products(conv.pass, parts.contraction.output.size(),
                                      [conv](const auto& visit) { for_each_product(conv, visit); });
    return contraction_operator(std::move(parts));
}

} // namespace texelscope::codegen
