// Finite classes: dimensions by the recursion of the definition, trees by walking all their paths.
#include <map>
#include <numeric>
#include <random>

#include "check.hpp"
#include "classes/littlestone.hpp"
#include "classes/product.hpp"
#include "classes/subcubes.hpp"
#include "classes/vc.hpp"

void test_classes() {
  using namespace regretless::classes;
  const auto make = [](std::size_t points, const std::vector<std::vector<bool>>& rows) {
    Hypotheses all{rows.size(), points, (points + 63) / 64, {}};
    all.bits.assign(all.count * all.words, 0);
    for (std::size_t h = 0; h < rows.size(); ++h)
      for (std::size_t x = 0; x < points; ++x)
        all.bits[h * all.words + x / 64] |= std::uint64_t(rows[h][x]) << x % 64;
    return all;
  };
  const auto everybody = [](const Hypotheses& all) {
    Ids ids(all.count);
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  };
  const auto by_definition = [](const Hypotheses& all, const Ids& whole) {
    std::map<Ids, int> known;
    const auto go = [&](auto&& self, const Ids& ids) -> int {
      if (ids.size() <= 1) return int(ids.size()) - 1;
      if (const auto at = known.find(ids); at != known.end()) return at->second;
      int most = 0;
      Ids zero, one;
      for (std::uint32_t x = 0; x < all.points; ++x) {
        all.restrict(ids, x, false, zero);
        all.restrict(ids, x, true, one);
        if (!zero.empty() && !one.empty())
          most = std::max(most, 1 + std::min(self(self, zero), self(self, one)));
      }
      return known[ids] = most;
    };
    return go(go, whole);
  };
  const auto shattered = [](const Hypotheses& all, const Littlestone::Tree& tree, int depth) {
    bool good = tree.leaves.size() == std::size_t(1) << depth;
    for (std::size_t leaf = 0; good && leaf < tree.leaves.size(); ++leaf) {
      std::size_t node = 0;
      for (int t = depth - 1; t >= 0; --t) {
        const bool y = leaf >> t & 1;
        good &= all.says(tree.leaves[leaf], tree.points[node]) == y;
        node = 2 * node + 1 + y;
      }
    }
    return good;
  };

  std::mt19937 random(5);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t points = 1 + random() % 6, wide = trial % 3 ? points : points + 70;
    const auto density = 1 + random() % 9;
    std::vector<std::vector<bool>> rows;
    for (unsigned h = 0; h < 1 + random() % 40; ++h) {
      std::vector<bool> row(points);
      for (std::size_t x = 0; x < points; ++x) row[x] = random() % 10 < density;
      row.resize(wide);
      for (std::size_t x = points; x < wide; ++x) row[x] = row[x % points] ^ (x % 2);
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
    const Hypotheses all = make(wide, rows);
    const Ids ids = everybody(all);
    const int expected = by_definition(all, ids);
    Littlestone search(all), at_once(all);
    const auto found = search.dimension(ids, 1000000), table = at_once.dimension(ids, 0);
    CHECK(found.lower == expected && found.upper == expected);
    CHECK(table.lower == expected && table.upper == expected);
    CHECK(shattered(all, search.tree(ids, expected, 1000000), expected));
    CHECK(shattered(all, at_once.tree(ids, expected, 0), expected));
    Patience patience({});
    const auto vc = Shattering(all, patience).dimension(1000000);
    CHECK(vc.lower == vc.upper && vc.lower <= expected &&
          vc.points.size() == std::size_t(vc.lower));
  }

  // thresholds on 3 and on 4 points side by side: a product; without one hypothesis it is not
  std::vector<std::vector<bool>> rows;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 5; ++b) {
      std::vector<bool> row;
      for (int x = 0; x < 3; ++x) row.push_back(x >= a);
      for (int x = 0; x < 4; ++x) row.push_back(x >= b);
      rows.push_back(row);
    }
  const Hypotheses product = make(7, rows);
  std::vector<Column> columns;
  Ids one, other, all_of_it = everybody(product);
  splits(product, all_of_it, columns);
  CHECK(columns.size() == 7);
  CHECK(factor(product, all_of_it, columns, one, other));
  CHECK(one.size() * other.size() == 20 && std::max(one.size(), other.size()) == 5);
  all_of_it.erase(all_of_it.begin() + 7);
  splits(product, all_of_it, columns);
  CHECK(!factor(product, all_of_it, columns, one, other));

  // as many as a product has, and each part of the labels with the first of the other: yet none
  const Hypotheses crossed = make(3, {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 1, 1}});  // x, u, and b
  splits(crossed, everybody(crossed), columns);
  CHECK(!factor(crossed, everybody(crossed), columns, one, other));

  // minorities equal those counted one by one, for similar rows and for different ones
  for (const unsigned step : {1u, 77u}) {
    std::vector<std::vector<bool>> cube;
    for (unsigned h = 0; h < 300; ++h) {
      cube.emplace_back();
      for (unsigned x = 0; x < 9; ++x) cube.back().push_back(h * step % 512 >> x & 1);
    }
    const Hypotheses some = make(9, cube);
    splits(some, everybody(some), columns);
    CHECK(columns.size() == 9);
    for (const Column& c : columns) {
      std::size_t ones = 0;
      for (const auto& row : cube) ones += row[c.point];
      CHECK(c.minority == std::min(ones, 300 - ones));
    }
  }

  int polled = 0;
  Patience patience([&] { ++polled; });
  for (int i = 0; i < 9; ++i) patience.spend(1 << 21);
  CHECK(polled == 4);
}
