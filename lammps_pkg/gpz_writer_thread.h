// SPDX-License-Identifier: GPL-2.0-only
/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_GPZ_WRITER_THREAD_H
#define LMP_GPZ_WRITER_THREAD_H

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace LAMMPS_NS {

// A thread that does jobs in the order they come in, one at a time. When a job throws, those that have not begun are
// dropped, and so are all that come later: a file must not get what follows a hole. One other thread uses the object.
class GPZWriterThread {
 public:
  using Job = std::function<void()>;
  // A job, to ask about it. A default one has ended.
  struct Ticket {
    int queue = 0;
    std::uint64_t number = 0;
  };

  GPZWriterThread();  // throws std::system_error
  // Returns when the jobs that were submitted have ended.
  ~GPZWriterThread();
  GPZWriterThread(const GPZWriterThread &) = delete;
  GPZWriterThread &operator=(const GPZWriterThread &) = delete;

  // Behind all other jobs.
  Ticket submit(Job job) { return add(LAST, std::move(job)); }
  // Runs before jobs of submit() that have not begun, and after those of submit_first().
  Ticket submit_first(Job job) { return add(FIRST, std::move(job)); }

  // Has the job been done or dropped? What it has written to memory can be read then.
  bool ended(Ticket ticket) const;
  void wait(Ticket ticket) const;
  void wait_all() const;

  // Has a job thrown? What it said: empty if none has.
  std::string problem() const;
  // Time spent in jobs since this was last asked, which then must have ended.
  double take_seconds();

 private:
  enum { FIRST, LAST, NQUEUES };
  struct Queue {
    std::deque<Job> jobs;  // that have not begun
    std::uint64_t submitted = 0, ended = 0;
  };

  mutable std::mutex mutex_;  // guards everything below
  mutable std::condition_variable submitted_, ended_;
  std::array<Queue, NQUEUES> queues_;
  bool stop_ = false;
  std::string problem_;
  double seconds_ = 0;
  std::thread thread_;  // last, because it uses the others from its start

  Ticket add(int queue, Job job);
  bool has_ended(Ticket ticket) const { return queues_[ticket.queue].ended >= ticket.number; }
  void work();
};

}  // namespace LAMMPS_NS

#endif
