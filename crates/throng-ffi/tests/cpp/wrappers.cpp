// The wrappers for C++, against what this program finds by itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <thread>

#include "throng.hpp"

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
            std::exit(1);                                                                   \
        }                                                                                   \
    } while (0)

namespace {

constexpr std::size_t COUNT = 2000;
constexpr float HALF = 0.5f;

class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed) {}

    // The constants are those of Knuth's MMIX.
    float in(float low, float high) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return low + (high - low) * static_cast<float>(state_ >> 40) / 16777216.0f;
    }

private:
    std::uint64_t state_;
};

template <class Work>
void throws(throng_status status, Work &&work) {
    try {
        work();
    } catch (const throng::error &error) {
        CHECK(error.status() == status);
        CHECK(std::string(error.what()).find(throng_status_name(status)) == 0);
        return;
    }
    CHECK(!"it throws");
}

struct crowd {
    throng::world world;
    std::vector<float> xs, ys;
    std::vector<throng::proxy_id> ids;
};

crowd make_crowd(std::uint64_t seed) {
    using throng::category;
    throng::config config =
        throng::config().add(category::uniform("units", HALF).events()).add(category::scenery("walls")).world_tag(5);
    crowd crowd{throng::world(config), {}, {}, {}};
    dice dice(seed);
    for (std::size_t i = 0; i < COUNT; i++) {
        crowd.xs.push_back(dice.in(-30, 30));
        crowd.ys.push_back(dice.in(-30, 30));
        throng::proxy proxy = throng::proxy::centered({crowd.xs[i], crowd.ys[i]}, {HALF, HALF}).key(i + 1);
        throng_inserted inserted = crowd.world.insert(proxy);
        CHECK(inserted.row == i);
        crowd.ids.push_back(inserted.id);
    }
    return crowd;
}

using rows = std::pair<std::uint32_t, std::uint32_t>;

bool touch(const crowd &crowd, std::size_t a, std::size_t b) {
    auto apart = [](float p, float q) { return p + HALF < q - HALF || q + HALF < p - HALF; };
    return !apart(crowd.xs[a], crowd.xs[b]) && !apart(crowd.ys[a], crowd.ys[b]);
}

std::set<rows> brute_force(const crowd &crowd) {
    std::set<rows> pairs;
    for (std::uint32_t a = 0; a < COUNT; a++) {
        for (std::uint32_t b = a + 1; b < COUNT; b++) {
            if (touch(crowd, a, b)) {
                pairs.insert({a, b});
            }
        }
    }
    return pairs;
}

struct contact {
    std::uint32_t a, b;
    float distance_squared;
};

std::size_t collide(const throng::batch &batch, contact *room) {
    for (std::size_t i = 0; i < batch.count; i++) {
        std::uint32_t a = batch.pairs[i][0], b = batch.pairs[i][1];
        float dx = batch.xs[0][a] - batch.xs[1][b], dy = batch.ys[0][a] - batch.ys[1][b];
        room[i] = {a, b, dx * dx + dy * dy};
    }
    return batch.count;
}

// Settings can be said in a row, or one by one of what has a name; none of these refers to what is gone.
void settings_are_said_in_a_row_or_one_by_one() {
    throng::config config;
    for (const char *name : {"units", "ghosts"}) {
        throng::category category = throng::category::uniform(name, HALF);
        if (name[0] == 'g') {
            category.meets({}).events();
        }
        config.add(category);
    }
    config.world_tag(7);
    throng::world world(config);
    const throng::proxy plain = throng::proxy::centered({0, 0}, {HALF, HALF});
    throng::proxy_id unit = world.insert(plain).id;
    throng::proxy_id ghost = world.insert(plain.in_category(1).key(9)).id;
    CHECK(world.at(unit).key == 0 && world.at(ghost).key == 9);
    std::vector<throng::pair> pairs;
    world.step_pairs(pairs);
    CHECK(pairs.empty());

    std::vector<throng::query_hit> hits;
    const throng::filter &kept = throng::filter().category(0);
    throng::filter filter = kept;
    world.find_in_circle({{0, 0}, 1}, hits, filter);
    CHECK(hits.size() == 1 && hits[0].id == unit);
    filter.category(1).except(unit);
    world.find_in_circle({{0, 0}, 1}, hits, filter);
    CHECK(hits.size() == 1 && hits[0].id == ghost);
}

// What was found before does not change an answer, whether it was more or less.
void vectors_are_filled_again() {
    crowd crowd = make_crowd(3);
    crowd.world.refresh();
    std::vector<throng::query_hit> hits;
    for (float radius : {0.0f, 100.0f, 1.0f, 2.0f, 4.0f, 100.0f, 0.5f}) {
        std::vector<throng::query_hit> fresh;
        crowd.world.find_in_circle({{0, 0}, radius}, hits);
        crowd.world.find_in_circle({{0, 0}, radius}, fresh);
        CHECK(hits.size() == fresh.size());
        CHECK(radius < 100 || hits.size() == COUNT);
        for (std::size_t i = 0; i < hits.size(); i++) {
            CHECK(hits[i].id == fresh[i].id);
        }
    }
}

