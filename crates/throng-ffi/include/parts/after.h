
// Helpers that fill structs in: compiled into the program, so that `struct_size` is what it knows.
#ifndef THRONG_HELPERS_H
#define THRONG_HELPERS_H

#ifdef __cplusplus
#define THRONG_ZEROED \
    {                 \
    }
#else
#define THRONG_ZEROED \
    {                 \
        0             \
    }
#endif

// Something that moves, by its center and half extents.
static inline throng_proxy throng_proxy_centered(float x, float y, float half_x, float half_y) {
    throng_proxy proxy = THRONG_ZEROED;
    proxy.struct_size = sizeof proxy;
    proxy.kind = THRONG_PROXY_KIND_CENTERED;
    proxy.place[0] = x;
    proxy.place[1] = y;
    proxy.place[2] = half_x;
    proxy.place[3] = half_y;
    return proxy;
}

// Something that moves, by its corners.
static inline throng_proxy throng_proxy_moving(throng_aabb aabb) {
    throng_proxy proxy = throng_proxy_centered(aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y);
    proxy.kind = THRONG_PROXY_KIND_MOVING;
    return proxy;
}

// Something that never moves, by its corners.
static inline throng_proxy throng_proxy_fixed(throng_aabb aabb) {
    throng_proxy proxy = throng_proxy_moving(aabb);
    proxy.kind = THRONG_PROXY_KIND_FIXED;
    return proxy;
}

// Things that move, none with a half extent above this one.
static inline throng_category_config throng_category_uniform(const char *name, float half_extent) {
    throng_category_config category = THRONG_ZEROED;
    category.struct_size = sizeof category;
    category.name = name;
    category.kind = THRONG_CATEGORY_KIND_UNIFORM;
    category.half_extents[0] = half_extent;
    category.half_extents[1] = half_extent;
    return category;
}

// Things that move and may have any size.
static inline throng_category_config throng_category_oversized(const char *name) {
    throng_category_config category = throng_category_uniform(name, 0);
    category.kind = THRONG_CATEGORY_KIND_OVERSIZED;
    return category;
}

// Things that never move.
static inline throng_category_config throng_category_scenery(const char *name) {
    throng_category_config category = throng_category_uniform(name, 0);
    category.kind = THRONG_CATEGORY_KIND_SCENERY;
    return category;
}

// A world of these categories.
static inline throng_config throng_config_of(const throng_category_config *categories, size_t count) {
    throng_config config = THRONG_ZEROED;
    config.struct_size = sizeof config;
    config.categories = categories;
    config.category_count = count;
    return config;
}

// A narrowphase without outputs.
static inline throng_narrowphase throng_narrowphase_of(throng_collide collide, void *user) {
    throng_narrowphase narrowphase = THRONG_ZEROED;
    narrowphase.struct_size = sizeof narrowphase;
    narrowphase.collide = collide;
    narrowphase.user = user;
    return narrowphase;
}

// A job system with so many threads, which sleep while they wait for work.
static inline throng_executor throng_executor_of(size_t threads, throng_run_all run_all, void *user) {
    throng_executor executor = THRONG_ZEROED;
    executor.struct_size = sizeof executor;
    executor.threads = threads;
    executor.run_all = run_all;
    executor.user = user;
    return executor;
}

// A report to be filled in.
static inline throng_report throng_report_empty(void) {
    throng_report report = THRONG_ZEROED;
    report.struct_size = sizeof report;
    return report;
}

// In these groups, and willing to meet those: `UINT64_MAX` for all.
static inline throng_masks throng_masks_of(uint64_t memberships, uint64_t filter) {
    throng_masks masks = THRONG_ZEROED;
    masks.memberships = memberships;
    masks.filter = filter;
    return masks;
}

// A filter that leaves nothing out, to begin with.
static inline throng_query_filter throng_filter_everything(void) {
    throng_query_filter filter = THRONG_ZEROED;
    filter.struct_size = sizeof filter;
    return filter;
}

// Centers no farther apart than this: of pairs of categories, two numbers for each pair.
static inline throng_proximity throng_proximity_of(const uint16_t *categories, size_t pairs, float distance) {
    throng_proximity proximity = THRONG_ZEROED;
    proximity.struct_size = sizeof proximity;
#ifdef __cplusplus
    proximity.categories = reinterpret_cast<const uint16_t(*)[2]>(categories);
#else
    proximity.categories = (const uint16_t(*)[2])(const void *)categories;
#endif
    proximity.category_count = pairs;
    proximity.distance = distance;
    return proximity;
}

// The path of a point.
static inline throng_cast throng_ray(throng_point from, throng_point to) {
    throng_cast cast = THRONG_ZEROED;
    cast.kind = THRONG_CAST_KIND_RAY;
    cast.begin.min = from;
    cast.begin.max = from;
    cast.way = to;
    return cast;
}

// The path of a box.
static inline throng_cast throng_moving_box(throng_aabb begin, throng_point by) {
    throng_cast cast = THRONG_ZEROED;
    cast.kind = THRONG_CAST_KIND_BOX;
    cast.begin = begin;
    cast.way = by;
    return cast;
}

// The path of a circle.
static inline throng_cast throng_moving_circle(throng_circle begin, throng_point by) {
    throng_cast cast = THRONG_ZEROED;
    cast.kind = THRONG_CAST_KIND_CIRCLE;
    cast.begin.min = begin.center;
    cast.begin.max = begin.center;
    cast.radius = begin.radius;
    cast.way = by;
    return cast;
}

#endif  // THRONG_HELPERS_H
