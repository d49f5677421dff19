// throng for C++17: worlds that free themselves, exceptions for statuses, vectors for buffers, lambdas for callbacks. Only a
// header, over the C interface, which is there for whatever is not wrapped: `world::get()`.
//
// - What fails throws `throng::error`, which has the status.
// - A callback may throw: what the first one throws is thrown again by the call that called back. The pairs of a step whose
//   callback has thrown are incomplete.
// - What is in a vector that is passed to be filled is replaced, and the vector keeps its memory. There is no need to clear it first: how
//   much was found last time is a good guess at how much room is needed.
#ifndef THRONG_HPP
#define THRONG_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "throng.h"

namespace throng {

// Proxies and categories are numbers, as in C.
using proxy_id = std::uint64_t;
using category_id = std::uint16_t;
using scenery_id = std::uint64_t;
using point = throng_point;
using aabb = throng_aabb;
using circle = throng_circle;
using masks = throng_masks;  // `throng_masks_of(memberships, filter)` makes one
using pair = throng_pair;
using resting_pair = throng_resting_pair;
using row_ref = throng_row_ref;
using migration = throng_migration;
using batch = throng_pair_batch;
using event = throng_pair_event;
using query_hit = throng_query_hit;
using cast_hit = throng_cast_hit;
using nearest_hit = throng_nearest_hit;
using nearest_query = throng_nearest_query;
using near_pair = throng_near_pair;
using cast = throng_cast;

// What a write of boxes did to the rows.
struct aabb_fill {
    // Those that went to another category, in the order in which they did: apply them one after the other.
    std::vector<migration> migrated;
    // Those whose box was refused: the row that each was in before any migrated; after `set_aabbs`, its place among those given.
    std::vector<std::uint32_t> refused;
};

// Why a call was refused.
class error : public std::runtime_error {
public:
    error(throng_status status, const char *message)
        : std::runtime_error(std::string(throng_status_name(status)) + ": " + message), status_(status) {}

    throng_status status() const noexcept { return status_; }

private:
    throng_status status_;
};

// Throws what a call that was refused has to say.
inline void check(throng_status status) {
    if (status != THRONG_STATUS_OK) {
        throw error(status, throng_last_error_message());
    }
}

// The paths of a point, a box and a circle.
inline cast ray(point from, point to) { return throng_ray(from, to); }
inline cast moving_box(aabb begin, point by) { return throng_moving_box(begin, by); }
inline cast moving_circle(circle begin, point by) { return throng_moving_circle(begin, by); }

// What is known of both proxies of a pair, by its place in the batch. Each of these is a call; centers, keys and slots of all are in columns
// of the batch.
inline std::array<proxy_id, 2> ids_of(const batch &pairs, std::size_t place) {
    proxy_id ids[2];
    check(throng_batch_ids(&pairs, place, &ids));
    return {ids[0], ids[1]};
}
// The same of all pairs of the batch, in one call. `ids` is best a vector that the thread keeps.
inline void all_ids_of(const batch &pairs, std::vector<std::array<proxy_id, 2>> &ids) {
    ids.resize(pairs.count);
    check(throng_batch_all_ids(&pairs, reinterpret_cast<proxy_id(*)[2]>(ids.data())));
}
inline std::array<std::uint64_t, 2> keys_of(const batch &pairs, std::size_t place) {
    std::uint64_t keys[2];
    check(throng_batch_keys(&pairs, place, &keys));
    return {keys[0], keys[1]};
}
inline std::array<masks, 2> masks_of(const batch &pairs, std::size_t place) {
    masks both[2];
    check(throng_batch_masks(&pairs, place, &both));
    return {both[0], both[1]};
}
// The boxes by which the pair was found.
inline std::array<aabb, 2> aabbs_of(const batch &pairs, std::size_t place) {
    aabb boxes[2];
    check(throng_batch_aabbs(&pairs, place, &boxes));
    return {boxes[0], boxes[1]};
}
// The same of all pairs of the batch, in one call.
inline void all_aabbs_of(const batch &pairs, std::vector<std::array<aabb, 2>> &boxes) {
    boxes.resize(pairs.count);
    check(throng_batch_all_aabbs(&pairs, reinterpret_cast<aabb(*)[2]>(boxes.data())));
}
// The pair's number as long as it lasts; `THRONG_NO_SLOT` for one that begins now, or has none.
inline std::uint32_t slot_of(const batch &pairs, std::size_t place) {
    std::uint32_t slot = THRONG_NO_SLOT;
    check(throng_batch_slot(&pairs, place, &slot));
    return slot;
}

namespace detail {

// Only where all are pointers to members.
template <class... Members>
using if_members = std::enable_if_t<(sizeof...(Members) > 0) && (std::is_member_object_pointer_v<Members> && ...), int>;

// A point in each of many structs.
struct strided_points {
    const float *xs;
    const float *ys;
    std::size_t stride;
    std::size_t count;
};

template <class Thing, class OwnerOfX, class OwnerOfY>
strided_points points_of(const Thing *things, std::size_t count, float OwnerOfX::*x, float OwnerOfY::*y) {
    if (count == 0) {
        return {nullptr, nullptr, sizeof(Thing), 0};
    }
    return {&(things->*x), &(things->*y), sizeof(Thing), count};
}

template <class Thing, class Owner, class Point>
strided_points points_of(const Thing *things, std::size_t count, Point Owner::*point) {
    if (count == 0) {
        return {nullptr, nullptr, sizeof(Thing), 0};
    }
    const Point &first = things->*point;
    return {&first.x, &first.y, sizeof(Thing), count};
}

// Where the first of many structs has its box.
template <class Thing, class Owner, class Box>
const throng_aabb *boxes_of(const Thing *things, std::size_t count, Box Owner::*box) {
    static_assert(sizeof(Box) == sizeof(throng_aabb) && std::is_standard_layout_v<Box>,
                  "a box has to be four floats, in the order of an aabb");
    return count == 0 ? nullptr : reinterpret_cast<const throng_aabb *>(&(things->*box));
}

// What is linked has to be what the header describes.
inline void check_abi() {
    if (throng_abi_version() != THRONG_ABI_VERSION) {
        throw std::runtime_error("the library of throng that is linked is not of the version of its header");
    }
}

// The first exception of callbacks on any number of threads.
class caught {
public:
    template <class Work>
    void run(Work &&work) noexcept {
        if (any_.load(std::memory_order_relaxed)) {
            return;
        }
        try {
            work();
        } catch (...) {
            std::lock_guard<std::mutex> guard(lock_);
            if (!first_) {
                first_ = std::current_exception();
            }
            any_.store(true, std::memory_order_relaxed);
        }
    }

    // Runs `work`, which may call the engine's functions. If one of them has thrown, throws the first such exception, rather than the
    // error that `work` ends with.
    template <class Work>
    void rethrow_after(Work &&work) const {
        try {
            work();
        } catch (...) {
            rethrow();
            throw;
        }
        rethrow();
    }

private:
    void rethrow() const {
        if (first_) {
            std::rethrow_exception(first_);
        }
    }

