#include "classes/littlestone.hpp"

#include <algorithm>

#include "classes/product.hpp"
#include "classes/subcubes.hpp"

namespace regretless::classes {

namespace {

constexpr std::uint8_t kUnknown = 255;

// Of the set of splits: which point makes which does not matter.
void key_of(std::size_t n, const std::vector<Column>& columns, std::uint64_t (&key)[2]) {
  key[0] = mixed(n), key[1] = n;
  for (const Column& c : columns) {
    const std::uint64_t once = mixed(c.hash[0] + mixed(c.hash[1]));
    key[0] += once;
    key[1] += mixed(once ^ c.hash[1] * 0x9E3779B97F4A7C15);
  }
}

std::size_t largest_depth(std::size_t n) { return std::bit_width(n) - 1; }

}  // namespace

std::size_t Memo::place(std::uint64_t a, std::uint64_t b) const {
  std::size_t i = a & (slots_.size() - 1);
  while (slots_[i].upper && (slots_[i].a != a || slots_[i].b != b))
    i = (i + 1) & (slots_.size() - 1);
  return i;
}

Memo::Bounds Memo::find(const std::uint64_t (&key)[2]) const {
  const Slot& s = slots_[place(key[0], key[1] >> 16)];
  return s.upper ? Bounds{std::uint8_t(s.lower), std::uint8_t(s.upper)} : Bounds{0, kUnknown};
}

Memo::Slot& Memo::slot(const std::uint64_t (&key)[2]) {
  if (size_ * 3 > slots_.size() * 2) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old)
      if (s.upper) slots_[place(s.a, s.b)] = s;
  }
  Slot& s = slots_[place(key[0], key[1] >> 16)];
  if (!s.upper) {
    ++size_;
    s.a = key[0], s.b = key[1] >> 16 & 0xFFFFFFFFFFFF, s.lower = 0, s.upper = kUnknown;
  }
  return s;
}

void Memo::raise(const std::uint64_t (&key)[2], int lower) {
  slot(key).lower = std::uint8_t(lower);
}
void Memo::cap(const std::uint64_t (&key)[2], int upper) { slot(key).upper = std::uint8_t(upper); }

// What can be told of a version space without splitting it.
Littlestone::Verdict Littlestone::look(Space& v, int d) {
  if (d <= 0) return v.ids.empty() ? kNo : kYes;
  if (largest_depth(v.ids.size() | 1) < std::size_t(d)) return kNo;
  if (d == 1) return kYes;
  splits(all_, v.ids, v.columns);
  patience_.spend(v.ids.size() * all_.words + 16);
  if (v.columns.size() < std::size_t(d)) return kNo;  // on a path no point comes twice
  if (v.columns[0].minority < std::size_t(1) << (d - 1)) return kNo;
  if (d == 2) return kYes;
  key_of(v.ids.size(), v.columns, v.key);
  const auto [lower, upper] = memo_.find(v.key);
  return d <= lower ? kYes : d > upper ? kNo : kOpen;
}

// Whether both parts of a split have at least dimension d.
Littlestone::Verdict Littlestone::shatters(const Ids& ids, const Column& c, int d,
                                           std::size_t& effort) {
  auto& parts = spaces_[d];
  bool open[2];
  for (const bool label : {false, true}) {
    all_.restrict(ids, c.point, label, parts[label].ids);
    const Verdict verdict = look(parts[label], d);
    if (verdict == kNo) return kNo;
    open[label] = verdict == kOpen;
  }
  // first where it is less likely
  const bool first =
      open[0] && open[1] && parts[1].columns[0].minority < parts[0].columns[0].minority;
  for (const bool label : {first, !first})
    if (open[label])
      if (const Verdict verdict = split(parts[label], d, effort); verdict != kYes) return verdict;
  return kYes;
}

// Whether some split shatters a version space of which nothing could be told.
Littlestone::Verdict Littlestone::split(const Space& v, int d, std::size_t& effort) {
  if (effort == 0) return kOpen;
  --effort;
  Verdict verdict = kNo;
  Space factors[2];
  if (factor(all_, v.ids, v.columns, factors[0].ids, factors[1].ids)) {
    // what is asked at the points of one tells nothing of the other: dimensions add up
    const Found one = searched(factors[0].ids, effort);
    verdict = one.lower < one.upper ? kOpen : at_least(factors[1], d - one.lower, effort);
  } else {
    const std::size_t needed = std::size_t(1) << (d - 1);
    for (const Column& c : v.columns) {
      if (c.minority < needed) break;
      verdict = shatters(v.ids, c, d - 1, effort);
      if (verdict != kNo) break;
    }
  }
  if (verdict == kYes) memo_.raise(v.key, d);
  if (verdict == kNo) memo_.cap(v.key, d - 1);
  return verdict;
}

