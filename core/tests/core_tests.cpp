// Runs the core's own tests, file by file.
#include "check.hpp"

void test_losses();
void test_features();
void test_bank();
void test_rules();
void test_lanes_that_come();
void test_no_room();
void test_auto();
void test_newton();
void test_players();
void test_leaders();
void test_density();
void test_experts();
void test_games();
void test_lin_ucb();
void test_arms();
void test_classes();
void test_boosting();
void test_boost();
void test_stump_search();
void test_weak_learners();

int main() {
  test_losses();
  test_features();
  test_bank();
  test_rules();
  test_lanes_that_come();
  test_no_room();
  test_auto();
  test_newton();
  test_players();
  test_leaders();
  test_density();
  test_experts();
  test_games();
  test_lin_ucb();
  test_arms();
  test_classes();
  test_boosting();
  test_boost();
  test_stump_search();
  test_weak_learners();
  return outcome();
}