    std::atomic<bool> any_{false};
    std::mutex lock_;
    std::exception_ptr first_;
};

// Gives a vector room for half as many again as it holds, as far as it has the memory, and asks again if that was too little. To give it
// all of its memory would write all of that each time, however little is found.
template <class T, class Ask, class AskAgain>
void fill(std::vector<T> &buffer, Ask &&ask, AskAgain &&ask_again) {
    const std::size_t held = buffer.size();
    buffer.resize(std::min(buffer.capacity(), held + held / 2 + 128));
    std::size_t count = 0;
    throng_status status = ask(buffer.data(), buffer.size(), &count);
    if (status == THRONG_STATUS_BUFFER_TOO_SMALL) {
        buffer.resize(count);
        status = ask_again(buffer.data(), buffer.size(), &count);
    }
    // If some questions of many are refused, the answers to the others are there.
    const bool is_filled = status == THRONG_STATUS_OK || status == THRONG_STATUS_SOME_REFUSED;
    buffer.resize(is_filled ? count : 0);
    check(status);
}

template <class T, class Ask>
void fill(std::vector<T> &buffer, Ask &&ask) {
    fill(buffer, ask, ask);
}

}  // namespace detail

// A part of a world: things that behave alike. As with a config and a filter, settings can be said one after the other, and also of one
// that has a name.
class category {
public:
    static category uniform(std::string name, float half_extent) {
        return category(std::move(name), throng_category_uniform(nullptr, half_extent));
    }
    static category oversized(std::string name) { return category(std::move(name), throng_category_oversized(nullptr)); }
    static category scenery(std::string name) { return category(std::move(name), throng_category_scenery(nullptr)); }

    category &half_extents(float x, float y) & {
        settings_.half_extents[0] = x;
        settings_.half_extents[1] = y;
        return *this;
    }
    category half_extents(float x, float y) && { return std::move(this->half_extents(x, y)); }
    category &structure(throng_structure structure) & {
        settings_.structure = structure;
        return *this;
    }
    category structure(throng_structure structure) && { return std::move(this->structure(structure)); }
    // Oversized: rows of boxes, each sorted along x. 0 to have the height of the lowest chosen.
    category &strips(float strip_height = 0) & {
        settings_.strip_height = strip_height;
        return structure(THRONG_STRUCTURE_STRIPS);
    }
    category strips(float strip_height = 0) && { return std::move(this->strips(strip_height)); }
    // Oversized: loose cells under tight ones. 0 to have a size chosen.
    category &double_grid(float loose_cell = 0, float tight_cell = 0) & {
        settings_.loose_cell = loose_cell;
        settings_.tight_cell = tight_cell;
        return structure(THRONG_STRUCTURE_DOUBLE_GRID);
    }
    category double_grid(float loose_cell = 0, float tight_cell = 0) && { return std::move(this->double_grid(loose_cell, tight_cell)); }
    // Oversized: loose nodes. 0 for what is so by default.
    category &quadtree(std::uint32_t split_above = 0, std::uint32_t max_depth = 0) & {
        settings_.split_above = split_above;
        settings_.max_depth = max_depth;
        return structure(THRONG_STRUCTURE_QUADTREE);
    }
    category quadtree(std::uint32_t split_above = 0, std::uint32_t max_depth = 0) && { return std::move(this->quadtree(split_above, max_depth)); }
    category &coarse() & { return with(THRONG_CATEGORY_COARSE); }
    category coarse() && { return std::move(this->coarse()); }
    category &meets(std::vector<std::string> names) & {
        meets_ = std::move(names);
        return with(THRONG_CATEGORY_MEETS_ONLY);
    }
    category meets(std::vector<std::string> names) && { return std::move(this->meets(std::move(names))); }
    category &events() & { return with(THRONG_CATEGORY_EVENTS); }
    category events() && { return std::move(this->events()); }
    category &sensor() & { return with(THRONG_CATEGORY_SENSOR); }
    category sensor() && { return std::move(this->sensor()); }
    category &rests_after(std::uint32_t steps) & {
        settings_.rests_after = steps;
        return *this;
    }
    category rests_after(std::uint32_t steps) && { return std::move(this->rests_after(steps)); }
    category &rests_when_told() & { return with(THRONG_CATEGORY_RESTS_WHEN_TOLD); }
    category rests_when_told() && { return std::move(this->rests_when_told()); }
    category &wakes_on_contact() & { return with(THRONG_CATEGORY_WAKES_ON_CONTACT); }
    category wakes_on_contact() && { return std::move(this->wakes_on_contact()); }
    category &margin(float margin) & {
        settings_.margin = margin;
        return *this;
    }
    category margin(float margin) && { return std::move(this->margin(margin)); }
    category &events_with(std::vector<std::string> names) & {
        events_with_ = std::move(names);
        return *this;
    }
    category events_with(std::vector<std::string> names) && { return std::move(this->events_with(std::move(names))); }

private:
    friend class config;

    category(std::string name, throng_category_config settings) : name_(std::move(name)), settings_(settings) {}

    category &with(std::uint32_t flag) {
        settings_.flags |= flag;
        return *this;
    }

    // As C knows it, for as long as this and both lists are not changed.
    throng_category_config as_c(std::vector<const char *> &meets, std::vector<const char *> &events_with) const {
        throng_category_config settings = settings_;
        settings.name = name_.c_str();
        for (const std::string &name : meets_) {
            meets.push_back(name.c_str());
        }
        for (const std::string &name : events_with_) {
            events_with.push_back(name.c_str());
        }
        settings.meets = meets.data();
        settings.meets_count = meets.size();
        settings.events_with = events_with.data();
        settings.events_with_count = events_with.size();
        return settings;
    }

    std::string name_;
    throng_category_config settings_;
    std::vector<std::string> meets_, events_with_;
};

// What a world consists of.
class config {
public:
    config &add(category category) & {
        categories_.push_back(std::move(category));
        return *this;
    }
    config add(category category) && { return std::move(this->add(std::move(category))); }
    config &world_tag(std::uint16_t tag) & {
        settings_.flags |= THRONG_CONFIG_HAS_WORLD_TAG;
        settings_.world_tag = tag;
        return *this;
    }
    config world_tag(std::uint16_t tag) && { return std::move(this->world_tag(tag)); }
    config &pair_slots() & {
        settings_.flags |= THRONG_CONFIG_PAIR_SLOTS;
        return *this;
    }
    config pair_slots() && { return std::move(this->pair_slots()); }
    config &max_pairs(std::uint64_t pairs) & {
        settings_.max_pairs = pairs;
        return *this;
    }
    config max_pairs(std::uint64_t pairs) && { return std::move(this->max_pairs(pairs)); }
    config &migrate_back(float fraction) & {
        settings_.migrate_back = fraction;
        return *this;
    }
    config migrate_back(float fraction) && { return std::move(this->migrate_back(fraction)); }
    // The instruction set, such as "avx2" or "scalar"; the best there is unless it is said.
    config &simd(std::string level) & {
        simd_ = std::move(level);
        return *this;
    }
    config simd(std::string level) && { return std::move(this->simd(std::move(level))); }

private:
    friend class world;

    throng_world *make() const {
        std::vector<std::vector<const char *>> names(2 * categories_.size());
        std::vector<throng_category_config> categories;
        for (std::size_t i = 0; i < categories_.size(); i++) {
            categories.push_back(categories_[i].as_c(names[2 * i], names[2 * i + 1]));
        }
        throng_config settings = settings_;
        settings.categories = categories.data();
        settings.category_count = categories.size();
        settings.simd = simd_.empty() ? nullptr : simd_.c_str();
        throng_world *made = nullptr;
        detail::check_abi();
        check(throng_world_new(&settings, &made));
        return made;
    }

    throng_config settings_ = throng_config_of(nullptr, 0);
    std::string simd_;
    std::vector<category> categories_;
};

// What is to be inserted. Each of its settings returns another proxy, with that setting, and leaves this one as it is.
class proxy {
public:
    static proxy centered(point center, point half_extents) {
        return proxy(throng_proxy_centered(center.x, center.y, half_extents.x, half_extents.y));
    }
    static proxy moving(aabb box) { return proxy(throng_proxy_moving(box)); }
    static proxy fixed(aabb box) { return proxy(throng_proxy_fixed(box)); }

