// The Littlestone dimension of every version space of a class with few points, in one table.
//
// A version space is given by a digit per point: all hypotheses say 0, all say 1, or both occur
// (2). Numbered by these digits in base 3, both parts of a split come before the whole. Let a and b
// be the dimensions of the parts plus 1, or 0 for a part without hypotheses. Then that of the whole
// is the largest of max(a, b) + [a = b > 0] over the points.
#pragma once
#include "classes/hypotheses.hpp"

namespace regretless::classes {

class Subcubes {
 public:
  Subcubes(const Hypotheses& all, const Ids& ids, const std::vector<Column>& columns,
           Patience& patience);

  std::size_t whole() const { return table_.size() - 1; }
  int dimension(std::size_t cube) const { return int(table_[cube]) - 1; }
  // The part of a cube with a label at a column that is free in it.
  std::size_t part(std::size_t cube, std::size_t column, bool label) const {
    return cube - (label ? 1 : 2) * powers_[column];
  }
  bool free(std::size_t cube, std::size_t column) const { return cube / powers_[column] % 3 == 2; }
  // A column that splits a cube into parts of at least this dimension.
  std::size_t split(std::size_t cube, int dimension) const;

 private:
  void fill(Patience& patience);
  std::vector<std::size_t> powers_;
  std::vector<std::uint8_t> table_;
};

}  // namespace regretless::classes
