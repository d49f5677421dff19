#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"

const thing *thing_of(const crowd *crowd, const throng_query_hit *hit) {
    CHECK(hit->key >= 1 && hit->key <= THING_COUNT);
    const thing *thing = &crowd->things[hit->key - 1];
    CHECK(hit->id == thing->id && hit->category == thing->category && hit->row == thing->row);
    CHECK(hit->aabb.min.x == thing->aabb.min.x && hit->aabb.max.y == thing->aabb.max.y);
    CHECK(fabs(hit->aabb.min.x - (hit->center.x - hit->half_extents.x)) < CLOSE);
    return thing;
}

void check_hits(const crowd *crowd, const throng_query_hit *hits, size_t count, inside inside, const void *shape) {
    unsigned char found[THING_COUNT] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t index = (size_t)(thing_of(crowd, &hits[i]) - crowd->things);
        CHECK(!found[index]);
        found[index] = 1;
    }
    for (size_t i = 0; i < THING_COUNT; i++) {
        double by = inside(&crowd->things[i], shape);
        CHECK(found[i] ? by > -CLOSE : by < CLOSE);
    }
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

double box_distance(throng_aabb box, throng_point point) {
    double dx = larger(0, larger((double)box.min.x - point.x, (double)point.x - box.max.x));
    double dy = larger(0, larger((double)box.min.y - point.y, (double)point.y - box.max.y));
    return sqrt(dx * dx + dy * dy);
}

double inside_aabb(const thing *thing, const void *shape) {
    const throng_aabb *aabb = shape;
    // Exact: boxes are compared as they are.
    return overlap(thing->aabb, *aabb) ? 1 : -1;
}

double inside_circle(const thing *thing, const void *shape) {
    const throng_circle *circle = shape;
    return circle->radius - box_distance(thing->aabb, circle->center);
}

// By how much two shapes overlap along an axis.
static double shared(const throng_point *corners, throng_aabb box, double x, double y) {
    double low = DBL_MAX, high = -DBL_MAX, box_low = DBL_MAX, box_high = -DBL_MAX;
    for (int i = 0; i < 3; i++) {
        double at = corners[i].x * x + corners[i].y * y;
        low = smaller(low, at);
        high = larger(high, at);
    }
    for (int i = 0; i < 4; i++) {
        double at = (i & 1 ? box.min.x : box.max.x) * x + (i & 2 ? box.min.y : box.max.y) * y;
        box_low = smaller(box_low, at);
        box_high = larger(box_high, at);
    }
    return smaller(high - box_low, box_high - low);
}

// The separating axis test.
double inside_triangle(const thing *thing, const void *shape) {
    const throng_point *corners = shape;
    double least = smaller(shared(corners, thing->aabb, 1, 0), shared(corners, thing->aabb, 0, 1));
    for (int i = 0; i < 3; i++) {
        double dx = corners[(i + 1) % 3].x - corners[i].x, dy = corners[(i + 1) % 3].y - corners[i].y;
        double length = sqrt(dx * dx + dy * dy);
        least = smaller(least, shared(corners, thing->aabb, -dy / length, dx / length));
    }
    return least;
}

double entry(throng_aabb box, throng_point from, throng_point to) {
    double begin = 0, end = 1;
    double starts[2] = {from.x, from.y}, ways[2] = {(double)to.x - from.x, (double)to.y - from.y};
    double lows[2] = {box.min.x, box.min.y}, highs[2] = {box.max.x, box.max.y};
    for (int axis = 0; axis < 2; axis++) {
        double a = (lows[axis] - starts[axis]) / ways[axis], b = (highs[axis] - starts[axis]) / ways[axis];
        begin = larger(begin, smaller(a, b));
        end = smaller(end, larger(a, b));
    }
    return begin <= end ? begin : 2;
}

static double distance_after(double fraction, throng_aabb box, throng_point from, throng_point to) {
    throng_point at = {(float)(from.x + ((double)to.x - from.x) * fraction), (float)(from.y + ((double)to.y - from.y) * fraction)};
    return box_distance(box, at);
}

// The distance falls until the path is nearest to the box, and then rises.
double circle_entry(throng_aabb box, throng_point from, throng_point to, float radius) {
    double begin = 0, end = 1;
    for (int i = 0; i < 100; i++) {
        double a = begin + (end - begin) / 3, b = end - (end - begin) / 3;
        if (distance_after(a, box, from, to) <= distance_after(b, box, from, to)) {
            end = b;
        } else {
            begin = a;
        }
    }
    if (distance_after(end, box, from, to) > radius) {
        return 2;
    }
    double apart = 0, close = end;
    for (int i = 0; i < 60; i++) {
        double middle = (apart + close) / 2;
        if (distance_after(middle, box, from, to) > radius) {
            apart = middle;
        } else {
            close = middle;
        }
    }
    return close;
}