    [[nodiscard]] proxy key(std::uint64_t key) const {
        proxy with = *this;
        with.c_.key = key;
        return with;
    }
    [[nodiscard]] proxy owner(std::uint64_t owner) const {
        proxy with = *this;
        with.c_.owner = owner;
        return with;
    }
    [[nodiscard]] proxy masks(throng_masks masks) const {
        proxy with = *this;
        with.c_.masks = masks;
        with.c_.flags |= THRONG_PROXY_HAS_MASKS;
        return with;
    }
    [[nodiscard]] proxy in_category(category_id category) const {
        proxy with = *this;
        with.c_.category = category;
        with.c_.flags |= THRONG_PROXY_IN_CATEGORY;
        return with;
    }
    [[nodiscard]] proxy disabled() const {
        proxy with = *this;
        with.c_.flags |= THRONG_PROXY_DISABLED;
        return with;
    }
    // How far it will move until the next step.
    [[nodiscard]] proxy velocity(point velocity) const {
        proxy with = *this;
        with.c_.velocity = velocity;
        with.c_.flags |= THRONG_PROXY_HAS_VELOCITY;
        return with;
    }

    const throng_proxy &c() const noexcept { return c_; }

private:
    explicit proxy(throng_proxy c) : c_(c) {}

    throng_proxy c_;
};

// Which proxies a query may find: those that meet every condition.
class filter {
public:
    filter &category(category_id category) & {
        categories_.push_back(category);
        return *this;
    }
    filter category(category_id category) && { return std::move(this->category(category)); }
    // Not those of this category, which may be one of sensors.
    filter &without(category_id category) & {
        without_.push_back(category);
        return *this;
    }
    filter without(category_id category) && { return std::move(this->without(category)); }
    filter &masks(throng_masks masks) & {
        c_.masks = masks;
        c_.flags |= THRONG_FILTER_HAS_MASKS;
        return *this;
    }
    filter masks(throng_masks masks) && { return std::move(this->masks(masks)); }
    filter &not_of(std::uint64_t owner) & {
        c_.not_of = owner;
        return *this;
    }
    filter not_of(std::uint64_t owner) && { return std::move(this->not_of(owner)); }
    filter &except(proxy_id id) & {
        except_.push_back(id);
        return *this;
    }
    filter except(proxy_id id) && { return std::move(this->except(id)); }
    // A test of the engine's own, which changes nothing. Called from many threads by a batch of queries.
    filter &only(std::function<bool(const query_hit &)> passes) & {
        only_ = std::move(passes);
        return *this;
    }
    filter only(std::function<bool(const query_hit &)> passes) && { return std::move(this->only(std::move(passes))); }

private:
    friend class world;

    // Asks with this filter as C knows it, and throws what the test of the engine has thrown.
    template <class Ask>
    auto with(Ask &&ask) const {
        struct context {
            const filter *self;
            detail::caught caught;
        } context{this, {}};
        throng_query_filter c = c_;
        c.categories = categories_.data();
        c.category_count = categories_.size();
        c.without = without_.data();
        c.without_count = without_.size();
        c.except = except_.data();
        c.except_count = except_.size();
        if (only_) {
            c.user = &context;
            c.only = [](void *user, const throng_query_hit *hit) {
                auto *own = static_cast<struct context *>(user);
                bool passes = false;
                own->caught.run([&] { passes = own->self->only_(*hit); });
                return passes;
            };
        }
        context.caught.rethrow_after([&] { ask(&c); });
    }

    throng_query_filter c_ = throng_filter_everything();
    std::vector<category_id> categories_, without_;
    std::vector<proxy_id> except_;
    std::function<bool(const query_hit &)> only_;
};

// Which pairs to find: of which categories, how near, and how that is measured. The two categories may be the same one.
class proximity {
public:
    // Pairs whose centers are no farther apart than `distance`.
    static proximity centers(category_id a, category_id b, float distance) { return {a, b, distance, 0}; }
    // Pairs whose boxes are no farther apart than `distance`.
    static proximity boxes(category_id a, category_id b, float distance) {
        return {a, b, distance, THRONG_PROXIMITY_OF_BOXES};
    }

    // Also the pairs of these two categories, within the same distance. Not for `find_neighbors`.
    proximity &also(category_id a, category_id b) & {
        categories_.insert(categories_.end(), {a, b});
        return *this;
    }
    proximity also(category_id a, category_id b) && { return std::move(this->also(a, b)); }
    // Also those whose masks do not agree.
    proximity &ignoring_masks() & {
        flags_ |= THRONG_PROXIMITY_IGNORING_MASKS;
        return *this;
    }
    proximity ignoring_masks() && { return std::move(this->ignoring_masks()); }
    // For `find_neighbors`: lists each pair once, for the lower of two rows of a category, or for the row of the lower category.
    proximity &each_pair_once() & {
        flags_ |= THRONG_PROXIMITY_EACH_PAIR_ONCE;
        return *this;
    }
    proximity each_pair_once() && { return std::move(this->each_pair_once()); }

private:
    friend class world;

    proximity(category_id a, category_id b, float distance, std::uint32_t flags)
        : categories_{a, b}, distance_(distance), flags_(flags) {}

    // The same in C. It points into this one.
    throng_proximity c() const {
        throng_proximity made = throng_proximity_of(categories_.data(), categories_.size() / 2, distance_);
        made.flags = flags_;
        return made;
    }

    std::vector<category_id> categories_;  // two for each pair of them
    float distance_;
    std::uint32_t flags_;
};

// The centers of a category, in row order, until the world is next changed.
struct centers {
    const float *xs;
    const float *ys;
    std::size_t count;

    point operator[](std::size_t row) const noexcept { return {xs[row], ys[row]}; }
    std::size_t size() const noexcept { return count; }
};

// The keys of a category, in row order, until the world is next changed.
struct keys {
    // Null until one has been set that is not 0.
    const std::uint64_t *first;
    std::size_t count;

    std::uint64_t operator[](std::size_t row) const noexcept { return first == nullptr ? 0 : first[row]; }
    std::size_t size() const noexcept { return count; }
};

// Events of the last step, until the next one.
struct events {
    const event *first;
    std::size_t count;

    const event *begin() const noexcept { return first; }
    const event *end() const noexcept { return first + count; }
    const event &operator[](std::size_t i) const noexcept { return first[i]; }
    std::size_t size() const noexcept { return count; }
};

// The answers to many questions: the hits of question `i` are from `starts[i]` to before `starts[i + 1]`.
template <class Hit>
struct answers {
    std::vector<std::size_t> starts;
    std::vector<Hit> hits;
};

// Packs boxes as scenery without a world, for tools that make levels: into the bytes that `world::pack_scenery` gives for them. Row
// `i` is `boxes[i]`. If one is not a box, it throws `THRONG_STATUS_BAD_BOX`, and `bytes` is empty.
inline void pack_boxes(const std::vector<aabb> &boxes, std::vector<unsigned char> &bytes) {
    detail::check_abi();
    bytes.resize(64 * boxes.size() + 1024);  // always enough
    std::size_t count = 0;
    const throng_status status = throng_pack_boxes(boxes.data(), boxes.size(), bytes.data(), bytes.size(), &count);
    bytes.resize(count);
    check(status);
}

// Puts a column of the engine's into the order into which `world::sort_rows` has put the rows: what was at `old_rows[i]` comes to `i`.
// `spare` keeps its memory from column to column. A column of another length throws `THRONG_STATUS_LENGTH_MISMATCH`, and stays as it is.
template <class T>
void follow_rows(const std::vector<std::uint32_t> &old_rows, std::vector<T> &column, std::vector<T> &spare) {
    if (old_rows.size() != column.size()) {
        throw error(THRONG_STATUS_LENGTH_MISMATCH, "the column is not as long as the category has rows");
    }
    spare.clear();
    for (const std::uint32_t row : old_rows) {
        spare.push_back(std::move(column.at(row)));
    }
    column.swap(spare);
}

// A world of proxies in categories, and the pairs among them. It can be moved, and is copied only by `clone` and `copy_from`. Functions
// that are `const` may run on any number of threads at once.
class world {
public:
    explicit world(const config &config) : world_(config.make()) {}

