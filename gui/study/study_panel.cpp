#include "gui/study/study_panel.hpp"

#include "base/error.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "gui/study/session.hpp"
#include "gui/study/study_files.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/study/study.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <filesystem>

namespace texelscope::gui {
namespace {

QString qt(const std::string& text)
{
    return QString::fromStdString(text);
}

/// Chooses the text, and adds it where the box does not have it: profiles can be files.
void choose(QComboBox& box, const std::string& text)
{
    if (box.findText(qt(text)) < 0) {
        box.addItem(qt(text));
    }
    box.setCurrentText(qt(text));
}

QString override_keys()
{
    QStringList lines;
    for (const Setting& setting : profile_keys()) {
        const QString unit =
            setting.unit.empty() ? QString() : QStringLiteral(" [%1]").arg(qt(setting.unit));
        lines << qt(setting.key) + unit + ": " + qt(setting.about);
    }
    return lines.join(u'\n');
}

QString shape_text(const Operator& op)
{
    QStringList sizes;
    for (const std::int64_t size : op.shape) {
        sizes << QString::number(size);
    }
    return sizes.join(u',');
}

} // namespace

StudyForm opened(const std::string& path, const StudyForm& present)
{
    const FileKind kind = file_kind(path);
    if (kind == FileKind::study) {
        return read_study_form(path);
    }
    if (kind != FileKind::profile) {
        throw bad_input("this is neither a study nor a device profile", path, "give one of them");
    }
    // A broken profile is refused here, and not when the study runs.
    (void)read_profile(path);
    StudyForm form = present;
    // A name without a slash and without this ending would be that of a built-in profile.
    form.device = path.ends_with(".xml") ? path : std::filesystem::absolute(path).string();
    form.overrides.clear();
    return form;
}

std::string with_pattern(const std::string& config, std::size_t input, AccessPattern pattern)
{
    Schedule schedule = parse_schedule(config);
    if (input >= schedule.patterns.size()) {
        throw bad_input("no pattern for input " + std::to_string(input + 1),
                        "configuration '" + config + "'", "give one pattern for each input");
    }
    schedule.patterns[input] = pattern;
    return to_string(schedule);
}

StudyPanel::StudyPanel(const StudyForm& form, QWidget* parent) : QWidget(parent)
{
    setObjectName("study_panel");
    build_controls();
    setFocusProxy(operator_);
    set_form(form);
    connect_controls();
    show_idle({});
    check();
}

void StudyPanel::build_controls()
{
    operator_ = named(new QComboBox, "operator", tr("Operator"));
    for (const OperatorInfo& info : operators()) {
        operator_->addItem(qt(info.name));
    }
    operator_->setEditable(true); // a formula is written here
    operator_->setInsertPolicy(QComboBox::NoInsert);
    operator_->lineEdit()->setPlaceholderText(QStringLiteral("O[m,n] = sum(k) A[m,k] * B[k,n]"));
    operator_->setSizeAdjustPolicy(
        QComboBox::AdjustToMinimumContentsLengthWithIcon); // kernels of networks have long names
    operator_->setMinimumContentsLength(10);
    shape_ = named(new QLineEdit, "shape", tr("Shape"));
    padding_ = named_with_tip(new QLineEdit, "padding", tr("Padding"),
                              tr("Of convolutions: same, valid, or a number on every side"));
    padding_->setPlaceholderText(QStringLiteral("same"));
    QString parts = tr("For example A=block4,column;T=4x4;W=8x8;G=16x8x1");
    for (const SchedulePart& part : schedule_parts()) {
        parts += QStringLiteral("\n%1: %2")
                     .arg(QLatin1Char(part.key))
                     .arg(QString::fromUtf8(part.about.c_str()));
    }
    config_ = named_with_tip(new QLineEdit, "config", tr("Configuration"), parts);
    pattern_row_ = new QWidget;
    auto* patterns = new QGridLayout(pattern_row_);
    patterns->setContentsMargins(0, 0, 0, 0);

    device_ = named(new QComboBox, "device", tr("Device profile"));
    device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    device_->setMinimumContentsLength(10);
    for (const std::string& name : profile_names()) {
        device_->addItem(qt(name));
    }
    auto* open = tool_button(tr("Open…"), tr("Open a device profile"),
                             tr("Read a device profile from an .xml file"));
    open->setObjectName("open_profile");
    connect(open, &QToolButton::clicked, this, &StudyPanel::open_profile);
    auto* device_row = new QHBoxLayout;
    device_row->addWidget(device_, 1);
    device_row->addWidget(open);

    overrides_ = named(new QPlainTextEdit, "overrides", tr("Overrides of the device profile"));
    overrides_->setPlaceholderText(QStringLiteral("l1.capacity=2048"));
    overrides_->setToolTip(tr("KEY=VALUE, one a line:\n") + override_keys());
    overrides_->setTabChangesFocus(true);
    overrides_->setFixedHeight(fontMetrics().lineSpacing() * 6);
    registers_ = named_with_tip(new QComboBox, "registers", tr("Registers"),
                                tr("Where registers come from, and with them how many warps fit: "
                                   "estimated from the kernel's "
                                   "instructions, or from the real compiler of the device's GPU "
                                   "(texelscope compile --setup fetches it)"));
    for (const char* word : registers_words) {
        registers_->addItem(word);
    }
    seed_ = named(new QLineEdit, "seed", tr("Seed"));
    rank_ =
        named(new QCheckBox(tr("Ra&nk all configurations")), "rank", tr("Rank all configurations"));

    run_ = push_button(tr("&Run"), "run", tr("Run the study"), tr("Run the study (F5)"));
    run_->setDefault(true);
    cancel_ = push_button(tr("Cancel"), "cancel", tr("Cancel the study"),
                          tr("Stop the running study (Esc)"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(run_);
    buttons->addWidget(cancel_);
    progress_ = progress_bar("progress", tr("Progress"));
    note_ = named(new QLabel, "note", tr("State of the study"));
    note_->setWordWrap(true);
    error_ = text_label("error", tr("What is wrong"));

    auto* above = new QFormLayout;
    above->addRow(tr("&Operator"), operator_);
    above->addRow(tr("Sh&ape"), shape_);
    above->addRow(tr("Paddin&g"), padding_);
    above->addRow(tr("Patterns"), pattern_row_);
    auto* below = new QFormLayout;
    below->addRow(label_for(tr("&Device"), device_), device_row);
    auto* last = new QFormLayout;
    last->addRow(tr("Registers"), registers_);
    last->addRow(tr("S&eed"), seed_);

    // Configuration and overrides are long texts: they have the whole width, below their labels.
    auto* rows = new QVBoxLayout(this);
    rows->addLayout(above);
    rows->addWidget(label_for(tr("&Configuration"), config_));
    rows->addWidget(config_);
    rows->addLayout(below);
    rows->addWidget(label_for(tr("Overrides, &KEY=VALUE"), overrides_));
    rows->addWidget(overrides_);
    rows->addLayout(last);
    rows->addWidget(rank_);
    rows->addLayout(buttons);
    rows->addWidget(error_);
    rows->addWidget(progress_);
    rows->addWidget(note_);
    rows->addStretch();
}

void StudyPanel::connect_controls()
{
    connect(operator_, &QComboBox::editTextChanged, this, &StudyPanel::choose_operator);
    connect(operator_->lineEdit(), &QLineEdit::returnPressed, this, &StudyPanel::run);
    for (QLineEdit* edit : {shape_, padding_, config_, seed_}) {
        connect(edit, &QLineEdit::textChanged, this, &StudyPanel::check);
        connect(edit, &QLineEdit::returnPressed, this, &StudyPanel::run);
    }
    connect(config_, &QLineEdit::textChanged, this, &StudyPanel::show_patterns);
    for (QComboBox* box : {device_, registers_}) {
        connect(box, &QComboBox::currentIndexChanged, this, &StudyPanel::check);
    }
    connect(overrides_, &QPlainTextEdit::textChanged, this, &StudyPanel::check);
    connect(run_, &QPushButton::clicked, this, &StudyPanel::run);
    connect(cancel_, &QPushButton::clicked, this, &StudyPanel::cancel_requested);
}

StudyForm StudyPanel::form() const
{
    StudyForm form{operator_->currentText().toStdString(),
                   shape_->text().trimmed().toStdString(),
                   padding_->isEnabled() ? padding_->text().trimmed().toStdString() : std::string(),
                   config_->text().trimmed().toStdString(),
                   device_->currentText().toStdString(),
                   {},
                   seed_->text().trimmed().toStdString(),
                   rank_->isChecked(),
                   registers_->currentText().toStdString()};
    if (given_is_chosen()) {
        form.given = given_;
    }
    for (const QString& line : overrides_->toPlainText().split(u'\n')) {
        if (!line.trimmed().isEmpty()) {
            form.overrides.push_back(line.trimmed().toStdString());
        }
    }
    return form;
}

void StudyPanel::set_form(const StudyForm& form)
{
    if (form.given) {
        choose_given(form.given);
    } else {
        operator_->setCurrentText(qt(form.op));
        operator_->lineEdit()->setCursorPosition(0);
    }
    shape_->setText(qt(form.shape));
    padding_->setText(qt(form.padding));
    choose(*device_, form.device);
    QStringList overrides;
    for (const std::string& text : form.overrides) {
        overrides << qt(text);
    }
    overrides_->setPlainText(overrides.join(u'\n'));
    seed_->setText(qt(form.seed));
    rank_->setChecked(form.rank);
    choose(*registers_, form.registers); // a word that is none stays, and check() says so
    std::string config = form.config;
    try {
        rebuild_patterns();
        if (config.empty()) {
            config = to_string(operator_of(form).default_schedule);
        }
    } catch (const Error&) {
        // The operator or its shape is wrong, and check() says so.
    }
    set_config(config);
}

void StudyPanel::set_config(const std::string& config)
{
    config_->setText(qt(config));
    config_->setCursorPosition(0);
    show_patterns();
}

/// An operator that was given, a kernel of a network, is the last entry, behind those of the table.
bool StudyPanel::given_is_chosen() const
{
    return given_ && operator_->currentIndex() == operator_->count() - 1 &&
           operator_->currentText() == qt(given_->name);
}

OperatorInfo StudyPanel::chosen_info() const
{
    return operator_info(operator_->currentText().toStdString());
}

Operator StudyPanel::chosen_operator() const
{
    if (given_is_chosen()) {
        return *given_;
    }
    const OperatorInfo chosen = chosen_info();
    return parse_operator(chosen.name, chosen.example);
}

void StudyPanel::choose_given(std::shared_ptr<const Operator> op)
{
    if (!given_) {
        operator_->addItem({});
    }
    given_ = std::move(op);
    const int last = operator_->count() - 1;
    operator_->setItemText(last, qt(given_->name));
    operator_->setItemData(last, qt(given_->name), Qt::ToolTipRole);
    operator_->setCurrentIndex(last);
}

/// While a name or a formula is not whole, the rest stays as it was; check() says what is missing.
void StudyPanel::choose_operator()
{
    try {
        const Operator chosen = chosen_operator();
        shape_->setText(given_is_chosen() ? shape_text(chosen) : qt(chosen_info().example));
        rebuild_patterns();
        set_config(to_string(chosen.default_schedule));
    } catch (const Error&) {
        check();
    }
}

void StudyPanel::rebuild_patterns()
{
    qDeleteAll(pattern_row_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    patterns_.clear();
    const bool given = given_is_chosen();
    const OperatorInfo info = given ? OperatorInfo{} : chosen_info();
    operator_->setToolTip(operator_->currentText());
    shape_->setPlaceholderText(qt(info.sizes));
    shape_->setToolTip(given ? tr("Of what the kernel makes; the network decides it")
                             : qt(info.sizes));
    shape_->setReadOnly(given);
    padding_->setEnabled(info.takes_padding);
    auto* grid = static_cast<QGridLayout*>(pattern_row_->layout());
    for (const Tensor& tensor : chosen_operator().inputs) {
        const std::size_t input = patterns_.size();
        auto* combo = named(new QComboBox, "", tr("Access pattern of %1").arg(qt(tensor.name)));
        combo->setObjectName("pattern_" + qt(tensor.name));
        for (const AccessPattern pattern : all_access_patterns) {
            combo->addItem(qt(to_string(pattern)));
        }
        const auto row = static_cast<int>(input / 2);
        const int column = input % 2 == 0 ? 0 : 2;
        grid->addWidget(label_for(qt(tensor.name), combo), row, column);
        grid->addWidget(combo, row, column + 1);
        grid->setColumnStretch(column + 1, 1);
        connect(combo, &QComboBox::activated, this,
                [this, input](int pattern) { choose_pattern(input, pattern); });
        patterns_.push_back(combo);
    }
}

void StudyPanel::choose_pattern(std::size_t input, int pattern)
{
    try {
        set_config(with_pattern(config_->text().trimmed().toStdString(), input,
                                all_access_patterns[static_cast<std::size_t>(pattern)]));
    } catch (const Error& error) {
        set_error(error.what());
    }
}

void StudyPanel::show_patterns()
{
    try {
        const Schedule schedule = parse_schedule(config_->text().trimmed().toStdString());
        for (std::size_t i = 0; i < patterns_.size() && i < schedule.patterns.size(); ++i) {
            patterns_[i]->setCurrentIndex(static_cast<int>(schedule.patterns[i]));
        }
    } catch (const Error&) {
        // While the text does not parse, the combos keep what they showed; check() says what is
        // wrong.
    }
}

void StudyPanel::open_profile()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a device profile"), {},
                                                      tr("Device profiles (*.xml)"));
    if (!path.isEmpty()) {
        choose(*device_, path.toStdString());
    }
}

void StudyPanel::check()
{
    try {
        const StudyRequest asked = request();
        device_->setToolTip(qt(asked.device.description));
        set_error({});
    } catch (const std::exception& error) {
        set_error(error.what());
    }
}

void StudyPanel::run()
{
    try {
        const StudyRequest asked = request();
        set_error({});
        emit run_requested(asked);
    } catch (const std::exception& error) {
        set_error(error.what());
    }
}

StudyRequest StudyPanel::request() const
{
    return to_request(form());
}

QString StudyPanel::error() const
{
    return error_->text();
}

void StudyPanel::set_error(const QString& line)
{
    set_note_text(*error_, line, true);
    error_->setVisible(!line.isEmpty());
}

void StudyPanel::show_progress(const QString& stage, double fraction)
{
    cancel_->setEnabled(true);
    progress_->show();
    show_share(*progress_, fraction);
    note_->setText(stage);
}

void StudyPanel::show_idle(const QString& note)
{
    cancel_->setEnabled(false);
    progress_->hide();
    note_->setText(note);
}

void StudyPanel::show_error(const QString& line)
{
    show_idle({});
    set_error(line);
}

QWidget* study_dock(Session& session)
{
    auto* panel = new StudyPanel(session.form());
    auto* scroll = new QScrollArea;
    scroll->setWidget(panel);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(panel->minimumSizeHint().width() + panel->fontMetrics().height());
    return scroll;
}

} // namespace texelscope::gui
