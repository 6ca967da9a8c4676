#include "codegen/contraction_tile.hpp"

#include "codegen/partial_sums.hpp"
#include "traces/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope {
namespace {

constexpr std::int64_t components = 4; ///< of a texel
constexpr std::string_view component_names = "xyzw";

std::string lower_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

} // namespace

ContractionTile::ContractionTile(const Contraction& contraction, const Schedule& schedule, std::vector<int> order)
    : contraction_(contraction), schedule_(schedule), order_(std::move(order))
{
    std::copy(schedule.tile.begin(), schedule.tile.end(), tile_.begin());
    axis_ = {contraction.x, contraction.y, contraction.z.empty() ? -1 : contraction.z.back()};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (extent(axis_[axis]) == 1) {
            tile_[axis] = 1; // its index is the constant 0: there is nothing to tile
        }
    }
    fixed_.resize(contraction.dims.size());
    loop_value_.resize(contraction.dims.size());
    choose_components();
}

LoopNest ContractionTile::build(const std::string& operator_text) &&
{
    LoopNest nest;
    nest.name = contraction_.kernel;
    nest.operator_text = operator_text;
    nest.schedule_text = to_string(schedule_);
    place_tiles(nest);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        nest.inputs.push_back(input_operand(i));
    }
    nest.output = output_operand();
    declare_sums(nest);
    nest.multiply_adds_per_item = static_cast<double>(tile_[0] * tile_[1] * tile_[2]);
    loops(0, nest, nest.body);
    if (schedule_.split > 1) {
        add_partial_sums(nest, sums_, schedule_.split);
    }
    write(nest);
    return nest;
}

bool ContractionTile::is_plain(const IndexExpr& index, int slot)
{
    return slot >= 0 && index.constant() == 0 && index.terms().size() == 1 && index.terms()[0].factor == 1 &&
           index.terms()[0].atom.kind == IndexAtom::Kind::variable && index.terms()[0].atom.variable.slot == slot;
}

/// The dimension of the input's tensor that the dimension `slot` indexes as it is, or -1.
int ContractionTile::plain_dimension(const Contraction::Input& input, int slot) const
{
    for (std::size_t d = 0; d < input.index.size(); ++d) {
        if (is_plain(input.index[d], slot)) {
            return static_cast<int>(d);
        }
    }
    return -1;
}

/// Whether four neighbours along a dimension can be one vector: the output and some input have the dimension as it is, and
/// no input depends on it in another way.
bool ContractionTile::can_be_vector(int slot) const
{
    if (std::none_of(contraction_.output_index.begin(), contraction_.output_index.end(),
                     [&](const IndexExpr& index) { return is_plain(index, slot); })) {
        return false;
    }
    bool some = false;
    for (const Contraction::Input& input : contraction_.inputs) {
        const bool plain = plain_dimension(input, slot) >= 0;
        const bool depends = std::any_of(input.index.begin(), input.index.end(), [&](const IndexExpr& index) {
            return slot >= 0 && index.uses_slots(slot, slot + 1);
        });
        if (depends && !plain) {
            return false;
        }
        some = some || plain;
    }
    return some;
}

