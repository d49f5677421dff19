// As `header.c`.
#include "throng.hpp"

int main() {
    throng_category_config category = throng_category_uniform("all", 1);
    category.flags |= THRONG_CATEGORY_EVENTS | THRONG_CATEGORY_COARSE;
    category.flags &= ~THRONG_CATEGORY_COARSE;
    return category.flags == THRONG_CATEGORY_EVENTS ? 0 : 1;
}