void steps_find_all_pairs() {
    crowd crowd = make_crowd(1);
    std::vector<throng::pair> pairs;
    std::vector<contact> contacts, on_four;
    dice dice(2);
    for (int frame = 0; frame < 3; frame++) {
        for (std::size_t i = 0; i < COUNT; i++) {
            crowd.xs[i] += dice.in(-1, 1);
        }
        CHECK(crowd.world.fill_centers(0, crowd.xs, crowd.ys).rejected == 0);
        std::set<rows> expected = brute_force(crowd), found;
        crowd.world.step_pairs(pairs);
        for (const throng::pair &pair : pairs) {
            found.insert({pair.rows[0], pair.rows[1]});
        }
        CHECK(found == expected && found.size() == pairs.size() && pairs.size() > 100);
        CHECK(frame > 0 || crowd.world.began().size() == pairs.size());
        CHECK(frame > 0 || crowd.world.began()[3].ids[0] == crowd.world.began().begin()[3].ids[0]);

        crowd.world.use_threads(1);
        crowd.world.step<contact>(collide);
        crowd.world.outputs(contacts);
        crowd.world.use_threads(4);
        crowd.world.step<contact>(collide);
        crowd.world.outputs(on_four);
        // Those of another type are not read as if they were these.
        std::vector<char> bytes;
        throws(THRONG_STATUS_BAD_VALUE, [&] { crowd.world.outputs(bytes); });
        CHECK(contacts.size() == pairs.size() && on_four.size() == pairs.size());
        for (std::size_t i = 0; i < contacts.size(); i++) {
            CHECK(contacts[i].a == pairs[i].rows[0] && contacts[i].b == pairs[i].rows[1]);
            CHECK(contacts[i].a == on_four[i].a && contacts[i].b == on_four[i].b);
            CHECK(contacts[i].distance_squared <= 2.01f);
        }
        CHECK(crowd.world.report().pairs == pairs.size());
        crowd.world.step();
        CHECK(crowd.world.report().pairs == pairs.size());
        CHECK(crowd.world.began().size() == 0 && crowd.world.ended().begin() == crowd.world.ended().end());
    }
    CHECK(crowd.world.centers(0).size() == COUNT && crowd.world.centers(0)[7].x == crowd.xs[7]);
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { crowd.world.fill_centers(0, {1}, {1, 2}); });
    CHECK(crowd.world.set_row_centers(0, {7, 9}, {1, 2}, {3, NAN}).first_rejected == 9);
    CHECK(crowd.world.centers(0).xs[7] == 1 && crowd.world.centers(0).ys[7] == 3 && crowd.world.centers(0).xs[9] == crowd.xs[9]);
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { crowd.world.set_row_centers(0, {7}, {1, 2}, {3, 4}); });
    crowd.world.set_row_center(0, 8, {2, 6});
    CHECK(crowd.world.centers(0).xs[8] == 2 && crowd.world.centers(0).ys[8] == 6);
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { crowd.world.fill_centers(0, {{1, 2}}); });
    std::vector<throng::point> points(COUNT, {4, 5});
    CHECK(crowd.world.fill_centers(0, points).rejected == 0 && crowd.world.centers(0).ys[COUNT - 1] == 5);

    // The same of memory that is in no vector.
    const throng::point half{0.5f, 0.5f}, center{2, 3};
    const throng::aabb aabb{{1, 1}, {2, 2}};
    const std::uint32_t row = 7;
    CHECK(crowd.world.set_row_centers(0, &row, &center.x, &center.y, 1).rejected == 0 && crowd.world.centers(0)[7].y == 3);
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { crowd.world.fill_centers(0, &center, 1); });
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { crowd.world.fill_velocities(0, &center, 1); });
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { crowd.world.fill_aabbs(0, &aabb, 1); });
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { crowd.world.fill_aabbs(0, &center, &half, 1); });
}

// What a game might have: a vector type and a box of its own, and members of a base.
struct vec {
    float x, y;
};
struct bounds {
    vec lower, upper;
};
struct placed {
    int kind = 0;
    vec position{};
};
struct body : placed {
    float vx = 0, vy = 0;
    double mass = 1;
    bounds box{};
};

void structs_of_the_game_are_read_as_they_are() {
    crowd crowd = make_crowd(5);
    throng::world &world = crowd.world;
    std::vector<body> bodies(COUNT);
    for (std::size_t i = 0; i < COUNT; i++) {
        const float x = static_cast<float>(i);
        bodies[i].position = {x, 2};
        bodies[i].vx = -x;
        bodies[i].box = {{x, 4}, {x + 0.5f, 5}};
    }
    bodies[3].position.y = NAN;
    CHECK(world.fill_centers(0, bodies, &body::position).first_rejected == 3);
    CHECK(world.centers(0)[COUNT - 1].x == static_cast<float>(COUNT - 1) && world.centers(0)[7].y == 2);
    CHECK(world.fill_centers(0, bodies, &body::vx, &body::vy).rejected == 0 && world.centers(0)[7].x == -7);
    bodies[7].position.x = 100;
    CHECK(world.set_row_centers(0, {3, 7}, bodies, &body::position).first_rejected == 3 && world.centers(0)[7].x == 100);
    CHECK(world.centers(0)[8].x == -8);

    const throng::proxy_id seventh = world.proxy_at(0, 7), eighth = world.proxy_at(0, 8);
    CHECK(world.fill_velocities(0, bodies, &body::vx, &body::vy).rejected == 0 && world.velocity(seventh).x == -7);
    bodies[7].vx = bodies[8].vx = 1;
    CHECK(world.set_row_velocities(0, {7}, bodies, &body::vx, &body::vy).rejected == 0);
    CHECK(world.velocity(seventh).x == 1 && world.velocity(eighth).x == -8);

    CHECK(world.fill_aabbs(0, bodies, &body::box).refused.empty() && world.centers(0)[7].x == 7.25f);
    bodies[7].box = bodies[8].box = {{0, 0}, {0.5f, 0.5f}};
    CHECK(world.set_row_aabbs(0, {7}, bodies, &body::box).refused.empty());
    CHECK(world.centers(0)[7].x == 0.25f && world.centers(0)[8].x == 8.25f);

    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.fill_centers(0, bodies.data(), 3, &body::position); });
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.fill_velocities(0, std::vector<body>(), &body::vx, &body::vy); });
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.fill_centers(0, std::vector<body>(), &body::position); });
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.fill_aabbs(0, std::vector<body>(), &body::box); });
}

struct tea_break {};

