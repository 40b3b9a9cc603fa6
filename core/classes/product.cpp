#include "classes/product.hpp"

#include <algorithm>

namespace regretless::classes {

namespace {

using Points = std::vector<std::uint64_t>;  // a bit for each

// Compares like <, but only at some points.
auto before(const Hypotheses& all, const Points& points) {
  return [&](std::uint32_t g, std::uint32_t h) {
    for (std::size_t w = 0; w < all.words; ++w) {
      const std::uint64_t l = all.row(g)[w] & points[w], r = all.row(h)[w] & points[w];
      if (l != r) return l < r;
    }
    return false;
  };
}

Ids agreeing(const Hypotheses& all, const Ids& ids, const Points& points) {
  const auto less = before(all, points);
  Ids found;
  for (const std::uint32_t h : ids)
    if (!less(h, ids[0]) && !less(ids[0], h)) found.push_back(h);
  return found;
}

std::size_t distinct(const Hypotheses& all, Ids ids, const Points& points) {
  const auto less = before(all, points);
  std::sort(ids.begin(), ids.end(), less);
  const auto same = [&](std::uint32_t g, std::uint32_t h) { return !less(g, h) && !less(h, g); };
  return std::size_t(std::unique(ids.begin(), ids.end(), same) - ids.begin());
}

}  // namespace

bool factor(const Hypotheses& all, const Ids& ids, const std::vector<Column>& columns, Ids& one,
            Ids& other) {
  // points of different factors are independent, exactly; so those that depend on the first are in
  // its
  const std::uint32_t x = columns[0].point;
  Ids part;
  all.restrict(ids, x, true, part);
  std::vector<std::uint32_t> ones, among;
  count_ones(all, ids, ones);
  count_ones(all, part, among);
  Points here(all.words), there(all.words);
  bool some = false;
  for (const Column& c : columns) {
    const std::uint32_t p = c.point;
    const bool depends = p == x || std::uint64_t(among[p]) * ids.size() !=
                                       std::uint64_t(ones[p]) * std::uint64_t(ones[x]);
    (depends ? here : there)[p / 64] |= std::uint64_t(1) << p % 64;
    some |= !depends;
  }
  if (!some) return false;
  one = agreeing(all, ids, there);
  other = agreeing(all, ids, here);
  return one.size() * other.size() == ids.size() && distinct(all, ids, here) == one.size() &&
         distinct(all, ids, there) == other.size();
}

}  // namespace regretless::classes
