#include "gui/study/session.hpp"
#include "tests/gui/fake_compiler.hpp"
#include "tests/gui/small_study.hpp"
#include "workbench/machines/over_machines.hpp"
#include "workbench/study/study.hpp"

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

    explicit Log(Session& session)
    {
        QObject::connect(&session, &Session::study_shown, [this, &session] {
            finished.push_back(to_string(session.study()->request.op));
        });
        QObject::connect(&session, &Session::failed,
                         [this](const QString& line) { failed.push_back(line.toStdString()); });
        QObject::connect(&session, &Session::cancelled, [this] { ++cancelled; });
        QObject::connect(&session, &Session::progressed,
                         [this](const QString&, double fraction) { progress = fraction; });
    }
    [[nodiscard]] bool ended() const
    {
        return !finished.empty() || !failed.empty() || cancelled > 0;
    }
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
    Session session;
    const Log log(session);
    session.run(request("64,64,64", true), {});
    session.run(request("32,32,32"), {});
    session.run(request("16,16,16"), {});
    REQUIRE(test::wait_until([&] { return log.ended(); }));
    QCoreApplication::processEvents();
    CHECK(log.finished == std::vector<std::string>{"matmul 16,16,16"});
    CHECK(log.failed.empty());
    CHECK(log.cancelled == 0);
    CHECK_FALSE(session.running());
}

TEST_CASE("a study has its time over the machines that its device can be")
{
    Session session;
    const Log log(session);
    StudyRequest asked = request("16,16,16");
    session.run(asked, {});
    REQUIRE(test::wait_until([&] { return log.ended(); }));
    REQUIRE(session.study()->over_machines);
    CHECK(*session.study()->over_machines == time_over_machines(asked, 1));
    asked.device = find_profile("mali-g76");
    session.run(asked, {});
    REQUIRE(test::wait_until([&] { return log.finished.size() == 2; }));
    CHECK_FALSE(session.study()->over_machines);
}

TEST_CASE("a cancelled study ends as cancelled, and another can follow")
{
    Session session;
    const Log log(session);
    session.run(request("256,256,256", true), {});
    session.cancel();
    REQUIRE(test::wait_until([&] { return log.ended(); }));
    CHECK(log.cancelled == 1);
    CHECK(log.finished.empty());
    session.run(request("16,16,16"), {});
    REQUIRE(test::wait_until([&] { return !log.finished.empty(); }));
    CHECK(log.progress > 0);
}

TEST_CASE("a study that cannot be run fails with the reason")
{
    Session session;
    const Log log(session);
    StudyRequest bad = request("16,16,16");
    bad.schedule.warp = {3, 3}; // does not tile the work-group
    session.run(bad, {});
    REQUIRE(test::wait_until([&] { return log.ended(); }));
    REQUIRE(log.failed.size() == 1);
    CHECK(log.failed.front().find("3x3") != std::string::npos);
}

TEST_CASE("a session that goes away while it works takes its study with it")
{
    auto session = std::make_unique<Session>();
    session->run(request("256,256,256", true), {});
    QCoreApplication::processEvents();
    session.reset();
    SUCCEED("the destructor came back");
}

TEST_CASE("studies with compiled registers share their compiler, and so their ranking")
{
    test::FakeCompiler compiler;
    StudyForm form = test::small_form();
    form.registers = "compiled";
    form.rank = false;
    Session session;
    const Log log(session);
    session.run(to_request(form), form);
    REQUIRE(test::wait_until([&] { return log.ended(); }));
    REQUIRE(log.failed.empty());
    const auto first = session.study();
    CHECK(first->options.kernel.registers_per_item ==
          64); // of the kernel that the compiler tells of
    CHECK(first->simulation.occupancy.warps == 12);
    form.config = "A=row,row;T=4x4;W=8x8;G=8x8x1";
    session.run(to_request(form), form);
    REQUIRE(test::wait_until([&] { return session.study() != first; }));
    CHECK(session.study()->request.device.compiler == first->request.device.compiler);
    CHECK(same_space(session.study()->request, first->request));
    form.registers = "estimated";
    CHECK_FALSE(same_space(to_request(form), first->request));
}

TEST_CASE("a study whose kernel is being compiled is cancelled, and the compiler is gone")
{
    test::FakeCompiler compiler;
    compiler.hang();
    StudyForm form = test::small_form();
    form.registers = "compiled";
    Session session;
    const Log log(session);
    session.run(to_request(form), form);
    REQUIRE(test::wait_until([&] { return compiler.hangs(); }));
    session.cancel();
    REQUIRE(test::wait_until([&] { return log.cancelled == 1; }));
    CHECK(test::wait_until([&] { return !compiler.hangs(); }));
}