    static world from_toml(const std::string &toml) {
        throng_world *made = nullptr;
        detail::check_abi();
        check(throng_world_new_from_toml(toml.c_str(), &made));
        return world(made);
    }

    // A copy, to come back to it or to look ahead. From then on, both find the same in the same order, as long as the same is done to
    // both; ids and slots are good in both. A copy does not have the outputs of the last step, the pairs of `last_pairs`, or the threads
    // or executor.
    world clone() const {
        throng_world *made = nullptr;
        check(throng_world_clone(get(), &made));
        return world(made);
    }
    // Overwrites this world with a copy of another. Keeps this world's memory and its threads or executor.
    void copy_from(const world &source) { check(throng_world_copy_from(get(), source.get())); }

    // For the functions of C.
    throng_world *get() noexcept { return world_.get(); }
    const throng_world *get() const noexcept { return world_.get(); }

    std::string to_toml() const {
        std::vector<char> text;
        detail::fill(text, [&](char *room, std::size_t capacity, std::size_t *count) {
            return throng_config_to_toml(get(), room, capacity, count);
        });
        return text.data();
    }

    category_id category(const std::string &name) const {
        category_id found = 0;
        check(throng_category(get(), name.c_str(), &found));
        return found;
    }

    // How many categories there are. They are numbered from 0, in the order of the config.
    std::size_t categories() const {
        std::size_t count = 0;
        check(throng_categories(get(), &count));
        return count;
    }

    // 0: as in the beginning. 1: the thread that calls. More: threads of its own.
    void use_threads(std::size_t threads) { check(throng_use_threads(get(), threads)); }

    // Has tasks run by an object with `std::size_t threads() const` and `run_all(std::size_t count, Task task)`, which calls
    // `task(i)` for each `i` below `count`, from any threads, and returns when all have returned. It must live as long as the
    // world, and must not throw; and it must bear being called while it runs, by several threads and from inside tasks, as
    // `throng_run_all` tells. `threads_spin`: whether idle threads wait without falling asleep; if not, short steps run on the thread
    // that calls.
    template <class Executor>
    void use_executor(Executor &executor, bool threads_spin = false) {
        auto run_all = [](void *user, std::size_t count, throng_task task, void *context) {
            static_cast<Executor *>(user)->run_all(count, [=](std::size_t index) { task(context, index); });
        };
        throng_executor c = throng_executor_of(executor.threads(), run_all, &executor);
        c.threads_spin = threads_spin;
        check(throng_use_executor(get(), &c));
    }

    throng_inserted insert(const proxy &proxy) {
        throng_inserted inserted{};
        check(throng_insert(get(), &proxy.c(), &inserted));
        return inserted;
    }
    // Inserts many, in order, and fills in their ids. Those that are refused have `THRONG_NO_PROXY`, and the others are in: what
    // it throws then has `THRONG_STATUS_SOME_REFUSED`.
    void insert_batch(const std::vector<proxy> &proxies, std::vector<proxy_id> &ids) {
        std::vector<throng_proxy> described;
        described.reserve(proxies.size());
        for (const proxy &proxy : proxies) {
            described.push_back(proxy.c());
        }
        ids.assign(proxies.size(), THRONG_NO_PROXY);
        check(throng_insert_batch(get(), described.data(), described.size(), ids.data()));
    }
    throng_removed remove(proxy_id id) {
        throng_removed removed{};
        check(throng_remove(get(), id, &removed));
        return removed;
    }
    // Removes many, in order. What it throws if some are refused has `THRONG_STATUS_SOME_REFUSED`; the others are gone.
    void remove_batch(const std::vector<proxy_id> &ids) { check(throng_remove_batch(get(), ids.data(), ids.size())); }
    // Removes all of a category, the last row first. Returns how many there were.
    std::size_t clear_category(category_id category) {
        std::size_t removed = 0;
        check(throng_clear_category(get(), category, &removed));
        return removed;
    }
    void clear() { check(throng_clear(get())); }
    void reserve(category_id category, std::size_t additional) { check(throng_reserve(get(), category, additional)); }

    // Gives back memory that is not in use.
    void shrink_to_fit() { check(throng_shrink_to_fit(get())); }

    // Everything in a category of scenery as bytes, to be written to a file.
    void pack_scenery(category_id category, std::vector<unsigned char> &bytes) const {
        detail::fill(bytes, [&](unsigned char *room, std::size_t capacity, std::size_t *count) {
            return throng_pack_scenery(get(), category, room, capacity, count);
        });
    }
    // Replaces everything in a category of scenery with what was packed.
    void load_scenery(category_id category, const std::vector<unsigned char> &bytes) {
        check(throng_load_scenery(get(), category, bytes.data(), bytes.size()));
    }
    // Adds what was packed to a category of scenery: a piece of a level that is streamed.
    scenery_id add_scenery(category_id category, const std::vector<unsigned char> &bytes) {
        scenery_id scenery = 0;
        check(throng_add_scenery(get(), category, bytes.data(), bytes.size(), &scenery));
        return scenery;
    }
    // Removes every proxy that came with scenery and is still there. Returns how many they were.
    std::size_t unload_scenery(scenery_id scenery) {
        std::size_t removed = 0;
        check(throng_unload_scenery(get(), scenery, &removed));
        return removed;
    }
    // The proxies that came with scenery, those that were removed since as well.
    void scenery_proxies(scenery_id scenery, std::vector<proxy_id> &ids) const {
        detail::fill(ids, [&](proxy_id *room, std::size_t capacity, std::size_t *count) {
            return throng_scenery_proxies(get(), scenery, room, capacity, count);
        });
    }

