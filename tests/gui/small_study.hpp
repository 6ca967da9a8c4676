#pragma once

#include "gui/study/study_form.hpp"

#include <functional>
#include <memory>

namespace texelscope::test {
using namespace gui;

/// matmul 16,16,16 on the Adreno 740.
[[nodiscard]] StudyForm small_form();
/// Its result; run once for all tests.
[[nodiscard]] std::shared_ptr<const StudyResult> small_study();

/// Runs the event loop until `done`; false where that takes minutes, which is a failure and no matter of speed.
[[nodiscard]] bool wait_until(const std::function<bool()>& done);

} // namespace texelscope::test