void callbacks_may_throw() {
    crowd crowd = make_crowd(3);
    bool caught = false;
    try {
        crowd.world.step([](const throng::batch &) { throw tea_break(); });
    } catch (const tea_break &) {
        caught = true;
    }
    CHECK(caught);
    std::vector<throng::query_hit> hits;
    caught = false;
    try {
        auto picky = throng::filter().only([](const throng::query_hit &) -> bool { throw tea_break(); });
        crowd.world.find_in_circle({{0, 0}, 50}, hits, picky);
    } catch (const tea_break &) {
        caught = true;
    }
    CHECK(caught);
    // What the engine has thrown is thrown, even if the call fails for another reason as well.
    throng::answers<throng::query_hit> answers;
    for (bool picky : {true, false}) {
        caught = false;
        auto test = throng::filter().only([&](const throng::query_hit &) -> bool {
            if (picky) {
                throw tea_break();
            }
            return true;
        });
        try {
            crowd.world.find_batch_at_points({{std::nanf(""), 0}, {crowd.xs[0], crowd.ys[0]}}, answers, test);
        } catch (const tea_break &) {
            caught = true;
        } catch (const throng::error &refused) {
            CHECK(refused.status() == THRONG_STATUS_SOME_REFUSED);
        }
        CHECK(caught == picky);
    }
    // And nothing is broken.
    std::vector<throng::pair> pairs;
    crowd.world.step_pairs(pairs);
    CHECK(pairs.size() == brute_force(crowd).size());
    std::atomic<std::size_t> counted{0};
    crowd.world.step([&](const throng::batch &batch) { counted += batch.count; });
    CHECK(counted == pairs.size());
}

// Four threads that are started for each list.
class four_threads {
public:
    std::size_t threads() const { return 4; }