void ContractionTile::choose_components()
{
    for (const int axis : {0, 1}) {
        const int slot = axis_[static_cast<std::size_t>(axis)];
        if (vector_axis_ < 0 && tile_[static_cast<std::size_t>(axis)] % components == 0 && can_be_vector(slot)) {
            vector_axis_ = axis;
            other_axis_ = 1 - axis;
        }
    }
    if (schedule_.vector > components &&
        (vector_axis_ < 0 || tile_[static_cast<std::size_t>(vector_axis_)] % schedule_.vector != 0)) {
        throw bad_input(fmt::format("vectors of {} numbers do not divide the tile", schedule_.vector),
                        "configuration '" + to_string(schedule_) + "'",
                        "make T a multiple of V along the dimension that is packed, or leave V out");
    }
    for (const int slot : contraction_.reductions) {
        if (channels_ < 0 && std::all_of(contraction_.inputs.begin(), contraction_.inputs.end(),
                                         [&](const auto& input) { return plain_dimension(input, slot) >= 0; })) {
            channels_ = slot;
        }
    }
    const int vector = vector_axis_ < 0 ? -1 : axis_[static_cast<std::size_t>(vector_axis_)];
    const int other = other_axis_ < 0 || tile_[static_cast<std::size_t>(other_axis_)] % components != 0
                          ? -1
                          : axis_[static_cast<std::size_t>(other_axis_)];
    for (const Contraction::Input& of : contraction_.inputs) {
        Input input;
        input.prefix = lower_case(of.tensor.name);
        for (const auto& [packs, slot] :
             {std::pair{Packs::vector, vector}, {Packs::channels, channels_}, {Packs::other, other}}) {
            if (input.packed < 0 && plain_dimension(of, slot) >= 0) {
                input.packs = packs;
                input.packed = plain_dimension(of, slot);
            }
        }
        channels_packed_ = channels_packed_ || input.packs == Packs::channels;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const IndexExpr& index : of.index) {
                const int slot = axis_[axis];
                input.varies[axis] = input.varies[axis] || (slot >= 0 && index.uses_slots(slot, slot + 1));
            }
        }
        inputs_.push_back(std::move(input));
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        inputs_[i].varies_with_step = channels_packed_ && inputs_[i].packs != Packs::channels &&
                                      plain_dimension(contraction_.inputs[i], channels_) >= 0;
    }
    if (schedule_.split > 1) {
        const auto longer = std::find_if(order_.rbegin(), order_.rend(), [&](int slot) { return extent(slot) > 1; });
        split_ = channels_ >= 0 ? channels_ : longer != order_.rend() ? *longer : -1;
    }
}

void ContractionTile::place_tiles(LoopNest& nest)
{
    std::array<std::int64_t, 3> tiles{ceil_div(extent(axis_[0]), tile_[0]), ceil_div(extent(axis_[1]), tile_[1]),
                                      ceil_div(extent(axis_[2]), tile_[2])};
    const std::int64_t last = tiles[2];
    for (std::size_t i = 0; i + 1 < contraction_.z.size(); ++i) {
        tiles[2] *= extent(contraction_.z[i]);
    }
    WorkItemGrid grid = work_item_grid(schedule_, tiles);
    nest.groups = grid.groups;
    nest.local = grid.local;
    nest.names = std::move(grid.names);
    nest.guards = std::move(grid.guards);
    part_ = grid.part;
    tile_number_ = grid.tile;

    // The fused dimensions from the innermost, which is tiled, to the outermost.
    IndexExpr rest = grid.tile[2];
    for (std::size_t i = contraction_.z.size(); i-- > 0;) {
        const bool tiled = i + 1 == contraction_.z.size();
        const int slot = contraction_.z[i];
        const std::int64_t count = tiled ? last : extent(slot);
        IndexExpr digit = i == 0 ? rest : mod(rest, count);
        rest = floor_div(rest, count);
        if (digit != IndexExpr(digit.constant()) && digit != grid.tile[2]) {
            const Variable variable{LoopNest::first_named_slot + 4 + static_cast<int>(i),
                                    tiled && tile_[2] > 1 ? dim(slot).name + "_tile" : dim(slot).name, digit.bounds()};
            nest.names.push_back({variable, digit});
            digit = IndexExpr(variable);
        }
        if (tiled) {
            tile_number_[2] = digit;
        } else {
            fixed_[static_cast<std::size_t>(slot)] = digit;
        }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::int64_t element = 0; element < tile_[axis]; ++element) {
            tile_index_[axis].push_back(tile_number_[axis] * tile_[axis] + element);
        }
    }
}

