// What queries find, against what this program finds by asking every thing there is.
#ifndef JUDGE_H
#define JUDGE_H

#include "crowd.h"

// Too close to call: numbers were rounded on the way.
#define CLOSE 1e-4

// By how much a thing is inside of a shape: less than -CLOSE if it must not be found, more than CLOSE if it must.
typedef double (*inside)(const thing *thing, const void *shape);

enum { MOST_HITS = 4000 };

// Checks that the hits are the things inside, each once, and that what is said of them is right.
void check_hits(const crowd *crowd, const throng_query_hit *hits, size_t count, inside inside, const void *shape);
// The thing that a hit is about; checks what is said of it.
const thing *thing_of(const crowd *crowd, const throng_query_hit *hit);

double box_distance(throng_aabb box, throng_point point);
double inside_aabb(const thing *thing, const void *aabb);
double inside_circle(const thing *thing, const void *circle);
double inside_triangle(const thing *thing, const void *corners);
// After which fraction a path from a point to another enters a box; more than 1 if it does not.
double entry(throng_aabb box, throng_point from, throng_point to);
// The same for a circle whose center follows the path.
double circle_entry(throng_aabb box, throng_point from, throng_point to, float radius);

#endif
