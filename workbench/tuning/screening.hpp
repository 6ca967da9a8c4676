#pragma once

#include "workbench/tuning/search.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace texelscope::workbench::tuning {

/// How many of the fastest a search's own judge is asked about at most, after a quick one.
inline constexpr std::size_t screened_finalists = 8;

/// All elements of the list by a quick judge that is less exact, then the fastest of these by
/// `times_of`, two at a time, until two bring no gain: a halving in two steps (successive halving:
/// Jamieson and Talwalkar, AISTATS 2016). A list that is no longer than screened_finalists is for
/// `times_of` alone.
///
/// The trials are in the order of the list; the best is one that is not Trial::rough, where there
/// is one. `so_far` is told what is known after each step. Throws as listed_search() does.
[[nodiscard]] SearchResult
screened_search(std::span<const std::int64_t> indices, std::int64_t size, const TimesOf& times_of,
                const TimesOf& quick, const SearchBudget& budget = {},
                const Progress& progress = {}, const StopToken& stop = {},
                const std::function<void(const SearchResult&)>& so_far = {});

} // namespace texelscope::workbench::tuning
