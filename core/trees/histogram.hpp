// A bounded summary of the targets by the value of a feature: points in increasing order, each with
// the sums of the examples near it. Where there are too many points, the two neighbours with the
// least weight together become one, at their weighted mean, so that points follow the examples.
#pragma once
#include <algorithm>
#include <vector>

#include "trees/state_reader.hpp"

namespace regretless {

class Histogram {
 public:
  explicit Histogram(std::size_t outputs = 1) : sums_(outputs) {}

  const std::vector<double>& points() const { return points_; }
  TargetSums& sums() { return sums_; }
  const TargetSums& sums() const { return sums_; }
  std::size_t bytes() const { return points_.capacity() * sizeof(double) + sums_.bytes(); }

  void add(double value, const Target& y, double w, std::size_t most) {
    const auto at = std::lower_bound(points_.begin(), points_.end(), value);
    const auto i = std::size_t(at - points_.begin());
    if (at == points_.end() || *at != value) {
      points_.insert(at, value);
      sums_.insert(i);
    }
    TargetSums::add(sums_[i], y, w);
    if (points_.size() > most) merge();
  }

  void write(std::vector<double>& out) const {
    out.push_back(double(points_.size()));
    out.insert(out.end(), points_.begin(), points_.end());
    StateReader::write(out, sums_);
  }
  void read(StateReader& in, std::size_t most, bool classes) {
    points_.resize(in.length("points", 1));
    require(points_.size() >= 1 && points_.size() <= most,
            "a histogram has a wrong number of points");
    for (std::size_t i = 0; i < points_.size(); ++i) {
      points_[i] = in.number("point", -1e20, 1e20);
      require(points_[i] != 0 && (i == 0 || points_[i - 1] < points_[i]),
              "points are out of order");
    }
    in.sums(sums_, points_.size(), classes);
  }

 private:
  void merge() {
    std::size_t best = 0;
    double least = sums_[0][0] + sums_[1][0];
    for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
      const double both = sums_[i][0] + sums_[i + 1][0];
      if (both < least) least = both, best = i;
    }
    const double low = points_[best], high = points_[best + 1];
    const double mean = low + (high - low) * (sums_[best + 1][0] / least);
    sums_.add(sums_[best], sums_[best + 1]);
    points_[best] = std::clamp(mean, low, high);
    points_.erase(points_.begin() + std::ptrdiff_t(best) + 1);
    sums_.erase(best + 1);
    if (points_[best] == 0) points_[best] = high;  // 0 stands for absent
  }

  std::vector<double> points_;
  TargetSums sums_;
};

}  // namespace regretless