    template <class Task>
    void run_all(std::size_t count, Task task) {
        lists_++;
        std::atomic<std::size_t> next{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++) {
            threads.emplace_back([&] {
                for (std::size_t index = next++; index < count; index = next++) {
                    task(index);
                }
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
    }

    std::size_t lists() const { return lists_; }

private:
    std::size_t lists_ = 0;
};

void tasks_run_where_they_are_told() {
    crowd crowd = make_crowd(4);
    // So many that there is more than one task.
    for (int i = 0; i < 8000; i++) {
        throng::point at = {1000 + 1.5f * HALF * static_cast<float>(i % 100), HALF * static_cast<float>(i)};
        crowd.world.insert(throng::proxy::centered(at, {HALF, HALF}));
    }
    std::vector<throng::pair> pairs, on_four;
    crowd.world.step_pairs(pairs);
    four_threads executor;
    crowd.world.use_executor(executor, true);
    crowd.world.step_pairs(on_four);
    CHECK(executor.lists() > 1 && pairs.size() == on_four.size());
    for (std::size_t i = 0; i < pairs.size(); i++) {
        CHECK(pairs[i].rows[0] == on_four[i].rows[0] && pairs[i].rows[1] == on_four[i].rows[1]);
    }
}

double box_distance(const crowd &crowd, std::size_t i, throng::point at) {
    double dx = std::max(0.0, std::fabs(static_cast<double>(crowd.xs[i]) - at.x) - HALF);
    double dy = std::max(0.0, std::fabs(static_cast<double>(crowd.ys[i]) - at.y) - HALF);
    return std::hypot(dx, dy);
}

void check_circle(const crowd &crowd, throng::circle circle, const throng::query_hit *hits, std::size_t count) {
    std::set<std::uint64_t> keys;
    for (std::size_t i = 0; i < count; i++) {
        CHECK(keys.insert(hits[i].key).second);
    }
    for (std::size_t i = 0; i < COUNT; i++) {
        double distance = box_distance(crowd, i, circle.center);
        CHECK(std::fabs(distance - circle.radius) < 1e-4 || (distance < circle.radius) == (keys.count(i + 1) > 0));
    }
}

void queries_find_what_is_there() {
    crowd crowd = make_crowd(5);
    crowd.world.use_threads(4);
    throws(THRONG_STATUS_STALE_INDEX, [&] {
        std::vector<throng::query_hit> hits;
        crowd.world.find_at_point({0, 0}, hits);
    });
    crowd.world.refresh();
    std::vector<throng::query_hit> hits;
    std::vector<throng::circle> circles;
    dice dice(6);
    for (int i = 0; i < 50; i++) {
        circles.push_back({{dice.in(-30, 30), dice.in(-30, 30)}, dice.in(0, 9)});
        crowd.world.find_in_circle(circles[i], hits);
        check_circle(crowd, circles[i], hits.data(), hits.size());
    }
    throng::answers<throng::query_hit> answers;
    crowd.world.find_batch_in_circles(circles, answers);
    for (std::size_t i = 0; i < circles.size(); i++) {
        check_circle(crowd, circles[i], &answers.hits[answers.starts[i]], answers.starts[i + 1] - answers.starts[i]);
    }

    throng::point at{crowd.xs[9], crowd.ys[9]};
    crowd.world.find_at_point(at, hits, throng::filter().category(0).except(crowd.ids[9]));
    for (const throng::query_hit &hit : hits) {
        CHECK(hit.id != crowd.ids[9] && touch(crowd, hit.row, 9));
    }
    crowd.world.find_in_aabb({{-50, -50}, {50, 50}}, hits, throng::filter().only([](const throng::query_hit &hit) {
        return hit.key <= 10;
    }));
    CHECK(hits.size() == 10);
    crowd.world.find_in_aabb({{-50, -50}, {50, 50}}, hits, throng::filter().without(0));
    CHECK(hits.empty());
    crowd.world.find_in_polygon({{-50, -50}, {50, -50}, {50, 50}, {-50, 50}}, hits);
    CHECK(hits.size() == COUNT);

    std::vector<throng::nearest_hit> nearest;
    crowd.world.find_nearest(at, 3, 100, nearest);
    CHECK(nearest.size() == 3 && nearest[0].distance_squared == 0);
    crowd.world.find_nearest(at, std::numeric_limits<std::size_t>::max(), 1e9f, nearest);
    CHECK(nearest.size() == COUNT);
    // Those with odd keys are ignored; of the others the distance is that to their centers.
    auto to_center = [&](const throng::nearest_hit &near) {
        float x = near.hit.center.x - at.x, y = near.hit.center.y - at.y;
        return near.hit.key % 2 == 1 ? -1 : std::sqrt(x * x + y * y);
    };
    crowd.world.find_nearest_by(at, COUNT, 1e9f, to_center, nearest);
    CHECK(nearest.size() == COUNT / 2);
    for (std::size_t i = 1; i < nearest.size(); i++) {
        CHECK(nearest[i - 1].distance_squared <= nearest[i].distance_squared && nearest[i].hit.key % 2 == 0);
    }
    throws(THRONG_STATUS_BAD_SHAPE, [&] { crowd.world.find_nearest_by(at, 1, -1, to_center, nearest); });
    CHECK(nearest.empty());
    throng::cast ray = throng_ray({-100, at.y}, {100, at.y});
    std::vector<throng::cast_hit> path;
    throng::cast_hit first{};
    crowd.world.cast_all(ray, path);
    CHECK(path.size() > 1 && crowd.world.cast_first(ray, first) && first.hit.id == path[0].hit.id);
    auto second = [&](const throng::cast_hit &hit) { return hit.hit.id == path[0].hit.id ? -1 : hit.fraction; };
    CHECK(crowd.world.cast_first_by(ray, second, first) && first.hit.id == path[1].hit.id);
    for (std::size_t i = 0; i < COUNT; i++) {
        bool found = std::any_of(path.begin(), path.end(), [&](const throng::cast_hit &hit) { return hit.hit.row == i; });
        double apart = std::fabs(static_cast<double>(crowd.ys[i]) - at.y);
        CHECK(std::fabs(apart - HALF) < 1e-4 || found == (apart < HALF));
    }

    std::vector<throng::near_pair> near;
    crowd.world.find_pairs_within(throng::proximity::centers(0, 0, 2), near);
    std::size_t near_count = near.size();
    throng::answers<std::uint32_t> lists;
    crowd.world.find_neighbors(throng::proximity::centers(0, 0, 2), lists);
    CHECK(lists.hits.size() == 2 * near_count && lists.starts.back() == lists.hits.size() && near_count > COUNT);
    throng::proximity once = throng::proximity::centers(0, 0, 2);
    crowd.world.find_neighbors(once.each_pair_once(), lists);
    CHECK(lists.hits.size() == near_count);
    // Two boxes are nearer to each other than their centers, so more pairs are found.
    crowd.world.find_pairs_within(throng::proximity::boxes(0, 0, 2), near);
    CHECK(near.size() > near_count);
}

void what_is_near_may_be_of_several_categories() {
    throng::world world = throng::world::from_toml(
        "[[categories]]\nname = \"units\"\nhalf_extents = 1\n[[categories]]\nname = \"giants\"\nkind = \"oversized\"\n");
    // The units are in one group and accept only another, so they do not meet each other.
    for (float x : {0.f, 1.f}) {
        world.insert(throng::proxy::centered({x, 0}, {1, 1}).masks({1, 2, THRONG_MASK_MODE_AND}));
    }
    world.insert(throng::proxy::centered({0, 9}, {4, 4}));
    world.refresh();
    std::vector<throng::near_pair> near;
    auto count = [&](const throng::proximity &proximity) {
        world.find_pairs_within(proximity, near);
        return near.size();
    };
    throng::proximity units = throng::proximity::boxes(0, 0, 5);
    CHECK(count(units) == 0);
    CHECK(count(units.also(0, 1)) == 2);
    CHECK(count(units.ignoring_masks()) == 3);
    CHECK(count(throng::proximity::centers(0, 1, 5).also(0, 0).ignoring_masks()) == 1);
    CHECK(near[0].categories[1] == 0 && near[0].distance_squared == 1);
    throng::answers<std::uint32_t> lists;
    throws(THRONG_STATUS_BAD_VALUE, [&] { world.find_neighbors(units, lists); });
    throws(THRONG_STATUS_UNKNOWN_CATEGORY, [&] { world.find_neighbors(throng::proximity::boxes(7, 0, 1), lists); });
    throws(THRONG_STATUS_BAD_SHAPE, [&] { count(throng::proximity::boxes(0, 0, std::nanf(""))); });
    throng::proximity taken = std::move(units);
    throws(THRONG_STATUS_BAD_VALUE, [&] { world.find_neighbors(units, lists); });
    CHECK(count(taken) == 3);
    world.find_neighbors(throng::proximity::centers(1, 0, 20).ignoring_masks(), lists);
    CHECK(lists.starts.size() == 2 && lists.hits.size() == 2);
    throws(THRONG_STATUS_BAD_VALUE, [&] { world.find_neighbors(throng::proximity::centers(1, 0, 20).each_pair_once(), lists); });
}

void proxies_come_and_go() {
    throng::world world = throng::world::from_toml(
        "[[categories]]\nname = \"units\"\nhalf_extents = 1\n[[categories]]\nname = \"giants\"\nkind = \"oversized\"\n");
    CHECK(world.to_toml().find("giants") != std::string::npos && world.category("giants") == 1);
    throws(THRONG_STATUS_UNKNOWN_CATEGORY, [&] { world.category("dwarfs"); });
    throws(THRONG_STATUS_BAD_TOML, [&] { throng::world::from_toml("what?"); });
    world.reserve(0, 10);
    throng::proxy unit = throng::proxy::centered({0, 0}, {1, 1});
    throng::proxy_id a = world.insert(unit.key(3)).id, b = world.insert(unit.owner(4)).id;
    throng::proxy_id c = world.insert(unit.in_category(1).disabled()).id;
    CHECK(world.size() == 3 && world.rows(0) == 2 && world.contains(a) && world.locate(b).row == 1);
    CHECK(world.at(a).key == 3 && world.at(b).owner == 4 && !world.at(c).enabled && world.at(c).named);
    CHECK(world.exclude_pair(a, b) && world.include_pair(a, b) && !world.include_pair(a, b));
    world.set_enabled(c, true);
    world.set_masks(c, {1, 1, THRONG_MASK_MODE_OR});
    world.set_owner(c, 4);
    world.set_key(c, 9);
    world.set_center(c, {5, 5});
    CHECK(world.at(c).key == 9 && world.at(c).center.x == 5 && world.at(c).masks.mode == THRONG_MASK_MODE_OR);
    world.set_keys({a, c}, {13, 19});
    world.set_masks({a, b}, {{1, 2, THRONG_MASK_MODE_AND}, {4, 8, THRONG_MASK_MODE_OR}});
    CHECK(world.at(a).key == 13 && world.at(b).key == 0 && world.at(c).key == 19);
    CHECK(world.at(a).masks.filter == 2 && world.at(b).masks.memberships == 4);
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.set_keys({a}, {1, 2}); });
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.set_masks({a, b}, {{1, 1, THRONG_MASK_MODE_AND}}); });
    throws(THRONG_STATUS_SOME_REFUSED, [&] { world.set_keys({THRONG_NO_PROXY, a}, {1, 14}); });
    CHECK(world.at(a).key == 14);
    {
        const std::size_t rows = world.rows(0);
        std::vector<throng::aabb> boxes(rows, throng::aabb{{0, 0}, {0.5f, 0.5f}});
        CHECK(world.fill_aabbs(0, boxes).migrated.empty());
        boxes[0].min.x = NAN;
        const throng::aabb_fill fill = world.fill_aabbs(0, boxes);
        CHECK(fill.refused.size() == 1 && fill.refused[0] == 0 && fill.migrated.empty());
        const std::vector<throng::point> points(rows, throng::point{0.25f, 0.25f});
        CHECK(world.fill_aabbs(0, points, points).refused.empty() && world.at(a).half_extents.y == 0.25f);
        const throng::aabb giant{{0, 0}, {9, 9}};
        const throng::aabb_fill grown = world.set_row_aabbs(0, {0}, {giant});
        CHECK(grown.migrated.size() == 1 && grown.migrated[0].to.category == 1);
        const throng::row_ref place = grown.migrated[0].to;
        CHECK(world.set_row_aabbs(1, {place.row}, {throng::aabb{{0, 0}, {0.5f, 0.5f}}}).migrated.size() == 1);
        throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.fill_aabbs(0, {giant, giant, giant, giant, giant}); });
        throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.set_row_aabbs(0, {0}, {}); });
        const throng::aabb_fill set = world.set_aabbs({THRONG_NO_PROXY, a}, {giant, throng::aabb{{1, 1}, {1.5f, 1.5f}}});
        CHECK(set.refused.size() == 1 && set.refused[0] == 0 && set.migrated.empty() && world.at(a).center.x == 1.25f);
        throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.set_aabbs({a}, {}); });
        throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.fill_aabbs(0, points, {}); });
    }
    CHECK(world.set_aabb(a, {{0, 0}, {9, 9}}).migrated && world.set_category(a, 1).migrated == false);
    std::vector<throng::proxy_id> ids;
    world.proxies(1, ids);
    CHECK(ids.size() == 2 && ids[1] == a);
    std::vector<std::uint32_t> old_rows;
    world.sort_rows(1, THRONG_ROW_ORDER_KEY, old_rows);
    CHECK(old_rows.size() == 2 && old_rows[0] == 1 && !world.is_sort_due(1));
    std::vector<std::unique_ptr<int>> column(2), spare;
    column[1] = std::make_unique<int>(7);
    throng::follow_rows(old_rows, column, spare);
    CHECK(column.size() == 2 && *column[0] == 7 && column[1] == nullptr);
    column.clear();
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { throng::follow_rows(old_rows, column, spare); });
    world.forget_history(1);
    CHECK(world.remove(a).swapped_in == c);
    throws(THRONG_STATUS_REMOVED_PROXY, [&] { world.remove(a); });
    throng::world moved = std::move(world);
    CHECK(moved.size() == 2 && moved.get() != nullptr);
    throng::world copy = moved.clone();
    copy.remove(c);
    CHECK(copy.size() == 1 && moved.size() == 2);
    copy.copy_from(moved);
    CHECK(copy.size() == 2 && copy.contains(c));
    throws(THRONG_STATUS_BUSY, [&] { copy.copy_from(copy); });
    CHECK(moved.clear_category(1) == 1 && moved.size() == 1);
    throws(THRONG_STATUS_UNKNOWN_CATEGORY, [&] { moved.clear_category(7); });
    moved.clear();
    CHECK(moved.size() == 0);
}

