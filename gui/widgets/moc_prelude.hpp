#pragma once

// Qt 6.4's moc reads this before every header of this folder. When <compare> or <concepts> is the
// first standard header that it meets, it does not see the definition of _GLIBCXX_VISIBILITY and
// stops at "namespace std" of libstdc++ 12.
#include <cstddef>
