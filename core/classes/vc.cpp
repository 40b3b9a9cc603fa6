#include "classes/vc.hpp"

#include <algorithm>
#include <numeric>

namespace regretless::classes {

// The candidates that leave at least `least` hypotheses on both sides of every group.
Ids Shattering::useful(const Groups& groups, const Ids& candidates, std::size_t least) {
  Ids left = candidates;
  for (const Ids& group : groups) {
    std::vector<std::uint32_t> ones(all_.points);
    if (least == 1) {  // only which points vary: a word at a time
      for (std::size_t w = 0; w < all_.words; ++w) {
        const std::uint64_t first = all_.row(group[0])[w];
        std::uint64_t varied = 0;
        for (const std::uint32_t h : group) varied |= all_.row(h)[w] ^ first;
        for (; varied; varied &= varied - 1)
          ones[w * 64 + std::size_t(std::countr_zero(varied))] = 1;
      }
    } else {
      for (const std::uint32_t x : left)
        for (const std::uint32_t h : group) ones[x] += all_.says(h, x);
    }
    patience_.spend(group.size() * (least == 1 ? all_.words : left.size() / 4 + 1));
    std::erase_if(left, [&](std::uint32_t x) {
      return ones[x] < least || (least > 1 && group.size() - ones[x] < least);
    });
    if (left.empty()) break;
  }
  return left;
}

bool Shattering::extend(const Groups& groups, const Ids& candidates, std::size_t more) {
  if (left_-- == 0) throw Exhausted{};
  const Ids next = useful(groups, candidates, std::size_t(1) << (more - 1));
  for (std::size_t i = 0; i + more <= next.size(); ++i) {
    chosen_.push_back(next[i]);
    if (more == 1) return true;
    Groups finer;
    for (const Ids& group : groups)
      for (const bool label : {false, true}) {
        finer.emplace_back();
        all_.restrict(group, next[i], label, finer.back());
      }
    if (extend(finer, Ids(next.begin() + std::ptrdiff_t(i) + 1, next.end()), more - 1)) return true;
    chosen_.pop_back();
  }
  return false;
}

Shattering::Found Shattering::dimension(std::size_t limit) {
  Ids everybody(all_.count), candidates;
  std::iota(everybody.begin(), everybody.end(), 0);
  std::vector<Column> columns;
  splits(all_, everybody, columns);
  for (const Column& c : columns) candidates.push_back(c.point);
  std::sort(candidates.begin(), candidates.end());
  const std::size_t most = std::min<std::size_t>(std::bit_width(all_.count) - 1, columns.size());
  Found found{0, int(most), {}};
  left_ = limit;
  try {
    while (found.lower < found.upper) {
      chosen_.clear();
      if (!extend({everybody}, candidates, std::size_t(found.lower) + 1)) break;
      ++found.lower;
      found.points = chosen_;
    }
    found.upper = found.lower;
  } catch (const Exhausted&) {
  }
  return found;
}

}  // namespace regretless::classes
