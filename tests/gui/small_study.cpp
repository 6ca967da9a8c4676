#include "tests/gui/small_study.hpp"

#include "workbench/machines/over_machines.hpp"
#include "workbench/study/study.hpp"

#include <utility>

namespace texelscope::test {
using namespace gui;

StudyForm small_form()
{
    StudyForm form;
    form.shape = "16,16,16";
    return form;
}

std::shared_ptr<const StudyResult> small_study()
{
    static const auto study = [] {
        const StudyRequest request = to_request(small_form());
        StudyResult result = run_study(request);
        result.over_machines = time_over_machines(request, 1);
        return std::make_shared<const StudyResult>(std::move(result));
    }();
    return study;
}

bool wait_until(const std::function<bool()>& done)
{
    // Under ThreadSanitizer an identification takes more than ten, beside other work.
    constexpr int minutes = 20 * 60 * 1000;
    return QTest::qWaitFor(done, minutes);
}

} // namespace texelscope::test