/// Every value that a dimension takes in the launch, those of tiles and parts that reach beyond it included.
Range ContractionTile::asked(int slot) const
{
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axis_[axis] == slot) {
            return {0, ceil_div(extent(slot), tile_[axis]) * tile_[axis] - 1};
        }
    }
    const std::int64_t texel = slot == channels_ && channels_packed_ ? components : 1;
    const std::int64_t parts = slot == split_ ? schedule_.split : 1;
    return {0, ceil_div(extent(slot), texel * parts) * texel * parts - 1};
}

PackedDim ContractionTile::packed_dim(std::size_t input, int dimension) const
{
    if (dimension < 0) {
        return {};
    }
    const Contraction::Input& of = contraction_.inputs[input];
    IndexExpr index = of.index[static_cast<std::size_t>(dimension)];
    for (const Variable& d : contraction_.dims) {
        if (index.uses_slots(d.slot, d.slot + 1)) {
            index = index.substitute(d.slot, IndexExpr(Variable{d.slot, d.name, asked(d.slot)}));
        }
    }
    const std::int64_t size = of.tensor.shape[static_cast<std::size_t>(dimension)];
    const Range range = index.bounds();
    if (dimension == inputs_[input].packed) {
        return {ceil_div(size, components), {range.min / components, range.max / components}};
    }
    return {size, range};
}

Operand ContractionTile::input_operand(std::size_t i)
{
    const Contraction::Input& of = contraction_.inputs[i];
    Input& input = inputs_[i];
    Operand operand;
    operand.tensor = of.tensor;
    operand.memory = schedule_.memory_of(i);
    operand.storage = schedule_.storage;
    std::vector<PackedDim> outer;
    std::vector<IndexExpr> stored;
    std::vector<IndexExpr> stored_outer;
    for (const Variable& d : tensor_index(of.tensor)) {
        stored.push_back(d.slot == input.packed ? floor_div(IndexExpr(d), components) : IndexExpr(d));
        if (d.slot != of.thread && d.slot != of.reduction) {
            outer.push_back(packed_dim(i, d.slot));
            stored_outer.push_back(stored.back());
        }
        if (d.slot == input.packed) {
            operand.component = mod(IndexExpr(d), components);
        }
    }
    input.packing.emplace(schedule_.patterns[i], operand.memory, packed_dim(i, of.thread), packed_dim(i, of.reduction),
                          std::move(outer), of.tensor.name);
    const auto stored_at = [&](int d) { return d < 0 ? IndexExpr(0) : stored[static_cast<std::size_t>(d)]; };
    Placement at = input.packing->at(stored_at(of.thread), stored_at(of.reduction), stored_outer);
    operand.x = std::move(at.x);
    operand.y = std::move(at.y);
    operand.image = {of.tensor.name, input.packing->extent(), Bytes{bytes_per_texel(schedule_.storage)},
                     AddressMode::border};
    return operand;
}