void many_come_and_go_at_once() {
    throng::world world(throng::config()
                            .add(throng::category::uniform("units", 1))
                            .add(throng::category::oversized("giants"))
                            .add(throng::category::scenery("walls")));
    CHECK(world.categories() == 3 && world.keys(0).size() == 0);
    std::vector<throng::proxy> units;
    for (int i = 0; i < 5; i++) {
        units.push_back(throng::proxy::centered({3.0f * i, 0}, {1, 1}));
    }
    std::vector<throng::proxy_id> ids;
    world.insert_batch(units, ids);
    CHECK(ids.size() == 5 && world.rows(0) == 5 && world.proxy_at(0, 3) == ids[3]);
    CHECK(world.keys(0).size() == 5 && world.keys(0).first == nullptr && world.keys(0)[4] == 0);
    units = {units[0].key(7), throng::proxy::centered({NAN, 0}, {1, 1}), units[1]};
    throws(THRONG_STATUS_SOME_REFUSED, [&] { world.insert_batch(units, ids); });
    CHECK(ids.size() == 3 && world.contains(ids[0]) && ids[1] == THRONG_NO_PROXY && world.contains(ids[2]));
    CHECK(world.size() == 7 && world.keys(0)[5] == 7);
    throws(THRONG_STATUS_NO_SUCH_ROW, [&] { world.proxy_at(0, 7); });

    world.set_centers({ids[0], ids[2]}, {{50, 50}, {60, 60}});
    CHECK(world.at(ids[0]).center.x == 50 && world.at(ids[2]).center.y == 60);
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.set_centers({ids[0]}, {}); });
    throws(THRONG_STATUS_SOME_REFUSED, [&] { world.set_centers({ids[0], THRONG_NO_PROXY}, {{51, 50}, {0, 0}}); });
    CHECK(world.at(ids[0]).center.x == 51);
    CHECK(world.set_category(ids[0], 1).migrated && world.set_category_by_size(ids[0]).migrated);
    CHECK(!world.is_pair_excluded(ids[0], ids[2]) && world.exclude_pair(ids[0], ids[2]) && world.is_pair_excluded(ids[0], ids[2]));

    std::vector<float> xs(7, 1), ys(7, 1);
    ys[2] = NAN;
    std::vector<throng::row_ref> rejected;
    CHECK(world.fill_centers(0, xs, ys).rejected == 1);
    world.refresh();
    world.rejected(rejected);
    CHECK(rejected.size() == 1 && rejected[0].row == 2);
    CHECK(world.print_report().find("1 rejected") != std::string::npos);

    throws(THRONG_STATUS_SOME_REFUSED, [&] { world.remove_batch({ids[0], ids[1], ids[2]}); });
    CHECK(world.size() == 5);
    world.shrink_to_fit();
    CHECK(world.size() == 5);
}

