// The parts of learners: losses, names of features, the bank.
#include <cmath>
#include <string>

#include "bank.hpp"
#include "check.hpp"
#include "features.hpp"
#include "losses.hpp"

using namespace regretless;

void test_losses() {
  for (int kind = 0; kind <= int(LossKind::power); ++kind) {
    if (LossKind(kind) == LossKind::log_wealth) continue;  // its score, a wealth, is positive
    const Loss loss{LossKind(kind), LossKind(kind) == LossKind::power ? 2.5 : 0.3};
    for (double y : {-1.0, 1.0}) {
      for (double s : {-800.0, -3.0, -0.2, 0.0, 0.7, 4.0, 800.0}) {
        const double v = loss.value(s, y), g = loss.derivative(s, y);
        if (!std::isfinite(v)) continue;  // exp(800)
        CHECK(v >= 0);
        for (double u : {-2.0, 0.0, 0.5, 3.0}) {  // a subgradient, where the loss is convex
          if (loss.kind == LossKind::perceptron) continue;
          CHECK(loss.value(u, y) >= v + g * (u - s) - 1e-9 * (1 + v + std::fabs(g * s)));
        }
        // weight 1 and then weight 2 is weight 3
        const double n = 0.7, once = loss.invariant_step(s, y, 3, n);
        const double first = loss.invariant_step(s, y, 1, n);
        const double both = first + loss.invariant_step(s - n * first, y, 2, n);
        if (loss.kind != LossKind::perceptron)
          CHECK(std::fabs(once - both) <= 1e-9 * (1 + std::fabs(once)));
      }
    }
  }
}

void test_features() {
  Features exact;
  CHECK(exact.size() == 1);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 3000; ++i) {
      CHECK(exact.insert("name" + std::to_string(i)) == std::uint32_t(3 * i + 1));
      CHECK(exact.insert(std::int64_t(i)) == std::uint32_t(3 * i + 2));
      CHECK(exact.insert(std::int64_t(1 + i) * 1000000007) == std::uint32_t(3 * i + 3));
    }
  CHECK(exact.find("7") == exact.find(std::int64_t(7)) && exact.find("07") == Features::kAbsent);
  CHECK(exact.name(1) == "name0" && exact.column(2) == 0 && exact.is_column(2));
  exact.truncate(100);
  CHECK(exact.size() == 100 && exact.find("name0") == 1 &&
        exact.find("name2999") == Features::kAbsent);
  CHECK(exact.find(std::int64_t(2999)) == Features::kAbsent && exact.find(std::int64_t(3)) == 11);
  CHECK(exact.insert("new") == 100);
  Features copy;
  copy.restore(exact.names(), exact.keys().data(), exact.kinds().data(), nullptr,
               exact.keys().size());
  CHECK(copy.size() == exact.size() && copy.find("new") == 100 && copy.find(std::int64_t(3)) == 11);

  Features hashed(10);
  CHECK(hashed.size() == 1025);
  CHECK(hashed.insert(std::int64_t(5)) == 6 && hashed.find(std::int64_t(1029)) == 6);
  for (int i = 0; i < 100; ++i) CHECK(hashed.insert("n" + std::to_string(i)) < hashed.size());
  // these never change: saved models depend on them
  CHECK(hash_bytes("") == 0xe220a8397b1dcdafULL && hash_bytes("feature") == 0xf9bf6b7d581bd47cULL);
  CHECK(hash_bytes("a longer name=with a value") == 0xa6d4355ea5c585a0ULL);
  const std::string name = "a name\xc3\xa9 of some bytes\xff";
  for (std::size_t size = 1; size <= name.size(); ++size) {
    std::uint64_t word = 0, left = size % 8;
    std::memcpy(&word, name.data() + size - left, left);
    if (left) CHECK(last_word(name.data() + size - left, left, size) == word);
  }
}

void test_bank() {
  Bank bank(Layout::of(5, 1, 3));
  bank.resize(3);
  CHECK(bank.layout().width == 8);
  bank.floats(2, 2)[7] = 4;
  bank.doubles(1, 0)[4] = 2;
  bank.resize(1000);
  CHECK(bank.floats(2, 2)[7] == 4 && bank.doubles(1, 0)[4] == 2 && bank.floats(999, 2)[7] == 0);
  bank.resize(2);
  bank.resize(3);
  CHECK(bank.floats(2, 2)[7] == 0);
  const Bank copy = bank;
  CHECK(copy.rows() == 3);
}
