// Saves a study as the window does, without one: save_study FILE OPERATOR SHAPE. Ends as
// texelscope-gui would.

#include "gui/study/study_files.hpp"

#include <cstdio>
#include <exception>

using namespace texelscope::gui;

int main(int argc, char** argv)
{
    try {
        if (argc != 4) {
            std::fputs("Usage: save_study FILE OPERATOR SHAPE\n", stderr);
            return 2;
        }
        StudyForm form;
        form.op = argv[2];
        form.shape = argv[3];
        StudyFiles files(
            nullptr, [&form] { return form; }, false);
        int code = 2;
        QObject::connect(&files, &StudyFiles::saved, [&code] { code = 0; });
        QObject::connect(&files, &StudyFiles::failed, [](const QString& line) {
            std::fprintf(stderr, "texelscope-gui: %s\n", line.toUtf8().constData());
        });
        files.save(QString::fromLocal8Bit(argv[1]));
        return code;
    } catch (const std::exception&) {
        std::fputs("texelscope-gui: out of memory; use a smaller shape\n", stderr);
        return 2;
    }
}
