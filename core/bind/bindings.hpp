// The parts of the module, one for each room.
#pragma once
#include "casters.hpp"

namespace regretless {

void bind_enums(nanobind::module_& m);         // names that all rooms share with Python
void bind_turns(nanobind::module_& m);         // one thread at a time, for all rooms
void bind_learner(nanobind::module_& m);       // linear learners, for regretless.linear
void bind_survey(nanobind::module_& m);        // checks of sparse arrays
void bind_reader(nanobind::module_& m);        // rows, for learners in Python
void bind_streams(nanobind::module_& m);       // the readers, for regretless.streams
void bind_oco(nanobind::module_& m);           // the players, for regretless.oco
void bind_experts(nanobind::module_& m);       // those of regretless.experts
void bind_games(nanobind::module_& m);         // self-play, for regretless.games
void bind_bandits(nanobind::module_& m);       // players of arms, for regretless.bandits
void bind_lin_ucb(nanobind::module_& m);       // LinUCB, for regretless.bandits
void bind_classes(nanobind::module_& m);       // finite classes, for regretless.classes
void bind_boosting(nanobind::module_& m);      // votes, for regretless.boosting
void bind_stump_search(nanobind::module_& m);  // the best stump, for batch boosting
void bind_stages(nanobind::module_& m);        // gradient boosting
void bind_tally(nanobind::module_& m);         // counting, for regretless.evaluate
void bind_audit(nanobind::module_& m);         // for regretless.certificates

}  // namespace regretless