void scenery_comes_in_pieces() {
    throng::world world(throng::config().add(throng::category::uniform("units", 1)).add(throng::category::scenery("walls")));
    throng::proxy_id unit = world.insert(throng::proxy::centered({0, 0}, {1, 1})).id;
    std::vector<throng::proxy_id> walls;
    world.insert_batch({throng::proxy::fixed({{-1, -1}, {0, 0}}), throng::proxy::fixed({{8, 8}, {9, 9}})}, walls);
    std::vector<unsigned char> piece;
    world.pack_scenery(1, piece);
    std::vector<unsigned char> packed(7);
    throng::pack_boxes({{{-1, -1}, {0, 0}}, {{8, 8}, {9, 9}}}, packed);
    CHECK(packed == piece);
    throws(THRONG_STATUS_BAD_BOX, [&] { throng::pack_boxes({{{1, 1}, {0, 0}}}, packed); });
    CHECK(packed.empty());
    std::vector<throng::pair> pairs;
    auto count_pairs = [&] {
        world.step_pairs(pairs);
        return pairs.size();
    };
    CHECK(count_pairs() == 1);
    throng::scenery_id again = world.add_scenery(1, piece);
    std::vector<throng::proxy_id> came;
    world.scenery_proxies(again, came);
    CHECK(world.rows(1) == 4 && came.size() == 2 && world.locate(came[1]).row == 3 && count_pairs() == 2);
    world.remove(came[1]);
    CHECK(world.unload_scenery(again) == 1 && world.rows(1) == 2 && count_pairs() == 1);
    throws(THRONG_STATUS_REMOVED_PROXY, [&] { world.unload_scenery(again); });
    world.load_scenery(1, piece);
    CHECK(world.rows(1) == 2 && !world.contains(walls[0]) && world.contains(unit) && count_pairs() == 1);
    piece.pop_back();
    throws(THRONG_STATUS_BAD_SCENERY, [&] { world.load_scenery(1, piece); });
}

void batches_tell_whose_pairs_they_are() {
    throng::world world(throng::config().add(throng::category::uniform("units", 1).events()).pair_slots());
    std::vector<throng::proxy_id> ids;
    throng::proxy unit = throng::proxy::centered({0, 0}, {1, 1}).masks({1, 3, THRONG_MASK_MODE_AND});
    world.insert_batch({unit.key(7), unit.key(8)}, ids);
    std::uint32_t slot = 0;
    std::size_t seen = 0;
    std::vector<std::array<throng::proxy_id, 2>> all_ids;
    std::vector<std::array<throng::aabb, 2>> all_boxes;
    auto look = [&](const throng::batch &batch) {
        throng::all_ids_of(batch, all_ids);
        throng::all_aabbs_of(batch, all_boxes);
        CHECK(all_ids.size() == batch.count && all_boxes.size() == batch.count);
        for (std::size_t i = 0; i < batch.count; i++, seen++) {
            CHECK(all_ids[i] == throng::ids_of(batch, i) && all_boxes[i][1].max.y == throng::aabbs_of(batch, i)[1].max.y);
            CHECK((throng::ids_of(batch, i) == std::array<throng::proxy_id, 2>{ids[0], ids[1]}));
            CHECK((throng::keys_of(batch, i) == std::array<std::uint64_t, 2>{7, 8}));
            CHECK(throng::masks_of(batch, i)[1].filter == 3 && throng::aabbs_of(batch, i)[1].min.x == -1);
            CHECK(batch.keys[0][batch.pairs[i][0]] == 7 && batch.keys[1][batch.pairs[i][1]] == 8);
            slot = throng::slot_of(batch, i);
            CHECK(batch.slots[i] == slot);
        }
        throws(THRONG_STATUS_BAD_VALUE, [&] { throng::ids_of(batch, batch.count); });
    };
    world.use_threads(1);
    world.step(look);
    CHECK(seen == 1 && slot == THRONG_NO_SLOT && world.pair_slots() == 1 && world.began().begin()->slot == 0);
    world.step(look);
    CHECK(seen == 2 && slot == 0);

    throng::world plain(throng::config().add(throng::category::uniform("units", 1)));
    plain.insert_batch({throng::proxy::centered({0, 0}, {1, 1}), throng::proxy::centered({1, 0}, {1, 1})}, ids);
    plain.use_threads(1);
    plain.step([&](const throng::batch &batch) {
        CHECK(batch.keys[0] == nullptr && batch.keys[1] == nullptr && batch.slots == nullptr);
        seen++;
    });
    CHECK(seen == 3);
}