    void set_center(proxy_id id, point center) { check(throng_set_center(get(), id, center)); }
    // Moves many, in order. What it throws if some are refused has `THRONG_STATUS_SOME_REFUSED`; the others have moved.
    void set_centers(const std::vector<proxy_id> &ids, const std::vector<point> &centers) {
        set_many(throng_set_centers, ids, centers, "there are not as many ids as centers");
    }
    throng_placement set_aabb(proxy_id id, aabb box) {
        throng_placement placement{};
        check(throng_set_aabb(get(), id, box, &placement));
        return placement;
    }
    throng_placement set_category(proxy_id id, category_id category) {
        throng_placement placement{};
        check(throng_set_category(get(), id, category, &placement));
        return placement;
    }
    // Lets the size of a proxy decide in which category it is, now and from now on.
    throng_placement set_category_by_size(proxy_id id) {
        throng_placement placement{};
        check(throng_set_category_by_size(get(), id, &placement));
        return placement;
    }
    void set_enabled(proxy_id id, bool enabled) { check(throng_set_enabled(get(), id, enabled)); }
    void set_masks(proxy_id id, masks accepted) { check(throng_set_masks(get(), id, accepted)); }
    // Sets those of many: `ids[i]` gets `accepted[i]`. If some are refused, all others are set, and it throws
    // `THRONG_STATUS_SOME_REFUSED`.
    void set_masks(const std::vector<proxy_id> &ids, const std::vector<masks> &accepted) {
        set_many(throng_set_masks_batch, ids, accepted, "there are not as many ids as masks");
    }
    void set_owner(proxy_id id, std::uint64_t owner) { check(throng_set_owner(get(), id, owner)); }
    void set_key(proxy_id id, std::uint64_t key) { check(throng_set_key(get(), id, key)); }
    // Sets those of many, as masks are set.
    void set_keys(const std::vector<proxy_id> &ids, const std::vector<std::uint64_t> &keys) {
        set_many(throng_set_keys, ids, keys, "there are not as many ids as keys");
    }
    // Whether that changes anything.
    bool exclude_pair(proxy_id a, proxy_id b) {
        bool changed = false;
        check(throng_exclude_pair(get(), a, b, &changed));
        return changed;
    }
    bool include_pair(proxy_id a, proxy_id b) {
        bool changed = false;
        check(throng_include_pair(get(), a, b, &changed));
        return changed;
    }
    bool is_pair_excluded(proxy_id a, proxy_id b) const {
        bool excluded = false;
        check(throng_is_pair_excluded(get(), a, b, &excluded));
        return excluded;
    }

    // Row `i` goes to `(xs[i], ys[i])`; both have as many elements as there are rows. Returns which were turned away.
    throng_fill fill_centers(category_id category, const float *xs, const float *ys, std::size_t count) {
        throng_fill fill{};
        check(throng_fill_centers(get(), category, xs, ys, count, &fill));
        return fill;
    }
    throng_fill fill_centers(category_id category, const std::vector<float> &xs, const std::vector<float> &ys) {
        check_lengths(xs, ys);
        return fill_centers(category, xs.data(), ys.data(), xs.size());
    }
    throng_fill fill_centers(category_id category, const point *points, std::size_t count) {
        throng_fill fill{};
        check(throng_fill_centers_from_points(get(), category, points, count, &fill));
        return fill;
    }
    throng_fill fill_centers(category_id category, const std::vector<point> &points) {
        return fill_centers(category, points.data(), points.size());
    }
    // From structs of yours, one for each row, by their members: `fill_centers(category, bodies, &body::position)`, where `position` has two
    // floats `x` and `y`, or `fill_centers(category, bodies, &body::x, &body::y)`. Returns which were turned away.
    template <class Thing, class... Members, detail::if_members<Members...> = 0>
    throng_fill fill_centers(category_id category, const Thing *things, std::size_t count, Members... members) {
        const auto from = detail::points_of(things, count, members...);
        throng_fill fill{};
        check(throng_fill_centers_strided(get(), category, from.xs, from.ys, from.stride, from.count, &fill));
        return fill;
    }
    template <class Thing, class... Members, detail::if_members<Members...> = 0>
    throng_fill fill_centers(category_id category, const std::vector<Thing> &things, Members... members) {
        return fill_centers(category, things.data(), things.size(), members...);
    }
    void set_row_center(category_id category, std::uint32_t row, point center) {
        check(throng_set_row_center(get(), category, row, center));
    }
    // Row `rows[i]` goes to `(xs[i], ys[i])`. Returns which were turned away.
    throng_fill set_row_centers(category_id category, const std::uint32_t *rows, const float *xs, const float *ys,
                                std::size_t count) {
        throng_fill fill{};
        check(throng_set_row_centers(get(), category, rows, xs, ys, count, &fill));
        return fill;
    }
    throng_fill set_row_centers(category_id category, const std::vector<std::uint32_t> &rows, const std::vector<float> &xs,
                                const std::vector<float> &ys) {
        check_lengths(rows, xs, ys);
        return set_row_centers(category, rows.data(), xs.data(), ys.data(), rows.size());
    }
    // Row `rows[i]` goes to where `things[rows[i]]` is; `things` has one for each row of the category, listed or not:
    // `set_row_centers(category, rows, bodies, &body::position)`.
    template <class Thing, class... Members, detail::if_members<Members...> = 0>
    throng_fill set_row_centers(category_id category, const std::vector<std::uint32_t> &rows, const std::vector<Thing> &things,
                                Members... members) {
        const auto from = detail::points_of(things.data(), things.size(), members...);
        throng_fill fill{};
        check(throng_set_row_centers_from(get(), category, rows.data(), rows.size(), from.xs, from.ys, from.stride, from.count,
                                          &fill));
        return fill;
    }
    // Everything in a category gets another box: that of row `i` is `aabbs[i]`. Says what that did to the rows, and which keep the box
    // they had; that some do is no error here, because the others are written.
    throng::aabb_fill fill_aabbs(category_id category, const aabb *aabbs, std::size_t count) {
        return fill_of([&](throng_aabb_fill *fill) { return throng_fill_aabbs(get(), category, aabbs, count, fill); });
    }
    throng::aabb_fill fill_aabbs(category_id category, const std::vector<aabb> &aabbs) {
        return fill_aabbs(category, aabbs.data(), aabbs.size());
    }
    // The same from structs of yours: `fill_aabbs(category, bodies, &body::box)`. Boxes are of any type that consists of an `aabb`'s four
    // floats in its order, lower x and y, upper x and y: only their size is checked.
    template <class Thing, class Owner, class Box>
    throng::aabb_fill fill_aabbs(category_id category, const Thing *things, std::size_t count, Box Owner::*box) {
        const auto *const first = detail::boxes_of(things, count, box);
        return fill_of([&](throng_aabb_fill *fill) {
            return throng_fill_aabbs_strided(get(), category, first, sizeof(Thing), count, fill);
        });
    }
    template <class Thing, class Owner, class Box>
    throng::aabb_fill fill_aabbs(category_id category, const std::vector<Thing> &things, Box Owner::*box) {
        return fill_aabbs(category, things.data(), things.size(), box);
    }
    // The same from centers and half extents, which are kept as they are.
    throng::aabb_fill fill_aabbs(category_id category, const point *centers, const point *half_extents, std::size_t count) {
        return fill_of([&](throng_aabb_fill *fill) {
            return throng_fill_aabbs_from_centers(get(), category, centers, half_extents, count, fill);
        });
    }
    throng::aabb_fill fill_aabbs(category_id category, const std::vector<point> &centers, const std::vector<point> &half_extents) {
        check_lengths(centers, half_extents, "there are not as many centers as half extents");
        return fill_aabbs(category, centers.data(), half_extents.data(), centers.size());
    }
    // The box of proxy `ids[i]` is `aabbs[i]`; `refused` lists places among those given.
    throng::aabb_fill set_aabbs(const std::vector<proxy_id> &ids, const std::vector<aabb> &aabbs) {
        check_lengths(ids, aabbs, "there are not as many ids as boxes");
        return fill_of([&](throng_aabb_fill *fill) {
            return throng_set_aabbs(get(), ids.data(), aabbs.data(), ids.size(), fill);
        });
    }
    // The box of row `rows[i]` is `aabbs[i]`.
    throng::aabb_fill set_row_aabbs(category_id category, const std::vector<std::uint32_t> &rows, const std::vector<aabb> &aabbs) {
        check_lengths(rows, aabbs, "there are not as many rows as boxes");
        return fill_of([&](throng_aabb_fill *fill) {
            return throng_set_row_aabbs(get(), category, rows.data(), aabbs.data(), rows.size(), fill);
        });
    }
    // The box of row `rows[i]` is that of `things[rows[i]]`; `things` has one for each row of the category, listed or not.
    template <class Thing, class Owner, class Box>
    throng::aabb_fill set_row_aabbs(category_id category, const std::vector<std::uint32_t> &rows, const std::vector<Thing> &things,
                                    Box Owner::*box) {
        const auto *const first = detail::boxes_of(things.data(), things.size(), box);
        return fill_of([&](throng_aabb_fill *fill) {
            return throng_set_row_aabbs_from(get(), category, rows.data(), rows.size(), first, sizeof(Thing), things.size(), fill);
        });
    }
    // How far a proxy is expected to go until the next step.
    void set_velocity(proxy_id id, point velocity) { check(throng_set_velocity(get(), id, velocity)); }
    point velocity(proxy_id id) const {
        point velocity{};
        check(throng_velocity(get(), id, &velocity));
        return velocity;
    }
    // That of row `i` is `(xs[i], ys[i])`; both have as many elements as there are rows. Returns which were turned away.
    throng_fill fill_velocities(category_id category, const float *xs, const float *ys, std::size_t count) {
        throng_fill fill{};
        check(throng_fill_velocities(get(), category, xs, ys, count, &fill));
        return fill;
    }
    throng_fill fill_velocities(category_id category, const std::vector<float> &xs, const std::vector<float> &ys) {
        check_lengths(xs, ys);
        return fill_velocities(category, xs.data(), ys.data(), xs.size());
    }
    throng_fill fill_velocities(category_id category, const point *points, std::size_t count) {
        throng_fill fill{};
        check(throng_fill_velocities_from_points(get(), category, points, count, &fill));
        return fill;
    }
    throng_fill fill_velocities(category_id category, const std::vector<point> &points) {
        return fill_velocities(category, points.data(), points.size());
    }
    // From structs of yours, as centers are.
    template <class Thing, class... Members, detail::if_members<Members...> = 0>
    throng_fill fill_velocities(category_id category, const Thing *things, std::size_t count, Members... members) {
        const auto from = detail::points_of(things, count, members...);
        throng_fill fill{};
        check(throng_fill_velocities_strided(get(), category, from.xs, from.ys, from.stride, from.count, &fill));
        return fill;
    }
    template <class Thing, class... Members, detail::if_members<Members...> = 0>
    throng_fill fill_velocities(category_id category, const std::vector<Thing> &things, Members... members) {
        return fill_velocities(category, things.data(), things.size(), members...);
    }
    // That of row `rows[i]` is `(xs[i], ys[i])`. Returns which were turned away.
    throng_fill set_row_velocities(category_id category, const std::vector<std::uint32_t> &rows, const std::vector<float> &xs,
                                   const std::vector<float> &ys) {
        check_lengths(rows, xs, ys);
        throng_fill fill{};
        check(throng_set_row_velocities(get(), category, rows.data(), xs.data(), ys.data(), rows.size(), &fill));
        return fill;
    }
    // Row `rows[i]` gets the velocity of `things[rows[i]]`; `things` has one for each row of the category, as in `set_row_centers`.
    template <class Thing, class... Members, detail::if_members<Members...> = 0>
    throng_fill set_row_velocities(category_id category, const std::vector<std::uint32_t> &rows, const std::vector<Thing> &things,
                                   Members... members) {
        const auto from = detail::points_of(things.data(), things.size(), members...);
        throng_fill fill{};
        check(throng_set_row_velocities_from(get(), category, rows.data(), rows.size(), from.xs, from.ys, from.stride, from.count,
                                             &fill));
        return fill;
    }
    throng::centers centers(category_id category) const {
        throng::centers found{};
        check(throng_centers(get(), category, &found.xs, &found.ys, &found.count));
        return found;
    }
    throng::keys keys(category_id category) const {
        throng::keys found{};
        check(throng_keys(get(), category, &found.first, &found.count));
        return found;
    }
    // The rows that keep their last good center, because a column had one that is not finite: those of the last step or refresh.
    void rejected(std::vector<row_ref> &rows) const {
        detail::fill(rows, [&](row_ref *room, std::size_t capacity, std::size_t *count) {
            return throng_rejected(get(), room, capacity, count);
        });
    }

