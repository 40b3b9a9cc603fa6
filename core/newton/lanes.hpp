// Lanes that take Newton steps: for each class a frame per space.
#pragma once
#include <algorithm>
#include <iterator>

#include "model.hpp"
#include "newton/frame.hpp"

namespace regretless {

class NewtonLanes {
 public:
  using Frames = std::vector<NewtonFrame>;  // a frame for each space
  using Classes = std::vector<Frames>;

  // Without spaces there are no lanes.
  NewtonLanes(const Loss& loss, const NewtonOptions& options, bool certify, Kernels kernels)
      : options_(options), certify_(certify), kernels_(kernels) {
    options_.spans = !loss.classification() && loss.kind != LossKind::squared;
  }

  void grow(std::size_t rows) {
    for (Frames& frames : classes_)
      for (NewtonFrame& frame : frames) frame.grow(rows);
  }
  void shrink(std::size_t rows) {
    for (Frames& frames : classes_)
      for (NewtonFrame& frame : frames) frame.shrink(rows);
  }
  // The frames of fresh classes, and of new classes made from old ones, as Model::relane does. They
  // are made before anything changes, because memory may run out.
  Classes fresh(int count, std::size_t rows) const {
    Classes all;
    for (int c = 0; c < count; ++c) {
      Frames& frames = all.emplace_back();
      for (const NewtonOptions::Space& space : options_.spaces)
        frames.emplace_back(options_, space, certify_, kernels_).grow(rows);
    }
    return all;
  }
  Classes relaned(const std::vector<int>& sources, const std::vector<int>& signs,
                  std::size_t rows) const {
    Classes all;
    for (std::size_t c = 0; c < sources.size(); ++c) {
      if (sources[c] < 0)
        all.push_back(std::move(fresh(1, rows)[0]));
      else
        all.push_back(classes_[std::size_t(sources[c])]);
      if (signs[c] < 0)
        for (NewtonFrame& frame : all.back()) frame.turn();
    }
    return all;
  }
  void put(Classes classes) { classes_ = std::move(classes); }
  void add(Classes classes) {
    std::move(classes.begin(), classes.end(), std::back_inserter(classes_));
  }
  // Leaves out a space.
  void drop(std::size_t space) {
    options_.spaces.erase(options_.spaces.begin() + std::ptrdiff_t(space));
    for (Frames& frames : classes_) {
      Frames kept;
      for (std::size_t i = 0; i < frames.size(); ++i)
        if (i != space) kept.push_back(std::move(frames[i]));
      frames = std::move(kept);
    }
  }
  Frames& frames(int c) { return classes_[std::size_t(c)]; }
  const Frames& frames(int c) const { return classes_[std::size_t(c)]; }
  std::size_t bytes(std::size_t rows) {  // of a class
    std::size_t all = 0;
    for (NewtonFrame& frame : frames(0)) all += frame.bank().bytes(rows);
    return all;
  }

  void prefetch(const Example& x) const {
    for (const Frames& frames : classes_)
      for (const NewtonFrame& frame : frames) frame.prefetch(x);
  }
  // The scores of a class's lanes. Keeps what `learn` needs.
  void look(int c, const Example& x, double* scores) {
    for (NewtonFrame& frame : frames(c)) {
      frame.look(x, scores);
      scores += frame.lanes();
    }
  }
  // Learns the example that was scored last; see NewtonFrame::learn.
  void learn(int c, const Loss& loss, const Example& x, double target, double h, double slope) {
    for (NewtonFrame& frame : frames(c)) frame.learn(loss, x, target, h, slope);
  }
  // The weights of a class's lanes for a feature.
  void weights(int c, std::size_t row, double* out) const {
    for (const NewtonFrame& frame : frames(c)) {
      frame.weights(row, out);
      out += frame.lanes();
    }
  }

  std::vector<Model::Part> parts() {
    std::vector<Model::Part> all;
    for (Frames& frames : classes_)
      for (NewtonFrame& frame : frames)
        all.push_back({&frame.bank(), &frame.scalars(), nullptr, frame.bounded(), frame.bound()});
    return all;
  }
  // What a class has outside of its parts.
  std::vector<double> numbers(int c) {
    std::vector<double> all;
    for (NewtonFrame& frame : frames(c)) {
      const std::vector<double> own = frame.numbers();
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
  const double* restore(int c, const double* at, const double* end, std::size_t rows) {
    for (NewtonFrame& frame : frames(c)) at = frame.restore(at, end, rows);
    return at;
  }

 private:
  NewtonOptions options_;
  bool certify_;
  Kernels kernels_;
  Classes classes_;
};

}  // namespace regretless
