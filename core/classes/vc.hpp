// The Vapnik-Chervonenkis dimension of a finite class: the largest number of points that have all
// labellings.
//
// Sets of d points are searched for d = 1, 2, ..., point by point. The points chosen so far divide
// the hypotheses into groups. Another point may follow if each new group keeps the 2^k hypotheses
// that the k remaining points will divide.
#pragma once
#include "classes/hypotheses.hpp"

namespace regretless::classes {

class Shattering {
 public:
  Shattering(const Hypotheses& all, Patience& patience) : all_(all), patience_(patience) {}

  struct Found {
    int lower, upper;  // equal unless more than `limit` sets were met
    Ids points;        // as many as lower, shattered
  };
  Found dimension(std::size_t limit);

 private:
  using Groups = std::vector<Ids>;
  struct Exhausted {};
  bool extend(const Groups& groups, const Ids& candidates, std::size_t more);
  Ids useful(const Groups& groups, const Ids& candidates, std::size_t least);

  const Hypotheses& all_;
  Patience& patience_;
  Ids chosen_;
  std::size_t left_ = 0;
};

}  // namespace regretless::classes