    std::size_t size() const {
        std::size_t count = 0;
        check(throng_len(get(), &count));
        return count;
    }
    std::size_t rows(category_id category) const {
        std::size_t count = 0;
        check(throng_rows(get(), category, &count));
        return count;
    }
    void proxies(category_id category, std::vector<proxy_id> &ids) const {
        detail::fill(ids, [&](proxy_id *room, std::size_t capacity, std::size_t *count) {
            return throng_proxies(get(), category, room, capacity, count);
        });
    }
    proxy_id proxy_at(category_id category, std::uint32_t row) const {
        proxy_id id = THRONG_NO_PROXY;
        check(throng_proxy_at(get(), category, row, &id));
        return id;
    }
    bool contains(proxy_id id) const {
        bool contains = false;
        check(throng_contains(get(), id, &contains));
        return contains;
    }
    row_ref locate(proxy_id id) const {
        row_ref place{};
        check(throng_locate(get(), id, &place));
        return place;
    }
    throng_proxy_view at(proxy_id id) const {
        throng_proxy_view view{};
        check(throng_get(get(), id, &view));
        return view;
    }

    // Runs one frame, and fills in all pairs.
    void step_pairs(std::vector<pair> &pairs) {
        auto step = [&](pair *room, std::size_t capacity, std::size_t *count) {
            return throng_step_pairs(get(), room, capacity, count);
        };
        detail::fill(pairs, step, [&](pair *room, std::size_t capacity, std::size_t *count) {
            return throng_last_pairs(get(), room, capacity, count);
        });
    }

    // The pairs of the last `step_pairs` that do not overlap, but would with margins or on their ways.
    void last_predicted_pairs(std::vector<pair> &pairs) const {
        detail::fill(pairs, [&](pair *room, std::size_t capacity, std::size_t *count) {
            return throng_last_predicted_pairs(get(), room, capacity, count);
        });
    }

    // Runs one frame in which pairs are only counted: for events alone.
    void step() { check(throng_step(get(), nullptr)); }

    // Runs one frame, and calls `collide(batch)` for all pairs, from many threads. Those of a batch that is `predicted` do not
    // overlap yet.
    template <class Collide>
    void step(Collide &&collide) {
        run_step<char>(0, [&](const batch &pairs, char *) {
            collide(pairs);
            return std::size_t{0};
        });
    }

    // Runs one frame, and calls `collide(batch, room)` for all pairs, from many threads. There is room for as many outputs as
    // there are pairs in the batch; `collide` returns how many it has filled. See `outputs`.
    template <class Output, class Collide>
    void step(Collide &&collide) {
        static_assert(std::is_trivially_copyable<Output>::value, "outputs are copied as bytes");
        static_assert(alignof(Output) <= 16, "there is no room that is aligned so much");
        run_step<Output>(sizeof(Output), collide);
    }

    // What the callbacks of the last step have filled in: the same in the same order on any number of threads. Throws if they are
    // not outputs of this type, by their size.
    template <class Output>
    void outputs(std::vector<Output> &outputs) const {
        detail::fill(outputs, [&](Output *room, std::size_t capacity, std::size_t *count) {
            return throng_outputs(get(), sizeof(Output), room, capacity, count);
        });
    }

    void refresh() { check(throng_refresh(get())); }

