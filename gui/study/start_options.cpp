#include "gui/study/start_options.hpp"

#include "base/error.hpp"
#include "workbench/study/study.hpp"

#include <QCommandLineParser>

namespace texelscope::gui {
namespace {

const char* const help_remedy = "see texelscope-gui --help";

void add_options(QCommandLineParser& parser)
{
    const StudyForm defaults;
    parser.setSingleDashWordOptionMode(QCommandLineParser::ParseAsLongOptions);
    parser.addPositionalArgument(
        "file", "Study, device profile, trace, store of results, report or ONNX model to open.",
        "[file]");
    parser.addOptions({
        {{"h", "help"}, "Show this text and exit."},
        {"version", "Show the version and exit."},
        {"op", "Operator.", "NAME", QString::fromStdString(defaults.op)},
        {"shape", "Its shape, for matmul M,N,K.", "SHAPE"},
        {"padding", "Of convolutions: same, valid, or a number on every side.", "TEXT"},
        {"config", "Configuration, e.g. \"A=block4,column;T=4x4;W=8x8;G=16x8x1\".", "TEXT"},
        {"device", "Device profile: a name, or a file that ends in .xml.", "NAME",
         QString::fromStdString(defaults.device)},
        {"set", "Override one value of the profile; may be repeated.", "KEY=VALUE"},
        {"registers",
         "Of a kernel, and so its occupancy: estimated, or compiled (see texelscope compile "
         "--setup).",
         "WORD", QString::fromStdString(defaults.registers)},
        {"seed", "Seed of everything random.", "N", QString::fromStdString(defaults.seed)},
        {"agent",
         "Program texelscope-agent that opens OpenCL devices; without it the one beside this "
         "program.",
         "FILE"},
        {"opencl", "OpenCL library that the agent loads: a path, or a name that is searched for.",
         "LIBRARY"},
        {"screenshot",
         "Write the window to a PNG file once the study is done, or the start page has its "
         "pictures, and exit.",
         "FILE"},
        {"no-settings", "Neither read nor save the window's layout."},
    });
}

std::string default_shape(const std::string& op)
{
    try {
        return operator_info(op).example;
    } catch (const Error&) {
        return {}; // the window says what is wrong
    }
}

} // namespace

StartOptions parse_start_options(const QStringList& arguments)
{
    QCommandLineParser parser;
    add_options(parser);
    if (!parser.parse(arguments)) {
        QString text = parser.errorText();
        if (text.endsWith(u'.')) {
            text.chop(1);
        }
        throw bad_input(text.toStdString(), "command line", help_remedy);
    }
    const QStringList files = parser.positionalArguments();
    if (files.size() > 1) {
        throw bad_input("unexpected argument '" + files[1].toStdString() + "': one file at a time",
                        "command line", help_remedy);
    }
    StartOptions options;
    options.help = parser.isSet("help");
    options.version = parser.isSet("version");
    options.settings = !parser.isSet("no-settings");
    options.screenshot = parser.value("screenshot").toStdString();
    options.devices.agent = parser.value("agent").toStdString();
    options.devices.opencl = parser.value("opencl").toStdString();
    StudyForm& form = options.form;
    for (const char* name :
         {"op", "shape", "padding", "config", "device", "set", "registers", "seed"}) {
        options.asks_for_study |= parser.isSet(name);
    }
    const auto take = [&](const char* name, std::string& text) {
        if (parser.isSet(name)) {
            text = parser.value(name).toStdString();
        }
    };
    if (!files.isEmpty()) {
        options.file = files.front().toStdString();
        options.kind = file_kind(options.file);
        if (options.kind == FileKind::study || options.kind == FileKind::profile) {
            options.asks_for_study = true;
            form = opened(options.file, form);
        }
    }
    // Another operator or shape: the configuration of a file does not fit any more.
    if (parser.isSet("op") || parser.isSet("shape")) {
        form.op = parser.value("op").toStdString();
        form.shape = default_shape(form.op);
        form.padding.clear();
        form.config.clear();
    }
    take("shape", form.shape);
    take("padding", form.padding);
    take("config", form.config);
    take("device", form.device);
    take("registers", form.registers);
    take("seed", form.seed);
    for (const QString& text : parser.values("set")) {
        form.overrides.push_back(text.toStdString());
    }
    if (!options.help && !options.version) {
        // Refuses what is wrong before there is a window.
        (void)to_request(form);
    }
    return options;
}

QString start_help()
{
    QCommandLineParser parser;
    parser.setApplicationDescription(
        "The Texelscope workbench: texel accesses, caches and predictions of one operator.\n"
        "Without a file and without an option of a study it opens on its start page.");
    add_options(parser);
    // there is no QApplication yet to name it
    return parser.helpText().replace("<executable_name>", "texelscope-gui");
}

} // namespace texelscope::gui