Operand ContractionTile::output_operand()
{
    const Tensor& tensor = contraction_.output;
    Operand operand;
    operand.tensor = tensor;
    operand.memory = schedule_.memory_of(contraction_.inputs.size());
    operand.storage = schedule_.storage;
    const auto dimension_with = [&](int slot) {
        for (std::size_t d = 0; d < tensor.shape.size() && slot >= 0; ++d) {
            if (contraction_.output_index[d].uses_slots(slot, slot + 1)) {
                return static_cast<int>(d);
            }
        }
        return -1;
    };
    output_packed_ = vector_axis_ < 0 ? -1 : dimension_with(axis_[static_cast<std::size_t>(vector_axis_)]);
    const int across = dimension_with(axis_[0]);
    const int down = dimension_with(axis_[1]);
    std::vector<PackedDim> outer;
    std::vector<IndexExpr> stored_outer;
    std::array<PackedDim, 2> plane;
    std::array<IndexExpr, 2> stored;
    for (const Variable& d : tensor_index(tensor)) {
        const bool packed = d.slot == output_packed_;
        const std::int64_t texels = packed ? ceil_div(d.range.max + 1, components) : d.range.max + 1;
        const PackedDim dim{texels, {0, texels - 1}};
        const IndexExpr index = packed ? floor_div(IndexExpr(d), components) : IndexExpr(d);
        if (d.slot == across || d.slot == down) {
            plane[d.slot == across ? 0 : 1] = dim;
            stored[d.slot == across ? 0 : 1] = index;
        } else {
            outer.push_back(dim);
            stored_outer.push_back(index);
        }
        if (packed) {
            operand.component = mod(IndexExpr(d), components);
        }
    }
    // Rows of the image go along x of the grid, as in a row pattern with x as the reduction index.
    output_packing_.emplace(AccessPattern::row, operand.memory, plane[1], plane[0], std::move(outer), tensor.name);
    Placement at = output_packing_->at(stored[1], stored[0], stored_outer);
    operand.x = std::move(at.x);
    operand.y = std::move(at.y);
    operand.image = {tensor.name, output_packing_->extent(), Bytes{bytes_per_texel(schedule_.storage)},
                     AddressMode::border};
    return operand;
}

/// Value of every dimension at a place of the tile, for step `step` of a packed channel texel. Along the vectorised axis
/// the place counts texels here; the value is then that of the first component.
ContractionTile::Point ContractionTile::point(const Place& place, std::int64_t step) const
{
    Point values(fixed_.size());
    for (std::size_t slot = 0; slot < fixed_.size(); ++slot) {
        values[slot] = &fixed_[slot];
    }
    for (const int slot : order_) {
        const auto s = static_cast<std::size_t>(slot);
        values[s] = slot == channels_ && channels_packed_ ? &channel_[static_cast<std::size_t>(step)] : &loop_value_[s];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axis_[axis] >= 0) {
            const bool vector = static_cast<int>(axis) == vector_axis_;
            const std::int64_t element = vector ? place[axis] * components : place[axis];
            values[static_cast<std::size_t>(axis_[axis])] = &tile_index_[axis][static_cast<std::size_t>(element)];
        }
    }
    return values;
}

IndexExpr ContractionTile::at_point(const IndexExpr& index, const Point& point) const
{
    // All dimensions at once: their slots are also those of work-item ids and loops, which the values use.
    IndexExpr value(index.constant());
    for (const IndexTerm& term : index.terms()) {
        const IndexAtom& atom = term.atom;
        switch (atom.kind) {
        case IndexAtom::Kind::variable:
            value = value + *point[static_cast<std::size_t>(atom.variable.slot)] * term.factor;
            break;
        case IndexAtom::Kind::floor_div:
            value = value + floor_div(at_point(*atom.operand, point), atom.divisor) * term.factor;
            break;
        case IndexAtom::Kind::mod:
            value = value + mod(at_point(*atom.operand, point), atom.divisor) * term.factor;
            break;
        }
    }
    return value;
}

template <class Visit>
void ContractionTile::for_each_sum(const Visit& visit) const
{
    Place counts = {tile_[0], tile_[1], tile_[2]};
    if (vector_axis_ >= 0) {
        counts[static_cast<std::size_t>(vector_axis_)] /= schedule_.vector;
    }
    std::size_t number = 0;
    for (std::int64_t k = 0; k < counts[2]; ++k) {
        for (std::int64_t j = 0; j < counts[1]; ++j) {
            for (std::int64_t i = 0; i < counts[0]; ++i) {
                visit(Place{i, j, k}, number++);
            }
        }
    }
}