    throng::events began() const {
        throng::events found{};
        check(throng_began(get(), &found.first, &found.count));
        return found;
    }
    throng::events ended() const {
        throng::events found{};
        check(throng_ended(get(), &found.first, &found.count));
        return found;
    }
    // The pairs with events that have begun and not ended, as of the last step, those that rest included.
    void event_pairs(std::vector<event> &pairs) const {
        detail::fill(pairs, [&](event *room, std::size_t capacity, std::size_t *count) {
            return throng_event_pairs(get(), room, capacity, count);
        });
    }
    // How long an array with an element for each slot of a pair has to be.
    std::size_t pair_slots() const {
        std::size_t count = 0;
        check(throng_pair_slots(get(), &count));
        return count;
    }

    // Puts a proxy to rest, or wakes it.
    void set_resting(proxy_id id, bool resting) { check(throng_set_resting(get(), id, resting)); }
    // The same for many.
    void set_resting(const std::vector<proxy_id> &ids, bool resting) {
        check(throng_set_resting_batch(get(), ids.data(), ids.size(), resting));
    }
    // The enabled rows of a category that do not rest, ascending.
    void awake_rows(category_id category, std::vector<std::uint32_t> &rows) const {
        detail::fill(rows, [&](std::uint32_t *room, std::size_t capacity, std::size_t *count) {
            return throng_awake_rows(get(), category, room, capacity, count);
        });
    }
    bool is_resting(proxy_id id) const {
        bool resting = false;
        check(throng_is_resting(get(), id, &resting));
        return resting;
    }
    bool is_settling(proxy_id id) const {
        bool settling = false;
        check(throng_is_settling(get(), id, &settling));
        return settling;
    }
    // The pairs of two that rest, as of the last step or refresh, which no step has.
    void resting_pairs(std::vector<resting_pair> &pairs) const {
        detail::fill(pairs, [&](resting_pair *room, std::size_t capacity, std::size_t *count) {
            return throng_resting_pairs(get(), room, capacity, count);
        });
    }
    // The slot of a pair of two that rest, given either way round, or `THRONG_NO_SLOT`.
    std::uint32_t resting_pair_slot(proxy_id a, proxy_id b) const {
        std::uint32_t slot = THRONG_NO_SLOT;
        check(throng_resting_pair_slot(get(), a, b, &slot));
        return slot;
    }
    // Those that woke with the last step.
    void woken(std::vector<proxy_id> &ids) const {
        detail::fill(ids, [&](proxy_id *room, std::size_t capacity, std::size_t *count) {
            return throng_woken(get(), room, capacity, count);
        });
    }
    // Those that came to rest with the last step.
    void came_to_rest(std::vector<proxy_id> &ids) const {
        detail::fill(ids, [&](proxy_id *room, std::size_t capacity, std::size_t *count) {
            return throng_came_to_rest(get(), room, capacity, count);
        });
    }

    throng_report report() const {
        throng_report report = throng_report_empty();
        check(throng_read_report(get(), &report));
        return report;
    }
    // The report as a table for people.
    std::string print_report() const {
        std::vector<char> text;
        detail::fill(text, [&](char *room, std::size_t capacity, std::size_t *count) {
            return throng_print_report(get(), room, capacity, count);
        });
        return text.data();
    }

    // Fills in from which row each row came; `follow_rows` has a column of the engine's follow.
    void sort_rows(category_id category, throng_row_order order, std::vector<std::uint32_t> &old_rows) {
        old_rows.resize(rows(category));
        std::size_t count = 0;
        check(throng_sort_rows(get(), category, order, old_rows.data(), old_rows.size(), &count));
    }
    void forget_history(category_id category) { check(throng_forget_history(get(), category)); }
    bool is_sort_due(category_id category) const {
        bool due = false;
        check(throng_is_sort_due(get(), category, &due));
        return due;
    }

    void find_at_point(point at, std::vector<query_hit> &hits, const filter &filter = {}) const {
        filter.with([&](const throng_query_filter *c) {
            detail::fill(hits, [&](query_hit *room, std::size_t capacity, std::size_t *count) {
                return throng_find_at_point(get(), c, at, room, capacity, count);
            });
        });
    }
    void find_in_aabb(aabb box, std::vector<query_hit> &hits, const filter &filter = {}) const {
        filter.with([&](const throng_query_filter *c) {
            detail::fill(hits, [&](query_hit *room, std::size_t capacity, std::size_t *count) {
                return throng_find_in_aabb(get(), c, box, room, capacity, count);
            });
        });
    }
    void find_in_circle(circle in, std::vector<query_hit> &hits, const filter &filter = {}) const {
        filter.with([&](const throng_query_filter *c) {
            detail::fill(hits, [&](query_hit *room, std::size_t capacity, std::size_t *count) {
                return throng_find_in_circle(get(), c, in, room, capacity, count);
            });
        });
    }
    void find_in_polygon(const std::vector<point> &corners, std::vector<query_hit> &hits, const filter &filter = {}) const {
        filter.with([&](const throng_query_filter *c) {
            detail::fill(hits, [&](query_hit *room, std::size_t capacity, std::size_t *count) {
                return throng_find_in_polygon(get(), c, corners.data(), corners.size(), room, capacity, count);
            });
        });
    }
    // All that make a pair with a proxy: what is inside a sensor, or what touches a unit.
    void find_partners(proxy_id id, std::vector<query_hit> &hits, const filter &filter = {}) const {
        filter.with([&](const throng_query_filter *c) {
            detail::fill(hits, [&](query_hit *room, std::size_t capacity, std::size_t *count) {
                return throng_find_partners(get(), c, id, room, capacity, count);
            });
        });
    }
    // The `k` nearest that are no farther than `max_distance`, nearest first.
    void find_nearest(point at, std::size_t k, float max_distance, std::vector<nearest_hit> &hits,
                      const filter &filter = {}) const {
        filter.with([&](const throng_query_filter *c) {
            fill_nearest(k, hits, [&](std::size_t most, std::size_t *count) {
                return throng_find_nearest(get(), c, at, max_distance, hits.data(), most, count);
            });
        });
    }
    // In C the number comes last; here it is not to be taken for a distance.
    template <class Distance, class Count>
    std::enable_if_t<std::is_floating_point<Distance>::value> find_nearest(point, Distance, Count, std::vector<nearest_hit> &,
                                                                           const filter & = {}) const = delete;
    // The same of the engine's own shapes: `shape(hit)` tells the distance to one, not its square; less than 0 if it is to be ignored.
    template <class Shape>
    void find_nearest_by(point at, std::size_t k, float max_distance, Shape &&shape, std::vector<nearest_hit> &hits,
                         const filter &filter = {}) const {
        asked<nearest_hit, Shape> call{shape, {}};
        call.caught.rethrow_after([&] {
            filter.with([&](const throng_query_filter *c) {
                fill_nearest(k, hits, [&](std::size_t most, std::size_t *count) {
                    return throng_find_nearest_by(get(), c, at, max_distance, call.ask, &call, hits.data(), most, count);
                });
            });
        });
    }
    // Returns whether the path touches anything, and fills in what it touches first.
    bool cast_first(const cast &path, cast_hit &hit, const filter &filter = {}) const {
        bool found = false;
        filter.with([&](const throng_query_filter *c) { check(throng_cast_first(get(), c, path, &hit, &found)); });
        return found;
    }
    // The same of the engine's own shapes: `shape(hit)` tells after which fraction one is touched; less than 0 if it is missed.
    template <class Shape>
    bool cast_first_by(const cast &path, Shape &&shape, cast_hit &hit, const filter &filter = {}) const {
        asked<cast_hit, Shape> call{shape, {}};
        bool found = false;
        call.caught.rethrow_after([&] {
            filter.with([&](const throng_query_filter *c) {
                check(throng_cast_first_by(get(), c, path, call.ask, &call, &hit, &found));
            });
        });
        return found;
    }
    void cast_all(const cast &path, std::vector<cast_hit> &hits, const filter &filter = {}) const {
        filter.with([&](const throng_query_filter *c) {
            detail::fill(hits, [&](cast_hit *room, std::size_t capacity, std::size_t *count) {
                return throng_cast_all(get(), c, path, room, capacity, count);
            });
        });
    }
    template <class Shape>
    void cast_all_by(const cast &path, Shape &&shape, std::vector<cast_hit> &hits, const filter &filter = {}) const {
        asked<cast_hit, Shape> call{shape, {}};
        call.caught.rethrow_after([&] {
            filter.with([&](const throng_query_filter *c) {
                detail::fill(hits, [&](cast_hit *room, std::size_t capacity, std::size_t *count) {
                    return throng_cast_all_by(get(), c, path, call.ask, &call, room, capacity, count);
                });
            });
        });
    }

