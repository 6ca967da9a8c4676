#include "gui/study/study_job.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QCoreApplication>
#include <memory>
#include <vector>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

struct Log {
    std::vector<std::string> finished; ///< operators of the results
    std::vector<std::string> failed;
    int cancelled = 0;
    double progress = 0;

    explicit Log(StudyJob& job)
    {
        QObject::connect(&job, &StudyJob::finished, [this](const std::shared_ptr<StudyResult>& result) {
            finished.push_back(to_string(result->request.op));
        });
        QObject::connect(&job, &StudyJob::failed,
                         [this](const QString& line) { failed.push_back(line.toStdString()); });
        QObject::connect(&job, &StudyJob::cancelled, [this] { ++cancelled; });
        QObject::connect(&job, &StudyJob::progressed, [this](const QString&, double fraction) { progress = fraction; });
    }
    [[nodiscard]] bool ended() const { return !finished.empty() || !failed.empty() || cancelled > 0; }
};

StudyRequest request(const std::string& shape, bool rank = false)
{
    StudyForm form;
    form.shape = shape;
    form.rank = rank;
    return to_request(form);
}

} // namespace

TEST_CASE("the latest study wins")
{
    StudyJob job;
    const Log log(job);
    job.start(request("64,64,64", true));
    job.start(request("32,32,32"));
    job.start(request("16,16,16"));
    REQUIRE(test::wait_until([&] { return log.ended(); }));
    QCoreApplication::processEvents();
    CHECK(log.finished == std::vector<std::string>{"matmul 16,16,16"});
    CHECK(log.failed.empty());
    CHECK(log.cancelled == 0);
    CHECK_FALSE(job.running());
}

TEST_CASE("a cancelled study ends as cancelled, and another can follow")
{
    StudyJob job;
    const Log log(job);
    job.start(request("256,256,256", true));
    job.cancel();
    REQUIRE(test::wait_until([&] { return log.ended(); }));
    CHECK(log.cancelled == 1);
    CHECK(log.finished.empty());
    job.start(request("16,16,16"));
    REQUIRE(test::wait_until([&] { return !log.finished.empty(); }));
    CHECK(log.progress > 0);
}

TEST_CASE("a study that cannot be run fails with the reason")
{
    StudyJob job;
    const Log log(job);
    StudyRequest bad = request("16,16,16");
    bad.schedule.warp = {3, 3}; // does not tile the work-group
    job.start(bad);
    REQUIRE(test::wait_until([&] { return log.ended(); }));
    REQUIRE(log.failed.size() == 1);
    CHECK(log.failed.front().find("3x3") != std::string::npos);
}

TEST_CASE("a job that goes away while it works takes its study with it")
{
    auto job = std::make_unique<StudyJob>();
    job->start(request("256,256,256", true));
    QCoreApplication::processEvents();
    job.reset();
    SUCCEED("the destructor came back");
}