void ContractionTile::declare_sums(LoopNest& nest)
{
    const std::string prefix = lower_case(contraction_.output.name);
    for_each_sum([&](const Place& place, std::size_t) {
        const auto [i, j, k] = place;
        std::string name =
            tile_[2] > 1 ? fmt::format("{}{}_{}_{}", prefix, k, j, i) : fmt::format("{}{}_{}", prefix, j, i);
        const int width = vector_axis_ >= 0 ? schedule_.vector : 1;
        std::string text = width == 1 ? fmt::format("float {} = 0.0f;", name)
                                      : fmt::format("float{0} {1} = (float{0})(0.0f);", width, name);
        const ValueId sum = nest.add_value(std::move(name), width);
        sums_.push_back(sum);
        nest.prologue.emplace_back(NestCompute{std::move(text), sum});
    });
}

void ContractionTile::loops(std::size_t level, LoopNest& nest, std::vector<NestStatement>& out)
{
    if (level == 0) {
        forget_reads();
        next_name_.assign(inputs_.size(), 0);
    }
    if (level == order_.size()) {
        products(nest, out);
        return;
    }
    const int slot = order_[level];
    const bool in_texels = slot == channels_ && channels_packed_;
    const std::int64_t parts = slot == split_ ? schedule_.split : 1;
    const std::int64_t turns = ceil_div(in_texels ? ceil_div(extent(slot), components) : extent(slot), parts);
    nest.multiply_adds_per_item *= static_cast<double>(turns * (in_texels ? components : 1));
    IndexExpr& value = loop_value_[static_cast<std::size_t>(slot)];
    const auto shared = [&](const IndexExpr& turn) { return parts > 1 ? turn * parts + part_ : turn; };
    const std::string& name = dim(slot).name;
    if (turns == 1 || std::count(schedule_.unroll.begin(), schedule_.unroll.end(), name) > 0) {
        const double once = nest.multiply_adds_per_item;
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            nest.multiply_adds_per_item = once; // inner levels multiply it each time
            value = shared(IndexExpr(turn));
            loops(level + 1, nest, out);
        }
        return;
    }
    const Variable variable{
        slots::first_loop_slot + static_cast<int>(level), in_texels ? name + "4" : name, {0, turns - 1}};
    NestLoop loop{variable, {}};
    value = shared(IndexExpr(variable));
    forget_reads();
    next_name_.assign(inputs_.size(), 0);
    loops(level + 1, nest, loop.body);
    forget_reads();
    out.emplace_back(std::move(loop));
}

void ContractionTile::forget_reads()
{
    known_.clear();
    known_vectors_.clear();
}

void ContractionTile::products(LoopNest& nest, std::vector<NestStatement>& out)
{
    const bool vector = vector_axis_ >= 0;
    const std::int64_t steps = vector && channels_packed_ ? components : 1;
    std::vector<std::array<Factor, 2>> factors(sums_.size());
    texels_.clear(); // the loops have moved on
    if (channels_packed_) {
        for (std::int64_t step = 0; step < components; ++step) {
            channel_[static_cast<std::size_t>(step)] =
                loop_value_[static_cast<std::size_t>(channels_)] * components + step;
        }
    }
    for (std::int64_t step = 0; step < steps; ++step) {
        for (std::size_t input = 0; input < inputs_.size(); ++input) {
            for_each_sum([&](const Place& place, std::size_t sum) {
                factors[sum][input] = factor(input, place, step, nest, out);
            });
        }
        for_each_sum([&](const Place&, std::size_t sum) {
            const auto& [a, b] = factors[sum];
            out.emplace_back(NestCompute{product(nest, sums_[sum], a, b), -1, {sums_[sum], a.value, b.value}});
        });
    }
}