    // Many questions at once, on all threads of the world. If some are refused, what it throws has `THRONG_STATUS_SOME_REFUSED`,
    // and the answers to the others are there.
    void find_batch_at_points(const std::vector<point> &points, answers<query_hit> &found, const filter &filter = {}) const {
        ask_batch(throng_find_batch_at_points, points, found, filter);
    }
    void find_batch_in_aabbs(const std::vector<aabb> &boxes, answers<query_hit> &found, const filter &filter = {}) const {
        ask_batch(throng_find_batch_in_aabbs, boxes, found, filter);
    }
    void find_batch_in_circles(const std::vector<circle> &circles, answers<query_hit> &found, const filter &filter = {}) const {
        ask_batch(throng_find_batch_in_circles, circles, found, filter);
    }
    void find_batch_nearest(const std::vector<nearest_query> &questions, answers<nearest_hit> &found,
                            const filter &filter = {}) const {
        ask_batch(throng_find_batch_nearest, questions, found, filter);
    }
    void cast_batch_all(const std::vector<cast> &paths, answers<cast_hit> &found, const filter &filter = {}) const {
        ask_batch(throng_cast_batch_all, paths, found, filter);
    }
    // One hit for each path, or none.
    void cast_batch_first(const std::vector<cast> &paths, answers<cast_hit> &found, const filter &filter = {}) const {
        ask_batch(throng_cast_batch_first, paths, found, filter);
    }

    // All pairs within a distance, each once, as of the last step or refresh.
    void find_pairs_within(const proximity &proximity, std::vector<near_pair> &pairs) const {
        const throng_proximity c = proximity.c();
        detail::fill(pairs, [&](near_pair *room, std::size_t capacity, std::size_t *count) {
            return throng_find_pairs_within(get(), &c, room, capacity, count);
        });
    }
    // Of one pair of categories: those near row `i` of the first are rows of the second, in `hits` from `starts[i]` to before
    // `starts[i + 1]`. Since the last step or refresh no row of either category may have come or gone, been enabled or disabled, or been given other masks.
    // With each pair once, the first category must not be the higher one.
    void find_neighbors(const proximity &proximity, answers<std::uint32_t> &lists) const {
        const throng_proximity c = proximity.c();
        // None if it was moved from.
        lists.starts.resize((c.category_count > 0 ? rows(c.categories[0][0]) : 0) + 1);
        detail::fill(lists.hits, [&](std::uint32_t *room, std::size_t capacity, std::size_t *count) {
            return throng_find_neighbors(get(), &c, lists.starts.data(), lists.starts.size(), room, capacity, count);
        });
    }

private:
    template <class Write>
    throng::aabb_fill fill_of(Write &&write) {
        throng_aabb_fill fill{};
        const throng_status status = write(&fill);
        if (status != THRONG_STATUS_SOME_REFUSED) {
            check(status);
        }
        throng::aabb_fill done;
        done.migrated.assign(fill.migrated, fill.migrated + fill.migrated_count);
        done.refused.assign(fill.refused, fill.refused + fill.refused_count);
        return done;
    }

    template <class Set, class Value>
    void set_many(Set set, const std::vector<proxy_id> &ids, const std::vector<Value> &values, const char *unlike) {
        check_lengths(ids, values, unlike);
        check(set(get(), ids.data(), values.data(), ids.size()));
    }

    struct free_world {
        void operator()(throng_world *world) const noexcept { throng_world_free(world); }
    };

    explicit world(throng_world *made) : world_(made) {}

    template <class A, class B>
    static void check_lengths(const std::vector<A> &some, const std::vector<B> &others, const char *unlike) {
        if (some.size() != others.size()) {
            throw error(THRONG_STATUS_LENGTH_MISMATCH, unlike);
        }
    }
    static void check_lengths(const std::vector<float> &xs, const std::vector<float> &ys) {
        check_lengths(xs, ys, "there are not as many xs as ys");
    }
    static void check_lengths(const std::vector<std::uint32_t> &rows, const std::vector<float> &xs,
                              const std::vector<float> &ys) {
        check_lengths(xs, ys);
        check_lengths(rows, xs, "there are not as many rows as xs");
    }

    template <class Question, class Hit>
    using batch_query = throng_status (*)(const throng_world *, const throng_query_filter *, const Question *, std::size_t,
                                          std::size_t *, Hit *, std::size_t, std::size_t *);

    template <class Question, class Hit>
    void ask_batch(batch_query<Question, Hit> query, const std::vector<Question> &questions, answers<Hit> &found,
                   const filter &filter) const {
        found.starts.assign(questions.size() + 1, 0);
        filter.with([&](const throng_query_filter *c) {
            detail::fill(found.hits, [&](Hit *room, std::size_t capacity, std::size_t *count) {
                return query(get(), c, questions.data(), questions.size(), found.starts.data(), room, capacity, count);
            });
        });
    }

    // Makes room for `k` hits, but no more than there are proxies, and keeps as many as `find` counts.
    template <class Find>
    void fill_nearest(std::size_t k, std::vector<nearest_hit> &hits, Find &&find) const {
        std::size_t most = size() < k ? size() : k, count = 0;
        hits.resize(most);
        throng_status status = find(most, &count);
        hits.resize(status == THRONG_STATUS_OK ? count : 0);
        check(status);
    }

    // A shape that is asked from C.
    template <class Hit, class Shape>
    struct asked {
        Shape &shape;
        detail::caught caught;

        static float ask(void *user, const Hit *hit) {
            auto *own = static_cast<asked *>(user);
            float answer = -1;
            own->caught.run([&] { answer = own->shape(*hit); });
            return answer;
        }
    };

    template <class Output, class Collide>
    void run_step(std::size_t output_size, Collide &&collide) {
        struct context {
            Collide &collide;
            detail::caught caught;
        } context{collide, {}};
        auto call = [](void *user, const throng_pair_batch *pairs, void *room) {
            auto *own = static_cast<struct context *>(user);
            std::size_t filled = 0;
            own->caught.run([&] { filled = own->collide(*pairs, static_cast<Output *>(room)); });
            return filled;
        };
        throng_narrowphase narrowphase = throng_narrowphase_of(call, &context);
        narrowphase.output_size = output_size;
        context.caught.rethrow_after([&] { check(throng_step(get(), &narrowphase)); });
    }

    std::unique_ptr<throng_world, free_world> world_;
};

}  // namespace throng

#endif