Littlestone::Verdict Littlestone::at_least(Space& v, int d, std::size_t& effort) {
  const Verdict verdict = look(v, d);
  return verdict == kOpen ? split(v, d, effort) : verdict;
}

// As far as the effort goes.
Littlestone::Found Littlestone::searched(const Ids& ids, std::size_t& effort) {
  Space whole{ids, {}, {}};
  Found found{ids.empty() ? -1 : 0, int(largest_depth(ids.size() | 1))};
  // often the size alone decides: a short look there saves all steps up to it
  std::size_t little = std::min<std::size_t>(effort, 64);
  effort -= little;
  const Verdict top = at_least(whole, found.upper, little);
  effort += little;
  if (top == kYes) return {found.upper, found.upper};
  if (top == kNo) --found.upper;
  while (found.lower < found.upper) {
    const Verdict verdict = at_least(whole, found.lower + 1, effort);
    if (verdict == kOpen) break;
    verdict == kYes ? ++found.lower : found.upper = found.lower;
  }
  return found;
}

// What the search may cost before a table costs less.
std::size_t Littlestone::effort(const std::vector<Column>& columns, std::size_t limit) {
  if (columns.size() > kTable) return limit;
  std::size_t cubes = 1;
  for (std::size_t j = 0; j < columns.size(); ++j) cubes *= 3;
  return std::min(limit, 1000 + cubes / 512);
}

Littlestone::Found Littlestone::dimension(const Ids& ids, std::size_t limit) {
  if (ids.size() <= 1) return {int(ids.size()) - 1, int(ids.size()) - 1};
  std::vector<Column> columns;
  splits(all_, ids, columns);
  std::size_t left = effort(columns, limit);
  const Found found = searched(ids, left);
  if (found.lower == found.upper || columns.size() > kTable) return found;
  const Subcubes table(all_, ids, columns, patience_);
  const int dimension = table.dimension(table.whole());
  std::uint64_t key[2];
  key_of(ids.size(), columns, key);
  memo_.raise(key, dimension);
  memo_.cap(key, dimension);
  return {dimension, dimension};
}

// What the search has found once it finds again, unless it was a table that did.
bool Littlestone::grow(const Ids& ids, int depth, std::size_t node, std::size_t& effort,
                       Tree& tree) {
  if (depth == 0) {
    tree.leaves[node - tree.points.size()] = ids[0];
    return true;
  }
  std::vector<Column> columns;
  splits(all_, ids, columns);
  for (const Column& c : columns) {
    const Verdict verdict = shatters(ids, c, depth - 1, effort);
    if (verdict == kOpen) return false;
    if (verdict == kNo) continue;
    tree.points[node] = c.point;
    Ids part;
    for (const bool label : {false, true}) {
      all_.restrict(ids, c.point, label, part);
      if (!grow(part, depth - 1, 2 * node + 1 + label, effort, tree)) return false;
    }
    return true;
  }
  return false;
}

void Littlestone::grow(const Subcubes& table, std::size_t cube, const std::vector<Column>& columns,
                       const Ids& ids, int depth, std::size_t node, Tree& tree) {
  if (depth == 0) {
    tree.leaves[node - tree.points.size()] = ids[0];
    return;
  }
  const std::size_t j = table.split(cube, depth - 1);
  tree.points[node] = columns[j].point;
  Ids part;
  for (const bool label : {false, true}) {
    all_.restrict(ids, columns[j].point, label, part);
    grow(table, table.part(cube, j, label), columns, part, depth - 1, 2 * node + 1 + label, tree);
  }
}

Littlestone::Tree Littlestone::tree(const Ids& ids, int depth, std::size_t limit) {
  const std::size_t leaves = std::size_t(1) << depth;
  Tree tree{Ids(leaves - 1), Ids(leaves)};
  std::vector<Column> columns;
  splits(all_, ids, columns);
  std::size_t left = effort(columns, limit);
  if (grow(ids, depth, 0, left, tree)) return tree;
  if (columns.size() > kTable) return {};
  const Subcubes table(all_, ids, columns, patience_);
  grow(table, table.whole(), columns, ids, depth, 0, tree);
  return tree;
}

}  // namespace regretless::classes
