#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/start/start_page.hpp"
#include "gui/study/start_options.hpp"
#include "gui/widgets/theme.hpp"

#include <QApplication>
#include <QBuffer>
#include <QIcon>
#include <QPixmap>
#include <QScreen>
#include <QTimer>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>

namespace {

using namespace texelscope::gui;

// Exit codes as the command line's.
constexpr int bad_input_code = 2;
constexpr int missing_code = 3;

int report(const std::exception& error)
{
    const bool shortage = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    std::fprintf(stderr, "texelscope-gui: %s\n",
                 shortage ? "out of memory; use a smaller shape" : error.what());
    const auto* known = dynamic_cast<const Error*>(&error);
    return known != nullptr && known->kind() == Error::Kind::missing ? missing_code
                                                                     : bad_input_code;
}

/// Without a display, Qt ends the program with a core dump; a picture needs no display.
void choose_platform(const StartOptions& options)
{
    if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || qEnvironmentVariableIsSet("DISPLAY") ||
        qEnvironmentVariableIsSet("WAYLAND_DISPLAY")) {
        return;
    }
    if (options.screenshot.empty()) {
        throw missing("there is no display", {}, "set DISPLAY or WAYLAND_DISPLAY");
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
}

void write_screenshot(QWidget& window, const std::string& path)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    // of controls whose contents have just changed
    QApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    window.grab().save(&buffer, "PNG");
    write_file_atomically(path, bytes.toStdString());
}

/// The end of the first study, or of the start page's pictures, is the program's end.
void leave_with_screenshot(MainWindow& window, const std::string& path)
{
    const auto leave = [&window, path] {
        QTimer::singleShot(0, &window, [&window, path] { // once the views have been laid out anew
            try {
                write_screenshot(window, path);
                QApplication::exit(0);
            } catch (const std::exception& error) {
                QApplication::exit(report(error));
            }
        });
    };
    QObject::connect(&window.session(), &Session::shown_anew, &window, leave);
    QObject::connect(window.findChild<StartPage*>(), &StartPage::completed, &window, leave);
    QObject::connect(&window.session(), &Session::failed, &window, [](const QString& line) {
        QApplication::exit(report(std::runtime_error(line.toStdString())));
    });
}

/// The study that the last session ended with; nothing where there is none, or something else is
/// asked for.
std::optional<StudyForm> last_form(const StartOptions& options)
{
    const std::string last =
        options.asks_for_study || !options.settings || !options.screenshot.empty()
            ? ""
            : window_settings().value("session/study").toString().toStdString();
    try {
        return last.empty() ? std::nullopt
                            : std::optional(parse_study_form(last, "the last session"));
    } catch (const Error&) { // the settings were written by another version, or by hand
        return std::nullopt;
    }
}

QStringList texts(int argc, char** argv)
{
    QStringList arguments;
    for (int i = 0; i < argc; ++i) {
        arguments << QString::fromLocal8Bit(argv[i]);
    }
    return arguments;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        const StartOptions options = parse_start_options(texts(argc, argv));
        if (options.help || options.version) {
            const QString text = options.help
                                     ? start_help()
                                     : QStringLiteral("texelscope-gui " TEXELSCOPE_VERSION "\n");
            std::fputs(text.toUtf8().constData(), stdout);
            return 0;
        }
        choose_platform(options);
        QApplication application(argc, argv);
        QApplication::setApplicationName("texelscope-gui");
        QApplication::setApplicationVersion(TEXELSCOPE_VERSION);
        // with whose icon a desktop shows the window
        QGuiApplication::setDesktopFileName("texelscope");
        QApplication::setWindowIcon(QIcon::fromTheme("texelscope"));
        const QString problem = options.settings ? settings_problem() : QString();
        const std::optional<StudyForm> last = last_form(options);
        // others that it opens delete themselves
        MainWindow window(last.value_or(options.form), options.settings, options.devices);
        if (!options.screenshot.empty()) {
            leave_with_screenshot(window, options.screenshot);
        }
        if (!problem.isEmpty()) {
            window.show_problem(problem);
        }
        if (options.screenshot.empty()) { // else it may be larger than any screen
            window.resize(window.size().boundedTo(window.screen()->availableSize()));
        }
        window.show();
        if (!options.kind && !options.asks_for_study) {
            window.show_start_page(last.has_value());
        } else if (options.kind != FileKind::trace) {
            window.run();
        }
        if (options.kind && options.kind != FileKind::study && options.kind != FileKind::profile) {
            window.open(QString::fromStdString(options.file));
        }
        return QApplication::exec();
    } catch (const std::exception& error) {
        return report(error);
    }
}
