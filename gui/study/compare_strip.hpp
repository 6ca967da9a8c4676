#pragma once

#include "workbench/study/launch_result.hpp"

#include <QWidget>
#include <memory>

class QButtonGroup;
class QLabel;
class QPushButton;
class QToolButton;

namespace texelscope::gui {

/// Which of two launches the heat map shows: A is the present one, B the one that was kept.
enum class ShownLaunch { a, b, difference };

/// Above the heat map once a launch is kept as B: what A and B are, which of them the heat map
/// shows, and how to swap or forget them.
class CompareStrip : public QWidget {
    Q_OBJECT

public:
    explicit CompareStrip(QWidget* parent = nullptr);

    /// Goes back to A where the difference cannot be shown: the images have other sizes.
    void show_launches(const LaunchResult& a, const LaunchResult& b, bool can_swap);
    [[nodiscard]] ShownLaunch shown() const;
    /// As by its button.
    void choose(ShownLaunch which);

signals:
    void chosen(texelscope::gui::ShownLaunch which);
    void swapped();
    void forgotten();

private:
    QLabel* label_;
    QButtonGroup* which_;
    QToolButton* difference_;
    QPushButton* swap_;
};

/// "A: matmul 64,64,64 A=row,row;… on adreno-640", and the same of B on a second line; without the
/// operator where both have the same.
[[nodiscard]] QString compared_text(const LaunchResult& a, const LaunchResult& b);

/// Whether texel by texel differences make sense: as many images, each of the same size.
[[nodiscard]] bool same_images(const LaunchResult& a, const LaunchResult& b);

} // namespace texelscope::gui
