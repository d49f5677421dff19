// What a program may do with the header when its author has asked for more warnings.
#include "throng.h"

int main(void) {
    throng_category_config category = throng_category_uniform("all", 1);
    category.flags |= THRONG_CATEGORY_EVENTS | THRONG_CATEGORY_COARSE;
    category.flags &= ~THRONG_CATEGORY_COARSE;
    uint16_t pairs[2][2] = {{0, 0}, {0, 1}};
    throng_proximity proximity = throng_proximity_of(pairs[0], 2, 1);
    throng_status status = category.flags == THRONG_CATEGORY_EVENTS ? THRONG_STATUS_OK : THRONG_STATUS_REFUSED;
    return status != THRONG_STATUS_OK || proximity.categories[1][1] != 1;
}
