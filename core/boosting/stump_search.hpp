// The best decision stump for weighted examples, over all features and thresholds (Luo (2016),
// section 2.2).
//
// A stump has one label where x_j <= threshold and one where x_j is above. With d_i = w_i y_i the
// best labels are the signs of the sums of d on both sides. The weight on which they agree with the
// labels, minus the rest, is |below| + |above|: twice the edge, times the sum of weights. So one
// sum for each value of a feature is enough, and the sum of the most frequent value follows from
// the others.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace regretless {

struct FoundStump {
  std::int64_t feature = -1;  // -1: `below` for all examples
  double threshold = 0;
  int below = 1, above = 1;
  double edge = 0;
};

class StumpSearch {
 public:
  // Sparse columns: `rows` and `values` of column j lie from starts[j] to starts[j + 1], no row
  // twice. `signs` are the labels, -1 or 1.
  StumpSearch(std::size_t columns, const std::int64_t* starts, const std::int32_t* rows,
              const double* values, std::vector<double> signs)
      : signs_(std::move(signs)), signed_(signs_.size()), active_(signs_.size()) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> few;  // rows and their cells
    for (std::size_t j = 0; j < columns; ++j) lay_out(starts[j], starts[j + 1], rows, values, few);
    sums_.resize(values_.size());
    row_starts_.assign(size() + 1, 0);
    for (const auto& [row, cell] : few) ++row_starts_[row + 1];
    for (std::size_t i = 0; i < size(); ++i) row_starts_[i + 1] += row_starts_[i];
    row_cells_.resize(few.size());
    std::vector<std::size_t> next(row_starts_.begin(), row_starts_.end());
    for (const auto& [row, cell] : few) row_cells_[next[row]++] = cell;
  }

  std::size_t size() const { return signs_.size(); }

  // Among stumps that are equally good up to rounding: the constant one, then the first.
  FoundStump best(const double* weights) {
    const Sums all = weigh(weights);
    add_up();
    FoundStump found;
    found.below = found.above = label(all.signed_weight);
    double most = std::fabs(all.signed_weight);
    const double tie = 0x1p-40 * all.weight;
    for (std::size_t j = 0; j < columns_.size(); ++j)
      each_threshold(columns_[j], all.signed_weight, [&](double low, double high, double below) {
        const double above = all.signed_weight - below;
        const double agreed = std::fabs(below) + std::fabs(above);
        if (!(agreed > most + tie)) return;
        most = agreed;
        found = {std::int64_t(j), between(low, high), label(below), label(above), 0};
      });
    found.edge = all.weight > 0 ? most / all.weight / 2 : 0;
    return found;
  }

 private:
  // A column with at most so many values is added up row by row: rows of weight 0 then cost
  // nothing, and the sums of all such columns stay in the cache.
  static constexpr std::size_t kFew = 64;

  struct Column {
    std::size_t first, last;  // of its cells, one for each value but the most frequent, ascending
    double rest;              // the most frequent
    bool few;
  };
  struct Sums {
    double weight = 0, signed_weight = 0;
  };

  static int label(double sum) { return sum >= 0 ? 1 : -1; }
  static double between(double low, double high) {
    const double middle = low / 2 + high / 2;
    return middle >= low && middle < high ? middle : low;
  }

  void lay_out(std::int64_t start, std::int64_t stop, const std::int32_t* rows,
               const double* values, std::vector<std::pair<std::uint32_t, std::uint32_t>>& few) {
    std::vector<std::pair<double, std::uint32_t>> entries;
    std::vector<bool> present(size());
    for (std::int64_t k = start; k < stop; ++k) {
      entries.emplace_back(values[k], std::uint32_t(rows[k]));
      present[std::size_t(rows[k])] = true;
    }
    if (2 * entries.size() >= size())  // another value than 0 may be the most frequent
      for (std::size_t i = 0; i < size(); ++i)
        if (!present[i]) entries.emplace_back(0.0, std::uint32_t(i));
    std::sort(entries.begin(), entries.end());
    Column column{values_.size(), values_.size(), 0, false};
    std::size_t absent = size() - entries.size(), distinct = absent > 0;
    const auto groups = [&](auto use) {
      for (std::size_t a = 0, b = 0; a < entries.size(); a = b) {
        while (b < entries.size() && entries[b].first == entries[a].first) ++b;
        use(a, b);
      }
    };
    std::size_t most = absent;
    groups([&](std::size_t a, std::size_t b) {
      ++distinct;
      if (b - a > most) most = b - a, column.rest = entries[a].first;
    });
    column.few = distinct <= kFew;
    groups([&](std::size_t a, std::size_t b) {
      if (entries[a].first == column.rest) return;
      const auto cell = std::uint32_t(values_.size());
      values_.push_back(entries[a].first);
      for (std::size_t k = a; k < b; ++k)
        if (column.few)
          few.emplace_back(entries[k].second, cell);
        else
          cell_rows_.push_back(entries[k].second);
      cell_ends_.push_back(cell_rows_.size());
    });
    column.last = values_.size();
    columns_.push_back(column);
  }

  // Computes the signed weights and lists those that are not 0.
  Sums weigh(const double* weights) {
    Sums all;
    std::size_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      signed_[i] = weights[i] * signs_[i];
      all.weight += weights[i];
      all.signed_weight += signed_[i];
      active_[count] = std::uint32_t(i);
      count += weights[i] > 0;
    }
    active_count_ = count;
    return all;
  }
  // The signed weight of each cell.
  void add_up() {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    double* sums = sums_.data();
    for (std::size_t k = 0; k < active_count_; ++k) {
      const std::uint32_t i = active_[k];
      const double d = signed_[i];
      for (std::size_t c = row_starts_[i]; c < row_starts_[i + 1]; ++c) sums[row_cells_[c]] += d;
    }
    for (const Column& column : columns_)
      for (std::size_t c = column.first; !column.few && c < column.last; ++c)
        for (std::size_t k = c ? cell_ends_[c - 1] : 0; k < cell_ends_[c]; ++k)
          sums[c] += signed_[cell_rows_[k]];
  }
  // Calls use(a, b, sum of the cells up to a) for neighbouring values a < b.
  template <class Use>
  void each_threshold(const Column& column, double total, Use use) const {
    double rest = total;
    for (std::size_t c = column.first; c < column.last; ++c) rest -= sums_[c];
    double below = 0, before = 0;
    bool started = false, rest_is_left = true;
    const auto pass = [&](double value, double sum) {
      if (started) use(before, value, below);
      started = true;
      before = value;
      below += sum;
    };
    for (std::size_t c = column.first; c < column.last; ++c) {
      if (rest_is_left && values_[c] > column.rest) pass(column.rest, rest), rest_is_left = false;
      pass(values_[c], sums_[c]);
    }
    if (rest_is_left) pass(column.rest, rest);
  }

  std::vector<double> signs_, signed_;
  std::vector<std::uint32_t> active_;
  std::size_t active_count_ = 0;
  std::vector<Column> columns_;
  std::vector<double> values_, sums_;  // of the cells
  std::vector<std::size_t> row_starts_;
  std::vector<std::uint32_t> row_cells_;  // of columns with few values
  std::vector<std::size_t> cell_ends_;
  std::vector<std::uint32_t> cell_rows_;  // of the others
};

}  // namespace regretless