/// Where an input is read for the sum at a place; along the vectorised axis the place counts texels.
AccessFunction ContractionTile::access(std::size_t i, const Place& place, std::int64_t step) const
{
    const Input& input = inputs_[i];
    const Contraction::Input& of = contraction_.inputs[i];
    const Point values = point(place, input.varies_with_step ? step : 0);
    const auto digit = [&](int d) {
        if (d < 0) {
            return IndexExpr(0);
        }
        const IndexExpr index = at_point(of.index[static_cast<std::size_t>(d)], values);
        return d == input.packed ? floor_div(index, components) : index;
    };
    std::vector<IndexExpr> outer;
    for (int d = 0; d < std::ssize(of.index); ++d) {
        if (d != of.thread && d != of.reduction) {
            outer.push_back(digit(d));
        }
    }
    Placement at = input.packing->at(digit(of.thread), digit(of.reduction), outer);
    return {static_cast<int>(i), std::move(at.x), std::move(at.y)};
}

/// The value that a read gives, read now unless the present run of statements has read it.
ValueId ContractionTile::read(AccessFunction access, int texels, LoopNest& nest, std::vector<NestStatement>& out)
{
    for (const KnownRead& known : known_) {
        if (known.input == access.image && known.texels == texels && known.access.x == access.x &&
            known.access.y == access.y) {
            return known.value;
        }
    }
    const auto input = static_cast<std::size_t>(access.image);
    const ValueId value = nest.add_value(fmt::format("{}{}", inputs_[input].prefix, next_name_[input]++),
                                         static_cast<int>(components) * texels);
    known_.push_back({access.image, access, texels, value});
    out.emplace_back(NestRead{value, std::move(access), texels});
    return value;
}

/// Of an input that packs the vectorised dimension, the whole vector at a place; its texels are read at once where they
/// follow each other in a buffer.
ValueId ContractionTile::vector(std::size_t i, const Place& place, std::int64_t step, LoopNest& nest,
                                std::vector<NestStatement>& out)
{
    const auto axis = static_cast<std::size_t>(vector_axis_);
    const int texels = schedule_.vector / static_cast<int>(components);
    Place first = place;
    first[axis] *= texels;
    std::vector<AccessFunction> accesses;
    for (int t = 0; t < texels; ++t) {
        Place at = first;
        at[axis] += t;
        accesses.push_back(access(i, at, step));
    }
    const bool buffer = schedule_.memory_of(i) == Memory::buffer && schedule_.storage == Storage::fp32;
    bool follow = buffer;
    for (int t = 1; t < texels; ++t) {
        follow = follow && accesses[static_cast<std::size_t>(t)].x == accesses[0].x + t;
    }
    if (texels == 1 || follow) {
        return read(std::move(accesses[0]), texels, nest, out);
    }
    std::vector<ValueId> values;
    std::string list;
    for (AccessFunction& access : accesses) {
        values.push_back(read(std::move(access), 1, nest, out));
        list += (list.empty() ? "" : ", ") + nest.name_of(values.back());
    }
    for (const KnownVector& known : known_vectors_) {
        if (known.texels == values) {
            return known.value;
        }
    }
    const ValueId joined = nest.add_value(fmt::format("{}{}", inputs_[i].prefix, next_name_[i]++), schedule_.vector);
    out.emplace_back(
        NestCompute{fmt::format("const float{0} {1} = (float{0})({2});", schedule_.vector, nest.name_of(joined), list),
                    joined, values});
    known_vectors_.push_back({std::move(values), joined});
    return joined;
}

/// What the sum at a place is multiplied by, for step `step` of a texel of channels.
ContractionTile::Factor ContractionTile::factor(std::size_t i, const Place& place, std::int64_t step, LoopNest& nest,
                                                std::vector<NestStatement>& out)
{
    const Input& input = inputs_[i];
    Place needed{}; // the place, as far as the input depends on it
    for (std::size_t axis = 0; axis < 3; ++axis) {
        needed[axis] = input.varies[axis] ? place[axis] : 0;
    }
    int component = 0;
    switch (input.packs) {
    case Packs::vector:
        component = -1;
        break;
    case Packs::channels:
        component = vector_axis_ >= 0 ? static_cast<int>(step) : -1;
        break;
    case Packs::other: {
        auto& along = needed[static_cast<std::size_t>(other_axis_)];
        component = static_cast<int>(along % components);
        along -= along % components;
        break;
    }
    case Packs::nothing:
        break;
    }
    const std::array<std::int64_t, 5> key{static_cast<std::int64_t>(i), needed[0], needed[1], needed[2],
                                          input.varies_with_step ? step : 0};
    const auto known = texels_.find(key);
    if (known != texels_.end()) {
        return {known->second, component};
    }
    const ValueId value =
        input.packs == Packs::vector ? vector(i, needed, step, nest, out) : read(access(i, needed, step), 1, nest, out);
    texels_.emplace(key, value);
    return {value, component};
}

