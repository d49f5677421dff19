// A game that is built by CMake, with throng as a part of it.

#include <cstdlib>
#include <iostream>
#include <vector>

#include "throng.hpp"

int main() {
    throng::world world(throng::config().add(throng::category::uniform("units", 1)));
    for (float x : {0.f, 1.5f, 9.f}) {
        world.insert(throng::proxy::centered({x, 0}, {1, 1}));
    }
    std::vector<throng::pair> pairs;
    world.step_pairs(pairs);
    std::cout << "throng " << throng_abi_version() << ": " << pairs.size() << " pair\n";
    return pairs.size() == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
