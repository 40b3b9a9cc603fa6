// Lanes that take Newton steps, as a part of a larger mixture: for each class a frame per space.
#pragma once
#include <algorithm>
#include <cmath>

#include "model.hpp"
#include "newton/frame.hpp"

namespace regretless {

class NewtonLanes {
 public:
  // Without spaces there are no lanes.
  NewtonLanes(const Loss& loss, const NewtonOptions& options, Kernels kernels)
      : options_(options), kernels_(kernels) {
    options_.spans = !loss.classification() && loss.kind != LossKind::squared;
  }

  const std::vector<NewtonOptions::Space>& spaces() const { return options_.spaces; }
  void grow(std::size_t rows) {
    for (Frames& frames : classes_)
      for (NewtonFrame& frame : frames) frame.grow(rows);
  }
  // As of a model; then `grow`.
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) {
    std::vector<Frames> all;
    for (std::size_t c = 0; c < sources.size(); ++c) {
      all.push_back(sources[c] < 0 ? fresh() : classes_[std::size_t(sources[c])]);
      if (signs[c] < 0)
        for (NewtonFrame& frame : all.back()) frame.turn();
    }
    classes_ = std::move(all);
  }
  void extend(int count) {
    for (int c = 0; c < count; ++c) classes_.push_back(fresh());
  }
  // Leaves out a space.
  void drop(std::size_t space) {
    options_.spaces.erase(options_.spaces.begin() + std::ptrdiff_t(space));
    for (Frames& frames : classes_) {
      Frames kept;
      for (std::size_t i = 0; i < frames.size(); ++i)
        if (i != space) kept.push_back(frames[i]);
      frames = std::move(kept);
    }
  }
  std::size_t bytes(std::size_t rows) {  // of a class
    std::size_t all = 0;
    for (NewtonFrame& frame : classes_[0]) all += frame.bank().bytes(rows);
    return all;
  }

  void prefetch(const Example& x) const {
    for (const Frames& frames : classes_)
      for (const NewtonFrame& frame : frames) frame.prefetch(x);
  }
  // The scores of a class's lanes. Keeps what `learn` needs.
  void look(int c, const Example& x, double* scores) {
    for (NewtonFrame& frame : classes_[std::size_t(c)]) {
      frame.look(x, scores);
      for (int k = 0; k < frame.lanes(); ++k, ++scores)
        if (!std::isfinite(*scores)) *scores = 0;  // the lane has diverged
    }
  }
  // Learns the example that was scored last; see NewtonFrame::learn.
  void learn(int c, const Loss& loss, const Example& x, double target, double h, double slope) {
    for (NewtonFrame& frame : classes_[std::size_t(c)]) frame.learn(loss, x, target, h, slope);
  }
  // The weights of a class's lanes for a feature.
  void weights(int c, std::size_t row, double* out) const {
    for (const NewtonFrame& frame : classes_[std::size_t(c)]) {
      frame.weights(row, out);
      out += frame.lanes();
    }
  }

  std::vector<Model::Part> parts() {
    std::vector<Model::Part> all;
    for (Frames& frames : classes_)
      for (NewtonFrame& frame : frames)
        all.push_back({&frame.bank(), &frame.scalars(), nullptr, frame.bounded()});
    return all;
  }
  std::vector<double> numbers() {
    std::vector<double> all;
    for (Frames& frames : classes_)
      for (NewtonFrame& frame : frames) {
        const std::vector<double> own = frame.numbers();
        all.insert(all.end(), own.begin(), own.end());
      }
    return all;
  }
  const double* restore(const double* at, const double* end, std::size_t rows) {
    for (Frames& frames : classes_)
      for (NewtonFrame& frame : frames) at = frame.restore(at, end, rows);
    return at;
  }

 private:
  using Frames = std::vector<NewtonFrame>;
  Frames fresh() const {
    Frames frames;
    for (const NewtonOptions::Space& space : options_.spaces)
      frames.emplace_back(options_, space, false, kernels_);
    return frames;
  }

  NewtonOptions options_;
  Kernels kernels_;
  std::vector<Frames> classes_;
};

}  // namespace regretless