/// "sum += a.x * b;": text of one multiply-add, pieced together by hand because a kernel has hundreds of them.
std::string ContractionTile::product(const LoopNest& nest, ValueId sum, const Factor& a, const Factor& b) const
{
    std::string text = nest.name_of(sum);
    const auto append = [&](const Factor& f) {
        const bool splat = schedule_.splat && f.component >= 0 && vector_axis_ >= 0;
        if (splat) {
            text += "(float" + std::to_string(schedule_.vector) + ")(";
        }
        text += nest.name_of(f.value);
        if (f.component >= 0) {
            text += '.';
            text += component_names[static_cast<std::size_t>(f.component)];
        }
        text += splat ? ")" : "";
    };
    const bool dot = vector_axis_ < 0 && a.component < 0;
    text += dot ? " += dot(" : " += ";
    append(a);
    text += dot ? ", " : " * ";
    append(b);
    text += dot ? ");" : ";";
    return text;
}

void ContractionTile::write(LoopNest& nest) const
{
    const bool vector = vector_axis_ >= 0;
    for_each_sum([&](const Place& place, std::size_t sum) {
        const int texels = vector ? schedule_.vector / static_cast<int>(components) : 1;
        for (int texel = 0; texel < texels; ++texel) {
            nest.epilogue.emplace_back(write_of(nest, sums_[sum], place, texel));
        }
    });
}

NestWrite ContractionTile::write_of(const LoopNest& nest, ValueId sum, Place place, int texel) const
{
    const bool vector = vector_axis_ >= 0;
    if (vector) {
        auto& along = place[static_cast<std::size_t>(vector_axis_)];
        along = along * (schedule_.vector / components) + texel;
    }
    const Point values = point(place, 0);
    NestWrite write;
    std::vector<IndexExpr> outer;
    std::array<IndexExpr, 2> plane;
    const auto dimension_uses = [&](std::size_t d, std::size_t axis) {
        return axis_[axis] >= 0 && contraction_.output_index[d].uses_slots(axis_[axis], axis_[axis] + 1);
    };
    for (std::size_t d = 0; d < contraction_.output_index.size(); ++d) {
        IndexExpr index = at_point(contraction_.output_index[d], values);
        std::int64_t bound = contraction_.output.shape[d];
        if (static_cast<int>(d) == output_packed_) {
            index = floor_div(index, components);
            bound = ceil_div(bound, components);
        }
        write.guards.push_back({index, bound});
        if (dimension_uses(d, 0)) {
            plane[0] = index;
        } else if (dimension_uses(d, 1)) {
            plane[1] = index;
        } else {
            outer.push_back(index);
        }
    }
    if (schedule_.split > 1) {
        write.guards.push_back({part_, 1});
    }
    Placement at = output_packing_->at(plane[1], plane[0], outer);
    write.x = std::move(at.x);
    write.y = std::move(at.y);
    const std::string& name = nest.name_of(sum);
    constexpr std::array parts{".s0123", ".s4567", ".s89ab", ".scdef"};
    write.value = !vector                 ? fmt::format("(float4)({}, 0.0f, 0.0f, 0.0f)", name)
                  : schedule_.vector == 4 ? name
                                          : name + parts[static_cast<std::size_t>(texel)];
    write.uses = {sum};
    return write;
}

} // namespace texelscope
