#include "classes/subcubes.hpp"

#include <algorithm>

namespace regretless::classes {

namespace {

std::uint8_t joined(std::uint8_t a, std::uint8_t b) {
  return std::uint8_t(std::max(a, b) + (a == b && a > 0));
}

}  // namespace

Subcubes::Subcubes(const Hypotheses& all, const Ids& ids, const std::vector<Column>& columns,
                   Patience& patience) {
  std::size_t size = 1;
  for (std::size_t j = 0; j < columns.size(); ++j, size *= 3) powers_.push_back(size);
  table_.assign(size, 0);
  for (const std::uint32_t h : ids) {
    std::size_t cube = 0;
    for (std::size_t j = 0; j < columns.size(); ++j)
      cube += powers_[j] * all.says(h, columns[j].point);
    table_[cube] = 1;
  }
  fill(patience);
}

void Subcubes::fill(Patience& patience) {
  // in a block only the last digits vary: one loop for the whole block
  const std::size_t low = std::min<std::size_t>(powers_.size(), 5);
  const std::size_t block = low < powers_.size() ? powers_[low] : table_.size();
  struct Split {
    std::size_t cube, zero, one;
  };
  std::vector<Split> inside;
  for (std::size_t cube = 0; cube < block; ++cube)
    for (std::size_t j = 0; j < low; ++j)
      if (free(cube, j)) inside.push_back({cube, part(cube, j, false), part(cube, j, true)});
  for (std::size_t start = 0; start < table_.size(); start += block) {
    std::uint8_t* to = table_.data() + start;
    for (std::size_t j = low; j < powers_.size(); ++j)
      if (free(start, j)) {
        const std::uint8_t* zero = table_.data() + part(start, j, false);
        const std::uint8_t* one = table_.data() + part(start, j, true);
        for (std::size_t i = 0; i < block; ++i) to[i] = std::max(to[i], joined(zero[i], one[i]));
      }
    for (const Split& s : inside) to[s.cube] = std::max(to[s.cube], joined(to[s.zero], to[s.one]));
    patience.spend(block);
  }
}

std::size_t Subcubes::split(std::size_t cube, int dimension) const {
  std::size_t j = 0;
  while (!free(cube, j) || this->dimension(part(cube, j, false)) < dimension ||
         this->dimension(part(cube, j, true)) < dimension)
    ++j;
  return j;
}

}  // namespace regretless::classes