void many_questions_are_asked_at_once() {
    crowd crowd = make_crowd(7);
    crowd.world.use_threads(4);
    crowd.world.refresh();
    std::vector<throng::point> points;
    std::vector<throng::aabb> boxes;
    std::vector<throng::nearest_query> nearest;
    std::vector<throng::cast> paths;
    dice dice(8);
    for (int i = 0; i < 40; i++) {
        throng::point at{dice.in(-30, 30), dice.in(-30, 30)};
        points.push_back(at);
        boxes.push_back({at, {at.x + 2, at.y + 3}});
        nearest.push_back({at, 9, 4});
        paths.push_back(i % 2 == 0 ? throng::ray(at, {0, 0}) : throng::moving_box(boxes.back(), {5, 1}));
        paths.push_back(throng::moving_circle({at, 1.5F}, {-4, 3}));
    }
    auto some = throng::filter().except(crowd.ids[0]);
    throng::answers<throng::query_hit> at_points, in_boxes;
    throng::answers<throng::nearest_hit> near;
    throng::answers<throng::cast_hit> all, first;
    crowd.world.find_batch_at_points(points, at_points, some);
    crowd.world.find_batch_in_aabbs(boxes, in_boxes, some);
    crowd.world.find_batch_nearest(nearest, near, some);
    crowd.world.cast_batch_all(paths, all, some);
    crowd.world.cast_batch_first(paths, first, some);
    std::vector<throng::query_hit> hits;
    std::vector<throng::nearest_hit> nearest_hits;
    std::vector<throng::cast_hit> path, by_shape;
    auto count = [](const auto &answers, std::size_t i) { return answers.starts[i + 1] - answers.starts[i]; };
    for (std::size_t i = 0; i < points.size(); i++) {
        crowd.world.find_at_point(points[i], hits, some);
        CHECK(count(at_points, i) == hits.size());
        crowd.world.find_in_aabb(boxes[i], hits, some);
        CHECK(count(in_boxes, i) == hits.size());
        for (std::size_t k = 0; k < hits.size(); k++) {
            CHECK(in_boxes.hits[in_boxes.starts[i] + k].id == hits[k].id);
        }
        crowd.world.find_nearest(points[i], 4, 9, nearest_hits, some);
        CHECK(count(near, i) == 4 && near.hits[near.starts[i]].hit.id == nearest_hits[0].hit.id);
        crowd.world.cast_all(paths[i], path, some);
        CHECK(count(all, i) == path.size() && count(first, i) == (path.empty() ? 0 : 1));
        CHECK(path.empty() || first.hits[first.starts[i]].hit.id == path[0].hit.id);
        // Every other one is missed by its own shape.
        auto odd = [](const throng::cast_hit &hit) { return hit.hit.key % 2 == 0 ? -1 : hit.fraction; };
        crowd.world.cast_all_by(paths[i], odd, by_shape, some);
        auto is_odd = [](const throng::cast_hit &hit) { return hit.hit.key % 2 == 1; };
        CHECK(by_shape.size() == static_cast<std::size_t>(std::count_if(path.begin(), path.end(), is_odd)));
    }
    bool caught = false;
    try {
        crowd.world.cast_all_by(paths[0], [](const throng::cast_hit &) -> float { throw tea_break(); }, by_shape);
    } catch (const tea_break &) {
        caught = true;
    }
    CHECK(caught);
    // One that is refused takes no others along.
    std::vector<throng::circle> circles{{{0, 0}, 5}, {{0, 0}, -1}, {{9, 9}, 5}};
    throng::answers<throng::query_hit> in_circles;
    throws(THRONG_STATUS_SOME_REFUSED, [&] { crowd.world.find_batch_in_circles(circles, in_circles); });
    check_circle(crowd, circles[0], in_circles.hits.data(), count(in_circles, 0));
    CHECK(count(in_circles, 1) == 0 && in_circles.starts[3] == in_circles.hits.size());
    check_circle(crowd, circles[2], &in_circles.hits[in_circles.starts[2]], count(in_circles, 2));
}

void what_rests_is_left_out() {
    throng::world world(
        throng::config()
            .add(throng::category::uniform("crates", 1).rests_after(1).events())
            .add(throng::category::scenery("ground"))
            .pair_slots());
    throng::proxy_id below = world.insert(throng::proxy::centered({0, 0.5f}, {1, 1})).id;
    throng::proxy_id above = world.insert(throng::proxy::centered({0, 2}, {1, 1})).id;
    throng::proxy_id ground = world.insert(throng::proxy::fixed({{-9, -9}, {9, 0}})).id;
    std::vector<throng::pair> pairs;
    std::vector<throng::resting_pair> resting;
    std::vector<throng::proxy_id> ids;
    for (int step = 0; step < 3; step++) {
        world.step_pairs(pairs);
        world.resting_pairs(resting);
        CHECK(pairs.size() == (step < 2 ? 2 : 0) && resting.size() == 2 - pairs.size());
        CHECK(world.is_settling(below) == (step == 1) && world.is_resting(below) == (step == 2));
    }
    CHECK(world.is_resting(below) && world.is_resting(ground) && world.report().resting == 2);
    world.came_to_rest(ids);
    CHECK(ids.size() == 2 && ids[0] == below && ids[1] == above);
    CHECK(world.resting_pair_slot(below, above) < world.pair_slots());
    CHECK(world.resting_pair_slot(below, below) == THRONG_NO_SLOT);
    std::vector<throng::event> events;
    world.event_pairs(events);
    CHECK(events.size() == 2 && events[0].slot != events[1].slot);
    world.woken(ids);
    CHECK(ids.empty());
    std::vector<std::uint32_t> rows;
    world.awake_rows(0, rows);
    CHECK(rows.empty());
    world.set_resting({above}, false);
    world.step_pairs(pairs);
    world.awake_rows(0, rows);
    CHECK(rows.size() == 1 && rows[0] == 1);
    world.woken(ids);
    CHECK(ids.size() == 1 && ids[0] == above);
    world.came_to_rest(ids);
    CHECK(ids.empty());
    world.resting_pairs(resting);
    CHECK(pairs.size() == 1 && resting.size() == 1 && resting[0].ids[0] == below && resting[0].ids[1] == ground);
    std::vector<throng::query_hit> partners;
    world.find_partners(below, partners);
    CHECK(partners.size() == 2 && partners[0].id == above && partners[1].id == ground);
    throws(THRONG_STATUS_NEVER_RESTS, [&] { world.set_resting(ground, false); });
}

