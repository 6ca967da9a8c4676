#include "gui/launch_options.hpp"

#include "traces/error.hpp"

#include <QCommandLineParser>

namespace texelscope {
namespace {

const char* const help_remedy = "see texelscope-gui --help";

void add_options(QCommandLineParser& parser)
{
    const StudyForm defaults;
    parser.setSingleDashWordOptionMode(QCommandLineParser::ParseAsLongOptions);
    parser.addOptions({
        {{"h", "help"}, "Show this text and exit."},
        {"version", "Show the version and exit."},
        {"op", "Operator.", "NAME", QString::fromStdString(defaults.op)},
        {"shape", "Its shape, for matmul M,N,K.", "SHAPE"},
        {"config", "Configuration, e.g. \"A=block4,column;T=4x4;W=8x8;G=16x8x1\".", "TEXT"},
        {"device", "Device profile: a name, or a file that ends in .xml.", "NAME",
         QString::fromStdString(defaults.device)},
        {"set", "Override one value of the profile; may be repeated.", "KEY=VALUE"},
        {"seed", "Seed of everything random.", "N", QString::fromStdString(defaults.seed)},
        {"screenshot", "Write the window to a PNG file once the study is done, and exit.", "FILE"},
        {"no-settings", "Neither read nor save the window's layout."},
    });
}

std::string default_shape(const std::string& op)
{
    for (const OperatorChoice& choice : operator_choices()) {
        if (choice.name == op) {
            return choice.shape;
        }
    }
    return {};
}

} // namespace

LaunchOptions parse_launch_options(const QStringList& arguments)
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
    if (!parser.positionalArguments().isEmpty()) {
        throw bad_input("unexpected argument '" + parser.positionalArguments().front().toStdString() + "'",
                        "command line", help_remedy);
    }
    LaunchOptions options;
    options.help = parser.isSet("help");
    options.version = parser.isSet("version");
    options.settings = !parser.isSet("no-settings");
    options.screenshot = parser.value("screenshot").toStdString();
    StudyForm& form = options.form;
    form.op = parser.value("op").toStdString();
    form.shape = parser.isSet("shape") ? parser.value("shape").toStdString() : default_shape(form.op);
    form.config = parser.value("config").toStdString();
    form.device = parser.value("device").toStdString();
    form.seed = parser.value("seed").toStdString();
    for (const QString& text : parser.values("set")) {
        form.overrides.push_back(text.toStdString());
    }
    if (!options.help && !options.version) {
        (void)to_request(form);
    }
    return options;
}

QString launch_help()
{
    QCommandLineParser parser;
    parser.setApplicationDescription(
        "The Texelscope workbench: texel accesses, caches and predictions of one operator.");
    add_options(parser);
    return parser.helpText().replace("<executable_name>", "texelscope-gui"); // there is no QApplication yet to name it
}

} // namespace texelscope
