// The Littlestone dimension of a finite class, and the shattered tree that shows it (Shalev-Shwartz
// (2012), section 3.2).
//
// Ldim(V) >= d if some point splits V into two parts, both with Ldim >= d - 1. The search tries
// d = 1, 2, ..., the most even split first, and remembers what it found about a version space.
// Fewer than 2^d hypotheses cannot have dimension d. Version spaces that differ only in the names
// of their points, in which label is called 1, or by a shift are one state: for the thresholds
// between two others, or the subcubes of a cube, only the size matters. If the search meets too
// many states, and there are at most 16 different splits, the dimensions of all 3^16 subcubes are
// put into a table.
#pragma once
#include <array>

#include "classes/hypotheses.hpp"

namespace regretless::classes {

// Bounds on the dimensions of version spaces, by their hashes of 128 bits.
class Memo {
 public:
  struct Bounds {
    std::uint8_t lower, upper;
  };
  Bounds find(const std::uint64_t (&key)[2]) const;
  void raise(const std::uint64_t (&key)[2], int lower);
  void cap(const std::uint64_t (&key)[2], int upper);
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key[2];
    Bounds known;  // upper 0: the place is free
  };
  std::size_t place(const std::uint64_t (&key)[2]) const;
  Bounds& known(const std::uint64_t (&key)[2]);
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t size_ = 0;
};

class Littlestone {
 public:
  static constexpr std::size_t kTable = 16;  // the most splits for which a table is made

  Littlestone(Hypotheses all, std::function<void()> poll = {})
      : all_(std::move(all)), patience_(std::move(poll)) {}

  struct Found {
    int lower, upper;  // equal unless more than `limit` version spaces were met
  };
  Found dimension(const Ids& ids, std::size_t limit);

  struct Tree {
    Ids points;  // in heap order: the children of i are 2 i + 1, for label 0, and 2 i + 2
    Ids leaves;  // a hypothesis for each path of labels
  };
  // A tree of a depth that `dimension` has found with the same limit.
  Tree tree(const Ids& ids, int depth, std::size_t limit);

  const Hypotheses& all() const { return all_; }
  std::size_t states() const { return memo_.size(); }

 private:
  struct Space {
    Ids ids;
    std::vector<Column> columns;
    std::uint64_t key[2];
  };
  enum Verdict { kNo, kYes, kOpen };
  // `effort`: how many version spaces may still be split; at 0 the answer stays open.
  Verdict look(Space& v, int d);
  Verdict shatters(const Ids& ids, const Column& c, int d, std::size_t& effort);
  Verdict split(const Space& v, int d, std::size_t& effort);
  Verdict at_least(Space& v, int d, std::size_t& effort);
  Found searched(const Ids& ids, int most, std::size_t& effort);
  static std::size_t effort(const std::vector<Column>& columns, std::size_t limit);
  template <class Choose>
  bool grow(const Ids& ids, int d, std::size_t node, Tree& tree, Choose& choose);

  Hypotheses all_;
  Patience patience_;
  Memo memo_;
  std::vector<std::array<Space, 2>> spaces_ = std::vector<std::array<Space, 2>>(33);  // by depth
};

}  // namespace regretless::classes