void pairs_are_predicted() {
    throng::world world(throng::config()
                            .add(throng::category::uniform("pucks", 1).margin(0.25f))
                            .add(throng::category::uniform("arrows", 0.1f))
                            .add(throng::category::scenery("walls")));
    for (float x : {0.0f, 1.5f, 3.9f, 6.5f}) {
        world.insert(throng::proxy::centered({x, 0}, {1, 1}));
    }
    throng::proxy_id arrow = world.insert(throng::proxy::centered({9, 8}, {0.1f, 0.1f}).in_category(1)).id;
    throng::proxy_id wall = world.insert(throng::proxy::fixed({{20, 0}, {21, 9}})).id;
    world.set_velocity(arrow, {40, -1});
    CHECK(world.velocity(arrow).x == 40 && world.velocity(arrow).y == -1);
    throws(THRONG_STATUS_IS_SCENERY, [&] { world.set_velocity(wall, {1, 1}); });

    std::vector<throng::pair> pairs, predicted;
    world.step_pairs(pairs);
    world.last_predicted_pairs(predicted);
    CHECK(pairs.size() == 1 && pairs[0].rows[1] == 1 && predicted.size() == 2 && world.report().predicted_pairs == 2);
    CHECK(predicted[0].rows[0] == 1 && predicted[0].rows[1] == 2 && predicted[1].categories[1] == 2);
    std::atomic<std::size_t> now{0}, soon{0};
    world.step([&](const throng::batch &batch) { (batch.predicted ? soon : now) += batch.count; });
    CHECK(now == 1 && soon == 2);

    auto count_predicted = [&] {
        world.step_pairs(pairs);
        world.last_predicted_pairs(predicted);
        return predicted.size();
    };
    CHECK(world.fill_velocities(1, {NAN}, {0}).rejected == 1 && count_predicted() == 2);
    CHECK(world.fill_velocities(1, std::vector<throng::point>{{0, 0}}).rejected == 0 && count_predicted() == 1);
    CHECK(world.set_row_velocities(0, {3}, {-1}, {0}).rejected == 0 && count_predicted() == 2);
    throws(THRONG_STATUS_LENGTH_MISMATCH, [&] { world.fill_velocities(1, {1}, {1, 2}); });
    throws(THRONG_STATUS_NO_SUCH_ROW, [&] { world.set_row_velocities(1, {1}, {1}, {1}); });
}

void configs_say_what_structs_do() {
    using throng::category;
    throng::world world(throng::config()
                            .add(category::uniform("units", 1).half_extents(1, 2).coarse().meets({"giants"}).rests_after(30).wakes_on_contact().margin(0.375f))
                            .add(category::oversized("giants")
                                     .quadtree(33, 9)
                                     .events_with({"units"})
                                     .rests_when_told())
                            .add(category::oversized("clouds").double_grid(20.5f))
                            .add(category::oversized("rivers").strips(12.5f))
                            .add(category::oversized("woods").structure(THRONG_STRUCTURE_QUADTREE))
                            .simd("scalar")
                            .max_pairs(12345)
                            .migrate_back(0.5f)
                            .pair_slots());
    std::string toml = world.to_toml();
    for (const char *part : {"coarse", "quadtree", "12345", "migrate_back = 0.5", "pair_slots = true", "[\"giants\"]", "[\"units\"]",
                             "rests = 30", "when_told", "wakes_on_contact = true", "margin = 0.375",
                             "split_above = 33", "max_depth = 9", "loose_cell = 20.5", "strip_height = 12.5", "simd = \"scalar\""}) {
        CHECK(toml.find(part) != std::string::npos);
    }
    // Put together step by step, each from the one before.
    throng::config several;
    for (const char *name : {"ants", "bees"}) {
        category insects = category::uniform(name, 1);
        insects = std::move(insects).events();
        several = std::move(several).add(std::move(insects));
    }
    CHECK(throng::world(several).category("bees") == 1);
    throws(THRONG_STATUS_BAD_VALUE, [] {
        throng::world world(throng::config().add(category::uniform("units", 1)).simd("abacus"));
    });
    throng::config empty;
    throws(THRONG_STATUS_BAD_CONFIG, [&] { throng::world world(empty); });
}

}  // namespace

int main() {
    settings_are_said_in_a_row_or_one_by_one();
    vectors_are_filled_again();
    steps_find_all_pairs();
    structs_of_the_game_are_read_as_they_are();
    callbacks_may_throw();
    tasks_run_where_they_are_told();
    queries_find_what_is_there();
    what_is_near_may_be_of_several_categories();
    proxies_come_and_go();
    many_come_and_go_at_once();
    scenery_comes_in_pieces();
    batches_tell_whose_pairs_they_are();
    many_questions_are_asked_at_once();
    what_rests_is_left_out();
    pairs_are_predicted();
    configs_say_what_structs_do();
    std::puts("all is as it should be");
}
