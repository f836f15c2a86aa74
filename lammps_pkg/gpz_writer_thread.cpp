// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "gpz_writer_thread.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

using namespace LAMMPS_NS;

GPZWriterThread::GPZWriterThread() : thread_([this] { work(); }) {}

GPZWriterThread::~GPZWriterThread() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  submitted_.notify_one();
  thread_.join();
}

GPZWriterThread::Ticket GPZWriterThread::add(int queue, Job job) {
  Ticket ticket{queue, 0};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_[queue].jobs.push_back(std::move(job));
    ticket.number = ++queues_[queue].submitted;
  }
  submitted_.notify_one();
  return ticket;
}

bool GPZWriterThread::ended(Ticket ticket) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return has_ended(ticket);
}

void GPZWriterThread::wait(Ticket ticket) const {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [&] { return has_ended(ticket); });
}

void GPZWriterThread::wait_all() const {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [this] {
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const Queue &queue) { return queue.ended == queue.submitted; });
  });
}

std::string GPZWriterThread::problem() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return problem_;
}

double GPZWriterThread::take_seconds() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(seconds_, 0.0);
}

void GPZWriterThread::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const auto has_job = [](const Queue &queue) { return !queue.jobs.empty(); };
    const auto next = [&] { return std::find_if(queues_.begin(), queues_.end(), has_job); };
    submitted_.wait(lock, [&] { return stop_ || next() != queues_.end(); });
    const auto queue = next();
    if (queue == queues_.end()) return;

    Job job = std::move(queue->jobs.front());
    queue->jobs.pop_front();
    const bool drop = !problem_.empty();
    std::string problem;
    lock.unlock();
    const auto start = std::chrono::steady_clock::now();
    try {
      if (!drop) job();
    } catch (const std::exception &e) {
      problem = e.what();
      if (problem.empty()) problem = "unknown error";
    } catch (...) {
      problem = "unknown error";
    }
    job = nullptr;  // what it holds must be free when it has ended
    const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - start;
    lock.lock();
    if (!problem.empty()) problem_ = problem;
    seconds_ += duration.count();
    ++queue->ended;
    ended_.notify_all();
  }
}
