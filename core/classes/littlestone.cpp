#include "classes/littlestone.hpp"

#include <algorithm>

#include "classes/product.hpp"
#include "classes/subcubes.hpp"

namespace regretless::classes {

namespace {

constexpr std::uint8_t kUnknown = 255;

// A hash of the set of splits: it does not matter which point makes which split.
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

std::size_t Memo::place(const std::uint64_t (&key)[2]) const {
  std::size_t i = key[0] & (slots_.size() - 1);
  while (slots_[i].known.upper && (slots_[i].key[0] != key[0] || slots_[i].key[1] != key[1]))
    i = (i + 1) & (slots_.size() - 1);
  return i;
}

Memo::Bounds Memo::find(const std::uint64_t (&key)[2]) const {
  const Bounds known = slots_[place(key)].known;
  return known.upper ? known : Bounds{0, kUnknown};
}

Memo::Bounds& Memo::known(const std::uint64_t (&key)[2]) {
  if (size_ * 3 > slots_.size() * 2) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old)
      if (s.known.upper) slots_[place(s.key)] = s;
  }
  Slot& s = slots_[place(key)];
  if (!s.known.upper) {
    ++size_;
    s = {{key[0], key[1]}, {0, kUnknown}};
  }
  return s.known;
}

void Memo::raise(const std::uint64_t (&key)[2], int lower) {
  known(key).lower = std::uint8_t(lower);
}
void Memo::cap(const std::uint64_t (&key)[2], int upper) { known(key).upper = std::uint8_t(upper); }

// An answer that is possible without splitting the version space.
Littlestone::Verdict Littlestone::look(Space& v, int d) {
  if (d <= 0) return v.ids.empty() ? kNo : kYes;
  if (largest_depth(v.ids.size() | 1) < std::size_t(d)) return kNo;
  if (d == 1) return kYes;
  splits(all_, v.ids, v.columns);
  patience_.spend(v.ids.size() * all_.words + 16);
  if (v.columns.size() < std::size_t(d)) return kNo;  // no point comes twice on a path
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

// Whether some split shatters the version space, found by search.
Littlestone::Verdict Littlestone::split(const Space& v, int d, std::size_t& effort) {
  if (effort == 0) return kOpen;
  --effort;
  Verdict verdict = kNo;
  Space factors[2];
  if (factor(all_, v.ids, v.columns, factors[0].ids, factors[1].ids)) {
    // the two factors are independent: their dimensions add up
    const Found one = searched(factors[0].ids, d, effort);
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

// The smaller of the dimension and `most`, as far as the effort goes.
Littlestone::Found Littlestone::searched(const Ids& ids, int most, std::size_t& effort) {
  Space whole{ids, {}, {}};
  Found found{0, std::min(most, int(largest_depth(ids.size())))};
  // often the size decides: a short search there saves all steps up to it
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

// The cost of a search from which on a table is cheaper.
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
  const Found found = searched(ids, int(columns.size()), left);
  if (found.lower == found.upper || columns.size() > kTable) return found;
  const Subcubes table(all_, ids, columns, patience_);
  const int dimension = table.dimension(table.whole());
  std::uint64_t key[2];
  key_of(ids.size(), columns, key);
  memo_.raise(key, dimension);
  memo_.cap(key, dimension);
  return {dimension, dimension};
}

// The tree of depth d below a node; `choose` returns its point, or all_.points if there is none.
template <class Choose>
bool Littlestone::grow(const Ids& ids, int d, std::size_t node, Tree& tree, Choose& choose) {
  if (d == 0) {
    tree.leaves[node - tree.points.size()] = ids[0];
    return true;
  }
  const std::uint32_t point = choose(ids, d, node);
  if (point == all_.points) return false;
  tree.points[node] = point;
  Ids part;
  for (const bool label : {false, true}) {
    all_.restrict(ids, point, label, part);
    if (!grow(part, d - 1, 2 * node + 1 + label, tree, choose)) return false;
  }
  return true;
}

Littlestone::Tree Littlestone::tree(const Ids& ids, int depth, std::size_t limit) {
  const std::size_t leaves = std::size_t(1) << depth;
  Tree tree{Ids(leaves - 1), Ids(leaves)};
  std::vector<Column> columns, below;
  splits(all_, ids, columns);
  std::size_t left = effort(columns, limit);
  auto search = [&](const Ids& here, int d, std::size_t) {
    splits(all_, here, below);
    for (const Column& c : below) {
      const Verdict verdict = shatters(here, c, d - 1, left);
      if (verdict == kYes) return c.point;
      if (verdict == kOpen) break;
    }
    return std::uint32_t(all_.points);
  };
  if (grow(ids, depth, 0, tree, search)) return tree;
  if (columns.size() > kTable) return {};
  const Subcubes table(all_, ids, columns, patience_);
  std::vector<std::size_t> cubes(2 * leaves - 1);  // by node
  cubes[0] = table.whole();
  auto look_up = [&](const Ids&, int d, std::size_t node) {
    const std::size_t j = table.split(cubes[node], d - 1);
    for (const bool label : {false, true})
      cubes[2 * node + 1 + label] = table.part(cubes[node], j, label);
    return columns[j].point;
  };
  grow(ids, depth, 0, tree, look_up);
  return tree;
}

}  // namespace regretless::classes
